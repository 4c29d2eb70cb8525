"""Why something may not happen: a stable code, the ids it is about, and what to type next."""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """One thing that stands against a command."""

    code: str
    says: str
    hint: str = ""
    goal: str = ""


Reasons = tuple[Reason, ...]
