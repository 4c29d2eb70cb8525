"""Is a receipt to be believed, by whom is it signed, and what is it worth?

Every reason against it is told at once, each with its own code. Who may sign, the tree and the plan
come from the caller, never from the receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from forsooth.core.instant import moment
from forsooth.core.policy import TIERS, Tier
from forsooth.receipts import dsse
from forsooth.receipts.problem import BadReceipt, Problem
from forsooth.receipts.public import PublicKey
from forsooth.receipts.signature import signed
from forsooth.receipts.signers import ROLES, Role, Signer
from forsooth.receipts.statement import Assurance, Predicate, Statement, decoded

_SKEW = timedelta(minutes=5)  # two honest clocks


class Verified(NamedTuple):
    """What a receipt says and what speaks against it.

    `keys` are those whose signatures hold; `signer` is the one of the given signers that counts,
    and none where none were given. There is an assurance only where there is no problem.
    """

    statement: Statement | None
    keys: tuple[PublicKey, ...]
    signer: Signer | None
    role: Role | None
    assurance: Assurance | None
    problems: tuple[Problem, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems


class Counted(NamedTuple):
    """The signer that counts, in the best role it may take, or why none does."""

    signer: Signer | None
    role: Role | None
    problems: tuple[Problem, ...] = ()


def verified(
    envelope: bytes,
    *,
    signers: Sequence[Signer] | None = None,
    now: str,
    tree: str | None = None,
    listing_sha256: str | None = None,
    plan_digest: str | None = None,
    older_plans: Collection[str] = (),
    policy_digest: str | None = None,
    subject: str | None = None,
    branch: str | None = None,
    descends: Callable[[str], bool] | None = None,
    after: int = 0,
    roles: Collection[Role] = ROLES,
    floor: Tier = "none",
) -> Verified:
    """Verify a receipt against what the caller knows; what is not given is not asked.

    `after` is the last line of the ledger that makes an older receipt stale, `descends` says
    whether the work descends from a commit, `branch` is the one that is looked at.
    """
    try:
        opened = _opened(envelope)
        keys = signed(opened)
        statement = decoded(opened.payload)
    except BadReceipt as error:
        return Verified(None, (), None, None, None, (error.problem,))
    said = statement.predicate
    counted = count(keys, signers, roles=roles, at=said.at, now=now)
    assurance: Assurance = "ci" if counted.role == "ci" else "self"
    problems = [
        *counted.problems,
        *_about_tree(statement, tree, listing_sha256),
        *_about_plan(said, plan_digest, older=older_plans, policy=policy_digest),
        *_about_work(said, subject, branch=branch, descends=descends, after=after),
        *_about_proof(said, floor),
    ]
    given = None if problems else assurance
    return Verified(
        statement, keys, counted.signer, counted.role, given, tuple(dict.fromkeys(problems))
    )


def _opened(data: bytes) -> dsse.Envelope:
    found = dsse.opened(data)
    if found.kind != dsse.RECEIPT:
        raise BadReceipt("it is something else that was signed", code="wrong-namespace")
    return found


def count(
    keys: Sequence[PublicKey],
    signers: Sequence[Signer] | None,
    *,
    roles: Collection[Role],
    at: str,
    now: str,
) -> Counted:
    """Who of the signers signed, in the highest role; an empty list is one on which no key is."""
    issued, today = moment(at), moment(now)
    if issued > today + _SKEW:
        return Counted(None, None, (Problem("from-the-future", f"it says it was made at {at}"),))
    if signers is None:
        return Counted(None, None)
    listed = [one for one in signers if one.key in keys]
    if not listed:
        ids = ", ".join(key.id[:12] for key in keys)
        names = ", ".join(dict.fromkeys(one.name for one in signers)) or "none is listed"
        says = f"key {ids} is not one of those that count here ({names})"
        return Counted(None, None, (Problem("unknown-signer", says),))
    found = [_standing(one, roles, issued=issued, today=today) for one in listed]
    good = [one for one in found if one.role]
    return max(good, key=lambda one: ROLES.index(one.role or "judge")) if good else found[0]


def _standing(
    signer: Signer, roles: Collection[Role], *, issued: datetime, today: datetime
) -> Counted:
    """Whether a signer may sign this now; a key that ran out is out, whatever the receipt says."""
    if signer.until and today > signer.until:
        says = f"{signer.name} might sign until {signer.until.isoformat()}"
        return Counted(signer, None, (Problem("expired-signer", says),))
    if signer.since and min(issued, today) < signer.since:
        says = f"{signer.name} may sign from {signer.since.isoformat()}"
        return Counted(signer, None, (Problem("not-yet-valid", says),))
    may = set(signer.roles) & set(roles)
    if not may:
        says = f"{signer.name} may sign as {', '.join(signer.roles)}, not as {', '.join(roles)}"
        return Counted(signer, None, (Problem("wrong-role", says),))
    return Counted(signer, max(may, key=ROLES.index))


def _about_tree(
    statement: Statement, tree: str | None, listing_sha256: str | None
) -> Iterator[Problem]:
    if tree is not None and statement.tree != tree:
        says = f"it is about tree {statement.tree[:12]}, and this is {tree[:12]}"
        yield Problem("other-tree", says)
    elif listing_sha256 is not None and statement.listing_sha256 != listing_sha256:
        yield Problem("other-tree", "the tree has the same git id and another sha256")


def _about_plan(
    said: Predicate, plan_digest: str | None, *, older: Collection[str], policy: str | None
) -> Iterator[Problem]:
    if plan_digest is not None and said.plan_digest != plan_digest:
        if said.plan_digest in older:
            yield Problem("older-plan", f"plan {said.plan_digest[:12]} was sealed anew since")
        else:
            says = f"it is about plan {said.plan_digest[:12]}, not {plan_digest[:12]}"
            yield Problem("other-plan", says)
    if policy is not None and said.policy_digest != policy:
        yield Problem("other-policy", f"it was held to policy {said.policy_digest[:12]}")


def _about_work(
    said: Predicate,
    subject: str | None,
    *,
    branch: str | None,
    descends: Callable[[str], bool] | None,
    after: int,
) -> Iterator[Problem]:
    if subject is not None and said.subject != subject:
        yield Problem("other-goal", f"it is about {said.subject}, not {subject}")
    delivered = said.deliver.removeprefix("branch ").strip()
    if branch is not None and said.deliver != "worktree" and delivered != branch:
        yield Problem("other-branch", f"it is about branch {delivered}, not {branch}")
    base = said.base.commit
    if descends is not None and base is not None and not descends(base):
        yield Problem("not-ancestor", f"the work does not descend from its base {base[:12]}")
    if min(said.ledger.seq, said.verdict.seq) <= after:
        says = f"it stands at line {said.verdict.seq} of the ledger; line {after} made it stale"
        yield Problem("replayed", says)


def _about_proof(said: Predicate, floor: Tier) -> Iterator[Problem]:
    for one in said.checks:
        if one.outcome not in ("pass", "waived"):
            yield Problem("not-passed", f"{one.criterion} is {one.outcome}: {one.code}")
        elif one.outcome == "waived" and one.waiver is None:
            yield Problem("not-passed", f"{one.criterion} is waived, and nobody is named")
    if TIERS.index(said.isolation) < TIERS.index(floor):
        says = f"its checks ran at isolation {said.isolation}, and {floor} is asked for"
        yield Problem("isolation-below-floor", says)
