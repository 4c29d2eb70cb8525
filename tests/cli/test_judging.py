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
    """Nothing is kept but what a live plan was sealed with."""
    told = planned.ask("gc", "--most", "0")
    assert set(told) == {"before", "after", "removed"}
    assert not any(size for kind, size in told["after"].items() if kind != "layers")
    assert "removed 0" in planned("gc").out


def test_a_draft_is_not_judged(empty: Inside):
    """Nothing runs before somebody has said that it may."""
    empty("plan", "--text", "- [ ] `true`")
    assert empty.codes("check", code=2) == ["not-sealed"]


def test_a_goal_of_a_draft_cannot_be_claimed(empty: Inside):
    """The plan is what is missing something, not the goal."""
    empty("plan", "--text", "- [ ] `true`")
    failed = empty("done", "G001", code=3)
    assert "a draft until a person seals it  [not-sealed]" in failed.err
    assert "try: forsooth seal" in failed.err
    assert "no goal" not in failed.err


def test_work_on_another_branch_is_told_from_none(empty: Inside):
    """Which branch counts, where it is, and where the checkout stands, on a branch or on none."""
    place = empty.place
    empty("plan", "--text", "Deliver: branch main\n@goal: Greet\n- [ ] greet.sh exists\n")
    empty("seal", "--yes")
    base = place.git("rev-parse", "HEAD")[:12]
    assert "checkout" not in empty("done", "G001", code=3).err
    place.git("switch", "-qc", "my-work")
    assert "try: git switch main\n" in empty("done", "G001", code=3).err
    made = place.commit("greet.sh", "echo hi\n")[:12]
    failed = empty("done", "G001", code=3).err
    where = f"main is delivered and still at {base}; the checkout is on"
    assert f"{where} my-work, at {made}  [nothing-changed]" in failed
    assert "try: git switch main && git merge my-work\n" in failed
    place.git("switch", "-q", "--detach")
    failed = empty("done", "G001", code=3).err
    assert f"{where} no branch, at {made}  [nothing-changed]" in failed
    assert f"try: git switch main && git merge {made}\n" in failed


def test_a_goal_that_is_not_there_is_not_judged(planned: Inside):
    """The name is said back, and where the names are."""
    failed = planned("check", "G009", code=2)
    assert "no goal G009" in failed.err


def test_an_agent_may_not_leave_events_behind(planned: Inside):
    """Recovery drops what cannot be verified, so a person must be the one to say it."""
    assert planned.codes("fsck", "--recover", CLAUDECODE="1") == ["not-a-person"]
    assert planned.codes("fsck", "--recover") == ["not-a-person"]


def test_the_scenarios_are_listed_as_data(empty: Inside):
    """Names and sentences are those of the list in text."""
    told = empty.ask("bench", "--list", "--kind", "C4")["scenarios"]
    rows = empty("bench", "--list", "--kind", "C4").out.splitlines()
    assert [f"{one['name']:70} {one['says']}" for one in told] == rows
    assert {(one["kind"], one["group"], one["honest"]) for one in told} == {("C4", "C", False)}
