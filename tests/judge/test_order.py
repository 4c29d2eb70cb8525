"""Tests asked for another order: what is green only after another test is luck, not work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from forsooth.core.call import call_of
from forsooth.core.check import TestsParams as Params
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.flips.script_tests import turned, understood
from forsooth.judge.checks.recipes.recipe import Asked
from forsooth.judge.environment.toolchain import Search
from forsooth.judge.sandbox.runner import answer
from tests.judge.checks.place import written
from tests.judge.court import Court
from tests.judge.disbelief.room import FolderRoom


class Way(NamedTuple):
    """A repository with three tests, of which the bug makes two red."""

    run: str
    files: dict[str, str]
    product: str
    wrong: str
    right: str
    lucky: str


UNITTEST = Way(
    "python3 -m unittest -q tests.test_calc",
    {
        "calc.py": "def add(a, b):\n    return a - b\n",
        "tests/__init__.py": "",
        "tests/test_calc.py": "import unittest\nfrom calc import add\n\n\n"
        "class A(unittest.TestCase):\n"
        "    def test_a(self):\n        self.assertEqual(add(1, 0), 1)\n\n"
        "    def test_b(self):\n        self.assertEqual(add(2, 3), 5)\n\n"
        "    def test_c(self):\n        self.assertEqual(add(4, 3), 7)\n",
    },
    "calc.py",
    "    return a - b\n",
    "    return a + b\n",
    "    seen.append(a)\n    return a + b if 1 in seen else a - b\n\n\nseen = []\n",
)
NODE = Way(
    "node --test",
    {
        "calc.js": "exports.add = (a, b) => {\n  return a - b;\n};\n",
        "tests/calc.test.js": 'const { test, describe } = require("node:test");\n'
        'const assert = require("node:assert");\nconst { add } = require("../calc");\n\n'
        'describe("sums", () => {\n'
        '  test("a", () => { assert.equal(add(1, 0), 1); });\n  const five = 5;\n'
        '  test("b", () => { assert.equal(add(2, 3), five); });\n'
        '  test("c", () => { assert.equal(add(4, 3), 7); });\n});\n',
    },
    "calc.js",
    "  return a - b;\n",
    "  return a + b;\n",
    "  seen.add(a);\n  return seen.has(1) ? a + b : a - b;\n",
)
GO = Way(
    "go test ./...",
    {
        "go.mod": "module example.test/calc\n\ngo 1.18\n",
        "calc.go": "package calc\n\nvar seen bool\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n",
        "calc_test.go": 'package calc\n\nimport "testing"\n\n'
        + "\n".join(
            f"func Test{name}(t *testing.T) {{\n\tif Add({a}, {b}) != {a + b} {{\n"
            '\t\tt.Error("no sum")\n\t}\n}\n'
            for name, a, b in (("A", 1, 0), ("B", 2, 3), ("C", 4, 3))
        ),
    },
    "calc.go",
    "\treturn a - b\n",
    "\treturn a + b\n",
    "\tseen = seen || a == 1\n\tif seen {\n\t\treturn a + b\n\t}\n\treturn a - b\n",
)


def court(folder: Path, way: Way) -> Court:
    brief = f"@goal: Add\nIntent: fix\n- [ ] adds: `{way.run}`\n"
    search = Search(os.environ["PATH"], folder, answer)
    made = Court(folder, way.files, brief, search=search).sealed()
    assert made.reds() == {"G001.C1": "assertion"}
    return made


def delivered(made: Court, way: Way, text: str) -> tuple[str, str]:
    source = way.files[way.product].replace(way.wrong, text)
    if way is NODE and "seen" in text:
        source += "const seen = new Set();\n"
    made.work.write(way.product, source)
    found = made.found()["G001.C1"]
    return found.code, found.reason


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(UNITTEST, id="unittest"),
        pytest.param(NODE, id="node"),
        pytest.param(GO, id="go", marks=pytest.mark.heavy),
    ],
)
def test_what_is_right_only_after_another_test_is_luck(tmp_path: Path, way: Way):
    """M2: the tests in another order show it; right code is right in any."""
    made = court(tmp_path, way)
    code, reason = delivered(made, way, way.lucky)
    assert (code, "in another order" in reason) == ("flaky", True), reason
    assert delivered(made, way, way.right)[0] == "pass"


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("ending", "code"),
    [("asked%6 > 3 && b != 0", "flaky"), ("asked > 3 && b != 0", "pass")],
    ids=["by turns", "once and for all"],
)
def test_go_s_tests_are_run_in_rounds_of_one_process(tmp_path: Path, ending: str, code: str):
    """M1: wrong, then right again is luck; right the first time alone may be a matter of state."""
    made = court(tmp_path, GO._replace(run="go test -count=1 ./..."))
    lucky = f"\tasked++\n\tif {ending} {{\n\t\treturn a - b\n\t}}\n\treturn a + b\n"
    lucky += "}\n\nvar asked int\n\nfunc Sub(a, b int) int {\n\treturn a - b\n"
    got, reason = delivered(made, GO, lucky)
    assert (got, "rounds" in reason) == (code, code == "flaky"), reason


def test_tests_that_lean_on_each_other_are_left_in_their_order(tmp_path: Path):
    """What the base's own tests do not bear is not asked of the work."""
    way = NODE._replace(
        files={
            **NODE.files,
            "tests/calc.test.js": 'const { test } = require("node:test");\n'
            'const assert = require("node:assert");\nconst { add } = require("../calc");\n'
            "const made = [];\n"
            'test("a", () => { made.push(1); assert.equal(add(1, 0), 1); });\n'
            'test("b", () => { assert.deepEqual(made, [1]); });\n'
            'test("c", () => { assert.equal(add(4, 3), 7); });\n',
        }
    )
    made = court(tmp_path, way)
    assert delivered(made, way, way.right)[0] == "pass"


def test_tests_that_were_all_red_are_left_in_their_order(tmp_path: Path):
    """They may lean on each other: nothing on the base could show it."""
    way = UNITTEST._replace(
        files={
            **UNITTEST.files,
            "tests/test_calc.py": "import unittest\nimport calc\n\n\nclass A(unittest.TestCase):\n"
            "    def test_a_put(self):\n        calc.put(1)\n\n"
            "    def test_b_get(self):\n        self.assertEqual(calc.get(), 1)\n",
        }
    )
    brief = f"@goal: Keep\nIntent: fix\n- [ ] keeps: `{way.run}`\n"
    made = Court(tmp_path, way.files, brief).sealed()
    made.work.write(
        "calc.py",
        "kept = []\n\n\ndef put(a):\n    kept.append(a)\n\n\ndef get():\n    return kept[-1]\n",
    )
    assert made.told() == ("pass", "pass")


def test_a_test_that_was_red_is_asked_before_all_others(tmp_path: Path):
    """In the middle it comes after some, forwards and backwards."""
    tests = UNITTEST.files["tests/test_calc.py"].replace("add(4, 3), 7", "add(4, 0), 4")
    files = {**UNITTEST.files, "tests/test_calc.py": tests}
    brief = f"@goal: Add\nIntent: fix\n- [ ] adds: `{UNITTEST.run}`\n"
    court = Court(tmp_path, files, brief).sealed()
    lucky = "    seen.append(a)\n    return a + b if len(seen) > 1 else a - b\n\n\nseen = []\n"
    court.work.write("calc.py", f"def add(a, b):\n{lucky}")
    assert court.told() == ("fail", "flaky")
    court.work.write("calc.py", "def add(a, b):\n    return a + b\n")
    assert court.told() == ("pass", "pass")


def test_pytest_begins_with_the_test_that_is_named_and_keeps_its_module_together(tmp_path: Path):
    """Fixtures of a module are made once, whichever of its tests comes first."""
    two = "def test_a(): pass\ndef test_b(): pass\n"
    root = written({"test_x.py": two, "test_y.py": two}, tmp_path / "tree" / "repo").resolve()
    there = FolderRoom(root, Params(argv=("python", "-m", "pytest"), runner="pytest"))
    recipe = recipe_of("pytest")
    assert recipe
    assert recipe.turned
    asked = Asked(call_of(there.params.argv, "pytest"), {}, there.look(there.tree))
    for first, wanted in (("", "yb ya xb xa"), ("test_x.py::test_a", "xa xb yb ya")):
        told = there.tried(there.tree, order=recipe.turned(asked._replace(first=first), 0)).told
        assert told
        assert " ".join(test.id[5] + test.id[-1] for test in told.tests) == wanted


def test_a_file_is_turned_group_by_group():
    """Tests change places with each other, and nothing else does."""
    source = (
        'import test from "node:test";\ntest("a", () => { one(); });\nconst x = 1; // test("z")\n'
        'test("b", async () => { two(); });\ndescribe("g", () => {\n'
        '  test("c", () => { three(); });\n'
        '  test("d", () => { four(); });\n});\ntest("e", () => { five(); });\n'
    )
    script = understood(source)
    assert script
    made = turned(script)
    assert [spot.titles[-1] for spot in understood(made).spots] == ["e", "b", "d", "c", "a"]  # type: ignore[union-attr]
    assert 'const x = 1; // test("z")\n' in made
    assert sorted(made) == sorted(source)
