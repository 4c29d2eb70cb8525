"""Who may sign: the `[[signers]]` tables of the settings committed on the base branch.

Never read from the tree that is judged: an agent could list itself there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, Protocol, cast

from forsooth.errors import UsageError
from forsooth.receipts.public import PublicKey, public

Role = Literal["judge", "person", "ci"]
ROLES: tuple[Role, ...] = ("judge", "person", "ci")

_FIELDS = frozenset({"name", "key", "roles", "from", "until"})
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class Listing(Protocol):
    """Settings that list signers."""

    @property
    def signers(self) -> Sequence[Mapping[str, Any]]:
        """The tables as they were written."""
        ...


class Signer(NamedTuple):
    """A key that may sign, as what, and between which instants."""

    name: str
    key: PublicKey
    roles: tuple[Role, ...]
    since: datetime | None = None
    until: datetime | None = None


def of(settings: Listing) -> tuple[Signer, ...]:
    """The signers that settings list; a table that cannot be understood is never passed over."""
    return tuple(_signer(table) for table in settings.signers)


def _signer(table: Mapping[str, Any]) -> Signer:
    name, key, roles = table.get("name"), table.get("key"), table.get("roles")
    if not isinstance(name, str) or not name or not isinstance(key, str):
        raise _bad("a signer has a name and a key")
    if set(table) - _FIELDS:
        raise _bad(f"{name}: a signer has {', '.join(sorted(_FIELDS))}")
    listed = cast("list[Any]", roles) if isinstance(roles, list) else []
    if not listed or any(role not in ROLES for role in listed):
        raise _bad(f"{name}: roles is a list of {', '.join(ROLES)}")
    since = _instant(table.get("from"), name, is_end=False)
    until = _instant(table.get("until"), name, is_end=True)
    if since and until and until <= since:
        raise _bad(f"{name}: until comes before from")
    return Signer(name, public(key), tuple(listed), since, until)


def _instant(value: Any, name: str, *, is_end: bool) -> datetime | None:
    """A day or an instant; a day that ends something is over when it is."""
    if value is None:
        return None
    text = value if isinstance(value, str) else str(value)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise _bad(f"{name}: {text[:40]!r} is not a day or an instant (RFC 3339)") from None
    if _DAY.fullmatch(text):
        found = found.replace(hour=23, minute=59, second=59) if is_end else found
        return found.replace(tzinfo=UTC)
    if found.tzinfo is None:
        raise _bad(f"{name}: {text!r} does not say which time zone it is in")
    return found


def _bad(says: str) -> UsageError:
    return UsageError(f"[[signers]] {says}", hint="docs/reference/receipt.md", code="bad-settings")
