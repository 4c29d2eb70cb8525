"""What is signed here, and whether a signed line of the ledger counts.

A verdict and a receipt count only when the bytes that sign them are kept, verify, say what the line
says, and were signed with this account's own judge key. Cryptography is loaded when one is met.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from forsooth.core.canonical import encode
from forsooth.core.event import Event, ReceiptIssued, VerdictGiven
from forsooth.core.receipt import Receipt
from forsooth.core.verdict import Verdict
from forsooth.errors import ForsoothError, UsageError

if TYPE_CHECKING:
    from forsooth.receipts.public import PublicKey
    from forsooth.receipts.signers import Signer

HOME = "this home"


def signed_verdict(home: Path, verdict: Verdict) -> bytes:
    """The envelope that signs a verdict."""
    from forsooth.receipts import dsse, keys

    return dsse.sign(encode(verdict.plain()), keys.judge(home), kind=dsse.VERDICT)


def counts(home: Path, load: Callable[[str], bytes]) -> Callable[[Event], bool]:
    """Whether a line that needs a signature has one; what cannot be read has none."""

    def answer(event: Event) -> bool:
        try:
            match event.fact:
                case VerdictGiven() as fact if fact.envelope:
                    return _signs_verdict(home, load(fact.envelope), fact.verdict)
                case ReceiptIssued() as fact:
                    data = load(fact.receipt.envelope)
                    return _signs_receipt(home, data, fact.receipt, at=event.at)
                case _:
                    return False
        except (ForsoothError, OSError):
            return False

    return answer


def home_signers(home: Path) -> tuple[Signer, ...]:
    """Who counts where no signer is listed: this home's judge, and the key its git signs with."""
    from forsooth.receipts import ssh
    from forsooth.receipts.signers import Signer

    keys = [own] if (own := _own(home)) else []
    with suppress(UsageError):  # a key without its public half signs nothing here either
        keys += [user.public] if (user := ssh.user(home)) else []
    return tuple(Signer(HOME, key, ("judge", "person")) for key in keys)


def _own(home: Path) -> PublicKey | None:
    """The key of this account's judge; none is made by asking."""
    from forsooth.receipts import keys

    return keys.judge(home).public if (home / keys.PLACE).exists() else None


def _signs_verdict(home: Path, data: bytes, verdict: Verdict) -> bool:
    from forsooth.receipts import dsse
    from forsooth.receipts.signature import signed

    envelope = dsse.opened(data)
    if envelope.kind != dsse.VERDICT or envelope.payload != encode(verdict.plain()):
        return False
    return _own(home) in signed(envelope)


def _signs_receipt(home: Path, data: bytes, receipt: Receipt, *, at: str) -> bool:
    from forsooth.receipts.verify import verified

    found = verified(
        data,
        now=at,
        tree=receipt.tree,
        plan_digest=receipt.plan_digest,
        subject=receipt.subject,
    )
    said = found.statement.predicate.verdict.seq if found.statement else 0
    return found.holds and said == receipt.verdict and _own(home) in found.keys
