"""From a passing verdict to a receipt: signed, kept with the ledger, and carried by the repository.

A goal is done by the line that names its receipt, and by no other. Nothing here decides what
passes: the gate does, on a verdict that verifies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forsooth import __version__
from forsooth.core import command as do
from forsooth.core.actor import JUDGE
from forsooth.core.event import VerdictGiven
from forsooth.core.gate import may_attest
from forsooth.core.instant import written
from forsooth.core.reason import Reason
from forsooth.core.receipt import Receipt
from forsooth.core.state import Proof, State
from forsooth.core.verdict import Verdict
from forsooth.errors import Refused, UsageError
from forsooth.git.objects import tree_of
from forsooth.git.trees import listing, listing_digest
from forsooth.ledger.ledger import Outcome
from forsooth.project.shelf import Shelf
from forsooth.project.signing import signed_verdict

if TYPE_CHECKING:
    from forsooth.judge.seen import Seen
    from forsooth.receipts.public import PublicKey
    from forsooth.receipts.statement import Sealed, Statement


class Issued(NamedTuple):
    """A receipt, as its bytes and as what it says."""

    data: bytes
    statement: Statement
    outcome: Outcome


class Cosigned(NamedTuple):
    """A receipt with a person's signature, and the key that made it."""

    data: bytes
    key: PublicKey


class Attesting(Shelf):
    """Receipts for what was proven."""

    def give(self, plan: str, verdict: Verdict) -> Outcome:
        """Record a verdict, signed with the judge's key."""
        envelope = self.ledger(plan).blobs.put(signed_verdict(self.home, verdict))
        return self.ask(plan, do.Give(verdict=verdict, envelope=envelope), by=JUDGE)

    def attest(self, plan: str, seen: Seen, *, summary: str = "") -> Issued | None:
        """Issue the receipt of the verdict just recorded; none when the gate says no.

        1. The state from the first line on: no snapshot decides. 2. The gate. 3. What is stated,
        signed and kept. 4. The line. 5. The reference that carries receipts.
        """
        from forsooth.receipts import dsse, keys, statement

        ledger = self.ledger(plan)
        state = ledger.proven_state()  # 1
        subject = seen.verdict.subject
        if may_attest(state, subject, now=self.now()):  # 2
            return None
        said = self._stated(state, seen, head=ledger.head)
        data = dsse.sign(statement.encoded(said), keys.judge(self.home))  # 3
        given = state.goals[subject].verdict if subject != "plan" else state.verdict
        receipt = Receipt(
            subject=subject,
            tree=seen.verdict.tree,
            plan_digest=state.plan_digest,
            verdict=given.seq if given else 1,
            envelope=ledger.blobs.put(data),
            commit=seen.verdict.commit,
            summary=summary,
            worktree=self.repo.worktree,
        )
        outcome = self.ask(plan, do.Attest(receipt=receipt), by=JUDGE)  # 4
        self._carry(state, receipt, data)  # 5
        return Issued(data, said, outcome)

    def _carry(self, state: State, receipt: Receipt, data: bytes) -> None:
        """Put a receipt and the seal it rests on where the repository carries them."""
        from forsooth.receipts import carry, seal

        kept, at = carry.Receipt(receipt.tree, receipt.subject, data), written(self.now())
        read = [(seal.confirmed(one, now=at).seal, one) for one in self._seals(state)]
        seals = [carry.Seal(one.plan_digest, envelope) for one, envelope in read if one]
        carry.add(self.repo, [kept], at=at, seals=seals)

    def _stated(self, state: State, seen: Seen, *, head: str) -> Statement:
        from forsooth.receipts import statement

        plan = state.definition
        assert plan is not None  # noqa: S101
        subject = seen.verdict.subject
        given = state.goals[subject].verdict if subject != "plan" else state.verdict
        waivers = {id_: w for one in state.live for id_, w in one.waivers.items()}
        return statement.build(
            seen.verdict,
            plan,
            listing_sha256=listing_digest(listing(self.repo, seen.verdict.tree)),
            policy=state.policy,
            seal=self._sealed_by(state),
            ledger=statement.Place(seq=state.seq, head=head),
            seq=given.seq if given else 0,
            at=written(self.now()),
            tool=f"forsooth {__version__}",
            ground=state.ground,
            waivers=waivers,
            environment=statement.Environment(
                key=state.ground.environment if state.ground else "",
                kind=seen.recipe.kind,
                how=seen.how,
                digests={one.name: one.content for one in state.ground.pins}
                if state.ground
                else {},
            ),
            committed=self._holds(seen.verdict),
            cost=statement.Cost(
                micros=state.cost,
                tokens=state.tokens,
                judged_ms=sum(finding.took for finding in seen.verdict.findings),
            ),
        )

    def _holds(self, verdict: Verdict) -> bool:
        """Whether the commit a verdict names is one of the tree that was judged."""
        commit = verdict.commit
        return commit is None or tree_of(self.repo, commit) == verdict.tree

    def _seals(self, state: State) -> tuple[bytes, ...]:
        """What a person sealed, as it is signed."""
        if not state.seal_envelope or state.plan is None:
            return ()
        return (self.ledger(state.plan.id).blobs.get(state.seal_envelope),)

    def _sealed_by(self, state: State) -> Sealed:
        """How the plan was confirmed, by which key, and what it was then."""
        from forsooth.receipts import seal
        from forsooth.receipts.statement import Sealed

        said = Sealed(channel=state.seal_channel, at=state.sealed_at or state.at)
        for data in self._seals(state):
            found = seal.confirmed(data, now=written(self.now()))
            if found.seal:
                named = {"signer": found.keys[0].id, "plan_digest": found.seal.plan_digest}
                said = said.but(**named)
        return said

    def _issued_then(self, state: State, proof: Proof) -> Issued:
        """A receipt that was issued before; carried, should whoever issued it have been stopped."""
        assert state.plan is not None  # noqa: S101
        data = self._fullest(self.ledger(state.plan.id).blobs.get(proof.receipt.envelope))
        self._carry(state, proof.receipt, data)
        return Issued(data, _said(data), Outcome((), state))

    def _seen_then(self, plan: str, proof: Proof) -> Seen:
        """What was seen when a receipt was issued."""
        from forsooth.judge.environment.recipe import Recipe
        from forsooth.judge.seen import Seen

        ledger, given = self.ledger(plan), proof.receipt.verdict
        facts = [event.fact for event in ledger.events() if event.seq == given]
        verdict = next(fact.verdict for fact in facts if isinstance(fact, VerdictGiven))
        said = _said(ledger.blobs.get(proof.receipt.envelope)).predicate.environment
        return Seen(verdict, Recipe.of({"kind": said.kind}), said.how, ())

    def receipt(self, plan: str, subject: str) -> bytes | None:
        """The receipt of a goal, or of the plan, as it was signed; none when there is none."""
        ledger = self.ledger(plan)
        state = ledger.proven_state()
        one = state.goals.get(subject)
        proof = one.proof if one else state.proof if subject == "plan" else None
        return self._fullest(ledger.blobs.get(proof.receipt.envelope)) if proof else None

    def _fullest(self, data: bytes) -> bytes:
        """The same receipt with every signature it was given since."""
        from forsooth.receipts import carry
        from forsooth.receipts.signature import signers_of

        payload = data.partition(b'"signatures"')[0]
        every = [one.data for one in carry.read(self.repo).receipts]
        same = [data, *(one for one in every if one.startswith(payload))]
        return max(same, key=lambda one: len(signers_of(one)))

    def cosign(self, plan: str, subject: str) -> Cosigned | None:
        """Put a person's own signature beside the judge's; none where there is no receipt."""
        from forsooth.receipts import carry, dsse, ssh

        if not self.actor.is_person:
            says = "only a person signs with a key of their own, and none was heard"
            hint = f"ask a person, at a terminal: forsooth receipt sign {subject}"
            raise Refused((Reason("not-a-person", says, hint),))
        data = self.receipt(plan, subject)
        if data is None:
            return None
        own = ssh.user(self.home, agent=self.ssh_agent)
        if own is None:
            says = "your git signs with no SSH key"
            hint = "git config --global gpg.format ssh, and user.signingkey ~/.ssh/id_ed25519.pub"
            raise UsageError(says, hint=hint, code="no-key")
        signed = dsse.cosign(data, own)
        tree = _said(data).tree
        carry.add(self.repo, [carry.Receipt(tree, subject, signed)], at=written(self.now()))
        return Cosigned(signed, own.public)


def _said(data: bytes) -> Statement:
    from forsooth.receipts import dsse, statement

    return statement.decoded(dsse.opened(data).payload)
