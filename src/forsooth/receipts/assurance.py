"""How much a receipt is worth, in plain words, with what it does not protect against."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.receipts.statement import Assurance


class Worth(NamedTuple):
    """What an assurance means, and what is left open."""

    means: str
    lacks: str


WORTH: dict[Assurance, Worth] = {
    "self": Worth(
        "whoever holds the key it is signed with says so, and nothing was changed since",
        "an agent under the same account as this key, which can sign with it and act as the "
        "person; run the checks again elsewhere, or list a key that needs a touch as the person",
    ),
    "ci": Worth(
        "a key that the base branch lists as CI's signed it",
        "an agent that CI lets use this key, checks that are weak from the start, and whoever "
        "controls CI or the base branch",
    ),
}
