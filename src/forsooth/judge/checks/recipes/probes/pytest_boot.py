"""Starts pytest as `python -m pytest` does, but with nothing of the project on the path yet.

So nothing there can pose as the runner; the project's own places join the path after it.
"""

from __future__ import annotations

import os
import runpy
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Load the runner and the probe, then hand over."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) not in (here, os.getcwd())]
    runner: Any = import_module("_pytest.config")
    for name in ("pytest", "pluggy", *(f"_pytest.{name}" for name in runner.default_plugins)):
        import_module(name)
    sys.path.append(here)
    import_module("forsooth_probe")
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
