"""What a run of a criterion must show: which tests have to be green, and which need not.

The suite need only be as green as it was. In the sealed view only tests known at the seal count:
new ones may lean on what was taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.judge.checks.trial import Flaw, Trial
from forsooth.judge.disbelief.inventory import Keeps, Sealed
from forsooth.judge.disbelief.leave import is_held_by
from forsooth.judge.reports.ids import base_of


class Standard(NamedTuple):
    """The tests known at the seal, none where there was no list, and what of them is kept.

    Tests in `accepted` files are known as well: another goal was proven with them.
    """

    tests: Sealed | None
    keeps: Keeps
    accepted: Collection[str] = ()

    def against(self, trial: Trial, *, sealed: bool) -> Flaw | None:
        """Why a run does not hold; tests the view is not about may be red in it."""
        end, told = trial.end, trial.told
        if end is None:
            return None
        if end.code == "no-tests" and self.tests and self.tests.tests:
            many = len(self.tests.tests)
            return Flaw("inventory", f"none of the {many} tests known at the seal is run")
        if end.code == "no-tests" and told and told.complete:
            return Flaw(end.code, end.reason)
        if not end.fail:
            raise CouldNotVerify(end.reason, code=end.code)
        if told and told.complete and told.red and trial.ran.exit != 0 and self.tests:
            counts = self._counts(self.tests, sealed=sealed)
            is_seen = not self.tests.tests or any(
                test.id in self.tests.tests for test in told.tests
            )
            if is_seen and not any(counts(test.id) for test in told.red):
                return None
        return Flaw(end.code, end.reason)

    def _counts(self, kept: Sealed, *, sealed: bool) -> Callable[[str], bool]:
        """Which tests must be green: those known at the seal, and all delivered ones."""
        folded = {one.base for one in kept.folded}

        def is_known(id_: str) -> bool:
            is_sealed = id_ in kept.tests or base_of(id_) in folded
            return is_sealed or is_held_by(self.accepted, id_)

        if self.keeps == "green":
            odd = {id_ for id_, out in kept.tests.items() if out not in ("passed", "xpassed")}
            odd |= set(kept.unstable)
            return lambda id_: id_ not in odd and (not sealed or is_known(id_))
        return lambda id_: not sealed or not kept.tests or is_known(id_)
