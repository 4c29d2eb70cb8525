"""The envelope (DSSE v1): opaque bytes, what they are, and who signed both.

The payload is never written anew: what was signed is what is read. An envelope has one spelling,
so that every byte of a receipt counts.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple, Protocol, cast

from forsooth.core.canonical import encode
from forsooth.receipts import strict
from forsooth.receipts.problem import BadReceipt

RECEIPT = "application/vnd.in-toto+json"
SEAL = "application/vnd.forsooth.seal+json"
VERDICT = "application/vnd.forsooth.verdict+json"
NAMESPACES = {RECEIPT: "forsooth-receipt", SEAL: "forsooth-seal", VERDICT: "forsooth-verdict"}

_MOST = 16
_OPENS, _CLOSES = b'{"payload":"', b"]}"
_KEYID = re.compile(r"[0-9a-f]{64}")


class Signature(NamedTuple):
    """One signature: raw ed25519 by the `key` that stands beside it, else an SSHSIG."""

    keyid: str
    sig: bytes
    key: str = ""


class Envelope(NamedTuple):
    """A payload, its type, and its signatures."""

    payload: bytes
    kind: str
    signatures: tuple[Signature, ...]

    @property
    def message(self) -> bytes:
        """What the signatures are over."""
        return pae(self.kind, self.payload)


class Signing(Protocol):
    """Whatever can sign: the judge's key, or the user's through ssh-keygen."""

    def signature(self, message: bytes, namespace: str) -> Signature:
        """Sign a message for one use and no other."""
        ...


def pae(kind: str, payload: bytes) -> bytes:
    """Type and payload as one message that can be read one way only."""
    name = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(payload), payload)


def sign(payload: bytes, key: Signing, *, kind: str = RECEIPT) -> bytes:
    """The bytes of an envelope with one signature."""
    return written(Envelope(payload, kind, (key.signature(pae(kind, payload), NAMESPACES[kind]),)))


def cosign(data: bytes, key: Signing) -> bytes:
    """The envelope with one more signature; the same key's earlier one is replaced."""
    envelope = opened(data)
    added = key.signature(envelope.message, NAMESPACES[envelope.kind])
    kept = tuple(one for one in envelope.signatures if one.keyid != added.keyid)
    return written(envelope._replace(signatures=(*kept, added)))


def written(envelope: Envelope) -> bytes:
    """The one spelling of an envelope; one that nobody would read is not written."""
    rows = [
        {"keyid": one.keyid, "sig": _base64(one.sig)} | ({"key": one.key} if one.key else {})
        for one in envelope.signatures
    ]
    payload = _base64(envelope.payload)
    data = encode({"payload": payload, "payloadType": envelope.kind, "signatures": rows})
    if len(data) > strict.LARGEST:
        raise _bad(f"{len(data)} bytes; the largest taken is {strict.LARGEST}")
    return data


def opened(data: bytes) -> Envelope:
    """Read an envelope; its signatures are not yet believed."""
    if _OPENS.startswith(data[: len(_OPENS)]) and not data.rstrip().endswith(_CLOSES):
        raise BadReceipt("the envelope ends before it is complete", code="truncated")
    found = strict.loads(data, code="bad-envelope")
    match found:
        case {"payload": str(payload), "payloadType": str(kind), "signatures": [*rows]}:
            envelope = Envelope(_bytes(payload), kind, tuple(map(_signature, rows)))
        case _:
            raise _bad("payload, payloadType and signatures are what it must hold")
    ids = [one.keyid for one in envelope.signatures]
    if not 1 <= len(ids) <= _MOST or len(set(ids)) != len(ids):
        raise _bad(f"it must have 1 to {_MOST} signatures, each by another key")
    if kind not in NAMESPACES:
        raise BadReceipt(f"its payload is {kind[:80]!r}, not a receipt", code="wrong-namespace")
    if written(envelope) != data:
        raise _bad("it is not spelt the one way an envelope is spelt")
    return envelope


def _signature(row: Any) -> Signature:
    match row:
        case {"keyid": str(keyid), "sig": str(sig)} if _KEYID.fullmatch(keyid):
            key = cast("dict[str, Any]", row).get("key", "")
            if isinstance(key, str):
                return Signature(keyid, _bytes(sig), key)
        case _:
            pass
    raise _bad("a signature must have a keyid, a sig and perhaps a key")


def _bytes(text: str) -> bytes:
    data = strict.unbase64(text)
    if data is None:
        raise _bad("its base64 is not the standard one")
    return data


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bad(says: str) -> BadReceipt:
    return BadReceipt(f"not an envelope: {says}", code="bad-envelope")
