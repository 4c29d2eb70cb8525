"""What can be wrong with a receipt, each with a code that stays the same for ever."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.errors import LedgerError


class Problem(NamedTuple):
    """One thing that keeps a receipt from being believed."""

    code: str
    says: str


class BadReceipt(LedgerError):
    """Bytes that cannot be read as what they should be, or a signature that does not hold."""

    code = "bad-envelope"

    @property
    def problem(self) -> Problem:
        """The same as something to list beside others."""
        return Problem(self.code, self.message)
