"""What a recipe is: how one runner is asked for a report and for its tests, and read afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from forsooth.judge.checker import Look, Ran
from forsooth.judge.checks.recipes.call import Call
from forsooth.judge.reports.report import Problem, Report

T = TypeVar("T")


class Asked(NamedTuple):
    """What a person wants run: the call, the variables set for it, and the tree it runs in."""

    call: Call
    env: Mapping[str, str]
    look: Look


class Order(NamedTuple):
    """What to run instead of the argv a person wrote: the same, reporting."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    files: Mapping[str, bytes] = {}


class Recipe(NamedTuple):
    """One runner. `wrapped` when it reports also where its argv does not show it.

    `listing` is asked only where the argv does show it.
    """

    order: Callable[[Asked], Order]
    read: Callable[[Ran], Report | Problem]
    listing: Callable[[Asked], Order] | None = None
    listed: Callable[[Ran], tuple[str, ...] | Problem] | None = None
    wrapped: bool = False


def beside(name: str, env: Mapping[str, str], value: str, *, between: str = " ") -> dict[str, str]:
    """A variable that adds to what a person set, and does not replace it."""
    before = env.get(name, "")
    return {name: f"{value}{between}{before}" if before else value}


def of_file(name: str, read: Callable[[bytes], T]) -> Callable[[Ran], T]:
    """A reader of one file the run left in the out folder."""

    def reads(ran: Ran) -> T:
        return read(ran.out.get(name, b""))

    return reads


def of_stdout(read: Callable[[bytes], T]) -> Callable[[Ran], T]:
    """A reader of what the run printed."""

    def reads(ran: Ran) -> T:
        return read(ran.stdout)

    return reads


def begun(mark: str, read: Callable[[Ran], Report | Problem]) -> Callable[[Ran], Report | Problem]:
    """A reader that knows by a mark whether a runner without a report had begun."""

    def reads(ran: Ran) -> Report | Problem:
        told = read(ran)
        if isinstance(told, Problem) and told.code == "no-report" and mark in ran.out:
            return Problem("report-truncated", "the runner began and told nothing")
        return told

    return reads
