"""A checkout holds exactly its tree, as stored, however it came there, and nothing leaves it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify, UsageError
from forsooth.git import record
from forsooth.git.checkout import checkout, clean
from forsooth.git.dress import dress
from forsooth.git.edit import Put, edited
from forsooth.git.folder import opened
from forsooth.git.lend import lend
from forsooth.git.objects import blob, blobs, tree_of
from forsooth.git.snapshot import snapshot
from forsooth.git.trees import listing
from tests.git.repos import Repo, held, pointer


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.write("run.sh", "#!/bin/sh\n", mode=0o755)
    (made.folder / "link").symlink_to("/nowhere")
    made.commit(a="a\n", src__b="b\n", src__deep__c="c\n", same="same\n")
    return made


def stored(made: Repo, tree: str) -> dict[str, tuple[str, bytes]]:
    """A tree as it should lie on disk, read from its objects."""
    listed = [entry for entry in listing(made.repo, tree) if entry.kind != "submodule"]
    data = blobs(made.repo, (entry.id for entry in listed))
    kinds = {"100644": "file", "100755": "program", "120000": "link"}
    return {entry.path: (kinds[entry.mode], data[entry.id]) for entry in listed}


def second(made: Repo) -> tuple[str, str]:
    """Two trees that differ in every way a tree can."""
    before = made.tree
    made.write("a", "changed\n")
    (made.folder / "run.sh").chmod(0o644)
    (made.folder / "link").unlink()
    made.write("link", "a file now\n")
    (made.folder / "src" / "b").unlink()
    made.write("src/b/inner", "a folder now\n")
    shutil.rmtree(made.folder / "src" / "deep")
    made.write("src/deep", "a file now\n")
    made.commit("second")
    return before, made.tree


def test_a_copy_holds_the_tree_as_stored(made: Repo, tmp_path):
    """No line ending, encoding or keyword is converted."""
    made.write(
        ".gitattributes", "*.txt text eol=crlf\n*.id ident\n*.u working-tree-encoding=UTF-16\n"
    )
    made.commit("attributes", **{"x.txt": "one\ntwo\n", "y.id": "$Id$\n"})
    checkout(made.repo, made.tree, tmp_path / "copy")
    assert held(tmp_path / "copy") == stored(made, made.tree)
    assert held(tmp_path / "copy")["x.txt"] == ("file", b"one\ntwo\n")


def test_a_kept_copy_is_moved_to_another_tree_and_back(made: Repo, tmp_path):
    """Files become folders, links become files, and what is unchanged is not written again."""
    before, after = second(made)
    copy = tmp_path / "copy"
    checkout(made.repo, before, copy)
    kept = (copy / "same").stat()
    for was, now in ((before, after), (after, before), (before, before)):
        checkout(made.repo, now, copy, before=was)
        assert held(copy) == stored(made, now)
    after_all = (copy / "same").stat()
    assert (after_all.st_ino, after_all.st_ctime_ns) == (kept.st_ino, kept.st_ctime_ns)


def test_a_copy_left_half_way_or_at_another_tree_is_made_anew(made: Repo, tmp_path):
    """Only a record that says so makes a copy whole."""
    before, after = second(made)
    copy = tmp_path / "copy"
    checkout(made.repo, before, copy)
    for broken in ("{", "[9, 1, 1, 1, {}, {}]", "[]", "null"):
        record.beside(copy).write_text(broken)
        (copy / "leftover").write_text("x")
        checkout(made.repo, after, copy, before=before)
        assert held(copy) == stored(made, after)
        checkout(made.repo, before, copy, before=before)
        assert held(copy) == stored(made, before)


def test_a_folder_with_something_in_it_is_not_ours_to_empty(made: Repo, tmp_path):
    """A wrong path must not cost anybody their files."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    with pytest.raises(UsageError):
        checkout(made.repo, made.tree, tmp_path / "full")
    (tmp_path / "link").symlink_to(tmp_path / "full")
    with pytest.raises(CouldNotVerify):
        checkout(made.repo, made.tree, tmp_path / "link", before=made.tree)
    assert (tmp_path / "full" / "mine").read_text() == "mine"


def test_a_run_in_a_copy_leaves_nothing_behind(made: Repo, tmp_path):
    """Leftovers go, edits are undone, whatever a run did to hide or to lock them."""
    copy = tmp_path / "copy"
    checkout(made.repo, made.tree, copy)
    clean(made.repo, copy)
    seen = (copy / "a").stat()
    (copy / "a").write_text("A\n")
    os.utime(copy / "a", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    (copy / "run.sh").unlink()
    (copy / "src" / "__pycache__").mkdir()
    (copy / "src" / "__pycache__" / "b.pyc").write_text("x")
    shutil.rmtree(copy / "src" / "deep")
    (copy / "src" / "deep").write_text("in the way")
    (copy / "link").unlink()
    (copy / "link").mkdir()
    (copy / ".git").mkdir()
    (copy / "shut").mkdir()
    (copy / "shut" / "x").write_text("x")
    (copy / "shut").chmod(0)
    (copy / "src").chmod(0o500)
    copy.chmod(0o500)
    assert clean(made.repo, copy)
    assert held(copy) == stored(made, made.tree)
    assert not (copy / "shut").exists()
    assert not (copy / ".git").exists()
    record.forget(copy)
    assert not clean(made.repo, copy)


def test_many_moves_keep_one_short_log(made: Repo, tmp_path, monkeypatch):
    """The log is written anew now and then, and says the same."""
    monkeypatch.setattr(record, "_MOVES", 3)
    before, after = second(made)
    copy, sizes = tmp_path / "copy", list[int]()
    checkout(made.repo, before, copy)
    for _ in range(9):
        checkout(made.repo, after, copy, before=before)
        before, after = after, before
        sizes.append((tmp_path / "copy.files").stat().st_size)
    assert max(sizes[3:]) < 2 * max(sizes[:3])
    (copy / "a").write_text("spoilt")
    assert clean(made.repo, copy)
    assert held(copy) == stored(made, before)


@pytest.mark.parametrize(
    "name",
    [
        *(b"..", b".", b".git", b".GIT", b".gIt", b"git~1", b"GIT~2", b".git ", b".git."),
        *(b".git::$INDEX_ALLOCATION", ".g\u200cit".encode(), "\uff0egit".encode(), b"a\\.git", b""),
    ],
)
def test_a_path_that_would_escape_is_refused(made: Repo, tmp_path, name):
    """Out of the copy, or into a git dir in any disguise a file system knows."""
    id_ = made.object("blob", b"evil")
    tree = made.tree_of(("100644", name, id_))
    for whole in (tree, made.tree_of(("40000", b"sub", tree))):
        with pytest.raises(CouldNotVerify) as error:
            checkout(made.repo, whole, tmp_path / "copy")
        assert error.value.code == "unsafe-path"
        assert not held(tmp_path / "copy")
    inner = made.tree_of(("40000", name, made.tree))
    with pytest.raises(CouldNotVerify):
        checkout(made.repo, inner, tmp_path / "copy")


def test_a_tree_that_names_one_thing_twice_is_refused(made: Repo, tmp_path):
    """First as a link, then as a folder to write through it."""
    inner = made.tree_of(("100644", b"x", made.object("blob", b"evil")))
    link = made.object("blob", os.fsencode(tmp_path / "outside"))
    tree = made.tree_of(("120000", b"a", link), ("40000", b"a", inner))
    (tmp_path / "outside").mkdir()
    with pytest.raises(CouldNotVerify):
        checkout(made.repo, tree, tmp_path / "copy")
    assert not held(tmp_path / "outside")


def test_nothing_is_written_or_removed_through_a_link_that_lies_in_the_copy(made: Repo, tmp_path):
    """A run may have left one in the place of a folder."""
    before, after = second(made)
    copy, outside = tmp_path / "copy", tmp_path / "outside"
    checkout(made.repo, before, copy)
    shutil.move(copy / "src", outside)
    (copy / "src").symlink_to(outside)
    theirs = held(outside)
    checkout(made.repo, after, copy, before=before)
    assert held(outside) == theirs
    assert held(copy / "src")["b/inner"] == ("file", b"a folder now\n")
    with opened(copy) as folder, pytest.raises(CouldNotVerify):
        folder.remove("../outside")


def test_an_object_that_is_not_what_its_name_says_is_never_believed(made: Repo, tmp_path):
    """Git itself shows whatever lies under the name."""
    good, evil = (made.object("blob", data) for data in (b"a\n", b"evil\n"))
    made.loose(good).chmod(0o644)
    made.loose(good).write_bytes(made.loose(evil).read_bytes())
    assert made.git("cat-file", "blob", good) == "evil"
    for look in (
        lambda: blob(made.repo, good),
        lambda: checkout(made.repo, made.tree, tmp_path / "c"),
    ):
        with pytest.raises(CouldNotVerify) as error:
            look()
        assert error.value.code == "forged-object"


@pytest.fixture
def outer(made: Repo, tmp_path: Path) -> Repo:
    """A repository with a submodule that has one of its own."""
    inner = Repo(tmp_path / "inner")
    inner.commit(deep="deep\n")
    made.git("submodule", "add", "-q", str(inner.folder), "lib/in")
    made.commit("submodule in the library")
    outer = Repo(tmp_path / "outer")
    outer.commit(top="top\n")
    outer.git("submodule", "add", "-q", str(made.folder), "mod")
    outer.git("submodule", "update", "-q", "--init", "--recursive")
    outer.commit("submodule")
    return outer


def test_submodules_are_copied_from_their_own_objects(outer: Repo, tmp_path):
    """As deep as they go, moved with the tree, and taken out with it."""
    copy, first = tmp_path / "copy", outer.tree
    checkout(outer.repo, first, copy)
    found = held(copy)
    assert found["mod/lib/in/deep"] == ("file", b"deep\n")
    assert found["mod/run.sh"] == ("program", b"#!/bin/sh\n")
    module = Repo(outer.folder / "mod")
    module.commit("in the submodule", new="new\n")
    taken = snapshot(outer.repo)
    assert taken.dirty == ("mod",)
    checkout(outer.repo, taken.tree, copy, before=first)
    assert held(copy) == {**found, "mod/new": ("file", b"new\n")}
    (copy / "mod" / "lib" / "in" / "deep").write_text("spoilt")
    shutil.rmtree(copy / "mod" / "src")
    assert clean(outer.repo, copy)
    assert held(copy) == {**found, "mod/new": ("file", b"new\n")}
    outer.git("rm", "-q", "-f", "mod")
    outer.write("mod", "a file now\n")
    outer.commit("gone")
    checkout(outer.repo, outer.tree, copy, before=taken.tree)
    assert held(copy) == stored(outer, outer.tree)
    checkout(outer.repo, first, copy, before=outer.tree)
    assert held(copy) == found


def test_work_that_is_not_committed_in_a_submodule_is_listed(outer: Repo):
    """A tree can only name a commit of it."""
    outer.write("mod/a", "changed\n")
    outer.write("mod/lib/in/new")
    taken = snapshot(outer.repo)
    assert taken.tree == outer.tree
    assert taken.untracked == ("mod/a", "mod/lib/in/new")
    shutil.rmtree(outer.folder / "mod")
    assert snapshot(outer.repo).dirty == ("mod",)


def test_a_submodule_nobody_initialised_is_an_empty_folder_until_somebody_does(outer, tmp_path):
    """The kept copy follows, though no tree changed."""
    outer.git("clone", "-q", str(outer.folder), str(tmp_path / "clone"))
    clone, copy = Repo(tmp_path / "clone"), tmp_path / "copy"
    assert snapshot(clone.repo).tree == clone.tree
    checkout(clone.repo, clone.tree, copy)
    assert list((copy / "mod").iterdir()) == []
    (copy / "mod").rmdir()
    assert clean(clone.repo, copy)
    assert (copy / "mod").is_dir()
    clone.git("submodule", "update", "-q", "--init")
    checkout(clone.repo, clone.tree, copy, before=clone.tree)
    assert held(copy)["mod/a"] == ("file", b"a\n")
    shutil.rmtree(clone.folder / "mod")
    checkout(clone.repo, clone.tree, tmp_path / "again")
    assert held(tmp_path / "again")["mod/a"] == ("file", b"a\n")


def test_a_submodule_without_the_commit_is_an_error_that_names_the_command(outer, tmp_path):
    """The tree above names a commit that nobody fetched."""
    tree = outer.tree_of(("160000", b"mod", "1" * 40))
    with pytest.raises(CouldNotVerify) as error:
        checkout(outer.repo, tree, tmp_path / "copy")
    assert error.value.code == "missing-objects"
    assert error.value.hint == "git submodule update --init mod"


def test_large_files_are_put_in_the_place_of_their_pointers(made: Repo, tmp_path):
    """Where the tree's attributes say so, and again when those change."""
    made.write("data/x.bin", made.large(b"large content"))
    made.write("fixture.txt", pointer(b"nobody has this"))
    made.commit("no attributes")
    plain = made.tree
    made.write("data/.gitattributes", "*.bin filter=lfs -text\n")
    made.commit("attributes")
    copy = tmp_path / "copy"
    checkout(made.repo, made.tree, copy)
    assert held(copy)["data/x.bin"] == ("file", b"large content")
    assert held(copy)["fixture.txt"] == ("file", pointer(b"nobody has this").encode())
    (copy / "data" / "x.bin").write_text("spoilt")
    assert clean(made.repo, copy)
    assert held(copy)["data/x.bin"] == ("file", b"large content")
    checkout(made.repo, plain, copy, before=made.tree)
    assert held(copy) == stored(made, plain)
    checkout(made.repo, made.tree, copy, before=plain)
    assert held(copy)["data/x.bin"] == ("file", b"large content")


@pytest.mark.parametrize("content", [None, b"something else"])
def test_a_large_file_that_is_not_here_is_an_error_that_names_the_fetch(made, tmp_path, content):
    """Missing, or not what its digest says."""
    made.write(".gitattributes", "*.bin filter=lfs\n")
    made.commit("attributes", **{"x.bin": made.large(b"large content")})
    (found,) = (path for path in (made.folder / ".git" / "lfs").rglob("*") if path.is_file())
    found.unlink()
    if content:
        found.write_bytes(content)
    with pytest.raises(CouldNotVerify) as error:
        checkout(made.repo, made.tree, tmp_path / "copy")
    assert (error.value.code, error.value.hint) == ("missing-lfs", "git lfs fetch")
    assert "x.bin" in error.value.message


def asked(copy: Path, *argv: str) -> str:
    done = subprocess.run(
        ["git", *argv],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def dressed(copy: Path, made: Repo, commit: str, *, mount: str = "") -> Path:
    """Dress a copy at a commit; the folder of the pack that was made for it."""
    lent = Path(tempfile.mkdtemp(dir=copy.parent))
    lend(made.repo, commit, lent)
    dress(copy, made.repo, commit, lent=lent, mount=mount)
    return lent


@pytest.mark.parametrize("argv", [[], ["--object-format=sha256"]])
def test_a_dressed_copy_answers_git_as_the_repository_would(tmp_path, argv):
    """Version from tags, clean status, history, its branch; no other, no hook, no configuration."""
    made = Repo(tmp_path / "repo", *argv)
    made.write(".gitattributes", "*.bin filter=lfs\n*.bat text eol=crlf\n")
    made.write("n\u00e4me", "x", mode=0o755)
    made.write("long/" + "n" * 200 + "/" + "m" * 200)
    made.commit("first", **{"x.bin": made.large(b"large"), "y.bat": "one\n", "src__b": "b"})
    made.git("tag", "-a", "v1.2", "-m", "one two")
    made.git("pack-refs", "--all")
    commit = made.commit("second", a="a\n")
    made.git("tag", "light/tag", "HEAD~1")
    made.git("tag", "main", "HEAD~1")
    made.git("branch", "other", "HEAD~1")
    copy = tmp_path / "copy"
    checkout(made.repo, made.tree, copy)
    dressed(copy, made, commit)
    wanted = made.git("describe", "--tags", "--dirty", "--long", "--match", "v*")
    assert asked(copy, "describe", "--tags", "--dirty", "--long", "--match", "v*") == wanted
    assert asked(copy, "status", "--porcelain") == ""
    assert asked(copy, "rev-parse", "HEAD") == commit
    assert asked(copy, "tag").split() == ["light/tag", "v1.2"]
    assert asked(copy, "branch", "--format=%(refname)") == "refs/heads/main"
    assert asked(copy, "rev-parse", "main") == commit
    dressed(copy, made, made.git("rev-parse", "HEAD~1"))
    assert asked(copy, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    dressed(copy, made, commit)
    (copy / "a").write_text("edited\n")
    assert asked(copy, "status", "--porcelain") == "M a"
    clean(made.repo, copy)
    (copy / ".git").write_text("gitdir: elsewhere\n")
    dressed(copy, made, commit)
    assert asked(copy, "status", "--porcelain") == ""


def test_a_dressed_copy_of_a_snapshot_is_as_dirty_as_the_work_tree(outer: Repo, tmp_path):
    """Submodules are no change, the edit is."""
    outer.write("top", "edited\n")
    copy, taken = tmp_path / "copy", snapshot(outer.repo)
    checkout(outer.repo, taken.tree, copy)
    dressed(copy, outer, taken.commit or "")
    assert asked(copy, "status", "--porcelain") == "M  top"


def test_only_a_commits_own_history_is_lent(made: Repo, tmp_path):
    """No other branch, no tag of one, no stash and no object that nothing names; T's own files."""
    secret = made.git("hash-object", "-w", "--stdin", given=b"a secret")
    made.git("branch", "before")
    made.git("checkout", "-q", "-b", "other")
    other = made.commit("elsewhere", hidden="hidden\n")
    made.git("tag", "-a", "v9", "-m", "not yet")
    made.git("tag", "blob", secret)
    made.git("checkout", "-q", "main")
    commit = made.commit("second", a="2\n")
    made.git("tag", "-a", "v1", "-m", "one")
    made.git("tag", "-a", "nested", "-m", "of a tag", "v1")
    judged = edited(made.repo, made.tree, {"d/new": Put("100644", b"judged\n"), "a": None})
    copy = tmp_path / "copy"
    checkout(made.repo, judged, copy)
    dressed(copy, made, commit)
    every = "--batch-check=%(objecttype)", "--batch-all-objects"
    kinds = Counter(asked(copy, "cat-file", *every).split())
    files = len(made.git("ls-files").split())
    assert kinds == {"commit": 2, "tag": 1, "tree": 5, "blob": files + 1}
    assert asked(copy, "tag").split() == ["v1"]
    assert asked(copy, "describe") == "v1"
    assert asked(copy, "show", "HEAD:a") == "2"
    assert asked(copy, "diff", "--cached", "--name-status") == "D\ta\nA\td/new"
    assert "judged" in asked(copy, "diff", "--cached")
    for hidden in (secret, other):
        with pytest.raises(AssertionError, match="could not get object info"):
            asked(copy, "cat-file", "-t", hidden)


def test_a_store_named_in_alternates_is_not_lent(made: Repo, tmp_path):
    """Whatever folder a repository's alternates name, only the pack is handed on."""
    keys = tmp_path / "home/.ssh"
    keys.mkdir(parents=True)
    (made.folder / ".git/objects/info").mkdir(exist_ok=True)
    (made.folder / ".git/objects/info/alternates").write_text(f"{keys}\n")
    copy = tmp_path / "copy"
    checkout(made.repo, made.tree, copy)
    lent = dressed(copy, made, made.git("rev-parse", "HEAD"), mount="/run/objects")
    assert (copy / ".git/objects/info/alternates").read_text() == "/run/objects\n"
    found = [path for path in lent.rglob("*") if not path.is_dir()]
    assert {path.name.rpartition(".")[2] for path in found} >= {"pack", "idx"}
    assert not any(path.is_symlink() for path in found)


def test_a_history_with_a_hole_is_lent_as_far_as_the_commit(made: Repo, tmp_path):
    """A clone that lacks an older commit can still say which one it is at."""
    gone = made.git("rev-parse", "HEAD")
    commit = made.commit("second", a="2\n")
    made.git("tag", "v1")
    (made.folder / ".git/objects" / gone[:2] / gone[2:]).unlink()
    copy = tmp_path / "copy"
    checkout(made.repo, made.tree, copy)
    dressed(copy, made, commit)
    assert asked(copy, "log", "--format=%s") == "second"
    assert asked(copy, "describe", "--tags") == "v1"


def test_objects_may_be_lent_at_another_place(made: Repo, tmp_path):
    """Where the sandbox will mount them."""
    copy = tmp_path / "copy"
    checkout(made.repo, made.tree, copy)
    lent = dressed(copy, made, made.git("rev-parse", "HEAD"), mount=str(tmp_path / "there"))
    lent.rename(tmp_path / "there")
    assert asked(copy, "log", "--format=%s") == "work"


def test_a_copy_of_a_shallow_clone_is_dressed_as_shallow(made: Repo, tmp_path):
    """Its history ends where the clone's does, without an error."""
    made.commit("second", a="2")
    made.git("clone", "-q", "--depth=1", f"file://{made.folder}", str(tmp_path / "clone"))
    clone, copy = Repo(tmp_path / "clone"), tmp_path / "copy"
    checkout(clone.repo, clone.tree, copy)
    dressed(copy, clone, clone.git("rev-parse", "HEAD"))
    assert asked(copy, "log", "--format=%s") == "second"
    record.forget(copy)
    with pytest.raises(CouldNotVerify):
        dressed(copy, clone, clone.git("rev-parse", "HEAD"))
    assert tree_of(clone.repo, clone.git("rev-parse", "HEAD")) == clone.tree
