"""A repository may tighten what protects the user, never loosen it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from forsooth.core.policy import Policy, combine
from tests.core.build import Run
from tests.requirements import requirement


@requirement("R127")
def test_five_attempts_unless_someone_says_otherwise():
    """The count of a new goal starts at none of five."""
    run = Run()
    assert (Policy().attempts, run.goal().spent, run.goal().attempts) == (5, 0, 0)


@pytest.mark.parametrize(
    ("user", "repo", "field", "value"),
    [
        ({}, {"attempts": 9}, "attempts", 9),
        ({"attempts": 3}, {}, "attempts", 3),
        ({"attempts": 3}, {"attempts": 9}, "attempts", 3),
        ({"attempts": 9}, {"attempts": 3}, "attempts", 3),
        ({"budget": 50}, {"budget": 70}, "budget", 50),
        ({}, {}, "budget", None),
        ({"isolation": "landlock"}, {"isolation": "none"}, "isolation", "landlock"),
        ({"isolation": "landlock"}, {"isolation": "strict"}, "isolation", "strict"),
        ({"tags": ["a"]}, {"tags": ["b", "a"]}, "tags", ("a", "b")),
        ({"weak": "refuse"}, {"weak": "allow"}, "weak", "refuse"),
        ({}, {"weak": "refuse"}, "weak", "refuse"),
        ({}, {}, "weak", "allow"),
        ({"agents_may_seal": True}, {}, "agents_may_seal", True),
        ({}, {"agents_may_seal": True}, "agents_may_seal", False),
        ({}, {"cooldown": 0}, "cooldown", 3),
        ({"cooldown": 0}, {}, "cooldown", 0),
        ({"cooldown": 0}, {"cooldown": 9}, "cooldown", 9),
    ],
)
def test_limits_are_the_lower_and_protections_the_stricter(
    user: dict[str, Any], repo: dict[str, Any], field: str, value: Any
):
    """Each setting combines in the direction that keeps the user safe."""
    assert getattr(combine(user, repo), field) == value


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"atempts": 3}, {"isolation": "vm"}])
def test_a_wrong_setting_is_refused_not_ignored(wrong: dict[str, Any]):
    """A misspelt protection protects nobody."""
    with pytest.raises(ValidationError):
        combine({}, wrong)
