"""A run that must fail in exactly the places the judge broke, and nowhere else.

A recipe breaks: a canary pair in band (one test that must fail, one that must pass) and flips
(tests that passed, made to fail in their own source). What comes back is compared here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.recipe import Doubt
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.reports.ids import base_of
from forsooth.judge.reports.report import Report, Test

__all__ = ["Doubt", "believed"]

_NOT_THE_WORK = ("not-run", "not-found")


def believed(doubt: Doubt, trial: Trial, before: Report) -> tuple[Doubted, ...]:
    """What a doubted run says of the green run before it.

    1. It must have been told to its end; only one that never ended by itself need not, if what was
    broken is red by then. 2. What was broken must be red. 3. What was not broken must be as before.
    4. The exit must say that tests failed.
    """
    told = trial.told
    if told is None or not (told.complete or trial.ran.ended == "timeout"):
        return (_untold(trial),)
    seen = _Seen(doubt, told, before)
    if not told.complete:
        endless = Lacking("exit", "the run does not end with a broken test")
        held = tuple(Held(word) for word in doubt.held)
        return (_untold(trial),) if [*_unbroken(seen)] else (*held, endless)
    flaws = [*_unbroken(seen), *_others(seen), *_exits(doubt, trial, told)]
    spoilt = {_what(one) for one in flaws}
    held = [Held(word) for word in doubt.held if word not in spoilt]
    return (*_settled(flaws, held), *held)


class _Seen:
    """Both runs side by side: the canary pair is `new`, a test of both runs that broke a flip."""

    def __init__(self, doubt: Doubt, told: Report, before: Report) -> None:
        self.doubt, self.told, self.before = doubt, told, before
        ids = {test.id for test in before.tests}
        self.new = (doubt.red | doubt.green) - ids
        self.flips = doubt.red - self.new
        self._lasting = ids & {test.id for test in told.tests} | self.new

    def name(self, id_: str) -> str:
        """What is the same in both runs: parameters made anew are counted, not compared."""
        return id_ if id_ in self._lasting else base_of(id_)

    def named(self, ids: Iterable[str]) -> Counter[str]:
        return Counter(map(self.name, ids))


def _untold(trial: Trial) -> Doubted:
    end = trial.end
    if end and end.code in _NOT_THE_WORK:
        return Lacking("canary", f"the run with broken tests {end.reason}")
    code = "no-report" if trial.told is None else "report-truncated"
    if end and end.fail and trial.ran.ended != "exit":
        code = end.code
    said = end.reason if end else "it says that all is well"
    return Flaw(code, f"with tests broken by the judge the run is not told to its end: {said}")


def _unbroken(seen: _Seen) -> Iterator[Doubted]:
    """What had to be red and is not; what had to be green and is not."""
    ended = {test.id: test.outcome for test in seen.told.tests}
    for id_ in sorted(seen.new):
        right = ("failed", "error") if id_ in seen.doubt.red else ("passed",)
        outcome = ended.get(id_, "absent")
        if outcome == "skipped":
            yield Lacking("canary", "the planted test was skipped")
        elif outcome not in right:
            must = "fail" if id_ in seen.doubt.red else "pass"
            yield Flaw("canary", f"a test of the judge that must {must} is {outcome}")
    wanted = seen.named(seen.flips)
    left = wanted - seen.named(test.id for test in seen.told.red)
    if left:
        yield Flaw("flip", f"{shown(left)} was broken by the judge, and does not fail")


def _others(seen: _Seen) -> Iterator[Doubted]:
    """Every other test ends as it did. One beside a broken test may rest on it."""
    green = [test.id for test in seen.before.tests if test.id not in seen.flips]
    gone = seen.named(green) - seen.named(test.id for test in seen.told.tests)
    if gone:
        says = f"{shown(gone)} ran before, and with a broken test beside it is not told of"
        yield Flaw("report-truncated", says)
    late = [test.id for test in _spoilt(seen)]
    near = [id_ for id_ in late if _file(id_) in {_file(flip) for flip in seen.flips}]
    if far := [id_ for id_ in late if id_ not in near]:
        says = f"{shown(far)} passed, and does not pass when a test of another file is broken"
        yield Flaw("flip", f"{says}: it is flaky, or was forged")
    elif near:
        yield Lacking("flip", f"{shown(near)} fails as well once a test beside it is broken")


def _spoilt(seen: _Seen) -> Iterator[Test]:
    """Tests that were not broken, and do not pass though they did, or fail and were not there."""
    broken = seen.named(seen.doubt.red | seen.doubt.green)
    there = seen.named(test.id for test in seen.before.tests)
    passed = seen.named(test.id for test in seen.before.tests if test.outcome == "passed")
    for test in seen.told.tests:
        name = seen.name(test.id)
        new = name not in there and test.outcome in ("failed", "error")
        if name not in broken and (new or (test.outcome != "passed" and name in passed)):
            yield test


def _file(id_: str) -> str:
    """The file or class a test is in, as far as its name says."""
    for between in ("::", " > "):
        if between in id_:
            return id_.partition(between)[0]
    return id_.rpartition(".")[0]


def _exits(doubt: Doubt, trial: Trial, told: Report) -> Iterator[Doubted]:
    code = trial.ran.exit
    wrong = code not in doubt.exits if doubt.exits else not code
    if wrong or (told.red and told.exit == 0):
        ended = f"signal {trial.ran.signal}" if code is None else f"exit {code}"
        yield Flaw("exit-disagrees", f"tests were broken by the judge, and the run ends in {ended}")


def _what(one: Doubted) -> str:
    return one.code if isinstance(one, Flaw) else one.what


def _settled(flaws: list[Doubted], held: list[Held]) -> tuple[Doubted, ...]:
    """A canary left out is made up for by a flip that is red; by nothing else."""
    if Held("flip") in held:
        return tuple(dict.fromkeys(flaws))
    return tuple(
        dict.fromkeys(
            Flaw("canary", one.why) if isinstance(one, Lacking) and one.what == "canary" else one
            for one in flaws
        )
    )
