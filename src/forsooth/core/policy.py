"""Limits and switches of a plan. A repository may tighten each of them, never loosen it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from forsooth.core.value import Value

Tier = Literal["none", "landlock", "strict"]
TIERS: tuple[Tier, ...] = ("none", "landlock", "strict")
# What a person is told before commands run in each, with what it leaves open.
CONFINES: Mapping[Tier, str] = {
    "strict": "sandbox strict: no network, and none of your files except a copy of this repository",
    "landlock": "sandbox landlock: your files are closed, but the network and processes are open",
    "none": "no sandbox on this machine: commands run as you, with your files and network open",
}

# What is told beside it in `strict`.
FETCHED = (
    "builds and install scripts run there as well; packages are fetched before, from the "
    "registries of your own settings, by installers that run no code of this repository"
)
ONLINE = (
    "the `prepare` commands of its forsooth.toml have a network, because your settings allow it: "
    "prepare_network"
)

# Whose goals may be proven by a weak contract: nobody's, those added by steering, or all.
WeakRule = Literal["refuse", "steered", "allow"]
WEAK_RULES: tuple[WeakRule, ...] = ("refuse", "steered", "allow")

YOURS = "~/.config/forsooth/config.toml"  # a person's own settings, the only ones that may loosen

Count = Annotated[int, Field(ge=1, le=1_000_000)]


def confines(tier: Tier, *, prepare_network: bool = False) -> tuple[str, ...]:
    """What a person is told before code of a repository runs: what it can reach, and who fetches.

    In the lesser tiers nothing more can be promised than that they leave the network open.
    """
    if tier != "strict":
        return (CONFINES[tier],)
    return (CONFINES[tier], *((ONLINE,) if prepare_network else ()), FETCHED)


class Policy(Value):
    """What a plan is held to; pinned when it is sealed."""

    attempts: Count = 5
    stuck: Count = 3
    errors: Count = 2
    recoveries: Count = 2
    budget: Annotated[int, Field(ge=0)] | None = None
    tags: tuple[str, ...] = ()
    isolation: Tier = "none"
    weak: WeakRule = "steered"
    agents_may_seal: bool = False
    prepare_network: bool = False
    holds: Annotated[int, Field(ge=0)] = 8
    holds_in_a_row: Annotated[int, Field(ge=0)] = 6
    cooldown: Annotated[int, Field(ge=0)] = 3


def combine(user: dict[str, Any], repo: dict[str, Any], *, floor: Tier = "none") -> Policy:
    """One policy out of the user's settings and the repository's.

    A repository may only tighten: each of its values counts where it is stricter than the user's,
    or than the default where the user set none. `floor` is this machine's default isolation, which
    only the user's own settings can lower.
    """
    mine, theirs = Policy.of({"isolation": floor, **user}), Policy.of(repo)
    tightened = {
        name: STRICTER[name](getattr(mine, name), getattr(theirs, name))
        for name in theirs.model_fields_set
    }
    return mine.but(**tightened)


def _lower(mine: int, theirs: int) -> int:
    return min(mine, theirs)


def _higher(mine: int, theirs: int) -> int:
    return max(mine, theirs)


def _bounded(mine: int | None, theirs: int | None) -> int | None:
    """The smaller of two limits; none is no limit at all."""
    return min((limit for limit in (mine, theirs) if limit is not None), default=None)


def _more_isolated(mine: Tier, theirs: Tier) -> Tier:
    return mine if TIERS.index(mine) >= TIERS.index(theirs) else theirs


def _all_tags(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mine + theirs))


def _refusing(mine: WeakRule, theirs: WeakRule) -> WeakRule:
    return mine if WEAK_RULES.index(mine) <= WEAK_RULES.index(theirs) else theirs


def _both(mine: bool, theirs: bool) -> bool:  # noqa: FBT001
    return mine and theirs


# How a repository's value for each setting joins the user's. Fewer attempts, fewer holds and a
# longer pause between two holds are the stricter ones: they bound what a repository can make an
# agent, and the person who waits for it, do.
STRICTER: Mapping[str, Callable[[Any, Any], Any]] = {
    "attempts": _lower,
    "stuck": _lower,
    "errors": _lower,
    "recoveries": _lower,
    "budget": _bounded,
    "tags": _all_tags,
    "isolation": _more_isolated,
    "weak": _refusing,
    "agents_may_seal": _both,
    "prepare_network": _both,
    "holds": _lower,
    "holds_in_a_row": _lower,
    "cooldown": _higher,
}
