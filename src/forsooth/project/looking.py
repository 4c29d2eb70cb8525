"""What is known: the missing fact, what happened, and whether the ledger holds."""

from __future__ import annotations

from collections.abc import Iterator

from forsooth.core.event import Event
from forsooth.core.gate import Reason
from forsooth.core.why import Answer, why
from forsooth.errors import Refused, UsageError
from forsooth.ledger.journal import Loss, Report
from forsooth.project.shelf import Shelf


class Looking(Shelf):
    """Questions, and the repair of a damaged ledger."""

    def why(self, plan: str, *, about: str = "") -> Answer:
        """The missing fact and the one command that supplies it."""
        answer = why(self.state(plan), self.now(), about=about)
        if answer is None:
            says = f"{about} is no goal, criterion or reason"
            raise UsageError(says, hint="forsooth status", code="unknown-subject")
        return answer

    def events(self, plan: str, *, last: int = 0) -> Iterator[Event]:
        """What happened, in order: everything, or the last few events."""
        return self.ledger(plan).events(last=last)

    def fsck(self, plan: str) -> Report:
        """Verify every byte of a ledger."""
        return self.ledger(plan).check()

    def recover(self, plan: str) -> Loss | None:
        """Start a damaged ledger again from its good part; the damaged file is kept."""
        if not self.actor.speaks_for_person:
            says = "only a person may leave events behind"
            hint = "ask a person: forsooth fsck --recover"
            raise Refused((Reason("not-a-person", says, hint),))
        return self.ledger(plan).recover(by=self.actor)
