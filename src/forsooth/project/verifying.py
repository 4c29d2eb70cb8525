"""Receipts checked by whoever did not make them: a stranger with a file, or CI with a base branch.

Who may sign and what is demanded come from the base, never from the tree that is looked at. No key,
no agent and no network is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.instant import moment, written
from forsooth.core.policy import Policy
from forsooth.errors import CouldNotVerify
from forsooth.git import config, references
from forsooth.git.history import is_ancestor
from forsooth.git.names import resolve
from forsooth.git.objects import tree_of
from forsooth.git.trees import changes, listing, listing_digest
from forsooth.project.covering import outdated, relevant
from forsooth.project.settings import settings
from forsooth.project.shelf import Shelf

if TYPE_CHECKING:
    from forsooth.receipts.carry import Carried, Receipt
    from forsooth.receipts.seal import Seal
    from forsooth.receipts.signers import Signer
    from forsooth.receipts.verify import Verified

REMOTES = ("origin", "upstream")
FETCH = "git fetch origin 'refs/forsooth/*:refs/forsooth/*'"


class Looked(NamedTuple):
    """One receipt and what is to be said of it.

    `stale` are the relevant files changed since; `away` says that the tree it is about is not in
    this clone, so that they cannot be told.
    """

    subject: str
    data: bytes
    found: Verified
    stale: tuple[str, ...] = ()
    away: bool = False

    @property
    def holds(self) -> bool:
        """Whether it proves its subject at the tree that is looked at."""
        return self.found.holds and not self.stale and not self.away


class Audit(NamedTuple):
    """What a repository's receipts say about one tree; `push` is what shares them, if anything."""

    tree: str
    commit: str | None
    plan: str
    looked: tuple[Looked, ...]
    missing: tuple[str, ...]
    odd: tuple[str, ...] = ()
    seal: Seal | None = None
    push: str = ""


class _Ground(NamedTuple):
    """What receipts are measured by, and where."""

    signers: tuple[Signer, ...]
    policy: Policy
    now: str
    commit: str
    tree: str


class _Known(NamedTuple):
    """The plan as it is sealed, every sealed version of it, and what its own ledger says."""

    seal: Seal
    versions: dict[str, Seal]
    touched: dict[str, int]


class Verifying(Shelf):
    """Receipts, looked at from outside."""

    def verify_file(self, data: bytes, *, base_ref: str = "", head: str = "HEAD") -> Looked:
        """One receipt, against the tree that is checked out."""
        ground = self._measure(base_ref, head)
        found = self._verified(data, ground, tree=ground.tree)
        subject = found.statement.predicate.subject if found.statement else "?"
        return Looked(subject, data, found)

    def audit(self, *, base_ref: str = "", head: str = "HEAD", plan: str = "") -> Audit:
        """Every goal of one plan that receipts are carried for, at one commit.

        1. What is carried, here and as fetched. 2. The plan, by its seals. 3. For each goal the
        receipt about this very tree; else the newest, with what changed since. 4. What is missing.
        """
        ground = self._measure(base_ref, head)
        carried = self._carried()  # 1
        seals = self._seals_held(carried, ground)
        seal = _chosen(seals, carried, tree=ground.tree, plan=plan)  # 2
        versions = {one.plan_digest: one for one in seals if one.plan.id == seal.plan.id}
        known = _Known(seal, versions, self._touched(seal.plan.id))
        goals = [g for g in seal.plan.goals if g.id not in seal.plan.superseded and not g.cadence]
        wanted = (*(goal.id for goal in goals), "plan")
        looked: list[Looked] = []
        for subject in wanted:  # 3
            mine = [one for one in carried.receipts if one.subject == subject]
            every = [self._looked(one, known, ground) for one in mine]
            looked += _best(one for one in every if _is_about(one, seal.plan.id))
        holding = {one.subject for one in looked if one.holds}  # 4
        missing = () if "plan" in holding else tuple(id_ for id_ in wanted if id_ not in holding)
        told = (ground.tree, ground.commit, seal.plan.id, tuple(looked), missing, carried.odd)
        return Audit(*told, seal, self._push())

    def _measure(self, base_ref: str, head: str) -> _Ground:
        from forsooth.receipts import signers

        commit = resolve(self.repo, head)
        at = resolve(self.repo, base_ref) if base_ref else None
        found = settings(self.repo, self.home, at=at) if at else None
        where = (written(self.now()), commit, tree_of(self.repo, commit))
        if found is None:
            return _Ground((), Policy(), *where)
        return _Ground(signers.of(found), found.policy, *where)

    def _carried(self) -> Carried:
        from forsooth.receipts import carry

        places = (carry.REFERENCE, *(carry.theirs(remote) for remote in REMOTES))
        every = [carry.read(self.repo, reference=place) for place in places]
        return carry.Carried(
            tuple(dict.fromkeys(one for c in every for one in c.receipts)),
            tuple(dict.fromkeys(one for c in every for one in c.seals)),
            tuple(dict.fromkeys(path for c in every for path in c.odd)),
        )

    def _push(self) -> str:
        """What shares the receipts that the remote is not known to have."""
        from forsooth.receipts import carry

        ours = references.reference(self.repo, carry.REFERENCE)
        known = references.reference(self.repo, carry.theirs())
        if ours is None or ours == known:
            return ""
        url = config.value(self.repo.common / "config", "remote.origin.url")
        return " ".join(carry.pushing()) if url else ""

    def _seals_held(self, carried: Carried, ground: _Ground) -> tuple[Seal, ...]:
        """The seals that count; where signers are listed, only a person among them seals."""
        from forsooth.receipts.problem import BadReceipt
        from forsooth.receipts.seal import confirmed

        if not carried.seals:
            hint = f"forsooth done GOAL, or {FETCH}"
            raise CouldNotVerify("no sealed plan is carried here", hint=hint, code="no-receipts")
        found = [
            confirmed(one.data, now=ground.now, signers=ground.signers) for one in carried.seals
        ]
        good = tuple(one.seal for one in found if one.holds and one.seal)
        if not good:
            problem = found[-1].problems[0]
            says = f"no seal that is carried here counts: {problem.says}"
            hint = "list who may seal in the forsooth.toml of the base, with roles = ['person']"
            raise BadReceipt(says, hint=hint, code=problem.code)
        return good

    def _touched(self, plan: str) -> dict[str, int]:
        """The last line that made each receipt stale, where the plan's own ledger is at hand."""
        if plan not in self.ids():
            return {}
        state = self.ledger(plan).proven_state()
        goals = {id_: one.touched for id_, one in state.goals.items()}
        return {**goals, "plan": max(state.touched, state.failed)}

    def _looked(self, one: Receipt, known: _Known, ground: _Ground) -> Looked:
        after = known.touched.get(one.subject, 0)
        try:
            found = self._verified(
                one.data, ground, tree=one.tree, subject=one.subject, after=after
            )
            since = changes(self.repo, one.tree, ground.tree)
        except CouldNotVerify:
            found = self._verified(one.data, ground, subject=one.subject, after=after)
            return Looked(one.subject, one.data, found, away=True)
        if found.statement:
            against = outdated(found.statement.predicate, known.seal, known.versions)
            found = found._replace(
                problems=(*found.problems, *against),
                assurance=None if against else found.assurance,
            )
        stale = relevant((change.path for change in since), known.seal.plan, one.subject)
        return Looked(one.subject, one.data, found, stale)

    def _verified(
        self,
        data: bytes,
        ground: _Ground,
        *,
        tree: str | None = None,
        subject: str | None = None,
        after: int = 0,
    ) -> Verified:
        from forsooth.receipts.verify import verified

        return verified(
            data,
            signers=ground.signers,
            now=ground.now,
            tree=tree,
            listing_sha256=listing_digest(listing(self.repo, tree)) if tree else None,
            subject=subject,
            descends=lambda id_: self._descends(id_, ground.commit),
            after=after,
            floor=ground.policy.isolation,
        )

    def _descends(self, base: str, commit: str) -> bool:
        """Whether the work builds on its base; where the clone is cut, its tree counts."""
        try:
            return is_ancestor(self.repo, base, commit)
        except CouldNotVerify:
            return (self.repo.common / "shallow").is_file()


def _chosen(seals: tuple[Seal, ...], carried: Carried, *, tree: str, plan: str) -> Seal:
    """The plan that is meant: named, else with a receipt about this tree, else sealed last."""
    meant = [one for one in seals if plan in ("", one.plan.id)]
    if not meant:
        says = f"no seal of plan {plan} is carried here"
        raise CouldNotVerify(says, hint=FETCH, code="no-receipts")
    here = [_plan_of(one) for one in carried.receipts if one.tree == tree]
    return max(meant, key=lambda one: (one.plan.id in here, moment(one.at)))


def _plan_of(one: Receipt) -> str:
    """The plan a receipt says it is about; this chooses what is looked at and proves nothing."""
    from forsooth.receipts import dsse, statement
    from forsooth.receipts.problem import BadReceipt

    try:
        return statement.decoded(dsse.opened(one.data).payload).predicate.plan
    except BadReceipt:
        return ""


def _is_about(one: Looked, plan: str) -> bool:
    said = one.found.statement
    return said is None or said.predicate.plan == plan


def _best(every: Iterable[Looked]) -> tuple[Looked, ...]:
    """The newest receipt that holds here, else one that holds elsewhere, else any."""

    def rank(one: Looked) -> tuple[bool, bool, str]:
        said = one.found.statement
        return one.holds, one.found.holds, said.predicate.at if said else ""

    ranked = sorted(every, key=rank)
    return tuple(ranked[-1:])
