"""A public key as people list it and as signatures name it; nothing is computed with it here.

An `ed25519:` key and the `ssh-ed25519` line of the same key are one key.
"""

from __future__ import annotations

import base64
import hashlib
from typing import NamedTuple

from forsooth.errors import UsageError
from forsooth.receipts import wire
from forsooth.receipts.strict import unbase64

ED25519 = "ssh-ed25519"
RSA = "ssh-rsa"
SK_ED25519 = "sk-ssh-ed25519@openssh.com"
SK_ECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"
ECDSA = ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
KINDS = (ED25519, *ECDSA, RSA, SK_ED25519, SK_ECDSA)
RAW = 32


class PublicKey(NamedTuple):
    """A key by the bytes SSH writes for it."""

    blob: bytes

    @property
    def kind(self) -> str:
        """The algorithm the key is for; empty when the bytes do not say."""
        try:
            return wire.Wire(self.blob).text()
        except wire.Torn:
            return ""

    @property
    def raw(self) -> bytes | None:
        """The 32 bytes of a plain ed25519 key."""
        data = self.blob[-RAW:]
        return data if self == ed25519(data) else None

    @property
    def id(self) -> str:
        """What names the key: the sha256 of an ed25519 key's own bytes, else of SSH's."""
        return hashlib.sha256(self.raw or self.blob).hexdigest()

    @property
    def text(self) -> str:
        """The key as one word for forsooth.toml."""
        return f"ed25519:{base64.b64encode(self.raw).decode()}" if self.raw else self.line

    @property
    def line(self) -> str:
        """The key as OpenSSH writes it."""
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"


def ed25519(raw: bytes) -> PublicKey:
    """The key of these 32 bytes."""
    return PublicKey(wire.string(ED25519.encode()) + wire.string(raw))


def public(text: str) -> PublicKey:
    """Read `ed25519:<base64>` or an OpenSSH line; a comment after it does not count."""
    words = text.split()
    if len(words) == 1 and text.startswith("ed25519:"):
        raw = unbase64(words[0].removeprefix("ed25519:"))
        if raw is not None and len(raw) == RAW:
            return ed25519(raw)
    elif len(words) > 1 and words[0] in KINDS:
        blob = unbase64(words[1])
        if blob is not None and PublicKey(blob).kind == words[0]:
            return PublicKey(blob)
    hint = "ed25519:<base64>, or a line of an OpenSSH .pub file"
    raise UsageError(f"{text[:60]!r} is not a public key", hint=hint, code="bad-key")
