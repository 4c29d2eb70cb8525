"""Every kind of criterion on the base: what is red, why, and what the record of it rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.ground import Baseline
from forsooth.judge.checker import Consent
from forsooth.judge.ground import Record
from tests.judge.court import Court
from tests.judge.test_proof import CALC, FILES, FIXED, TEST

SLOW = "import time\n\ntime.sleep(60)\n"
BRIEF = """\
Suite: `python3 -m unittest discover -q -s tests -t .`

@goal: Add
Intent: fix
- [ ] adds: `python3 -m unittest -q tests.test_calc`
- [ ] a file that is not there: `python3 tests/later.py`
- [ ] a status: `sh wrong.sh`
- [ ] nothing to build: `python3 -m unittest -q tests.broken`
- [ ] no test of this name: `python3 -m unittest -q tests.empty`
- [ ] not here: `no-such-program`
- [ ] docs.md contains "adds"
- [ ] only calc.py and docs.md change
- [ ] a person agrees: it reads well
"""
SCRIPTS = {
    "wrong.sh": "exit 3\n",
    "tests/broken.py": "import no_such_module\n",
    "tests/empty.py": "",
    "docs.md": "nothing\n",
}


@pytest.fixture(scope="module")
def court(tmp_path_factory) -> Court:
    return Court(tmp_path_factory.mktemp("court"), FILES | SCRIPTS, BRIEF).sealed()


def about(court: Court, number: int) -> Baseline:
    assert court.ground
    found = court.ground.about(f"G001.C{number}")
    assert found
    return found


def test_what_is_red_on_the_base_is_typed(court: Court):
    """A test that failed says more than one that could not be found, and a lack here nothing."""
    assert court.reds() == {
        "G001.C1": "assertion",
        "G001.C2": "absent",
        "G001.C3": "exit",
        "G001.C4": "collection",
        "G001.C5": "absent",
        "G001.C6": "environment",
        "G001.C7": "assertion",
        "G001.C9": "absent",
        "suite": "assertion",
    }


def test_tests_and_what_they_rest_on_are_kept(court: Court):
    """They are what a claim is compared with."""
    seen = about(court, 1)
    assert (seen.runner, seen.tests) == ("unittest", 2)
    assert seen.record
    record = Record.loaded(court.kept[seen.record])
    assert "tests/test_calc.py" in record.oracles
    assert record.tests
    assert set(record.withstands) == {"another order", "one copy twice"}
    assert Record.loaded(record.dumped()) == record


def test_what_can_only_be_asked_of_work_is_not_asked_of_the_base(court: Court):
    """A fence holds where nothing was done."""
    assert court.ground
    assert court.ground.about("G001.C8") is None
    assert about(court, 9).code == "awaiting-approval"


def test_work_is_judged_by_what_was_red(court: Court):
    """Each criterion by its own kind, and the approval stays a person's."""
    court.work.write("calc.py", FIXED)
    court.work.write("docs.md", "it adds\n")
    found = court.found(full=False)
    told = {id_: one.outcome for id_, one in found.items()}
    assert (told["G001.C1"], told["G001.C7"], told["G001.C8"]) == ("pass", "pass", "pass")
    assert (told["G001.C3"], told["G001.C6"], told["G001.C9"]) == ("fail", "error", "error")
    assert "red" in found["G001.C1"].held
    court.work.write("calc.py", CALC)


def test_what_a_person_agreed_to_holds(court: Court):
    """The word is taken from the ledger, by who calls the judge."""
    case = court.case(court.base.tree or "", court.base.commit)
    asked = tuple(one for one in case.asked if one.criterion.id == "G001.C9")
    agreed = case._replace(asked=asked, consents={"G001.C9": Consent("ada", case.tree)}, fresh=True)
    (found,) = court.judge().judge(agreed).verdict.findings
    assert (found.outcome, found.reason) == ("pass", "ada agreed")


def limited(script: str, seconds: int, *, suite: str = "") -> str:
    """A brief whose only criterion is a script with a limit."""
    with_ = f"{{argv: [python3, {script}], timeout: {seconds}}}"
    before = f"Suite: `python3 {suite}`\n\n" if suite else ""
    return (
        f"{before}@goal: Add\n```criteria\n- says: adds\n  check: command\n  with: {with_}\n```\n"
    )


def test_a_run_that_does_not_end_is_a_timeout(tmp_path: Path):
    """On the base as in a claim."""
    court = Court(tmp_path, {"slow.py": SLOW}, limited("slow.py", 1)).sealed()
    assert court.reds() == {"G001.C1": "timeout"}
    assert court.told() == ("fail", "timeout")


def test_a_suite_that_holds_what_never_ends_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its own command has no limit; that of a criterion shows that there is nothing to wait for."""
    monkeypatch.setattr("forsooth.judge.judge.HANGING", 2)
    court = Court(tmp_path, {"slow.py": SLOW}, limited("slow.py", 1, suite="slow.py"))
    assert court.sealed().reds() == {"G001.C1": "timeout", "suite": "timeout"}


def test_a_suite_is_not_cut_where_every_limit_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A long suite beside a criterion with a limit is only long."""
    monkeypatch.setattr("forsooth.judge.judge.HANGING", 0.5)
    files = {"slow.py": "import time\n\ntime.sleep(1)\n", "wrong.py": "raise SystemExit(1)\n"}
    court = Court(tmp_path, files, limited("wrong.py", 9, suite="slow.py"))
    assert court.sealed().reds() == {"G001.C1": "exit", "suite": None}


def test_a_suite_that_could_not_be_run_on_the_base_is_not_held_against_the_work(tmp_path: Path):
    """It is said that it was not kept."""
    brief = 'Suite: `no-such-program`\n\n@goal: Add\n- [ ] docs.md contains "adds"\n'
    court = Court(tmp_path, {"docs.md": ""}, brief).sealed()
    assert court.told("suite") == ("pass", "not-kept")


@pytest.mark.parametrize(("was", "told"), [("exit 0", "exit"), ("exit 1", "not-kept")])
def test_a_suite_that_is_a_plain_script_is_kept_as_green_as_it_was(tmp_path: Path, was, told):
    """Only where it was green is there anything to keep."""
    brief = 'Suite: `sh check.sh`\n\n@goal: Add\n- [ ] docs.md contains "adds"\n'
    files = {"docs.md": "", "check.sh": ". ./lib.sh\n", "lib.sh": f"{was}\n"}
    court = Court(tmp_path, files, brief).sealed()
    court.work.write("lib.sh", "exit 1\n# worse\n")
    assert court.told("suite")[1] == told


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ("a=1 b=1", ("pass", "in-parts")),
        ("a=1 b=", ("pass", "in-parts")),
        ("a= b=1", ("fail", "inventory")),
    ],
)
def test_of_a_red_suite_what_it_told_as_right_is_kept(tmp_path: Path, now: str, told):
    """It exits as it did; its lines tell which of it broke."""
    brief = 'Suite: `sh check.sh`\n\n@goal: Add\n- [ ] docs.md contains "adds"\n'
    check = ". ./lib.sh\nfor one in a b; do\n  eval v=\\$$one\n"
    check += '  [ "$v" ] && echo "ok - $one" || { echo "not ok - $one"; bad=1; }\ndone\nexit $bad\n'
    files = {"docs.md": "", "check.sh": check, "lib.sh": "bad=0 a=1 b=\n"}
    court = Court(tmp_path, files, brief).sealed()
    court.work.write("lib.sh", f"bad=0 {now}\n")
    assert court.told("suite") == told


@pytest.mark.parametrize(
    ("leaves", "told"), [(": ", ("pass", "pass")), ("mkdir left", ("fail", "flaky"))]
)
def test_a_red_check_that_prints_the_time_is_asked_twice_in_one_copy(tmp_path: Path, leaves, told):
    """It ends the same both times on the base; what differs is when."""
    check = "date '+%Y-%m-%d %H:%M:%S.%N'\necho took 0.$(date +%N) s\n. ./lib.sh\nexit $bad\n"
    brief = "@goal: Add\nIntent: fix\n- [ ] `sh check.sh`\n"
    court = Court(tmp_path, {"check.sh": check, "lib.sh": "bad=1\n"}, brief).sealed()
    court.work.write("lib.sh", f"{leaves} || exit 1\nbad=0\n")
    assert court.told() == told


def test_a_test_that_is_no_longer_run_is_missed(tmp_path: Path):
    """None of those known at the seal: the inventory says how many there were."""
    brief = "@goal: Add\n- [ ] adds: `python3 -m unittest -q tests.test_calc`\n"
    court = Court(tmp_path, FILES, brief).sealed()
    court.work.write("calc.py", FIXED)
    court.work.write("tests/test_calc.py", TEST.replace("    def test_", "    def no_"))
    outcome, code = court.told()
    assert (outcome, code) == ("fail", "inventory")
