"""Every fact a proof can be said to rest on: said where it is so, and not where it is not.

Each row is one repository and two works. In the first the fact is true; in the second it is false,
and the finding must not claim it, whether the work is accepted or refused for something else.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from forsooth.core.strength import HeldId
from forsooth.core.verdict import Finding
from forsooth.git.snapshot import snapshot
from forsooth.judge.checker import Consent
from tests.judge.court import Court
from tests.judge.disbelief import test_answers
from tests.judge.test_plain_scripts import FILES as SCRIPTS
from tests.judge.test_plain_scripts import WRONG
from tests.judge.test_proof import CALC, FILES, FIXED, LUCKY, TEST

ADDS = "@goal: Add\nIntent: fix\n- [ ] adds: `python3 -m unittest -q tests.test_calc`\n"
NEW = "@goal: Add\nIntent: fix\n- [ ] new: `python3 -m unittest -q tests.test_new`\n"
SCRIPT = "@goal: Add\nIntent: fix\n- [ ] adds: `sh tests/run.sh`\n"
SUITE = f"Suite: `python3 -m unittest discover -q -s tests -t .`\n\n{ADDS}"
PRINTS = "@goal: Add\nIntent: fix\n- [ ] prints: `python3 show.py` → expected: `5`\n"
SHOW = {**FILES, "show.py": "from calc import add\n\nprint(add(2, 3))\n"}
RED_SUITE = {**FILES, "tests/test_old.py": TEST.replace("5)", "77)")}
MORE = f"{TEST}\n    def test_more(self):\n        self.assertEqual(add(1, 1), 2)\n"
FEWER = TEST.partition("    def test_nothing")[0]
TRUSTS = "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"
BLIND = TEST.replace("self.assertEqual(add(2, 3), 5)", "self.assertTrue(add)")
GOLDEN, READS = test_answers.BASES["golden"]
SHOUTS = {**test_answers.CASES, **GOLDEN}
TABLE = {
    "calc.py": CALC,
    "valores.py": "CASOS = [(2, 3, 6), (2, 0, 2)]\n",
    "prueba.py": "from calc import add\nfrom valores import CASOS\n\n"
    "for a, b, c in CASOS:\n    assert add(a, b) == c, (a, b)\n",
}
TABLED = "@goal: Add\nIntent: fix\n- [ ] adds: `python3 prueba.py`\n"


def fenced(mutant: str = "", *, hidden: bool = False) -> str:
    """A criterion with all that a fenced block can say."""
    return (
        "@goal: Add\n```criteria\n- says: adds\n  check: tests\n"
        "  with: {argv: [python3, -m, unittest, -q, tests.test_calc], runner: unittest}\n"
        f"{'  hidden: true' if hidden else ''}\n{mutant}```\n"
    )


CAUGHT = fenced("  mutants: [{path: calc.py, replace: 'a + b', by: 'a * b'}]\n")
UNCAUGHT = fenced("  mutants: [{path: calc.py, replace: 'a + b', by: 'a + b + 0'}]\n")
ELSEWHERE = fenced("  mutants: [{path: calc.py, replace: 'nowhere', by: 'x'}]\n")
UNIT = {"calc.py": FIXED}
SUM = {"calc.sh": WRONG.replace("-", "+")}


class Side(NamedTuple):
    """A repository with its brief, and the work that is judged."""

    files: dict[str, str]
    brief: str
    work: dict[str, str]
    criterion: str = "G001.C1"
    full: bool = True
    agreed: bool = False


class Row(NamedTuple):
    """One fact: a side where it is said, with its figures, and a side where it is not so."""

    says: str
    true: Side
    false: Side


FAILED = Side(FILES, ADDS, UNIT)
PASSED = Side({**FILES, **UNIT}, ADDS, {"calc.py": f"# A sum.\n{FIXED}"})
ABSENT = Side(FILES, NEW, {**UNIT, "tests/test_new.py": TEST})
LOOK = Side(FILES, ADDS, UNIT, full=False)
SHELL = Side(SCRIPTS, SCRIPT, SUM)
AGREED = Side(
    TABLE, TABLED, {**UNIT, "valores.py": "CASOS = [(2, 3, 5), (2, 0, 2)]\n"}, agreed=True
)

ROWS: dict[HeldId, Row] = {
    "red": Row("red", FAILED, PASSED),
    "red-absent": Row(
        "red-absent",
        Side(
            FILES,
            "@goal: Add\n- [ ] x: `python3 new.py`\n",
            {**UNIT, "new.py": "from calc import add\n\nassert add(2, 3) == 5\n"},
        ),
        FAILED,
    ),
    "red-collection": Row("red-collection", ABSENT, FAILED),
    "guard": Row("guard", PASSED, FAILED),
    "kept": Row(
        "kept 2",
        Side(RED_SUITE, SUITE, UNIT, "suite"),
        Side({**FILES, **UNIT}, SUITE, {"calc.py": f"# A sum.\n{FIXED}"}, "suite"),
    ),
    "sealed": Row("sealed 1", FAILED, ABSENT),
    "unclear-files": Row("unclear-files 1", AGREED, AGREED._replace(agreed=False)),
    "delivered": Row("delivered", Side(FILES, ADDS, {**UNIT, "tests/test_calc.py": MORE}), FAILED),
    "output": Row("output", Side(SHOW, PRINTS, UNIT), SHELL),
    "announced": Row("announced", SHELL, Side(SHOW, PRINTS, UNIT)),
    "runner": Row("runner", FAILED, SHELL),
    "inventory": Row("inventory", FAILED, Side(FILES, ADDS, {**UNIT, "tests/test_calc.py": FEWER})),
    "canary": Row("canary", FAILED, LOOK),
    "flip": Row("flip", FAILED, Side(FILES, ADDS, {"calc.py": TRUSTS + CALC})),
    "reaches-end": Row("reaches-end", SHELL, Side(SCRIPTS, SCRIPT, {"calc.sh": "exit 0\n"})),
    "expected-files": Row(
        "expected-files",
        Side(
            {**test_answers.CASES, **GOLDEN}, test_answers.BRIEF, {"shout.py": test_answers.RIGHT}
        ),
        Side(SHOUTS, test_answers.BRIEF, {"shout.py": READS}),
    ),
    "counterfactual": Row(
        "counterfactual", ABSENT, Side(FILES, NEW, {**UNIT, "tests/test_new.py": BLIND})
    ),
    "mutant": Row("mutant 1", Side(FILES, CAUGHT, UNIT), Side(FILES, UNCAUGHT, UNIT)),
    "mutants": Row("mutants", FAILED, LOOK),
    "fallback-mutant": Row(
        "fallback-mutant", Side(FILES, ELSEWHERE, UNIT), Side(FILES, CAUGHT, UNIT)
    ),
    "repeated": Row("repeated", FAILED, Side(FILES, ADDS, {"calc.py": LUCKY})),
    "hidden": Row("hidden", Side(FILES, fenced(hidden=True), UNIT), Side(FILES, fenced(), UNIT)),
}


def judged(folder: Path, side: Side) -> Finding:
    """What the judge makes of one work."""
    court = Court(folder, side.files, side.brief).sealed()
    for name, text in side.work.items():
        court.work.write(name, text)
    at = snapshot(court.work.repo)
    case = court.case(at.tree, at.commit)._replace(
        base=court.base,
        ground=court.ground,
        full=side.full,
        consents={side.criterion: Consent("ada", at.tree)} if side.agreed else {},
    )
    found = court.judge().judge(case).verdict.findings
    return next(one for one in found if one.criterion == side.criterion)


def test_only_files_in_which_tests_were_run_are_counted_as_original_tests(tmp_path: Path):
    """Others lie in the same folder, sealed as well, and this criterion does not run them."""
    files = {**FILES, "tests/test_other.py": TEST, "tests/data.json": "{}"}
    assert "sealed 1" in judged(tmp_path, Side(files, ADDS, UNIT)).held


def test_every_fact_has_a_case_in_which_it_is_false():
    """A fact that is put into words, and has no row here, is not held to anything."""
    assert set(ROWS) == set(get_args(HeldId))


@pytest.mark.parametrize("what", ROWS)
def test_a_fact_is_said_where_it_is_so_and_not_where_it_is_not(tmp_path: Path, what: HeldId):
    """With its figures, and nowhere else."""
    says, true, false = ROWS[what]
    found = judged(tmp_path / "true", true)
    assert found.outcome == "pass", found.reason
    assert any(one == says or one.startswith(f"{says} ") for one in found.held), found.held
    assert what not in {one.partition(" ")[0] for one in judged(tmp_path / "false", false).held}
