"""Does every signature of an envelope hold, and by which key?

A key id is never believed: it must be the id of the key that really signed. One signature that
does not hold spoils the envelope.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from forsooth.errors import UsageError
from forsooth.receipts import sshsig
from forsooth.receipts.dsse import NAMESPACES, Envelope, Signature, opened
from forsooth.receipts.problem import BadReceipt
from forsooth.receipts.public import PublicKey, public


def signed(envelope: Envelope) -> tuple[PublicKey, ...]:
    """The keys that signed, in order."""
    namespace = NAMESPACES[envelope.kind]
    return tuple(_key(one, envelope.message, namespace=namespace) for one in envelope.signatures)


def _key(signature: Signature, message: bytes, *, namespace: str) -> PublicKey:
    key = (
        _raw(signature, message)
        if signature.key
        else sshsig.verified(signature.sig, message, namespace=namespace)
    )
    if key.id != signature.keyid:
        raise BadReceipt("its keyid is not that of the key that signed", code="bad-signature")
    return key


def _raw(signature: Signature, message: bytes) -> PublicKey:
    try:
        key = public(signature.key)
        if key.raw is None or key.text != signature.key:
            raise BadReceipt("its key is not written as an ed25519 key", code="bad-signature")
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature.sig, message)
    except (InvalidSignature, UsageError, ValueError):
        raise BadReceipt("its signature does not hold", code="bad-signature") from None
    return key


def signers_of(data: bytes) -> tuple[PublicKey, ...]:
    """The keys that signed the envelope in some bytes; none where it is not to be believed."""
    try:
        return signed(opened(data))
    except BadReceipt:
        return ()
