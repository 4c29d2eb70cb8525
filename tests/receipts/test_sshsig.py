"""SSH signatures: what ssh-keygen makes is taken, what it refuses is refused, and never a crash."""

import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from forsooth.receipts import sshsig
from forsooth.receipts.problem import BadReceipt
from forsooth.receipts.public import SK_ED25519, PublicKey
from forsooth.receipts.wire import Torn, Wire, mpint, string
from tests.receipts import openssh
from tests.receipts.openssh import HARDWARE, KINDS, Hardware

USE, MESSAGE = "forsooth-receipt", b"what is signed"


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("keys")
    return {kind: openssh.made(folder, kind) for kind in KINDS}


def code(blob: bytes, message: bytes = MESSAGE, namespace: str = USE) -> str:
    with pytest.raises(BadReceipt) as caught:
        sshsig.verified(blob, message, namespace=namespace)
    return caught.value.code


def parts(blob: bytes) -> list[bytes]:
    wire = Wire(blob[10:])
    return [wire.string() for _ in range(5)]


def joined(rows: list[bytes]) -> bytes:
    return sshsig.MAGIC + b"\0\0\0\1" + b"".join(map(string, rows))


@pytest.mark.parametrize("kind", KINDS)
def test_what_ssh_keygen_signs_is_verified_without_it(keys: dict, kind: str):
    """Every common kind of key, for the one use and by the one key."""
    blob = openssh.signed(keys[kind], MESSAGE)
    assert sshsig.verified(blob, MESSAGE, namespace=USE) == openssh.half(keys[kind])
    assert code(blob, b"another message") == "bad-signature"
    assert code(blob, namespace="git") == "wrong-namespace"
    assert sshsig.unarmoured(sshsig.armoured(blob)) == blob


@pytest.mark.parametrize("kind", HARDWARE)
@pytest.mark.parametrize("flags", [0, 1, 5])
def test_a_hardware_key_counts_only_when_it_was_touched(tmp_path: Path, kind: str, flags: int):
    """ssh-keygen finds each signature right; an agent could have asked for the untouched one."""
    key = Hardware(kind, flags=flags)
    blob = key.signature(MESSAGE, USE).sig
    assert openssh.accepts(tmp_path, key.public, blob, message=MESSAGE, namespace=USE)
    if flags & 1:
        assert sshsig.verified(blob, MESSAGE, namespace=USE) == key.public
    else:
        assert code(blob) == "untouched"


def test_a_shorter_rsa_hash_is_taken_and_the_old_one_is_not(tmp_path: Path):
    """rsa-sha2-256 holds; SHA-1 and short keys do not, whoever made them."""

    def signed(name: bytes, hash_: hashes.HashAlgorithm, bits: int = 2048) -> bytes:
        private = rsa.generate_private_key(65537, bits)
        numbers = private.public_key().public_numbers()
        key = string(b"ssh-rsa") + mpint(numbers.e) + mpint(numbers.n)
        told = string(USE.encode()) + string(b"") + string(b"sha256")
        digest = hashes.Hash(hashes.SHA256())
        digest.update(MESSAGE)
        inner = sshsig.MAGIC + told + string(digest.finalize())
        sig = string(name) + string(private.sign(inner, padding.PKCS1v15(), hash_))
        return sshsig.MAGIC + b"\0\0\0\1" + string(key) + told + string(sig)

    good = signed(b"rsa-sha2-256", hashes.SHA256())
    key = sshsig.verified(good, MESSAGE, namespace=USE)
    assert openssh.accepts(tmp_path, key, good, message=MESSAGE, namespace=USE)
    assert code(signed(b"ssh-rsa", hashes.SHA1())) == "bad-signature"
    assert code(signed(b"rsa-sha2-256", hashes.SHA256(), 1024)) == "bad-signature"


def test_a_signature_that_is_put_together_oddly_is_refused(keys: dict):
    """Another version, a reserved word, another hash, another curve, a tail, a swapped key."""
    blob = openssh.signed(keys["p256"], MESSAGE)
    key, use, _, name, sig = parts(blob)
    other = openssh.half(keys["ed25519"]).blob
    curve = key.replace(b"nistp256", b"nistp384")
    odd = [
        b"",
        b"SSHSIX" + blob[6:],
        blob.replace(b"SSHSIG\0\0\0\1", b"SSHSIG\0\0\0\2"),
        blob + b"\0",
        joined([key, use, b"x", name, sig]),
        joined([key, use, b"", b"md5", sig]),
        joined([key, use, b"", b"\xff", sig]),
        joined([other, use, b"", name, sig]),
        joined([curve, use, b"", name, sig]),
        joined([key + b"\0", use, b"", name, sig]),
        joined([key, use, b"", name, sig + b"\0"]),
        joined([string(b"ssh-dss"), use, b"", name, string(b"ssh-dss")]),
    ]
    assert [code(one) for one in odd] == ["bad-signature"] * len(odd)


def test_a_number_has_one_spelling():
    """No zero too many before it, none too few, and nothing is not a number."""
    assert [Wire(mpint(n)).mpint() for n in (1, 127, 128, 2**255)] == [1, 127, 128, 2**255]
    for data in (mpint(0), string(b"\0\1"), string(b"\x80"), b"\0\0", b"\0\0\0\5x"):
        with pytest.raises(Torn):
            Wire(data).mpint()


def test_random_damage_is_refused_and_never_crashes(keys: dict):
    """Any byte changed, in any kind of signature, and it does not hold."""
    chance = random.Random(4)
    blobs = [openssh.signed(path, MESSAGE) for path in keys.values()]
    blobs += [Hardware(kind).signature(MESSAGE, USE).sig for kind in HARDWARE]
    for blob in blobs:
        for _ in range(60):
            at = chance.randrange(len(blob))
            bad = blob[:at] + bytes([blob[at] ^ chance.randrange(1, 256)]) + blob[at + 1 :]
            assert code(bad) in ("bad-signature", "wrong-namespace", "untouched")


@pytest.mark.parametrize(
    "text", ["", "x", "-----BEGIN SSH SIGNATURE-----\n!\n-----END SSH SIGNATURE-----"]
)
def test_text_that_is_no_armoured_signature_is_refused(text: str):
    """Whatever ssh-keygen prints, only a signature is one."""
    with pytest.raises(BadReceipt):
        sshsig.unarmoured(text)


def test_a_hardware_key_is_a_key_people_may_list():
    """Its line reads back as the same key."""
    key = Hardware(SK_ED25519).public
    assert isinstance(key, PublicKey)
    assert key.line.startswith("sk-ssh-ed25519@openssh.com AAAA")
