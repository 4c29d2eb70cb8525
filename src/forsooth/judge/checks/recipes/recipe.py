"""What a recipe is: how one runner is asked for a report and for its tests, and read afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from forsooth.core.call import Call
from forsooth.core.strength import HeldId
from forsooth.judge.checker import Look, Ran
from forsooth.judge.reports.report import Problem, Report

T = TypeVar("T")


class Asked(NamedTuple):
    """What a person wants run: the call, the variables set for it, and the tree it runs in.

    `first` is the test that another order begins with, where a runner can be told.
    """

    call: Call
    env: Mapping[str, str]
    look: Look
    first: str = ""


class Edit(NamedTuple):
    """A file's new bytes in an edited tree."""

    data: bytes
    mode: str = "100644"


Edits = Mapping[str, Edit | None]  # nothing stands for a file that is taken away


class Order(NamedTuple):
    """What to run instead of the argv a person wrote: the same, reporting.

    `files` lie beside the judge's own, `edits` are made to a tree of this run's own.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    files: Mapping[str, bytes] = {}
    edits: Edits = {}


class Doubt(NamedTuple):
    """What to run and what must come of it.

    `red` are the ids that must fail, the canary among them; `green` must pass though it was not
    there before. `edits` are made to a tree of this run's own. `exits` are the statuses with which
    this runner says that tests failed; empty when any but zero will do.
    """

    order: Order
    edits: Edits
    red: frozenset[str]
    green: frozenset[str] = frozenset()
    exits: frozenset[int] = frozenset()
    held: tuple[HeldId, ...] = ("canary", "flip")
    lacking: tuple[str, ...] = ()


class Recipe(NamedTuple):
    """One runner. `wrapped` when it reports also where its argv does not show it.

    `doubt` is given what is run, the report of a green run and a nonce: it says what must then
    fail, or why this runner cannot be doubted. `turned` runs the same tests in another
    order, the how-manieth where there are several, `rounds` each test so many times over in one
    process.
    """

    order: Callable[[Asked], Order]
    read: Callable[[Ran], Report | Problem]
    wrapped: bool = False
    doubt: Callable[[Asked, Report, str], Doubt | str] | None = None
    turned: Callable[[Asked, int], Order] | None = None
    rounds: Callable[[Asked, int], Order] | None = None


def twice(order: Order) -> Order:
    """The same run two times over in one place: what the first leaves behind the second meets."""
    return order._replace(argv=("sh", "-c", '"$@"; exec "$@"', "sh", *order.argv))


def once_more(order: Order) -> Order:
    """The same where nobody reports: the first run is not heard, only met by the second."""
    return order._replace(argv=("sh", "-c", '"$@" >/dev/null 2>&1; exec "$@"', "sh", *order.argv))


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
