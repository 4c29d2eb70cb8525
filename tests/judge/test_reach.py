"""What an agent does around the tree reaches no verdict; each trick first fools a plain run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from forsooth.judge.environment import view
from tests.e2e.place import Place
from tests.judge.environment.developer import PYTEST, VERSION, venv, wrote
from tests.tools import needs, require

RUN = ("python", "-m", "pytest", "-q", "test_till.py")
TEST = "import till\n\n\ndef test_tax():\n    assert till.TAX == 0\n"


@pytest.fixture
def place(tmp_path) -> Place:
    require("strict")
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    made = Place(tmp_path / "work", tmp_path / "home")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=made.folder, check=True)
    return made


@pytest.fixture
def active(tmp_path) -> Path:
    """The developer's venv, with pytest."""
    return venv(tmp_path / "venv", *PYTEST)


def sealed(place: Place, *, criterion: str, files: dict[str, str], **env: str) -> None:
    """Commit a tree with one goal whose criterion is red, and seal it."""
    wrote(place.folder, {**files, "BRIEF.md": f"@goal: Be free\n- [ ] `{criterion}`\n"})
    for argv in (("add", "-A"), ("commit", "-qm", "first")):
        run = ["git", *argv]
        subprocess.run(run, cwd=place.folder, env=place.environment(), check=True)
    place.run("plan", "BRIEF.md", env=env)
    place.run("seal", "--yes", env=env)


def plainly(place: Place, *argv: str, **env: str) -> int:
    """How the command ends where the agent runs it."""
    around = {**place.environment(), **env}
    done = subprocess.run(argv, cwd=place.folder, env=around, capture_output=True, check=False)
    return done.returncode


def outcome(place: Place, **env: str) -> str:
    """How the goal's criterion is judged."""
    found = place.run("check", "G001", "--json", code=None, env=env).data
    return next(row["outcome"] for row in found["findings"] if row["criterion"] == "G001.C1")


def test_a_package_patched_in_the_live_environment_is_not_seen(place: Place, active: Path):
    """Git cannot show the patch; the environment was copied when the plan was sealed."""
    site = wrote(view.site_of(active, VERSION), {"till.py": "TAX = 19\n"})
    env = {"VIRTUAL_ENV": str(active), "PATH": f"{active}/bin:{os.environ['PATH']}"}
    sealed(place, criterion=" ".join(RUN), files={"test_till.py": TEST}, **env)
    assert plainly(place, *RUN, **env) == 1
    wrote(site, {"till.py": "TAX = 0\n"})
    shutil.rmtree(site / "__pycache__", ignore_errors=True)
    assert plainly(place, *RUN, **env) == 0
    assert outcome(place, **env) == "fail"


def test_an_editable_install_shows_the_judged_tree_and_not_the_agents(place: Place, active: Path):
    """What is ignored and never delivered works for the agent alone."""
    wrote(view.site_of(active, VERSION), {"till.pth": f"{place.folder}/src\n"})
    env = {"VIRTUAL_ENV": str(active), "PATH": f"{active}/bin:{os.environ['PATH']}"}
    files = {"test_till.py": TEST, ".gitignore": "src/till.py\n__pycache__/\n", "src/x.py": ""}
    sealed(place, criterion=" ".join(RUN), files=files, **env)
    wrote(place.folder, {"src/till.py": "TAX = 0\n"})
    assert plainly(place, *RUN, **env) == 0
    assert outcome(place, **env) == "fail"


def plant_bytecode(place: Place) -> None:
    """Leave a compiled file beside its source that says otherwise, and need not be checked."""
    code = compile("TAX = 0\n", "till.py", "exec")
    planted = importlib._bootstrap_external._code_to_hash_pyc(code, bytes(8), checked=False)
    cache = Path(importlib.util.cache_from_source(str(place.folder / "till.py")))
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(planted)


def test_planted_bytecode_in_the_work_tree_is_not_run(place: Place, active: Path):
    """Python believes a compiled file that says it needs no checking."""
    env = {"VIRTUAL_ENV": str(active), "PATH": f"{active}/bin:{os.environ['PATH']}"}
    files = {"test_till.py": TEST, "till.py": "TAX = 19\n", ".gitignore": "__pycache__/\n"}
    sealed(place, criterion=" ".join(RUN), files=files, **env)
    plant_bytecode(place)
    assert plainly(place, *RUN, **env) == 0
    assert outcome(place, **env) == "fail"
    wrote(place.folder, {"till.py": "TAX = 0\n"})
    assert outcome(place, **env) == "pass"


def test_delivered_bytecode_does_not_stand_in_for_its_source(place: Place, active: Path):
    """It is in the tree that is judged, and Python would believe it."""
    env = {"VIRTUAL_ENV": str(active), "PATH": f"{active}/bin:{os.environ['PATH']}"}
    files = {"test_till.py": TEST, "till.py": "TAX = 19\n"}
    sealed(place, criterion=" ".join(RUN), files=files, **env)
    plant_bytecode(place)
    assert plainly(place, *RUN, **env) == 0
    assert outcome(place, **env) == "fail"


@needs("cargo")
def test_settings_and_builds_of_cargo_outside_the_tree_do_not_count(place: Place):
    """A runner that always succeeds, set in the home; and a build of better code, left behind."""
    files = {
        "Cargo.toml": '[package]\nname = "till"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "till"\nversion = "0.1.0"\n',
        "src/lib.rs": "#[test]\nfn is_free() { assert_eq!(19, 0) }\n",
        ".gitignore": "target/\n",
    }
    env = {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))}
    (place.home / ".rustup").symlink_to(env["RUSTUP_HOME"])
    sealed(place, criterion="cargo test", files=files, **env)
    assert plainly(place, "cargo", "test", **env) != 0
    wrote(place.home, {".cargo/config.toml": '[target."cfg(all())"]\nrunner = "true"\n'})
    assert plainly(place, "cargo", "test", **env) == 0
    (place.home / ".cargo/config.toml").unlink()
    source = place.folder / "src/lib.rs"
    was = source.stat()
    source.write_text(files["src/lib.rs"].replace("19, 0", "0, 0"))
    assert plainly(place, "cargo", "test", **env) == 0
    source.write_text(files["src/lib.rs"])
    os.utime(source, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert plainly(place, "cargo", "test", **env) == 0
    assert outcome(place, **env) == "fail"
