"""Verify a Forsooth receipt without Forsooth: `python verify_receipt.py RECEIPT TREE [KEYID ...]`.

Written from docs/reference/receipt.md; needs only `cryptography`. Is it whole, signed, by a key you
name, about the tree you name, and passed? Whatever raises is a refusal. Who may sign, and until
when, is yours to say.
"""

import base64
import hashlib
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

KIND, USE = "application/vnd.in-toto+json", b"forsooth-receipt"
TYPES = "https://in-toto.io/Statement/v1", "https://forsooth.dev/receipt/v1"
CURVES = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}
RSA = {b"rsa-sha2-256": hashes.SHA256(), b"rsa-sha2-512": hashes.SHA512()}


def need(condition, says="not well formed"):
    if not condition:
        raise ValueError(says)


def exact(text):  # base64 has one spelling
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text)
    return data


def strings(data, count):  # SSH strings, each with its length before it, then what is left
    for _ in range(count):
        end = 4 + int.from_bytes(data[:4], "big")
        need(len(data) >= end)
        yield data[4:end]
        data = data[end:]
    yield data


def by_ssh(blob, message):  # the key that made an SSH signature over a message
    need(blob[:10] == b"SSHSIG\0\0\0\1")
    key, use, reserved, name, signature, rest = strings(blob[10:], 5)
    need((use, reserved, rest) == (USE, b"", b"") and name in (b"sha256", b"sha512"))
    parts = use, b"", name, hashlib.new(name.decode(), message).digest()
    signed = b"SSHSIG" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    kind, (algorithm, sig, rest) = next(strings(key, 1)), strings(signature, 2)
    public = serialization.load_ssh_public_key(kind + b" " + base64.b64encode(key))
    need(kind in (algorithm, b"ssh-rsa"))
    if kind.startswith(b"sk-"):  # a hardware key signs its application, flags and counter too
        need(len(rest) == 5 and rest[0] & 1, "nobody touched the key")
        *_, application, _ = strings(key, 4 if b"ecdsa" in kind else 3)
        signed = hashlib.sha256(application).digest() + rest + hashlib.sha256(signed).digest()
        rest = b""
    need(not rest)
    if isinstance(public, rsa.RSAPublicKey):
        need(public.key_size >= 2048, "a short RSA key")
        public.verify(sig, signed, padding.PKCS1v15(), RSA[algorithm])
    elif isinstance(public, ec.EllipticCurvePublicKey):
        pair = [int.from_bytes(number, "big") for number in list(strings(sig, 2))[:2]]
        both = utils.encode_dss_signature(*pair)
        public.verify(both, signed, ec.ECDSA(CURVES[public.key_size]))
    else:
        public.verify(sig, signed)
    return key[-32:] if kind == b"ssh-ed25519" else key


def by_key(row, message):  # the key that stands beside a plain signature
    need(row["key"].startswith("ed25519:"))
    key = exact(row["key"][8:])
    ed25519.Ed25519PublicKey.from_public_bytes(key).verify(exact(row["sig"]), message)
    return key


def verify(data, tree=None, keyids=()):
    """What a receipt says, when it is to be believed; without key ids, any key will do."""
    outer = json.loads(data)
    spelt = json.dumps(outer, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    need(spelt.encode() == data and set(outer) == {"payload", "payloadType", "signatures"})
    payload, rows = exact(outer["payload"]), outer["signatures"]
    need(outer["payloadType"] == KIND and rows and len(data) <= 1 << 20)
    message = b"DSSEv1 %d %b %d %b" % (len(KIND), KIND.encode(), len(payload), payload)
    for row in rows:
        need(set(row) - {"key"} == {"keyid", "sig"})
        key = by_key(row, message) if "key" in row else by_ssh(exact(row["sig"]), message)
        need(hashlib.sha256(key).hexdigest() == row["keyid"], "the keyid is another key's")
    need(not keyids or {row["keyid"] for row in rows} & set(keyids), "signed by nobody you named")
    statement = json.loads(payload)
    need((statement["_type"], statement["predicateType"]) == TYPES)
    need(tree in (None, statement["subject"][0]["digest"]["gitTree"]), "about another tree")
    checks = statement["predicate"]["checks"]
    good = [c["outcome"] == "pass" or (c["outcome"] == "waived" and c["waiver"]) for c in checks]
    need(good and all(good), "not passed")
    return statement["predicate"]


if __name__ == "__main__":
    print(json.dumps(verify(Path(sys.argv[1]).read_bytes(), sys.argv[2], sys.argv[3:]), indent=1))
