"""The second process of a hook: a command as JSON comes in, what it would do goes out as JSON."""

from __future__ import annotations

import json
import resource
import signal
import sys
from contextlib import suppress

from forsooth.shell.look import look
from forsooth.shell.scope import TEMPORARY, Place

MEMORY = 1 << 30
SECONDS = 3  # after which nobody waits for the answer any more


def main() -> None:
    """Answer one question."""
    signal.alarm(SECONDS)
    with suppress(ValueError, OSError):  # some systems have no such limit, or a lower one
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    asked = json.load(sys.stdin)
    place = Place(
        asked["cwd"],
        asked["root"],
        asked["home"],
        strict=bool(asked.get("strict")),
        temporary=asked.get("temporary") or TEMPORARY[0],
    )
    json.dump(look(asked["command"], place)._asdict(), sys.stdout)


if __name__ == "__main__":
    main()
