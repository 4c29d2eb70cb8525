"""Listings and differences are what git finds; objects are found wherever they are lent from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git import reader, run
from forsooth.git.checkout import checkout
from forsooth.git.objects import base, blob, blobs, file_at
from forsooth.git.reader import reading
from forsooth.git.repository import locate
from forsooth.git.snapshot import snapshot
from forsooth.git.stores import stores
from forsooth.git.trees import changes, listing, listing_digest
from tests.git.repos import Repo


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.write("run.sh", "#!/bin/sh\n", mode=0o755)
    (made.folder / "link").symlink_to("a")
    made.write(os.fsdecode(b"odd \xff\nname"))
    made.commit(a="a\n", src__b="b\n", src__deep__c="c\n", **{"src.x": "x\n"})
    return made


def rows(text: str) -> list[str]:
    return text.strip("\0").split("\0")


def test_a_listing_is_what_git_lists(made: Repo):
    """Files, programs, links and submodules, in the order of their bytes."""
    sub = made.tree_of(("160000", b"module", "1" * 40), ("40000", b"rest", made.tree))
    for tree in (made.tree, sub):
        wanted = rows(made.git("ls-tree", "-r", "-z", tree))
        found = listing(made.repo, tree)
        kinds = {"file": "blob", "link": "blob", "submodule": "commit"}
        assert [f"{e.mode} {kinds[e.kind]} {e.id}\t{e.path}" for e in found] == wanted


def test_one_digest_stands_for_a_listing_in_any_order(made: Repo):
    """And for no other."""
    found = listing(made.repo, made.tree)
    assert listing_digest(found) == listing_digest(reversed(found))
    assert listing_digest(found) != listing_digest(found[1:])
    assert listing_digest(found) != listing_digest([found[0]._replace(mode="1"), *found[1:]])


def test_changes_are_what_git_finds(made: Repo):
    """Added, modified, deleted, other type, file to folder and back."""
    before = made.tree
    made.write("a", "changed\n")
    (made.folder / "run.sh").chmod(0o644)
    (made.folder / "link").unlink()
    made.write("link", "a file now\n")
    (made.folder / "src" / "b").unlink()
    made.write("src/b/inner")
    made.write("new")
    made.commit("second")
    for one, other in ((before, made.tree), (made.tree, before)):
        argv = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", one, other]
        fields = rows(made.git(*argv))
        found = [
            f":{c.old_mode} {c.new_mode} {c.old_id or '0' * 40} {c.new_id or '0' * 40} {c.status}"
            for c in changes(made.repo, one, other)
        ]
        assert sorted(
            zip(found, (c.path for c in changes(made.repo, one, other)), strict=True)
        ) == sorted(zip(fields[0::2], fields[1::2], strict=True))
    assert changes(made.repo, before, before) == ()
    assert len(changes(made.repo, None, before)) == len(listing(made.repo, before))
    assert {c.status for c in changes(made.repo, before, None)} == {"D"}


def test_a_file_moved_without_an_edit_is_a_rename_on_request(made: Repo):
    """One source for one target; a copy stays an addition."""
    before = made.tree
    (made.folder / "a").rename(made.folder / "moved")
    made.write("copied", "a\n")
    made.commit("moved")
    assert {c.status for c in changes(made.repo, before, made.tree)} == {"A", "D"}
    found = {c.path: c.renamed_from for c in changes(made.repo, before, made.tree, renames=True)}
    assert found == {"copied": "a", "moved": ""}


@pytest.mark.parametrize("data", [b"100644 x", b"100644 x\0short", b"999 x\0" + b"1" * 20, b"\xff"])
def test_a_tree_that_cannot_be_read_is_an_error(made: Repo, data):
    """It may have been made by hand."""
    with pytest.raises(CouldNotVerify):
        listing(made.repo, made.object("tree", data))


def test_blobs_are_read_by_name_and_nothing_else_is(made: Repo):
    """An id that is no id never reaches git."""
    ids = {entry.id for entry in listing(made.repo, made.tree)}
    assert blobs(made.repo, ids).keys() == ids
    for wrong in ("HEAD", "a\nb", "1" * 39):
        with pytest.raises(CouldNotVerify, match="not the name of an object"):
            blob(made.repo, wrong)
    with pytest.raises(CouldNotVerify, match="is a tree, not a blob"):
        blob(made.repo, made.tree)
    with pytest.raises(CouldNotVerify) as error:
        blob(made.repo, "1" * 40)
    assert (error.value.code, error.value.hint) == ("missing-objects", "git fsck --full")
    assert file_at(made.repo, made.git("rev-parse", "HEAD"), "a/b") is None


def test_many_large_objects_do_not_block_each_other(made: Repo):
    """More than any pipe holds, in both directions."""
    ids = [made.object("blob", bytes([n % 7]) * 200_000 + b"%d" % n) for n in range(60)]
    assert [len(data) for data in blobs(made.repo, ids).values()][:2] == [200_001, 200_001]


def test_an_object_that_hangs_is_given_up(made: Repo, monkeypatch):
    """A pipe in the place of a file keeps git waiting, and not us."""
    monkeypatch.setattr(run, "SECONDS", 0.2)
    id_ = made.git("rev-parse", "HEAD")
    made.loose(id_).unlink()
    os.mkfifo(made.loose(id_))
    with pytest.raises(CouldNotVerify, match="did not answer"):
        base(made.repo)
    made.loose(id_).unlink()
    made.write(".git/HEAD", "ref: refs/heads/fresh\n")
    os.mkfifo(made.folder / ".gitignore")
    with pytest.raises(CouldNotVerify, match="did not answer"):
        snapshot(made.repo)


def test_a_git_that_dies_is_an_error(made: Repo):
    """While it is asked, and before it is."""
    with reading(made.repo) as found:
        found._process.kill()
        found._process.wait()
        with pytest.raises(CouldNotVerify, match="cannot read"):
            found.read(made.tree)
    with reading(made.repo) as found:
        found._seen += b"nonsense\n"
        with pytest.raises(CouldNotVerify, match="cannot read"):
            found.read(made.tree)
    assert reader.ID.fullmatch(made.tree)


def test_borrowed_objects_are_found_through_every_lender(made: Repo, tmp_path):
    """A chain of shared clones, by relative paths, quoted ones and odd names."""
    odd = tmp_path / 'odd "name\n\u00e4'
    odd.mkdir()
    made.git("clone", "-q", "--shared", str(made.folder), str(odd / "one"))
    one, two = Repo(odd / "one"), Repo(tmp_path / "two")
    alternates = two.folder / ".git" / "objects" / "info" / "alternates"
    quoted = str(one.folder / ".git" / "objects").replace('"', '\\"').replace("\n", "\\n")
    alternates.write_text(f'# lenders\n\n"{quoted}"\n../../../repo/.git/objects\n')
    two.write(".git/HEAD", made.git("rev-parse", "HEAD") + "\n")
    (odd / "one" / ".git" / "objects" / "info" / "alternates").write_text(
        "../../../../repo/.git/objects\n"
    )
    for lent in (one, two):
        assert stores(lent.repo)[-1] == made.folder / ".git" / "objects"
        assert base(lent.repo).tree == made.tree
        lent.write("new")
        taken = snapshot(lent.repo)
        assert "new" in {entry.path for entry in listing(lent.repo, taken.tree)}
        checkout(lent.repo, taken.tree, tmp_path / f"copy-{lent.folder.name}")
    assert stores(two.repo)[0] == two.folder / ".git" / "forsooth" / "objects"


def test_lenders_that_lend_to_each_other_end(made: Repo):
    """A loop is no chain."""
    objects = made.folder / ".git" / "objects"
    (objects / "info" / "alternates").write_text(f"{objects}\n/nowhere/at/all\n")
    assert stores(made.repo) == (objects, Path("/nowhere/at/all"))
    assert base(made.repo).tree == made.tree


def test_a_partial_clone_names_the_fetch_that_completes_it(made: Repo, tmp_path):
    """Blobs it does not have are missing, not empty, and the command named brings them."""
    made.git("config", "uploadpack.allowFilter", "true")
    made.git("config", "uploadpack.allowAnySHA1InWant", "true")
    url = f"file://{made.folder}"
    made.git("clone", "-q", "--no-checkout", "--filter=blob:none", url, str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    assert len(listing(clone.repo, clone.tree)) == 7
    with pytest.raises(CouldNotVerify) as error:
        checkout(clone.repo, clone.tree, tmp_path / "copy")
    assert error.value.code == "missing-objects"
    verb, *argv = error.value.hint.split()
    assert verb == "git"
    clone.git(*argv)
    checkout(clone.repo, clone.tree, tmp_path / "again")


@pytest.mark.parametrize("sha256", [False, True])
def test_both_kinds_of_names_work_through_and_through(tmp_path, sha256):
    """Snapshot, copy, listing and resolution in a repository of longer names."""
    made = Repo(tmp_path / "repo", *(["--object-format=sha256"] if sha256 else []))
    made.commit(a="a\n", b="b\n")
    made.write("a", "changed\n")
    (made.folder / "b").unlink()
    taken = snapshot(locate(made.folder))
    assert taken.tree == made.added()
    assert len(taken.tree) == (64 if sha256 else 40)
    checkout(made.repo, taken.tree, tmp_path / "copy")
    assert (tmp_path / "copy" / "a").read_text() == "changed\n"
