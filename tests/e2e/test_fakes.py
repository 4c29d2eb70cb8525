"""One failing test, faked in several ways and then mended: what an agent reads each time."""

from __future__ import annotations

import pytest

from tests.e2e.place import Place, new
from tests.e2e.proving import said
from tests.requirements import requirement

BRIEF = "@goal: Add\nIntent: fix\n- [ ] sums: `python3 -m unittest -q tests.test_calc`\n"
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = """\
import unittest

from calc import add


class Adds(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 3), 5)

    def test_nothing(self):
        self.assertEqual(add(2, 0), 2)
"""
MORE = "\n    def test_below_zero(self):\n        self.assertEqual(add(-2, -3), -5)\n"

FAKES = {
    "the expectation is changed": (
        {"tests/test_calc.py": TEST.replace("5)", "-1)")},
        "oracle-changed",
    ),
    "a test is taken away": (
        {"calc.py": RIGHT, "tests/test_calc.py": TEST[: TEST.index("\n    def test_nothing")]},
        "inventory",
    ),
    "the process ends before the test": (
        {"calc.py": f"import os\n\n\n{WRONG}\n\nos._exit(0)\n"},
        "report-truncated",
    ),
    "the exit status is changed": (
        {"calc.py": f"import atexit\nimport os\n\natexit.register(os._exit, 0)\n\n\n{WRONG}"},
        "exit-disagrees",
    ),
    "the comparison is replaced": (
        {"calc.py": f"import unittest\n\nunittest.TestCase.assertEqual = print\n\n\n{WRONG}"},
        "runner-patched",
    ),
    "it is only said to be done": ({"notes.md": "All tests pass.\n"}, "failed"),
}


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A repository with one failing test, and a plan that wants it to pass."""
    place = new(tmp_path_factory.mktemp("fakes") / "place")
    settings = place.home / ".config/forsooth/config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[policy]\nattempts = 20\nstuck = 20\n", encoding="utf-8")
    place.write("calc.py", WRONG)
    place.write("tests/__init__.py", "")
    place.write("tests/test_calc.py", TEST)
    place.write("BRIEF.md", BRIEF)
    place.git("add", "-A")
    place.git("commit", "-qm", "begin")
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    place.git("tag", "begin")
    return place


def delivered(place: Place, files: dict[str, str]) -> None:
    place.git("reset", "-q", "--hard", "begin")
    for name, text in files.items():
        place.write(name, text)
    place.git("add", "-A")
    place.git("commit", "-qm", "done")


@requirement("R082")
@pytest.mark.parametrize("fake", FAKES)
def test_each_fake_is_refused_with_its_reason_and_a_command_to_type(failing: Place, fake: str):
    """The refusal names the criterion, says why, and how to see it again."""
    files, code = FAKES[fake]
    delivered(failing, files)
    told = said(failing, "G001").out
    assert f"G001.C1 {code}: " in told
    assert "    try: " in told
    assert "`" in told.split("    try: ")[1].split("\n")[0]
    assert failing.statuses()["G001"] != "done"


@requirement("R082")
def test_honest_work_that_extends_the_sealed_test_file_is_accepted(failing: Place):
    """Mended code, and one test more in the very file that was sealed."""
    delivered(failing, {"calc.py": RIGHT, "tests/test_calc.py": TEST + MORE})
    told = said(failing, "G001", 0).out
    assert "G001 proven" in told
    assert failing.statuses() == {"G001": "done"}
