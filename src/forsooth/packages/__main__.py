"""`python -m forsooth.packages FOLDER` writes the packages for any machine; see the Makefile."""

from __future__ import annotations

import sys
from pathlib import Path

from forsooth import __version__
from forsooth.packages import Kit, tree


def write(folder: Path) -> None:
    """Put every package into a folder."""
    for name, data in tree(Kit(__version__)).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if data.startswith(b"#!") else 0o644)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
