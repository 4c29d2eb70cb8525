"""What a person should know of a plan before they confirm it, and its own lines do not say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from forsooth.core.check import FilesParams
from forsooth.core.conflict import conflicts
from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.git.repository import Repository
from forsooth.hooks.globs import MAGIC
from forsooth.judge.checker import Look
from forsooth.judge.look import Looking
from forsooth.judge.mentions import is_code
from forsooth.judge.oracles import oracles, reading_of
from forsooth.judge.sides import Sides
from forsooth.judge.words import Spoken, resolved
from forsooth.project.neighbours import is_inside
from forsooth.project.upstream import is_within

_STARTS = re.compile(
    r"(?:ba|da|z|k)?sh|(?:python|pypy)[\d.]*|node|deno|bun|ruby|perl|php|lua|\.|source"
)


def notices(repo: Repository, plan: Plan) -> tuple[str, ...]:
    """Goals that cannot all be proven, an upstream in the agent's reach, and criteria that run a
    file of their goal's own fence.
    """
    upstream = ()
    if is_within(repo, plan):
        says = f"what is merged from {plan.upstream} after the seal counts as the agent's own work"
        upstream = (f"{says}: it is no branch of a remote, such as origin/main",)
    return (*conflicts(plan), *_unreachable(repo, plan), *upstream, *_unsealed(repo, plan))


def _unreachable(repo: Repository, plan: Plan) -> Iterator[str]:
    """Files that a criterion asks for, the base lacks, and no goal may write."""
    if plan.base.tree is None:
        return
    live = [goal for goal in plan.goals if goal.id not in plan.superseded]
    there = frozenset(Looking(repo, plan.base.tree, base=plan.base).paths())
    for goal in live:
        for criterion in goal.criteria:
            if criterion.check.kind != "files" or criterion.hidden:
                continue
            params = FilesParams.of(criterion.check.params)
            wanted = (*params.expected_paths, *(one.path for one in params.must_contain))
            for path in dict.fromkeys(wanted):
                is_plain = not MAGIC & set(path)
                if is_plain and path not in there and not is_inside(live, path):
                    yield f"{criterion.id} asks for {path}, which no goal of the plan may change"


def _unsealed(repo: Repository, plan: Plan) -> tuple[str, ...]:
    """Criteria that run a file which their goal's fence names: it is product, and not sealed."""
    if plan.base.tree is None:
        return ()
    look = Looking(repo, plan.base.tree, base=plan.base)
    live = [goal for goal in plan.goals if goal.id not in plan.superseded and goal.fence.touch]
    return tuple(
        f"{criterion.id} runs {path}, which {goal.id} may change: it proves what that file says "
        "by then"
        for goal in live
        for criterion in goal.criteria
        for path in _own(criterion, goal, look)
    )


def _own(criterion: Criterion, goal: Goal, look: Look) -> list[str]:
    """The files a criterion runs that are the goal's own to change; none that is sealed."""
    reading = reading_of(criterion, look)
    run = [path for said in reading.spoken if not said.source for path in _run(said, look)]
    named = dict.fromkeys(path for path in (*reading.files, *run) if path in goal.fence.touch)
    if not named:
        return []
    sealed, sides = oracles(criterion, look, goal=goal), Sides(look.paths())
    return [path for path in named if path not in sealed and not sides.holds(path)]


def _run(said: Spoken, look: Look) -> Iterator[str]:
    """The file of the tree that a plain command is, or that it has an interpreter read."""
    there = frozenset(look.paths())
    first, *rest = (resolved(word, said.cwd) for word in said.words)
    if first and "/" in said.words[0]:
        yield first
    if not _STARTS.fullmatch(said.program):
        return
    if "-m" in said.words[:-1]:
        name = said.words[said.words.index("-m") + 1].replace(".", "/")
        rest = [resolved(f"{name}{end}", said.cwd) for end in (".py", "/__main__.py")]
    yield from [path for path in rest if path and (path in there or is_code(path))][:1]
