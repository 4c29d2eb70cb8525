"""The user's own key: found where the user said so, used through ssh-keygen, checked after."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify, UsageError
from forsooth.receipts import dsse, ssh, verify
from forsooth.receipts.signers import Signer
from tests.receipts import openssh
from tests.receipts.made import NOW, receipt


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return openssh.made(tmp_path)


@pytest.fixture
def agent(path: Path, tmp_path: Path) -> Iterator[str]:
    """An agent of our own that holds the key, ended with the test."""
    socket = str(tmp_path / "agent")
    with subprocess.Popen(
        ["ssh-agent", "-D", "-a", socket], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout
        process.stdout.readline()
        env = {**os.environ, "SSH_AUTH_SOCK": socket}
        subprocess.run(["ssh-add", "-q", str(path)], env=env, check=True)
        yield socket
        process.terminate()


def tell(home: Path, key: str, *, name: str = ".gitconfig", form: str = "ssh") -> None:
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[gpg]\n\tformat = {form}\n[user]\n\tsigningkey = "{key}"\n')


def test_a_receipt_signed_with_the_user_s_key_is_verified_by_it(tmp_path: Path, path: Path):
    """ssh-keygen signs it, and nothing but the listed key is needed to believe it."""
    key = ssh.user(tmp_path, path=path)
    assert key
    data = receipt(by=key)
    person = Signer("ada", openssh.half(path), ("person",))
    found = verify.verified(data, now=NOW, signers=[person])
    assert (found.problems, found.role) == ((), "person")


def test_ssh_keygen_verifies_what_the_envelope_holds(tmp_path: Path, path: Path):
    """A person with OpenSSH alone can check the signature over the same message."""
    envelope = dsse.opened(receipt(by=ssh.user(tmp_path, path=path)))
    asked = {"message": envelope.message, "namespace": "forsooth-receipt"}
    blob = envelope.signatures[0].sig
    assert openssh.accepts(tmp_path, openssh.half(path), blob, **asked)
    asked["namespace"] = "forsooth-seal"
    assert not openssh.accepts(tmp_path, openssh.half(path), blob, **asked)


def test_a_signature_made_for_another_use_is_not_a_receipt_s(tmp_path: Path, path: Path):
    """What a person signed as a seal, or for git, cannot be moved into a receipt."""
    key = ssh.user(tmp_path, path=path)
    assert key
    envelope = dsse.opened(receipt(by=key))
    for namespace in ("forsooth-seal", "git"):
        moved = key.signature(envelope.message, namespace)
        data = dsse.written(envelope._replace(signatures=(moved,)))
        problems = verify.verified(data, now=NOW).problems
        assert [problem.code for problem in problems] == ["wrong-namespace"]


@pytest.mark.parametrize("name", [".gitconfig", ".config/git/config"])
@pytest.mark.parametrize("suffix", ["", ".pub"])
def test_the_key_is_the_one_the_user_s_git_signs_with(
    tmp_path: Path, path: Path, name: str, suffix: str
):
    """Either half of it, in either of the user's own files, from the home or in full."""
    for told in (f"{path}{suffix}", f"~/{path.name}{suffix}"):
        tell(tmp_path, told, name=name)
        found = ssh.user(tmp_path)
        assert found
        assert (found.public, found.file) == (openssh.half(path), path)


def test_no_ssh_key_told_is_no_key(tmp_path: Path, path: Path):
    """No settings, a GPG key, a path that is not there, and a relative one are no SSH key."""
    assert ssh.user(tmp_path) is None
    tell(tmp_path, str(path), name=".config/git/config")
    tell(tmp_path, str(path), form="openpgp")
    assert ssh.user(tmp_path) is None
    (tmp_path / ".config/git/config").unlink()
    for told in ("/nowhere/key", "key", ""):
        tell(tmp_path, told)
        assert ssh.user(tmp_path) is None


@pytest.mark.parametrize("prefix", ["", "key::"])
def test_a_key_written_out_is_asked_of_the_agent(
    tmp_path: Path, path: Path, prefix: str, agent: str
):
    """The private half never needs to lie in a file we know."""
    tell(tmp_path, f"{prefix}{openssh.half(path).line}")
    key = ssh.user(tmp_path, agent=agent)
    assert key
    assert key.file is None
    assert verify.verified(receipt(by=key), now=NOW).keys == (openssh.half(path),)


def test_a_public_half_alone_is_asked_of_the_agent(tmp_path: Path, path: Path, agent: str):
    """As git does it."""
    path.rename(tmp_path / "away")
    key = ssh.user(tmp_path, path=path.with_name(f"{path.name}.pub"), agent=agent)
    assert key
    assert verify.verified(receipt(by=key), now=NOW).holds


def test_a_key_that_cannot_sign_is_said_in_ssh_keygen_s_words(tmp_path: Path, path: Path):
    """Without its private half and without an agent there is no signature."""
    path.unlink()
    key = ssh.user(tmp_path, path=path)
    assert key
    with pytest.raises(CouldNotVerify, match="ssh-keygen did not sign") as caught:
        key.signature(b"x", "forsooth-receipt")
    assert caught.value.code == "no-signature"


def test_a_key_whose_public_half_is_missing_or_another_s_is_refused(tmp_path: Path, path: Path):
    """Nothing is signed in another key's name."""
    half = path.with_name(f"{path.name}.pub")
    other = openssh.made(tmp_path, "p256")
    key = ssh.UserKey(openssh.half(other), path)
    with pytest.raises(CouldNotVerify, match="another key"):
        key.signature(b"x", "forsooth-receipt")
    half.unlink()
    with pytest.raises(UsageError) as caught:
        ssh.user(tmp_path, path=path)
    assert caught.value.code == "no-key"


def test_an_ssh_keygen_that_hangs_or_is_missing_is_said(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A token nobody touches ends in words; so does a machine without OpenSSH."""
    slow = tmp_path / "bin" / "ssh-keygen"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setattr(ssh, "PLACES", ("/nowhere", str(slow.parent)))
    monkeypatch.setattr(ssh, "SECONDS", 0.2)
    key = ssh.user(tmp_path, path=path)
    assert key
    with pytest.raises(CouldNotVerify) as caught:
        key.signature(b"x", "forsooth-receipt")
    assert caught.value.code == "no-signature"
    monkeypatch.setattr(ssh, "PLACES", ())
    with pytest.raises(CouldNotVerify) as caught:
        key.signature(b"x", "forsooth-receipt")
    assert caught.value.code == "no-ssh"
