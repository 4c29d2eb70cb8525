"""The seal of a plan as a signed thing that travels: the whole plan, and what it is held to.

Its authority is the signature of a signer listed on the base branch, never where it was found.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from forsooth.core.canonical import digest_of, encode
from forsooth.core.ground import Ground
from forsooth.core.ids import Digest
from forsooth.core.instant import Instant
from forsooth.core.plan import Plan
from forsooth.core.policy import Policy
from forsooth.receipts import dsse, strict
from forsooth.receipts.problem import BadReceipt, Problem
from forsooth.receipts.public import PublicKey
from forsooth.receipts.signature import signed
from forsooth.receipts.signers import Role, Signer
from forsooth.receipts.statement import Part
from forsooth.receipts.verify import count

VERSION = 1


class Seal(Part):
    """What a person confirmed: plan and policy whole, the ground by digest, how and when."""

    v: int
    plan: Plan
    plan_digest: Digest
    policy: Policy
    channel: str
    at: Instant
    ground_digest: Digest | None = None


class Confirmed(NamedTuple):
    """A seal, who signed it, and what speaks against it."""

    seal: Seal | None
    keys: tuple[PublicKey, ...]
    signer: Signer | None
    problems: tuple[Problem, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems


def build(plan: Plan, policy: Policy, *, ground: Ground | None, channel: str, at: str) -> Seal:
    """What is signed when a plan is sealed."""
    return Seal(
        v=VERSION,
        plan=plan,
        plan_digest=plan.digest,
        policy=policy,
        ground_digest=digest_of(ground.plain()) if ground else None,
        channel=channel,
        at=at,
    )


def sign(seal: Seal, key: dsse.Signing) -> bytes:
    """The seal's envelope."""
    return dsse.sign(encode(seal.plain()), key, kind=dsse.SEAL)


def confirmed(
    data: bytes,
    *,
    now: str,
    signers: Sequence[Signer] | None = None,
    roles: Collection[Role] = ("person",),
    plan_digest: str | None = None,
) -> Confirmed:
    """Verify a seal: where signers are given, only a person among them may have made it."""
    try:
        envelope = dsse.opened(data)
        if envelope.kind != dsse.SEAL:
            raise BadReceipt("it is a receipt, not a seal", code="wrong-namespace")
        keys = signed(envelope)
        seal = _read(envelope.payload)
    except BadReceipt as error:
        return Confirmed(None, (), None, (error.problem,))
    counted = count(keys, signers, roles=roles, at=seal.at, now=now)
    problems = list(counted.problems)
    if plan_digest is not None and seal.plan_digest != plan_digest:
        says = f"it seals plan {seal.plan_digest[:12]}, not {plan_digest[:12]}"
        problems.append(Problem("other-plan", says))
    return Confirmed(seal, keys, counted.signer, tuple(problems))


def _read(payload: bytes) -> Seal:
    found = strict.loads(payload, code="bad-statement")
    try:
        seal = Seal.of(found)
    except ValueError as error:
        says = " ".join(str(error).split())[:300]
        raise BadReceipt(f"the seal is not well formed: {says}", code="bad-statement") from None
    if seal.v != VERSION or seal.plan.digest != seal.plan_digest:
        raise BadReceipt("the plan in the seal is not the one it names", code="bad-statement")
    return seal
