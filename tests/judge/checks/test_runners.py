"""Real runners, each on a tiny project, read back test by test.

A runner that is not on this machine is skipped by name; the readers' own tests do not need it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from forsooth.core.call import call_of
from forsooth.core.check import TestsParams as Params
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Asked, Order
from forsooth.judge.checks.tests import reporting, started
from forsooth.judge.reports.ids import anywhere
from forsooth.judge.reports.report import Problem, Report
from tests.judge.checks import projects
from tests.judge.checks.npm import modules
from tests.judge.checks.place import Bench, Here, Tree, written
from tests.judge.checks.projects import Project
from tests.tools import require

BIN = str(Path(sys.executable).parent)
SCRIPTED = ("vitest", "jest", "mocha")


def bench(project: Project, runner: str, tmp_path: Path) -> Bench:
    """A bench around a project whose runner is really there."""
    program = {"unittest": "python", "pytest": "python", "junit": "python"}.get(runner, runner)
    root = written(project.files, tmp_path / "repo")
    if runner in SCRIPTED:
        (root / "node_modules").symlink_to(modules())
    else:
        require(program, path=f"{BIN}:{os.environ['PATH']}")
    return Bench(Here(root, path=BIN), Tree(project.files))


def told(bench: Bench, project: Project, runner: str, **but: Any) -> Report | Problem:
    """The report of one run, as the check reads it."""
    params = Params(**({"argv": project.argv, "runner": runner, "env": project.env} | but))
    context = bench.context("tests")
    recipe = recipe_of(runner)
    assert recipe
    order = reporting(params, context.look, recipe)
    assert order
    found = recipe.read(started(order, params, context.place, seconds=110))
    return anywhere(found, bench.place.root) if isinstance(found, Report) else found


def outcomes(found: Report | Problem) -> dict[str, str]:
    assert isinstance(found, Report), found
    assert found.complete
    return {test.id: test.outcome for test in found.tests}


REAL = {
    "pytest": projects.PYTEST,
    "unittest": projects.UNITTEST,
    "vitest": projects.VITEST,
    "jest": projects.JEST,
    "mocha": projects.MOCHA,
    "node": projects.NODE,
    "go": projects.GO,
    "cargo": projects.CARGO,
    "bats": projects.BATS,
    "junit:reports/*.xml": projects.JUNIT,
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("runner", REAL)
def test_a_runner_is_read_back_test_by_test(runner: str, tmp_path: Path):
    """Passed, failed, skipped, parametrised and broken, exactly as the runner itself sees them."""
    project = REAL[runner]
    there = bench(project, runner.partition(":")[0], tmp_path)
    assert outcomes(told(there, project, runner)) == project.expected
    finding = there.finds("tests", argv=list(project.argv), runner=runner, env=project.env)
    assert (finding.outcome, finding.code) == ("fail", "failed")
    red = sum(outcome in ("failed", "error") for outcome in project.expected.values())
    assert finding.reason.startswith(f"{red} of {len(project.expected)} tests failed, ")


GREEN = {
    "pytest": ({"test_a.py": "def test_a(): pass\n"}, "python -m pytest"),
    "unittest": (
        {"test_a.py": "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"},
        "python -m unittest",
    ),
    "go": (
        {
            "go.mod": "module example.test/a\n",
            "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
        },
        "go test ./...",
    ),
    "node": (
        {"a.test.mjs": "import { test } from 'node:test'; test('a', () => {});"},
        "node --test",
    ),
}


@pytest.mark.parametrize("runner", GREEN)
def test_a_green_suite_passes(runner: str, tmp_path: Path):
    """Report and exit status agree, and one test was run."""
    files, command = GREEN[runner]
    there = bench(Project(files, (), {}), runner, tmp_path)
    finding = there.finds("tests", argv=command.split(), runner=runner)
    assert (finding.outcome, finding.code, finding.reason) == ("pass", "pass", "1 passed")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("runner", SCRIPTED)
def test_a_runner_behind_an_npm_script_still_reports(runner: str, tmp_path: Path):
    """The options reach it through node itself, where the argv does not show it."""
    project = REAL[runner]
    script = " ".join(project.argv[1:])
    package = '{"type": "%s", "scripts": {"test": "%s"}}'
    kind = "module" if runner == "vitest" else "commonjs"
    files = {**project.files, "package.json": package % (kind, script)}
    there = bench(project._replace(files=files), runner, tmp_path)
    assert outcomes(told(there, project, runner, argv=("npm", "test"))) == project.expected


@pytest.mark.parametrize("own", ["", " --test-reporter-destination=stdout"])
def test_a_reporter_of_its_own_goes_on_beside_the_judges(own: str, tmp_path: Path):
    """Node wants a place for each reporter as soon as there are two; behind npm and without."""
    project = projects.NODE
    argv = ("node", "--test", "--test-reporter=tap", *own.split(), *project.argv[2:])
    package = json.dumps({"scripts": {"test": " ".join(argv)}})
    files = {**project.files, "package.json": package}
    there = bench(project._replace(files=files), "node", tmp_path)
    for one in (("npm", "test"), argv):
        assert outcomes(told(there, project, "node", argv=one)) == project.expected


def test_a_runner_behind_make_still_reports(tmp_path: Path):
    """By a variable, which the recipe would have to clear to be rid of it."""
    project = projects.PYTEST
    recipe = f"all:\n\t{' '.join(project.argv)}\n"
    there = bench(project._replace(files={**project.files, "Makefile": recipe}), "pytest", tmp_path)
    require("make")
    assert outcomes(told(there, project, "pytest", argv=("make",))) == project.expected


def test_workers_report_once(tmp_path: Path):
    """With xdist the controller tells each test, and one worker lists them."""
    project = projects.PYTEST
    there = bench(project, "pytest", tmp_path)
    argv = ("python", "-m", "pytest", "-n", "2", "--continue-on-collection-errors")
    found = outcomes(told(there, project, "pytest", argv=argv))
    assert {id_: found[id_] for id_ in found if "::" in id_} == {
        id_: outcome for id_, outcome in project.expected.items() if "::" in id_
    }


CHEATS = {
    "os._exit on import": (
        {"test_a.py": "import os\nos._exit(0)\ndef test_a(): assert 0\n"},
        ("fail", "report-truncated"),
    ),
    "a conftest that cannot be loaded": (
        {"conftest.py": "import os\nos._exit(1)\n", "test_a.py": "def test_a(): pass\n"},
        ("fail", "report-truncated"),
    ),
    "an exit status of its own": (
        {
            "conftest.py": "def pytest_sessionfinish(session): session.exitstatus = 0\n",
            "test_a.py": "def test_a(): assert 0\n",
        },
        ("fail", "exit-disagrees"),
    ),
    "an end at exit": (
        {"test_a.py": "import atexit, os\natexit.register(os._exit, 0)\ndef test_a(): assert 0\n"},
        ("fail", "exit-disagrees"),
    ),
    "a runner of its own": (
        {"pytest.py": "print('1 passed')\n", "test_a.py": "def test_a(): assert 0\n"},
        ("fail", "failed"),
    ),
    "every test skipped": (
        {"test_a.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n"},
        ("error", "no-tests"),
    ),
    "no tests": ({"test_a.py": ""}, ("error", "no-tests")),
    "a threshold": (
        {
            "conftest.py": "def pytest_sessionfinish(session): session.exitstatus = 1\n",
            "test_a.py": "def test_a(): pass\n",
        },
        ("fail", "threshold"),
    ),
    "a test that cannot be loaded": (
        {"test_a.py": "import nothing_like_this\n"},
        ("fail", "errors"),
    ),
    "a death by signal": (
        {"test_a.py": "import os\ndef test_a(): os.kill(os.getpid(), 9)\n"},
        ("fail", "signal"),
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_run_that_is_not_what_it_seems_never_passes(cheat: str, tmp_path: Path):
    """Report and exit status must agree, and the report must come to its end."""
    files, expected = CHEATS[cheat]
    there = bench(Project(files, (), {}), "pytest", tmp_path)
    assert there.outcome("tests", argv=["python", "-m", "pytest"], runner="pytest") == expected


def test_nothing_in_the_project_can_pose_as_unittest(tmp_path: Path):
    """It is imported before the project's folder is on the path."""
    files = {**GREEN["unittest"][0], "unittest.py": "print('OK')\nraise SystemExit(0)\n"}
    files["test_a.py"] = files["test_a.py"].replace("pass", "self.fail()")
    there = bench(Project(files, (), {}), "unittest", tmp_path)
    assert there.outcome("tests", argv=["python", "-m", "unittest"], runner="unittest") == (
        "fail",
        "failed",
    )


def test_a_report_that_lay_there_before_is_not_this_runs(tmp_path: Path):
    """Somebody may have committed one."""
    files = {"reports/unit.xml": '<testsuite><testcase name="a"/></testsuite>'}
    there = bench(Project(files, (), {}), "junit", tmp_path)
    found = there.outcome("tests", argv=["true"], runner="junit:reports/*.xml")
    assert found == ("fail", "no-report")


def test_rust_code_that_does_not_compile_is_the_works_own_fault(tmp_path: Path):
    """No test began, and the compiler says why."""
    files = {**projects.CARGO.files, "src/lib.rs": "pub fn one() -> i32 { x }\n"}
    there = bench(projects.CARGO._replace(files=files), "cargo", tmp_path)
    found = there.outcome("tests", argv=list(projects.CARGO.argv), runner="cargo")
    assert found == ("fail", "collection")


def test_a_rust_harness_of_its_own_is_read_by_its_lines(tmp_path: Path):
    """It may not know the options that make Rust's own harness tell events."""
    own = '\n[[test]]\nname = "other"\nharness = false\n'
    files = {
        **projects.CARGO.files,
        "Cargo.toml": projects.CARGO.files["Cargo.toml"] + own,
        "tests/other.rs": "fn main() { assert_eq!(std::env::args().count(), 1); }",
    }
    there = bench(projects.CARGO._replace(files=files), "cargo", tmp_path)
    there.look = Tree(files)
    found = outcomes(told(there, projects.CARGO, "cargo"))
    assert found["tests::fails"] == "failed"
    assert found["src/lib.rs - one"] == "passed"


def node_order(**files: str) -> Order:
    recipe = recipe_of("node")
    assert recipe
    return recipe.order(Asked(call_of(("npm", "test"), "node"), {}, Tree(dict(files))))


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("NODE_OPTIONS=--x node --test", 'NODE_OPTIONS=\\"--x $NODE_OPTIONS\\" node --test'),
        ("NODE_OPTIONS='--x --y' node", 'NODE_OPTIONS=\\"--x --y $NODE_OPTIONS\\" node'),
        ('cross-env NODE_OPTIONS=\\"--x\\" j', 'cross-env NODE_OPTIONS=\\"--x $NODE_OPTIONS\\" j'),
        ('NODE_OPTIONS=\\"$NODE_OPTIONS --x\\" j', 'NODE_OPTIONS=\\"$NODE_OPTIONS --x\\" j'),
    ],
)
def test_a_script_s_own_options_for_node_stand_beside_the_judge_s(said: str, made: str):
    """Else the runner behind npm would tell nothing, and be known by its exit alone."""
    text = '{"scripts": {"test": "%s"}}'
    edits = node_order(**{"package.json": text % said}).edits
    edit = edits["package.json"]
    assert edit
    assert edit.data.decode() == text % made
    assert json.loads(edit.data)


def test_npm_s_own_options_for_node_stand_beside_the_judge_s():
    """They are named in its settings, which would replace what the environment says."""
    order = node_order(**{".npmrc": "fund=false\nnode-options = '--max-old-space-size=2048'\n"})
    assert order.env["NPM_CONFIG_NODE_OPTIONS"].endswith(".jsonl --max-old-space-size=2048")
    assert order.env["NPM_CONFIG_NODE_OPTIONS"].startswith(order.env["NODE_OPTIONS"])
    assert not order.edits
