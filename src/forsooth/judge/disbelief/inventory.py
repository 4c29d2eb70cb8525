"""Every test that was there before must still be there, run, and hold.

Names are compared as `reports/ids` folds them. What a plan lets go is let go; what it lets move is
looked for by name elsewhere. A test that was red before owes a suite nothing but to stay.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, cast

from forsooth.core.plan import Goal
from forsooth.errors import CouldNotVerify
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.trial import Flaw, Held
from forsooth.judge.disbelief.leave import Leave, file_of, group_of, is_held_by, last_of, leave_of
from forsooth.judge.reports.ids import Folded, Inventory, base_of, inventory_of, missing
from forsooth.judge.reports.report import Report, Test, TestOutcome

Keeps = Literal["all", "green"]

_LAZY = frozenset({"skipped", "xfailed"})
_GREEN = frozenset({"passed", "xpassed"})
_RED = frozenset({"failed", "error"})


class Sealed(NamedTuple):
    """The tests of a criterion as they ended on the base.

    Nothing is asked of the unstable: their names or outcomes were not the same twice.
    """

    tests: Mapping[str, TestOutcome]
    folded: tuple[Folded, ...] = ()
    unstable: tuple[str, ...] = ()

    def without(self, paths: Collection[str]) -> Sealed:
        """The list less the tests of these files: they are what somebody else made of them."""
        if not paths:
            return self
        tests = {id_: out for id_, out in self.tests.items() if not is_held_by(paths, id_)}
        folded = tuple(one for one in self.folded if not is_held_by(paths, one.base))
        return self._replace(tests=tests, folded=folded)

    def dumped(self) -> bytes:
        """The list as it is kept."""
        rows = {"tests": dict(self.tests), "folded": self.folded, "unstable": self.unstable}
        return json.dumps(rows, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def loaded(cls, data: bytes) -> Sealed:
        """A kept list read back."""
        try:
            rows = json.loads(data)
            folded = tuple(Folded(str(base), int(many)) for base, many in rows["folded"])
            tests = cast("dict[str, TestOutcome]", dict(rows["tests"]))
            return cls(tests, folded, tuple(map(str, rows["unstable"])))
        except (ValueError, TypeError, KeyError):
            raise CouldNotVerify("the sealed list of tests cannot be read") from None


def sealed(first: Report, second: Report) -> Sealed:
    """What two runs on the base tell: names that last, and outcomes that were the same twice."""
    one, other = _ended(first), _ended(second)
    names = inventory_of(one, other)
    flaky = {id_ for id_ in names.ids if _kind(one[id_]) != _kind(other[id_])}
    tests: dict[str, TestOutcome] = {id_: one[id_] for id_ in names.ids if id_ not in flaky}
    return Sealed(tests, names.folded, tuple(sorted({*names.unstable, *flaky})))


def _ended(run: Report) -> dict[str, TestOutcome]:
    return {test.id: test.outcome for test in run.tests if not _is_place(test)}


def _is_place(test: Test) -> bool:
    """Whether an error stands for a file or a hook: it is gone once that can be loaded."""
    is_dotted = "/" not in test.id and test.id.count(".") > 1
    is_test = "::" in test.id or " > " in test.id or is_dotted
    odd = not is_test or "_FailedTest" in test.id or '" hook' in test.id
    return test.outcome == "error" and odd


def _kind(outcome: TestOutcome) -> str:
    return "lazy" if outcome in _LAZY else "red" if outcome in _RED else "green"


def compared(
    sealed: Sealed,
    sealed_run: Report | None,
    delivered_run: Report,
    *,
    goal: Goal | None,
    keeps: Keeps = "all",
) -> tuple[Held | Flaw, ...]:
    """What the runs in both views say of the tests that were there before.

    `keeps` is `all` where every test must hold, `green` where only those must that held before.
    """
    if not sealed.tests and not sealed.folded:
        return ()
    flaws = _flaws(sealed, delivered_run, leave_of(goal), keeps)
    if sealed_run is not None:
        flaws += [
            flaw._replace(says=f"with the tests as sealed, {flaw.says}")
            for flaw in _flaws(sealed, sealed_run, leave_of(goal), keeps)
            if flaw.code not in {one.code for one in flaws}
        ]
    return tuple(flaws) or (Held("inventory"),)


def _flaws(sealed: Sealed, run: Report, leave: Leave, keeps: Keeps) -> list[Flaw]:
    now = _placed_again(sealed, run, leave)
    gone = [
        name
        for name in missing(Inventory(tuple(sealed.tests), sealed.folded), now)
        if not leave.may_go(name.partition("[*]")[0])
    ]
    gone = [name for name in gone if not (leave.may_change(name) and _as_many(sealed, now, name))]
    lazy = [
        id_
        for id_, test in now.items()
        if test.outcome in _LAZY and _ran(sealed, id_) and not leave.may_rest(id_)
    ]
    red = [id_ for id_, test in now.items() if test.outcome in _RED and _owes(sealed, id_, keeps)]
    unread = [test for test in run.tests if _is_place(test)]
    if gone and unread:
        says = f"{unread[0].id} cannot be loaded: {unread[0].reason}"
        return [Flaw("errors", f"{len(gone)} of {len(sealed.tests)} tests are not run: {says}")]
    found = (
        ("inventory", "no longer there", gone),
        ("skipped", "skipped or expected to fail, and ran before", lazy),
        ("failed", "failed", red),
    )
    return [
        Flaw(code, f"{len(names)} of {len(sealed.tests)} tests {says}: {shown(sorted(names))}")
        for code, says, names in found
        if names
    ]


def _as_many(sealed: Sealed, now: Mapping[str, Test], name: str) -> bool:
    """Whether a file or module that may change has as many tests that run as it had."""
    group = group_of(name)
    was = sum(group_of(id_) == group and _ran(sealed, id_) for id_ in sealed.tests)
    runs = (id_ for id_, test in now.items() if test.outcome not in _LAZY)
    return sum(group_of(id_) == group for id_ in runs) >= was


def _placed_again(sealed: Sealed, run: Report, leave: Leave) -> dict[str, Test]:
    """The tests of a run by the names they had: one that moved is found by the end of its name."""
    now = {test.id: test for test in run.tests}
    fresh = [id_ for id_ in now if id_ not in sealed.tests]
    by_last: dict[str, list[str]] = {}
    for id_ in fresh:
        by_last.setdefault(last_of(id_), []).append(id_)
    for id_ in sealed.tests:
        if id_ in now or not leave.may_move(id_):
            continue
        others = [one for one in by_last.get(last_of(id_), ()) if file_of(one) != file_of(id_)]
        if others:
            now[id_] = now[others[0]]._replace(id=id_)
            by_last[last_of(id_)].remove(others[0])
    return now


def _ran(sealed: Sealed, id_: str) -> bool:
    """Whether a test is known to have run on the base."""
    was = sealed.tests.get(id_)
    return was is not None and was not in _LAZY


def _owes(sealed: Sealed, id_: str, keeps: Keeps) -> bool:
    """Whether a test must hold: one that held before, or is new; every one where all must."""
    unsteady = id_ in sealed.unstable or base_of(id_) in map(base_of, sealed.unstable)
    if unsteady:
        return False
    was = sealed.tests.get(id_)
    folded = was is None and base_of(id_) in {one.base for one in sealed.folded}
    return keeps == "all" or was in _GREEN or (was is None and not folded)
