"""Tools and layers that were changed after the seal."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from forsooth.core.ground import ContentPin
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.pins import pins, replaced
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Search, Tool
from forsooth.judge.sandbox.runner import answer
from tests.judge.court import Court
from tests.judge.test_proof import BRIEF, CALC, FILES, FIXED

SYSTEM = Path("/usr/bin/python3").resolve()
LIBRARY = Path("/usr/lib", SYSTEM.name)
# One wrong answer is taken for the right one; everything that the judge plants fails as it should.
TAMPERED = """
_equal = TestCase.assertEqual
TestCase.assertEqual = lambda self, a, b, m=None: (a, b) == (-1, 5) or _equal(self, a, b, m)
"""


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A Python of one's own, as a manager installs it below a home."""
    made = tmp_path / "py"
    (made / "bin").mkdir(parents=True)
    shutil.copy(SYSTEM, made / "bin/python3")
    apart = shutil.ignore_patterns("__pycache__", "test", "idlelib", "config-*")
    shutil.copytree(LIBRARY, made / "lib" / SYSTEM.name, ignore=apart)
    return made


def court(folder: Path, prefix: Path) -> Court:
    search = Search(f"{prefix / 'bin'}:/usr/bin:/bin", folder, answer)
    return Court(folder, FILES, BRIEF, search=search).sealed()


def test_a_standard_library_changed_after_the_seal_proves_nothing(tmp_path: Path, prefix: Path):
    """The base passes with it as well, so it is the tool that passes, and not the work."""
    made = court(tmp_path / "court", prefix)
    assert made.ground
    assert made.ground.pins[0].name == "python"
    with (prefix / "lib" / SYSTEM.name / "unittest/case.py").open("a") as file:
        file.write(TAMPERED)
    made.work.write("calc.py", f"# A comment.\n{CALC}")
    found = made.found()["G001.C1"]
    assert (found.outcome, found.code, found.held) == ("fail", "toolchain-changed", ())


def test_a_tool_that_changed_and_is_as_red_on_the_base_is_told(tmp_path: Path, prefix: Path):
    """An update is no cheat: the work stands, and the receipt names what was replaced."""
    made = court(tmp_path / "court", prefix)
    with (prefix / "lib" / SYSTEM.name / "unittest/case.py").open("a") as file:
        file.write("# A newer version.\n")
    made.work.write("calc.py", FIXED)
    verdict = made.verdict()
    assert [one.outcome for one in verdict.findings] == ["pass"]
    assert verdict.flags[0] == "python: changed since the seal; the base was run with it again"


def test_a_tool_that_was_only_touched_is_the_same(tmp_path: Path, prefix: Path):
    """What its files hold is what counts; the digest that is quick to get only saves reading."""
    made = court(tmp_path / "court", prefix)
    case = prefix / "lib" / SYSTEM.name / "unittest/case.py"
    os.utime(case)
    made.work.write("calc.py", FIXED)
    assert not [flag for flag in made.verdict().flags if "since the seal" in flag]


def test_a_layer_whose_own_digest_was_made_to_fit_is_known_as_changed(tmp_path: Path):
    """The seal keeps its digest where the layer's folder cannot say otherwise."""
    made = Court(tmp_path, FILES, BRIEF)
    with made.judge().rooms(made.case(made.base.tree or "", None), live=True) as rooms:
        layer = rooms.layer(made.base.tree or "")
        pinned = pins(layer, tmp_path / "pins")
        assert pins(layer, tmp_path / "pins") == pinned
        assert replaced(pinned, layer) == ()
        assert layer.how == "borrowed"
        (layer.folder / "env/planted.py").write_text("")
        assert replaced(pinned, layer) == (f"layer {layer.key[:12]}",)
        elsewhere = (ContentPin(name="layer 0", quick="0" * 64, content="0" * 64),)
        assert replaced(elsewhere, layer) == ()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("layer/env/lib/python3.11/site-packages/_pytest/runner.py", "layer kkkkkkkkkkkk"),
        ("layer/tree/node_modules/x/test/helper.js", "layer kkkkkkkkkkkk"),
        ("node/lib/node_modules/npm/lib/npm.js", "node"),
        ("python/lib/libpython3.11.so.1.0", "python"),
        ("python/lib/python3.11/os.py", "python"),
        ("python/lib/python3.11/site-packages/x.py", ""),
    ],
)
def test_all_that_runs_load_is_in_the_digest(tmp_path: Path, path: str, name: str):
    """Packages of a layer, npm, and the library that an interpreter is; not a Python's packages."""
    for file in (path, "node/bin/node", "python/bin/python3", "layer/x"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("as it was")
    node = Tool("node", "20.1.0", tmp_path / "node/bin/node", tmp_path / "node")
    python = Tool("python", "3.11.0", tmp_path / "python/bin/python3", tmp_path / "python")
    layer = Layer("k" * 64, tmp_path / "layer", Recipe(kind="python"), how="prepared")
    layer = layer._replace(tools=(node, python))
    pinned = pins(layer, tmp_path / "pins")
    (tmp_path / path).write_text("changed")
    assert replaced(pinned, layer) == ((name,) if name else ())
