"""Receipts checked by whoever did not make them: a stranger with a file, or CI with a base branch.

Who may sign and what is demanded come from the base, never from the tree that is looked at. No key,
no agent and no network is needed; a share of the checks may be run again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.instant import written
from forsooth.core.plan import Goal
from forsooth.core.policy import Policy
from forsooth.errors import UsageError
from forsooth.git.history import is_ancestor
from forsooth.git.names import resolve
from forsooth.git.objects import tree_of
from forsooth.git.trees import changes, listing, listing_digest
from forsooth.project.settings import settings
from forsooth.project.shelf import Shelf

if TYPE_CHECKING:
    from forsooth.receipts.carry import Carried, Receipt
    from forsooth.receipts.seal import Seal
    from forsooth.receipts.signers import Signer
    from forsooth.receipts.verify import Verified

REMOTES = ("origin", "upstream")


class Looked(NamedTuple):
    """One receipt and what is to be said of it; `stale` are the relevant files changed since."""

    subject: str
    data: bytes
    found: Verified
    stale: tuple[str, ...] = ()


class Audit(NamedTuple):
    """What a repository's receipts say about one tree."""

    tree: str
    commit: str | None
    plan: str
    looked: tuple[Looked, ...]
    missing: tuple[str, ...]
    odd: tuple[str, ...] = ()
    seal: Seal | None = None


class _Ground(NamedTuple):
    """What receipts are measured by."""

    signers: tuple[Signer, ...]
    policy: Policy
    now: str
    base: str | None


class Verifying(Shelf):
    """Receipts, looked at from outside."""

    def verify_file(self, data: bytes, *, base_ref: str = "", head: str = "HEAD") -> Looked:
        """One receipt, against the tree that is checked out."""
        commit = resolve(self.repo, head)
        found = self._verified(data, self._measure(base_ref), tree_of(self.repo, commit), commit)
        subject = found.statement.predicate.subject if found.statement else "?"
        return Looked(subject, data, found)

    def audit(self, *, base_ref: str = "", head: str = "HEAD") -> Audit:
        """Every goal of the newest plan that receipts are carried for, at one commit.

        1. What is carried, here and as fetched. 2. The plan, by its seal. 3. For each goal the
        receipt about this very tree; else the newest, with what changed since. 4. What is missing.
        """
        commit = resolve(self.repo, head)
        tree, measure = tree_of(self.repo, commit), self._measure(base_ref)
        carried = self._carried()  # 1
        seal = self._seal(carried, measure)  # 2
        if seal is None:
            hint = "forsooth done GOAL, or git fetch origin 'refs/forsooth/*:refs/forsooth/*'"
            raise UsageError("no sealed plan is carried here", hint=hint, code="no-receipts")
        goals = [g for g in seal.plan.goals if g.id not in seal.plan.superseded and not g.cadence]
        looked: list[Looked] = []
        for subject in (*(goal.id for goal in goals), "plan"):  # 3
            mine = [one for one in carried.receipts if one.subject == subject]
            best = self._best(mine, seal, measure, tree=tree, commit=commit, goals=goals)
            looked += [best] if best else []
        holding = {one.subject for one in looked if one.found.holds and not one.stale}
        wanted = [goal.id for goal in goals]  # 4
        missing = () if "plan" in holding else tuple(id_ for id_ in wanted if id_ not in holding)
        return Audit(tree, commit, seal.plan.id, tuple(looked), missing, carried.odd, seal)

    def _measure(self, base_ref: str) -> _Ground:
        from forsooth.receipts import signers

        at = resolve(self.repo, base_ref) if base_ref else None
        found = settings(self.repo, self.home, at=at) if at else None
        now = written(self.now())
        if found is None:
            return _Ground((), Policy(), now, None)
        return _Ground(signers.of(found), found.policy, now, at)

    def _carried(self) -> Carried:
        from forsooth.receipts import carry

        places = (carry.REFERENCE, *(carry.theirs(remote) for remote in REMOTES))
        every = [carry.read(self.repo, reference=place) for place in places]
        return carry.Carried(
            tuple(dict.fromkeys(one for c in every for one in c.receipts)),
            tuple(dict.fromkeys(one for c in every for one in c.seals)),
            tuple(dict.fromkeys(path for c in every for path in c.odd)),
        )

    def _seal(self, carried: Carried, measure: _Ground) -> Seal | None:
        from forsooth.receipts.seal import confirmed

        roles = ("person", "judge") if not measure.signers else ("person",)
        found = [
            confirmed(one.data, now=measure.now, signers=measure.signers, roles=roles)
            for one in carried.seals
        ]
        good = [one.seal for one in found if one.holds and one.seal]
        return max(good, key=lambda seal: seal.at) if good else None

    def _best(
        self,
        mine: Iterable[Receipt],
        seal: Seal,
        measure: _Ground,
        *,
        tree: str,
        commit: str,
        goals: list[Goal],
    ) -> Looked | None:
        looked = [
            self._looked(one, seal, measure, tree=tree, commit=commit, goals=goals) for one in mine
        ]
        good = [one for one in looked if one.found.holds]
        exact = [one for one in good if not one.stale]
        return next(iter(reversed(exact or good or looked)), None)

    def _looked(
        self,
        one: Receipt,
        seal: Seal,
        measure: _Ground,
        *,
        tree: str,
        commit: str,
        goals: list[Goal],
    ) -> Looked:
        found = self._verified(one.data, measure, one.tree, commit)
        if found.statement and found.statement.predicate.plan != seal.plan.id:
            return Looked(one.subject, one.data, found, ("another plan",))
        if one.tree == tree:
            return Looked(one.subject, one.data, found)
        since = [change.path for change in changes(self.repo, one.tree, tree)]
        about = [goal for goal in goals if one.subject in (goal.id, "plan")]
        return Looked(one.subject, one.data, found, tuple(_relevant(since, about)))

    def _verified(self, data: bytes, measure: _Ground, tree: str, commit: str) -> Verified:
        from forsooth.receipts.verify import verified

        return verified(
            data,
            signers=measure.signers,
            now=measure.now,
            tree=tree,
            listing_sha256=listing_digest(listing(self.repo, tree)),
            descends=lambda id_: is_ancestor(self.repo, id_, commit),
            floor=measure.policy.isolation,
        )


def _relevant(changed: Iterable[str], goals: list[Goal]) -> list[str]:
    """The changed files that a goal's criteria look at; without declared paths, all of them."""
    criteria = [c for goal in goals for c in goal.criteria]
    if not criteria or any(not c.paths for c in criteria):
        return list(changed)
    wanted = [path.rstrip("/") for c in criteria for path in c.paths]
    return [p for p in changed if any(p == w or p.startswith(f"{w}/") for w in wanted)]
