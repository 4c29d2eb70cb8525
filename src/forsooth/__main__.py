"""The way in. `--version` is answered before anything is loaded."""

from __future__ import annotations

import os
import sys

# What a shell can put into every interpreter it starts.
_LOADED = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONINSPECT", "PYTHONEXECUTABLE")


def main() -> int:
    """Run the command line and return its exit code."""
    _stand_apart()
    if sys.argv[1:] == ["--version"]:
        from forsooth import __version__

        sys.stdout.write(f"forsooth {__version__}\n")
        return 0
    from forsooth.cli.main import run

    return run(sys.argv[1:])


def _stand_apart() -> None:
    """Start again without what the caller's shell loads: the caller may be the agent."""
    given = [os.environ[name] for name in _LOADED if os.environ.get(name)]
    if sys.flags.isolated or not given:
        return
    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if here in [os.path.realpath(part) for one in given for part in one.split(os.pathsep)]:
        return  # it is loaded that way itself
    os.execv(sys.executable, [sys.executable, "-I", "-m", "forsooth", *sys.argv[1:]])  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
