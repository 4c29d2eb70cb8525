"""SSH signatures (PROTOCOL.sshsig) checked without ssh-keygen: any machine can verify a receipt.

Ed25519, ECDSA, RSA with SHA-2, and hardware keys that were touched. Nothing else is taken, and
nothing here decides whether a key may sign.
"""

from __future__ import annotations

import base64
import hashlib
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from forsooth.receipts.problem import BadReceipt
from forsooth.receipts.public import ECDSA, ED25519, RSA, SK_ECDSA, SK_ED25519, PublicKey
from forsooth.receipts.wire import Torn, Wire, string

MAGIC = b"SSHSIG"
TOUCHED = 0x01
_HASHES = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}
_RSA = {"rsa-sha2-256": hashes.SHA256(), "rsa-sha2-512": hashes.SHA512()}
_CURVES: dict[str, tuple[str, ec.EllipticCurve, hashes.HashAlgorithm]] = {
    ECDSA[0]: ("nistp256", ec.SECP256R1(), hashes.SHA256()),
    ECDSA[1]: ("nistp384", ec.SECP384R1(), hashes.SHA384()),
    ECDSA[2]: ("nistp521", ec.SECP521R1(), hashes.SHA512()),
}
_WEAKEST, _WIDEST = 2048, 16384  # bits of an RSA key; a wider one only costs time
_LINE = 70


class _Parts(NamedTuple):
    key: bytes
    namespace: bytes
    hash: str
    signature: bytes


def verified(blob: bytes, message: bytes, *, namespace: str) -> PublicKey:
    """The key that signed a message for this use; anything else is an error."""
    try:
        parts = _parts(blob)
        if parts.namespace != namespace.encode():
            told = parts.namespace.decode("ascii", "replace")[:60]
            says = f"it was signed for {told!r}, not for {namespace!r}"
            raise BadReceipt(says, code="wrong-namespace")
        hashed = string(_HASHES[parts.hash](message).digest())
        told = string(parts.namespace) + string(b"") + string(parts.hash.encode())
        _check(parts.key, parts.signature, MAGIC + told + hashed)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        raise BadReceipt("its SSH signature does not hold", code="bad-signature") from None
    return PublicKey(parts.key)


def _parts(blob: bytes) -> _Parts:
    wire = Wire(blob)
    if wire.take(len(MAGIC)) != MAGIC or wire.number() != 1:
        raise Torn("not an SSH signature of version 1")
    key, namespace, reserved = wire.string(), wire.string(), wire.string()
    parts = _Parts(key, namespace, wire.text(), wire.string())
    wire.end()
    if reserved or parts.hash not in _HASHES:
        raise Torn("an SSH signature of another kind")
    return parts


def _check(key: bytes, signature: bytes, message: bytes) -> None:
    """Raise unless the signature over the message is by the key."""
    public, signing = Wire(key), Wire(signature)
    kind, algorithm = public.text(), signing.text()
    if kind == RSA:
        _rsa(public, signing, message, algorithm=algorithm)
        return
    if algorithm != kind:
        raise Torn("the signature is of another kind than the key")
    match kind:
        case _ if kind == ED25519:
            _ed25519(public.string(), signing.string(), message)
        case _ if kind in _CURVES:
            _ecdsa(public, signing.string(), message, kind=kind)
        case _ if kind == SK_ED25519:
            point, sig = public.string(), signing.string()
            _ed25519(point, sig, _touched(public, signing, message))
        case _ if kind == SK_ECDSA:
            point = _point(public, ECDSA[0])
            sig = signing.string()
            told = _touched(public, signing, message)
            point.verify(_dss(sig), told, ec.ECDSA(hashes.SHA256()))
        case _:
            raise Torn("a kind of key that is not taken")
    public.end()
    signing.end()


def _ed25519(point: bytes, sig: bytes, message: bytes) -> None:
    Ed25519PublicKey.from_public_bytes(point).verify(sig, message)


def _ecdsa(public: Wire, sig: bytes, message: bytes, *, kind: str) -> None:
    _point(public, kind).verify(_dss(sig), message, ec.ECDSA(_CURVES[kind][2]))


def _point(public: Wire, kind: str) -> ec.EllipticCurvePublicKey:
    name, curve, _ = _CURVES[kind]
    if public.text() != name:
        raise Torn("a key on another curve than its kind says")
    return ec.EllipticCurvePublicKey.from_encoded_point(curve, public.string())


def _dss(sig: bytes) -> bytes:
    wire = Wire(sig)
    pair = wire.mpint(), wire.mpint()
    wire.end()
    return encode_dss_signature(*pair)


def _rsa(public: Wire, signing: Wire, message: bytes, *, algorithm: str) -> None:
    exponent, modulus, sig = public.mpint(), public.mpint(), signing.string()
    public.end()
    signing.end()
    if algorithm not in _RSA or not _WEAKEST <= modulus.bit_length() <= _WIDEST:
        raise Torn("an RSA signature that is not taken")
    key = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    key.verify(sig, message, padding.PKCS1v15(), _RSA[algorithm])


def _touched(public: Wire, signing: Wire, message: bytes) -> bytes:
    """What a hardware key signs; it must say that somebody touched it."""
    application, flags, counter = public.string(), signing.take(1), signing.take(4)
    if not flags[0] & TOUCHED:
        raise BadReceipt("it was signed by a hardware key nobody touched", code="untouched")
    return _sha256(application) + flags + counter + _sha256(message)


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def unarmoured(text: str) -> bytes:
    """The bytes of a signature as ssh-keygen prints it."""
    lines = text.strip().splitlines()
    if lines[:1] != ["-----BEGIN SSH SIGNATURE-----"] or lines[-1] != "-----END SSH SIGNATURE-----":
        raise BadReceipt("ssh-keygen printed no signature", code="bad-signature")
    try:
        return base64.b64decode("".join(lines[1:-1]), validate=True)
    except ValueError:
        raise BadReceipt("ssh-keygen printed no signature", code="bad-signature") from None


def armoured(blob: bytes) -> str:
    """A signature as ssh-keygen takes it."""
    text = base64.b64encode(blob).decode()
    lines = [text[at : at + _LINE] for at in range(0, len(text), _LINE)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])
