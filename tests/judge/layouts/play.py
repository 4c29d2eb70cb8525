"""One layout judged: sealed once, then each kind of work on its own."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.toolchain import Search
from forsooth.judge.judge import Judge
from forsooth.judge.sandbox.runner import answer
from forsooth.judge.sandbox.tiers import available
from tests.judge.court import Court
from tests.judge.layouts import compiled, javascript, languages, python, scripts
from tests.judge.layouts.layout import PACKAGE, VERSIONS, Layout, applied

HONEST = ("fix", "fix and new test")
BROKEN = "broken"  # the layout itself cannot be tried


class Played(NamedTuple):
    """What came of one kind of work in one layout; `outcome` is the finding's."""

    layout: str
    kind: str
    outcome: str
    code: str
    reason: str

    @property
    def right(self) -> bool:
        """Whether honest work was accepted, or a cheat was not."""
        return self.code != BROKEN and (self.outcome == "pass") == (self.kind in HONEST)


def layouts() -> Iterator[Layout]:
    """Every layout there is."""
    for some in (javascript, python, compiled, scripts, languages):
        yield from some.layouts()


def cache() -> Path:
    """Where what is fetched is kept between runs."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return given / "forsooth-ci" / "layouts"


def can_play(layout: Layout) -> bool:
    """Whether what a layout needs is here."""
    program = "npm" if layout.needs in VERSIONS else layout.needs
    return not program or shutil.which(program) is not None


def installed(name: str) -> Path:
    """The folder of one npm package with all it depends on, made once."""
    folder = cache() / "npm" / f"{name}-{VERSIONS[name]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "guard").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            told = {"private": True, "devDependencies": {name: VERSIONS[name]}}
            (folder / PACKAGE).write_text(json.dumps(told))
            argv = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(argv, cwd=folder, capture_output=True, check=True)
            (folder / "ready").touch()
    return folder / "node_modules"


class _Court(Court):
    """A court whose dependencies are kept for the next one."""

    def judge(self) -> Judge:
        return Judge(
            self.work.repo,
            cache=self.folder / "cache",
            sandbox=available(),
            layers=Layers(cache() / "layers", search=self._search),
            keep=self.keep,
            load=lambda name: self.kept[name],
        )


def sealed(layout: Layout, folder: Path) -> Court:
    """The repository of a layout, with its plan sealed."""
    brief = f"@goal: Add\nIntent: fix\n- [ ] `{layout.run}`\n"
    own = Search(os.environ["PATH"], Path.home(), answer)
    court = _Court(folder, dict(layout.files), brief, search=own)
    if layout.needs in VERSIONS:
        argv = ["cp", "-al", str(installed(layout.needs)), str(court.work.folder)]
        subprocess.run(argv, check=True)
    return court.sealed()


def play(layout: Layout, folder: Path, *, kinds: tuple[str, ...] = ()) -> Iterator[Played]:
    """What comes of every kind of work, or of some."""
    court = sealed(layout, folder)
    assert court.ground
    red = court.ground.about("G001.C1")
    if red is None or red.red in (None, "environment"):
        raise AssertionError(
            f"{layout.name}: on the base {red and (red.red, red.code, red.reason)}"
        )
    for kind in (*layout.cheats, *HONEST):
        if kinds and kind not in kinds:
            continue
        court.work.git("checkout", "-q", "-f", "HEAD")
        for path, text in applied(layout.files, layout.work(kind)).items():
            if text is None:
                (court.work.folder / path).unlink()
            else:
                court.work.write(path, text)
        finding = court.found()["G001.C1"]
        yield Played(layout.name, kind, finding.outcome, finding.code, finding.reason)
