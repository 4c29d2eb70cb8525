"""Tests that are all new, or that the plan lets change: do they notice that the work is missing?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from forsooth.core.ground import Baseline, allowance
from forsooth.core.plan import Criterion, Goal
from forsooth.git.trees import Change
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Doubted, Trial
from forsooth.judge.court import Court
from forsooth.judge.disbelief.counterfactual import Limit, all_new, counterfactual, over_base
from forsooth.judge.disbelief.inventory import Sealed
from forsooth.judge.mentions import is_code
from forsooth.judge.novelty import named_paths
from forsooth.judge.rooms import Trying
from forsooth.judge.sides import Sides
from forsooth.judge.views import named_in

_ASSERTS = re.compile(r"\bassert\w*\b|\bexpect\s*\(|\bAssertionError\b")


class Newcomers(NamedTuple):
    """One criterion of a goal, what was seen of it on the base, and which tests were known."""

    criterion: Criterion
    goal: Goal | None
    court: Court
    baseline: Baseline | None
    known: Sealed | None
    sides: Sides

    def doubted(self, room: Trying, last: Trial) -> Iterator[Doubted]:
        """Only a feature or a fix has work that could be missing."""
        goal, court = self.goal, self.court
        if goal is None or goal.intent not in ("feature", "fix") or court.base is None:
            return
        changes = court.rooms.look(court.tree).changes
        checks = frozenset(self._checks(changes))

        def is_test(path: str) -> bool:
            return path in checks or self.sides.holds(path)

        if self.criterion.mutants and all(is_test(one.path) for one in changes):
            return  # a goal of tests alone: what they must notice is declared
        if self._is_all_new(last):
            yield counterfactual(
                room,
                base=court.base,
                delivered=court.tree,
                changes=changes,
                test_side=is_test,
                report=last.told,
                limit=Limit(seconds=max(30.0, allowance(last.ran.took))),
            )
        elif self.baseline and self.baseline.counts and self._was_let(goal, changes):
            tests = [one for one in changes if self._is_let_side(goal, one.path)]
            yield over_base(
                room, base=court.base, delivered=court.tree, tests=tests, report=last.told
            )

    def _checks(self, changes: Iterable[Change]) -> Iterator[str]:
        """New scripts that the criterion runs and that assert something of code that was there."""
        look = self.court.rooms.look(self.court.tree)
        asked = frozenset(named_paths(self.criterion))
        was = [one.path for one in changes if one.status == "M" and is_code(one.path)]
        stems = [re.escape(path.rpartition("/")[2].partition(".")[0]) for path in was]
        for change in changes:
            if change.status == "A" and change.path in asked and stems:
                text = (look.read(change.path) or b"").decode("utf-8", "replace")
                if _ASSERTS.search(text) and re.search(rf"\b(?:{'|'.join(stems)})\b", text):
                    yield change.path

    def _is_all_new(self, last: Trial) -> bool:
        if last.told is None:
            return self.baseline is not None and self.baseline.red == "absent"
        return all_new(last.told, [*self.known.tests] if self.known else [])

    def _was_let(self, goal: Goal, changes: Iterable[Change]) -> bool:
        """Whether tests differ because the plan lets them, and product was changed as well.

        A goal that only puts a test right is left alone: nobody but a person can tell it. What lies
        outside of its fence is another goal's work.
        """
        touch = goal.fence.touch
        paths = [one.path for one in changes if not touch or any_matches(touch, one.path)]
        is_used = any(named_in(goal.may_change, path) for path in paths)
        return is_used and any(is_code(p) and not self._is_let_side(goal, p) for p in paths)

    def _is_let_side(self, goal: Goal, path: str) -> bool:
        """Whether a file is the tests', also by what the plan protects or lets change."""
        if self.sides.holds(path):
            return True
        is_let = named_in(goal.may_change, path)
        return not is_code(path) if is_let else any_matches(self.criterion.oracle, path)
