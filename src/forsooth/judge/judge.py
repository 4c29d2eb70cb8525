"""The judge: every criterion, on a clean copy the agent cannot reach, from git and runs alone.

It takes no one's word: not the claim, not the transcript, not the agent's own environment. It
records what it could not do as `error`, and an error is never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from forsooth.core.ground import Baseline, ContentPin, Ground
from forsooth.core.ids import SUITE
from forsooth.core.plan import NO_BASE, Base, Criterion
from forsooth.core.verdict import Finding, Verdict
from forsooth.errors import CouldNotVerify
from forsooth.git.repository import Repository
from forsooth.judge.cache import Findings
from forsooth.judge.called import called
from forsooth.judge.checker import Consent
from forsooth.judge.copies import Copies
from forsooth.judge.court import Asked, Court
from forsooth.judge.disbelief.smells import smells
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.pins import pins, replaced
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.evaluation import proven
from forsooth.judge.ground import SECONDS, Grounding, unrun
from forsooth.judge.look import Looking
from forsooth.judge.neighbour import Neighbour, compared
from forsooth.judge.rooms import Furnishing, History, Rooms
from forsooth.judge.sandbox.job import Sandbox
from forsooth.judge.seen import Seen
from forsooth.judge.sides import Sides
from forsooth.judge.survivors import Noticing, uncaught

RUNS = ("command", "tests", "files")
HANGING = 120.0  # of a suite whose tests are known to hold one that never ends

Standing: TypeAlias = "Future[Baseline | None]"


class Case(NamedTuple):
    """What is to be judged: a tree, where it came from, and every criterion about it.

    `full` asks for every ward, as a claim needs; without it the quick ones are run, and what was
    found before is taken again unless `fresh`. `own` are paths that are nobody's work.
    """

    subject: str
    tree: str
    asked: tuple[Asked, ...]
    plan_digest: str
    base: Base = NO_BASE
    commit: str | None = None
    upstream: str | None = None
    attempt: str | None = None
    subproject: str = ""
    settings: Mapping[str, Any] = {}
    fresh: bool = False
    full: bool = False
    ground: Ground | None = None
    consents: Mapping[str, Consent] = {}
    own: Collection[str] = ()

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """Its criteria alone."""
        return tuple(one.criterion for one in self.asked)

    @property
    def argvs(self) -> tuple[tuple[str, ...], ...]:
        """Every command of its criteria."""
        found = (one.criterion.check.params.get("argv", ()) for one in self.asked)
        return tuple(tuple(map(str, argv)) for argv in found if argv)


Progress = Callable[[Finding], None]


class Judge:
    """One repository's judge: its copies, layers and kept findings."""

    def __init__(
        self,
        repo: Repository,
        *,
        cache: Path,
        sandbox: Sandbox,
        layers: Layers,
        keep: Callable[[bytes], str],
        load: Callable[[str], bytes] | None = None,
        workers: int = 2,
    ) -> None:
        self.repo, self.sandbox, self.layers, self.keep = repo, sandbox, layers, keep
        self.load = load or _nothing
        self.copies = Copies(repo, cache / "copies")
        self.findings = Findings(cache / "findings")
        self.workers = workers

    def rooms(self, case: Case, *, live: bool = False) -> Rooms:
        """The trees of a case; `live` while no agent has worked."""
        return Rooms(
            self.repo,
            copies=self.copies,
            layers=self.layers,
            sandbox=self.sandbox,
            history=History(case.base, case.commit, case.upstream),
            furnishing=Furnishing(
                case.settings,
                case.subproject,
                case.argvs,
                live,
                case.full,
                case.criteria,
                case.base.tree or case.tree,
            ),
            workers=self.workers,
        )

    def judge(self, case: Case, progress: Progress = lambda _: None) -> Seen:
        """Reach a verdict.

        1. Look at tree and history; say how the tree is furnished.
        2. Take what was found before where nothing it rests on has changed.
        3. Prove every criterion that is left, side by side, in furnished copies.
        4. Keep the findings and combine them.
        """
        with self.rooms(case) as rooms, ThreadPoolExecutor(max_workers=1) as aside:
            look, recipe = rooms.look(case.tree), rooms.recipe(case.tree)  # 1
            named = None if case.full else aside.submit(self._environment, case, recipe, look)
            kept = {} if case.fresh or not named else self._kept(case, named.result(), look)  # 2
            for finding in kept.values():
                progress(finding)
            left = [one for one in case.asked if one.criterion.id not in kept]
            noticing: list[Noticing] | None = [] if case.full else None
            found = self._examined(case, rooms, left, progress, noticing)  # 3
            found, others = self._with_other_tools(case, rooms, found)
            how, notes, tools = self._furnished(rooms, case, left)
            flags = (*others, *self._smells(case, rooms))
            if noticing and all(finding.outcome == "pass" for finding in found):
                flags += uncaught(noticing)
            if named:
                self._remember(case, named.result(), look, found)  # 4
        findings = kept | {finding.criterion: finding for finding in found}
        verdict = Verdict(
            subject=case.subject,
            tree=case.tree,
            plan_digest=case.plan_digest,
            findings=tuple(findings[one.criterion.id] for one in case.asked),
            isolation=self.sandbox.tier,
            commit=case.commit,
            attempt=case.attempt,
            flags=flags,
        )
        return Seen(verdict, recipe, how, notes, tools)

    def ground(self, case: Case, progress: Callable[[Baseline], None] = lambda _: None) -> Ground:
        """Run every criterion on the base, before any work."""
        with self.rooms(case, live=True) as rooms:

            def stand(one: Asked, limited: Collection[Standing] = ()) -> Baseline | None:
                hangs = any(_hangs(first.result()) for first in limited)
                seconds = HANGING if hangs else SECONDS
                grounding = Grounding(rooms, case.tree, keep=self.keep, seconds=seconds)
                try:
                    return grounding.baseline(one.criterion, one.goal)
                except CouldNotVerify as error:
                    return unrun(one.criterion, error)

            seen: list[Baseline] = []
            with ThreadPoolExecutor(max_workers=self.workers) as pool:
                for each in _submitted(partial(pool.submit, stand), case.asked):
                    if one := each.result():
                        progress(one)
                        seen.append(one)
            look = rooms.look(case.tree)
            environment = self._environment(case, rooms.recipe(case.tree), look)
            pinned = self._pins(rooms, case)
        return Ground(
            tree=case.tree,
            isolation=self.sandbox.tier,
            environment=environment,
            pins=pinned,
            baselines=tuple(seen),
        )

    def _pins(self, rooms: Rooms, case: Case) -> tuple[ContentPin, ...]:
        """What the base was run with; nothing where nothing could be run."""
        if not any(one.check.kind in RUNS for one in case.criteria):
            return ()
        with suppress(CouldNotVerify):
            return pins(rooms.layer(case.tree), self.layers.cache / "pins")
        return ()

    def _with_other_tools(
        self, case: Case, rooms: Rooms, found: list[Finding]
    ) -> tuple[list[Finding], tuple[str, ...]]:
        """Findings where a tool or the layer is not the sealed one: with it, too, the base is red.

        What passes with it on the base as well is the tool's doing, and refused. The rest stands,
        and the receipt names what was replaced.
        """
        ground = case.ground
        if not case.full or ground is None or not ground.pins or not found:
            return found, ()
        with suppress(CouldNotVerify):
            if names := " and ".join(replaced(ground.pins, rooms.layer(case.tree))):
                base = Grounding(rooms, ground.tree, keep=self.keep)
                asked = {one.criterion.id: one for one in case.asked}
                rows = [
                    self._held_to_base(finding, asked[finding.criterion], base, ground, names)
                    for finding in found
                ]
                return rows, (f"{names}: changed since the seal; the base was run with it again",)
        return found, ()

    def _held_to_base(
        self, finding: Finding, asked: Asked, base: Grounding, ground: Ground, names: str
    ) -> Finding:
        before = ground.about(finding.criterion)
        if finding.outcome != "pass" or before is None or not before.counts:
            return finding
        again = base.baseline(asked.criterion, asked.goal)
        if again is None or again.red:
            return finding
        says = f"{names} changed since the seal, and with it the criterion passes on the base too"
        return finding.but(outcome="fail", code="toolchain-changed", reason=says, held=())

    def _smells(self, case: Case, rooms: Rooms) -> tuple[str, ...]:
        """What eyes should see; it decides nothing."""
        if not case.full or case.base.tree is None:
            return ()
        look, before = rooms.look(case.tree), rooms.look(case.base.tree)
        sides = Sides((*look.paths(), *before.paths()))
        return smells(
            look.changes, look, before=before, test_side=sides.holds, criteria=case.criteria
        )

    def _environment(self, case: Case, recipe: Recipe, look: Looking) -> str:
        """What names an environment here: its recipe, toolchain and platform."""
        root, calls = str(self.repo.root), called(case.criteria, look)
        try:
            return self.layers.key_of(recipe, root=root, argvs=case.argvs, called=calls)
        except CouldNotVerify:
            return recipe.key

    def _examined(
        self,
        case: Case,
        rooms: Rooms,
        left: list[Asked],
        progress: Progress,
        noticing: list[Noticing] | None,
    ) -> list[Finding]:
        if not left:
            return []
        seen = self._neighbours(case, left)
        left = [one._replace(beside=tuple(seen[n.goal.id] for n in one.beside)) for one in left]
        court = Court(
            rooms,
            case.tree,
            self.keep,
            self.load,
            base=case.base.tree,
            ground=case.ground,
            full=case.full,
            consents=case.consents,
            upstream=rooms.look(case.tree).theirs,
            noticing=noticing,
            own=case.own,
        )

        found: list[Finding] = []
        with ThreadPoolExecutor(max_workers=self.workers) as pool:
            for finding in pool.map(partial(proven, court=court), left):
                progress(finding)
                found.append(finding)
        return found

    def _neighbours(self, case: Case, left: list[Asked]) -> dict[str, Neighbour]:
        """Every other goal that is asked about, with what there is of its work in the tree."""
        every = {other.goal.id: other for one in left for other in one.beside}
        rows = compared(
            every.values(), self.repo, base=case.base.tree, tree=case.tree, commit=case.commit
        )
        return {one.goal.id: one for one in rows}

    def _furnished(
        self, rooms: Rooms, case: Case, left: list[Asked]
    ) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """How the tree was furnished, what there is to say of that, and with which programs."""
        if not any(one.criterion.check.kind in RUNS for one in left):
            with suppress(CouldNotVerify):
                return "none", (), _programs(self.layers.tools(rooms.recipe(case.tree)))
            return "none", (), ()
        try:
            layer = rooms.layer(case.tree)
        except CouldNotVerify as error:
            return "none", (error.message,), ()
        return layer.how, layer.notes, _programs(layer.tools)

    def _kept(self, case: Case, environment: str, look: Looking) -> dict[str, Finding]:
        found = {
            one.criterion.id: self.findings.find(self._key(case, one, environment, look))
            for one in case.asked
        }
        return {id_: finding for id_, finding in found.items() if finding is not None}

    def _key(self, case: Case, one: Asked, environment: str, look: Looking) -> str:
        baseline = case.ground.about(one.criterion.id) if case.ground else None
        return self.findings.key(
            one.criterion,
            one.goal,
            tree=case.tree,
            look=look,
            environment=environment,
            tier=self.sandbox.tier,
            baseline=baseline,
            beside=one.beside,
        )

    def _remember(
        self, case: Case, environment: str, look: Looking, found: Iterable[Finding]
    ) -> None:
        asked = {one.criterion.id: one for one in case.asked}
        for finding in found:
            key = self._key(case, asked[finding.criterion], environment, look)
            self.findings.keep(key, finding)


def _submitted(
    submit: Callable[[Asked, Collection[Standing]], Standing], asked: Iterable[Asked]
) -> list[Standing]:
    """Everything under way; the suite waits for what has a limit, and learns whether it ended."""
    rows = list[Standing]()
    limited = list[Standing]()
    for one in asked:
        rows.append(submit(one, (*limited,) if one.criterion.id == SUITE else ()))
        if one.criterion.check.params.get("timeout"):
            limited.append(rows[-1])
    return rows


def _hangs(found: Baseline | None) -> bool:
    return found is not None and found.red == "timeout"


def _programs(tools: Iterable[Tool]) -> tuple[str, ...]:
    return tuple(str(tool.program) for tool in tools)


def _nothing(digest: str) -> bytes:
    raise CouldNotVerify(f"the record {digest[:12]} is not kept here", code="blob-missing")
