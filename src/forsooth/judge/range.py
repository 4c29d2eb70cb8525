"""Two trees of a repository compared by their own suite, with no plan.

The verdict is capped at `clean`: without criteria no one said what was wanted, so nothing is
proven. What cannot be run is reported as not run, with what reading alone shows; it is never taken
for what is wrong, nor for clean.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

from forsooth.core.call import call_of
from forsooth.core.check import CommandParams, TestsParams
from forsooth.errors import CouldNotVerify
from forsooth.git.trees import SUBMODULE, Change
from forsooth.judge import settings
from forsooth.judge.branch.around import (
    around,
    is_prose,
    is_settings,
    is_words,
    packages,
    touches_runner,
)
from forsooth.judge.branch.pairing import Found, Texts, paired
from forsooth.judge.branch.reading import read_tests
from forsooth.judge.branch.remarks import GREEN, RED, Branch, Remark, Runs, is_place, remarks
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.checks.trial import Trial
from forsooth.judge.disbelief.bodies import hollow
from forsooth.judge.disbelief.smells import smells
from forsooth.judge.environment.difference import between
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.tree import Tree
from forsooth.judge.look import Looking
from forsooth.judge.place import Furnished
from forsooth.judge.reports.report import Report
from forsooth.judge.rooms import Rooms, Trying
from forsooth.judge.sandbox.job import Limits
from forsooth.judge.sides import Sides

SECONDS = 1800.0
COMPILED = ("go", "cargo", "maven")
NOTHING = Report((), complete=True)
RANKS = ("wrong", "look", "note")
MOST_RUNS = 7  # both ends, once more, the old tests twice, the new ones, and emptied functions
NO_SUITE = "no test suite was recognised"
NAME_IT = 'name it in forsooth.toml and commit that: environment.test = "make test"'
Outcome = Literal["fail", "inconclusive", "clean"]


class Step(NamedTuple):
    """Where a comparison is: a run that begins, or one that ended with its time and tests.

    Run 0 is what comes before the first.
    """

    project: str
    run: int
    what: str
    took: float | None = None
    tests: int = 0


Tell = Callable[[Step], None]


class Reach(NamedTuple):
    """The changed paths that may decide how one project's tests end, and those that are its own."""

    paths: frozenset[str]
    own: frozenset[str]


class Compared(NamedTuple):
    """One sub-project at both ends. `trouble` is why it could not be run, when it could not."""

    project: str
    remarks: tuple[Remark, ...]
    argv: tuple[str, ...] = ()
    kind: str = ""
    before: int = 0
    after: int = 0
    runs: int = 0
    took: float = 0.0
    trouble: CouldNotVerify | None = None

    @property
    def outcome(self) -> Outcome:
        """Wrong is a failure; what could not be run is neither that nor clean."""
        if any(one.rank == "wrong" for one in self.remarks):
            return "fail"
        return "inconclusive" if self.trouble else "clean"

    @property
    def code(self) -> str:
        """Why it is no pass."""
        if self.outcome == "fail":
            return next(one.code for one in self.remarks if one.rank == "wrong")
        return self.trouble.code if self.trouble else "weak-contract"


class Comparison:
    """The runs of one sub-project, each made once and only when something asks for it."""

    def __init__(
        self,
        rooms: Rooms,
        base: str,
        head: str,
        *,
        reach: Reach | None = None,
        tell: Tell = lambda _: None,
    ) -> None:
        self.rooms, self.base, self.head, self.tell = rooms, base, head, tell
        self.before, self.after = rooms.look(base), rooms.look(head)
        every = self.after.changes
        self.changes = tuple(c for c in every if not reach or c.path in reach.paths)
        self.own = tuple(c for c in every if not reach or c.path in reach.own)
        self.sides = Sides((*self.before.paths(), *self.after.paths()))
        self.runs, self.took = 0, 0.0

    @property
    def is_prose(self) -> bool:
        """Whether only words changed, so that there is nothing to run."""
        return is_prose(self.changes, self.after)

    def compared(self, *, barred: CouldNotVerify | None = None) -> Compared:
        """Compare; with `barred` nothing may be run, and only what reading shows is reported.

        1. Words alone need no run. 2. What changed around the tests. 3. The suite at both ends.
        4. Its tests paired, crossed and emptied where that can tell something. 5. What reading
        shows of tests that no run reported. 6. Worst first.
        """
        if self.is_prose:  # 1
            note = Remark("note", "prose", "", "only words changed: there is nothing to run")
            return self._told((note,) if self.own else ())
        recipe, tests = None, ()
        about = list(self._around())  # 2
        trouble = barred
        try:
            recipe = self.rooms.recipe(self.head)
            about += self._environment()
            if trouble is None and recipe.test_command is None:
                trouble = CouldNotVerify(NO_SUITE, hint=NAME_IT, code="no-suite")
            tests = () if trouble else tuple(self._tests())
        except CouldNotVerify as error:
            trouble = barred or error
        return self._told((*tests, *about, *self._read()), recipe, trouble=trouble)

    def _told(
        self,
        found: Iterable[Remark],
        recipe: Recipe | None = None,
        *,
        trouble: CouldNotVerify | None = None,
    ) -> Compared:
        ranked = tuple(sorted(found, key=lambda one: RANKS.index(one.rank)))  # 6
        counts = tuple(len(r.tests) if r else 0 for r in self._ends) if self._ends else (0, 0)
        return Compared(
            self.rooms.furnishing.subproject,
            ranked,
            (recipe.test_command or ()) if recipe else (),
            recipe.kind if recipe else "",
            *counts,
            runs=self.runs,
            took=self.took,
            trouble=trouble,
        )

    _ends: tuple[Report | None, Report | None] | None = None

    def _around(self) -> Iterator[Remark]:
        yield from around(self.own, self.before, self.after)
        product = tuple(c for c in self.own if not self.sides.holds(c.path))
        for flag in smells(product, self.after, before=self.before, test_side=self.sides.holds):
            yield Remark("look", "smell", flag)

    def _environment(self) -> Iterator[Remark]:
        was, now = self.rooms.recipe(self.base), self.rooms.recipe(self.head)
        yield from packages(between(_files(self.before), _files(self.after), before=was, after=now))
        if was.test_command != now.test_command:
            old, new = (shlex.join(one.test_command or ("none",)) for one in (was, now))
            yield Remark("look", "runner", "the test command", f"{old} → {new}")

    def _read(self) -> Iterator[Remark]:
        tests = self._tested
        changed = [c for c in self.own if self.sides.holds(c.path) or c.path.endswith(".rs")]
        ran = frozenset((found.path, found.name) for found in tests if found)
        mixed = frozenset(c.path for c in changed if not self.sides.holds(c.path))
        yield from read_tests(changed, self.before, self.after, ran=ran, mixed=mixed)  # 5

    _tested: tuple[Found | None, ...] = ()

    def _tests(self) -> Iterator[Remark]:
        was, now = self._both()  # 3
        self._ends = (was.told, now.told)
        yield from endings(was, now)
        if now.told is None:
            return
        told = was.told or NOTHING
        changed = [c for c in self.own if self.sides.holds(c.path) or c.path.endswith(".rs")]
        old = Texts(self.before, [c.path for c in changed if c.status != "A"])
        new = Texts(self.after, [c.path for c in changed if c.status != "D"])
        before, after = ([t.id for t in r.tests if not is_place(t)] for r in (told, now.told))
        pairs = paired(before, after, old=old, new=new)
        self._tested = (*map(old.of, before), *map(new.of, after))
        places = tuple(test.id for test in now.told.tests if is_place(test))
        pairs = pairs._replace(new=(*pairs.new, *places))
        runs = self._crossed(Runs(told, now.told), list(pairs.new))  # 4
        paths = frozenset(self.after.paths())
        branch = Branch(runs, pairs, old, new, paths, product=bool(self._product()))
        yield from remarks(branch)

    def _both(self) -> tuple[Trial, Trial]:
        """The suite at both ends, side by side; layers are made one after the other before."""
        place = self.rooms.furnishing.subproject
        for tree, end in ((self.base, "base"), (self.head, "branch")):
            self.tell(Step(place, 0, f"the environment of the {end}"))
            self.rooms.layer(tree)
        named = ((self.base, "the suite on the base"), (self.head, "the suite on the branch"))
        with ThreadPoolExecutor(max_workers=2) as pool:
            ends = [pool.submit(self._tried, tree, tree, what) for tree, what in named]
            first, second = (end.result() for end in ends)
        return first, second

    def _crossed(self, runs: Runs, new: list[str]) -> Runs:
        """Further runs, each only where its answer could matter."""
        green = {test.id for test in runs.before.tests if test.outcome in GREEN}
        if any(test.outcome in RED and test.id in green for test in runs.after.tests):
            runs = runs._replace(again=self._tried(self.head, self.head, "once more").told)
        product, side = self._product(), self._side()
        if not product or not side:
            return runs
        if any(change.status != "A" or self._is_setting(change) for change in side):
            was = self._restored(side)
            what = "the old tests on the new code"
            runs = runs._replace(old_over_new=self._over(self.head, was, what))
            if _fell(runs):
                again = self._over(self.head, was, f"{what} once more")
                runs = runs._replace(old_over_new=steady(runs.old_over_new, again))
        if new or _fell(runs):
            what = "the new tests on the old code"
            runs = runs._replace(new_over_old=self._over(self.base, self._delivered(side), what))
        if new and runs.new_over_old and _all_green(runs.new_over_old, new):
            emptied = self._emptied(product)
            if emptied:
                what = "with the changed functions emptied"
                runs = runs._replace(stubbed=self._over(self.head, emptied, what))
        return runs

    def _over(self, tree: str, edits: Edits, what: str) -> Report | None:
        try:
            return self._tried(self.rooms.edited(tree, edits), self.head, what).told
        except CouldNotVerify:
            return None

    def _tried(self, tree: str, like: str, what: str) -> Trial:
        recipe = self.rooms.recipe(like)
        place = self.rooms.furnishing.subproject
        params = suite(recipe, cwd=place)
        self.runs += 1
        step = Step(place, self.runs, what)
        self.tell(step)
        done = Trying(self.rooms, params, like=like, seconds=SECONDS).tried(tree)
        self.took += done.ran.took
        tests = len(done.told.tests) if done.told else 0
        self.tell(step._replace(took=done.ran.took, tests=tests))
        return done

    def _is_setting(self, change: Change) -> bool:
        path = change.path
        shared = settings.is_merged(path) and touches_runner(path, self.before, self.after)
        return is_settings(path) or shared

    def _side(self) -> tuple[Change, ...]:
        return tuple(c for c in self.changes if self.sides.holds(c.path) or self._is_setting(c))

    def _product(self) -> tuple[Change, ...]:
        aside = (is_settings, is_words, self.sides.holds)
        return tuple(c for c in self.changes if not any(one(c.path) for one in aside))

    def _restored(self, side: Iterable[Change]) -> Edits:
        """The test side as it was; of shared files only the runner's own sections."""
        made: dict[str, Edit | None] = {}
        for change in side:
            was = self.before.read(change.path)
            now = self.after.read(change.path)
            if SUBMODULE in (change.old_mode, change.new_mode):
                continue
            if was is None:
                if not settings.is_merged(change.path):
                    made[change.path] = None
            elif settings.is_merged(change.path) and now is not None:
                made[change.path] = Edit(settings.merged(change.path, was, now), change.new_mode)
            else:
                made[change.path] = Edit(was, change.old_mode)
        return made

    def _delivered(self, side: Iterable[Change]) -> Edits:
        made: dict[str, Edit | None] = {}
        for change in side:
            now = self.after.read(change.path)
            if SUBMODULE in (change.old_mode, change.new_mode):
                continue
            if not settings.is_merged(change.path):
                made[change.path] = None if now is None else Edit(now, change.new_mode)
        return made

    def _emptied(self, product: Iterable[Change]) -> Edits:
        made: dict[str, Edit | None] = {}
        for change in product:
            now = self.after.read(change.path)
            if now is None or not change.new_mode.startswith("100"):
                continue
            was = self.before.read(change.path) if change.status != "A" else None
            bare = hollow(change.path, was, now)
            if bare is not None:
                made[change.path] = Edit(bare, change.new_mode)
        return made


def suite(recipe: Recipe, *, cwd: str) -> TestsParams | CommandParams:
    """The detected suite as it is run here: to its end, whatever fails on the way."""
    argv, runner = recipe.test_command or (), recipe.runner or ""
    if recipe_of(runner) is None:
        return CommandParams(argv=argv, cwd=cwd)
    call = call_of(argv, runner)
    if runner == "pytest" and call.at is not None:
        argv = call.ending("--continue-on-collection-errors", "--maxfail=0")
    return TestsParams(argv=argv, runner=runner, cwd=cwd)


def warm(rooms: Rooms, base: str) -> None:
    """Let a run of the base fill the caches of what is built, once; judged runs only read them."""
    recipe = rooms.recipe(base)
    if recipe.kind not in COMPILED or recipe.test_command is None:
        return
    layer = rooms.layer(base)
    if rooms.layers.warm.is_warm(layer):
        return
    commit = rooms.history.commit
    with rooms.layers.filling(layer) as own, rooms.copies.at(base, dress=commit) as copy:
        place = Furnished(copy, own, root=rooms.root, sandbox=rooms.sandbox, limits=Limits())
        place.run(
            suite(recipe, cwd=rooms.furnishing.subproject).argv,
            seconds=SECONDS,
            cwd=rooms.furnishing.subproject,
        )


def endings(was: Trial, now: Trial) -> Iterator[Remark]:
    """What the runs as a whole say where no single test says it.

    1. A base that cannot be run leaves nothing to compare with. 2. A branch that cannot be run is
    no failure where its base could not either. 3. Else the ending counts, unless it was the same.
    """
    before, end = was.end, now.end
    if before and was.told is None and before.code != "no-tests":
        yield Remark("look", "base", "the suite", f"not to be compared: {before.reason}")  # 1
    if end is None:
        if now.told is None:
            yield Remark("note", "exit-only", "the suite", "only its exit status can be read")
        return
    if now.told and now.told.red:
        return
    if not end.fail and before and before.code != "no-tests":
        raise CouldNotVerify(end.reason, code=end.code)  # 2
    same = before is not None and before.code == end.code
    says = f"as before: {end.reason}" if same else f"passed before: {end.reason}"
    yield Remark("look" if same else "wrong", end.code, "the suite", says)  # 3


def _fell(runs: Runs) -> bool:
    """Whether an old test does not hold over the new product."""
    green = {test.id for test in runs.before.tests if test.outcome in GREEN}
    crossed = runs.old_over_new
    return crossed is not None and any(
        test.outcome in RED and test.id in green for test in crossed.tests
    )


def steady(first: Report | None, again: Report | None) -> Report | None:
    """A run in which only that is red which was red twice: luck accuses nobody."""
    if first is None or again is None:
        return first
    held = {test.id: test for test in again.tests if test.outcome in GREEN}
    return first._replace(
        tests=tuple(held.get(t.id, t) if t.outcome in RED else t for t in first.tests)
    )


def _all_green(report: Report, ids: Iterable[str]) -> bool:
    green = {test.id for test in report.tests if test.outcome in GREEN}
    return all(id_ in green for id_ in ids)


def _files(look: Looking) -> Tree:
    return Tree(look.paths(), lambda path: look.read(path) or b"")
