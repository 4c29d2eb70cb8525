"""The transcript in README.md: run in a fresh repository and compared, or written anew.

`console` blocks are a person's terminal and `console agent` blocks an agent's shell. What differs
from run to run (ids, times, digests, tokens) is replaced, in order of appearance, by what stays.
A line `…` stands for lines left out. To write it anew: python tests/e2e/readme.py --write
"""

from __future__ import annotations

import hashlib
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.e2e.place import AGENT, Place, new  # noqa: E402

README = ROOT / "README.md"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
REST = "…"

_BLOCK = re.compile(r"^```(console(?: agent)?|markdown)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_PLAN = re.compile(r"\b[0-9]{8}-[0-9]{6}\b")
_EVENT = re.compile(r"^(#([0-9]+) +)[0-9-]{10}T[0-9:]{8}Z")
_SPENT = re.compile(r"\b[0-9]+\.[0-9]s\b|(?<=about )[0-9]+ (?:s|min)\b")
_HEX = re.compile(r"\b[0-9a-f]{12,64}\b")


class Step(NamedTuple):
    """One command of the transcript and what stands below it."""

    command: str
    lines: list[str]


class Steady:
    """Replaces what changes from run to run, the same thing always by the same."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, line: str) -> str:
        line = _SPENT.sub("0.4s", line)
        line = _PLAN.sub(START.strftime("%Y%m%d-%H%M%S"), line)
        line = _EVENT.sub(lambda found: found[1] + self._time(int(found[2])), line)
        return _HEX.sub(lambda found: self._named(found[0]), line)

    def _time(self, seq: int) -> str:
        return (START + timedelta(minutes=4 * (seq - 1))).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _named(self, found: str) -> str:
        number = str(len(self._known))
        name = self._known.setdefault(found[:12], hashlib.sha256(number.encode()).hexdigest())
        return name[: len(found)]


def steps(block: str) -> Iterator[Step]:
    """The commands of a block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        while command.endswith("\\"):
            command += "\n" + lines.pop(0)
        yield Step(command, lines)


def run(place: Place, command: str, *, agent: bool) -> list[str]:
    """What a command prints, at a terminal or in an agent's shell."""
    program, *argv = shlex.split(command.replace("\\\n", ""))
    assert program == "forsooth", command
    if agent:
        done = place.run(*argv, code=None, env=AGENT)
        return (done.out + done.err).rstrip("\n").split("\n")
    said = place.typed(*argv, answer="y", env={"NO_COLOR": "1"})
    return said.out.rstrip("\n").split("\n")


def shortened(lines: list[str], model: list[str]) -> list[str]:
    """Leave out what the transcript leaves out."""
    if REST not in model:
        return lines
    before = model.index(REST)
    after = len(model) - before - 1
    return [*lines[:before], REST, *lines[len(lines) - after :]]


def renewed(text: str, folder: Path) -> str:
    """The README with its transcript as it comes out today."""
    place, steady = new(folder), Steady()

    def again(found: re.Match[str]) -> str:
        form, block = found[1], found[2]
        if form == "markdown":
            place.commit("BRIEF.md", block)
            return found[0]
        rows: list[str] = []
        for step in steps(block):
            said = [
                steady(line.rstrip()) for line in run(place, step.command, agent="agent" in form)
            ]
            rows += [f"$ {step.command}", *shortened(said, step.lines)]
        return f"```{form}\n" + "\n".join(rows) + "\n```\n"

    return _BLOCK.sub(again, text)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = renewed(README.read_text(encoding="utf-8"), Path(folder) / "place")
    if "--write" in sys.argv:
        README.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
