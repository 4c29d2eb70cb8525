"""What a proof rests on and what was not checked: the one place where both are put into words.

The judge emits ids. A statement keeps them as `id`, `id 5` or `id 2/3`, and as `id: reason`; the
command line, the receipt's page and its other views all read them here. The ids are typed, so that
the judge cannot emit one without a phrase. What a later version wrote is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

HeldId = Literal[
    "red",
    "red-absent",
    "red-collection",
    "guard",
    "kept",
    "sealed",
    "unclear-files",
    "delivered",
    "output",
    "announced",
    "runner",
    "inventory",
    "canary",
    "flip",
    "reaches-end",
    "expected-files",
    "counterfactual",
    "mutant",
    "mutants",
    "fallback-mutant",
    "repeated",
    "hidden",
]
LackingId = Literal[
    "red",
    "sealed",
    "report",
    "left-alone",
    "canary",
    "flip",
    "exit",
    "counterfactual",
    "mutant",
    "mutants",
    "repeated",
    "fewer-runs",
    "same-copy",
]

HELD: dict[HeldId, str] = {
    "red": "failed before the work",
    "red-absent": "did not exist before the work",
    "red-collection": "could not be loaded before the work",
    "guard": "passed before the work",
    "kept": "no test that passed before fails ({0} tests)",
    "sealed": "passes with the original tests ({0} files)",
    "unclear-files": "a person agreed to changed files of unclear role ({0})",
    "delivered": "passes as delivered",
    "output": "output as expected",
    "announced": "every check it reported before is reported again",
    "runner": "test runner unmodified",
    "inventory": "no test missing",
    "canary": "planted failure detected",
    "flip": "broken test detected",
    "reaches-end": "script reaches its end",
    "expected-files": "changed expected files detected",
    "counterfactual": "tests do not pass without the work",
    "mutant": "declared mutant {0} caught",
    "mutants": "{0} of {1} mutants caught",
    "fallback-mutant": "a mutant in the files the plan names caught",
    "repeated": "{0} identical runs",
    "hidden": "hidden from the agent, but not secret",
}
LACKING: dict[LackingId, str] = {
    "red": "not known whether it failed before the work",
    "sealed": "no original test",
    "report": "no test report",
    "left-alone": "not watched for writes to sealed files",
    "canary": "not checked with a planted failure",
    "flip": "not checked with a broken test",
    "exit": "exit status after a failure not seen",
    "counterfactual": "not shown that the tests need the work",
    "mutant": "declared mutant not tried",
    "mutants": "no mutant caught",
    "repeated": "not checked for flakiness",
    "fewer-runs": "fewer runs than usual",
    "same-copy": "not run twice in one copy",
}

WEAK = "no criterion of a person says how all of this is proven"

# The challenges that `check` leaves to `done`, as `check` names them.
NOT_CHECKED = (
    "planted failure",
    "broken test",
    "repeated runs",
    "mutants",
    "missing work",
    "hard-coded answers",
)

_FIGURE = re.compile(r"\{\d\}")
_SINGULAR = re.compile(r"\b1 (file|test)s\b")


def proven(*, weak: bool) -> str:
    """The one word for what has a receipt; a weak contract is never called proven alone."""
    return "proven (weak contract)" if weak else "proven"


def entry(what: HeldId, figures: Iterable[int] = ()) -> str:
    """An id and its figures as a statement keeps them."""
    return " ".join(filter(None, (what, "/".join(map(str, figures)))))


def held_phrase(kept: str) -> str:
    """What one entry of `held` means: `repeated 5` is `5 identical runs`."""
    what, _, figures = kept.partition(" ")
    phrase = next((text for id_, text in HELD.items() if id_ == what), None)
    given = figures.split("/") if figures else []
    if phrase is None or len(set(_FIGURE.findall(phrase))) != len(given):
        return kept
    return _SINGULAR.sub(r"1 \1", phrase.format(*given))


def lacking_phrase(kept: str) -> str:
    """What one entry of `lacking` means: the fact, and the reason."""
    what, _, why = kept.partition(": ")
    phrase = next((text for id_, text in LACKING.items() if id_ == what), None)
    return f"{phrase}: {why}" if phrase and why else phrase or kept


def rests_on(held: Iterable[str]) -> str:
    """Everything a proof rests on, as one line."""
    return " · ".join(map(held_phrase, held))
