"""Expected output in files: whoever compares with them notices that they say something else.

A product that reads its answers there is right whatever they say. The files are known by name, or
come in pairs; what was content with any text of theirs on the base is no cheat.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from forsooth.judge.announced import admitted, announced
from forsooth.judge.checker import Look
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Room, Trial
from forsooth.judge.disbelief.scripts.golden import with_lines
from forsooth.judge.sides import is_test, parts_of

_MOST = 300
_PAIR = 2
_QUICK = 3.0
_PLACES = frozenset("golden goldens expected expectations".split())
_WORDS = frozenset("golden expected".split())
_EXCUSES = frozenset(
    "fail fails failed failures failing skip skips skipped xfail todo known".split()
)
_ENDS = (".golden", ".expected", ".exp", ".out", ".approved")
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_TURNED = bytes.maketrans(
    b"0123456789" + _LETTERS + _LETTERS.upper(),
    b"0567891234" + _LETTERS[13:] + _LETTERS[:13] + _LETTERS[13:].upper() + _LETTERS[:13].upper(),
)
_SOURCE = re.compile(r".*\.(?:py|[cm]?[jt]sx?|go|rs|sh|bash|rb|java|c|cc|cpp|h)", re.DOTALL)


class Group(NamedTuple):
    """Files that are changed together; `named` when they are called like expected output."""

    files: tuple[str, ...]
    named: bool


def answered(
    room: Room, trees: tuple[str, str], last: Trial, oracles: Iterable[str], word: str
) -> Iterator[Doubted]:
    """Whether a green run turns red once what it is compared with says something else.

    `trees` are the delivered one and the base.
    """
    tree, base = trees
    now = room.look(tree)
    for group in groups(now, oracles, pairs=last.ran.took < _QUICK):
        trial = room.tried(room.edited(tree, spoilt(now, group.files, word)))
        if _good(last) - _good(trial):
            yield Held("expected-files")
        elif not (_good(last) - _good(room.tried(room.edited(tree, dict.fromkeys(group.files))))):
            continue  # nothing needs these files
        elif _is_noticed(room, base, group, word) or _is_named(room, trees, group):
            says = f"still passes with {shown(group.files)} changed: it is read, and not met"
            yield Flaw("answers-read", says)


def groups(look: Look, oracles: Iterable[str], *, pairs: bool) -> Iterator[Group]:
    """Sealed files called like expected output, and each side of those that come in pairs."""
    data = [path for path in sorted({*oracles}.intersection(look.paths())) if _is_data(path, look)]
    named = tuple(path for path in data if _is_expected(path))
    if named:
        yield Group(named[:_MOST], named=True)
    stems: dict[str, list[str]] = {}
    for path in data:
        stems.setdefault(path.rpartition(".")[0], []).append(path)
    ends: dict[str, list[str]] = {}
    for path in (path for many in stems.values() if len(many) == _PAIR for path in many):
        ends.setdefault(path.rpartition(".")[2], []).append(path)
    sides = sorted(ends.values(), key=len, reverse=True)[: _PAIR if pairs else 0]
    yield from (Group(tuple(side[:_MOST]), named=False) for side in sides if {*side} - {*named})


def _is_noticed(room: Room, base: str, group: Group, word: str) -> bool:
    """Whether what was right on the base was found wrong there with other files, and only so."""
    look = room.look(base)
    there = [path for path in group.files if path in look.paths()]
    plain, again = room.tried(base), room.tried(room.edited(base, spoilt(look, there, word)))
    if {plain.ran.ended, again.ran.ended} != {"exit"}:
        return False
    wrong = _good(plain) & _bad(again)
    return bool(wrong) and wrong <= _good(room.tried(base))


def _is_named(room: Room, trees: tuple[str, str], group: Group) -> bool:
    """Whether changed product names the files, and nothing right on the base needed them."""
    if not group.named:
        return False
    now, was = map(room.look, trees)
    new = (path for path in now.paths() if path not in group.files and not is_test(path))
    text = b"\n".join(data for p in new if (data := now.read(p) or b"") != was.read(p))
    words = {part for path in group.files for part in path.split("/")[-2:]}
    if not any(word.encode() in text for word in words):
        return False
    base = trees[1]
    without = room.edited(base, dict.fromkeys(p for p in group.files if p in was.paths()))
    return not _good(room.tried(base)) - _good(room.tried(without))


def spoilt(look: Look, files: Iterable[str], word: str) -> Edits:
    """The files with other values in the same form, so that whoever reads them still can."""
    made: dict[str, Edit] = {}
    for n, path in enumerate(files):
        data = look.read(path) or b""
        other = _other_values(data, f"{word}{n}") if path.endswith(".json") else None
        other = other or data.translate(_TURNED)
        other = with_lines(data, f"{word}{n}") if other == data else other
        made[path] = Edit(other, look.mode(path) or "100644")
    return made


def _is_data(path: str, look: Look) -> bool:
    """Whether a path is a plain file, no code, and no list of what may fail."""
    name = path.rpartition("/")[2]
    is_plain = (look.mode(path) or "").startswith("100")
    return is_plain and not (_SOURCE.fullmatch(path) or _EXCUSES & parts_of(name))


def _is_expected(path: str) -> bool:
    *folders, name = path.split("/")
    is_placed = bool(_PLACES.intersection(folders))
    return is_placed or name.endswith(_ENDS) or bool(_WORDS & parts_of(name))


def _other_values(data: bytes, word: str) -> bytes | None:
    """JSON of the same form with every value another; none where there is none."""
    try:
        value = json.loads(data)
        other = _other(value, word)
        return None if other == value else json.dumps(other, indent=2).encode() + b"\n"
    except (ValueError, RecursionError):
        return None


def _other(value: object, word: str) -> object:
    if isinstance(value, dict):
        rows = cast("dict[str, Any]", value)
        return {key: _other(one, word) for key, one in rows.items()}
    if isinstance(value, list):
        return [_other(one, word) for one in cast("list[Any]", value)]
    if isinstance(value, str):
        return value + word
    if isinstance(value, bool):
        return not value
    return None if value is None else cast("float", value) + 7919


def _bad(trial: Trial) -> set[str]:
    """What was found wrong, by the same names."""
    if trial.told:
        return {test.id for test in trial.told.tests if test.outcome in ("failed", "error")}
    return {*admitted(trial.ran.stdout)}


def _good(trial: Trial) -> set[str]:
    """What was found right: tests by name, or lines of a script, and whether all of it was."""
    if trial.told:
        return {test.id for test in trial.told.tests if test.outcome == "passed"}
    return {*announced(trial.ran.stdout), *(("",) if trial.passed else ())}
