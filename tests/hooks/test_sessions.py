"""The file of a session: its form, its name, its lock, and how it ends."""

from __future__ import annotations

import fcntl
import json
import os

import pytest

from forsooth.hooks.board import Unreadable
from forsooth.hooks.sessions import DAYS, Session, Sessions, instant, is_name
from tests.hooks.stage import NOON, Stage
from tests.requirements import requirement


@requirement("R182")
def test_a_session_s_file_holds_the_named_keys_outside_the_work_tree(stage: Stage):
    """Inside the git folder, where nothing is ever committed."""
    stage.sealed()
    stage.prompt("ulw")
    stage.stop()
    stage.prompt("/forsooth:stop")
    told = json.loads((stage.common / "forsooth/sessions/s1.json").read_text())
    assert told["ulw"] == {"enabled": False, "stopBlocks": 1, "lastStopAt": instant(stage.now - 1)}
    off = {"disabled": True, "disabledReason": "a person typed stop"}
    assert told["stopContinuation"] == off


def test_what_is_saved_is_loaded(tmp_path):
    """Every field comes back."""
    session = Session("codex")
    session.arm("plan", by_person=True)
    session.held("go on", instant(NOON), [10, 2])
    with Sessions(str(tmp_path)) as sessions:
        sessions.save("s1", session)
        again = sessions.load("s1")
        assert again.plain() == session.plain()
        assert sessions.load("s2") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        '"x"',
        '{"v": 2}',
        '{"v": 1}',
        '{"v":1,"host":1,"plan":"","ulw":{},"stopContinuation":{},"turn":{}}',
        "\xff",
        "[" * 10_000,
        "x" * 70_000,
    ],
)
def test_a_damaged_file_is_an_error_and_never_a_hold(text, tmp_path):
    """Also one of a version that is not known here."""
    sessions = Sessions(str(tmp_path))
    sessions.save("s1", Session())
    (tmp_path / "sessions/s1.json").write_text(text, encoding="latin-1")
    with pytest.raises((Unreadable, RecursionError)):
        sessions.load("s1")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "-x", "a b", "é", "x" * 129])
def test_a_name_that_could_lead_elsewhere_is_no_session(name, tmp_path):
    """Nothing is read or written for it."""
    assert not is_name(name)
    assert Sessions(str(tmp_path)).load(name) is None


def test_uuids_and_the_like_are_names():
    """As the hosts give them."""
    assert is_name("0197c0f2-5b1e-7c3e-9a55-1f7f1f6d9a10")
    assert is_name("ses_4f.2")


def test_a_lock_that_somebody_keeps_is_given_up_on(tmp_path):
    """After a second, and with an error, so that the agent goes on."""
    with Sessions(str(tmp_path)), pytest.raises(Unreadable, match="locked"):
        Sessions(str(tmp_path)).__enter__()


def test_the_lock_is_free_afterwards(tmp_path):
    """Also when what was done under it failed."""
    with pytest.raises(KeyError), Sessions(str(tmp_path)):
        raise KeyError
    with Sessions(str(tmp_path)):
        pass
    with (tmp_path / "sessions/.lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_stopping_a_plan_releases_the_sessions_that_are_held_to_it(stage: Stage):
    """Those of other plans, and files that are none of ours or damaged, stay as they are."""
    stage.sealed()
    for name in ("s1", "s2"):
        stage.prompt("ulw", name)
    sessions = Sessions(str(stage.state))
    other = Session()
    other.arm("other", by_person=True)
    sessions.save("s3", other)
    (stage.state / "sessions/s4.json").write_text("{")
    (stage.state / "sessions/.x.json").write_text("{")
    sessions.release("plan")
    assert [sessions.load(f"s{n}").armed for n in (1, 2, 3)] == [False, False, True]
    assert sessions.load("s1").why == "the plan was stopped"


def test_a_session_released_with_its_plan_is_armed_by_going_on(stage: Stage):
    """A person resumed the plan; the agent that asks for work in it is held again."""
    stage.sealed()
    session = Session()
    session.arm("plan", by_person=True)
    session.release("the plan was stopped")
    session.arm("plan", by_person=False)
    assert session.holdable


def test_sessions_nobody_came_back_to_are_forgotten(stage: Stage):
    """When another one begins; folders and younger files stay."""
    stage.sealed()
    stage.ask("session_start", "old")
    stage.ask("session_start", "young")
    (stage.state / "sessions/used").mkdir()
    then = NOON - DAYS * 86400 - 10
    os.utime(stage.kept("old"), (then, then))
    os.utime(stage.kept("young"), (NOON, NOON))
    stage.ask("session_start", "new")
    left = {path.name for path in (stage.state / "sessions").iterdir()}
    assert left == {"young.json", "new.json", "used"}


def test_a_file_that_vanishes_meanwhile_costs_nobody_the_recap(stage: Stage, monkeypatch):
    """Another session that begins at the same moment forgets the same ones."""
    stage.sealed()
    stage.ask("session_start", "old")
    listed = os.scandir

    def scandir(folder: str) -> list[os.DirEntry[str]]:
        found = list(listed(folder))
        stage.kept("old").unlink()
        return found

    monkeypatch.setattr(os, "scandir", scandir)
    assert "Goal G001" in stage.ask("session_start", "new").context


def test_the_lock_is_never_forgotten(stage: Stage):
    """Somebody may hold it, however old its file is."""
    stage.sealed()
    with Sessions(str(stage.state)):
        os.utime(stage.state / "sessions/.lock", (1, 1))
        stage.ask("session_start")
    assert (stage.state / "sessions/.lock").exists()


def test_calls_are_counted_without_a_lock(stage: Stage):
    """Tools run side by side, and none of their calls is lost."""
    sessions = Sessions(str(stage.state))
    assert sessions.calls("s1") == 0
    for _ in range(3):
        sessions.touch("s1")
    assert sessions.calls("s1") == 3
