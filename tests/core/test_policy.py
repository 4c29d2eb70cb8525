"""A repository may tighten what protects the user, never loosen it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from forsooth.core.policy import (
    CONFINES,
    FETCHED,
    ONLINE,
    STRICTER,
    Policy,
    Tier,
    combine,
    confines,
)
from tests.core.build import Run
from tests.requirements import requirement


@requirement("R127")
def test_five_attempts_unless_someone_says_otherwise():
    """The count of a new goal starts at none of five."""
    run = Run()
    assert (Policy().attempts, run.goal().spent, run.goal().attempts) == (5, 0, 0)


# For each setting: the user's value, what a repository may ask for beside it and what it may not.
TABLE = [
    ("attempts", 4, 3, 9),
    ("stuck", 4, 3, 9),
    ("errors", 4, 3, 9),
    ("recoveries", 4, 3, 9),
    ("budget", 50, 40, 70),
    ("tags", ("a",), ("a", "b"), ()),
    ("isolation", "landlock", "strict", "none"),
    ("weak", "allow", "refuse", "allow"),
    ("agents_may_seal", True, False, True),
    ("prepare_network", True, False, True),
    ("holds", 4, 3, 1_000_000),
    ("holds_in_a_row", 4, 3, 1_000_000),
    ("cooldown", 4, 9, 0),
]


def test_every_setting_has_a_rule_and_a_row():
    """A setting that is added without saying which way is stricter fails here."""
    assert set(Policy.model_fields) == set(STRICTER) == {row[0] for row in TABLE}


@pytest.mark.parametrize(("name", "mine", "stricter", "looser"), TABLE)
def test_a_repository_may_tighten_each_setting_and_loosen_none(
    name: str, mine: Any, stricter: Any, looser: Any
):
    """Beside the user's own value, only a stricter one of the repository counts."""
    assert getattr(combine({name: mine}, {name: stricter}), name) == stricter
    assert getattr(combine({name: mine}, {name: looser}), name) == mine
    assert getattr(combine({name: mine}, {}), name) == mine


@pytest.mark.parametrize(
    ("name", "loose"),
    [
        ("attempts", 1_000_000),
        ("stuck", 1_000_000),
        ("errors", 1_000_000),
        ("recoveries", 1_000_000),
        ("isolation", "none"),
        ("agents_may_seal", True),
        ("holds", 1_000_000),
        ("holds_in_a_row", 1_000_000),
        ("cooldown", 0),
    ],
)
def test_a_repository_does_not_loosen_a_default_either(name: str, loose: Any):
    """Where the user set nothing, the default is what a repository is held to."""
    default = combine({}, {}, floor="strict")
    assert combine({}, {name: loose}, floor="strict") == default


def test_only_the_user_lowers_the_isolation_that_a_machine_asks_for():
    """The machine's floor is a default of the user's settings, not of the repository's."""
    assert combine({}, {"isolation": "landlock"}, floor="strict").isolation == "strict"
    assert combine({"isolation": "none"}, {}, floor="strict").isolation == "none"
    assert combine({}, {}).isolation == "none"


def test_a_repository_may_set_a_budget_where_there_is_none():
    """No limit is the loosest one."""
    assert combine({}, {"budget": 7}).budget == 7
    assert combine({"budget": 7}, {}).budget == 7
    assert combine({}, {}).budget is None


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"atempts": 3}, {"isolation": "vm"}])
def test_a_wrong_setting_is_refused_not_ignored(wrong: dict[str, Any]):
    """A misspelt protection protects nobody."""
    with pytest.raises(ValidationError):
        combine({}, wrong)


@pytest.mark.parametrize("tier", ["strict", "landlock", "none"])
def test_a_person_is_told_what_can_reach_the_network(tier: Tier):
    """In strict nothing of the repository can, unless the user's own settings say so; who fetches
    is said as well. Elsewhere the network is open, and nothing else is claimed.
    """
    offline, online = (confines(tier, prepare_network=one) for one in (False, True))
    if tier == "strict":
        assert offline == (CONFINES["strict"], FETCHED)
        assert online == (CONFINES["strict"], ONLINE, FETCHED)
    else:
        assert offline == online == (CONFINES[tier],)
        assert "network" in CONFINES[tier]
