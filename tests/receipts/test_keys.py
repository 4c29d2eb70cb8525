"""The judge's key: made once, kept close, and told from what is no key."""

import base64
import multiprocessing
import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from forsooth.errors import CouldNotVerify, UsageError
from forsooth.receipts import keys
from forsooth.receipts.public import PublicKey, public
from tests.receipts.made import key


def _ask(home: str) -> str:
    return keys.judge(Path(home)).public.id


def test_a_key_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path):
    """The second call finds the first one's key, 0600 in a folder of 0700."""
    first = keys.judge(tmp_path)
    path = tmp_path / keys.PLACE
    assert keys.judge(tmp_path).public == first.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["judge.pem"]


def test_two_makers_at_once_end_up_with_one_key(tmp_path: Path):
    """Whoever comes second uses what the first one wrote."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert len(set(pool.map(_ask, [str(tmp_path)] * 4))) == 1


def test_a_maker_that_finds_a_key_there_already_keeps_it(tmp_path: Path):
    """Losing the race is no error, and leaves nothing behind."""
    first = keys.judge(tmp_path)
    keys._make(tmp_path / keys.PLACE)
    assert keys.judge(tmp_path).public == first.public
    assert len(list((tmp_path / keys.PLACE).parent.iterdir())) == 1


def test_a_key_that_others_can_read_is_refused(tmp_path: Path):
    """Its signatures would say nothing; the hint mends it."""
    keys.judge(tmp_path)
    (tmp_path / keys.PLACE).chmod(0o644)
    with pytest.raises(CouldNotVerify) as caught:
        keys.judge(tmp_path)
    assert (caught.value.code, caught.value.hint[:9]) == ("open-key", "chmod 600")


def test_a_file_that_holds_no_ed25519_key_is_refused(tmp_path: Path):
    """Neither rubbish nor a key of another kind is used."""
    keys.judge(tmp_path)
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    for data in (b"rubbish", other):
        (tmp_path / keys.PLACE).write_bytes(data)
        with pytest.raises(CouldNotVerify) as caught:
            keys.judge(tmp_path)
        assert caught.value.code == "bad-key"


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path):
    """A file where the folder should be is an error in our words."""
    (tmp_path / ".local").write_text("in the way")
    with pytest.raises(CouldNotVerify) as caught:
        keys.judge(tmp_path)
    assert caught.value.code == "no-key"


def test_both_spellings_of_a_key_are_one_key():
    """`ed25519:` and the OpenSSH line name the same key, with or without a comment."""
    mine = key().public
    assert public(mine.text) == public(mine.line) == public(f"{mine.line} ada@host") == mine
    assert mine.text.startswith("ed25519:")
    assert mine.line.startswith("ssh-ed25519 AAAA")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ed25519:",
        "ed25519:aGk=",
        "ed25519:_",
        "ed25519:aGk= two",
        f"ed25519:{'A' * 42}B=",
        "ssh-ed25519",
        "ssh-dss AAAA",
        "ssh-ed25519 !",
        "ssh-ed25519 AAAA",
        "ssh-rsa " + key().public.line.split()[1],
        "ssh-ed25519 " + base64.b64encode(b"\0\0\0\1\xff").decode(),
    ],
)
def test_text_that_is_no_public_key_is_refused(text: str):
    """A misspelt key would otherwise be a key that nobody has."""
    with pytest.raises(UsageError) as caught:
        public(text)
    assert caught.value.code == "bad-key"


def test_a_key_of_another_kind_is_named_by_what_ssh_writes():
    """Only an ed25519 key has raw bytes; every key has an id and a line."""
    other = PublicKey(b"\0\0\0\7ssh-rsa" + os.urandom(8))
    assert (other.raw, other.kind, len(other.id)) == (None, "ssh-rsa", 64)
    assert other.text == other.line
