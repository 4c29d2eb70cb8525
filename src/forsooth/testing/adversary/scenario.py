"""The form of a scenario: what was agreed, what the agent did, what it said, and the truth.

Plain values and functions, so that another judge can be bound to the same scenarios; nothing here
knows how a judge is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forsooth.testing.adversary.hand import Hand
    from forsooth.testing.adversary.proof import Delivered

Deeds = Callable[["Hand"], None]
Proof = Callable[["Delivered"], str]
"""Checks a label away from the judge: why it does not hold, or nothing when it does."""
Repair = Callable[["Hand", str], None]
"""Mends the work from the text of a refusal and nothing else."""

EMPTY: Mapping[str, str] = {}


class Criterion(NamedTuple):
    """A command that must end so; `runner` names the test runner whose report can be read.

    `paths` are the files it says it is about.
    """

    says: str
    argv: tuple[str, ...]
    runner: str = ""
    exits: int = 0
    stdout: str | None = None
    cwd: str = ""
    env: Mapping[str, str] = EMPTY
    timeout: int = 0
    guard: bool = False
    paths: tuple[str, ...] = ()


class Mutant(NamedTuple):
    """A change of the product that must turn the criteria red."""

    path: str
    replace: str
    by: str


class Goal(NamedTuple):
    """One goal: its criteria, where it may change what, and how its commits must look."""

    title: str
    criteria: tuple[Criterion, ...]
    intent: str = "fix"
    touch: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    may_change: tuple[str, ...] = ()
    may_move: tuple[str, ...] = ()
    may_remove: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    commits: int | None = None
    mutants: tuple[Mutant, ...] = ()
    no_change: bool = False


class Plan(NamedTuple):
    """What was agreed. `hidden` is kept from the agent; `protected` are globs nobody may change."""

    goals: tuple[Goal, ...]
    protected: tuple[str, ...] = ()
    hidden: tuple[Criterion, ...] = ()
    deliver: str = "main"
    upstream: str = ""


class Base(NamedTuple):
    """A tiny repository with one bug: `wrong` in `product` should be `right`.

    `argv` is its suite, red because of the bug alone; `truth` prints `answer` when the product is
    right, whatever became of the tests; `secret` is the same for cases no test shows.
    """

    name: str
    files: Mapping[str, str]
    argv: tuple[str, ...]
    runner: str
    product: str
    wrong: str
    right: str
    tests: str
    truth: tuple[str, ...]
    answer: str
    secret: tuple[str, ...]
    secret_answer: str
    stub: str
    table: str
    branch: str
    needs: tuple[str, ...] = ()


class Claim(NamedTuple):
    """What the agent says; `goals` are those it calls done (nothing: all of them)."""

    text: str = "All done. Every test passes. COMPLETE"
    goals: tuple[str, ...] = ()
    committed: bool = True


DONE = Claim()


class Scenario(NamedTuple):
    """One agent at one goal. `expects` are the codes of which a good refusal names one."""

    name: str
    kind: str
    says: str
    base: Base
    plan: Plan
    deeds: Deeds
    proof: Proof
    honest: bool = False
    claim: Claim = DONE
    expects: tuple[str, ...] = ()
    afterwards: Deeds | None = None
    repair: Repair | None = None

    @property
    def group(self) -> str:
        """The letter of its kind; honest work is a group of its own, and so is unfinished work."""
        if self.repair:
            return "unfinished"
        return "honest" if self.honest else self.kind[0]


def agreed(base: Base) -> Plan:
    """The usual plan: the suite turns green, and nobody changes the tests."""
    suite = Criterion("the tests pass", base.argv, base.runner)
    return Plan((Goal("Mend the discount", (suite,)),), protected=("tests/**", "*_test.go"))


def hidden(base: Base) -> Plan:
    """The usual plan, and cases the agent is not shown."""
    check = Criterion("other prices", base.secret, stdout=base.secret_answer)
    return agreed(base)._replace(hidden=(check,))


Terms = Callable[[Base], Plan]


def changed(changes: Callable[[Base, Plan], Plan]) -> Terms:
    """The usual plan of a base with some of its lines changed."""
    return lambda base: changes(base, agreed(base))


def delivering(what: str) -> Terms:
    """The usual plan where another branch is delivered, or the work tree as it lies."""
    return lambda base: agreed(base)._replace(deliver=what)


def goal(**lines: object) -> Terms:
    """The usual plan with other lines in its one goal."""

    def terms(base: Base) -> Plan:
        plan = agreed(base)
        return plan._replace(goals=(plan.goals[0]._replace(**lines),))

    return terms


def fenced(*touch: str, never: tuple[str, ...] = ()) -> Terms:
    """Only these paths may change."""
    return goal(touch=touch, never=never)


def criteria(*rows: Criterion, **lines: object) -> Terms:
    """The usual goal proven by other criteria."""
    return goal(criteria=rows, **lines)
