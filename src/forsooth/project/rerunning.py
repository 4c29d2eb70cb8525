"""A share of what receipts say, run again by whoever verifies them: here, and not where they rose.

Nothing of the maker's is used but the plan a listed person sealed: the base is looked at anew, and
the work is judged with every ward. What cannot be run is never taken for agreement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.canonical import digest
from forsooth.core.plan import Goal, Plan
from forsooth.core.policy import TIERS, Tier
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify
from forsooth.git.names import resolve
from forsooth.project.judging import Judging, suite_of
from forsooth.project.upstream import believed
from forsooth.project.verifying import Audit, Looked, Verifying

if TYPE_CHECKING:
    from forsooth.core.ground import Ground
    from forsooth.judge.judge import Asked, Case
    from forsooth.receipts.seal import Seal
    from forsooth.receipts.statement import Proof

ALL = 100
LEFT = {"hidden": "it is hidden", "approval": "a person's word is not run"}


class Again(NamedTuple):
    """One check of a receipt, run again; `differs` says how what was seen is not what it says."""

    finding: Finding
    differs: str = ""

    @property
    def agrees(self) -> bool:
        """Whether it was seen to be as the receipt says; what could not be run was not."""
        return self.finding.outcome == "pass" and not self.differs


class Rerun(NamedTuple):
    """What was run again: `again` out of `able` checks, and why the others never are.

    `audit` is what is left of the receipts: those of a signer whose word did not hold are void.
    """

    audit: Audit
    again: tuple[Again, ...] = ()
    able: int = 0
    left: dict[str, str] = {}
    isolation: Tier = "none"

    @property
    def untold(self) -> tuple[Again, ...]:
        """What could not be run here."""
        return tuple(one for one in self.again if not one.differs and not one.agrees)


class _Said(NamedTuple):
    """A check as a receipt tells it, and the criterion of the sealed plan that it is about."""

    proof: Proof
    asked: Asked
    order: str


class Rerunning(Judging, Verifying):
    """Receipts, held against runs of one's own."""

    def rerun(
        self,
        found: Audit,
        *,
        share: int,
        base_ref: str = "",
        seed: str = "",
        progress: Callable[[Finding], None] = lambda _: None,
    ) -> Rerun:
        """Run some of the checks again that the plan's receipt tells of.

        1. Only commands that a listed person sealed, or that are this repository's own. 2. What
        can be run, in an order that the receipts' bytes and the seed decide. 3. The base, then the
        work, furnished as the base says. 4. What was seen beside what was said.
        """
        assert found.seal is not None  # noqa: S101
        plan = found.seal.plan
        ground = self.measure(base_ref, found.commit)
        if not ground.is_listed and not self._is_own(found.seal):  # 1
            says = "nobody is listed who may seal, so nobody says that these commands may run here"
            hint = "forsooth verify --base REF, where forsooth.toml lists a person"
            raise CouldNotVerify(says, hint=hint, code="untrusted")
        able, left = _sorted_out(found, plan, seed=seed)  # 2
        chosen = able[: -(-len(able) * share // ALL)]
        if not chosen:
            return Rerun(found, (), len(able), left)
        here = self.settings(at=resolve(self.repo, base_ref) if base_ref else None).policy
        floors: tuple[Tier, ...] = (
            ground.policy.isolation,
            found.seal.policy.isolation,
            here.isolation,
        )
        case = self._sealed_case(plan, found, tuple(one.asked for one in chosen))
        with self.loose_judge(max(floors, key=TIERS.index)) as judge:  # 3
            start = plan.base.tree or found.tree
            before = judge.ground(case._replace(tree=start, commit=plan.base.commit))
            upstream = believed(self.repo, plan, before)
            seen = judge.judge(case._replace(ground=before, upstream=upstream), progress)
        findings = {finding.criterion: finding for finding in seen.verdict.findings}
        again = tuple(
            _compared(one.proof, findings[one.proof.criterion], before)
            for one in chosen  # 4
        )
        return Rerun(_left_of(found, again), again, len(able), left, seen.verdict.isolation)

    def _is_own(self, seal: Seal) -> bool:
        """Whether this is the very plan that was sealed in this repository's own ledger."""
        from forsooth.receipts.seal import confirmed

        if seal.plan.id not in self.ids():
            return False
        ledger = self.ledger(seal.plan.id)
        kept = ledger.proven_state().seal_envelope
        own = confirmed(ledger.blobs.get(kept), now=seal.at).seal if kept else None
        return own == seal

    def _sealed_case(self, plan: Plan, found: Audit, asked: tuple[Asked, ...]) -> Case:
        from forsooth.judge.judge import Case

        return Case(
            subject="plan",
            tree=found.tree,
            asked=asked,
            plan_digest=plan.digest,
            base=plan.base,
            commit=found.commit,
            settings=self.furnishing(plan.base.commit),
            full=True,
        )


def _left_of(found: Audit, again: tuple[Again, ...]) -> Audit:
    """The audit with every receipt of a signer void whose word did not hold."""
    from forsooth.receipts.problem import Problem

    problems = tuple(Problem("not-reproduced", one.differs) for one in again if one.differs)
    if not problems:
        return found
    wrong = {one.finding.criterion for one in again if one.differs}
    keys = {key for one in _telling(found) if wrong & _told(one) for key in one.found.keys}
    looked = tuple(
        one._replace(found=one.found._replace(problems=problems, assurance=None))
        if one.holds and keys & set(one.found.keys)
        else one
        for one in found.looked
    )
    gone = [one.subject for one in looked if not one.holds]
    return found._replace(looked=looked, missing=tuple(dict.fromkeys((*found.missing, *gone))))


def _telling(found: Audit) -> list[Looked]:
    """The receipt that proves the plan here."""
    return [one for one in found.looked if one.holds and one.subject == "plan"]


def _told(one: Looked) -> set[str]:
    return {proof.criterion for proof in _proofs(one)}


def _proofs(one: Looked) -> tuple[Proof, ...]:
    return one.found.statement.predicate.checks if one.found.statement else ()


class _Able(NamedTuple):
    able: list[_Said]
    left: dict[str, str]


def _sorted_out(found: Audit, plan: Plan, *, seed: str) -> _Able:
    """What can be run again, in the order it is chosen in, and why the rest cannot.

    Whoever signs can try receipts until the order suits them; a seed they cannot know settles it.
    """
    known = _criteria(plan, found.tree)
    able: dict[str, _Said] = {}
    left: dict[str, str] = {}
    for one in _telling(found):
        name = digest(one.data)
        for proof in _proofs(one):
            id_ = proof.criterion
            asked = known.get(id_)
            if asked is None:
                left[id_] = "the sealed plan does not have it"
            elif proof.outcome == "waived":
                left[id_] = "it was waived"
            elif asked.criterion.hidden or proof.kind in LEFT:
                left[id_] = LEFT["hidden" if asked.criterion.hidden else proof.kind]
            else:
                able[id_] = _Said(proof, asked, digest(f"{seed} {name} {id_}".encode()))
    return _Able(sorted(able.values(), key=lambda said: said.order), left)


def _criteria(plan: Plan, tree: str) -> dict[str, Asked]:
    """Every criterion; the plan's receipt says that each goal was proven with this tree."""
    from forsooth.judge.court import asked_of
    from forsooth.judge.neighbour import Neighbour

    goals: list[Goal] = [goal for goal in plan.goals if goal.id not in plan.superseded]
    beside = tuple(Neighbour(goal, tree=tree) for goal in goals)
    asked = (*asked_of(goals, beside), *suite_of(plan, goals))
    return {one.criterion.id: one for one in asked}


def _compared(proof: Proof, finding: Finding, before: Ground) -> Again:
    """What was seen beside what was said: that it holds, and that it was the work that did it."""
    id_, base = proof.criterion, before.about(proof.criterion)
    if finding.outcome == "fail":
        says = f"{id_} is said to pass; run again here it does not: {finding.code}"
        return Again(finding, f"{says}, {finding.reason}" if finding.reason else says)
    if finding.outcome == "pass" and proof.red and base and base.red is None:
        return Again(finding, f"{id_} is said to fail on the base; run again there it passes")
    return Again(finding)
