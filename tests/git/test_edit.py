"""An edited tree is what git makes of the same edits, and costs only the folders above them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forsooth.errors import CouldNotVerify
from forsooth.git.edit import Put, edited
from forsooth.git.stores import store
from forsooth.git.trees import listing
from tests.git.repos import Repo

FILE, EXEC, LINK = "100644", "100755", "120000"
NAMES = ("a", "b", "a.x", "a-b", "é", "Z")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = Repo(tmp_path_factory.mktemp("edit") / "repo")
    files = {"a__a": "1\n", "a__b__a": "2\n", "a.x": "3\n", "a-b__b": "4\n", "b": "5\n"}
    made.write("é/Z", "6\n", mode=0o755)
    made.commit(**files)
    return made


def plain_git(made: Repo, edits: Mapping[str, Put | None]) -> str:
    """The same edits by plain git: all removals, then all additions."""
    env = {"GIT_INDEX_FILE": str(made.folder.parent / "edited.index")}
    made.git("read-tree", made.tree, env=env)
    gone = [path for path, put in edits.items() if put is None]
    if gone:
        argv = ("rm", "-r", "-q", "--cached", "--ignore-unmatch", "--")
        made.git("--literal-pathspecs", *argv, *gone, env=env)
    for path, put in edits.items():
        if put:
            id_ = made.git("hash-object", "-w", "--stdin", given=put.data or b"")
            row = f"{put.mode},{id_},{path}"
            made.git("update-index", "--add", "--replace", "--cacheinfo", row, env=env)
    return made.git("write-tree", env=env)


PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
PUTS = st.builds(Put, st.sampled_from((FILE, EXEC, LINK)), st.binary(max_size=3))
EDITS = st.dictionaries(PATHS, st.none() | PUTS, max_size=6)


def is_possible(edits: Mapping[str, Put | None]) -> bool:
    put = [path for path, one in edits.items() if one]
    return not any(path.startswith(f"{other}/") for path in put for other in put)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS.filter(is_possible))
def test_an_edited_tree_is_what_git_makes_of_the_same_edits(
    made: Repo, edits: dict[str, Put | None]
):
    """Files and folders take each other's place, and empty folders vanish."""
    assert edited(made.repo, made.tree, edits) == plain_git(made, edits)


def test_what_is_written_can_be_read_and_the_repository_is_not_touched(made: Repo):
    """New objects lie in our own store alone."""
    own = sorted((made.folder / ".git" / "objects").rglob("*"))
    tree = edited(made.repo, made.tree, {"new/deep/file": Put(EXEC, b"never seen before")})
    assert sorted((made.folder / ".git" / "objects").rglob("*")) == own
    found = {entry.path: entry.mode for entry in listing(made.repo, tree)}
    assert found["new/deep/file"] == EXEC
    assert set(found) - {"new/deep/file"} == {one.path for one in listing(made.repo, made.tree)}


def test_a_file_may_be_put_by_the_name_of_its_content(made: Repo):
    """As one that is there already."""
    id_ = made.git("rev-parse", "HEAD:b")
    tree = edited(made.repo, made.tree, {"copy": Put(FILE, id=id_)})
    assert next(e.id for e in listing(made.repo, tree) if e.path == "copy") == id_


def test_a_tree_that_would_not_differ_is_the_same_tree(made: Repo):
    """Also one written by a git of long ago, whose modes are no longer used."""
    same = {"b": Put(FILE, b"5\n"), "nothing/here": None, "b/below": None}
    assert edited(made.repo, made.tree, same) == made.tree
    old = made.tree_of(("100664", b"f", made.git("rev-parse", "HEAD:b")))
    assert edited(made.repo, old, {"f": Put(FILE, b"5\n")}) == old


def test_a_tree_whose_files_are_all_removed_is_the_empty_tree(made: Repo):
    """And not an error."""
    tree = edited(
        made.repo, made.tree, {entry.path: None for entry in listing(made.repo, made.tree)}
    )
    assert listing(made.repo, tree) == ()


@pytest.mark.parametrize("path", ["../up", ".git/config", "a//b", "/abs", "a/.GIT/x", ""])
def test_a_path_that_escapes_is_refused(made: Repo, path: str):
    """Put or removed."""
    for edit in (None, Put(FILE, b"")):
        with pytest.raises(CouldNotVerify):
            edited(made.repo, made.tree, {path: edit})


def test_a_file_below_a_file_is_refused(made: Repo):
    """One of the two could not be written."""
    with pytest.raises(CouldNotVerify, match="below a file"):
        edited(made.repo, made.tree, {"n/x": Put(FILE, b""), "n": Put(FILE, b"")})


def test_a_torn_object_in_our_store_is_mended_by_writing_it_again(made: Repo):
    """A machine that stopped half way does not spoil every later edit."""
    tree = edited(made.repo, made.tree, {"b": Put(FILE, b"torn")})
    path = store(made.repo) / tree[:2] / tree[2:]
    path.chmod(0o644)
    path.write_bytes(b"")
    assert edited(made.repo, made.tree, {"b": Put(FILE, b"torn")}) == tree
    assert listing(made.repo, tree)


def test_names_by_sha256_are_kept(tmp_path: Path):
    """A repository has one kind of name."""
    made = Repo(tmp_path / "repo", "--object-format=sha256")
    made.commit(a="1\n")
    edits = {"b/c": Put(FILE, b"2\n")}
    assert edited(made.repo, made.tree, edits) == plain_git(made, edits)


def test_one_edit_in_a_large_tree_takes_milliseconds(tmp_path: Path):
    """Five thousand files, and only the folders above one of them are read and written."""
    made = Repo(tmp_path / "repo")
    id_ = made.git("hash-object", "-w", "--stdin", given=b"x")
    lines = "".join(f"100644 {id_} 0\tf{n % 50}/g{n % 7}/{n}\n" for n in range(5000))
    made.git("update-index", "--add", "--index-info", given=lines.encode())
    tree = made.git("write-tree")
    before = set(store(made.repo).rglob("*/*"))
    took: list[float] = []
    for n in range(9):
        start = time.process_time()
        edited(made.repo, tree, {"f3/g2/new": Put(FILE, b"%d" % n)})
        took.append(time.process_time() - start)
    written = {path for path in store(made.repo).rglob("*/*") if path.parent.name != "info"}
    assert len(written - before) == 9 * len(("file", "g2", "f3", "root"))
    assert min(took) < 0.015, took
