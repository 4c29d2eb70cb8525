"""A run seen more than once: what differs from one to the next is luck, not work.

Another hash seed and another order may only be asked of what already withstood them on the base.
A disagreement can only take belief away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

from forsooth.core.ground import looks
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Room, Trial
from forsooth.judge.reports.report import Report

MOST = 20
_SPAN = 2.0  # seconds that the rounds of one process may take
_SEEDS = (1, 2, 77, 4242, 31337)


class Each(Protocol):
    """A way to have runs made, answers in the order asked for."""

    def __call__(
        self, asked: Iterable[Callable[[], Doubted | None]]
    ) -> Iterator[Doubted | None]: ...


class Times(NamedTuple):
    """How often a run is to be seen in all, and what is left out for want of time."""

    times: int
    lacking: Lacking | None = None


def times_for(seconds: float, budget: float | None = None, *, chancy: bool = False) -> Times:
    """Five looks at a run under two seconds, else three; fewer where the time does not reach.

    Where new lines lean on chance, as many up to twenty as the time allows.
    """
    wanted = looks(seconds)
    if chancy:
        room = MOST if budget is None or not seconds else 1 + int(budget / seconds)
        wanted = max(wanted, min(MOST, room))
    if budget is None or seconds * (wanted - 1) <= budget:
        return Times(wanted)
    times = 1 + int(budget / seconds)
    return Times(
        times, Lacking("fewer-runs", f"{times} of {wanted}, since one takes {seconds:.0f} s")
    )


def seeded(order: Order, number: int) -> Order:
    """The same with another hash seed, for programs that have one."""
    seed = _SEEDS[number % len(_SEEDS)] + 100 * (number // len(_SEEDS))
    return order._replace(env={**order.env, "PYTHONHASHSEED": str(seed)})


def rounds_for(report: Report | None) -> int:
    """How often each test may run in one process; none where that would take long, or one round."""
    took = sum(test.seconds for test in report.tests) if report else _SPAN
    times = min(MOST, int(_SPAN / took)) if took else MOST
    return times if times > 1 else 0


def repeated(
    room: Room,
    tree: str,
    *,
    first: Trial,
    times: int,
    order: Order | None = None,
    shuffled: Callable[[int], Order] | None = None,
    same_copy: Callable[[], tuple[Trial, ...]] | None = None,
    rounds: Callable[[], Trial] | None = None,
    each: Each = lambda asked: (one() for one in asked),
) -> Doubted:
    """Further runs of one tree, `times` looks in all with the first, by `each` side by side.

    `order` is the criterion's own, given another hash seed each time; `shuffled` gives another
    order of tests and `same_copy` runs in one copy: either only where the base withstood it. Tests
    that run in several `rounds` may well fail for good once they ran; not fail and then pass.
    """
    if times <= 1:
        return Lacking("repeated", "it was run once")

    def look(number: int) -> Doubted | None:
        is_turned = shuffled is not None and number > 1
        now = shuffled(number - 2) if shuffled and is_turned else order
        again = room.tried(tree, order=seeded(now, number) if now else None)
        so = "with its tests in another order" if is_turned else "of one tree"
        return _differs(first, again, f"run {number + 1} {so}")

    def met(tried: Callable[[], tuple[Trial, ...]]) -> Doubted | None:
        where = "a second run in the same copy"
        return next(filter(None, (_differs(first, again, where) for again in tried())), None)

    def unsteady(tried: Callable[[], Trial]) -> Doubted | None:
        told = tried().told
        names = told.fickle if told else ()
        says = f"in several rounds of one run these ended otherwise: {shown(names)}"
        return Flaw("flaky", says) if names else None

    asked: list[Callable[[], Doubted | None]] = [partial(look, n) for n in range(1, times)]
    asked += [partial(unsteady, rounds)] if rounds else []
    asked += [partial(met, same_copy)] if same_copy else []
    return next(filter(None, each(asked)), Held("repeated", (times,)))


def alike(first: Trial, again: Trial) -> bool:
    """Whether two runs end the same way, test by test."""
    return _differs(first, again, "") is None


def _differs(first: Trial, again: Trial, where: str) -> Flaw | Lacking | None:
    """What two runs disagree on; a run that could not be made says nothing of the work."""
    if again.end and not again.end.fail and again.told is None:
        return Lacking("repeated", f"{where} could not be judged: {again.end.reason}")
    if names := _disagree(first.told, again.told):
        ends = [f"{name} ({_ended(first, name)}, then {_ended(again, name)})" for name in names]
        return Flaw("flaky", f"{where} ended differently: {shown(ends)}")
    if first.passed != again.passed:
        was, now = (one.end.reason if one.end else "passed" for one in (first, again))
        return Flaw("flaky", f"{where} ended differently: {was}, then {now}")
    return None


def _ended(trial: Trial, name: str) -> str:
    tests = trial.told.tests if trial.told else ()
    return next((test.outcome for test in tests if test.id == name), "not run")


def _disagree(first: Report | None, again: Report | None) -> list[str]:
    """Tests of both runs that ended otherwise; names made anew each run are not compared."""
    if first is None or again is None:
        return []
    one = {test.id: test.outcome for test in first.tests}
    other = {test.id: test.outcome for test in again.tests}
    return sorted(id_ for id_ in one.keys() & other.keys() if one[id_] != other[id_])
