"""The command line's side of holding: `stop` lets every session go, and a judge at work is seen."""

from __future__ import annotations

import os

from forsooth.core.actor import Actor
from forsooth.hooks.board import find
from forsooth.hooks.sessions import Session, Sessions
from forsooth.project import Project
from forsooth.project.sitting import sitting
from tests.e2e.place import BRIEF, Place, first_commit, place
from tests.hooks.stage import holding_lock
from tests.requirements import requirement

__all__ = ["first_commit", "place"]

PERSON = Actor(kind="human", name="ada", channel="terminal")


def project(place: Place) -> Project:
    return Project(place.folder, actor=PERSON, environment={"HOME": str(place.home)})


@requirement("R185")
def test_stop_at_a_terminal_releases_every_session_held_to_the_plan(place: Place):
    """And the plan it pauses holds nobody either."""
    ours = project(place)
    plan = ours.draft(BRIEF).plan.id
    ours.seal(plan, ours.sealing(plan), agent_present=False)
    sessions, session = Sessions(str(ours.root)), Session("claude")
    session.arm(plan, by_person=True)
    sessions.save("s1", session)
    ours.stop(plan)
    after = sessions.load("s1")
    assert (after.armed, after.disabled) == (False, True)
    board = find(str(place.folder), home=str(place.home))
    board.read()
    assert (board.plan, board.now["status"], board.now["stop"]) == (plan, "paused", True)


def test_stop_works_where_sessions_cannot_be_written(place: Place):
    """A plan that is paused holds nobody, whatever the sessions say."""
    ours = project(place)
    plan = ours.draft(BRIEF).plan.id
    (ours.root / "sessions").write_text("in the way")
    ours.stop(plan, for_good=True)
    board = find(str(place.folder), home=str(place.home))
    board.read()
    assert board.now["status"] == "dropped"


def test_a_judge_at_work_is_seen_and_gone_with_it(place: Place):
    """Several may sit at once; where nothing can be written nothing is shown."""
    ours = project(place)
    plan = ours.draft(BRIEF).plan.id
    board = find(str(place.folder), home=str(place.home))
    folder = ours.root / "plans" / plan
    assert not board.is_awaited
    with holding_lock(folder / "judging", program="forsooth"), sitting(folder):
        assert board.is_awaited
    assert not board.is_awaited
    with sitting(folder / "gone"):
        assert not os.path.exists(folder / "gone")  # noqa: PTH110
