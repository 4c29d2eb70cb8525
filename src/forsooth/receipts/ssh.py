"""The user's own SSH key, used through ssh-keygen: agents and hardware keys included.

Which key is the user's own configuration's to say, never the repository's: an agent writes there.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify, UsageError
from forsooth.git import config
from forsooth.git.run import PLACES
from forsooth.receipts import sshsig
from forsooth.receipts.dsse import Signature
from forsooth.receipts.public import PublicKey, public

SECONDS = 60  # a hardware key waits for a finger
_FILES = (".gitconfig", ".config/git/config")


class UserKey(NamedTuple):
    """A key by its public half; `file` is the private one, and without it the agent signs."""

    public: PublicKey
    file: Path | None = None
    agent: str = ""

    def signature(self, message: bytes, namespace: str) -> Signature:
        """Sign a message for one use; what comes back is checked before it is used."""
        with tempfile.TemporaryDirectory(prefix="forsooth-ssh-") as name:
            path = self.file
            if path is None:
                path = Path(name, "key.pub")
                path.write_text(f"{self.public.line}\n", encoding="ascii")
            blob = sshsig.unarmoured(_signed(path, message, namespace=namespace, agent=self.agent))
        if sshsig.verified(blob, message, namespace=namespace) != self.public:
            raise CouldNotVerify("ssh-keygen signed with another key", code="no-key")
        return Signature(self.public.id, blob)


def user(home: Path, *, agent: str = "", path: Path | None = None) -> UserKey | None:
    """The key a person signs with: a file that is named, or git's own user.signingkey."""
    if path is not None:
        return _at(path, agent)
    told = _told(home)
    if told.startswith(("ssh-", "ecdsa-", "sk-")):
        return UserKey(public(told), agent=agent)
    if told.startswith("key::"):
        return UserKey(public(told.removeprefix("key::")), agent=agent)
    file = home / told.removeprefix("~/") if told.startswith("~/") else Path(told)
    return _at(file, agent) if told and file.is_absolute() and file.is_file() else None


def _told(home: Path) -> str:
    """What the user's own git signs with, when that is an SSH key."""
    return _value(home, "user.signingkey") if _value(home, "gpg.format") == "ssh" else ""


def _value(home: Path, name: str) -> str:
    return next(filter(None, (config.value(home / file, name) for file in _FILES)), "")


def _at(path: Path, agent: str) -> UserKey:
    """A key by the path of either half; without the private half, the agent has it."""
    private = path.with_suffix("") if path.suffix == ".pub" else path
    half = private.with_name(f"{private.name}.pub")
    try:
        key = public(half.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        says = f"{half} cannot be read"
        raise UsageError(says, hint=f"ssh-keygen -y -f {private} > {half}", code="no-key") from None
    return UserKey(key, private if private.is_file() else None, agent)


def _signed(path: Path, message: bytes, *, namespace: str, agent: str) -> str:
    argv = [_program(), "-Y", "sign", "-n", namespace, "-f", str(path)]
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"} | ({"SSH_AUTH_SOCK": agent} if agent else {})
    try:
        done = subprocess.run(
            argv, env=env, input=message, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        says = f"ssh-keygen did not sign within {SECONDS} seconds"
        raise CouldNotVerify(says, code="no-signature") from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
        hint = "ssh-add, or name another key"
        raise CouldNotVerify(f"ssh-keygen did not sign: {said}", hint=hint, code="no-signature")
    return done.stdout.decode("ascii", "replace")


def _program() -> str:
    """The ssh-keygen that is used, never one found through the caller's PATH."""
    for place in PLACES:
        path = Path(place, "ssh-keygen")
        if path.is_file():
            return str(path)
    raise CouldNotVerify("ssh-keygen is not installed", hint="install OpenSSH", code="no-ssh")
