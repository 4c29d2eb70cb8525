"""Times as the ledger writes them: RFC 3339 in UTC. The clock itself is read elsewhere."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator

_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z")


def moment(text: str) -> datetime:
    """A written instant as a time that can be compared."""
    if not text.endswith("Z") or "T" not in text:
        raise ValueError(f"{text!r} is not an RFC 3339 time in UTC")
    return datetime.fromisoformat(text)


def is_written(text: str) -> bool:
    """Whether text is a time in the one form that every reader takes alike."""
    try:
        return bool(_FORM.fullmatch(text)) and moment(text).tzinfo is not None
    except ValueError:
        return False


def written(time: datetime) -> str:
    """A time as the ledger writes it, to the millisecond."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _checked(text: str) -> str:
    moment(text)
    return text


Instant = Annotated[str, AfterValidator(_checked)]
