"""What must hold before an attempt begins: entry criteria, run each time one would be opened.

Those with `where: workspace` run in the work tree, the others in the judge, at what is delivered
now. One that does not hold is an obstacle that needs the environment (or a person's agreement), and
the goal is not handed out. Their findings are kept, and count towards no receipt.
"""

from __future__ import annotations

import os

from forsooth.core import command as do
from forsooth.core.actor import JUDGE, LOOP
from forsooth.core.gate import lifts, may_open
from forsooth.core.plan import Base
from forsooth.core.reason import Reason
from forsooth.core.state import GoalState, State
from forsooth.core.status import obstacles
from forsooth.core.verdict import AWAITING, Finding
from forsooth.errors import Unready
from forsooth.git.snapshot import Snapshot
from forsooth.project.judging import Judging
from forsooth.project.obstacles import Obstacles


class Entries(Judging, Obstacles):
    """Entry criteria."""

    def enter(self, plan: str, goal: str) -> None:
        """Run the entry criteria of a goal that would be opened; what fails is an obstacle.

        Until that is lifted, the answer stays that this environment cannot do the work.
        """
        state, now = self.ledger(plan).proven_state(), self.now()
        one, against = state.goals.get(goal), may_open(state, goal, now=now)
        if one and any(blocker.needs == "environment" for blocker in obstacles(one, now)):
            raise Unready(against)
        if one is None or not one.goal.entry or against:
            return
        at = self._delivered(state, (one,))
        found = self._entered(plan, state, one, at)
        for finding in found:
            self.ask(plan, do.Record(finding=finding, tree=at.tree), by=JUDGE)
        wrong = [finding for finding in found if finding.outcome != "pass"]
        if wrong:
            raise Unready(self._unready(plan, goal, wrong))

    def _unready(self, plan: str, goal: str, wrong: list[Finding]) -> tuple[Reason, ...]:
        """Record what stands in the way, as one obstacle."""
        asks = all(finding.code == AWAITING for finding in wrong)
        why = "; ".join(f"{finding.criterion} {finding.reason}" for finding in wrong)
        obstacle = do.Raise(
            goal=goal,
            needs="human" if asks else "environment",
            why=f"it cannot be begun here: {why}",
            kind="waiting" if asks else "blocked",
            evidence=AWAITING if asks else "",
        )
        after = self.ask(plan, obstacle, by=LOOP).state.goals[goal]
        hint = lifts(after, after.blockers[-1])
        return tuple(
            Reason("entry-failed", f"{f.criterion} does not hold here: {f.reason}", hint, goal)
            for f in wrong
        )

    def _entered(
        self, plan: str, state: State, one: GoalState, at: Snapshot
    ) -> tuple[Finding, ...]:
        from forsooth.judge.court import Asked
        from forsooth.judge.look import Looking
        from forsooth.judge.workspace import Workspace, entered

        goal, here = one.goal, Workspace(str(self.repo.root), os.environ)
        judged = tuple(c for c in goal.entry if c.check.where == "judge")
        found: dict[str, Finding] = {}
        if judged:
            asked = tuple(Asked(criterion, goal) for criterion in judged)
            case = self._goal_case(state, (one,), at, subject=goal.id)
            # What a person agreed to before the work is not undone by the work.
            agreed = {id_: consent._replace(changed=()) for id_, consent in case.consents.items()}
            case = case._replace(asked=asked, fresh=True, consents=agreed)
            with self._judge(plan, floor=state.policy.isolation, ground=state.ground) as judge:
                verdict = judge.judge(case).verdict
            found = {finding.criterion: finding for finding in verdict.findings}
        base = state.plan.base if state.plan else Base()
        look, keep = Looking(self.repo, at.tree, base=base), self.ledger(plan).blobs.put
        for criterion in goal.entry:
            if criterion not in judged:
                found[criterion.id] = entered(criterion, goal, place=here, look=look, keep=keep)
        return tuple(found[criterion.id] for criterion in goal.entry)
