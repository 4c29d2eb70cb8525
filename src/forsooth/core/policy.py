"""Numbers and switches. A repository may tighten what protects the user, never loosen it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from forsooth.core.value import Value

Tier = Literal["none", "landlock", "strict"]
TIERS: tuple[Tier, ...] = ("none", "landlock", "strict")

Count = Annotated[int, Field(ge=1, le=1_000_000)]


class Policy(Value):
    """What a plan is held to; pinned when it is sealed."""

    attempts: Count = 5
    stuck: Count = 3
    errors: Count = 2
    recoveries: Count = 2
    budget: Annotated[int, Field(ge=0)] | None = None
    tags: tuple[str, ...] = ()
    isolation: Tier = "none"
    weak: Literal["allow", "refuse"] = "allow"
    agents_may_seal: bool = False
    holds: Annotated[int, Field(ge=0)] = 8
    holds_in_a_row: Annotated[int, Field(ge=0)] = 6
    cooldown: Annotated[int, Field(ge=0)] = 3


def combine(user: dict[str, Any], repo: dict[str, Any]) -> Policy:
    """One policy out of the user's settings and the repository's.

    Limits are the repository's to choose unless the user set a lower one. What protects the user
    (isolation, tags, weak contracts, who may seal) only ever becomes stricter than the user's.
    """
    mine, theirs = Policy.of(user), Policy.of(repo)
    merged: dict[str, Any] = {**user, **repo}
    for name in ("attempts", "stuck", "errors", "recoveries", "budget", "holds", "holds_in_a_row"):
        if name in user and name in repo:
            merged[name] = min(user[name], repo[name])
    merged["cooldown"] = max(mine.cooldown, repo.get("cooldown", 0))
    merged["isolation"] = max(mine.isolation, theirs.isolation, key=TIERS.index)
    merged["tags"] = tuple(dict.fromkeys(mine.tags + theirs.tags))
    merged["weak"] = "refuse" if "refuse" in (mine.weak, theirs.weak) else "allow"
    merged["agents_may_seal"] = mine.agents_may_seal
    return Policy.of(merged)
