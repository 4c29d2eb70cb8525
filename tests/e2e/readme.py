"""The transcripts in the documentation: run in a fresh repository and compared, or written anew.

`console` blocks are a person's terminal, `console agent` blocks an agent's shell; `markdown` is the
brief and `python` below `# PATH` a file, both committed; `diff` changes the work tree. What differs
from run to run is replaced by what stays; a line `…` stands for lines left out.
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

from tests.e2e.place import AGENT, FORSOOTH, Place, new  # noqa: E402

PAGES = (ROOT / "README.md", ROOT / "docs" / "plans.md")
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
REST = "…"
MERGED = ("sh", "-c", 'exec "$@" 2>&1', "sh")

_BLOCK = re.compile(
    r"^```(console(?: agent)?|markdown|python|diff)\n(.*?)^```\n", re.MULTILINE | re.DOTALL
)
_FILE = re.compile(r"# (\S+\.py)\n")
_PLAN = re.compile(r"\b[0-9]{8}-[0-9]{6}\b")
_EVENT = re.compile(r"^(#([0-9]+) +)[0-9-]{10}T[0-9:]{8}Z")
_SPENT = re.compile(r"\b[0-9]+\.[0-9]s\b")
_ABOUT = re.compile(r"(?<=about )[0-9]+ (?:s|min)\b")
_AGREE = re.compile(r"\b[0-9]+(?= identical runs\b)")
_CAUGHT = re.compile(r"\b([0-9]+) of \1(?= mutants caught\b)")
_HEX = re.compile(r"\b[0-9a-f]{12,64}\b")


class Step(NamedTuple):
    """One command of the transcript and what stands below it."""

    command: str
    lines: list[str]


class Steady:
    """Replaces what changes from run to run, the same thing always by the same."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._real: dict[str, str] = {}

    def real(self, command: str) -> str:
        """A command as it must be typed this time, with the token that was printed above it."""
        return _HEX.sub(lambda found: self._real.get(found[0], found[0]), command)

    def __call__(self, line: str) -> str:
        line = _SPENT.sub("0.4s", line)
        line = _ABOUT.sub("5 s", line)
        line = _CAUGHT.sub("2 of 2", _AGREE.sub("5", line))
        line = _PLAN.sub(START.strftime("%Y%m%d-%H%M%S"), line)
        line = _EVENT.sub(lambda found: found[1] + self._time(int(found[2])), line)
        return _HEX.sub(lambda found: self._named(found[0]), line)

    def _time(self, seq: int) -> str:
        return (START + timedelta(minutes=4 * (seq - 1))).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _named(self, found: str) -> str:
        number = str(len(self._known))
        name = self._known.setdefault(found[:12], hashlib.sha256(number.encode()).hexdigest())
        shown = name[: len(found)]
        self._real[shown] = found
        return shown


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
    if program != "forsooth":
        return place.run(prefix=("sh", "-c", command)).out.splitlines()
    if agent:
        done = place.run(*argv, code=None, env=AGENT, prefix=(*MERGED, *FORSOOTH))
        return done.out.rstrip("\n").split("\n")
    said = place.typed(*argv, answer="y", env={"NO_COLOR": "1"})
    return said.out.rstrip("\n").split("\n")


def shortened(lines: list[str], model: list[str]) -> list[str]:
    """Leave out what the transcript leaves out; between two gaps, by its first line."""
    if REST not in model:
        return lines
    before, after = model.index(REST), model[::-1].index(REST)
    rows = [*lines[:before], REST]
    part: list[str] = []
    for line in model[before + 1 : len(model) - after]:
        if line != REST:
            part.append(line)
            continue
        if part:
            at = lines.index(part[0]) if part[0] in lines else len(lines)
            rows += [*lines[at : at + len(part)], REST]
        part = []
    return [*rows, *lines[len(lines) - after :]]


def apply(place: Place, form: str, block: str) -> None:
    """Put into the repository what a block shows of it."""
    named = _FILE.match(block)
    if form == "markdown":
        place.commit("BRIEF.md", block)
    elif form == "python" and named:
        place.commit(named[1], block)
    elif form == "diff":
        place.run(prefix=("git", "apply", "--unidiff-zero"), stdin=block)


def renewed(text: str, folder: Path) -> str:
    """A page with its transcript as it comes out today."""
    place, steady = new(folder), Steady()

    def again(found: re.Match[str]) -> str:
        form, block = found[1], found[2]
        if not form.startswith("console"):
            apply(place, form, block)
            return found[0]
        rows: list[str] = []
        for step in steps(block):
            came = run(place, steady.real(step.command), agent="agent" in form)
            said = [steady(line.rstrip()) for line in came]
            rows += [f"$ {step.command}", *shortened(said, step.lines)]
        return f"```{form}\n" + "\n".join(rows) + "\n```\n"

    return _BLOCK.sub(again, text)


def main() -> None:
    """Print the pages as they come out today; with --write, keep them so."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            text = renewed(page.read_text(encoding="utf-8"), Path(folder) / "place")
        if "--write" in sys.argv:
            page.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)


if __name__ == "__main__":
    main()
