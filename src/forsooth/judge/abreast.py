"""Runs side by side: no more at once than there is room for, answers in the order asked for.

What runs beside what changes no answer: whoever asks reads them one after another, and what was not
begun when nobody listens any more is never begun.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Abreast:
    """Turns for so many runs at once."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._turns = threading.BoundedSemaphore(workers)

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait for a turn, and have it while one run lasts."""
        with self._turns:
            yield

    def each(self, asked: Iterable[Callable[[], T]]) -> Generator[T]:
        """Every answer, in order; with room for one, none is begun before it is waited for."""
        left = list(asked)
        if self._workers == 1:
            yield from (one() for one in left)
            return
        with ThreadPoolExecutor(max_workers=self._workers) as pool:
            begun = [pool.submit(one) for one in left]
            try:
                for one in begun:
                    yield one.result()
            finally:
                for one in begun:
                    one.cancel()
