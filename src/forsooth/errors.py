"""Every way a command can end badly, and the exit code each one has.

    ForsoothError
    ├── UsageError        2   the command line or the brief cannot be understood
    ├── Refused           3   understood, and the gate says no; carries every reason
    │   └── Unready      77   the entry criteria of a goal do not hold in this environment
    ├── LedgerError       4   the ledger does not verify
    │   ├── Tampered          a finished line is wrong, or the chain was rewound
    │   └── Unwritten         an append whose fate is unknown; safe to repeat with the same id
    └── CouldNotVerify    5   something needed to decide is missing

A check that ran and failed is none of these: it is a verdict, and exits 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forsooth.core.gate import Reason


class ForsoothError(Exception):
    """What went wrong, which id it concerns, and what to type next."""

    exit_code = 5
    code = "error"

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code or type(self).code


class UsageError(ForsoothError):
    """The command line or the brief cannot be understood."""

    exit_code = 2
    code = "usage"


class Refused(ForsoothError):
    """Understood, and the gate says no."""

    exit_code = 3
    code = "refused"

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__("; ".join(reason.says for reason in reasons))
        self.reasons = tuple(reasons)


class Unready(Refused):
    """A goal cannot be begun here: what must hold before does not."""

    exit_code = 77
    code = "unready"


class LedgerError(ForsoothError):
    """The ledger does not verify."""

    exit_code = 4
    code = "ledger"


class Tampered(LedgerError):
    """A finished line is wrong, or the chain was rewound."""

    code = "tampered"


class Unwritten(LedgerError):
    """An append whose fate is unknown: it may surface later, so repeat it with the same id."""

    code = "unwritten"


class CouldNotVerify(ForsoothError):
    """Something needed to decide is missing."""

    code = "could-not-verify"
