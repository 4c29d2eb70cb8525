"""Small real repositories for the tests of git/, made with plain git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from forsooth.git.repository import Repository, locate

WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


class Repo:
    """A repository on disk, and plain git in it."""

    def __init__(self, folder: Path, *argv: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ".git").exists():
            self.git("init", "-q", "-b", "main", *argv)

    @property
    def repo(self) -> Repository:
        return locate(self.folder)

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        home = {"HOME": str(self.folder.parent), "PATH": os.environ["PATH"]}
        allowed = {"GIT_ALLOW_PROTOCOL": "file", "GIT_CONFIG_NOSYSTEM": "1"}
        return {**home, **allowed, **WHO, **(more or {})}

    def git(self, *argv: str, env: Mapping[str, str] | None = None, given: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *argv],
            cwd=self.folder,
            env=self.environment(env),
            input=given,
            capture_output=True,
            check=False,
        )
        assert not done.returncode, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, name: str, data: bytes | str = b"x\n", *, mode: int = 0o644) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        path.chmod(mode)
        return path

    def commit(self, message: str = "work", *, when: int = 0, **files: bytes | str) -> str:
        """Commit everything that lies there."""
        for name, data in files.items():
            self.write(name.replace("__", "/"), data)
        self.git("add", "-A")
        times = {f"GIT_{who}_DATE": f"@{when} +0000" for who in ("AUTHOR", "COMMITTER") if when}
        self.git("commit", "-q", "--allow-empty", "-m", message, env=times)
        return self.git("rev-parse", "HEAD")

    @property
    def tree(self) -> str:
        return self.git("rev-parse", "HEAD^{tree}")

    def added(self) -> str:
        """The tree `git add -A` would commit, made in an index of its own."""
        spare = str(self.folder.parent / f"{self.folder.name}.spare")
        env = {"GIT_INDEX_FILE": spare}
        index = self.folder / ".git" / "index"
        if index.exists():
            Path(spare).write_bytes(index.read_bytes())
        self.git("add", "-A", env=env)
        return self.git("write-tree", env=env)

    def object(self, kind: str, data: bytes) -> str:
        """Store any bytes as an object, whatever git thinks of them."""
        argv = ["hash-object", "-w", "-t", kind, "--literally", "--stdin"]
        return self.git(*argv, given=data)

    def tree_of(self, *rows: tuple[str, bytes, str]) -> str:
        """Store a tree of exactly these entries."""
        return self.object(
            "tree",
            b"".join(m.encode() + b" " + name + b"\0" + bytes.fromhex(i) for m, name, i in rows),
        )

    def loose(self, id_: str) -> Path:
        return self.folder / ".git" / "objects" / id_[:2] / id_[2:]

    def large(self, data: bytes) -> str:
        """Put content into the local store of large files; its pointer."""
        oid = hashlib.sha256(data).hexdigest()
        target = self.folder / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return pointer(data)


def pointer(data: bytes) -> str:
    oid = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(data)}\n"


def held(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Everything below a folder: its kind and its bytes."""
    found: dict[str, tuple[str, bytes]] = {}
    for path in folder.rglob("*"):
        key = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[key] = ("link", os.fsencode(path.readlink()))
        elif path.is_file():
            kind = "program" if path.stat().st_mode & 0o100 else "file"
            found[key] = (kind, path.read_bytes())
    return found
