"""What runs beside a runner, run here in this very process so that every line is seen."""

from __future__ import annotations

import io
import sys
import unittest
from pathlib import Path

import pytest

from forsooth.judge.checks.recipes.probes import forsooth_probe, source, unittest_boot
from forsooth.judge.reports import probe
from forsooth.judge.reports.report import Report
from tests.judge.checks import projects
from tests.judge.checks.place import written


def outcomes(told: object) -> dict[str, str]:
    assert isinstance(told, Report)
    assert told.complete
    return {test.id: test.outcome for test in told.tests}


def test_the_plug_in_tells_every_phase_of_every_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A run inside this one, with nothing of it but the plug-in."""
    project = projects.PYTEST
    monkeypatch.chdir(written(project.files, tmp_path / "repo"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("test_all", "test_unloadable", "test_left_out"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    plain = ["timeout", "cov", "xdist", "cacheprovider", "hypothesispytest", "terminal"]
    code = pytest.main(
        [
            *(word for name in plain for word in ("-p", f"no:{name}")),
            *("-c", "/dev/null", "--rootdir", str(tmp_path / "repo")),
            *(f"--forsooth-out={tmp_path}", "--continue-on-collection-errors"),
        ],
        plugins=[forsooth_probe],
    )
    data = (tmp_path / "pytest.jsonl").read_bytes()
    assert code == 1
    assert outcomes(probe.read(data)) == project.expected
    assert len(probe.listed(data)) == 9


@pytest.mark.parametrize("only_list", [False, True])
def test_the_start_file_records_any_text_runner(
    only_list: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It does what `-m unittest` does, and with a mark beside it only lists."""
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
    monkeypatch.setattr(sys, "path", ["judge", *sys.path])
    monkeypatch.setattr(sys, "argv", ["boot", str(tmp_path), "-v"])
    monkeypatch.setattr(unittest_boot, "__file__", str(tmp_path / "boot.py"))
    if only_list:
        (tmp_path / "list").touch()
    unittest_boot.main()
    data = (tmp_path / "unittest.jsonl").read_bytes()
    assert sys.argv == ["python -m unittest", "-v"]
    assert sys.path[0] == str(repo)
    assert outcomes(probe.read(data)) == ({} if only_list else project.expected)
    assert len(probe.listed(data)) == 9


def test_no_probe_holds_a_path_of_the_judge():
    """A place without mounts moves the folders, and can rewrite an argv but no file."""
    folder = Path(forsooth_probe.__file__).parent
    names = [path.name for path in folder.iterdir() if path.is_file()]
    assert len(names) > 5
    assert [name for name, data in source(*names).items() if b"/run/forsooth" in data] == []


def test_probes_are_part_of_the_package():
    """Each is found by name, also when installed."""
    assert source("libtest.sh")["libtest.sh"].startswith(b"#!/bin/sh\n")
