"""A person agrees to a criterion: what is recorded, and about which tree."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.core import command as do
from forsooth.core.consent import may_agree
from forsooth.core.plan import Criterion
from forsooth.core.state import State
from forsooth.errors import Refused
from forsooth.git.trees import changes
from forsooth.project.judging import Judging


class RecordedAgreement(NamedTuple):
    """What a person agreed to, where, and how that differs from where the plan began."""

    criterion: Criterion
    tree: str
    changed: tuple[str, ...]
    state: State


class Agreements(Judging):
    """Persons' agreements to criteria."""

    def agree(self, plan: str, criterion: str, *, reason: str = "") -> RecordedAgreement:
        """Record that a person agrees to a criterion at what is delivered now."""
        ledger = self.ledger(plan)
        state = ledger.state()
        one = state.owner(criterion)
        if one is None:
            raise Refused(may_agree(state, criterion, self.actor))
        wanted = next(c for c in (*one.goal.entry, *one.goal.criteria) if c.id == criterion)
        tree = self._delivered(state, (one,)).tree
        words = f"{criterion}: {wanted.says}\n{reason}\n"
        attach = do.Attach(
            digest=ledger.blobs.put(words.encode()),
            goal=one.goal.id,
            criterion=criterion,
            label=reason,
            approves=True,
            tree=tree,
            paths=wanted.paths or one.goal.fence.touch,
        )
        after = self.ask(plan, attach).state
        base = state.plan.base.tree if state.plan else None
        changed = tuple(change.path for change in changes(self.repo, base, tree))
        return RecordedAgreement(wanted, tree, changed, after)
