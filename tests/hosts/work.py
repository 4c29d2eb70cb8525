"""A plan so small that judging it takes a moment, and what an agent does about it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.e2e.place import Place
from tests.hosts.host import Host
from tests.scripted_model.model import Answer, Asked, Turn

BRIEF = """\
@goal: Say hello
The greeting greets.
- [ ] greeting: `grep -q hello greeting.txt` exits 0
- [ ] only greeting.txt changes
"""
TWO = f"""{BRIEF}
@goal: Say goodbye
After: G001
- [ ] parting: `grep -q bye parting.txt` exits 0
"""
FALSE = "Not proven yet"  # how a hold begins
HELLO = "echo hello > greeting.txt"
# A scripted model answers at once, so the pause between holds would let every second one go.
AT_ONCE = "[policy]\ncooldown = 0\n"


def planned(place: Place, brief: str = BRIEF) -> Place:
    """A repository whose plan waits for a person's seal."""
    settings = place.home / ".config/forsooth/config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(AT_ONCE)
    place.commit("BRIEF.md", brief)
    place.run("plan", "BRIEF.md")
    return place


def sealed(place: Place, brief: str = BRIEF) -> Place:
    planned(place, brief).run("seal", "--yes")
    return place


def token(asked: Asked) -> str:
    """The token of the attempt, as `next` told it."""
    return re.findall(r"token\W+([0-9a-f]{16})", asked.text)[-1]


def honest(host: Host, **claim: str) -> Iterator[Answer]:
    """What an agent does that takes the goal, works, and has it judged."""
    yield Turn("", (host.tool("next"),))
    yield Turn("", (host.shell(HELLO),))
    yield lambda asked: Turn("", (host.tool("done", goal="G001", token=token(asked), **claim),))
    yield Turn("It is proven.")


def within(holds: Callable[[], bool], seconds: float = 40) -> bool:
    """Whether something becomes true soon: a seal by prompt goes on after its turn."""
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends:
            return False
        time.sleep(0.2)
    return True


def status(place: Place) -> str:
    return place.ask("status")["plan"]["status"]


def sessions(place: Place) -> dict[str, Any]:
    """What is known of every session, by its id."""
    folder = place.state / "sessions"
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def failures(place: Place) -> list[str]:
    """Where a hook had to give way."""
    log = place.state / "hooks.log"
    rows = log.read_text().splitlines() if log.exists() else []
    return [row for row in rows if json.loads(row)["what"] not in ("held", "let go")]
