"""The base, run before any work: what is red and why, and what each criterion rests on.

Red is typed, since a test that cannot be found shows less than one that fails, and one that could
not be run shows nothing. What is green here becomes a guard. Nothing here looks at any work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Literal, NamedTuple

from forsooth.core.call import call_of
from forsooth.core.check import CommandParams, TestsParams
from forsooth.core.ground import BRIEF, Baseline, Red
from forsooth.core.ids import SUITE
from forsooth.core.plan import Criterion, Goal
from forsooth.errors import CouldNotVerify
from forsooth.judge import checks
from forsooth.judge.announced import admitted, announced
from forsooth.judge.checker import Context, Look
from forsooth.judge.checks.recipes import RECIPES, recipe_of
from forsooth.judge.checks.recipes.recipe import Asked, Order, once_more, twice
from forsooth.judge.checks.tests import reporting
from forsooth.judge.checks.trial import Trial
from forsooth.judge.disbelief.inventory import Sealed, sealed
from forsooth.judge.disbelief.repeat import alike, seeded
from forsooth.judge.novelty import is_new
from forsooth.judge.oracles import BESIDE, EMPTY, REPORTED, SETTINGS, oracles, roles, tested_within
from forsooth.judge.parts import Part, parts
from forsooth.judge.reports.report import Report
from forsooth.judge.rooms import Params, Rooms, Trying

SECONDS = 600.0
QUICK = 30.0  # a base run shorter than this is made twice, so that what does not last shows
NOT_RUN = ("environment", "not-run", "not-found", "unknown-runner", "runner-hidden", "bad-cwd")
UNBUILT = ("collection", "errors")
_WORDS = {
    "pytest": re.compile(r"\b(?:pytest|py\.test)\b"),
    "unittest": re.compile(r"\bunittest\b"),
    "vitest": re.compile(r"\bvitest\b"),
    "jest": re.compile(r"\bjest\b"),
    "mocha": re.compile(r"\bmocha\b"),
    "node": re.compile(r"\bnode\b[^\n]*--test\b"),
    "go": re.compile(r"\bgo\s+test\b"),
    "cargo": re.compile(r"\bcargo\s+(?:t|test)\b"),
}
_NO_TESTS = (SETTINGS, EMPTY, BESIDE)
_BUILDING = frozenset({"go", "cargo", "nextest"})
_NO_SUCH_TEST = 4  # pytest's exit for an argument it cannot find
_PATH = re.compile(
    r"(?:[\w.@+-]+/)+[\w.@+-]+|[\w@+-][\w.@+-]*\.(?:py|sh|bats|js|mjs|cjs|ts|tsx|rs)"
)
_TIMES = re.compile(
    rb"\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?|\b\d+(?:\.\d+)?\s?(?:[num]?s|seconds?)\b"
)


Strain = Literal["another order", "one copy twice"]


class Record(NamedTuple):
    """What a criterion rests on, as kept beside the ledger.

    `withstands` are the ways of running it that end the same on the base: only those may be asked
    of the work. `written` are the oracles that the base's runs wrote themselves. `within` names
    product that holds tests of itself, `parts` the scripts of a red suite that were green,
    `announced` what a plain script said that it found right, `admitted` what wrong, and failed by.
    `because` says of each oracle why it is one.
    """

    tests: Sealed | None
    oracles: tuple[str, ...]
    patched: tuple[str, ...] = ()
    withstands: tuple[Strain, ...] = ()
    written: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    announced: tuple[str, ...] = ()
    admitted: tuple[str, ...] = ()
    because: tuple[str, ...] = ()

    @property
    def test_files(self) -> tuple[str, ...]:
        """The oracles that hold the tests which are run: those the runner reports, where it does.

        Settings and empty files are none, nor is what only lies beside tests yet to be written.
        """
        reasons = self.because or ("",) * len(self.oracles)
        rows = tuple(zip(self.oracles, reasons, strict=True))
        reported = tuple(path for path, because in rows if because == REPORTED)
        return reported or tuple(path for path, because in rows if because not in _NO_TESTS)

    def sealed_files(self) -> tuple[tuple[str, str], ...]:
        """Each file with the reason for it; of product that tests itself only its tests are."""
        own = ((path, "it holds tests of itself: those alone") for path in self.within)
        return (*zip(self.oracles, self.because, strict=True), *own)

    def side(self, argv: Iterable[str]) -> frozenset[str]:
        """What may be broken to see whether it is looked at; examples of product only as such."""
        return frozenset((*self.oracles, *(self.within if "doctest" in argv else ())))

    def dumped(self) -> bytes:
        """The record as bytes."""
        tests = json.loads(self.tests.dumped()) if self.tests else None
        rows = {**self._asdict(), "tests": tests}
        return json.dumps(rows, sort_keys=True, separators=(",", ":")).encode()

    @staticmethod
    def loaded(data: bytes) -> Record:
        """The record out of its bytes."""
        rows = json.loads(data)
        tests = rows["tests"]
        return Record(
            Sealed.loaded(json.dumps(tests).encode()) if tests is not None else None,
            tuple(rows["oracles"]),
            tuple(rows["patched"]),
            tuple(rows["withstands"]),
            tuple(rows.get("written", ())),
            tuple(rows.get("within", ())),
            tuple(Part(tuple(argv), cwd, path) for argv, cwd, path in rows.get("parts", ())),
            tuple(rows.get("announced", ())),
            tuple(rows.get("admitted", ())),
            tuple(rows.get("because", ())),
        )


class Again(NamedTuple):
    """A second look at the base, what it withstood, which files it wrote, and how long it took."""

    told: Report | None
    withstands: tuple[Strain, ...]
    written: Collection[str] = ()
    took: float | None = None
    announced: frozenset[str] = frozenset()


class Grounding:
    """Runs criteria on the base tree; `seconds` is the limit of one that has none of its own."""

    def __init__(
        self, rooms: Rooms, tree: str, *, keep: Callable[[bytes], str], seconds: float = SECONDS
    ) -> None:
        self._rooms, self._tree, self._keep, self._seconds = rooms, tree, keep, seconds

    def baseline(self, criterion: Criterion, goal: Goal | None) -> Baseline | None:
        """One criterion on the base; none for what can only be asked of work."""
        kind = criterion.check.kind
        if kind in ("commits", "scope"):
            return None
        if kind == "approval":
            return Baseline(criterion=criterion.id, red="absent", code="awaiting-approval")
        if kind in ("command", "tests"):
            return self._ran(criterion, goal)
        return self._looked(criterion, goal)

    def _looked(self, criterion: Criterion, goal: Goal | None) -> Baseline:
        """A kind that is only looked at, or runs as a whole."""
        with self._rooms.bare(self._tree) as place:
            look = self._rooms.look(self._tree)
            ctx = Context(criterion, goal, place, look, self._keep, self._seconds)
            found = checks.judged(ctx)
        red: Red | None = "assertion" if found.outcome == "fail" else "environment"
        return Baseline(
            criterion=criterion.id,
            red=None if found.outcome == "pass" else red,
            code=found.code,
            reason=found.reason,
            took=found.took,
        )

    def _ran(self, criterion: Criterion, goal: Goal | None) -> Baseline:
        """Run it, twice where that is quick, and keep what it rests on.

        1. Find who reports inside, also behind a wrapper. 2. Type what is red. 3. A second run
        shows which names and outcomes do not last. 4. Keep tests and oracles.
        """
        params, look = params_of(criterion), self._rooms.look(self._tree)
        try:
            params, first = self._first(criterion, params, look, goal)  # 1
        except CouldNotVerify as error:
            return unrun(criterion, error)
        red = red_of(first, params, look)  # 2
        told = first.told
        kept: Sealed | None = None
        again = Again(None, ())
        if told is not None and isinstance(params, TestsParams):
            again = self._again(params, first, look)  # 3
            kept = sealed(told, again.told or told)
        elif red in ("assertion", "exit", None) and first.ran.took < BRIEF:
            again = self._once_more(params, first)
        names = [test.id for test in told.tests] if told else []
        why = roles(criterion, look, goal=goal, tests=names)
        why |= {path: EMPTY for path in why if not (look.read(path) or b"").strip()}
        if is_new(criterion, look, [*kept.tests] if kept else None):
            why = dict.fromkeys(why, BESIDE)
        rests = tuple(why)
        odd = (*told.patched, *told.inside) if told else ()
        wrote = {*(first.ran.written or ()), *again.written}
        wrote &= {*rests}
        within = tested_within(criterion, look, tests=names, rests=rests)
        held = self._held(criterion, look, rests) if red and not names else ()
        tried = () if told else tuple(sorted(announced(first.ran.stdout) & again.announced))
        wrong = tuple(sorted(admitted(first.ran.stdout))) if red and not told else ()
        record = Record(
            kept, rests, odd, again.withstands, tuple(sorted(wrote)), within, held, tried, wrong
        )._replace(because=tuple(why.values()))
        return Baseline(
            criterion=criterion.id,
            red=red,
            code=first.end.code if first.end else "pass",
            reason=first.end.reason if first.end else "",
            took=round(min(first.ran.took, again.took or first.ran.took) * 1000),
            runner=params.runner if isinstance(params, TestsParams) else "",
            tests=len(names),
            oracles=len(record.test_files) + len(record.within),
            record=self._keep(record.dumped()),  # 4
        )

    def _held(self, criterion: Criterion, look: Look, rests: Collection[str]) -> tuple[Part, ...]:
        """The scripts of a suite that pass by themselves."""
        if criterion.id != SUITE:
            return ()
        given = params_of(criterion)

        def passes(part: Part) -> bool:
            alone = CommandParams(argv=part.argv, cwd=part.cwd, env=given.env)
            return self._trying(alone).tried(self._tree).passed

        return tuple(part for part in parts(criterion, look, rests) if passes(part))

    def _first(
        self, criterion: Criterion, params: Params, look: Look, goal: Goal | None
    ) -> tuple[Params, Trial]:
        if isinstance(params, CommandParams):
            for runner in hidden_runners(params, look, oracles(criterion, look, goal=goal)):
                inner = behind(params, runner)
                tried = self._trying(inner).tried(self._tree)
                if tried.told and tried.told.tests:
                    return inner, tried
        return params, self._trying(params).tried(self._tree)

    def _again(self, params: TestsParams, first: Trial, look: Look) -> Again:
        """Once more with another seed, in another order if that ends the same, and in one copy."""
        recipe = recipe_of(params.runner)
        order = reporting(params, look, recipe) if recipe else None
        if recipe is None or order is None or _once_built(first, params.runner) > QUICK:
            return Again(None, ())
        trying, strains = self._trying(params), list[Strain]()
        last: Report | None = None
        took = [first.ran.took]
        if recipe.turned:
            asked = Asked(call_of(params.argv, params.runner), params.env, look)
            turned = recipe.turned(asked, 0)
            tried = trying.tried(self._tree, order=seeded(turned, 0))
            took.append(tried.ran.took)
            if alike(first, tried):
                last = tried.told
            if last and _shows_anything(last):
                strains.append("another order")
        if last is None:
            tried = trying.tried(self._tree, order=seeded(order, 0))
            took.append(tried.ran.took)
            last = tried.told
        if min(took) < BRIEF and alike(first, trying.tried(self._tree, order=twice(order))):
            strains.append("one copy twice")
        return Again(last, tuple(strains), trying.written, min(took))

    def _once_more(self, params: Params, first: Trial) -> Again:
        """A second run in one copy: whether what the check itself leaves behind changes its end."""
        trying = self._trying(params)
        ran = trying.tried(self._tree, order=once_more(Order(params.argv))).ran
        same = ran.exit == first.ran.exit and _timeless(ran.stdout) == _timeless(first.ran.stdout)
        strains: tuple[Strain, ...] = ("one copy twice",) if same else ()
        return Again(None, strains, trying.written, announced=announced(ran.stdout))

    def _trying(self, params: Params) -> Trying:
        return Trying(
            self._rooms,
            params,
            like=self._tree,
            seconds=params.timeout or self._seconds,
            watched=self._rooms.look(self._tree).paths(),
        )


def _timeless(said: bytes) -> bytes:
    """What was printed without dates, times and durations."""
    return _TIMES.sub(b"#", said)


def _shows_anything(told: Report) -> bool:
    """Whether a test passed: where all are red, it cannot show that they bear another order."""
    return told.counts["passed"] > 0


def _once_built(first: Trial, runner: str) -> float:
    """How long a further run takes, as far as the first tells: building is done by then."""
    if runner not in _BUILDING or first.told is None:
        return first.ran.took
    return min(first.ran.took, sum(test.seconds for test in first.told.tests))


def unrun(criterion: Criterion, error: CouldNotVerify) -> Baseline:
    """A criterion that could not be run on the base."""
    return Baseline(
        criterion=criterion.id, red="environment", code=error.code, reason=error.message
    )


def params_of(criterion: Criterion) -> Params:
    """The parameters of a criterion that runs something."""
    kind = TestsParams if criterion.check.kind == "tests" else CommandParams
    return kind.of(criterion.check.params)


def behind(params: CommandParams, runner: str) -> TestsParams:
    """A command asked for the report of the runner it calls somewhere inside."""
    given = {name: getattr(params, name) for name in TestsParams.model_fields if name != "runner"}
    return TestsParams(runner=runner, **given)


def hidden_runners(params: CommandParams, look: Look, rests: Iterable[str]) -> Iterator[str]:
    """Runners that a command may call, by what its argv and the files it names say."""
    if params.exits or params.stdout or params.stderr:
        return
    text = " ".join(params.argv)
    for path in rests:
        if not path.endswith((".py", ".json")) or path.endswith("package.json"):
            text += "\n" + (look.read(path) or b"")[:100_000].decode("utf-8", "replace")
    for runner, word in _WORDS.items():
        if RECIPES[runner].wrapped and word.search(text):
            yield runner


def red_of(trial: Trial, params: Params, look: Look) -> Red | None:
    """Why a run on the base does not pass; none when it does."""
    end = trial.end
    if end is None:
        return None
    if end.code == "timeout":
        return "timeout"
    if any(_absent(word, params, look) for word in params.argv[1:]):
        return "absent"
    if end.code in NOT_RUN:
        return "environment"
    if isinstance(params, CommandParams):
        return "exit" if end.fail else "environment"
    if end.code == "no-tests" or trial.ran.exit == _NO_SUCH_TEST:
        return "absent"
    if end.code in UNBUILT:
        return "collection"
    if not end.fail:
        return "environment"
    return "assertion" if trial.told and trial.told.red else "exit"


def _absent(word: str, params: Params, look: Look) -> bool:
    """Whether a word of an argv names a file that is not there yet."""
    name = word.partition("::")[0].rstrip("/")
    if not _PATH.fullmatch(name) or name.startswith(("/", "-")) or "..." in name:
        return False
    path = f"{params.cwd}/{name}".strip("/").removeprefix("./")
    known = (*look.paths(), *params.files)
    return path not in known and not any(one.startswith(f"{path}/") for one in known)
