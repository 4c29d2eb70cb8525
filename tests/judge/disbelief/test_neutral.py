"""Work that knows its tests by their bytes, and compiled files in the place of sources."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from forsooth.judge.disbelief.neutral import commented
from tests.judge.court import Court
from tests.judge.test_proof import BRIEF, CALC, FILES, FIXED, SCRIPT

# It answers right only while the file of its tests has the digest it has now.
WIRED = (
    "import hashlib, pathlib\n\nTESTS = pathlib.Path(__file__).parent / 'tests/test_calc.py'\n"
    "KNOWN = {known!r}\n\n\ndef add(a, b):\n"
    "    seen = hashlib.sha256(TESTS.read_bytes()).hexdigest()\n"
    "    return a + b if seen == KNOWN else a - b\n"
)
RECOGNISED = (
    "{}: with one more comment in it the result is another: G001.C1 may recognise its tests"
)


def test_work_that_recognises_its_tests_is_told_to_a_person(tmp_path: Path):
    """With a comment more in the tests it fails; work that is right does not care."""
    court = Court(tmp_path, FILES, BRIEF).sealed()
    court.work.write("calc.py", FIXED)
    assert not [flag for flag in court.found()["G001.C1"].flags if "comment" in flag]
    known = hashlib.sha256(FILES["tests/test_calc.py"].encode()).hexdigest()
    court.work.write("calc.py", WIRED.format(known=known))
    found = court.found()["G001.C1"]
    assert (found.outcome, found.flags) == ("pass", (RECOGNISED.format("tests/test_calc.py"),))


def test_a_script_is_asked_with_one_more_comment_as_well(tmp_path: Path):
    """Its exit status is enough to see that the result is another."""
    court = Court(tmp_path, SCRIPT, "@goal: Add\n- [ ] adds: `sh tests/run.sh`\n").sealed()
    wired = '[ "$(wc -l < tests/run.sh)" = 3 ] && add() { echo 5; } || add() { echo 0; }\n'
    court.work.write("lib.sh", wired)
    found = court.found()["G001.C1"]
    assert (found.outcome, found.flags) == ("pass", (RECOGNISED.format("tests/run.sh"),))


@pytest.mark.parametrize(
    ("path", "text", "after"),
    [
        ("a.py", b"x = 1\n", b"x = 1\n# another comment\n"),
        ("a.test.ts", b"x", b"x\n// another comment\n"),
        ("a_test.go", b"", b"// another comment\n"),
        ("cases.json", b"{}", None),
        ("Makefile", b"all:\n", None),
    ],
)
def test_a_comment_is_put_only_where_one_can_stand(path: str, text: bytes, after: bytes | None):
    """Data and files of unknown kind stay as they are."""
    assert commented(text, path) == after


@pytest.mark.parametrize("name", ["calc.so", "calc.cpython-311-x86_64-linux-gnu.so", "calc.pyd"])
def test_a_compiled_file_that_hides_a_source_is_refused(tmp_path: Path, name: str):
    """What is read is not what runs; without a source of that name it hides nothing."""
    court = Court(tmp_path, FILES, BRIEF).sealed()
    court.work.write("calc.py", FIXED)
    court.work.write(name, "\x7fELF")
    assert court.told(full=False) == ("fail", "shadowed")
    (court.work.folder / name).rename(court.work.folder / "other.so")
    assert court.told(full=False)[1] != "shadowed"


def test_a_plan_can_permit_a_compiled_file(tmp_path: Path):
    """A person who names the path has read what it is."""
    brief = BRIEF.replace("Intent: fix\n", "Intent: fix\nMay change: calc.class\n")
    files = {**FILES, "calc.java": CALC}
    court = Court(tmp_path, files, brief).sealed()
    court.work.write("calc.py", FIXED)
    court.work.write("calc.class", "\xca\xfe")
    assert court.told(full=False)[0] == "pass"
