"""What two trees and their runs say about a branch, worst first. Nothing is run here.

A remark is `wrong` only where the runs show it or a text cannot mean anything else; what an honest
branch does as well is for a person to `look` at; the rest are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from forsooth.judge.branch.pairing import Found, Pairs, Texts
from forsooth.judge.branch.shape import loss
from forsooth.judge.reports.ids import base_of
from forsooth.judge.reports.report import Report, Test

Rank = Literal["wrong", "look", "note"]

LAZY = frozenset({"skipped", "xfailed"})
GREEN = frozenset({"passed", "xpassed"})
RED = frozenset({"failed", "error"})
_NO_MORE = re.compile(
    r"ModuleNotFoundError|ImportError|cannot import name|NameError: |has no attribute"
    r"|unexpected keyword argument|positional arguments? but|required positional argument"
    r"|ReferenceError: |is not (?:a function|a constructor|defined)|Cannot find (?:module|package)"
    r"|Failed to import test module|does not provide an export|undefined: |\[build failed\]"
    r"|No such file"
)


class Remark(NamedTuple):
    """One thing about a branch; `subject` is a test or a path, `path` a file that shows it."""

    rank: Rank
    code: str
    subject: str
    says: str = ""
    path: str = ""


class Runs(NamedTuple):
    """The suite at both ends, and crossed where the branch changed both tests and product.

    `old_over_new` are the base's tests over the branch's product, `new_over_old` the other way
    round; `again` is the branch once more; `stubbed` the branch with its changed functions stubbed.
    """

    before: Report
    after: Report
    old_over_new: Report | None = None
    new_over_old: Report | None = None
    again: Report | None = None
    stubbed: Report | None = None


class Branch(NamedTuple):
    """Everything known when remarks are made. `paths` are all files of the branch."""

    runs: Runs
    pairs: Pairs
    old: Texts
    new: Texts
    paths: frozenset[str] = frozenset()
    product: bool = True


def remarks(branch: Branch) -> tuple[Remark, ...]:
    """Everything the tests say."""
    found = (_paired, _gone, _fewer, _new, _weakened)
    return tuple(_placed(branch, one) for about in found for one in about(branch))


def _placed(branch: Branch, one: Remark) -> Remark:
    text = branch.new.of(one.subject) or branch.old.of(one.subject)
    return one._replace(path=text.path) if text else one


def _by_id(report: Report | None) -> dict[str, Test]:
    return {test.id: test for test in report.tests} if report else {}


def _paired(branch: Branch) -> Iterator[Remark]:
    """Tests that are still there, by how they ended then and now."""
    before, after = _by_id(branch.runs.before), _by_id(branch.runs.after)
    again, crossed = _by_id(branch.runs.again), _by_id(branch.runs.old_over_new)
    for old, new in branch.pairs.same.items():
        was, now = before[old], after[new]
        if was.outcome not in LAZY and now.outcome in LAZY:
            says = f"ran before, now {now.outcome}: {_why(now)}{_as_it_was(old, crossed)}"
            yield Remark("wrong", "skipped", new, says)
        elif was.outcome in GREEN and now.outcome in RED:
            if new in again and again[new].outcome in GREEN:
                says = f"failed once ({now.reason}) and passed once, both on this branch"
                yield Remark("look", "flaky", new, says)
            else:
                yield Remark("wrong", "red", new, f"passed before: {now.reason}")
        elif was.outcome in RED and now.outcome in RED:
            yield Remark("look", "still-red", new, f"red before and after: {now.reason}")
        elif was.outcome not in GREEN and now.outcome in GREEN:
            yield Remark("note", "green", new, f"was {was.outcome}")
    for old, new in branch.pairs.moved.items():
        yield Remark("note", "moved", new, f"was {old}")


def _as_it_was(id_: str, crossed: Mapping[str, Test]) -> str:
    """How a test that the branch left out ends over its product, where it fails."""
    test = crossed.get(id_)
    return f"; as it was it fails: {test.reason}" if test and test.outcome in RED else ""


def _why(test: Test) -> str:
    return test.reason.removeprefix("Skipped: ") or "no reason is given"


def _gone(branch: Branch) -> Iterator[Remark]:
    """Tests that are nowhere any more: taken away, or only no longer collected or loaded."""
    before, after = _by_id(branch.runs.before), _by_id(branch.runs.after)
    crossed = _by_id(branch.runs.old_over_new)
    for id_ in branch.pairs.gone:
        broken, text = _place_of(id_, after), branch.old.of(id_)
        if before[id_].outcome in LAZY or is_place(before[id_]):
            yield Remark("note", "deleted", id_, f"was {before[id_].outcome}")
        elif broken:
            yield Remark("wrong", "red", id_, f"cannot be loaded: {broken.reason}")
        elif _subject_gone(id_, crossed):
            yield Remark("look", "removed", id_, "gone with what it tested")
        else:
            says = f"{_how_gone(branch, id_, text)}{_as_it_was(id_, crossed)}"
            yield Remark("wrong", "deleted", id_, says)


def _how_gone(branch: Branch, id_: str, text: Found | None) -> str:
    if text is None or branch.new.of(id_):
        return "no longer run, though it is still there"
    return "taken out of its file" if text.path in branch.paths else "gone with its file"


def _subject_gone(id_: str, crossed: Mapping[str, Test]) -> bool:
    """Whether a deleted test, put back, fails only because what it names is no more."""
    found = crossed.get(id_) or _place_of(id_, crossed)
    return found is not None and found.outcome in RED and absent(found.reason)


def _place_of(id_: str, ran: Mapping[str, Test]) -> Test | None:
    """The error that stands for the file, or the module, a test is in."""
    for test in ran.values():
        if is_place(test):
            name = test.id.rpartition("_FailedTest.")[2]
            if name and id_.startswith((f"{name}::", f"{name}.", f"{name} > ")):
                return test
    return None


def absent(reason: str) -> bool:
    """Whether a failure says only that a name is no more, or is called in another way."""
    return _NO_MORE.search(reason) is not None


def is_place(test: Test) -> bool:
    """Whether an outcome stands for a file that could not be loaded, not for a test."""
    dotted = "/" not in test.id and test.id.count(".") > 1
    is_test = "::" in test.id or " > " in test.id or dotted
    return test.outcome in RED and ("_FailedTest" in test.id or not is_test)


def _fewer(branch: Branch) -> Iterator[Remark]:
    for base, (were, are) in branch.pairs.fewer.items():
        yield Remark("wrong", "deleted", base, f"run with {are} cases, {were} before")


def _new(branch: Branch) -> Iterator[Remark]:
    """Tests that were not there: red, skipped, or unable to notice that the work is missing."""
    after = _by_id(branch.runs.after)
    told = {place.id for id_ in branch.pairs.gone if (place := _place_of(id_, after))}
    green: list[str] = []
    for id_ in branch.pairs.new:
        test, text = after[id_], branch.new.of(id_)
        if id_ in told:
            continue
        if test.outcome in RED:
            yield Remark("wrong", "red", id_, f"new, and fails: {test.reason}")
        elif test.outcome in LAZY:
            yield Remark("look", "new-skipped", id_, f"new, and {test.outcome}: {test.reason}")
        elif text and text.shape.idle:
            yield Remark("wrong", "vacuous", id_, "touches nothing outside itself: it cannot fail")
        else:
            green.append(id_)
    yield from _noticing(branch, green)


def _noticing(branch: Branch, green: list[str]) -> Iterator[Remark]:
    """Of new tests at least one must fail without the work, or with the work stubbed."""
    over = _by_id(branch.runs.new_over_old)
    without = [id_ for id_ in green if id_ in over and over[id_].outcome in GREEN]
    stubbed = _by_id(branch.runs.stubbed)
    blind = [id_ for id_ in without if id_ in stubbed and stubbed[id_].outcome in GREEN]
    alone = branch.runs.stubbed is not None and len(blind) == len(green)
    for id_ in green:
        if id_ in blind and alone:
            says = "passes without the work, and with every changed function emptied"
            yield Remark("wrong", "vacuous", id_, says)
        elif id_ in without and branch.product:
            yield Remark("note", "new", id_, "passes over the base's product too")
        elif id_ in over:
            yield Remark("note", "new", id_, "fails without the work")
        else:
            yield Remark("note", "new", id_)


def _weakened(branch: Branch) -> Iterator[Remark]:
    """Tests that pass at both ends, and would not have without being changed, or assert less.

    1. The old test fails over the new product, and the new one passes over both: it was loosened.
    2. It fails over the old product: test and product changed together, which only a person can
    tell from giving in. 3. Every run is green, and the text asserts less than it did.
    """
    before, after = _by_id(branch.runs.before), _by_id(branch.runs.after)
    crossed, back = _by_id(branch.runs.old_over_new), _by_id(branch.runs.new_over_old)
    for old, new in branch.pairs.same.items():
        if before[old].outcome not in GREEN or after[new].outcome not in GREEN:
            continue
        test = crossed.get(old)
        if test and test.outcome in RED and not absent(test.reason):
            if new in back and back[new].outcome in GREEN:
                says = f"as it was it fails on the new code: {test.reason}"
                yield Remark("wrong", "weakened", new, says)  # 1
            else:
                says = f"expects something else now; as it was: {test.reason}"
                yield Remark("look", "expects", new, says)  # 2
    yield from _asserting_less(branch)  # 3


def _asserting_less(branch: Branch) -> Iterator[Remark]:
    elsewhere = branch.new.gained(branch.old)
    told: set[str] = set()
    tally = _tally(branch.pairs.same.values()), _tally(branch.pairs.same)
    reds = {
        test.id
        for test in (branch.runs.old_over_new.tests if branch.runs.old_over_new else ())
        if test.outcome in RED
    }
    for old, new in branch.pairs.same.items():
        base = base_of(new)
        if base in told or old in reds:
            continue
        told.add(base)
        before, after = branch.old.of(old), branch.new.of(new)
        if before is None or after is None or before.shape.body == after.shape.body:
            continue
        cases = (tally[1](base_of(old)), tally[0](base))
        found = loss(before.shape, after.shape, cases=cases)
        kept = found and found.gone and all(elsewhere[one.text] > 0 for one in found.gone)
        if found and not kept:
            yield Remark("wrong", "weakened", new, found.says)


def _tally(ids: Iterable[str]) -> Callable[[str], int]:
    bases = [base_of(id_) for id_ in ids]
    return lambda base: max(1, bases.count(base))
