"""One value of one configuration file that is not a repository's: nothing it names is run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from forsooth.git.run import run


def value(file: Path, name: str) -> str:
    """The last value a file gives to a name; empty when it gives none, includes not followed."""
    if not file.is_file():
        return ""
    with tempfile.TemporaryDirectory(prefix="forsooth-git-") as folder:
        argv = ("config", "--file", str(file), "--no-includes", "--get", name)
        return run(Path(folder), *argv).stdout.decode("utf-8", "replace").strip()
