"""A brief becomes a plan: goals and criteria get ids, and keep them when the brief is edited.

Proof is followed by id, so an id is never given twice and never moves to another claim.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from forsooth.core.amendment import keeping
from forsooth.core.brief.brief import Brief, Story
from forsooth.core.brief.draft import Defect, Draft
from forsooth.core.brief.likeness import CONTENT, content, continued
from forsooth.core.check import Check
from forsooth.core.ids import criterion_id, goal_id, number_of
from forsooth.core.plan import Base, Cadence, Criterion, Fence, Goal, Plan

_SCOPE = Check(kind="scope")
_MOST_CYCLES = 20


def compile(  # noqa: A001
    brief: Brief,
    *,
    plan_id: str,
    digest: str,
    source: str = "",
    before: Plan | None = None,
    used: Iterable[str] = (),
) -> Plan:
    """The plan asked for by a brief in which `defects` finds nothing.

    `before` is the plan it replaces and `used` any further ids that were ever given: none of them
    goes to something new. Goals that steering added to `before` stay, at the end.
    """
    taken = _Taken([*_ids(before), *used])
    names, terms = _names(brief, before, taken), brief.terms
    bound = before.fence if before else Fence()
    old = {goal.id: goal for goal in before.goals} if before else {}
    goals = [
        _goal(story, name, brief=brief, old=old.get(name), taken=taken)
        for story, name in zip(brief.stories, names, strict=True)
    ]
    goals += [
        _rebound(goal, before=bound, fence=brief.fence, taken=taken)
        for goal in _carried(before, names)
    ]
    return Plan(
        id=plan_id,
        brief_digest=digest,
        source=source,
        preamble=brief.preamble,
        fence=brief.fence,
        goals=tuple(goals),
        suite=terms.suite,
        deliver=terms.deliver or (before.deliver if before else "worktree"),
        upstream=terms.upstream or (before.upstream if before else None),
        base=before.base if before else Base(),
    )


def defects(
    brief: Brief, *, before: Plan | None = None, used: Iterable[str] = ()
) -> tuple[Defect, ...]:
    """All that is wrong with a brief, also what shows only once its goals have names."""
    names = _names(brief, before, _Taken([*_ids(before), *used]))
    stories = dict(zip(names, brief.stories, strict=True))
    needs = {goal.id: goal.depends_on for goal in _carried(before, names)}
    needs |= {name: story.attributes.depends_on for name, story in stories.items()}
    wrong = [*brief.defects]
    for name, story in stories.items():
        wrong += _unmet(name, story, known=needs)
    for loop in _loops(needs):
        says = f"{', '.join(loop)} wait for each other."
        wrong += [_about(stories[name], "cycle", says) for name in loop if name in stories][:1]
    return tuple(sorted(wrong, key=lambda defect: defect.line))


def _unmet(name: str, story: Story, *, known: Mapping[str, object]) -> Iterator[Defect]:
    for other in story.attributes.depends_on:
        if other == name:
            yield _about(story, "self-dependency", f"{name} waits for itself.")
        elif other not in known:
            says = f"{name} waits for {other[:20]}, and there is no such goal."
            near = next((f"After: {one}" for one in known if one != name), "")
            yield _about(story, "unknown-goal", says, near)


def _about(story: Story, code: str, says: str, fix: str = "") -> Defect:
    """A defect on the line that says what a story waits for."""
    line = next(item.line for item in story.items if item.attributes.depends_on)
    return Defect(line=line, code=code, says=says, fix=fix or "delete this line")


def _loops(needs: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Goals that wait for each other, one loop after another; some when there are very many."""
    left = {name: [one for one in on if one != name] for name, on in needs.items()}
    for _ in range(_MOST_CYCLES):
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            loop = sorted(set[str](error.args[1]))
            yield loop
            left[loop[0]] = []
        else:
            return


def _ids(before: Plan | None) -> Iterator[str]:
    for goal in before.goals if before else ():
        yield goal.id
        yield from (criterion.id for criterion in (*goal.entry, *goal.criteria))


def _carried(before: Plan | None, names: Sequence[str]) -> tuple[Goal, ...]:
    """The goals that steering added and the brief does not name.

    A goal of the brief that is gone is no longer waited for: it will never be proven.
    """
    goals = before.goals if before else ()
    named = set(names)
    kept = [goal for goal in goals if goal.is_steered and goal.id not in named]
    known = named.union(goal.id for goal in kept)
    return tuple(
        goal.but(depends_on=tuple(id_ for id_ in goal.depends_on if id_ in known)) for goal in kept
    )


def _names(brief: Brief, before: Plan | None, taken: _Taken) -> list[str]:
    """An id for every story: that of the old goal it continues, else the next one never given."""
    found = continued(brief.stories, before.goals if before else ())
    return [found.get(at) or goal_id(taken.next("G")) for at in range(len(brief.stories))]


def _rebound(goal: Goal, *, before: Fence, fence: Fence, taken: _Taken) -> Goal:
    """A goal that was bound by the preamble's old fence, bound by the new one."""
    if goal.fence != before or before == fence:
        return goal
    rest = tuple(c for c in goal.criteria if c.check != _SCOPE or c.says != before.says)
    held = keeping(fence, criterion_id(goal.id, taken.next(f"{goal.id}.C")))
    return goal.but(fence=fence, criteria=(*rest, *held))


def _goal(story: Story, name: str, *, brief: Brief, old: Goal | None, taken: _Taken) -> Goal:
    said = story.attributes
    spoken = {draft.says for draft in story.drafts}
    drafts = [*story.drafts, *(draft for draft in brief.drafts if draft.says not in spoken)]
    if said.touch or said.never:
        fence = Fence(touch=said.touch, never=said.never)
        drafts.append(Draft(line=story.line, says=fence.says, check=_SCOPE))
    entry = [draft for draft in drafts if draft.entry]
    rest = [draft for draft in drafts if not draft.entry]
    return Goal(
        id=name,
        title=story.title,
        objective=story.objective,
        intent=said.intent or "feature",
        depends_on=said.depends_on,
        fence=_fence(story, brief),
        may_change=said.may_change,
        may_move=said.may_move,
        may_remove=said.may_remove,
        expects=said.expects or "change",
        entry=_criteria(entry, name, old=old.entry if old else (), taken=taken, entry=True),
        criteria=_criteria(rest, name, old=old.criteria if old else (), taken=taken),
        cadence=Cadence(hours=said.cadence) if said.cadence else None,
    )


def _fence(story: Story, brief: Brief) -> Fence:
    """A goal's own `touch` narrows the preamble's; what may never be touched adds up."""
    own = [*story.attributes.touch, *(glob for draft in story.drafts for glob in draft.touch)]
    outer = brief.fence
    never = [*outer.never, *(glob for draft in story.drafts for glob in draft.never)]
    never += story.attributes.never
    return Fence(touch=tuple(dict.fromkeys(own or outer.touch)), never=tuple(dict.fromkeys(never)))


def _criteria(
    drafts: Sequence[Draft],
    goal: str,
    *,
    old: Sequence[Criterion],
    taken: _Taken,
    entry: bool = False,
) -> tuple[Criterion, ...]:
    """The criteria of a goal: an old one with the same content stays as it was, id and all."""
    left: defaultdict[str, deque[Criterion]] = defaultdict(deque)
    for criterion in old:
        left[content(criterion)].append(criterion)
    found: list[Criterion] = []
    for draft in drafts:
        same = left[content(draft)]
        found.append(same.popleft() if same else _criterion(draft, goal, taken, entry=entry))
    return (*found, *(one for some in left.values() for one in some if one.by == "agent"))


def _criterion(draft: Draft, goal: str, taken: _Taken, *, entry: bool) -> Criterion:
    number = taken.next(criterion_id(goal, 0, entry=entry)[:-1])
    claim = {name: getattr(draft, name) for name in CONTENT}
    return Criterion(id=criterion_id(goal, number, entry=entry), **claim)


class _Taken:
    """The highest number given under each stem (`G`, `G001.C`), so that none is given twice."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._highest: dict[str, int] = {}
        for name in ids:
            stem = name.rstrip("0123456789")
            self._highest[stem] = max(number_of(name), self._highest.get(stem, 0))

    def next(self, stem: str) -> int:
        number = self._highest.get(stem, 0) + 1
        self._highest[stem] = number
        return number
