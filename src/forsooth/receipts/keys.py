"""The judge's own key: ed25519, made when first asked for, readable by this account alone.

An agent under the same account can read it too; what that makes of a receipt, `assurance` says.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from forsooth.errors import CouldNotVerify
from forsooth.receipts.dsse import Signature
from forsooth.receipts.public import PublicKey, ed25519

PLACE = ".local/state/forsooth/keys/judge.pem"


class JudgeKey:
    """A private key that signs messages as they are."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private

    @property
    def public(self) -> PublicKey:
        """The half that others may know."""
        return ed25519(self._private.public_key().public_bytes_raw())

    def signature(self, message: bytes, namespace: str) -> Signature:  # noqa: ARG002
        """Sign a message; the envelope's type in it says what for."""
        return Signature(self.public.id, self._private.sign(message), self.public.text)


def judge(home: Path) -> JudgeKey:
    """The judge's key under a home, made if there is none."""
    path = home / PLACE
    try:
        if not path.exists():
            _make(path)
        return JudgeKey(_read(path))
    except OSError as error:
        says = f"{path} cannot be used: {error.strerror}"
        raise CouldNotVerify(says, code="no-key") from None


def _make(path: Path) -> None:
    """Write a key whole under another name first: of two makers, one wins and both use its key."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(fresh)
        except FileExistsError:
            return
    finally:
        fresh.unlink()


def _read(path: Path) -> Ed25519PrivateKey:
    if path.stat().st_mode & 0o077:
        says = f"{path} can be read by other accounts"
        raise CouldNotVerify(says, hint=f"chmod 600 {path}", code="open-key")
    try:
        found = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError):
        found = None
    if not isinstance(found, Ed25519PrivateKey):
        raise CouldNotVerify(f"{path} holds no ed25519 key", hint=f"rm {path}", code="bad-key")
    return found
