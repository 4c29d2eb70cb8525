"""What is seen: checking without claiming, what the judge found to run on, and its disk.

The judge is loaded when it is asked for: every other verb starts without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from forsooth.core import command as do
from forsooth.core.actor import JUDGE
from forsooth.core.canonical import digest
from forsooth.core.ground import Ground
from forsooth.core.plan import Base, Goal, Plan
from forsooth.core.policy import Tier, confines
from forsooth.core.state import GoalState, State
from forsooth.core.verdict import Finding
from forsooth.errors import ForsoothError, UsageError
from forsooth.git.objects import base
from forsooth.git.snapshot import Snapshot, snapshot
from forsooth.project.consents import consents
from forsooth.project.memo import Memo
from forsooth.project.neighbours import (
    is_begun,
    is_inside,
    is_left_alone,
    may_have_files,
    neighbours,
    own_paths,
    proven_paths,
    without_permissions,
)
from forsooth.project.remedies import remedies
from forsooth.project.shelf import Shelf
from forsooth.project.sitting import sitting
from forsooth.project.upstream import believed

if TYPE_CHECKING:
    from forsooth.judge.environment.disk import Freed
    from forsooth.judge.environment.layers import Layers
    from forsooth.judge.environment.recipe import Recipe
    from forsooth.judge.judge import Asked, Case, Judge
    from forsooth.judge.look import Looking
    from forsooth.judge.neighbour import Neighbour
    from forsooth.judge.sandbox.job import Lack
    from forsooth.judge.seen import Seen

GIB = 1 << 30
DAY = 86400.0  # seconds between two looks at how much disk is used


class Checked(NamedTuple):
    """A look that claims nothing: what was seen, where, and what to do about each failure.

    `seq` is the last event it knows of, its own record included.
    """

    seen: Seen
    at: Snapshot
    actions: dict[str, str]
    uncommitted: tuple[str, ...] = ()
    seq: int = 0


class Survey(NamedTuple):
    """What there is to judge with, and what is missing."""

    tier: str
    notes: tuple[str, ...]
    lacks: tuple[Lack, ...]
    recipe: Recipe
    cache: Path
    tools: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    packages: tuple[Subproject, ...] = ()


class Subproject(NamedTuple):
    """One project of a repository that holds several, and those it depends on."""

    path: str
    name: str
    depends: tuple[str, ...]


class Judging(Shelf):
    """The judge, called by hand."""

    def check(
        self,
        plan: str,
        *,
        goal: str = "",
        fresh: bool = False,
        progress: Callable[[Finding], None] = lambda _: None,
    ) -> Checked:
        """Judge one goal, or every goal, at what is delivered now; findings are recorded."""
        state = self.state(plan)
        wanted = _wanted(state, goal)
        at = self._delivered(state, wanted)
        about = self._about(state, at, goal)
        memo = Memo(self.own_cache / "looks")
        known = None if fresh else memo.find(about)
        case = self._goal_case(state, wanted, at, subject=goal or "plan")._replace(fresh=fresh)
        if known:
            return self._again(state, at, known, case, progress)
        if not case.asked:
            says = f"{goal or 'the plan'} has no criterion to check"
            raise UsageError(says, hint="add criteria to the brief", code="no-criteria")
        floor, ground = state.policy.isolation, state.ground
        with self._judge(plan, floor=floor, ground=ground) as judge:
            seen = judge.judge(case, progress)
        seq = state.seq + self._record(plan, seen)
        memo.keep(about, seen)
        return Checked(seen, at, self._actions(case, seen), uncommitted(state, at), seq)

    def _about(self, state: State, at: Snapshot, goal: str) -> dict[str, object]:
        """What a look rests on: tree and history, plan and seal, and where programs are found."""
        path = state.ground.path if state.ground else os.environ.get("PATH", "")
        agreed = sorted((id_, a.seq) for one in state.live for id_, a in one.approvals.items())
        plan = state.definition
        upstream = believed(self.repo, plan, state.ground) if plan else None
        beside = [
            [n.goal.id, n.tree, n.is_open, n.begun] for n in neighbours(state, self.repo.worktree)
        ]
        rests: dict[str, object] = {"tree": at.tree, "commit": at.commit or "", "path": path}
        rests |= {"approved": agreed, "upstream": upstream, "beside": beside}
        return {**rests, "goal": goal, "plan": state.plan_digest, "sealed": state.sealed}

    def _again(
        self,
        state: State,
        at: Snapshot,
        seen: Seen,
        case: Case,
        progress: Callable[[Finding], None],
    ) -> Checked:
        """A look that was made before, told again."""
        for finding in seen.verdict.findings:
            progress(finding)
        told = self._actions(case, seen)
        return Checked(seen, at, told, uncommitted(state, at), state.seq)

    def _goal_case(
        self, state: State, wanted: tuple[GoalState, ...], at: Snapshot, *, subject: str
    ) -> Case:
        """The criteria of some goals and the suite, at what is delivered.

        How a tree is furnished is the base's to say: the work may not bring its own commands.
        """
        from forsooth.judge.judge import Case

        plan = state.plan
        return Case(
            subject=subject,
            tree=at.tree,
            asked=self.revealed(plan.id if plan else "", self._asked(state, wanted, at)),
            plan_digest=state.plan_digest,
            base=plan.base if plan else Base(),
            commit=at.commit,
            upstream=believed(self.repo, plan, state.ground) if plan else None,
            settings=self.furnishing(plan.base.commit if plan else None),
            ground=state.ground,
            consents=consents(self.repo, wanted, at.tree),
            own=own_paths(plan),
        )

    def _asked(
        self, state: State, wanted: tuple[GoalState, ...], at: Snapshot
    ) -> tuple[Asked, ...]:
        """The criteria of some goals, and the suite, with every other goal beside them.

        Where several goals are judged, one of them whose permitted files were changed after it
        was proven is beside itself: the others may not use its permissions.
        """
        from forsooth.judge.court import asked_of

        rows = neighbours(state, self.repo.worktree)
        alone = len(wanted) == 1
        frozen = {
            one.goal.id
            for one in wanted
            if not (alone or is_left_alone(self.repo, one, at) or is_begun(one))
        }
        goals = [
            without_permissions(one.goal) if one.goal.id in frozen else one.goal for one in wanted
        ]
        asked = [
            one._replace(beside=rows) if one.goal and one.goal.id in frozen else one
            for one in asked_of(goals, rows)
        ]
        ids = {goal.id for goal in goals} - frozen
        beside = tuple(one for one in rows if one.goal.id not in ids)
        suite = suite_of(state.plan, goals, beside) if state.plan else ()
        return (*asked, *suite)

    def furnishing(self, base: str | None) -> Mapping[str, Any]:
        """How trees are furnished by a base's own word; before the first commit there is none."""
        return self.settings(at=base).environment if base else {}

    def revealed(self, plan: str, asked: tuple[Asked, ...]) -> tuple[Asked, ...]:
        """Criteria as the judge needs them: what is kept from agents put in its place."""
        from forsooth.project.hiding import revealed

        return tuple(
            one._replace(criterion=revealed(self.own, plan, one.criterion))
            if one.criterion.hidden
            else one
            for one in asked
        )

    def _actions(self, case: Case, seen: Seen) -> dict[str, str]:
        return remedies(self.repo, case, _red(seen))

    def _delivered(self, state: State, wanted: tuple[GoalState, ...]) -> Snapshot:
        """What is delivered, with the new files of these goals, of those begun and of the proven,
        and with those that the allowed paths of an open goal name.

        Whatever else is not tracked may be anybody's.
        """
        goals = [one.goal for one in state.live if one in wanted or may_have_files(one)]
        proven = proven_paths(self.repo, state)
        deliver = state.plan.deliver if state.plan else "worktree"
        return snapshot(
            self.repo,
            deliver=deliver,
            fence=lambda path: path in proven or is_inside(goals, path),
        )

    @contextmanager
    def _judge(self, plan: str, *, floor: Tier, ground: Ground | None = None) -> Generator[Judge]:
        blobs = self.ledger(plan).blobs
        online = self.state(plan).policy.prepare_network
        seated = self._seated(blobs.put, blobs.get, floor=floor, ground=ground, online=online)
        with sitting(self.root / "plans" / plan), seated as judge:
            yield judge

    @contextmanager
    def loose_judge(self, floor: Tier) -> Generator[Judge]:
        """A judge without a ledger: what it keeps is gone when it is."""
        kept: dict[str, bytes] = {}

        def keep(data: bytes) -> str:
            name = digest(data)
            kept[name] = data
            return name

        with self._seated(keep, kept.__getitem__, floor=floor) as judge:
            yield judge

    @contextmanager
    def _seated(
        self,
        keep: Callable[[bytes], str],
        load: Callable[[str], bytes],
        *,
        floor: Tier,
        ground: Ground | None = None,
        online: bool = False,
    ) -> Generator[Judge]:
        from forsooth.judge.judge import Judge
        from forsooth.judge.sandbox.tiers import available

        sandbox = available(floor=floor, kept=self.cache)
        with self._layers(ground=ground, online=online) as layers:
            yield Judge(
                self.repo,
                cache=self.own_cache,
                sandbox=sandbox,
                layers=layers,
                keep=keep,
                load=load,
                workers=max(1, os.cpu_count() or 1),
            )
        self.tidy()

    def _layers(self, *, ground: Ground | None = None, online: bool = False) -> Layers:
        """Layers of what is found where it was when the plan was sealed, else where we are.

        `online` where the user's own settings give the commands of forsooth.toml a network.
        """
        from forsooth.judge.environment.layers import Layers
        from forsooth.judge.environment.prepare.step import registry_settings
        from forsooth.judge.environment.question import asking
        from forsooth.judge.environment.toolchain import Search
        from forsooth.judge.sandbox.tiers import available

        home, root = self.home, self.repo.root
        ask = asking(lambda: available(kept=self.cache), home=home, root=root)
        if ground:
            search = Search(ground.path, home, ask, None, root)
            return Layers(self.cache, search=search, settings=ground.registries, online=online)
        venv = os.environ.get("VIRTUAL_ENV", "")
        search = Search(os.environ.get("PATH", ""), home, ask, Path(venv) if venv else None, root)
        found = registry_settings(os.environ, self.home)
        return Layers(self.cache, search=search, settings=found, online=online)

    def _record(self, plan: str, seen: Seen) -> int:
        """Keep what was seen anew, so many findings; a look claims nothing, so nothing follows."""
        anew = [finding for finding in seen.verdict.findings if not finding.cached]
        for finding in anew:
            self.ask(plan, do.Record(finding=finding, tree=seen.verdict.tree), by=JUDGE)
        return len(anew)

    def sandbox_tier(self, *, floor: Tier = "none") -> Tier:
        """The sandbox that commands would run in here; an error where that is below the floor."""
        from forsooth.judge.sandbox.tiers import available

        return available(floor=floor, kept=self.cache).tier

    def confinement(self) -> tuple[str, ...]:
        """What a person is told of the sandbox and the network before commands run here."""
        online = self.settings().policy.prepare_network
        return confines(self.sandbox_tier(), prepare_network=online)

    def survey(self) -> Survey:
        """What this machine and repository give the judge, without running anything of theirs."""
        from forsooth.judge.environment.recipe import Recipe
        from forsooth.judge.judge import Case, Judge
        from forsooth.judge.sandbox.tiers import available

        sandbox = available()
        at = base(self.repo)
        with self._layers() as layers:
            judge = Judge(
                self.repo,
                cache=self.own_cache,
                sandbox=sandbox,
                layers=layers,
                keep=lambda _: "",
            )
            case = Case("plan", at.tree or "", (), "", settings=self.settings().environment)
            with judge.rooms(case) as rooms:
                recipe = rooms.recipe(at.tree) if at.tree else Recipe(kind="none")
                packages = self._packages(rooms.look(at.tree)) if at.tree else ()
            tools, lacking = layers.equipment(recipe)
        return Survey(
            sandbox.tier,
            sandbox.notes,
            sandbox.lacks,
            recipe,
            self.own_cache,
            tools,
            lacking,
            packages,
        )

    def _packages(self, look: Looking) -> tuple[Subproject, ...]:
        """The projects of a tree that holds several."""
        from forsooth.judge.environment.configured import projects
        from forsooth.judge.environment.monorepo import graph, links
        from forsooth.judge.environment.tree import Tree

        files = Tree(look.paths(), lambda path: look.read(path) or b"")
        places = projects(self.settings().environment, files)
        known = {place: links(files, place) for place in places}
        depends = graph(places, known)
        found = (Subproject(p, known[p].name, tuple(sorted(depends[p]))) for p in places)
        return tuple(found) if len(places) > 1 else ()

    def tidy(self) -> None:
        """Keep the judge's disk within its bound, looked at once a day."""
        stamp = self.cache / "tidied"
        try:
            age = self.now().timestamp() - stamp.stat().st_mtime
            if age > DAY:
                stamp.touch()
                self.gc()
        except FileNotFoundError:
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()

    def _has_live_plan(self, root: str) -> bool:
        """Whether a work tree has a plan that is not over; what cannot be read counts as one."""
        if not Path(root).is_dir():
            return False
        try:
            there = Shelf(Path(root), actor=self.actor, environment={"HOME": str(self.home)})
            return any(one.is_live for one in there.plans())
        except UsageError:
            return False
        except (ForsoothError, OSError):
            return True

    def gc(self, *, most: int = 10 * GIB) -> Freed:
        """Bring the judge's disk down to a bound; what is in use stays.

        Objects of ours are in use while any plan of the repository is live, and so is the copy of
        an environment that a plan was sealed with, in whichever repository.
        """
        from forsooth.judge.copies import parts as copies
        from forsooth.judge.environment.disk import files, free

        layers = self._layers()
        parts = list(layers.parts(needs=cache(self._has_live_plan)))
        for folder in (self.cache / "repos").glob("*"):
            parts += copies(folder / "copies")
            parts += files("findings", folder / "findings", "*/*")
        if not any(one.is_live for one in self.plans()):
            parts += files("objects", self.root / "objects", "[0-9a-f][0-9a-f]/*")
        return free(parts, most=most)


def _wanted(state: State, goal: str) -> tuple[GoalState, ...]:
    if not state.sealed:
        raise UsageError("the plan is a draft", hint="forsooth seal", code="not-sealed")
    if not goal:
        return state.live
    one = state.goals.get(goal)
    if one is None:
        says = f"the plan has no goal {goal}"
        raise UsageError(says, hint="forsooth status", code="no-such-goal")
    return (one,)


def suite_of(
    plan: Plan, goals: Sequence[Goal], beside: tuple[Neighbour, ...] = ()
) -> tuple[Asked, ...]:
    """The suite of a plan, with what some goals may change, move or remove of it."""
    from forsooth.judge.judge import Asked

    criterion = plan.kept_green
    if criterion is None:
        return ()
    whole = (
        goals[0].but(
            criteria=tuple(c for goal in goals for c in goal.criteria),
            may_change=tuple(path for goal in goals for path in goal.may_change),
            may_move=tuple(path for goal in goals for path in goal.may_move),
            may_remove=tuple(path for goal in goals for path in goal.may_remove),
        )
        if goals
        else None
    )
    return (Asked(criterion, whole, beside),)


def uncommitted(state: State, at: Snapshot) -> tuple[str, ...]:
    """Work that lies in the work tree while a branch is what counts."""
    is_branch = state.plan is not None and state.plan.deliver != "worktree"
    return at.dirty if is_branch else ()


def _red(seen: Seen) -> tuple[Finding, ...]:
    return tuple(f for f in seen.verdict.findings if f.outcome in ("fail", "error"))
