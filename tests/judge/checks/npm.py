"""JavaScript runners of fixed versions, installed once outside the tree."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path

from tests.tools import absent, require

VERSIONS = {"vitest": "4.1.12", "jest": "30.5.2", "mocha": "12.0.3", "bats": "1.13.0"}


def modules() -> Path:
    """The folder of installed packages; a skip with the reason where they cannot be had."""
    require("npm")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "forsooth-ci" / "npm" / "-".join(VERSIONS.values())
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            _install(folder)
    return folder / "node_modules"


def _install(folder: Path) -> None:
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": VERSIONS}))
    done = subprocess.run(
        ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        absent("npm", f"npm could not install the runners: {done.stderr.strip()[-200:]}")
    (folder / "ready").touch()
