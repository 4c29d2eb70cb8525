"""The small values: names, times, actors, plans, and what all values share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from forsooth.core.actor import Actor
from forsooth.core.blocker import Blocker, kind_of
from forsooth.core.check import Check
from forsooth.core.ids import (
    attempt_id,
    criterion_id,
    goal_id,
    is_goal,
    number_of,
)
from forsooth.core.instant import moment, written
from forsooth.core.plan import Goal, Plan
from forsooth.core.policy import Policy
from forsooth.core.receipt import Receipt
from tests.core.build import BRIEF, ENVELOPE, TREE, criterion, goal, plan
from tests.requirements import requirement


def test_goals_criteria_and_attempts_are_named_by_number():
    """A name says what it belongs to, and its number can be read back."""
    assert (goal_id(7), goal_id(1000)) == ("G007", "G1000")
    assert (criterion_id("G001", 2), criterion_id("G001", 2, entry=True)) == ("G001.C2", "G001.E2")
    assert attempt_id("G001", 3) == "G001.A3"
    assert [number_of(name) for name in ("G001.C12", "G007", "G1000.A3")] == [12, 7, 3]
    assert [is_goal(name) for name in ("G001", "G1000", "G01", "G001.C1", "g001", "plan")] == [
        *(True, True, False, False, False, False)
    ]


@pytest.mark.parametrize(
    "text", ["", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00", "TZ", "now Z"]
)
def test_a_time_without_its_zone_is_refused(text: str):
    """Only RFC 3339 in UTC can be compared with the rest of a ledger."""
    with pytest.raises(ValueError, match=r"RFC 3339|isoformat"):
        moment(text)


def test_a_time_is_written_in_utc_to_the_millisecond():
    """What is written reads back as the same moment."""
    time = datetime(2026, 1, 1, 12, 30, tzinfo=timezone(timedelta(hours=2)))
    assert written(time) == "2026-01-01T10:30:00.000Z"
    assert moment(written(time)) == time == datetime(2026, 1, 1, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "channel", "heard"),
    [
        ("human", "terminal", True),
        ("human", "prompt", True),
        ("human", "elicitation", True),
        ("human", "unattended", False),
        ("human", None, False),
        ("agent", "terminal", False),
    ],
)
def test_a_person_is_a_human_who_was_really_heard(kind: str, channel: str | None, heard: bool):
    """A script that speaks for a person is recorded as one, and is not one."""
    assert Actor(kind=kind, channel=channel).is_person is heard


def test_a_value_is_frozen_strict_and_closed():
    """Nothing can be changed, guessed or slipped in."""
    one = goal(1)
    with pytest.raises(ValidationError):
        one.title = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Goal.of({"id": "G001", "title": "t", "objective": "o", "status": "done"})
    with pytest.raises(ValidationError):
        Policy.of({"attempts": "5"})
    assert one.but(title="other").title == "other"
    assert one.title == "goal 1"


def test_a_field_at_its_default_is_not_part_of_a_digest():
    """A later version may add fields and still name an old plan by the same digest."""
    assert plan(1).digest == plan(1, deliver="worktree").digest != plan(1, preamble="x").digest
    assert Plan.of(plan(2, suite=True).plain()) == plan(2, suite=True)


def test_a_plan_knows_its_goals_and_criteria():
    """Entry criteria gate the start and prove nothing, so they are not among the criteria."""
    one = goal(1, criteria=2, entry=(criterion("G001.E1"),))
    made = plan(one, goal(2))
    assert [c.id for c in made.criteria] == ["G001.C1", "G001.C2", "G002.C1"]


def test_a_goal_is_weak_when_no_person_said_how_it_is_proven():
    """An agent's own criteria add proof and do not make the contract strong."""
    assert goal(1, criteria=0).is_weak
    assert goal(1, criteria=(criterion("G001.C1", by="agent"),)).is_weak
    assert not goal(1).is_weak


def test_an_obstacle_with_a_time_lifts_by_itself():
    """At the very moment named it no longer stands."""
    until = "2026-01-02T00:00:00Z"
    wait = Blocker(id="B1", goal="G001", needs="time", why="nightly build", until=until)
    assert wait.holds_at(moment(until) - timedelta(seconds=1))
    assert not wait.holds_at(moment(until))
    assert wait.but(until=None).holds_at(moment(until))


@requirement("R123")
def test_a_criterion_says_what_how_and_where():
    """It carries its name, its claim, its check and the paths it is about."""
    made = criterion("G001.C1", paths=("src/**",))
    assert (made.id, made.says, made.check.kind, made.paths) == (
        *("G001.C1", "G001.C1 holds", "command"),
        ("src/**",),
    )


@pytest.mark.parametrize("field", ["subject", "tree", "plan_digest", "verdict", "envelope"])
def test_a_receipt_names_everything_it_rests_on(field: str):
    """Without any one of these it cannot be written."""
    whole = {
        "subject": "G001",
        "tree": TREE,
        "plan_digest": BRIEF,
        "verdict": 3,
        "envelope": ENVELOPE,
    }
    assert Receipt.of(whole)
    with pytest.raises(ValidationError):
        Receipt.of({key: value for key, value in whole.items() if key != field})


def test_the_suite_is_a_criterion_of_its_own_where_there_is_one():
    """Green throughout, for every goal alike."""
    check = Check.of({"kind": "command", "with": {"argv": ["make"]}})
    bare = Plan(id="20260101-000000", brief_digest="0" * 64)
    assert bare.kept_green is None
    kept = bare.but(suite=check).kept_green
    assert kept is not None
    assert (kept.id, kept.guard, kept.check) == ("suite", True, check)


def test_one_who_is_heard_in_two_ways_is_still_one():
    """A channel is how somebody was heard; kind, name and session are who they are."""
    shell = Actor(kind="agent", name="codex")
    assert shell.is_same(Actor(kind="agent", name="codex", channel="mcp"))
    for other in (
        Actor(kind="agent", name="claude-code"),
        Actor(kind="human", name="codex"),
        Actor(kind="agent", name="codex", session="s"),
    ):
        assert not shell.is_same(other)


@pytest.mark.parametrize(
    ("needs", "failed", "kind"),
    [
        ("agent", False, "blocked"),
        ("environment", False, "blocked"),
        ("human", False, "waiting"),
        ("time", False, "waiting"),
        ("human", True, "failed"),
    ],
)
def test_an_obstacle_is_given_up_a_wait_or_in_the_way(needs, failed, kind):
    """By who must act, unless the attempt was given up."""
    assert kind_of(needs, failed=failed) == kind
