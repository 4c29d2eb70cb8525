"""Attribute lines (`After: G001`, `Intent: fix`, `May change: tests/**`), and attributes joined.

A line counts only when it is wholly of the form; anything looser is prose and stays in the goal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, cast, get_args

from forsooth.core.brief import shapes
from forsooth.core.brief.draft import Attributes, Defect, Draft, shown
from forsooth.core.ids import goal_id
from forsooth.core.plan import LONGEST, Intent

_LINE = re.compile(
    r"(after|depends on|intent|every|expects|may change|may move|may remove|only|never)"
    r":[ \t]*(\S.*)",
    re.IGNORECASE,
)
_FENCES = {"only": "only {} change", "never": "never touch {}"}
_EXPECTS = {"change": "change", "no-change": "no-change", "no change": "no-change"}
_GOAL = re.compile(r"[Gg]([0-9]{1,9})")
_EVERY = re.compile(r"([0-9]{1,6}) (hour|day)s?", re.IGNORECASE)
_INTENTS: tuple[str, ...] = get_args(Intent)
_HOURS = {"hour": 1, "day": 24}


class Told(NamedTuple):
    """What one attribute line sets, and what is wrong with it."""

    attributes: Attributes
    defects: tuple[Defect, ...] = ()
    drafts: tuple[Draft, ...] = ()


def told(text: str, line: int) -> Told | None:
    """What a line sets; None when it is prose."""
    form = _LINE.fullmatch(text.rstrip())
    if form is None:
        return None
    word, value = form[1].casefold(), form[2]
    if word in _FENCES:
        return _fence(_FENCES[word].format(value), line)
    if word.startswith("may "):
        return _permission(word, value, line)
    match word:
        case "intent":
            return _intent(value, line)
        case "every":
            return _every(value, line)
        case "expects":
            return _expects(value, line)
        case _:
            return _after(value, line)


def _fence(sentence: str, line: int) -> Told | None:
    """`Only: GLOBS` and `Never: GLOBS` are the sentences of the same meaning."""
    read = shapes.draft(sentence, line)
    if isinstance(read, Draft):
        return Told(Attributes(), drafts=(read,))
    return Told(Attributes(), (read,)) if read.code == "bad-path" else None


def _permission(word: str, value: str, line: int) -> Told | None:
    try:
        globs = shapes.listed(value)
    except shapes.Wrong as wrong:
        fix = f"{word.capitalize()}: tests/test_import.py"
        return Told(Attributes(), (Defect(line=line, code=wrong.code, says=wrong.says, fix=fix),))
    return Told(Attributes.of({word.replace(" ", "_"): globs})) if globs else None


def _expects(value: str, line: int) -> Told | None:
    if value.casefold() in _EXPECTS:
        return Told(Attributes.of({"expects": _EXPECTS[value.casefold()]}))
    if len(value.split()) > 1:
        return None
    says = f"`{shown(value)}` is not something to expect; there are change and no-change."
    return Told(Attributes(), (_defect(line, says, "Expects: no-change"),))


def _intent(value: str, line: int) -> Told | None:
    if value.casefold() in _INTENTS:
        return Told(Attributes.of({"intent": value.casefold()}))
    if not value.isalpha():
        return None
    near = (*get_close_matches(value.casefold()[:40], _INTENTS, n=1, cutoff=0.5), "fix")[0]
    says = f"`{shown(value)}` is no intent; there are {', '.join(_INTENTS)}."
    return Told(Attributes(), (_defect(line, says, f"Intent: {near}"),))


def _every(value: str, line: int) -> Told | None:
    if not value[0].isdigit():
        return None
    form = _EVERY.fullmatch(value)
    hours = int(form[1]) * _HOURS[form[2].casefold()] if form else 0
    if 0 < hours <= LONGEST:
        return Told(Attributes(cadence=hours))
    says = f"`{shown(value)}` is not a number of hours or days, up to eleven years."
    return Told(Attributes(), (_defect(line, says, "Every: 24 hours"),))


def _after(value: str, line: int) -> Told | None:
    parts = [part.strip() for part in re.split(r",|\band\b", value)]
    goals = [_GOAL.fullmatch(part) for part in parts]
    if not any(goals):
        return None
    wrong = [part for part, found in zip(parts, goals, strict=True) if part and not found]
    ids = tuple(dict.fromkeys(goal_id(int(found[1])) for found in goals if found))
    says = f"`{shown(', '.join(wrong))}` is not the id of a goal."
    defects = (_defect(line, says, f"After: {', '.join(ids)}"),) if wrong else ()
    return Told(Attributes(depends_on=ids), defects)


def _defect(line: int, says: str, fix: str) -> Defect:
    return Defect(line=line, code="bad-attribute", says=says, fix=fix)


class Row(NamedTuple):
    """Attributes and the line that set them."""

    line: int
    attributes: Attributes


def joined(rows: Sequence[Row]) -> Told:
    """All attributes of one goal together; a single value said twice must be the same."""
    single: dict[str, Any] = {}
    many: defaultdict[str, dict[str, None]] = defaultdict(dict)
    defects: list[Defect] = []
    for row in rows:
        for key, value in row.attributes.plain().items():
            if isinstance(value, list):
                many[key] |= dict.fromkeys(cast("list[str]", value))
            elif (before := single.setdefault(key, value)) != value:
                says = f"The goal's {key} is said twice: {before}, and here {value}."
                fix = f"delete this, or the line that says {before}"
                defects.append(Defect(line=row.line, code="contradiction", says=says, fix=fix))
    lists = {key: list(values) for key, values in many.items()}
    return Told(Attributes.of(single | lists), tuple(defects))
