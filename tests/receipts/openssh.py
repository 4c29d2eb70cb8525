"""Plain OpenSSH beside ours: keys, signatures by ssh-keygen, and hardware keys made of software."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from forsooth.receipts import sshsig
from forsooth.receipts.dsse import Signature
from forsooth.receipts.public import SK_ECDSA, SK_ED25519, PublicKey, public
from forsooth.receipts.wire import mpint, string

KINDS = {
    "ed25519": ("-t", "ed25519"),
    "p256": ("-t", "ecdsa", "-b", "256"),
    "p384": ("-t", "ecdsa", "-b", "384"),
    "p521": ("-t", "ecdsa", "-b", "521"),
    "rsa": ("-t", "rsa", "-b", "2048"),
}
APPLICATION = b"ssh:"


def made(folder: Path, kind: str = "ed25519") -> Path:
    """A new key, without a passphrase."""
    path = folder / kind
    argv = ["ssh-keygen", "-q", "-N", "", "-C", "ada", *KINDS[kind], "-f", str(path)]
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)
    return path


def half(path: Path) -> PublicKey:
    return public(path.with_name(f"{path.name}.pub").read_text())


def signed(path: Path, message: bytes, *, namespace: str = "forsooth-receipt") -> bytes:
    """A signature by ssh-keygen."""
    argv = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(path)]
    done = subprocess.run(argv, input=message, capture_output=True, check=True)
    return sshsig.unarmoured(done.stdout.decode())


def accepts(folder: Path, key: PublicKey, blob: bytes, *, message: bytes, namespace: str) -> bool:
    """Whether ssh-keygen takes a signature for this key's."""
    (folder / "allowed").write_text(f"ada {key.line}\n")
    (folder / "sig").write_text(sshsig.armoured(blob))
    names = ["-f", str(folder / "allowed"), "-I", "ada", "-n", namespace, "-s", str(folder / "sig")]
    argv = ["ssh-keygen", "-q", "-Y", "verify", *names]
    return not subprocess.run(argv, input=message, capture_output=True, check=False).returncode


class Hardware:
    """A key as a hardware token has it; whether it is touched is ours to say."""

    def __init__(self, kind: str, *, flags: int = 1) -> None:
        self.kind, self.flags = kind, flags
        self._ed = Ed25519PrivateKey.from_private_bytes(b"\7" * 32)
        self._ec = ec.derive_private_key(7, ec.SECP256R1())

    @property
    def public(self) -> PublicKey:
        if self.kind == SK_ED25519:
            point = string(self._ed.public_key().public_bytes_raw())
        else:
            form = Encoding.X962, PublicFormat.UncompressedPoint
            point = string(b"nistp256") + string(self._ec.public_key().public_bytes(*form))
        return PublicKey(string(self.kind.encode()) + point + string(APPLICATION))

    def signature(self, message: bytes, namespace: str) -> Signature:
        told = string(namespace.encode()) + string(b"") + string(b"sha512")
        inner = sshsig.MAGIC + told + string(hashlib.sha512(message).digest())
        tail = bytes([self.flags]) + (5).to_bytes(4, "big")
        over = hashlib.sha256(APPLICATION).digest() + tail + hashlib.sha256(inner).digest()
        if self.kind == SK_ED25519:
            sig = self._ed.sign(over)
        else:
            pair = decode_dss_signature(self._ec.sign(over, ec.ECDSA(hashes.SHA256())))
            sig = b"".join(map(mpint, pair))
        inside = string(self.kind.encode()) + string(sig) + tail
        head = sshsig.MAGIC + (1).to_bytes(4, "big") + string(self.public.blob)
        return Signature(self.public.id, head + told + string(inside))


HARDWARE = (SK_ED25519, SK_ECDSA)
