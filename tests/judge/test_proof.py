"""One criterion before the judge: what makes a green run believed, and what does not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from forsooth.judge.checks.trial import Flaw
from forsooth.judge.proof import Proving
from tests.judge.court import Court

CALC = "def add(a, b):\n    return a - b\n"
FIXED = CALC.replace("-", "+")
LUCKY = "import random\n" + FIXED.replace("a + b", "a + b + (random.random() < .6)")
TEST = (
    "import unittest\nfrom calc import add\n\n\nclass Adds(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n"
    "    def test_nothing(self):\n        self.assertEqual(add(2, 0), 2)\n"
)
FILES = {"calc.py": CALC, "tests/__init__.py": "", "tests/test_calc.py": TEST}
RUN = "`python3 -m unittest -q tests.test_calc`"
BRIEF = f"@goal: Add\nIntent: fix\n- [ ] adds: {RUN}\n"
SCRIPT = {"lib.sh": "add() { echo $(($1 - $2)); }\n", "tests/run.sh": ""}
SCRIPT["tests/run.sh"] = '. ./lib.sh\n[ "$(add 2 3)" = 5 ] || exit 1\necho fine\n'


@pytest.fixture
def adds(tmp_path: Path) -> Court:
    return Court(tmp_path, FILES, BRIEF).sealed()


def test_honest_work_is_proven_and_says_what_the_proof_rests_on(adds: Court):
    """Red before, green as sealed and as delivered, and every ward held."""
    assert adds.reds() == {"G001.C1": "assertion"}
    adds.work.write("calc.py", FIXED)
    adds.work.write("tests/test_calc.py", TEST + "\n    def test_more(self):\n        pass\n")
    found = adds.found()["G001.C1"]
    assert (found.outcome, found.code) == ("pass", "pass")
    for word in ("red", "sealed 1", "delivered", "runner", "inventory", "canary", "flip"):
        assert word in found.held
    assert any(word.startswith("repeated") for word in found.held)


def test_a_flaw_ends_what_runs_beside_it(adds: Court, monkeypatch: pytest.MonkeyPatch):
    """A refusal waits for the runs that are under way, and for none that would come after."""
    known: list[bool] = []
    begun = threading.Event()

    def again(self: Proving, *_: object) -> tuple[()]:
        begun.set()
        known.append(self._over.wait(20))
        return ()

    def doubted(*_: object) -> tuple[Flaw, ...]:
        assert begun.wait(20)
        return (Flaw("flip", "broken"),)

    monkeypatch.setattr(Proving, "_doubted", doubted)
    monkeypatch.setattr(Proving, "_again", again)
    monkeypatch.setattr(Proving, "_spots", lambda *_: ())
    adds.work.write("calc.py", FIXED)
    assert adds.found()["G001.C1"].code == "flip"
    assert known == [True]


def test_a_look_runs_the_quick_wards_alone(adds: Court):
    """Feedback must be quick; what was not run is not claimed."""
    adds.work.write("calc.py", FIXED)
    found = adds.found(full=False)["G001.C1"]
    assert found.outcome == "pass"
    assert "canary" not in found.held


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("tests/test_calc.py", TEST.replace("5)", "-1)"), "oracle-changed"),
        ("tests/test_calc.py", TEST.replace("def test_add", "def check_add"), "oracle-changed"),
        ("calc.py", "import os\nos._exit(0)\n", "report-truncated"),
        ("calc.py", CALC.replace("a - b", "5 if (a, b) == (2, 3) else None"), "failed"),
        (
            "calc.py",
            "import random\n" + FIXED.replace("a + b", "a + b + (random.random() < .6)"),
            "",
        ),
    ],
)
def test_a_faked_fix_is_refused(adds: Court, name: str, text: str, code: str):
    """Each way with its own reason; luck by one or another."""
    adds.work.write(name, text)
    outcome, told = adds.told()
    assert outcome == "fail"
    assert code in ("", told)


def test_a_patched_comparison_is_noticed(adds: Court):
    """The product makes every comparison true; a test that must fail does not."""
    patch = "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"
    adds.work.write("calc.py", patch + CALC)
    assert adds.told()[0] == "fail"


def test_a_script_must_reach_its_own_end(tmp_path: Path):
    """A library that leaves with 0 ends the script before it has asked anything."""
    court = Court(tmp_path, SCRIPT, "@goal: Add\n- [ ] adds: `sh tests/run.sh`\n").sealed()
    court.work.write("lib.sh", "exit 0\n")
    assert court.told() == ("fail", "cut-short")
    court.work.write("lib.sh", "add() { echo $(($1 + $2)); }\n")
    assert court.told() == ("pass", "pass")


def test_no_test_at_all_is_refused(tmp_path: Path):
    """A module that is there and holds none says nothing of the work."""
    brief = "@goal: Add\n- [ ] new: `python3 -m unittest -q tests.test_new`\n"
    court = Court(tmp_path, FILES, brief).sealed()
    court.work.write("calc.py", FIXED)
    court.work.write("tests/test_new.py", "import unittest\n")
    assert court.told() == ("fail", "no-tests")


def test_a_new_script_that_asserts_must_notice_missing_work(tmp_path: Path):
    """Whatever it is called, where it asks something of code that was there."""
    brief = "@goal: Add\n- [ ] regression: `python3 regress.py`\n"
    court = Court(tmp_path, FILES, brief).sealed()
    assert court.reds() == {"G001.C1": "absent"}
    court.work.write("calc.py", CALC.replace("a - b", "(a) - b"))
    court.work.write("regress.py", "from calc import add\n\nassert add(2, 0) == 2\n")
    assert court.told() == ("fail", "green-before")
    court.work.write("calc.py", FIXED)
    court.work.write("regress.py", "from calc import add\n\nassert add(2, 3) == 5\n")
    assert court.told() == ("pass", "pass")


def test_tests_that_are_all_new_must_be_able_to_fail(tmp_path: Path):
    """A test the agent writes proves something only if it notices missing work."""
    brief = "@goal: Add\n- [ ] new: `python3 -m unittest -q tests.test_new`\n"
    court = Court(tmp_path, FILES, brief).sealed()
    assert court.reds() == {"G001.C1": "collection"}
    new = TEST.replace("self.assertEqual(add(2, 3), 5)", "self.assertTrue(add)")
    court.work.write("tests/test_new.py", new)
    assert court.told()[1] in ("green-before", "cannot-fail")
    court.work.write("tests/test_new.py", TEST)
    court.work.write("calc.py", FIXED)
    assert court.told() == ("pass", "pass")


def test_the_suite_need_only_be_as_green_as_it_was(tmp_path: Path):
    """A test red before for other reasons does not stop a goal; a test gone red does."""
    files = {**FILES, "tests/test_old.py": TEST.replace("5)", "77)")}
    brief = f"Suite: `python3 -m unittest discover -q -s tests -t .`\n\n{BRIEF}"
    court = Court(tmp_path, files, brief).sealed()
    court.work.write("calc.py", FIXED)
    found = court.found()["suite"]
    assert (found.outcome, found.code, found.is_reserved) == ("pass", "still-red", True)
    assert found.reason == (
        "1 test failed before the work and still fails: tests.test_old.Adds.test_add; "
        "2 that passed before still pass"
    )
    assert "guard" not in found.held
    assert "kept 2" in found.held
    court.work.write("tests/test_old.py", TEST)
    assert court.found()["suite"].code == "pass", "a suite that passes now has no reservation"
    court.work.write("tests/test_old.py", files["tests/test_old.py"])
    court.work.write("calc.py", FIXED + "\n\ndef add(a, b):\n    return 5\n")
    assert court.told("suite") == ("fail", "failed")


def test_a_link_to_another_repository_is_not_delivered_work(adds: Court):
    """What a commit only points at is not in it."""
    other = adds.folder / "work/lib"
    adds.work.git("init", "-q", str(other))
    (other / "calc.py").write_text(FIXED)
    adds.work.git("-C", str(other), "add", "-A")
    adds.work.git("-C", str(other), "commit", "-qm", "x")
    adds.work.git("add", "lib")
    assert adds.told() == ("fail", "submodule")


def test_a_declared_mutant_that_nobody_notices_refuses(tmp_path: Path):
    """The criterion cannot fail where its author says it must."""
    brief = (
        "@goal: Add\n```criteria\n- says: adds\n  check: tests\n"
        "  with: {argv: [python3, -m, unittest, -q, tests.test_calc], runner: unittest}\n"
        "  mutants: [{path: calc.py, replace: 'a + b', by: 'a + b + 0'}]\n```\n"
    )
    court = Court(tmp_path, FILES, brief).sealed()
    court.work.write("calc.py", FIXED)
    assert court.told() == ("fail", "cannot-fail")


def test_what_a_criterion_brings_is_there_for_its_run_alone(tmp_path: Path):
    """A check's own script lies in the plan, out of the work's reach."""
    brief = (
        "@goal: Add\n```criteria\n- says: adds\n  check: command\n  hidden: true\n"
        "  with: {argv: [python3, probe.py], files: {probe.py: 'from calc import add\n\n"
        "      assert add(1, 1) == 2'}}\n```\n"
    )
    court = Court(tmp_path, FILES, brief).sealed()
    found = court.found()["G001.C1"]
    assert (found.outcome, found.code) == ("fail", "hidden")
    assert found.reason == "a criterion that is not shown does not hold"
    court.work.write("calc.py", FIXED)
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert found.held[-1] == "hidden"


def test_what_cannot_be_run_is_an_error_and_on_the_base_no_red(tmp_path: Path):
    """A missing program is nobody's proof of anything."""
    court = Court(tmp_path, FILES, "@goal: Add\n- [ ] x: `no-such-program`\n").sealed()
    assert court.reds() == {"G001.C1": "environment"}
    assert court.told()[0] == "error"
