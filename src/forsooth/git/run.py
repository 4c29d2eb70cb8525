"""Running git: by absolute path, in a fixed environment, in a git dir of our own.

A repository an agent can write may name programs in its configuration, hooks, filters and
attributes. Its objects are read through alternates; its configuration is not read at all.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.git.repository import Repository, text_of
from forsooth.git.stores import alternates, stores

PLACES = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/bin")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
# Said although most are git's own defaults: a later git may have others.
# A commit graph or a multi-pack index answers for objects without showing them.
CONFIG = """\
[core]
	repositoryformatversion = {version}
	bare = true
	fileMode = true
	symlinks = true
	autocrlf = false
	safecrlf = false
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	attributesFile = /dev/null
	excludesFile = /dev/null
	commitGraph = false
	multiPackIndex = false
	protectHFS = true
	protectNTFS = true
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	allow = never
[submodule]
	recurse = false
"""
SHA256 = "[extensions]\n\tobjectFormat = sha256\n"
SECONDS = 60


def program() -> str:
    """The git that is used, never one found through the caller's PATH."""
    for place in PLACES:
        path = Path(place, "git")
        if path.is_file():
            return str(path)
    raise CouldNotVerify("git is not installed", hint="install git")


def command(git_dir: Path, *argv: str) -> list[str]:
    """One git command in a git dir whose configuration is ours."""
    return [program(), "-c", "safe.directory=*", f"--git-dir={git_dir}", *argv]


def run(
    git_dir: Path, *argv: str, given: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run one git command to its end; `given` is what it reads."""
    try:
        return subprocess.run(
            command(git_dir, *argv),
            env=ENVIRONMENT | dict(env or {}),
            cwd=git_dir,
            input=given,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise silent(argv[0]) from None


def silent(verb: str) -> CouldNotVerify:
    """The error for a git that hangs, as it does on a pipe in the place of a file."""
    return CouldNotVerify(f"git {verb} did not answer within {SECONDS} seconds", code="git-hangs")


def asked(
    git_dir: Path, *argv: str, given: bytes = b"", env: Mapping[str, str] | None = None
) -> bytes:
    """What a git command answers; one that fails is an error in git's own words."""
    done = run(git_dir, *argv, given=given, env=env)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
        raise CouldNotVerify(f"git {argv[0]} failed: {said}", hint="git fsck", code="git-failed")
    return done.stdout


@contextmanager
def private(repo: Repository, *, store: Path | None = None) -> Generator[Path]:
    """A throwaway git dir that sees the repository's objects and nothing else of it.

    New objects are thrown away with it, unless a store of ours is given.
    """
    with tempfile.TemporaryDirectory(prefix="forsooth-git-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        furnish(folder, is_sha256=is_sha256(repo))
        if store:
            (folder / "objects").symlink_to(store)
        else:
            (folder / "objects" / "info").mkdir(parents=True)
            (folder / "objects" / "info" / "alternates").write_bytes(alternates(stores(repo)))
        yield folder


def furnish(folder: Path, *, is_sha256: bool) -> None:
    """What makes a folder a git dir, except objects."""
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
    config = CONFIG.format(version=int(is_sha256)) + (SHA256 if is_sha256 else "")
    (folder / "config").write_text(config, encoding="utf-8")


def is_sha256(repo: Repository) -> bool:
    """Whether objects are named by sha256; a wrong answer finds no object at all."""
    return "objectformat=sha256" in "".join(text_of(repo.common / "config").lower().split())
