"""What the judge is asked about itself, and how it refuses."""

from __future__ import annotations

from tests.cli.inside import Inside


def test_the_doctor_says_what_there_is_and_what_was_found(planned: Inside):
    """Sandbox, environment and cache, as text and as data."""
    told = planned("doctor").out
    assert "sandbox" in told
    assert "environment" in told
    found = planned.ask("doctor")
    assert found["isolation"] in ("strict", "landlock", "none")
    assert found["environment"]["kind"] == "none"


def test_the_judge_s_disk_can_be_brought_down(planned: Inside):
    """Nothing is kept that was not asked for."""
    told = planned.ask("gc", "--most", "0")
    assert set(told) == {"before", "after", "removed"}
    assert not any(told["after"].values())
    assert "removed 0" in planned("gc").out


def test_a_draft_is_not_judged(empty: Inside):
    """Nothing runs before somebody has said that it may."""
    empty("plan", "--text", "- [ ] `true`")
    assert empty.codes("check", code=2) == ["not-sealed"]


def test_a_goal_that_is_not_there_is_not_judged(planned: Inside):
    """The name is said back, and where the names are."""
    failed = planned("check", "G009", code=2)
    assert "no goal G009" in failed.err


def test_an_agent_may_not_leave_events_behind(planned: Inside):
    """Recovery drops what cannot be verified, so a person must be the one to say it."""
    assert planned.codes("fsck", "--recover", CLAUDECODE="1") == ["not-a-person"]
    assert planned.codes("fsck", "--recover") == ["not-a-person"]
