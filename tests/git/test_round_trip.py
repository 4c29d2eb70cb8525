"""Whatever lies in a folder comes back out of a snapshot, byte by byte."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forsooth.git.checkout import checkout, clean
from forsooth.git.paths import is_component
from forsooth.git.repository import locate
from forsooth.git.snapshot import snapshot
from forsooth.git.trees import listing, listing_digest
from tests.git.repos import Repo, held

ODD = [".", "a", "A", "b c", "-x", "\u00e4", "a\u0308", "\u212a", "\n", '"', "\\", "#", "*", "~1"]
RAW = st.binary(min_size=1, max_size=6).map(os.fsdecode)
PARTS = st.one_of(
    st.sampled_from(ODD), RAW, st.lists(st.sampled_from(ODD), min_size=2).map("".join)
)
NAMES = PARTS.filter(lambda part: len(os.fsencode(part)) < 200 and is_component(part))
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
DATA = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([b"", b"one\r\ntwo\r\n", b"one\rtwo\n", b"\0" * 9, b"$Id$\n", b"x" * 300_000]),
)
FILES = st.tuples(st.sampled_from(["file", "program", "link"]), DATA)
TREES = st.dictionaries(PATHS, FILES, max_size=8)


def lay(folder: Path, tree: dict[str, tuple[str, bytes]]) -> dict[str, tuple[str, bytes]]:
    """Lay files out as far as they do not stand in each other's way; say what was laid."""
    laid: dict[str, tuple[str, bytes]] = {}
    for name, (kind, data) in tree.items():
        path = folder / name
        if path.name in (".gitignore", ".gitattributes", ".gitmodules"):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == "link":
                path.symlink_to(os.fsdecode(data.replace(b"\0", b"0")[:200] or b"x"))
            else:
                path.write_bytes(data)
                path.chmod(0o755 if kind == "program" else 0o644)
        except (OSError, ValueError):
            continue
        laid[name] = (kind, data)
    (folder / "hollow").mkdir(exist_ok=True)
    return laid


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, TREES)
def test_a_snapshot_comes_back_as_it_was_taken(first, second):
    """Modes, links, odd names, empty folders, line endings and big files; fresh and moved."""
    with tempfile.TemporaryDirectory() as name:
        made, copy = Repo(Path(name) / "repo"), Path(name) / "copy"
        lay(made.folder, first)
        made.git("add", "-A")
        one = snapshot(locate(made.folder))
        assert one.untracked == ()
        checkout(made.repo, one.tree, copy)
        assert held(copy) == _held(made)
        for path in made.folder.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        lay(made.folder, second)
        two = snapshot(made.repo)
        checkout(made.repo, two.tree, copy, before=one.tree)
        assert held(copy) == _held(made)
        assert {entry.path for entry in listing(made.repo, two.tree)} == {*held(copy)}
        back = Repo(Path(name) / "back")
        shutil.copytree(copy, back.folder, symlinks=True, dirs_exist_ok=True)
        again = snapshot(back.repo)
        assert again.tree == two.tree
        assert listing_digest(listing(back.repo, again.tree)) == listing_digest(
            listing(made.repo, two.tree)
        )
        assert clean(made.repo, copy)
        assert held(copy) == _held(made)


def _held(made: Repo) -> dict[str, tuple[str, bytes]]:
    return {path: row for path, row in held(made.folder).items() if not path.startswith(".git/")}
