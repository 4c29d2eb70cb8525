"""The way in. `--version` is answered before anything is loaded."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] == ["--version"]:
        from forsooth import __version__

        sys.stdout.write(f"forsooth {__version__}\n")
        return 0
    from forsooth.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
