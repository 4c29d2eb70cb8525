"""What runs beside a runner, run here in this very process so that every line is seen."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import unittest
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from forsooth.judge.checks.recipes import probes
from forsooth.judge.checks.recipes.probes import source, unseen
from forsooth.judge.reports import probe
from forsooth.judge.reports.report import Report
from tests.judge.checks import projects
from tests.judge.checks.place import written

FOLDER = Path(probes.__file__).parent
MODULES = ("forsooth_told", "forsooth_probe", "unittest_boot", "pytest_boot")


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """A probe loaded as in a run: by its own name, with its settings in a variable."""

    def loads(name: str, **settings: Any) -> ModuleType:
        told = {"out": str(tmp_path / "told.jsonl"), **settings}
        monkeypatch.setenv("FORSOOTH_RUN", json.dumps(told))
        monkeypatch.setattr(sys, "path", [*sys.path, str(FOLDER)])
        for module in MODULES:
            monkeypatch.delitem(sys.modules, module, raising=False)
        return import_module(name)

    yield loads
    for module in MODULES:
        sys.modules.pop(module, None)


def outcomes(told: object) -> dict[str, str]:
    assert isinstance(told, Report)
    assert told.complete
    return {test.id: test.outcome for test in told.tests}


def test_the_plug_in_tells_every_phase_of_every_test(
    loaded: Callable[..., ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A run inside this one, with nothing of it but the plug-in."""
    project = projects.PYTEST
    monkeypatch.chdir(written(project.files, tmp_path / "repo"))
    plug_in = loaded("forsooth_probe", path=[""])
    for name in ("test_all", "test_unloadable", "test_left_out"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    plain = ["timeout", "cov", "xdist", "cacheprovider", "hypothesispytest", "terminal"]
    code = pytest.main(
        [
            *(word for name in plain for word in ("-p", f"no:{name}")),
            *("-c", "/dev/null", "--rootdir", str(tmp_path / "repo")),
            "--continue-on-collection-errors",
        ],
        plugins=[plug_in],
    )
    data = (tmp_path / "told.jsonl").read_bytes()
    assert code == 1
    assert "FORSOOTH_RUN" not in os.environ
    told = probe.read(data)
    assert outcomes(told) == project.expected
    assert isinstance(told, Report)
    assert told.audited


def test_the_start_file_records_any_text_runner(
    loaded: Callable[..., ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """It does what `-m unittest` does."""
    project = projects.UNITTEST
    repo = written(project.files, tmp_path / "repo")
    runner = type("Runner", (unittest.TextTestRunner,), {})

    def main(*, module: None) -> None:
        suite = unittest.TestLoader().discover(str(repo), top_level_dir=str(repo))
        runner(stream=io.StringIO()).run(suite)

    monkeypatch.chdir(repo)
    monkeypatch.delitem(sys.modules, "test_all", raising=False)
    monkeypatch.setattr(unittest, "TextTestRunner", runner)
    monkeypatch.setattr(unittest, "main", main)
    monkeypatch.setattr(sys, "argv", ["boot", "-v"])
    boot = loaded("unittest_boot", path=[""])
    boot.main()
    data = (tmp_path / "told.jsonl").read_bytes()
    assert sys.argv == ["python -m unittest", "-v"]
    assert sys.path[0] == str(repo)
    assert outcomes(probe.read(data)) == project.expected


def test_the_audit_names_what_was_replaced_and_what_was_added(
    loaded: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
):
    """By attribute, by code, and by a new method that hides an inherited one; and clocks."""
    told = loaded("forsooth_told")
    before = told.functions("unittest")
    assert told.patched(before, "unittest") == []
    monkeypatch.setattr(unittest.TestCase, "assertEqual", lambda *_: None)
    monkeypatch.setattr(unittest.TextTestResult, "stop", lambda _: None, raising=False)
    monkeypatch.setattr(unittest.TestCase.fail, "__code__", (lambda self, msg=None: None).__code__)
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)
    assert told.patched(before, "unittest") == [
        "time:perf_counter",
        "unittest.case:TestCase.assertEqual",
        "unittest.case:TestCase.fail",
        "unittest.runner:TextTestResult.stop",
    ]


def test_a_module_outside_interpreter_and_environment_is_foreign(
    loaded: Callable[..., ModuleType],
):
    """The runner's own modules are not."""
    told = loaded("forsooth_told")
    stray = ModuleType("stray")
    stray.__file__ = "/elsewhere/stray.py"
    assert told.foreign([stray, pytest, unittest, None], "!") == ["/elsewhere/stray.py!"]


def test_python_probes_are_shown_without_lines_to_count():
    """The same code under a name that no file has."""
    shown = unseen("forsooth_told.py")["forsooth_told.py"]
    assert shown.count(b"\n") == 1
    space: dict[str, Any] = {"__name__": "told", "__file__": "/judge/forsooth_told.py"}
    exec(shown, space)
    assert space["put"].__code__.co_filename == "<forsooth_told.py>"
    assert space["HERE"] == "/judge"


def test_no_probe_holds_a_path_of_the_judge():
    """A place without mounts moves the folders, and can rewrite an argv but no file."""
    names = [path.name for path in FOLDER.iterdir() if path.is_file()]
    assert len(names) > 5
    assert [name for name, data in source(*names).items() if b"/run/forsooth" in data] == []


def test_probes_are_part_of_the_package():
    """Each is found by name, also when installed."""
    assert source("libtest.sh")["libtest.sh"].startswith(b"#!/bin/sh\n")


def test_a_file_node_cannot_load_says_why(tmp_path: Path):
    """It is no failing test: its process complained before any test was known."""
    (tmp_path / "a.test.js").write_text("const a = (\n")
    told = tmp_path / "told.jsonl"
    argv = ["node", "--test", f"--test-reporter={FOLDER}/node_reporter.mjs"]
    argv.append(f"--test-reporter-destination={told}")
    subprocess.run([*argv, "a.test.js"], cwd=tmp_path, check=False)
    report = probe.read(told.read_bytes())
    assert isinstance(report, Report)
    (only,) = report.tests
    assert only.outcome == "error"
    assert only.reason.startswith("SyntaxError")


def test_a_module_unittest_cannot_import_says_why(loaded: Callable[..., ModuleType]):
    """The trace it tells is long, and only its end says what to mend."""
    short = loaded("unittest_boot")._short
    trace = "Failed to import test module: a\nTraceback (most recent call last):\nSyntaxError: y"
    assert short(trace) == "Failed to import test module: a: SyntaxError: y"
    assert short("1 != 2") == "1 != 2"
