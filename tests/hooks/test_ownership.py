"""Only state of the user's own is believed, and nothing is read or written through a link."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.hooks import ownership
from forsooth.hooks.board import find
from tests.hooks.stage import Stage, gate, hook
from tests.ledger.plans import PERSON
from tests.requirements import requirement

STRANGER = 4711
WRITE = {"tool_name": "Write", "tool_input": {"file_path": "README.md"}}
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")


def give_away(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


@as_root
def test_state_that_another_account_owns_says_nothing_and_refuses_nothing(stage: Stage):
    """As git does: a repository that somebody else put into a folder above is none."""
    stage.sealed()
    give_away(stage.common)
    assert find(str(stage.folder), home=str(stage.home)) is None
    ended = stage.process(*hook("claude", "session_start"))
    assert (ended.code, ended.out) == (0, "")
    assert not (stage.state / "sessions").exists()


@as_root
@pytest.mark.parametrize("listed", ["*", "{folder}", "{parent}/*"])
def test_a_repository_that_the_users_git_settings_call_safe_is_believed(stage: Stage, listed):
    """The same way out that git offers, and only from the user's own settings."""
    stage.sealed()
    give_away(stage.common)
    told = listed.format(folder=stage.folder, parent=stage.folder.parent)
    settings = stage.home / ".gitconfig"
    settings.write_text(f"[user]\n\tname = a\n[safe]\n\tdirectory = {told}\n")
    assert find(str(stage.folder), home=str(stage.home)) is not None
    settings.write_text(settings.read_text() + "\tdirectory =\n")
    assert find(str(stage.folder), home=str(stage.home)) is None


@as_root
def test_under_sudo_the_callers_repositories_count(stage: Stage, monkeypatch):
    """As git has it."""
    stage.sealed()
    give_away(stage.common)
    monkeypatch.setenv("SUDO_UID", str(STRANGER))
    assert find(str(stage.folder), home=str(stage.home)) is not None


def test_a_repository_that_came_in_an_archive_says_nothing_and_refuses_nothing(stage: Stage):
    """Its files are the user's own, but nothing was ever recorded in its plan from this home."""
    stage.sealed()
    stage.prompt("ulw")
    for path in stage.home.rglob("*.head"):
        path.unlink()
    assert stage.ask("session_start").context == ""
    assert stage.ask("pre_tool", **WRITE).refusal == ""
    assert stage.stop() == ""
    ended = stage.process(str(gate(stage.folder.parent)), "claude", "session_start")
    assert (ended.code, ended.out) == (0, "")


@requirement("R186")
def test_at_most_600_bytes_of_what_is_on_disk_are_told(stage: Stage):
    """Whatever lies in the file: also when a session is armed, and in a refusal."""
    stage.sealed()
    path = stage.place / "now.json"
    now = json.loads(path.read_text())
    now |= {"recap": "\u00e9" * 100_000, "touch": ["x" * 100_000], "why": "y" * 100_000}
    path.write_text(json.dumps(now))
    assert 0 < len(stage.ask("session_start").context.encode()) <= 600
    assert 0 < len(stage.prompt("ulw").encode()) <= 600
    assert 0 < len(stage.ask("pre_tool", **WRITE).refusal.encode()) <= 600
    assert 0 < len(stage.stop().encode()) <= 600


@pytest.mark.parametrize("name", ["hooks.log", "sessions/s1.json", "sessions/s1.calls"])
def test_a_link_in_our_state_is_never_followed(stage: Stage, name, tmp_path):
    """A file of the user's that a link leads to stays as it was."""
    stage.sealed()
    stage.prompt("ulw")
    victim = tmp_path / "victim"
    victim.write_bytes(b"x\n" * 200_000)
    link = stage.state / name
    link.unlink(missing_ok=True)
    link.symlink_to(victim)
    for event in ("session_start", "pre_tool", "stop"):
        stage.process(*hook("claude", event))
    assert victim.read_bytes() == b"x\n" * 200_000


@pytest.mark.parametrize("name", ["", "plans", "sessions", "bound"])
def test_state_behind_a_linked_folder_is_none_of_ours(stage: Stage, name, tmp_path):
    """A folder elsewhere is neither read nor filled."""
    stage.sealed()
    folder = stage.state / name
    folder.mkdir(exist_ok=True)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert find(str(stage.folder), home=str(stage.home)) is None


def test_a_file_of_another_kind_or_account_is_not_opened(tmp_path):
    """Only a regular file of this account is state."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        ownership.open_own(str(tmp_path / "pipe"), os.O_RDWR)
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with pytest.raises(OSError, match="symbolic links"):
        ownership.open_own(str(tmp_path / "link"), os.O_RDONLY)


@requirement("R185")
def test_fences_end_with_a_persons_stop_and_are_for_armed_sessions_alone(stage: Stage):
    """A session that was never armed is not fenced, nor one after a typed or a plain stop."""
    book = stage.sealed()
    path = stage.place / "now.json"
    now = json.loads(path.read_text()) | {"touch": ["src/**"]}
    path.write_text(json.dumps(now))
    assert stage.ask("pre_tool", "never-armed", **WRITE).refusal == ""
    stage.prompt("ulw")
    assert "README.md" in stage.ask("pre_tool", **WRITE).refusal
    assert stage.ask("pre_tool", "never-armed", **WRITE).refusal == ""
    stage.prompt("/forsooth:stop")
    assert stage.ask("pre_tool", **WRITE).refusal == ""
    stage.prompt("ulw")
    assert stage.ask("pre_tool", **WRITE).refusal
    book.ask(do.Pause(), PERSON)
    assert stage.ask("pre_tool", **WRITE).refusal == ""


def test_nobody_has_a_host_type_a_persons_word_whoever_is_armed(stage: Stage):
    """It would be taken for the person's own."""
    stage.draft()
    call = {"tool_name": "CronCreate", "tool_input": {"prompt": "seal"}}
    assert "only the person types" in stage.ask("pre_tool", **call).refusal
