"""A judged tree with its dependencies, ready to run things in: copy, layer and sandbox together.

Each run sees the copy at the repository's own path through a layer of its own, so that nothing one
check leaves behind is seen by the next.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from forsooth.judge.checker import JUDGE, OUT, Ran
from forsooth.judge.copies import Copy
from forsooth.judge.environment.layer import Layer
from forsooth.judge.openat import open_folder, read_file, temporary_folder
from forsooth.judge.sandbox import root as machine
from forsooth.judge.sandbox.job import Done, Job, Limits, Mount, Sandbox

LARGEST = 32 << 20
MOST = 20_000  # entries


class Furnished:
    """One tree, furnished; `compiled` unless it is known to bring nothing that Python compiled.

    Of `watched` files it is told whether a run wrote them; `fixed` ones can only be read.
    """

    def __init__(
        self,
        copy: Copy,
        layer: Layer,
        *,
        root: str,
        sandbox: Sandbox,
        limits: Limits,
        compiled: bool = True,
        watched: tuple[str, ...] = (),
        fixed: tuple[str, ...] = (),
    ) -> None:
        self.root, self._compiled = root, compiled
        self._watched, self._fixed = watched, fixed
        self._copy, self._layer, self._sandbox, self._limits = copy, layer, sandbox, limits

    def run(
        self,
        argv: Sequence[str],
        *,
        seconds: float,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Ran:
        """Run one argv; `files` appear read-only under JUDGE, what is written to OUT comes back."""
        with temporary_folder("forsooth-run-") as folder:
            judge, out = folder / "judge", folder / "out"
            judge.mkdir()
            out.mkdir()
            for path, data in (files or {}).items():
                target = judge / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            job = self._job(tuple(argv), seconds, cwd=cwd, env=env or {}, judge=judge, out=out)
            return _ran(self._sandbox.run(job), _collected(out))

    def _job(
        self,
        argv: tuple[str, ...],
        seconds: float,
        *,
        cwd: str,
        env: Mapping[str, str],
        judge: Path,
        out: Path,
    ) -> Job:
        return Job(
            argv,
            f"{self.root}/{cwd}".rstrip("/"),
            env={**self._environment(), **env},
            mounts=(
                Mount(self._copy.path, self.root, "overlay"),
                *(self._still(path) for path in self._fixed),
                *self._copy.lent,
                *self._layer.mounts,
                Mount(judge, JUDGE),
                Mount(out, OUT, "rw"),
            ),
            limits=self._limits._replace(seconds=seconds),
            before=self._layer.recipe.before,
            watched=self._watched,
        )

    def _still(self, path: str) -> Mount:
        copy = self._copy.path
        return Mount(copy / path, f"{self.root}/{path}", "file", root=copy)

    def _environment(self) -> dict[str, str]:
        # Compiled files of the tree may say anything: Python is to look for its own elsewhere.
        # That costs it those of its library too, so only where there are any.
        apart = {"PYTHONPYCACHEPREFIX": "/tmp/pycache"} if self._compiled else {}  # noqa: S108
        env = {**apart, **self._layer.env}
        first = env.get("PATH")
        return {**env, "PATH": f"{first}:{machine.PATH}"} if first else env


def _ran(done: Done, out: Mapping[str, bytes]) -> Ran:
    stderr = done.stderr + (f"\nforsooth: {done.why}\n".encode() if done.why else b"")
    ended = (done.exit, done.signal, done.ended)
    return Ran(*ended, done.stdout, stderr, done.took, out, done.written)


def _collected(folder: Path) -> dict[str, bytes]:
    """What a run left for the judge: plain files only, and no more than fits."""
    found: dict[str, bytes] = {}
    room, entries, waiting = LARGEST, MOST, [""]
    while waiting:
        inner = waiting.pop(0)
        with suppress(OSError), open_folder(folder, inner) as number, os.scandir(number) as listed:
            for entry in sorted(islice(listed, entries), key=lambda one: one.name):
                entries -= 1
                path = f"{inner}/{entry.name}".lstrip("/")
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif (data := read_file(folder, path, most=room)) is not None:
                    found[path] = data
                    room -= len(data)
    return found
