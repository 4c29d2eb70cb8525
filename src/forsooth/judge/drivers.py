"""Scripts that a criterion runs to judge the product, whatever they are called.

`make prueba` may come to `node pruebas/suma.js`: a file without a runner, a report or a name that
says test. Three facts tell such a script from a program of the product: the criterion runs it for
its exit status alone, it loads or starts another file of the tree, and it compares something or
fails by itself. What other code loads, what a manifest names as its entry, and what is called with
arguments of its own is the product being tried out.

Not seen: a script whose product is installed elsewhere, and one that only counts or prints.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from forsooth.judge.checker import Look
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.mentions import Mentions, is_code
from forsooth.judge.reports.report import parsed, row
from forsooth.judge.words import Reading, Spoken, resolved

_STARTS = re.compile(
    r"(?:ba|da|z|k|a)?sh|(?:python|pypy)[\d.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript"
    r"|groovy|elixir|julia"
)
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_COMPILES = re.compile(
    r"(?:.*-)?(?:g?cc|g\+\+|c\+\+|clang(?:\+\+)?|tcc)(?:-[\d.]+)?|javac|kotlinc|rustc"
)
_MAIN = re.compile(r"\bmain\s*\(")
_COMPARES = re.compile(
    r"\bassert\w*\b|\bexpect\w*\s*\(|[!=]==?|-(?:eq|ne|lt|gt|le|ge)\b|\bcmp\b|\bdiff\b|\bgrep\b"
    r"|(?:^|[\s;(|&!])(?:\[\[?|test)\s|\.equals\(|\bis(?:\s+not)?\b|\bcase\b.*\bin\b",
    re.MULTILINE,
)
_GUARD = re.compile(r"\bif __name__ == .*")
_FAILS = re.compile(
    r"\bassert\w*\b|\bexpect\w*\s*\(|\bthrow\b|\braise\b|\bexit\w*\b|\bdie\b|\babort\b|\bpanic\w*\b"
    r"|\breturn\s+[1-9]|\|\||\bset\s+-\w*e|\bstop\b|\b[Ff]ail\w*\b|\bos\.Exit\b"
)
_PARAMETERS = re.compile(r"\(([^()\n]*)\)\s*(?:->[^\n{:]*|[\w\[\]*.]*\s*)?(?:=>|[:{])")
_NAME = re.compile(r"[^\W\d]\w*")
_SHELL_PAIR = re.compile(r"\$\{?1\b.{0,6}\s(?:!?==?|-eq|-ne)\s.{0,3}\$\{?2\b")
_SAME = r"\s*(?:!==?|===?|\bis(?:\s+not)?\b)\s*"
_CALLS = (
    r"(?:assert\w*|[Ee]qual\w*|[Dd]eep\w*|expect|toBe|toEqual|toStrictEqual|is|same|cmp|compare)"
)
_MOST_PARAMETERS = 8
_ENTRIES = ("main", "bin", "exports", "module", "browser", "types")


def drivers(
    reading: Reading, look: Look, mentions: Mentions, *, touch: Collection[str]
) -> frozenset[str]:
    """The scripts among the files that some commands run."""
    there = frozenset(look.paths())
    ran = {path for said in reading.spoken for path in started(said, there, mentions)}
    ran -= {path for path in ran if path in touch}
    named = entries(look)
    sources = {said.source for said in reading.spoken}
    found = {path for path in ran if path not in named and _judges(path, mentions)}
    return frozenset(
        path
        for path in found
        if _has_subject(path, mentions, ran) and not mentions.loaders(path) - ran - sources
    )


def _judges(path: str, mentions: Mentions) -> bool:
    """Whether a script compares and fails by itself, or by a helper that it loads."""
    if can_fail(mentions.text(path)):
        return True
    texts = map(mentions.text, mentions.loads(path, mentions.code))
    return any(compares_arguments(text) and can_fail(text) for text in texts)


def can_fail(text: str) -> bool:
    """Whether a text compares something, and can end badly by itself."""
    text = _GUARD.sub("", text)
    return _COMPARES.search(text) is not None and _FAILS.search(text) is not None


def started(said: Spoken, there: Collection[str], mentions: Mentions) -> Iterator[str]:
    """The files of the tree that a plain command has run; none that it is given arguments for."""
    words = [resolved(word, said.cwd) for word in _as_files(said, there)]
    if _COMPILES.fullmatch(said.program):
        named = [path for path in there if is_code(path) and _is_among(path, words)]
        yield from (path for path in named if _MAIN.search(mentions.text(path)))
    elif said.program == "java":
        stems = {word.rpartition(".")[2] for word in said.words[1:] if not word.startswith("-")}
        yield from (p for p in there if p.endswith((".java", ".kt")) and _stem(p) in stems)
    elif said.words[:2] == ("go", "run"):
        folders = {path for path in words[2:] if path is not None}
        yield from (p for p in there if p.endswith(".go") and folders & {p, p.rpartition("/")[0]})
    else:
        yield from _script(said, words, there)


def _as_files(said: Spoken, there: Collection[str]) -> tuple[str, ...]:
    """The words of a command, with the file of the module that Python's `-m` names.

    A package that is run is an entry of the product.
    """
    words = said.words
    at = words.index("-m") + 1 if "-m" in words[:-1] and _PYTHON.fullmatch(said.program) else 0
    if not at:
        return words
    file = f"{words[at].replace('.', '/')}.py"
    return (*words[:at], file if resolved(file, said.cwd) in there else words[at], *words[at + 1 :])


def _script(said: Spoken, words: list[str | None], there: Collection[str]) -> Iterator[str]:
    """A file that is a command itself, or the one that an interpreter reads."""
    at = next((n for n, path in enumerate(words) if path in there), None)
    if at is None or not (at == 0 or _STARTS.fullmatch(said.program)):
        return
    path, rest = words[at], said.words[at + 1 :]
    is_tried = not said.source and any(not word.startswith("-") for word in rest)
    if path and not is_tried:
        yield path


def _is_among(path: str, words: Iterable[str | None]) -> bool:
    return any(
        word is not None and (word == path or ("*" in word and any_matches([word], path)))
        for word in words
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _has_subject(path: str, mentions: Mentions, ran: Collection[str]) -> bool:
    """Whether a script loads or starts code that is not run by itself."""
    others = (one for one in mentions.code if one not in ran)
    return any(one != path and mentions.mentions(path, one) for one in others)


def entries(look: Look) -> frozenset[str]:
    """What the tree's own manifests name as what people load or start."""
    found: set[str] = set()
    for path in look.paths():
        folder, _, name = path.rpartition("/")
        if name == "package.json":
            told = row(parsed(look.read(path) or b""))
            rows = (told.get(key) for key in _ENTRIES)
            found.update(resolved(word, folder) or "" for one in rows for word in _words(one))
    return frozenset(found)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in row(value).values():
        yield from _words(one)


def compares_arguments(text: str) -> bool:
    r"""Whether some function compares two of its own parameters with each other.

    >>> compares_arguments("def iguales(sale, va):\n    if sale != va:\n        raise Mal(sale)")
    True
    >>> compares_arguments("def add(a, b):\n    return a + b")
    False
    """
    if _SHELL_PAIR.search(text):
        return True
    for found in _PARAMETERS.finditer(text):
        names = list(dict.fromkeys(_NAME.findall(found[1])))[:_MOST_PARAMETERS]
        if len(names) > 1 and _relates(names, text):
            return True
    return False


def _relates(names: Collection[str], text: str) -> bool:
    one = "|".join(map(re.escape, names))
    pairs = re.compile(
        rf"\b({one})\b{_SAME}\b({one})\b|\b{_CALLS}\W[^\n]*?\b({one})\b[^\n]*?\b({one})\b"
    )
    return any(len({*filter(None, row)}) > 1 for row in pairs.findall(text))
