"""A shell that may not write where forsooth keeps its state, and the way around it.

Some agents' sandboxes make `.git` and the home read-only for the commands they run. The server they
start beside it is outside that wall.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from forsooth.core.gate import Reason
from forsooth.errors import ForsoothError, Refused, UsageError
from forsooth.git.repository import locate
from forsooth.project.persons import agent_present

TOOLS = ("plan", "next", "check", "done", "block", "steer")  # verbs that are tools of the server
FORBIDDEN = (errno.EACCES, errno.EPERM)
_TEXTS = ("Read-only file system", "Permission denied", "Operation not permitted")


def explained(error: ForsoothError, verb: str) -> ForsoothError:
    """The error, or, where it came of a wall, which tool gets past it."""
    if isinstance(error, Refused | UsageError) or not _is_walled(error):
        return error
    if verb in TOOLS:
        says = "this shell may not write .git"
        hint = f"use the tool `{verb}` of forsooth's MCP server, which may"
        return Refused((Reason("read-only", says, hint),))
    error.hint = error.hint or "run it where .git may be written; this sandbox forbids that"
    return error


def _is_walled(error: ForsoothError) -> bool:
    """Whether what failed was a write: on a read-only mount, or forbidden to an agent."""
    cause = error.__cause__
    number = cause.errno if isinstance(cause, OSError) else None
    if number == errno.EROFS or any(_is_read_only(folder) for folder in _written()):
        return True
    is_forbidden = number in FORBIDDEN or any(text in error.message for text in _TEXTS)
    return is_forbidden and bool(agent_present())


def _written() -> Iterator[Path]:
    """Where every change of a plan is written."""
    yield Path.home()
    try:
        yield locate(Path.cwd().resolve()).common
    except (UsageError, OSError):
        return


def _is_read_only(folder: Path) -> bool:
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False
