"""A place and a look for tests of checks: a plain folder and a plain process, nothing judged.

The two folders of the judge have fixed paths in a sandbox. Here they are temporary, so both paths
are replaced, as text, in the argv and in the environment; files that are shown stay as they are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forsooth.core.check import Check
from forsooth.core.plan import Criterion, Fence, Goal
from forsooth.core.verdict import Finding
from forsooth.git.commit import Commit
from forsooth.git.trees import Change
from forsooth.judge.checker import JUDGE, OUT, Context, Ran
from forsooth.judge.checks import judged

PASSED_ON = ("PATH", "HOME", "GOPATH", "GOCACHE", "CARGO_HOME", "RUSTUP_HOME")


class Here:
    """A folder whose programs run as plain processes."""

    def __init__(self, root: Path, *, path: str = "") -> None:
        self.folder = root.resolve()
        self.path = path
        self.asked: list[tuple[str, ...]] = []

    @property
    def root(self) -> str:
        return str(self.folder)

    def run(
        self,
        argv: Sequence[str],
        *,
        seconds: float,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Ran:
        """Run one argv with the folders of the judge and one for passing things made anew."""
        self.asked.append(tuple(argv))
        beside = self.folder.parent
        judge, out, passing = beside / "judge", beside / "out", beside / "tmp"
        for folder in (judge, out, passing):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name, data in (files or {}).items():
            (judge / name).write_bytes(data)
        given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        given["PATH"] = f"{self.path}{os.pathsep}{given['PATH']}".lstrip(os.pathsep)
        given["TMPDIR"] = str(passing)
        given |= {name: self._here(value) for name, value in (env or {}).items()}
        words = [self._here(word) for word in argv]
        return self._ran(words, given, self.folder / cwd, seconds, out)

    def _here(self, text: str) -> str:
        beside = self.folder.parent
        return text.replace(JUDGE, str(beside / "judge")).replace(OUT, str(beside / "out"))

    def _ran(self, words: list[str], env: dict[str, str], cwd: Path, seconds: float, out: Path):
        try:
            done = subprocess.run(
                words,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return Ran(None, 9, "timeout", late.stdout or b"", late.stderr or b"", seconds, {})
        except FileNotFoundError as error:
            return Ran(127, None, "exit", b"", str(error).encode(), 0.0, {})
        left = {
            path.relative_to(out).as_posix(): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.is_file()
        }
        code = done.returncode
        ended = (code, None) if code >= 0 else (None, -code)
        return Ran(*ended, "exit", done.stdout, done.stderr, 0.25, left)


class Said:
    """A place where every run ends as told."""

    root = "/repo"

    def __init__(self, *runs: Ran) -> None:
        self.runs = list(runs)
        self.asked: list[tuple[str, ...]] = []
        self.seconds: list[float] = []

    def run(self, argv: Sequence[str], *, seconds: float, **_: Any) -> Ran:
        self.asked.append(tuple(argv))
        self.seconds.append(seconds)
        return self.runs.pop(0)


def ran(code: int | None = 0, stdout: str = "", stderr: str = "", **fields: Any) -> Ran:
    """A run that came to its end, unless told otherwise."""
    given = {"signal": None, "ended": "exit", "took": 0.5, "out": {}}
    return Ran(exit=code, stdout=stdout.encode(), stderr=stderr.encode(), **(given | fields))


class Tree:
    """A tree as data: text for files, `Link` for links."""

    def __init__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        links: Mapping[str, str] | None = None,
        changes: Sequence[Change] = (),
        commits: Sequence[Commit] = (),
    ) -> None:
        texts = {**(files or {}), **(links or {})}
        self._data = {p: t.encode() if isinstance(t, str) else t for p, t in texts.items()}
        self._links = set(links or {})
        self.changes = tuple(changes)
        self.commits = tuple(commits)

    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self._data))

    def read(self, path: str) -> bytes | None:
        return self._data.get(path)

    def mode(self, path: str) -> str | None:
        if path in self._links:
            return "120000"
        return "100644" if path in self._data else None


def written(files: Mapping[str, str], root: Path) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name.endswith(".sh"):
            path.chmod(0o755)
    return root


class Kept(dict[str, bytes]):
    """Evidence by its digest."""

    def keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self[digest] = data
        return digest


class Bench:
    """Everything a check is given, and what it kept."""

    def __init__(self, place: Any = None, look: Tree | None = None, fence: Fence | None = None):
        self.place = place or Said()
        self.look = look or Tree()
        self.kept = Kept()
        self.goal: Goal | None = Goal(id="G001", title="t", objective="o", fence=fence or Fence())

    def context(self, kind: str, says: str = "it holds", **params: Any) -> Context:
        return self._about(
            Criterion(id="G001.C1", says=says, check=Check(kind=kind, params=params))
        )

    def _about(self, criterion: Criterion) -> Context:
        return Context(criterion, self.goal, self.place, self.look, self.kept.keep, 60.0)

    def finds(self, kind: str, says: str = "it holds", **params: Any) -> Finding:
        """What a criterion of that kind finds; every finding has evidence that was kept."""
        return self.judges(self.context(kind, says, **params).criterion)

    def judges(self, criterion: Criterion) -> Finding:
        finding = judged(self._about(criterion))
        assert finding.evidence
        assert set(finding.evidence) <= set(self.kept)
        assert "\n" not in finding.reason
        return finding

    def outcome(self, kind: str, **params: Any) -> tuple[str, str]:
        finding = self.finds(kind, **params)
        return finding.outcome, finding.code
