"""What a passing run rests on before anything is challenged, each sentence as precise as the fact.

How the criterion stood on the base, how many sealed files it was judged by, and which changed test
files a person should read. A suite that failed before the work passes when no test that passed then
fails now; it is told so, by name, and never called green.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from forsooth.core.ground import Baseline, Red
from forsooth.core.plan import Goal
from forsooth.core.strength import HeldId
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.tests import counted
from forsooth.judge.checks.trial import Doubted, Held, Lacking, Trial
from forsooth.judge.disbelief.inventory import Sealed
from forsooth.judge.reports.report import Report, Test
from forsooth.judge.views import View, named_in

_RED: dict[Red, HeldId] = {"absent": "red-absent", "collection": "red-collection"}
_GREEN = ("passed", "xpassed")


class Passed(NamedTuple):
    """The code and the sentence of a run that passes, and how it stood before the work."""

    code: str
    says: str
    before: tuple[Doubted, ...]


def passed(last: Trial, baseline: Baseline | None, known: Sealed | None) -> Passed:
    """What a passing run may say of itself."""
    if last.told is None:
        return Passed("pass", f"exits {last.ran.exit}", _before(baseline))
    if not last.told.red or known is None:
        return Passed("pass", counted(last.told), _before(baseline))
    kept = _still_green(last.told, known)
    rows = [*_still_red(last.told.red, known)]
    rows.append(f"{kept} that passed before still {'passes' if kept == 1 else 'pass'}")
    return Passed("still-red", "; ".join(rows), (Held("kept", (kept,)),))


def _before(baseline: Baseline | None) -> tuple[Doubted, ...]:
    if baseline is None:
        return (Lacking("red", "it was not run on the base"),)
    return (Held(_RED.get(baseline.red, "red") if baseline.red else "guard"),)


def _still_red(red: Iterable[Test], known: Sealed) -> Iterator[str]:
    """Who fails, by how each stood before the work: nothing else may fail in a run that passes."""
    names = [test.id for test in red]
    failed = [id_ for id_ in names if known.tests.get(id_) in ("failed", "error")]
    skipped = [id_ for id_ in names if id_ in known.tests and id_ not in failed]
    odd = [id_ for id_ in names if id_ not in known.tests]
    for found, was in (
        (failed, "failed before the work and still"),
        (skipped, "did not run before the work and now"),
        (odd, "did not end the same twice before the work and now"),
    ):
        if found:
            tests, fail = ("test", "fails") if len(found) == 1 else ("tests", "fail")
            yield f"{len(found)} {tests} {was} {fail}: {shown(found)}"


def _still_green(told: Report, known: Sealed) -> int:
    held = {id_ for id_, outcome in known.tests.items() if outcome in _GREEN}
    return sum(test.id in held and test.outcome in _GREEN for test in told.tests)


class JudgedFiles(NamedTuple):
    """The files a criterion was judged by: its view, the files sealed for it, and the changes.

    `tests` are the sealed files without the settings of tools; `within` is the number of product
    files of which only the tests are sealed.
    """

    criterion: str
    view: View
    sealed: Collection[str]
    tests: Collection[str]
    within: int
    changed: Collection[str]
    added: Collection[str]

    def doubted(self) -> Iterator[Doubted]:
        """How many files were the original ones: unchanged, or put back."""
        count = self.within + len({*self.tests} - ({*self.changed} - self._original))
        if count:
            yield Held("sealed", (count,))
        else:
            yield Lacking("sealed", "nothing that it runs was there at the seal")
        if self._original:
            yield Held("delivered")

    def permitted(self, goal: Goal | None) -> list[str]:
        """Sealed files that were changed, and judged as changed, by the plan's permission."""
        let = (*goal.may_change, *goal.may_move, *goal.may_remove) if goal else ()
        changed = {*self.sealed}.intersection(self.changed) - self._original
        return sorted(path for path in changed if named_in(let, path))

    def flags(self, goal: Goal | None, named: Collection[str]) -> Iterator[str]:
        """Changed test files that a person should read; `named` are those the criterion runs."""
        run, view = {*named}, self.view
        for paths, how, says in (
            (view.restored, "changed", "passes with the original too"),
            (view.merged, "changed", "passes with the original tests and settings in it too"),
            (view.removed, "new", "passes without it too"),
            (self.permitted(goal), "changed with the plan's permission", "was judged by it"),
            ([one for one in self.added if one in run], "new", "runs it"),
        ):
            if paths:
                yield f"{shown(paths)}: {how} since the seal; {self.criterion} {says}"

    @property
    def _original(self) -> set[str]:
        return {*self.view.restored, *self.view.removed, *self.view.merged}
