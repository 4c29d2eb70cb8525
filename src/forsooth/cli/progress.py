"""How far a comparison is: a line that is kept up to date on a terminal, else a line an event."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from forsooth.cli import show

if TYPE_CHECKING:
    from forsooth.judge.range import Step

SECOND = 1.0


class RunProgress:
    """Reports the runs of a comparison on standard error; as a context, it cleans up after itself.

    Runs may overlap: what is shown is every run that has begun and not ended.
    """

    def __init__(self, projects: Iterable[str], *, quiet: bool = False, most: int = 0) -> None:
        self._projects, self._quiet, self._most = tuple(projects), quiet, most
        self._live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._running: dict[tuple[str, int], tuple[str, float]] = {}
        self._lock, self._over = threading.Lock(), threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        if self._live:
            self._ticker.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._live:
            self._ticker.join()
            self._erase()

    def __call__(self, step: Step) -> None:
        """Note a run that begins or has ended."""
        if self._quiet:
            return
        with self._lock:
            if step.took is None:
                self._running.pop((step.project, 0), None)
                self._running[step.project, step.run] = (self._name(step), time.monotonic())
                text = self._name(step)
            else:
                self._running.pop((step.project, step.run), None)
                tests = f", {step.tests} tests" if step.tests else ""
                text = f"{self._name(step)}: {step.took:.1f} s{tests}"
            if self._live:
                self._erase()
            if step.took is not None or not self._live:
                show.lines([(f"  … {text}", "dim")], to=sys.stderr)

    def _name(self, step: Step) -> str:
        where = ""
        if len(self._projects) > 1:
            number = self._projects.index(step.project) + 1
            where = f"{step.project or '.'} ({number} of {len(self._projects)}), "
        most = f" of at most {self._most}" if self._most else ""
        run = f"run {step.run}{most}, " if step.run else ""
        return f"{where}{run}{step.what}"

    def _tick(self) -> None:
        while not self._over.wait(SECOND):
            with self._lock:
                now = time.monotonic()
                rows = [f"{name}, {now - since:.0f} s" for name, since in self._running.values()]
                width = shutil.get_terminal_size().columns - 1
                self._erase()
                sys.stderr.write(show.harmless(f"  … {'; '.join(rows)}")[:width] if rows else "")
                sys.stderr.flush()

    def _erase(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
