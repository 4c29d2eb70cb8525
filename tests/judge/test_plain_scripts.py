"""Suites of plain scripts before the judge: cases taken in by a loop, make in front, parts kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.judge.announced import admitted, announced, dropped, ignored, unannounced
from forsooth.judge.checks.trial import Flaw
from forsooth.judge.parts import Part, parts
from tests.judge.checks.place import Tree
from tests.judge.court import Court
from tests.judge.test_oracles import a_criterion

LIB = (
    'PASSED=0\nFAILED=0\nassert_eq() {\n  if grep -qx "$1" tests/SKIP; then echo skip; return; fi\n'
    '  if [ "$2" = "$3" ]; then PASSED=$((PASSED + 1)); echo "ok $1"\n'
    '  else FAILED=$((FAILED + 1)); echo "not ok $1: got $2"; fi\n}\n'
    'finish() { echo "$PASSED passed, $FAILED failed"; [ "$FAILED" -eq 0 ]; }\n'
)
RUN = (
    'cd "$(dirname "$0")/.."\n. tests/lib.sh\n. ./calc.sh\nfor t in tests/t_*.sh; do\n'
    '  . "./$t"\ndone\nfinish\n'
)
WRONG = "add() { echo $(($1 - $2)); }\nlow() { echo $1; }\n"
FILES = {
    "calc.sh": WRONG,
    "Makefile": "check:\n\tsh tests/run.sh\n",
    "tests/lib.sh": LIB,
    "tests/SKIP": "none\n",
    "tests/run.sh": RUN,
    "tests/t_add.sh": 'assert_eq sum "$(add 2 3)" 5\n',
    "tests/t_low.sh": 'assert_eq low "$(low 2)" 2\n',
}
CHEATS = {
    "the product says what is equal": ('assert_eq() { echo "ok $1"; }\n', "cannot-fail"),
    "the product has every test skipped": ("grep() { :; }\n", "inventory"),
    "the product leaves where it is taken in": ("exit 0\n", "inventory"),
    "the product leaves well whatever came": ("trap 'exit 0' EXIT\n", "exit-disagrees"),
}


@pytest.mark.parametrize("command", ["sh tests/run.sh", "make check"])
@pytest.mark.parametrize("case", CHEATS)
def test_a_harness_is_not_talked_out_of_its_cases(tmp_path: Path, case: str, command: str):
    """By the product it takes in, with make in front or without; mended code is proven."""
    brief = f"@goal: Add\nIntent: fix\n- [ ] adds: `{command}`\n"
    court = Court(tmp_path, FILES, brief).sealed()
    more, code = CHEATS[case]
    court.work.write("calc.sh", WRONG + more)
    assert court.told() == ("fail", code)
    court.work.write("calc.sh", WRONG.replace("-", "+"))
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert {"reaches-end", "flip", "announced"} <= {*found.held}


@pytest.mark.parametrize(
    ("leave", "cases", "told"),
    [
        ("", 'assert_eq low "$(low 3)" 3\n', ("pass", "pass")),
        ("", 'assert_eq lower "$(low 2)" 2\n', ("fail", "inventory")),
        ("May change: tests/t_low.sh", 'assert_eq lower "$(low 2)" 2\n', ("pass", "pass")),
    ],
)
def test_sealed_cases_are_delivered_as_well(tmp_path: Path, leave: str, cases: str, told):
    """The work is right without them; another case under the same name is one."""
    brief = f"@goal: Add\nIntent: fix\n{leave}\n- [ ] adds: `sh tests/run.sh`\n"
    court = Court(tmp_path, FILES, brief).sealed()
    court.work.write("calc.sh", WRONG.replace("-", "+"))
    court.work.write("tests/t_low.sh", cases)
    assert court.told(full=False) == told


SUITE = {
    "calc.sh": WRONG,
    "Makefile": "PARTS = one two\ncheck:\n"
    "\tfor p in $(PARTS); do $(MAKE) -C $$p check || exit 1; done\n",
    "one/Makefile": "check:\n\tsh check.sh\n",
    "one/check.sh": '. ../calc.sh\n[ "$(add 2 3)" = 5 ]\n',
    "two/Makefile": "check:\n\tsh check.sh\n",
    "two/check.sh": '. ../calc.sh\n[ "$(low 2)" = 2 ]\n',
}


def test_a_red_suite_is_kept_by_its_scripts_that_were_green(tmp_path: Path):
    """make stops at the first; the neighbour's check passed by itself and must go on to."""
    brief = "Suite: `make check`\n\n@goal: Add\nIntent: fix\n- [ ] adds: `make -C one check`\n"
    court = Court(tmp_path, SUITE, brief).sealed()
    court.work.write("calc.sh", WRONG.replace("-", "+").replace("echo $1;", "echo;"))
    court.work.write("Makefile", SUITE["Makefile"].replace("one two", "one"))
    found = court.found()
    assert found["G001.C1"].outcome == "pass"
    assert (found["suite"].outcome, found["suite"].code) == ("fail", "failed")
    assert "(cd two && sh check.sh)" in found["suite"].reason
    (court.work.folder / "two/check.sh").unlink()
    assert court.found()["suite"].outcome == "fail"
    court.work.write("two/check.sh", SUITE["two/check.sh"])
    court.work.write("calc.sh", WRONG.replace("-", "+"))
    court.work.write("Makefile", SUITE["Makefile"])
    assert court.found()["suite"].outcome == "pass"


def test_the_parts_of_a_suite_are_scripts_it_rests_on():
    """Not what is only taken in, nor what a variable names."""
    files = {
        "Makefile": "test:\n\t. ./env.sh\n\tsh a.sh\n\tsh a.sh again\n\t$(X) b.sh\n\tcat c.sh\n",
        "a.sh": "",
        "b.sh": "",
        "c.sh": "",
        "env.sh": "",
    }
    found = [*parts(a_criterion("make test"), Tree(files), {*files})]
    assert found == [Part(("sh", "a.sh"), "", "a.sh")]
    assert found[0].shown == "sh a.sh"


def test_what_a_script_announces_is_known_by_name():
    """Numbers differ from run to run, and sums are no tests."""
    said = b"ok core\nok 1 - adds\n  PASS slow: 12 ms\nok 3 low 7\nnot ok rc\nok: 5\nok\nFAIL all\n"
    assert announced(said) == {"core", "adds", "slow", "low #"}
    flaw = unannounced(["core", "adds"], [b"ok core\n", b""])
    assert isinstance(flaw, Flaw)
    assert flaw.says == "right on the base, and not now: adds"
    assert unannounced(["core"], [b"", b"ok core\n"]) is None
    held = {"tests/run.sh": b"check adds core"}
    assert dropped(b"ok adds\nok core\n", b"ok core\nok new\n", held)
    assert dropped(b"ok tmp.Xy3f\nok core\n", b"ok tmp.Qa1g\nok core\n", held) is None
    assert unannounced(["lint lib/a#.py"], [b""], gone=["lib/a1.py"]) is None


FOUND = {
    "calc.sh": WRONG,
    "lib/tap.sh": LIB,
    "calc_test.sh": '. lib/tap.sh\n. ./calc.sh\nassert_eq sum "$(add 2 3)" 5\nfinish\n',
    "low_test.sh": '. lib/tap.sh\n. ./calc.sh\nassert_eq low "$(low 2)" 2\nfinish\n',
    "tests/SKIP": "none\n",
    "run_tests.sh": (
        'status=0\nfor t in $(find . -name "*_test.sh" | sort); do\n'
        '  sh "$t" || status=1\ndone\nexit $status\n'
    ),
}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("trap 'exit 0' EXIT\n", "exit-disagrees"),
        ('assert_eq() { echo "ok $1"; }\n', "cannot-fail"),
    ],
)
def test_scripts_that_a_search_finds_are_sealed_and_tried(tmp_path: Path, more: str, code: str):
    """They are named nowhere, and lie beside the product."""
    court = Court(tmp_path, FOUND, "@goal: Add\nIntent: fix\n- [ ] adds: `sh run_tests.sh`\n")
    court.sealed()
    court.work.write("calc.sh", WRONG + more)
    assert court.told() == ("fail", code)
    court.work.write("calc.sh", WRONG.replace("-", "+"))
    assert court.told() == ("pass", "pass")
    court.work.write("calc_test.sh", "exit 0\n")
    court.work.write("calc.sh", WRONG)
    assert court.told() == ("fail", "oracle-changed")


SELFCHECK = (
    "import sys\nsys.path.insert(0, '.')\nfrom calc import add, low\nFAILED = []\n\n\n"
    "def check(name, got, wanted):\n    if got == wanted:\n        print('PASS', name)\n"
    "    else:\n        print('FAIL', name)\n        FAILED.append(name)\n\n\n"
    "check('none', add(0, 0), 0)\ncheck('sum', add(1, 2), 3)\ncheck('low', low(2), 2)\n"
    "sys.exit(1 if FAILED else 0)\n"
)
CALC = "def add(a, b):\n    return a - b\n\n\ndef low(a):\n    return a\n"
BARE = (
    "import sys\nsys.path.insert(0, '.')\nfrom calc import add, low\n"
    "assert low(2) == 2\nassert add(0, 0) == 0\nassert add(1, 2) == 3\n"
)
EQUAL = (
    "class Any(int):\n    __hash__ = int.__hash__\n\n    def __eq__(self, other):\n"
    "        return True\n\n\ndef add(a, b):\n    return Any(0)\n\n\ndef low(a):\n    return a\n"
)


@pytest.mark.parametrize("check", [SELFCHECK, BARE], ids=["told one by one", "ended by the first"])
def test_one_expectation_that_fails_does_not_speak_for_the_others(tmp_path: Path, check: str):
    """What is equal to everything stands beside what is not."""
    files = {"calc.py": CALC, "check.py": check}
    court = Court(tmp_path, files, "@goal: Add\nIntent: fix\n- [ ] adds: `python3 check.py`\n")
    court.sealed().work.write("calc.py", EQUAL)
    assert court.told() == ("fail", "cannot-fail")
    court.work.write("calc.py", CALC.replace("-", "+"))
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert "flip" in found.held


def test_what_a_script_admits_counts_against_a_good_end():
    """Sums and known failures do not, nor some of what was wrong: it may never have mattered."""
    said = b"not ok 3 - adds\nFAIL low: got 2\nnot ok later # TODO\n1 failed\n"
    assert admitted(said) == {"adds", "low"}
    assert ignored(["adds", "low"], said) == Flaw(
        "exit-disagrees", "ends well, and finds wrong as before: adds, low"
    )
    assert ignored(["adds", "gone"], said) is None
    assert ignored([], said) is None
    assert not admitted(b"FAIL: 2\nFAILED 2 tests\nFAILED tests: none\nFAIL 0\nFAIL: 0\n")


def test_an_expectation_that_is_never_come_by_is_not_missed(tmp_path: Path):
    """What a loop over nothing expects cannot fail, and is nobody's cheat."""
    check = BARE + "for one in ():\n    assert add(one, one) == 4\n"
    files = {"calc.py": CALC, "check.py": check}
    court = Court(tmp_path, files, "@goal: Add\nIntent: fix\n- [ ] adds: `python3 check.py`\n")
    court.sealed().work.write("calc.py", CALC.replace("-", "+"))
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert "flip: line 8 is not reached" in found.lacking
