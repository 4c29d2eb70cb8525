"""One criterion sentence becomes a draft: the shapes a person can write, and nothing else.

A sentence that fits no shape is refused with the nearest one; it is never guessed into a check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from forsooth.core import check as checks
from forsooth.core.brief.draft import Defect, Draft, shown
from forsooth.core.brief.nearest import ARROWS, nearest
from forsooth.core.brief.sentence import LONGEST, Token, Unclosed, tokens
from forsooth.core.brief.shell import Unbalanced, argv_of
from forsooth.core.call import runner_of
from forsooth.core.check import Check

_EXPECTED = ("expected:", "expected", "expects:", "expect:")
_AGREES = "a person agrees:"
_GUARD = ("stays", "green:")
_EXAMPLES = {"files": 'docs/guide.md contains "## Errors"', "commits": 'commits match "^feat"'}


class Shape(NamedTuple):
    """What a sentence turned out to ask for."""

    kind: str
    params: dict[str, Any]
    touch: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class Wrong(ValueError):
    """The shape is clear and what it holds is not right."""

    def __init__(self, code: str, says: str, fix: str) -> None:
        super().__init__(says)
        self.code, self.says, self.fix = code, says, fix


def draft(sentence: str, line: int = 1) -> Draft | Defect:
    """The draft a criterion sentence asks for, or why there is none and what to write instead."""
    says = sentence.strip()
    try:
        shape, guard = _read(says)
        check = Check.of({"kind": shape.kind, "with": shape.params})
        if wrong := checks.defects(check):
            fix = _EXAMPLES.get(check.kind) or nearest(says).shape
            raise Wrong("bad-check", "; ".join(wrong) + ".", f"- [ ] {fix}")
    except Wrong as wrong:
        return Defect(line=line, code=wrong.code, says=wrong.says, fix=wrong.fix)
    return Draft(
        line=line, says=says, check=check, guard=guard, touch=shape.touch, never=shape.never
    )


class _Reading(NamedTuple):
    shape: Shape
    guard: bool = False


def _read(says: str) -> _Reading:
    if not says:
        raise Wrong("empty-item", "This criterion says nothing.", "- [ ] tests: `pytest -q`")
    if len(says) > LONGEST:
        raise Wrong(
            "too-long",
            f"This criterion has {len(says)} characters; {LONGEST} is the most.",
            "- [ ] `scripts/check.sh`",
        )
    for text in (says, says.partition(": ")[2]):
        if text[: len(_AGREES)].casefold() == _AGREES:
            return _Reading(_agreement(text[len(_AGREES) :]))
    words = _tokens(says)
    if shape := _shape(words):
        return _Reading(shape)
    label, rest = _labelled(words)
    if shape := _shape(rest):
        return _Reading(shape, guard=_GUARD in (label[:2], label[-2:]))
    raise _unknown(says)


def _tokens(says: str) -> list[Token]:
    try:
        return tokens(says)
    except Unclosed as unclosed:
        mark = str(unclosed)
        raise Wrong(
            "unclosed-quote",
            f"{mark} opens something in “{shown(says)}” and never closes it.",
            f"- [ ] {shown(says, LONGEST)}{mark}",
        ) from None


def _agreement(rest: str) -> Shape:
    if not rest.strip():
        raise Wrong(
            "empty-item",
            "This does not say what a person agrees to.",
            f"- [ ] {_AGREES} the message reads well",
        )
    return Shape("approval", {})


class _Labelled(NamedTuple):
    label: tuple[str, ...]
    rest: list[Token]


def _labelled(words: list[Token]) -> _Labelled:
    """What stands before and after the last word that ends in a colon; an arrow ends the search."""
    arrow = next((at for at, word in enumerate(words) if word.low in ARROWS), len(words))
    ends = (at for at, word in enumerate(words[:arrow], 1) if word.low.endswith(":"))
    end = max(ends, default=0)
    return _Labelled(tuple(word.low for word in words[:end]), words[end:])


def _unknown(says: str) -> Wrong:
    near = nearest(says)
    if near.subjective:
        says = f"Whether “{shown(says)}” holds is for a person to say."
        return Wrong("subjective", says, f"- [ ] {near.shape}")
    says = f"No check can be made of “{shown(says)}”; the nearest shape is `{near.name}`."
    return Wrong("unknown-shape", says, f"- [ ] {near.shape}")


def _shape(words: list[Token]) -> Shape | None:
    return next((shape for read in _SHAPES if (shape := read(words))), None)


def _command(words: list[Token]) -> Shape | None:
    if not words or words[0].kind != "code":
        return None
    expected = _expected(words[1:])
    if expected is None:
        return None
    argv = _argv(words[0].text)
    runner = None if expected.keys() - {"exits"} or expected.get("exits") else runner_of(argv)
    if runner:
        return Shape("tests", {"argv": argv, "runner": runner})
    return Shape("command", {"argv": argv, **expected})


def _argv(command: str) -> tuple[str, ...]:
    try:
        argv = argv_of(command)
    except Unbalanced:
        raise Wrong(
            "unclosed-quote",
            f"`{shown(command)}` opens a quote and never closes it.",
            "- [ ] `grep 'two words' notes.md`",
        ) from None
    if not argv:
        raise Wrong("empty-command", "There is no command here.", "- [ ] tests: `pytest -q`")
    return argv


def _expected(words: list[Token]) -> dict[str, Any] | None:
    """What a command is expected to do, as parameters; None when the words are something else."""
    if words and words[0].low in ARROWS:
        return _after_arrow(words[1:])
    found: dict[str, Any] = {}
    rest = [word for word in words if not word.is_apart]
    while rest:
        match [word.low for word in rest[:2]]:
            case ["exits", number] if number.isascii() and number.isdigit() and len(number) < 10:  # noqa: PLR2004
                _once(found, "exits", int(number))
                rest = rest[2:]
            case ["stdout" | "stderr" as stream, "has" | "lacks" | "is" as verb] if _holds(rest):
                _stream(found.setdefault(stream, {}), f"{stream} {verb}", rest[2].text)
                rest = rest[3:]
            case _:
                return None
    return found


def _after_arrow(words: list[Token]) -> dict[str, Any]:
    """What stands after an arrow: an exit status where one is named, else the expected output."""
    rest = words[1:] if words and words[0].low in _EXPECTED else words
    lows = [word.low for word in rest]
    named = [low for low in lows if low not in ("exit", "exits", "code", "status")]
    if lows[:1] in (["exit"], ["exits"]) and len(named) == 1 and named[0].isdigit():
        return {"exits": int(named[0][:9])}
    quoted = [word.text for word in rest if word.kind in ("code", "text")]
    text = quoted[0] if len(quoted) == len(rest) == 1 else " ".join(word.text for word in rest)
    if not text or "exit" in lows or (quoted and len(rest) > 1):
        says = "After an arrow stands one expected output, or an exit status."
        raise Wrong("ambiguous", says, '- [ ] tests: `npm test` exits 0, stdout has "42 passing"')
    return {"stdout": {"has": [text]}}


def _holds(rest: Sequence[Token]) -> bool:
    return len(rest) > 2 and rest[2].kind in ("text", "code")  # noqa: PLR2004


def _stream(stream: dict[str, Any], what: str, text: str) -> None:
    verb = what.split()[1]
    if verb == "is":
        _once(stream, verb, text, what)
    else:
        stream.setdefault(verb, []).append(text)


def _once(found: dict[str, Any], key: str, value: object, what: str = "exits") -> None:
    if found.setdefault(key, value) != value:
        raise Wrong(
            "contradiction",
            f"“{what}” is said twice, with different values.",
            f"keep one `{what} …` in this criterion",
        )


def _file(words: list[Token]) -> Shape | None:
    if len(words) < 2 or words[0].kind == "comma":  # noqa: PLR2004
        return None
    match [word.low for word in words[1:]]:
        case ["exists"]:
            params: dict[str, Any] = {"expected_paths": [_path(words[0])]}
        case ["does", "not", "exist"] | ["is", "gone"]:
            params = {"forbidden_paths": [_path(words[0])]}
        case ["parses", "as", "bash"]:
            params = {"bash_syntax_check": [_path(words[0])]}
        case ["contains", ""] if words[2].kind != "comma":
            params = {"must_contain": [{"path": _path(words[0]), "text": words[2].text}]}
        case _:
            return None
    return Shape("files", params)


def _commits(words: list[Token]) -> Shape | None:
    match [word.low for word in words]:
        case ["commits", "match", ""] | ["a", "commit", "matches", ""]:
            pattern, name = words[-1], "patterns" if words[0].low == "a" else "every"
            return Shape("commits", {name: [pattern.text]}) if pattern.kind != "comma" else None
        case _:
            return None


def _scope(words: list[Token]) -> Shape | None:
    match [word.low for word in words]:
        case ["only", *_, "change" | "changes"]:
            globs = _globs(words[1:-1])
            return Shape("scope", {}, touch=globs) if globs else None
        case ["never", "touch", *_]:
            globs = _globs(words[2:])
            return Shape("scope", {}, never=globs) if globs else None
        case _:
            return None


def _globs(words: list[Token]) -> tuple[str, ...]:
    """The globs of a list; none when two stand side by side, for then it is prose."""
    apart = [word.is_apart for word in words]
    if not words or apart[0] or apart[-1]:
        return ()
    if any(not one and not other for one, other in pairwise(apart)):
        return ()
    return tuple(dict.fromkeys(_path(word) for word in words if not word.is_apart))


def _path(token: Token) -> str:
    if flaw := path_flaw(token.text):
        raise Wrong(
            "bad-path",
            f"`{shown(token.text)}` {flaw}.",
            "write it from the top of the repository, as in `src/app.py`",
        )
    return token.text


def listed(text: str) -> tuple[str, ...]:
    """The globs of a list written on a line of its own; none when it is prose."""
    try:
        return _globs(tokens(text))
    except Unclosed:
        return ()


def path_flaw(path: str) -> str:
    """Why a path or glob cannot be one inside the repository; empty when it can."""
    if not path.strip():
        return "is not a path"
    if path.startswith(("/", "~")):
        return "is not inside the repository"
    if ".." in path.split("/"):
        return "climbs out of the repository"
    return ""


_SHAPES: tuple[Callable[[list[Token]], Shape | None], ...] = (_command, _file, _commits, _scope)
