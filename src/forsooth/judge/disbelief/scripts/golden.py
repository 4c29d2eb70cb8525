"""Files that hold what is expected: those a script or a recipe gives to `diff` or `cmp`.

Variables in a name stand for anything, so a name is known by its end. A file that anything else
is given too, or that is written to, may be no expectation: it is left alone.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.shell.nodes import below, is_heavy, parsed

if TYPE_CHECKING:
    from tree_sitter import Node

PASSES, FAILS = b"true", b"{ echo differs; false; }"
_MOST_FILES = 300
_LONGEST = 200_000
_COMPARES = frozenset({b"diff", b"cmp"})
_TELLS = frozenset({b"echo", b"printf", b"test", b"cd", b"ls", b"basename", b"dirname", b"mkdir"})
_SHOWS = frozenset({b"cat", b"head"})
_FILTERS = frozenset({b"sort", b"cat"})
_GIVEN_ON = frozenset(
    "pipeline command_substitution process_substitution redirected_statement".split()
)
_RECIPE = re.compile(rb"^\t[ \t]*[-@+]*(.*(?:\\\n.*)*)$", re.MULTILINE)
_TARGET = re.compile(rb"^([^\s#:=][^:=\n]*):(?!=)", re.MULTILINE)
_RENEWS = re.compile(rb"updat|regen|bless|record|accept|overwrit|refresh", re.IGNORECASE)
_QUOTED = re.compile(rb'"([^"\\]*)"')
_VARIABLE = re.compile(
    r"\$\$?(?:\{(?P<one>\w+)\}|\{[^{}]*\}|\((?:[^()]|\([^()]*\))*\)|(?P<two>[A-Za-z_]\w*)|[\d*@<^?#+])"
    r"|`[^`]*`"
)
_PLAIN = re.compile(r"[\w.]{2}")
_TEMPORARY = re.compile(r"mktemp|TMP|^/|^~")
_ON_DEMAND = re.compile(
    rb"\$\{?\w*(?:updat|regen|bless|record|accept|overwrit)|--(?:update|bless)\b", re.IGNORECASE
)
_ANY = "\0"


class Golden(NamedTuple):
    """Expected files, and the comparisons of them: spans of the sources they stand in.

    The empty path is a text that stands in no file.
    """

    files: tuple[str, ...]
    spans: Mapping[str, tuple[tuple[int, int], ...]]

    def spoilt(self, look: Look, word: str) -> Edits:
        """The files with a line more at either end, each with its own."""
        made: dict[str, Edit] = {}
        for n, path in enumerate(self.files):
            data = look.read(path) or b""
            made[path] = Edit(with_lines(data, f"{word}{n}"), look.mode(path) or "100644")
        return made

    def comparing(self, look: Look, by: bytes) -> Edits:
        """The sources with another command in place of every comparison."""
        return {
            path: Edit(self.saying(look.read(path) or b"", by, path), look.mode(path) or "100644")
            for path in self.spans
            if path
        }

    def saying(self, data: bytes, by: bytes, path: str = "") -> bytes:
        """A source with another command in place of its comparisons."""
        for start, end in sorted(self.spans.get(path, ()), reverse=True):
            data = data[:start] + by + data[end:]
        return data


def with_lines(data: bytes, word: str) -> bytes:
    """A text with a line more at either end."""
    line, end = f"{word}\n".encode(), b"\n" if data and not data.endswith(b"\n") else b""
    return line + data + end + line


def golden(
    sources: Iterable[str],
    makefiles: Collection[str],
    base: Look,
    among: Collection[str],
    *,
    text: bytes = b"",
) -> Golden:
    """The expected files among some, by what the sources of the base say, and one text more."""
    texts = [
        _Text(path, at, text)
        for path in sorted(sources)
        for at, text in _texts(path, base.read(path) or b"", is_made=path in makefiles)
    ]
    texts += [_Text("", at, one) for at, one in _texts("", text, is_made=False)]
    others = [name for one in texts for name in one.mentioned()]
    files: set[str] = set()
    spans: dict[str, tuple[tuple[int, int], ...]] = {}
    for one in texts:
        for node, names in one.comparisons():
            meant = {path for path in among if any(name.fullmatch(path) for name in names)}
            meant = {path for path in meant if not any(name.fullmatch(path) for name in others)}
            if meant:
                files |= meant
                span = (one.at + node.start_byte, one.at + node.end_byte)
                spans[one.path] = (*spans.get(one.path, ()), span)
    return Golden(tuple(sorted(files)[:_MOST_FILES]), spans)


def _texts(path: str, data: bytes, *, is_made: bool) -> Iterator[tuple[int, bytes]]:
    """Shell text in a file, and where it begins."""
    if len(data) > _LONGEST or is_heavy(data.decode("utf-8", "replace")):
        return
    if path.rpartition("/")[2] == "package.json":
        yield from ((one.start(1), one[1]) for one in _QUOTED.finditer(data))
    elif is_made:
        rules = [(one.start(), one[1]) for one in _TARGET.finditer(data)]
        for one in _RECIPE.finditer(data):
            at = bisect(rules, one.start(), key=lambda rule: rule[0])
            if not at or not _RENEWS.search(rules[at - 1][1]):
                yield one.start(1), one[1]
    else:
        yield 0, data


class _Text:
    """Shell text: what it compares, and what else it names."""

    def __init__(self, path: str, at: int, text: bytes) -> None:
        self.path, self.at = path, at
        self._nodes = [*below(parsed(text))]
        self._values = self._assigned()

    def comparisons(self) -> Iterator[tuple[Node, list[re.Pattern[str]]]]:
        """Every comparison of files, and the names of those."""
        for node in self._nodes:
            if _name(node) in _COMPARES:
                names = [self._pattern(_text(one)) for one in self._operands(node)]
                if found := [name for name in names if name]:
                    yield node, found

    def mentioned(self) -> Iterator[re.Pattern[str]]:
        """Every other name of a file, or of a folder with files."""
        compared = {
            one.id
            for node in self._nodes
            if _name(node) in _COMPARES
            for one in self._operands(node)
        }
        for node in self._nodes:
            is_given = node.type == "file_redirect" or (
                node.type == "command" and not self._only_tells(node)
            )
            for one in _words(node) if is_given and not _is_on_demand(node) else ():
                name = self._pattern(_text(one)) if one.id not in compared else None
                if name:
                    yield name

    def _operands(self, node: Node) -> Iterator[Node]:
        for one in _words(node):
            if one.type != "process_substitution":
                yield one
            elif len(one.named_children) == 1 and _name(one.named_children[0]) in _FILTERS:
                yield from _words(one.named_children[0])

    def _only_tells(self, node: Node) -> bool:
        name, around = _name(node), node.parent
        if name in _SHOWS:
            return around is not None and around.type not in _GIVEN_ON
        return name in _TELLS

    def _assigned(self) -> dict[str, str]:
        """The variables that get their value in one place, and a loop's when it has one glob."""
        found: dict[str, list[str]] = {}
        for node in self._nodes:
            if node.type in ("variable_assignment", "for_statement") and node.named_children:
                name, *rest = node.named_children
                values = [one for one in rest if one.type != "do_group"]
                said = _text(values[0]) if len(values) == 1 else _ANY if values else ""
                found.setdefault(_text(name), []).append(said)
        return {name: values[0] for name, values in found.items() if len(values) == 1}

    def _pattern(self, word: str) -> re.Pattern[str] | None:
        """Paths that a word may mean, also as their folder; none where it says too little."""
        said = self._resolved(word)
        if said is None or said.startswith("-"):
            return None
        parts = [part for part in said.split("/") if part not in ("", ".", "..")]
        while parts and not _PLAIN.search(parts[0]):
            del parts[0]  # folders that only the run knows
        if not parts or (len(parts) == 1 and not _PLAIN.search(parts[0].replace(_ANY, ""))):
            return None
        spelled = "/".join(re.escape(part) for part in parts)
        spelled = re.sub(rf"{_ANY}|\\\*|\\\?", "[^/]*", spelled)
        return re.compile(rf"(?:.*/)?{spelled}(?:/.*)?")

    def _resolved(self, word: str) -> str | None:
        """A word with the values that its variables have, as far as those are plain."""
        for _ in range(3):
            if _TEMPORARY.search(word.strip("\"'")):
                return None
            word = _VARIABLE.sub(self._value, word)
        return re.sub(r"[\"'\\]", "", _VARIABLE.sub(_ANY, word))

    def _value(self, found: re.Match[str]) -> str:
        if "mktemp" in found[0]:
            return found[0]
        return self._values.get(found["one"] or found["two"] or "", _ANY)


def _name(node: Node) -> bytes:
    """The program of a command."""
    names = [one for one in node.named_children if one.type == "command_name"]
    return (names[0].text or b"") if node.type == "command" and names else b""


def _words(node: Node) -> list[Node]:
    left = ("command_name", "variable_assignment", "file_descriptor")
    return [one for one in node.named_children if one.type not in left]


def _is_on_demand(node: Node) -> bool:
    """Whether this is done only when a person asks for other expectations."""
    around = node.parent
    while around is not None and around.type not in ("if_statement", "list", "case_item"):
        around = around.parent
    return around is not None and _ON_DEMAND.search(around.text or b"") is not None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
