"""A goal that keeps failing is stuck, for everyone who looks, without a run loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.place import AGENT, Place
from tests.e2e.proving import begun, claim, lines
from tests.requirements import requirement


def fail(place: Place, times: int) -> None:
    """Claim work that does not hold, each time another."""
    for number in range(times):
        place.write("greet.sh", f"echo try {number}\n")
        claim(place, "G001", code=1)


@pytest.fixture
def stuck(tmp_path: Path) -> Place:
    """A goal whose criterion failed three times in a row, beside one that nobody began."""
    place = begun(tmp_path)
    fail(place, 3)
    return place


@requirement("D1")
def test_the_third_failure_is_recorded_as_stuck_and_the_other_goals_go_on(stuck: Place):
    """By the product itself, in the same command; work is still handed out elsewhere."""
    (raised,) = [one["data"]["blocker"] for one in lines(stuck) if one["kind"] == "blocker.raised"]
    assert (raised["kind"], raised["needs"]) == ("stuck", "human")
    assert stuck.statuses() == {"G001": "stuck", "G002": "ready"}
    assert stuck.ask("next", env=AGENT)["assignment"]["goal"] == "G002"


@requirement("D2")
def test_with_nothing_else_to_do_it_ends_partial_and_a_person_starts_the_count_again(stuck: Place):
    """Exit 12, no matter how often it is asked; only a person's unblock opens it."""
    stuck.write("greet.sh", "echo hi\n")
    stuck.write("part.sh", "echo bye\n")
    claim(stuck, "G002")
    told = stuck.ask("next", code=12, env=AGENT)
    assert (told["ending"], told["next"]["command"]) == (
        "partial",
        "forsooth unblock G001 --blocker B1",
    )
    stuck.run("unblock", "G001", code=3, env=AGENT)
    stuck.run("next", code=12, env=AGENT)
    assert stuck.typed("unblock", "G001", "--blocker", "B1").code == 0
    fail(stuck, 1)
    assert stuck.statuses()["G001"] == "ready"


@requirement("D1")
def test_nothing_that_failed_is_nothing_to_retry(stuck: Place):
    """`--retry-failed` then hands out what is next, and a stuck goal stays with its person."""
    assert stuck.ask("next", "--retry-failed", env=AGENT)["assignment"]["goal"] == "G002"
    assert stuck.statuses()["G001"] == "stuck"
