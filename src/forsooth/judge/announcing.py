"""What a script without a report said that it found right, and must find right again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from forsooth.core.plan import Goal
from forsooth.judge.accepted import Accepted
from forsooth.judge.announced import dropped, ignored, unannounced
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.court import Court
from forsooth.judge.ground import Record


class Announcing(NamedTuple):
    """One criterion that is known by its exit status and by what it prints.

    `expects_output` where the plan itself says what is printed, and the judge compares.
    """

    record: Record
    goal: Goal | None
    court: Court
    accepted: Accepted
    expects_output: bool

    def doubted(self, first: Trial, last: Trial) -> Iterator[Doubted]:
        """Whether all that a script without a report found right before is found right now.

        What it finds right as sealed it finds right as delivered: a script may grow, not shrink.
        """
        if flaw := (
            ignored(self.record.admitted, last.ran.stdout)
            or self.missed(first)
            or self._dropped(first, last)
        ):
            yield flaw
        elif self.were:
            yield Held("announced")
        if self.expects_output:
            yield Held("output")
        else:
            yield Lacking("report", "only the exit status is known")

    @property
    def were(self) -> Collection[str]:
        """What a script found right on the base, where the plan lets none of it go."""
        return () if self.lets_tests_go or self.accepted.paths else self.record.announced

    @property
    def lets_tests_go(self) -> bool:
        """Whether the plan lets tests change, move or go."""
        goal = self.goal
        return goal is not None and bool(goal.may_change or goal.may_remove or goal.may_move)

    def missed(self, trial: Trial) -> Flaw | None:
        """What was found right on the base, and is not said any more."""
        changed = self.court.rooms.look(self.court.tree).changes
        gone = [one.path for one in changed if one.status == "D"]
        return unannounced(self.were, (trial.ran.stdout, trial.ran.stderr), gone=gone)

    def _dropped(self, first: Trial, last: Trial) -> Flaw | None:
        if first is last or self.lets_tests_go or self.court.base is None:
            return None
        look = self.court.rooms.look(self.accepted.base or self.court.base)
        held = look.read_all(self.record.oracles)
        return dropped(first.ran.stdout, last.ran.stdout, held)
