"""Asking an interpreter or a compiler who it is, inside the sandbox.

Where a tool lies is read from folders that a work tree can name: the `home` of a venv, a manager's
default. So what is found is not believed to be a tool before it was asked, and asking runs it:
without a network, without the person's files, seeing its own installation alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from forsooth.judge.environment.toolchain import Ask, Tool, mounts_of, narrowed
from forsooth.judge.sandbox.job import Job, Limits, Mount, Sandbox

SECONDS = 10.0
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def asking(sandbox: Callable[[], Sandbox], *, home: Path, root: Path | None) -> Ask:
    """A way to ask that remembers what an unchanged program said."""
    heard: dict[tuple[object, ...], str] = {}

    def ask(argv: tuple[str, ...]) -> str:
        found = os.stat(argv[0])  # noqa: PTH116 - an OSError says that there is none
        key = (argv, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        if key not in heard:
            mounts = _mounts(Path(argv[0]), home, root)
            limits = Limits(seconds=SECONDS)
            env = {"PATH": PATH, "LC_ALL": "C"}
            job = Job(argv, cwd="/", env=env, mounts=mounts, limits=limits, network="none")
            done = sandbox().run(job)
            said = done.stdout + done.stderr if done.ended == "exit" else b""
            heard[key] = said.decode(errors="replace").strip()
        return heard[key]

    return ask


def _mounts(program: Path, home: Path, root: Path | None) -> tuple[Mount, ...]:
    """What a program needs of its own installation, by where it lies."""
    prefix = program.parent.parent
    name = "python" if re.match(r"python[\d.]*$", program.name) else program.name
    tool = Tool(name, "", program, prefix, mounts_of(name, prefix))
    seen = narrowed(tool, home=home, root=root).mounts
    covered = any(program.is_relative_to(mount.target) for mount in seen)
    is_system = any(map(program.is_relative_to, ("/usr", "/bin", "/sbin")))
    return seen if covered or is_system else (*seen, Mount(program.resolve(), str(program), "file"))
