"""Which commit broke what held before: the last pass is read from the ledger, the rest is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forsooth.core.event import FindingRecorded, VerdictGiven
from forsooth.core.plan import NO_BASE, Base
from forsooth.core.state import State
from forsooth.errors import CouldNotVerify
from forsooth.git.history import commits, is_ancestor
from forsooth.git.objects import tree_of
from forsooth.git.snapshot import Snapshot
from forsooth.project.judging import Checked, Judging

if TYPE_CHECKING:
    from forsooth.git.commit import Commit
    from forsooth.judge.culprit import Blame

LYING = "worktree"  # stands for what is not committed


class Blaming(Judging):
    """The culprit of a regression."""

    def blames(self, plan: str, found: Checked) -> Mapping[str, Blame]:
        """For each criterion that held at an earlier commit and fails now, what broke it."""
        failed = [f.criterion for f in found.seen.verdict.findings if f.outcome == "fail"]
        if not failed or found.at.commit is None:
            return {}
        state = self.state(plan)
        base = state.plan.base if state.plan else NO_BASE
        passed = self._passed(plan, failed, state)
        told: dict[str, Blame] = {}
        for criterion in failed:
            known = self._since(passed[criterion], base, found.at.commit)
            blame = self._blame(plan, criterion, known, found.at) if known is not None else None
            if blame:
                told[criterion] = blame
        return told

    def _passed(self, plan: str, wanted: list[str], state: State) -> dict[str, set[str]]:
        """The trees at which each criterion was seen to pass, the base among them."""
        trees: dict[str, set[str]] = {id_: set() for id_ in wanted}
        for id_, seen in trees.items():
            stood = state.ground.about(id_) if state.ground else None
            if state.ground and stood and stood.red is None:
                seen.add(state.ground.tree)
        for event in self.ledger(plan).events():
            body = event.fact
            if isinstance(body, FindingRecorded):
                found = ((body.finding, body.tree),)
            elif isinstance(body, VerdictGiven):
                found = tuple((f, body.verdict.tree) for f in body.verdict.findings)
            else:
                continue
            for finding, tree in found:
                if finding.outcome == "pass" and finding.criterion in trees:
                    trees[finding.criterion].add(tree)
        return trees

    def _since(self, passed: set[str], base: Base, head: str) -> tuple[Commit, ...] | None:
        """The commits after the newest of the plan that passed; none when none is known to have."""
        line = commits(self.repo, base.commit, head)
        last = next((one.id for one in reversed(line) if one.tree in passed), None)
        if last is None and base.tree in passed:
            last = base.commit
        if last is None:
            return None
        return tuple(c for c in line if c.id != last and is_ancestor(self.repo, last, c.id))

    def _blame(
        self, plan: str, criterion: str, known: tuple[Commit, ...], at: Snapshot
    ) -> Blame | None:
        from forsooth.judge.culprit import Blame, blamed, culprit

        trees = {one.id: one.tree for one in known}
        names = [one.id for one in known]
        if at.commit is not None and at.tree != tree_of(self.repo, at.commit):
            names.append(LYING)
        found = culprit(names, lambda id_: self._is_red(plan, criterion, Snapshot(trees[id_], id_)))
        if found is None:
            return None
        if found.last == LYING:
            return Blame("broke in what is not committed", at.dirty) if found.is_sure else None
        return blamed(self.repo, found, known)

    def _is_red(self, plan: str, criterion: str, at: Snapshot) -> bool | None:
        """Whether a criterion fails at a commit; none when it cannot be run there."""
        state = self.state(plan)
        case = self._goal_case(state, state.live, at, subject="plan")
        asked = tuple(one for one in case.asked if one.criterion.id == criterion)
        try:
            with self._judge(plan, floor=state.policy.isolation, ground=state.ground) as judge:
                verdict = judge.judge(case._replace(asked=asked)).verdict
        except CouldNotVerify:
            return None
        return {"fail": True, "pass": False}.get(verdict.outcome)
