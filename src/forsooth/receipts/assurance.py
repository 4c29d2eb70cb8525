"""How much a receipt is worth, in plain words, with what it does not protect against."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.receipts.statement import Assurance

RANKS: tuple[Assurance, ...] = ("self", "judge-isolated", "ci")


class Worth(NamedTuple):
    """What an assurance means, and what is left open."""

    means: str
    lacks: str


WORTH: dict[Assurance, Worth] = {
    "self": Worth(
        "the machine that judged it says so, and nothing was changed since it was signed",
        "an agent under the same account could have used the key or written the state; "
        "run the checks again where it cannot",
    ),
    "judge-isolated": Worth(
        "a signer listed on the base branch says so, and every attempt ran where it could reach "
        "neither key nor state",
        "whoever owns that machine or that key; only a second run elsewhere would show it",
    ),
    "ci": Worth(
        "a CI signer listed on the base branch ran the checks itself, away from the agent",
        "checks that are weak from the start, and whoever controls CI or the base branch",
    ),
}
