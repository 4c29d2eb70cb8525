"""What sealed tests lean on outside the test side: golden data, and helpers that compare for them.

Told by reading alone, and with care: a file that product names is product, and so is code of which
tests use a value. Helpers are used for what they do to a test: they compare two things, or fail.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property

from forsooth.judge.checker import Look
from forsooth.judge.sides import ELSEWHERE, parts_of

_TOKEN = re.compile(r"[\w./-]*\w")
_GOLDEN = frozenset(
    "expected golden goldens sample samples case cases fixture fixtures snapshot snapshots vector "
    "vectors corpus reference references want wanted approved baseline baselines".split()
)
_RULES = _GOLDEN | {"schema", "schemas", "rules", "rule", "limits", "policy", "constraints"}
_CHECKED = frozenset("test tests spec specs check checks e2e qa testing acceptance".split())
_MAIN = frozenset({"index", "__init__", "main", "mod"})
_COMPARING = frozenset(
    "assert asserts expect expects same equal equals eq is ok check checks verify must should want "
    "compare match matches fail fails almost differ near close".split()
)
_DEFINED = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:"
    r"(?:async[ \t]+)?(?:def|func|function)[ \t]+(?:\([^)\n]*\)[ \t]*)?(\w+)"
    r"|(?:const|let|var)[ \t]+(\w+)[ \t]*=[ \t]*(?:async\b|function\b|\(|\w+[ \t]*=>)"
    r"|(\w+)[ \t]*(?:\([^)\n]*\)[ \t]*\{|:[ \t]*function))|\bexports\.(\w+)[ \t]*=",
    re.MULTILINE,
)
_WHOLE = re.compile(
    r"\bmodule\.exports[ \t]*=[ \t]*(?:async\b|function\b|\(|\w+[ \t]*=>)"
    r"|\bexport[ \t]+default[ \t]+(?:async\b|function\b|\(|\w+[ \t]*=>)"
)
_CALL = re.compile(r"(?<![\w.])(?:\w+\.)*(\w+)\(")
_WORDS = re.compile(
    r"(?:^|;|&&|\|\||\b(?:then|do|else)\b)[ \t]*(\w+)[ \t]+\S+[ \t]+\S", re.MULTILINE
)
_WITHIN = re.compile(r"\$\([ \t]*(\w+)")
_GOT = re.compile(r"(?<![\w'.])(?:got|actual|result|output|received|have)\b")
_WANTED = re.compile(r"(?<![\w'.])(?:want|wanted|expected|golden|reference)\b")
_PARAMETERS = re.compile(r"(\w+)\s*(?:=\s*(?:async\s*)?)?\(([^()\n]*)\)[^\n;]*?(?:=>|[:{])")
_WEIGHED = re.compile(
    r"(?:^|;|&&|\|\||\b(?:if|then|do|else)\b|!)[ \t]*(\w+)((?:[ \t]+\"\$\w+\"){2,})", re.MULTILINE
)
_ALONE = re.compile(r"(?:^|=>|[;{]|&&|\|\||\b(?:then|do|else|await))[ \t]*$")
_FAILS = re.compile(
    r"\bassert\w*\b|AssertionError|\bthrow\b|process\.exit|\bexit\s+[1-9]|\bnot ok\b|\bFAIL"
    r"|\bfail\w*\b|\.(?:Fatal|Error)f?\("
)
_SHEBANG = re.compile(r"\A#![^\n]*")
_ASSERTS = re.compile(r"^[ \t]+(?:assert\b|raise AssertionError)", re.MULTILINE)
_RETURNS = re.compile(r"^[ \t]+(?:return|yield)[ \t]+\S", re.MULTILINE)
_CASE = re.compile(r"^class\s+(\w+)\s*\([^)]*TestCase[^)]*\)", re.MULTILINE)
_READERS = (
    r"(?:\b(?:open|read(?=\()|read_text|read_bytes|readFile|readFileSync|ReadFile|require|cat|diff|cmp"
    r"|(?:json|yaml|toml|tomllib|csv)\.\w+)\b|<|(?:^|[\s;])(?:\.|source)\s)"
)
_TOLD = re.compile(r"\..*|.*\.(?:md|rst|lock)|(?:requirements|constraints).*\.txt", re.IGNORECASE)
_DOES = re.compile(r"\b(?:def|function|class|func|import|require|lambda)\b|=>|\w\(|\$\(|`")
_SETTING = re.compile(r"\..*|.*\.(?:ini|cfg|conf|toml|rc)")
_MOST = 3000  # product files read for a mention
_LARGEST = 200_000


def support(
    look: Look,
    sealed: Collection[str],
    *,
    may: Callable[[str], bool],
    is_code: Callable[[str], bool],
) -> set[str]:
    """Files that are neither sealed nor product, and that the sealed ones are judged with.

    `may` tells which of the others come into question at all.
    """
    leaning = _Leaning(look, [path for path in sealed if is_code(path)])
    if not leaning.words:
        return set()
    others = [path for path in look.paths() if path not in sealed and may(path)]
    data = [path for path in others if not is_code(path)]
    code = [path for path in others if is_code(path)]
    found = {path for path in code if leaning.compares(path) or leaning.brings(path)}
    found.update(path for path in others if leaning.takes_in(path))
    found.update(path for path in code if leaning.sets(path))
    weighing = {path for path in code if leaning.weighs(path)}
    if any(leaning.mentions(path) for path in code if path not in found | weighing):
        found |= weighing  # else comparing is what the product is for
    is_about_code = any(map(leaning.mentions, code))
    found.update(leaning.golden(data) if is_about_code else leaning.rules(data))
    if not found or len(code) > _MOST:
        return set()
    texts = _read(look, (path for path in code if path not in found))
    return {path for path in found if not _is_used(path, texts)}


class _Leaning:
    """The sealed files' own words."""

    def __init__(self, look: Look, sealed: Collection[str]) -> None:
        self._look, self._sealed = look, frozenset(sealed)
        self._text = "\n".join(_read(look, sealed).values())
        folders = {path.rpartition("/")[0] for path in sealed}
        self._beside = folders - {""}
        self._folders = tuple(f"{one}/" for one in folders if _CHECKED & {*one.split("/")})

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_TOKEN.findall(self._text))

    @cached_property
    def _steps(self) -> frozenset[str]:
        """Every part of every word that may be a path."""
        return frozenset(part for word in self.words for part in word.split("/"))

    def golden(self, data: Collection[str]) -> Iterator[str]:
        """Data that the sealed files name, or the folder of, and that is there to compare with."""
        stems = Counter(map(_stem, data))
        for path in self._named(data):
            folder, _, name = path.rpartition("/")
            is_golden = bool(_GOLDEN & parts_of(path))
            is_paired = bool(folder) and stems[_stem(path)] > 1
            if is_golden or is_paired or self._reads(name):
                yield path

    def rules(self, data: Collection[str]) -> Iterable[str]:
        """Where tests are about data: what they hold it to, if that is not all they name."""
        found = [path for path in self._named(data) if self._is_rule(path.rpartition("/")[2])]
        others = (path for path in self._look.paths() if path not in self._sealed)
        return found if any(path not in found for path in self._named(others)) else ()

    def _is_rule(self, name: str) -> bool:
        is_setting = _SETTING.fullmatch(name) is not None and self._reads(name)
        return is_setting or bool(_RULES & parts_of(name))

    def _named(self, data: Iterable[str]) -> Iterator[str]:
        """Data that the sealed files name, or the folder of; nothing that is told to people."""
        for path in data:
            folder, _, name = path.rpartition("/")
            is_named = name in self._steps or folder.rpartition("/")[2] in self._steps
            is_told = _TOLD.fullmatch(name) and not (name.startswith(".") and self._reads(name))
            if is_named and not is_told:
                yield path

    def mentions(self, path: str) -> bool:
        """Whether code is named, or its folder: where none is, data is what tests are about."""
        top, _, name = path.rpartition("/")
        steps = {name, top.partition("/")[0]} - {""}
        return bool(steps & self._steps) or name.partition(".")[0] in self._last

    @cached_property
    def _lines(self) -> Mapping[str, list[str]]:
        """The lines in which each part of a path stands."""
        found: dict[str, list[str]] = {}
        for line in self._text.splitlines():
            words = _TOKEN.findall(line)
            names = {word.partition(".")[0] for word in words}
            for part in names.union(*(word.split("/") for word in words)):
                found.setdefault(part, []).append(line)
        return found

    def _reads(self, name: str) -> bool:
        """Whether the sealed files themselves open a file."""
        for line in self._lines.get(name, ()):
            kept = re.match(r"\s*(?:const |let |var |local )?\s*(\w+)\s*(?::\w+\s*)?=", line)
            used = self._lines.get(kept[1], []) if kept else []
            if any(re.search(_READERS, one) for one in (line, *used)):
                return True
        return False

    def takes_in(self, path: str) -> bool:
        """Whether a file lies beside or below sealed ones, where checks lie, and they name it."""
        return path.startswith(self._folders) and path.rpartition("/")[2] in self._steps

    def sets(self, path: str) -> bool:
        """Whether a module beside sealed ones, which they ask for, holds values alone."""
        folder, _, name = path.rpartition("/")
        if folder not in self._beside or name.partition(".")[0] not in self._last:
            return False
        text = _read(self._look, [path]).get(path, "")
        return "=" in text and not _DOES.search(text)

    def brings(self, path: str) -> bool:
        """Whether code was brought along from elsewhere, and the sealed files ask for it."""
        *folders, name = path.split("/")
        at = next((n for n, one in enumerate(folders) if one in ELSEWHERE), None)
        if at is None:
            return False
        package = folders[at + 1] if len(folders) > at + 1 else name.partition(".")[0]
        return package in self._steps or package in self._last

    def compares(self, path: str) -> bool:
        """Whether code is a helper: tests call it to compare, and use no value of it."""
        name = path.rpartition("/")[2]
        stem = name.partition(".")[0]
        if name not in self._steps and stem not in self._last:
            return False
        text = _read(self._look, [path]).get(path, "")
        cases = _CASE.findall(text)
        if any(re.search(rf"^class\s+\w+\(.*\b{one}\b", self._text, re.MULTILINE) for one in cases):
            return True
        names = _names(path, text)
        is_whole = bool(_ASSERTS.search(text)) and not _RETURNS.search(text)
        comparing = {one for one in names if is_whole or _COMPARING & parts_of(one)}
        if not comparing or not _FAILS.search(text):
            return False
        return bool(comparing & self._calls[0]) and not names & self._calls[1]

    def weighs(self, path: str) -> bool:
        """Whether tests call code for nothing but to compare what they got with what they want."""
        name = path.rpartition("/")[2]
        if name not in self._steps and name.partition(".")[0] not in self._last:
            return False
        text = _read(self._look, [path]).get(path, "")
        names = _names(path, text)
        stem = name.partition(".")[0]
        given = (
            stem if name in ("exports", "default") else name
            for name, rest in _PARAMETERS.findall(text)
            if _is_weighed(rest)
        )
        weighed = self._weighed.union(given)
        called = self._called | self._weighed
        return bool(names & weighed & called) and not names & called - weighed

    @cached_property
    def _weighed(self) -> frozenset[str]:
        """What is called with something got and something wanted, to be told how they compare."""
        found = {(row[1], row[2]) for row in _WEIGHED.finditer(self._text)}
        for line in self._text.splitlines():
            if _is_weighed(line):
                found.update((call[1], line[call.end() :]) for call in _CALL.finditer(line))
        return frozenset(name for name, rest in found if _is_weighed(rest.partition(")")[0]))

    @cached_property
    def _called(self) -> frozenset[str]:
        names = [*_CALL.findall(self._text), *_WORDS.findall(self._text)]
        return frozenset([*names, *_WITHIN.findall(self._text)])

    @cached_property
    def _last(self) -> frozenset[str]:
        """The last part of every word, as modules are named."""
        return frozenset(re.split(r"[./]", word)[-1] for word in self.words)

    @cached_property
    def _calls(self) -> tuple[frozenset[str], frozenset[str]]:
        """What is called with two things or more for its own sake, and what for its value."""
        stated, valued = set(_WORDS.findall(self._text)), set(_WITHIN.findall(self._text))
        for line in self._text.splitlines():
            for call in _CALL.finditer(line):
                if not _ALONE.search(line[: call.start()]):
                    valued.add(call[1])
                elif "," in line[call.end() :]:
                    stated.add(call[1])
        return frozenset(stated), frozenset(valued)


def _names(path: str, text: str) -> set[str]:
    """The functions that code defines; one that is all of a module is called as its file is."""
    found = {one for row in _DEFINED.findall(text) for one in row if one}
    return found | ({path.rpartition("/")[2].partition(".")[0]} if _WHOLE.search(text) else set())


def _is_weighed(text: str) -> bool:
    """Whether arguments or parameters are called by what was got and what is wanted."""
    return bool(_GOT.search(text)) and bool(_WANTED.search(text))


def _is_used(path: str, texts: Mapping[str, str]) -> bool:
    """Whether product names a file, or the folder it lies in."""
    folder, _, name = path.rpartition("/")
    above = folder.rpartition("/")[2]
    stem = name.lstrip(".").partition(".")[0]
    is_data = "." in name and not re.search(r"\.(?:py|[cm]?[jt]sx?|go|sh|bash)$", name)
    if stem in _MAIN and above:
        name, stem = f"{above}/{name}", above
    called = re.escape(stem)
    said = rf"{re.escape(name)}|[./]{called}\b|\b(?:import|from|require\()\s*['\"]?{called}\b"
    said += rf"|['\"/]{re.escape(above)}\b" if is_data and above else ""
    return any(re.search(said, text) for text in texts.values())


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name.partition('.')[0]}"


def _read(look: Look, paths: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        data = look.read(path)
        if data and len(data) <= _LARGEST:
            found[path] = _SHEBANG.sub("", data.decode("utf-8", "replace"))
    return found
