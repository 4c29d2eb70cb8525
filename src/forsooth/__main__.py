"""The way in. What needs no more is answered before anything is loaded: `--version`, and a look
at what did not change since the last one.
"""

from __future__ import annotations

import os
import signal
import sys

# What a shell can put into every program it starts, and into every interpreter.
_LINKED = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")
_LOADED = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONINSPECT", "PYTHONEXECUTABLE")


def main() -> int:
    """Run the command line and return its exit code."""
    _stand_apart()
    if sys.argv[1:] == ["--version"]:
        from forsooth import __version__

        sys.stdout.write(f"forsooth {__version__}\n")
        return 0
    if sys.argv[1:2] == ["check"]:
        from forsooth.cli.again import told

        code = told(sys.argv[2:])
        if code is not None:
            return code
    from forsooth.cli.main import run
    from forsooth.git.scratch import enter

    enter()
    signal.signal(signal.SIGINT, _interrupted)
    return run(sys.argv[1:])


def _stand_apart() -> None:
    """Start again without what the caller's shell loads: the caller may be the agent."""
    env = {name: value for name, value in os.environ.items() if name not in _LINKED}
    if len(env) == len(os.environ) and (sys.flags.isolated or not _is_bent()):
        return
    apart = ("-I",) if sys.flags.isolated or _is_bent() else ()
    argv = [sys.executable, *apart, "-m", "forsooth", *sys.argv[1:]]
    os.execve(sys.executable, argv, env)  # noqa: S606


def _is_bent() -> bool:
    """Whether modules come from where the caller says, and we do not."""
    given = [os.environ[name] for name in _LOADED if os.environ.get(name)]
    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    places = [os.path.realpath(part) for one in given for part in one.split(os.pathsep)]
    return bool(given) and here not in places


def _interrupted(*_: object) -> None:
    """End what the judge runs in threads of its own, too: they do not hear of a signal."""
    runner = sys.modules.get("forsooth.judge.sandbox.runner")
    if runner:
        runner.interrupt()
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
