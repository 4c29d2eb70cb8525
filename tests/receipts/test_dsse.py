"""The envelope: one spelling, strict reading, and the same bytes as the reference signs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some
from securesystemslib.dsse import Envelope as Theirs
from securesystemslib.signer import SSlibKey

from forsooth.receipts import dsse, strict
from forsooth.receipts.problem import BadReceipt
from forsooth.receipts.signature import signed, signers_of
from tests.receipts.made import key, receipt


def code(data: bytes) -> str:
    with pytest.raises(BadReceipt) as caught:
        signed(dsse.opened(data))
    return caught.value.code


def changed(**fields) -> bytes:
    found = json.loads(receipt()) | fields
    return json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def row(**fields) -> dict:
    found = json.loads(receipt())["signatures"][0] | fields
    return {name: value for name, value in found.items() if value is not None}


@given(some.binary(max_size=300), some.sampled_from([dsse.RECEIPT, dsse.SEAL]))
def test_the_signed_message_is_the_reference_s(payload: bytes, kind: str):
    """Whatever is signed here, securesystemslib would sign the same bytes."""
    theirs = Theirs(payload=payload, payload_type=kind, signatures={})
    assert dsse.pae(kind, payload) == theirs.pae()


def test_the_reference_verifies_what_is_signed_here():
    """Another implementation reads the envelope and finds the signature good."""
    theirs = Theirs.from_dict(json.loads(receipt()))
    raw = key().public.raw
    assert raw
    known = SSlibKey(key().public.id, "ed25519", "ed25519", {"public": raw.hex()})
    assert theirs.verify([known], 1) == {known.keyid: known}


def test_what_is_opened_is_what_was_signed():
    """The payload comes back byte for byte, with the key that signed it."""
    data = dsse.sign(b'{ "b":1,\n"a":2}', key())
    found = dsse.opened(data)
    assert (found.payload, signed(found)) == (b'{ "b":1,\n"a":2}', (key().public,))
    assert dsse.written(found) == data


def test_a_second_signer_adds_to_the_first_and_never_twice():
    """Each key signs once; signing again replaces its own signature only."""
    both = dsse.cosign(receipt(), key(2))
    assert signed(dsse.opened(both)) == (key(1).public, key(2).public)
    assert dsse.cosign(both, key(2)) == both
    assert signers_of(both) == (key(1).public, key(2).public)
    bad = dsse.opened(both).signatures[1]._replace(sig=b"0" * 64)
    worse = dsse.opened(both)._replace(signatures=(dsse.opened(both).signatures[0], bad))
    assert signers_of(dsse.written(worse)) == ()


@pytest.mark.parametrize("cut", [0, 1, 50, -1, -2, -3])
def test_an_envelope_that_ends_too_soon_is_truncated(cut: int):
    """Half a file has a code of its own."""
    assert code(receipt()[:cut]) == "truncated"


@pytest.mark.parametrize(
    "data",
    [
        b"}",
        b"{}",
        b'{"payload":1,"payload":2}',
        b'{"a":1.5}',
        b'{"a":NaN}',
        b'{"a":9007199254740993}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b"[" * 99_999 + b"}",
        b'{"a":' * 900 + b"{" + b"}" * 901,
        b" " * strict.LARGEST + b"{}",
        receipt() + b"\n",
        json.dumps(json.loads(receipt()), indent=1).encode(),
        changed(payload="a"),
        changed(payload="_-8="),
        changed(payload="aGl="),
        changed(payload="é"),
        changed(payload=7),
        changed(payloadType=None),
        changed(more=1),
        changed(signatures=[]),
        changed(signatures=[7]),
        changed(signatures=[row(), row()]),
        changed(signatures=[row(keyid="x")]),
        changed(signatures=[row(sig=None)]),
        changed(signatures=[row(key=3)]),
        changed(signatures=[row(key="")]),
        changed(signatures=[row(more="x")]),
        changed(signatures=[row(keyid=f"{n:064x}") for n in range(17)]),
    ],
)
def test_bytes_that_are_no_envelope_are_refused_and_never_crash(data: bytes):
    """Every odd spelling has the one code."""
    assert code(data) == "bad-envelope"


@pytest.mark.parametrize(
    "fields",
    [
        {"keyid": "0" * 64},
        {"sig": "aGk="},
        {"key": "ed25519:aGk="},
        {"key": key(2).public.text},
        {"key": key().public.line},
        {"key": None},
    ],
)
def test_a_signature_that_is_not_by_the_key_it_names_does_not_hold(fields: dict):
    """A key id is a hint that is checked, and a key beside a signature must have made it."""
    assert code(changed(signatures=[row(**fields)])) == "bad-signature"


def test_one_bad_signature_spoils_the_envelope():
    """A good signature does not vouch for a bad one beside it."""
    bad = row(keyid=key(2).public.id, key=key(2).public.text)
    assert code(changed(signatures=[row(), bad])) == "bad-signature"


def test_an_envelope_that_nobody_would_read_is_not_written():
    """What is too large to verify is refused when it is made."""
    with pytest.raises(BadReceipt):
        dsse.sign(b"x" * strict.LARGEST, key())


def test_a_payload_of_another_kind_is_for_another_use():
    """A signature for something else is never taken for a receipt's."""
    assert code(changed(payloadType="text/plain")) == "wrong-namespace"
