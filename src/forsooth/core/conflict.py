"""Goals that cannot all be proven, as far as the plan alone tells.

A plan is proven when every criterion of every goal holds in one tree. So two criteria that ask the
opposite of one thing exclude each other, and so does a permission to take away what another goal's
criterion runs. What depends on the work is not looked at: a plan without conflicts may still fail.

Fences of different goals exclude nothing: what one goal was proven with is never outside another's
allowed paths. Only a permission that its own goal's fence takes back is without effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

from pydantic import ValidationError

from forsooth.core.assignment import quoted, shown
from forsooth.core.brief.globs import covers
from forsooth.core.canonical import digest_of
from forsooth.core.check import CommandParams, CommitsParams, FilesParams, Stream
from forsooth.core.plan import Criterion, Goal, Plan

_PLACE = ("argv", "cwd", "env", "files")


class _Demand(NamedTuple):
    """One thing that a criterion asks: about what, which value, and in words."""

    about: tuple[str, ...]
    value: str
    criterion: str
    says: str


def conflicts(plan: Plan) -> tuple[str, ...]:
    """Every conflict, in words; none where all goals can be proven as far as can be told."""
    goals = [goal for goal in plan.goals if goal.id not in plan.superseded]
    found = [*_opposites(goals), *_permissions(goals)]
    for goal in goals:
        found += _without_effect(goal)
    return tuple(dict.fromkeys(found))


def _opposites(goals: Iterable[Goal]) -> Iterator[str]:
    """Criteria that ask different things of the same file, command or history."""
    criteria = [c for goal in goals for c in goal.criteria if not c.hidden]
    demands = [demand for criterion in criteria for demand in _demands(criterion)]
    for one, other in combinations(demands, 2):
        if one.about == other.about and one.value != other.value:
            yield (
                f"{one.criterion} and {other.criterion} cannot both hold: "
                f"{one.says}, and {other.says}"
            )


def _demands(criterion: Criterion) -> Iterator[_Demand]:
    params, id_ = criterion.check.params, criterion.id
    try:
        match criterion.check.kind:
            case "files":
                files = FilesParams.of(params)
                wanted = [*files.expected_paths, *(one.path for one in files.must_contain)]
                for path in dict.fromkeys(wanted):
                    yield _Demand(("file", path), "there", id_, f"{path} must be there")
                for path in files.forbidden_paths:
                    yield _Demand(("file", path), "gone", id_, f"{path} must not be there")
            case "commits":
                count = CommitsParams.of(params).count
                if count is not None:
                    says = f"there must be {count} commits"
                    yield _Demand(("commits",), str(count), id_, says)
            case "command":
                yield from _command(CommandParams.of(params), criterion)
            case _:
                return
    except ValidationError:
        return


def _command(params: CommandParams, criterion: Criterion) -> Iterator[_Demand]:
    plain = params.plain()
    where = digest_of({name: plain[name] for name in _PLACE if name in plain})
    line, id_ = quoted(shown(criterion.check), 80), criterion.id
    says = f"`{line}` must exit {params.exits}"
    yield _Demand(("exit", where), str(params.exits), id_, says)
    for name, stream in (("stdout", params.stdout), ("stderr", params.stderr)):
        yield from _stream(stream or Stream(), (name, where), id_, f"{name} of `{line}`")


def _stream(stream: Stream, about: tuple[str, ...], id_: str, what: str) -> Iterator[_Demand]:
    if stream.equals is not None:
        says = f"{what} must be {quoted(stream.equals, 60)!r}"
        yield _Demand((*about, "is"), stream.equals, id_, says)
    for text in stream.has:
        yield _Demand((*about, text), "has", id_, f"{what} must have {quoted(text, 60)!r}")
    for text in stream.lacks:
        yield _Demand((*about, text), "lacks", id_, f"{what} must not have {quoted(text, 60)!r}")


def _permissions(goals: list[Goal]) -> Iterator[str]:
    """Permissions of one goal about what another goal's criterion runs."""
    for goal in goals:
        for other in goals:
            if other.id == goal.id:
                continue
            for criterion in other.criteria:
                yield from _taken(goal, other, criterion)


def _taken(goal: Goal, other: Goal, criterion: Criterion) -> Iterator[str]:
    named = list(_named(criterion))
    for what, paths in (("remove", goal.may_remove), ("move", goal.may_move)):
        for path in paths:
            if path.partition("::")[0] in named:
                yield (
                    f"{goal.id} may {what} {path}, which {criterion.id} runs: "
                    f"once it does, {other.id} cannot be proven"
                )
    if goal.id in other.depends_on or other.id in goal.depends_on or criterion.guard:
        return
    for path in goal.may_change:
        if path.partition("::")[0] in named:
            yield (
                f"{goal.id} may change {path}, which {criterion.id} runs: {criterion.id} is judged "
                f"with it as sealed until {goal.id} is proven; say `After: {goal.id}` in {other.id}"
            )


def _named(criterion: Criterion) -> Iterator[str]:
    """The files that a command names, also as modules."""
    argv: Any = criterion.check.params.get("argv", ())
    for word in map(str, argv):
        path = word.partition("::")[0].removeprefix("./")
        yield path
        if "/" not in path:
            yield f"{path.replace('.', '/')}.py"


def _without_effect(goal: Goal) -> Iterator[str]:
    """Permissions that the goal's own fence takes back."""
    lists = (("change", goal.may_change), ("move", goal.may_move), ("remove", goal.may_remove))
    for what, names in lists:
        for name in names:
            path = name.partition("::")[0]
            if "/" not in path and "." not in path:
                continue  # the name of a test alone
            barred = [glob for glob in goal.fence.never if covers(glob, path)]
            touch = goal.fence.touch
            is_plain = not set(path) & set("*?[{")
            is_out = bool(touch) and is_plain and not any(covers(glob, path) for glob in touch)
            if barred or is_out:
                why = f"never touches {barred[0]}" if barred else f"changes only {', '.join(touch)}"
                yield f"{goal.id} may {what} {path}, but {why}: the permission is without effect"
