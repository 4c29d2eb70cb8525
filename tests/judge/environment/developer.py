"""A developer's machine in small: a venv with a test runner in it, made without a registry."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.judge.environment import view
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.toolchain import Search
from forsooth.judge.sandbox import runner
from tests.judge.environment.place import python

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
NOWHERE = {
    "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple",
    "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9/",
}


def venv(folder: Path, *packages: str) -> Path:
    """A venv with these packages, copied from the one that runs the tests."""
    subprocess.run([python().program, "-m", "venv", "--without-pip", folder], check=True)
    site = view.site_of(folder, VERSION)
    shutil.copy(Path(pytest.__file__).parents[1] / "py.py", site)
    for name in packages:
        place = Path(importlib.util.find_spec(name).origin).parent
        shutil.copytree(place, site / name, ignore=shutil.ignore_patterns("__pycache__"))
        for info in place.parent.glob(f"{name}-*.dist-info"):
            shutil.copytree(info, site / info.name)
    return folder


def offline(folder: Path, *, path: str = "/usr/bin:/bin", active: Path | None = None) -> Layers:
    """Layers on a machine whose registries cannot be reached."""
    search = Search(path, folder / "nobody", runner.answer, active)
    return Layers(folder, search=search, settings=NOWHERE)


def wrote(root: Path, files: dict[str, str]) -> Path:
    for name, body in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(body)
    return root
