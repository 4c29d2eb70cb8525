"""Everything about a criterion, a goal's terms and a policy, in words, side by side.

Whoever confirms a plan must see each part of it: nothing here is summed up or left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from forsooth.core.assignment import quoted, shown
from forsooth.core.brief.globs import covers
from forsooth.core.check import Check
from forsooth.core.plan import Criterion, Fence, Goal
from forsooth.core.policy import TIERS, WEAK_RULES, Policy

_MOST = 200
_STRICT = ("feature", "fix")

Loosens = Callable[[Any, Any], bool]


class Facet(NamedTuple):
    """One part: its name, what it says, and whether going from one value to another loosens."""

    name: str
    value: Any
    told: str
    loosens: Loosens


class Turn(NamedTuple):
    """One part that differs: what it was, what it is, and whether less is asked."""

    says: str
    loosens: bool


def turns(before: Iterable[Facet], after: Iterable[Facet]) -> Iterator[Turn]:
    """What differs between two lists of the same parts."""
    for old, new in zip(before, after, strict=True):
        if old.value != new.value:
            says = f"{new.name}: {old.told or 'none'} → {new.told or 'none'}"
            yield Turn(says, new.loosens(old.value, new.value))


def criterion_facets(one: Criterion) -> tuple[Facet, ...]:
    """The parts of a criterion, its sentence and its check first."""
    mutants = tuple(f"{m.path}: {m.replace!r} by {m.by!r}" for m in one.mutants)
    return (
        Facet("claim", one.says, quoted(one.says, _MOST), _always),
        Facet("check", one.check.but(where="judge"), checked(one.check), _always),
        Facet("looked at in", one.check.where, f"the {one.check.where}", _leaves_the_judge),
        Facet("surface", one.surface, one.surface or "", _always),
        Facet("tags", one.tags, ", ".join(one.tags), _fewer),
        Facet("paths", one.paths, ", ".join(one.paths), _always),
        Facet("oracle", one.oracle, ", ".join(one.oracle), _fewer),
        Facet("must turn red", mutants, "; ".join(mutants), _fewer),
        Facet("guard", one.guard, "yes" if one.guard else "no", _always),
        Facet("hidden", one.hidden, "yes" if one.hidden else "no", _no_longer),
        Facet("by", one.by, one.by, _always),
    )


def goal_facets(one: Goal) -> tuple[Facet, ...]:
    """The parts of a goal beside its criteria."""
    cadence = one.cadence.hours if one.cadence else 0
    return (
        Facet("title", one.title, quoted(one.title, _MOST), _never),
        Facet("objective", one.objective, f"“{quoted(one.objective)}”", _never),
        Facet("intent", one.intent, one.intent, _asks_no_red),
        Facet("after", one.depends_on, ", ".join(one.depends_on) or "nothing", _never),
        Facet("fence", one.fence, fenced(one.fence), _widens),
        Facet("may change", one.may_change, ", ".join(one.may_change), _more),
        Facet("may move", one.may_move, ", ".join(one.may_move), _more),
        Facet("may remove", one.may_remove, ", ".join(one.may_remove), _more),
        Facet("expects", one.expects, one.expects, _expects_nothing),
        Facet("comes round", cadence, f"every {cadence} hours" if cadence else "", _greater),
    )


def policy_facets(one: Policy) -> tuple[Facet, ...]:
    """Every number and switch of a policy."""
    return tuple(
        Facet(
            name, value, json.dumps(value) if value is not None else "", _POLICY.get(name, _always)
        )
        for name, value in one.model_dump(mode="json").items()
    )


def checked(check: Check) -> str:
    """How something is checked: what is run, and whatever else is asked of it."""
    rest = {name: check.params[name] for name in check.params if name not in ("argv", "runner")}
    told = json.dumps(rest, ensure_ascii=False) if rest else ""
    return " ".join(part for part in (check.kind, shown(check), told) if part)


def fenced(fence: Fence) -> str:
    """A fence in words."""
    touch = f"only {', '.join(fence.touch)}" if fence.touch else "anywhere"
    return f"{touch}, never {', '.join(fence.never)}" if fence.never else touch


def _always(_: Any, __: Any) -> bool:
    """Whether less is asked cannot be told, so a person is asked to look."""
    return True


def _never(_: Any, __: Any) -> bool:
    return False


def _no_longer(before: Any, _: Any) -> bool:
    return bool(before)


def _leaves_the_judge(_: Any, after: Any) -> bool:
    return after != "judge"


def _expects_nothing(_: Any, after: Any) -> bool:
    return after == "no-change"


def _fewer(before: Any, after: Any) -> bool:
    return not set(before) <= set(after)


def _more(before: Any, after: Any) -> bool:
    return not set(after) <= set(before)


def _greater(before: Any, after: Any) -> bool:
    return after > before


def _asks_no_red(before: Any, after: Any) -> bool:
    return before in _STRICT and after not in _STRICT


def _widens(before: Fence, after: Fence) -> bool:
    """Unless every place the new fence opens was surely open before."""
    if not set(before.never) <= set(after.never):
        return True
    if not before.touch:
        return False
    return not after.touch or not all(
        any(covers(outer, inner) for outer in before.touch) for inner in after.touch
    )


def _unbounded(before: Any, after: Any) -> bool:
    return before is not None and (after is None or after > before)


_POLICY: Mapping[str, Loosens] = {
    "attempts": _greater,
    "stuck": _greater,
    "errors": _greater,
    "recoveries": _greater,
    "budget": _unbounded,
    "tags": _fewer,
    "isolation": lambda before, after: TIERS.index(after) < TIERS.index(before),
    "weak": lambda before, after: WEAK_RULES.index(after) > WEAK_RULES.index(before),
    "agents_may_seal": lambda _, after: bool(after),
    "holds": lambda before, after: after < before,
    "holds_in_a_row": lambda before, after: after < before,
    "cooldown": _greater,
}
