"""What is wrong with a value is said in words a person would use."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from forsooth.core.blocker import Blocker
from forsooth.core.check import CommandParams
from forsooth.core.flaw import flaw
from forsooth.core.plan import Criterion, Goal
from forsooth.core.policy import Policy
from forsooth.core.value import Value

BLOCKER = {"id": "B1", "goal": "G001", "needs": "time", "why": "x"}


@pytest.mark.parametrize(
    ("kind", "data", "says"),
    [
        (Policy, {"attempts": 0}, "attempts: must be at least 1"),
        (Policy, {"attempts": 10**7}, "attempts: must be at most 1000000"),
        (Policy, {"attempts": "two"}, "attempts: must be a whole number"),
        (Policy, {"colour": 1}, "colour: there is no such key"),
        (Policy, {"tags": "x"}, "tags: must be a list"),
        (Policy, {"agents_may_seal": 1}, "agents_may_seal: must be true or false"),
        (Policy, {"weak": "maybe"}, "weak: must be one of 'refuse', 'steered', 'allow'"),
        (CommandParams, {}, "argv: is missing"),
        (CommandParams, {"argv": []}, "argv: needs so many entries or more: 1"),
        (CommandParams, {"argv": ["a"], "timeout": 0}, "timeout: must be more than 0"),
        (CommandParams, {"argv": ["a"], "env": 1}, "env: must be a mapping"),
        (CommandParams, {"argv": ["a"], "stdout": 1}, "stdout: must be a mapping"),
        (Goal, {"id": "G1", "title": "x", "objective": "x"}, "id: has not the form of such a name"),
        (
            Criterion,
            {"id": "G001.C1", "says": "", "check": {"kind": "x"}},
            "says: say something here",
        ),
        (Policy, [], "must be a mapping"),
        (
            Blocker,
            {**BLOCKER, "until": "tomorrow"},
            "until: 'tomorrow' is not an RFC 3339 time in UTC",
        ),
    ],
)
def test_a_flaw_is_said_in_plain_words(kind: type[Value], data: Any, says: str):
    """With the name of the field, and never in the words of a library."""
    with pytest.raises(ValidationError) as caught:
        kind.of(data)
    assert flaw(caught.value) == says
