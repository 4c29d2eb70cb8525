"""Ancestry is what the commits say, and an answer that needs more history is no answer."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git.history import commits, is_ancestor, merge_base
from forsooth.git.objects import base
from tests.git.repos import Repo


def graph(made: Repo, seed: int, *, size: int = 10) -> list[str]:
    """A random history with merges, roots and clocks that disagree."""
    dice, made_ids = random.Random(seed), list[str]()
    tree = made.git("mktree")
    for number in range(size):
        parents = dice.sample(made_ids, k=min(len(made_ids), dice.choice([0, 1, 1, 1, 2, 3])))
        when = dice.choice([number, number, dice.randrange(size)]) * 60 + 10_000
        lines = [f"tree {tree}", *(f"parent {id_}" for id_ in parents)]
        lines += [f"{who} A <a@b> {when} +0100" for who in ("author", "committer")]
        made_ids.append(made.object("commit", "\n".join([*lines, "", f"c{number}"]).encode()))
    return made_ids


@pytest.mark.parametrize("seed", range(4))
def test_ancestry_is_what_git_finds_in_any_history(tmp_path: Path, seed):
    """Every pair of a random history, clocks askew, compared with plain git."""
    made = Repo(tmp_path / "repo")
    ids = graph(made, seed)
    above = {id_: set(made.git("rev-list", id_).split()) for id_ in ids}
    for one, other in product(ids, ids):
        assert is_ancestor(made.repo, one, other) == (one in above[other])
    for one, other in random.Random(seed).sample([*product(ids, ids)], k=20):
        shared = above[one] & above[other]
        best = merge_base(made.repo, one, other)
        assert (best is None) == (not shared)
        if best:
            assert best in made.git("merge-base", "--all", one, other).split()
        own = [commit.id for commit in commits(made.repo, one, other)]
        assert set(own) >= above[other] - above[one]
        assert set(own) <= above[other] - {one}
        for place, commit in enumerate(commits(made.repo, one, other)):
            assert not set(commit.parents) & set(own[place:])


def test_commits_say_what_they_say(tmp_path):
    """Oldest first, with tree, parents, message and times; all of them when there is no base."""
    made = Repo(tmp_path / "repo")
    first = made.commit("first\n\nwith a body", when=1000, a="1")
    second = made.commit("zweite \u00e4", when=500, a="2")
    one, two = commits(made.repo, None, second)
    assert (one.id, one.message, one.author_time) == (first, "first\n\nwith a body\n", 1000)
    assert two == (second, made.tree, (first,), "zweite \u00e4\n", 500, 500)
    assert commits(made.repo, first, second) == (two,)
    assert commits(made.repo, second, second) == ()
    assert commits(made.repo, second, first) == ()


def test_what_a_commit_leaves_out_is_empty_and_what_is_none_is_an_error(tmp_path):
    """A commit made by hand may have no author; a tree is no commit."""
    made = Repo(tmp_path / "repo")
    made.commit(a="1")
    bare = made.object("commit", f"tree {made.tree}\n\nbare".encode())
    (found,) = commits(made.repo, None, bare)
    assert (found.message, found.author_time) == ("bare", 0)
    for id_ in (made.tree, made.object("commit", b"nothing")):
        with pytest.raises(CouldNotVerify) as error:
            commits(made.repo, None, id_)
        assert error.value.code == "bad-object"


def test_replacements_grafts_and_a_forged_graph_change_nothing(tmp_path):
    """Each makes plain git tell another history."""
    made = Repo(tmp_path / "repo")
    one, two, three = (made.commit(name, when=1000 + n, a=name) for n, name in enumerate("123"))
    wanted = commits(made.repo, one, three)
    made.git("replace", "--graft", three)
    assert made.git("rev-list", "--count", three) == "1"
    assert commits(made.repo, one, three) == wanted
    made.git("replace", "-d", three)
    made.write(".git/info/grafts", f"{three}\n")
    assert made.git("rev-list", "--count", three) == "1"
    assert commits(made.repo, one, three) == wanted
    assert is_ancestor(made.repo, two, three)
    (made.folder / ".git" / "info" / "grafts").unlink()
    made.write(".git/shallow", f"{three}\n")
    assert made.git("rev-list", "--count", three) == "1"
    assert commits(made.repo, one, three) == wanted


def test_a_forged_commit_is_never_walked_over(tmp_path):
    """Plain git believes whatever lies under the name."""
    made = Repo(tmp_path / "repo")
    one, two = made.commit("one", a="1"), made.commit("two", a="2")
    rootless = made.object("commit", f"tree {made.tree}\n\nforged".encode())
    made.loose(two).chmod(0o644)
    made.loose(two).write_bytes(made.loose(rootless).read_bytes())
    assert made.git("rev-list", "--count", "HEAD") == "1"
    for look in (
        lambda: commits(made.repo, one, two),
        lambda: is_ancestor(made.repo, one, two),
        lambda: base(made.repo),
    ):
        with pytest.raises(CouldNotVerify) as error:
            look()
        assert error.value.code == "forged-object"


def test_a_shallow_clone_answers_what_it_can_and_no_more(tmp_path):
    """Beyond its edge it names the command that brings the rest."""
    made = Repo(tmp_path / "repo")
    ids = [made.commit(str(number), when=1000 + number, a=str(number)) for number in range(5)]
    made.git("clone", "-q", "--depth=3", f"file://{made.folder}", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    assert [commit.id for commit in commits(clone.repo, ids[2], ids[4])] == ids[3:]
    assert is_ancestor(clone.repo, ids[2], ids[4])
    assert not is_ancestor(clone.repo, ids[4], ids[3])
    assert merge_base(clone.repo, ids[2], ids[4]) == ids[2]
    for look in (
        lambda: commits(clone.repo, ids[0], ids[4]),
        lambda: commits(clone.repo, None, ids[4]),
        lambda: is_ancestor(clone.repo, ids[1], ids[4]),
        lambda: merge_base(clone.repo, ids[0], ids[4]),
    ):
        with pytest.raises(CouldNotVerify) as error:
            look()
        assert (error.value.code, error.value.hint) == ("shallow", "git fetch --unshallow")
