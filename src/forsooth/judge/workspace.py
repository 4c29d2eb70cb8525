"""The work tree itself as a place to run in, for what must hold before any work begins.

Whether a push would be accepted, or a service is reachable, shows only where the work is done: with
the agent's own environment, network and credentials. Nothing seen here is ever the ground of a
receipt. Only commands of a sealed plan come here, a person was shown each with `where: workspace`,
and whoever asks for work runs them with no more rights than they have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from forsooth.core.plan import Criterion, Goal
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify
from forsooth.judge import checks
from forsooth.judge.checker import Context, Look, Place, Ran
from forsooth.judge.sandbox import runner

SECONDS = 120.0
QUIET = {"GIT_TERMINAL_PROMPT": "0"}  # nobody is there to answer


class Workspace:
    """A work tree as it is, and the environment of whoever asked."""

    def __init__(self, root: str, environment: Mapping[str, str]) -> None:
        self.root, self._environment = root, environment

    def run(
        self,
        argv: Sequence[str],
        *,
        seconds: float,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Ran:
        """Run one argv here; files of the judge have no place in a work tree."""
        if files:
            raise CouldNotVerify(f"{argv[0]} cannot be run in the work tree", code="not-run")
        given = {**self._environment, **QUIET, **(env or {})}
        folder = str(Path(self.root, cwd))
        done = runner.run_here(tuple(argv), cwd=folder, env=given, seconds=seconds)
        return Ran(done.exit, done.signal, done.ended, done.stdout, done.stderr, done.took, {})


def entered(
    criterion: Criterion, goal: Goal, *, place: Place, look: Look, keep: Callable[[bytes], str]
) -> Finding:
    """What an entry criterion comes to in the work tree."""
    return checks.judged(Context(criterion, goal, place, look, keep, SECONDS))
