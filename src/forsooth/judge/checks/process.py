"""What is the same for every check that runs something: where it may run, and bad endings."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.core.brief.shapes import path_flaw
from forsooth.judge.checker import Look, Ran
from forsooth.judge.checks.found import last_line
from forsooth.judge.checks.links import followed

_NOT_FOUND = 127
_MAY_NOT = 126


class Ending(NamedTuple):
    """Why a run says nothing more about the work: a fail when it is the work's own doing."""

    fail: bool
    code: str
    reason: str


def cwd_flaw(look: Look, cwd: str) -> str:
    """Why a folder cannot be run in; empty when it can."""
    if not cwd:
        return ""
    if flaw := path_flaw(cwd):
        return f"the folder {cwd} {flaw}"
    return f"the folder {cwd} leads out of the repository" if followed(look, cwd).out else ""


def bad_ending(ran: Ran, seconds: float) -> Ending | None:
    """How a run ended that did not come to its own end; none when it did."""
    match ran.ended:
        case "timeout":
            return Ending(fail=True, code="timeout", reason=f"did not end in {seconds:g} s")
        case "memory":
            return Ending(fail=True, code="memory", reason="used more memory than it may")
        case "output":
            return Ending(fail=True, code="output", reason="printed more than is kept")
        case "error":
            return Ending(fail=False, code="not-run", reason=f"could not run: {last_line(ran)}")
        case "exit":
            return None


def missing_program(ran: Ran, argv: tuple[str, ...]) -> Ending | None:
    """A program the environment should have and has not; one the work should have is a fail."""
    if ran.exit not in (_NOT_FOUND, _MAY_NOT):
        return None
    said = ran.stderr[-4000:].decode("utf-8", "replace")
    shell = argv[0].rpartition("/")[2] in ("sh", "bash", "dash", "env")
    absent = "command not found" in said if shell else "/" not in argv[0]
    if not absent:
        return None
    return Ending(fail=False, code="not-found", reason=f"not there: {last_line(ran) or argv[0]}")
