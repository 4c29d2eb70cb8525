"""The judge as one call for other programs: two revisions, some criteria, and what came of it.

No plan and no ledger: evidence is handed back. Whoever calls it has decided that the commands may
run, so nobody is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from forsooth.core.actor import JUDGE
from forsooth.core.brief.draft import Defect, Draft
from forsooth.core.brief.shapes import draft
from forsooth.core.call import runner_of
from forsooth.core.canonical import digest, digest_of
from forsooth.core.check import Check, defects
from forsooth.core.flaw import flaw
from forsooth.core.ground import Ground
from forsooth.core.ids import criterion_id
from forsooth.core.plan import Base, Criterion, Fence, Goal
from forsooth.core.policy import Tier
from forsooth.core.verdict import Finding, VerdictOutcome
from forsooth.errors import UsageError
from forsooth.git.names import resolve
from forsooth.git.objects import tree_of
from forsooth.git.snapshot import Snapshot, snapshot
from forsooth.project.judging import Judging

GOAL = "G001"
WORKTREE = "worktree"

Wanted = Criterion | Check | Mapping[str, Any] | str


class Proof(NamedTuple):
    """What came of it. `evidence` holds every byte a finding names by its digest.

    `before` is how each criterion stood on the base: what was green there proves nothing new.
    """

    outcome: VerdictOutcome
    findings: tuple[Finding, ...]
    isolation: Tier
    tree: str
    criteria: tuple[Criterion, ...]
    before: Ground
    evidence: Mapping[str, bytes]

    @property
    def new(self) -> tuple[str, ...]:
        """Criteria that were red on the base and hold now: what the change itself is proven by."""
        held = {finding.criterion for finding in self.findings if finding.outcome == "pass"}
        return tuple(
            one.criterion for one in self.before.baselines if one.counts and one.criterion in held
        )


def prove(
    repo: str | os.PathLike[str],
    base: str,
    head: str = WORKTREE,
    criteria: Iterable[Wanted] = (),
    *,
    floor: Tier | None = None,
) -> Proof:
    """Judge what lies between two revisions by these criteria, with every ward the judge has.

    A criterion is a sentence as in a brief, a command as `{"argv": [...]}`, a check with `kind`
    and `with`, or a `Criterion`. `head` may be `worktree`: the files as they lie. `floor` is the
    least isolation to run them in, by default what the user's and the repository's policy ask for.
    """
    return _Proving(Path(repo), actor=JUDGE).prove(base, head, tuple(criteria), floor=floor)


class _Proving(Judging):
    """A repository, asked once."""

    def prove(
        self, base: str, head: str, wanted: tuple[Wanted, ...], *, floor: Tier | None
    ) -> Proof:
        """Run the criteria on the base, then on what was made of it."""
        from forsooth.judge.judge import Asked, Case, Judge
        from forsooth.judge.sandbox.tiers import available

        if not wanted:
            raise UsageError("there is no criterion to prove", code="no-criteria")
        criteria, fence = _criteria(wanted)
        begun = resolve(self.repo, base)
        start = Base(commit=begun, tree=tree_of(self.repo, begun))
        at = self._at(head)
        goal = Goal(id=GOAL, title="prove", objective="prove", fence=fence, criteria=criteria)
        evidence: dict[str, bytes] = {}

        def keep(data: bytes) -> str:
            name = digest(data)
            evidence[name] = data
            return name

        case = Case(
            subject=GOAL,
            tree=at.tree,
            asked=tuple(Asked(one, goal) for one in criteria),
            plan_digest=digest_of([one.plain() for one in criteria]),
            base=start,
            commit=at.commit,
            settings=self.furnishing(begun),
            full=True,
        )
        with self._layers() as layers:
            judge = Judge(
                self.repo,
                cache=self.own_cache,
                sandbox=available(floor=floor or self.settings().policy.isolation),
                layers=layers,
                keep=keep,
                load=evidence.__getitem__,
                workers=max(1, os.cpu_count() or 1),
            )
            ground = judge.ground(case._replace(tree=start.tree or at.tree, commit=start.commit))
            verdict = judge.judge(case._replace(ground=ground)).verdict
        told = (verdict.outcome, verdict.findings, verdict.isolation, verdict.tree)
        return Proof(*told, criteria, ground, evidence)

    def _at(self, head: str) -> Snapshot:
        if head == WORKTREE:
            return snapshot(self.repo)
        commit = resolve(self.repo, head)
        return Snapshot(tree_of(self.repo, commit), commit)


class _Read(NamedTuple):
    criteria: tuple[Criterion, ...]
    fence: Fence


def _criteria(wanted: tuple[Wanted, ...]) -> _Read:
    """Criteria with ids of their own, and the fence that some of them draw."""
    drafts = [_draft(one, number) for number, one in enumerate(wanted, 1)]
    made = tuple(
        one.but(id=criterion_id(GOAL, number))
        if isinstance(one, Criterion)
        else Criterion(
            id=criterion_id(GOAL, number), says=one.says, check=one.check, guard=one.guard
        )
        for number, one in enumerate(drafts, 1)
    )
    read = [one for one in drafts if isinstance(one, Draft)]
    touch = tuple(path for one in read for path in one.touch)
    never = tuple(path for one in read for path in one.never)
    return _Read(made, Fence(touch=touch, never=never))


def _draft(wanted: Wanted, number: int) -> Draft | Criterion:
    if isinstance(wanted, Criterion):
        return wanted
    if isinstance(wanted, str):
        read = draft(wanted, number)
        if isinstance(read, Defect):
            raise UsageError(f"criterion {number}: {read.says}", hint=read.fix, code=read.code)
        return read
    check = wanted if isinstance(wanted, Check) else _check(dict(wanted), number)
    if wrong := defects(check):
        raise UsageError(f"criterion {number}: {'; '.join(wrong)}", code="bad-check")
    return Draft(line=number, says=f"criterion {number}", check=check)


def _check(told: dict[str, Any], number: int) -> Check:
    """A check out of plain data; a bare argv of a known runner is read through its report."""
    try:
        if "kind" in told:
            return Check.of(told)
        argv = tuple(cast("Iterable[str]", told.get("argv", ())))
        runner = told.get("runner") or runner_of(argv)
        kind, more = ("tests", {"runner": runner}) if runner else ("command", {})
        return Check.of({"kind": kind, "with": {**told, **more}})
    except ValidationError as error:
        raise UsageError(f"criterion {number}: {flaw(error)}", code="bad-check") from None
