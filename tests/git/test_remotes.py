"""Refspecs in a configuration: what is added is whole lines, and git reads them as meant."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from forsooth.git.remotes import Remote, remotes, with_fetch, without_fetch

HEADS = "+refs/heads/*:refs/remotes/{}/*"
OURS = "+refs/forsooth/receipts*:refs/forsooth/remotes/origin/receipts*"
CONFIG = f"""\
[core]
	fetch = decoy
[remote "fork"]
	url = fork.git
[Remote "origin"]
	url = remote.git ; a word
	Fetch = {HEADS.format("origin")}
	pushurl = other.git
[branch "main"]
	remote = origin
"""


def asked(folder: Path, config: bytes) -> list[str]:
    """What git itself reads in a configuration."""
    (folder / "config").write_bytes(config)
    argv = ["git", "config", "-f", str(folder / "config"), "--get-all", "remote.origin.fetch"]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def test_only_a_remote_that_fetches_something_is_one_to_add_to():
    """Where nothing is fetched by default, ours would be all that is."""
    assert remotes(CONFIG.encode()) == (Remote("origin", (HEADS.format("origin"),), 7),)


@pytest.mark.parametrize(
    "config",
    [
        CONFIG.encode(),
        CONFIG.replace("\n", "\r\n").encode(),
        CONFIG.encode().replace(b"other.git", b"\xff\xfe.git"),
        CONFIG.encode() + f'[remote "origin"]\n\tfetch = {HEADS.format("more")}\n'.encode(),
    ],
    ids=["plain", "crlf", "not-utf8", "twice"],
)
def test_a_line_comes_and_goes_and_git_reads_it(tmp_path: Path, config: bytes):
    """Taken out again, not a byte is different."""
    (remote,) = remotes(config)
    grown = with_fetch(config, remote, OURS)
    assert asked(tmp_path, grown) == [*asked(tmp_path, config), OURS]
    assert without_fetch(grown, OURS) == config
    assert len(grown.splitlines()) == len(config.splitlines()) + 1


def test_a_last_line_without_an_end_gets_one(tmp_path: Path):
    """The two refspecs never run into one."""
    config = f'[remote "origin"]\n\tfetch = {HEADS.format("origin")}'.encode()
    grown = with_fetch(config, remotes(config)[0], OURS)
    assert asked(tmp_path, grown) == [HEADS.format("origin"), OURS]


@pytest.mark.parametrize("name", ["a b", "-x", "..", "a..b", 'q\\"t', "a/../b", "ü", "a*"])
def test_a_remote_with_an_odd_name_is_left_alone(name: str):
    """Its name would become part of a refspec."""
    assert remotes(f'[remote "{name}"]\n\tfetch = x\n'.encode()) == ()
