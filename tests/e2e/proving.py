"""Small plans that are proven in seconds: shell scripts, and one module with its tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from forsooth.core.canonical import digest
from forsooth.ledger.chain import frame
from tests.e2e.place import AGENT, Answer, Place, new

HELLO = 'greet says day: `sh greet.sh` exits 0, stdout has "day"'
BYE = 'part says bye: `sh part.sh` exits 0, stdout has "bye"'
BRIEF = f"@goal: Greet\n- [ ] {HELLO}\n\n@goal: Part\n- [ ] {BYE}\n"


def apart(folder: str, word: str) -> str:
    """A criterion about one folder alone."""
    return f"""\
```criteria
- says: {folder} says {word}
  check: command
  with:
    argv: [sh, {folder}/say.sh]
    stdout: {{has: [{word}]}}
  paths: [{folder}/**]
```
"""


APART = f"@goal: Greet\n{apart('greet', 'day')}\n@goal: Part\n{apart('part', 'bye')}"


def begun(folder: Path, brief: str = BRIEF, **files: str) -> Place:
    """A repository with a sealed plan; `files` are committed before, `__` stands for a slash."""
    made = new(folder / "place")
    return sealed(made, brief, **files)


def sealed(made: Place, brief: str = BRIEF, **files: str) -> Place:
    """The plan of a brief, sealed by a script that speaks for a person."""
    told = files or {"greet": "echo hi\n", "part": "echo hi\n"}
    for name, text in told.items():
        path = made.folder / f"{name.replace('__', '/')}.sh"
        made.write(str(path.relative_to(made.folder)), text)
    made.write("BRIEF.md", brief)
    made.git("add", "-A")
    made.git("commit", "-qm", "begin")
    made.run("plan", "BRIEF.md")
    made.run("seal", "--yes")
    return made


def claim(place: Place, goal: str, code: int = 0) -> Any:
    """Claim a goal as an agent; what the tool says as data."""
    return place.ask("done", goal, code=code, env=AGENT)


def said(place: Place, goal: str, code: int = 1) -> Answer:
    """Claim a goal as an agent, and read what an agent reads."""
    return place.run("done", goal, code=code, env=AGENT)


def proven(place: Place) -> Place:
    """Both goals of BRIEF met and proven, and so the plan."""
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    place.commit("part.sh", "echo bye\n")
    claim(place, "G002")
    return place


def lines(place: Place) -> list[dict[str, Any]]:
    """Every line of the ledger, read without our own reader."""
    return [json.loads(line) for line in place.ledger.read_bytes().splitlines()]


def append(place: Place, event: dict[str, Any]) -> None:
    """Write an event by hand, properly chained."""
    (*_, last) = place.ledger.read_bytes().splitlines()
    body = {name: value for name, value in event.items() if name not in ("seq", "prev", "h")}
    body["id"] = f"forged-{digest(last)[:12]}"
    line = frame(body, seq=json.loads(last)["seq"] + 1, prev=digest(last))
    with place.ledger.open("ab") as file:
        file.write(line + b"\n")


def keep(place: Place, data: bytes) -> str:
    """Put bytes among the kept ones of the only plan."""
    from forsooth.ledger.blobs import Blobs

    return Blobs(place.ledger.parent / "blobs").put(data)


def envelope(place: Place, subject: str = "plan") -> bytes:
    """The receipt of a goal, as it was signed."""
    return place.run("receipt", subject, "--format", "envelope").out.encode()
