"""What is known: the missing fact, what happened, and whether the ledger holds."""

from __future__ import annotations

from collections.abc import Iterator

from forsooth.core.event import Event
from forsooth.core.gate import Reason, Reasons
from forsooth.core.state import GoalState, State
from forsooth.core.unheard import rests_on_persons, unheard
from forsooth.core.why import Answer, why
from forsooth.errors import ForsoothError, Refused, UsageError
from forsooth.git.trees import changes
from forsooth.ledger.journal import Loss, Report
from forsooth.project.covering import relevant
from forsooth.project.judging import Judging


class Looking(Judging):
    """Questions, and the repair of a damaged ledger."""

    def changed_since(self, state: State) -> dict[str, tuple[str, ...]]:
        """The relevant files that differ from what each proven goal was proven on.

        None where the plan's own receipt is about the very tree that is delivered now.
        """
        proven = [one for one in state.live if one.is_proven]
        plan = state.plan
        if not proven or plan is None:
            return {}
        try:
            now = self._delivered(state, state.live).tree
            if state.is_proven and state.proof and state.proof.receipt.tree == now:
                return {}
            found = {
                one.goal.id: relevant(self._paths(one, now), plan, one.goal.id) for one in proven
            }
        except (ForsoothError, OSError):  # a sandbox may let nobody write; a status is told anyway
            return {}
        return {goal: paths for goal, paths in found.items() if paths}

    def _paths(self, one: GoalState, tree: str) -> tuple[str, ...]:
        assert one.proof is not None  # noqa: S101
        return tuple(c.path for c in changes(self.repo, one.proof.receipt.tree, tree))

    def unheard(self, plan: str, state: State) -> Reasons:
        """What persons are said to have done that nobody did in this home.

        The whole ledger is read only where something rests on a person's word.
        """
        ledger = self.ledger(plan)
        if not rests_on_persons(state) and ledger.is_own(state.sealed):
            return ()
        judged = ledger.proven_state()
        return unheard(ledger.unheard, judged)

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
