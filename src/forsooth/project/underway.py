"""A seal that no terminal shows: whether it is under way, and why the last one came to nothing.

The lock on one small file says the first, what is written in it the second; a process that dies
leaves neither behind.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from forsooth.core.gate import Reason
from forsooth.core.state import State
from forsooth.core.why import Answer
from forsooth.errors import ForsoothError, Refused
from forsooth.ledger.disk import REAL
from forsooth.ledger.waiting import wait

NAME = "sealing.json"
CHANGED = "draft-changed"
ANY = ""  # a note about whatever draft there is
AGAIN = "forsooth seal"
LONGEST = 64 << 10


@contextmanager
def under_way(folder: Path, *, proposal: str) -> Generator[None]:
    """Let others see that a proposal is being sealed, and afterwards what kept it from it."""
    fd = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        wait(fd, fcntl.LOCK_EX, "another seal of this plan")
        os.ftruncate(fd, 0)
        yield
    except (ForsoothError, OSError) as error:
        with suppress(OSError):
            os.pwrite(fd, json.dumps(_note(error, proposal)).encode(), 0)
        raise
    finally:
        os.close(fd)


def _note(error: ForsoothError | OSError, proposal: str) -> dict[str, str]:
    """What came of it; that the draft had changed is no news about the approved one alone."""
    if isinstance(error, OSError):
        says = f"{error.filename or 'a file'}: {error.strerror or error}"
        return {"proposal": proposal, "says": says, "command": AGAIN}
    reasons = error.reasons if isinstance(error, Refused) else ()
    about = ANY if any(one.code == CHANGED for one in reasons) else proposal
    return {"proposal": about, "says": error.message, "command": _typed(error, reasons)}


def _typed(error: ForsoothError, reasons: Sequence[Reason]) -> str:
    hints = [error.hint, *(reason.hint for reason in reasons)]
    return next(filter(None, hints), AGAIN)


def told(folder: Path, state: State) -> Answer | None:
    """What there is to say about a seal of the draft as it stands; none when there is nothing."""
    if state.proposal is None:
        return None
    try:
        fd = REAL.open(folder / NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        said = os.pread(fd, LONGEST, 0)
    except BlockingIOError:
        return Answer("plan", "a person approved the plan; it is being sealed", "forsooth status")
    finally:
        os.close(fd)
    return _failed(said, state.proposal.digest)


def _failed(said: bytes, proposal: str) -> Answer | None:
    with suppress(ValueError, KeyError, TypeError):
        read = json.loads(said)
        if read["proposal"] in (ANY, proposal):
            says = f"the plan was approved and could not be sealed: {read['says']}"
            return Answer("plan", says, str(read["command"]))
    return None
