"""Scripts before the judge: what is made of one that passes whatever it expects."""

from __future__ import annotations

from pathlib import Path

from tests.judge.court import Court

WRONG = "add() { echo $(($1 - $2)); }\n"
RIGHT = "add() { echo $(($1 + $2)); }\n"
SOFT = "same() { echo ok; }\n"
HELPER = 'same() { [ "$1" = "$2" ] || exit 1; }\n'
SCRIPT = HELPER + '. ./lib.sh\nsame "$(add 2 3)" 5\necho fine\n'
FILES = {"lib.sh": WRONG, "tests/run.sh": SCRIPT}
BRIEF = "@goal: Add\nIntent: fix\n- [ ] adds: `sh tests/run.sh`\n"
GUARD = "@goal: Add\nIntent: refactor\n- [ ] stays green: `sh tests/run.sh`\n"


def test_an_honest_script_is_proven_to_fail_for_another_value(tmp_path: Path):
    """The strength of the proof says so."""
    court = Court(tmp_path, FILES, BRIEF).sealed()
    court.work.write("lib.sh", RIGHT)
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert {"reaches-end", "flip"} <= {*found.held}


def test_a_product_that_takes_the_assertion_away_is_refused(tmp_path: Path):
    """Every line of the script is run, and none compares any more."""
    court = Court(tmp_path, FILES, BRIEF).sealed()
    court.work.write("lib.sh", WRONG + SOFT)
    assert court.told(full=False) == ("pass", "pass")
    assert court.told() == ("fail", "cannot-fail")


def test_a_guard_that_could_fail_on_the_base_must_still_be_able_to(tmp_path: Path):
    """It was green before the work, and is so for nothing now."""
    court = Court(tmp_path, {**FILES, "lib.sh": RIGHT}, GUARD).sealed()
    court.work.write("lib.sh", WRONG + SOFT)
    assert court.told() == ("fail", "cannot-fail")


def test_a_guard_that_never_could_fail_refuses_no_work(tmp_path: Path):
    """The script was as hollow on the base: that is told, and nobody is blamed."""
    court = Court(tmp_path, {**FILES, "lib.sh": RIGHT + SOFT}, GUARD).sealed()
    court.work.write("lib.sh", "# sums\n" + RIGHT + SOFT)
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert any("on the base either" in why for why in found.lacking)


SPOILS = RIGHT + "if [ -e .seen ]; then add() { echo 0; }; fi\n: >.seen\n"


def test_a_product_that_a_second_run_meets_changed_is_refused(tmp_path: Path):
    """It is right once in every copy."""
    court = Court(tmp_path, FILES, BRIEF).sealed()
    court.work.write("lib.sh", SPOILS)
    assert court.told() == ("fail", "flaky")


def test_a_script_that_spoils_its_own_second_run_refuses_no_work(tmp_path: Path):
    """The base shows it: there it ends otherwise the second time, too."""
    script = "mkdir out || exit 3\n" + SCRIPT
    court = Court(tmp_path, {**FILES, "tests/run.sh": script}, BRIEF).sealed()
    court.work.write("lib.sh", RIGHT)
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert "same-copy: the base was not, or fails so" in found.lacking
