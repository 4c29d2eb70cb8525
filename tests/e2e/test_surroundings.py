"""Where the judge's view differs from the shell a claim is made in, the failure says so."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.e2e.place import AGENT, Place
from tests.e2e.proving import begun
from tests.requirements import requirement

CHECK = "import local_keys\n\nassert local_keys.KEY\n"
READS = "import os\n\nassert os.environ['SHOP_URL'], 'never'\n"


def refused(place: Place, env: dict[str, str] | None = None) -> str:
    return place.run("done", "G001", code=None, env={**AGENT, **(env or {})}).out


@requirement("D14")
def test_a_file_that_an_import_needs_and_git_ignores_is_named(tmp_path: Path):
    """It is there in the shell, and no part of what was delivered."""
    brief = "@goal: Check\n- [ ] `python3 check.py`\n"
    place = begun(tmp_path, brief, a="true\n")
    place.commit(".gitignore", "local_keys.py\n__pycache__/\n")
    place.commit("check.py", CHECK)
    place.write("local_keys.py", "KEY = 1\n")
    says = refused(place)
    wanted = "local_keys.py is in the work tree and not in the judge's copy: ignored by git"
    assert f"note: {wanted}" in says
    found = place.run("check", "G001", "--json", code=None).data
    assert found["differs"]["G001.C1"] == [wanted]


@requirement("D14")
def test_a_variable_that_only_the_shell_has_is_named_and_its_value_is_not(tmp_path: Path):
    """One that a failure names, and those that runners read."""
    place = begun(tmp_path, "@goal: Check\n- [ ] `python3 check.py`\n", a="true\n")
    place.commit("check.py", READS)
    env = {"SHOP_URL": "secret-value", "PYTEST_ADDOPTS": "-x", "UNRELATED": "1"}
    says = refused(place, env)
    assert "note: set in this shell and not in the judge: PYTEST_ADDOPTS, SHOP_URL" in says
    assert "secret-value" not in says
    assert "note:" not in refused(place)


@requirement("D14")
def test_a_program_that_only_the_shell_finds_is_named(tmp_path: Path):
    """It is on this PATH, and nowhere in the judge."""
    place = begun(tmp_path)
    program = place.folder.parent / "bin" / "shopcheck"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"PATH": f"{program.parent}:{place.environment()['PATH']}"}
    place.commit("greet.sh", "shopcheck --all && echo day\n")
    says = refused(place, env)
    assert f"note: `shopcheck` is {program} in this shell, and is not in the judge" in says


@requirement("D14")
def test_a_run_that_failed_once_and_passed_once_is_flaky_with_both_results(tmp_path: Path):
    """A claim that fails quickly is run once more; what passes then is no plain failure."""
    place = begun(tmp_path)
    ready = int(time.time()) + 15
    waits = f"until [ $(date +%s) -ge {ready} ]; do sleep 1; late=yes; done\n"
    place.commit("greet.sh", f'{waits}[ -n "$late" ] || echo day\n')
    found = place.run("done", "G001", "--json", code=1, env=AGENT).data
    (finding,) = [one for one in found["findings"] if one["criterion"] == "G001.C1"]
    assert finding["code"] == "flaky"
    assert finding["reason"].startswith("failed once and passed once on the same tree")
    assert "day" in finding["reason"]


@requirement("D14")
def test_an_explicit_format_beats_json(tmp_path: Path):
    """Whoever names a format gets it; --json alone is the statement."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    place.run("done", "G001", env=AGENT)
    junit = place.run("receipt", "G001", "--format", "junit", "--json").out
    assert "<testsuite" in junit
    assert json.loads(place.run("receipt", "G001", "--json").out)["predicateType"]
