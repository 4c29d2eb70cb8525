"""A name means one commit, and a name that could mean two means none."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git.names import resolve
from forsooth.git.reader import digest
from forsooth.git.references import branch, head, reference, tags
from tests.git.repos import Repo


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    """Two branches and their merge, tags of both kinds, and a remote."""
    made = Repo(tmp_path / "repo")
    made.commit("one", when=1000, a="1")
    made.git("checkout", "-qb", "side/track")
    made.commit("two", when=2000, b="2")
    made.git("checkout", "-q", "main")
    made.commit("three", when=3000, c="3")
    made.git("merge", "-q", "--no-ff", "-m", "four", "side/track")
    made.git("tag", "light")
    made.git("tag", "-a", "heavy", "-m", "heavy", "HEAD~1")
    made.git("tag", "-a", "twice", "-m", "twice", "heavy")
    made.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    made.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    made.git("update-ref", "ORIG_HEAD", "HEAD^2")
    made.git("branch", "DEV", "HEAD~1")
    return made


NAMES = [
    *("HEAD", "@", "main", "heads/main", "refs/heads/main", "side/track", "light", "heavy"),
    *("tags/heavy", "twice", "origin/main", "origin", "remotes/origin/main", "ORIG_HEAD"),
    *("HEAD~1", "HEAD~", "HEAD^", "HEAD^2", "HEAD~2", "main^2~1", "HEAD^0", "heavy^{}"),
    *("heavy^{commit}", "@~1", "HEAD^^", "DEV"),
]


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_means_what_git_says_it_means(made: Repo, name, is_packed):
    """Loose or packed, with steps back along parents."""
    if is_packed:
        made.git("pack-refs", "--all")
    assert resolve(made.repo, name) == made.git("rev-parse", f"{name}^{{commit}}")


def test_ids_may_be_short_as_long_as_they_are_clear(made: Repo):
    """Of several objects only commits and tags are meant."""
    full = made.git("rev-parse", "HEAD")
    for size in (40, 12, 7):
        assert resolve(made.repo, full[:size]) == full
    assert resolve(made.repo, full[:10].upper()) == full


def test_a_short_id_of_two_commits_is_refused(made: Repo):
    """Four digits soon begin more than one."""
    seen: dict[str, str] = {}
    tree = made.tree
    for number in range(2000):
        data = f"tree {tree}\nauthor A <a> {number} +0000\ncommitter A <a> {number} +0000\n\nx\n"
        id_ = digest("commit", data.encode(), like=tree)
        if id_[:4] in seen:
            for text in (data, seen[id_[:4]]):
                made.object("commit", text.encode())
            with pytest.raises(CouldNotVerify) as error:
                resolve(made.repo, id_[:4])
            assert error.value.code == "ambiguous"
            return
        seen[id_[:4]] = data
    pytest.fail("no two ids began alike")


@pytest.mark.parametrize(
    "name",
    [
        *("nothing", "HEAD~9", "HEAD^3", "", "HEAD@{1}", "@{u}", "a b", "../main", "--all"),
        *("refs/heads/../main", "HEAD:a", ":/one", "main^{tree}", "12345678", "NOTHING_HEAD"),
    ],
)
def test_a_name_that_means_no_commit_is_an_error(made: Repo, name):
    """And says what might bring it here."""
    with pytest.raises(CouldNotVerify) as error:
        resolve(made.repo, name)
    assert error.value.code == "unknown-revision"


def test_what_is_not_a_commit_is_an_error(made: Repo):
    """A tree, a blob, a tag of a tree, and an id that is not there."""
    made.git("tag", "-a", "of-tree", "-m", "x", "HEAD^{tree}")
    for name in (made.tree, "of-tree"):
        with pytest.raises(CouldNotVerify) as error:
            resolve(made.repo, name)
        assert error.value.code == "not-a-commit"
    with pytest.raises(CouldNotVerify) as error:
        resolve(made.repo, "1" * 40)
    assert error.value.code == "missing-objects"


def test_a_name_of_two_things_is_refused(made: Repo):
    """Whoever can add a tag could otherwise choose what a branch's name means."""
    made.git("tag", "main", "HEAD~1")
    with pytest.raises(CouldNotVerify) as error:
        resolve(made.repo, "main")
    assert error.value.code == "ambiguous"
    assert "refs/heads/main" in error.value.message
    assert resolve(made.repo, "refs/heads/main") == made.git("rev-parse", "HEAD")
    made.git("tag", "-f", "main", "HEAD")
    assert resolve(made.repo, "main") == made.git("rev-parse", "HEAD")


def test_files_that_git_never_made_are_no_references(made: Repo, tmp_path):
    """A file beside HEAD, a branch in a linked work tree's own dir, a link out of refs."""
    first = made.git("rev-parse", "HEAD~1")
    made.write(".git/planted", f"{first}\n")
    with pytest.raises(CouldNotVerify):
        resolve(made.repo, "planted")
    made.git("worktree", "add", "-q", "--detach", str(tmp_path / "second"))
    second = Repo(tmp_path / "second")
    made.write(".git/worktrees/second/refs/heads/main", f"{first}\n")
    assert resolve(second.repo, "main") == made.git("rev-parse", "main")
    made.write(".git/worktrees/second/refs/worktree/own", f"{first}\n")
    assert reference(second.repo, "refs/worktree/own") == first
    made.write(".git/refs/heads/bad", "not an id\n")
    with pytest.raises(CouldNotVerify) as error:
        resolve(made.repo, "bad")
    assert error.value.code == "bad-ref"


def test_head_is_read_as_branch_and_commit(made: Repo):
    """Detached it is on no branch; before the first commit it is at none."""
    assert branch(made.repo) == "refs/heads/main"
    made.git("checkout", "-q", "--detach")
    assert branch(made.repo) == ""
    made.git("checkout", "-q", "--orphan", "fresh")
    assert head(made.repo) is None
    with pytest.raises(CouldNotVerify) as error:
        resolve(made.repo, "HEAD")
    assert error.value.code == "unborn"


def test_tags_are_listed_loose_over_packed(made: Repo):
    """Names that git would not accept, and links to folders, are passed over."""
    made.git("pack-refs", "--all")
    made.git("tag", "-f", "light", "HEAD~1")
    rows = [line.split() for line in made.git("show-ref", "--tags").splitlines()]
    made.write(".git/refs/tags/odd name", made.git("rev-parse", "HEAD") + "\n")
    made.write(".git/refs/tags/empty", "")
    (made.folder / ".git" / "refs" / "tags" / "loop").symlink_to("..")
    assert tags(made.repo) == {name: id_ for id_, name in rows}


def test_a_reftable_is_an_error_with_a_way_out(made: Repo):
    """References that nobody read are not absent."""
    (made.folder / ".git" / "reftable").mkdir()
    for look in (lambda: resolve(made.repo, "main"), lambda: tags(made.repo)):
        with pytest.raises(CouldNotVerify) as error:
            look()
        assert error.value.code == "reftable"
        assert error.value.hint
