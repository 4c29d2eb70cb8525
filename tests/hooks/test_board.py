"""Finding a repository's state without git, and believing only answers that are of this moment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from forsooth.core import command as do
from forsooth.hooks.board import Unreadable, find
from tests.hooks.stage import Stage, know
from tests.ledger.plans import PERSON


def git(folder, *argv: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *argv], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def linked(tmp_path):
    """A repository with a linked work tree and a folder deep inside each."""
    main, tree = tmp_path / "main", tmp_path / "tree"
    git(tmp_path, "init", "-q", "main")
    git(main, "commit", "-q", "--allow-empty", "-m", "x")
    git(main, "worktree", "add", "-q", str(tree))
    for folder in (main, tree):
        (folder / "a/b").mkdir(parents=True)
    return main, tree


def test_all_work_trees_of_a_repository_share_one_board(linked):
    """Each bound on its own, from any folder inside."""
    main, tree = linked
    for name, plan in (("main", "one"), ("linked/tree", "two")):
        path = main / ".git/forsooth/bound" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(plan + "\n")
        (main / ".git/forsooth/plans" / plan).mkdir(parents=True)
        know(main, plan)
    here, there = (find(str(one / "a/b"), home=str(main)) for one in (main, tree))
    assert here.common == there.common == str((main / ".git").resolve())
    assert (here.plan, there.plan) == ("one", "two")
    assert (here.top, there.top) == (str(main), str(tree))


def test_a_submodule_is_a_repository_of_its_own(tmp_path):
    """Its git folder is named by a file and shared with nobody."""
    (tmp_path / "module").mkdir()
    (tmp_path / "store").mkdir()
    (tmp_path / "module/.git").write_text("gitdir: ../store\n")
    board = find(str(tmp_path / "module"))
    assert board.common == str((tmp_path / "store").resolve())


@pytest.mark.parametrize("text", ["", "nothing of git's", "\xff\xfe"])
def test_a_file_that_git_did_not_write_is_no_repository(text, tmp_path):
    """Nor is a folder outside of any."""
    (tmp_path / ".git").write_text(text, encoding="latin-1")
    assert find(str(tmp_path)) is None
    assert find("/") is None


def test_the_environment_names_a_plan_before_the_binding_does(stage: Stage, monkeypatch):
    """As on the command line; a name that leads elsewhere names nothing."""
    (stage.plans / "one").mkdir(parents=True)
    stage.know("one")
    stage.bind("one")
    monkeypatch.setenv("FORSOOTH_PLAN", "two")
    assert stage.board().plan == "two"
    monkeypatch.setenv("FORSOOTH_PLAN", "../two")
    assert stage.board().plan == "one"
    stage.bind(".two")
    assert stage.board().plan == ""


def test_a_work_tree_bound_to_none_means_the_only_plan_that_is_not_over(stage: Stage):
    """As on the command line; two such plans mean none, and what is over gets its mark."""
    stage.sealed()
    (stage.state / "bound/main").unlink()
    assert stage.board().plan == "plan"
    stage.know("other")
    shutil.copytree(stage.place, stage.plans / "other")
    assert stage.board().plan == ""
    spoil(stage, status="done")
    assert stage.board().plan == "other"
    assert (stage.place / "over").exists()
    spoil(stage, status="active")
    assert stage.board().plan == "", "what is recorded later counts"


def test_a_work_tree_bound_to_a_plan_that_is_over_means_the_only_other_one(stage: Stage):
    """As on the command line; without another it stays with its own, between two it means none."""
    stage.sealed()
    stage.know("other")
    shutil.copytree(stage.place, stage.plans / "other")
    assert stage.board().plan == "plan"
    spoil(stage, status="done")
    assert stage.board().plan == "other"
    stage.know("third")
    shutil.copytree(stage.plans / "other", stage.plans / "third")
    assert stage.board().plan == ""
    for name in ("other", "third"):
        shutil.rmtree(stage.plans / name)
    assert stage.board().plan == "plan"


def test_a_bound_plan_that_cannot_be_read_is_not_passed_over(stage: Stage):
    """Nobody knows that it is over; one that is gone is as none."""
    stage.sealed()
    stage.know("other")
    shutil.copytree(stage.place, stage.plans / "other")
    (stage.place / "now.json").write_text("{")
    assert stage.board().plan == "plan"
    shutil.rmtree(stage.place)
    assert stage.board().plan == "other"


def test_the_environment_names_a_plan_by_how_it_begins(stage: Stage, monkeypatch):
    """As on the command line: the whole name first, then the only one that begins so."""
    for name in ("ab", "abc", "xyz"):
        (stage.plans / name).mkdir(parents=True)
        stage.know(name)
    for named, plan in (("x", "xyz"), ("ab", "ab"), ("abc", "abc"), ("a", "a"), ("q", "q")):
        monkeypatch.setenv("FORSOOTH_PLAN", named)
        assert stage.board().plan == plan


def test_answers_are_read_when_they_belong_to_the_ledger(stage: Stage):
    """And the ledger's length is known with them."""
    stage.sealed()
    board = stage.board()
    board.read()
    assert board.now["status"] == "active"
    assert board.size == (stage.place / "ledger.jsonl").stat().st_size


def spoil(stage: Stage, **changes: object) -> None:
    path = stage.place / "now.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"v": 2}, "another version"),
        ({"size": 1}, "not of this moment"),
        ({"end": 1}, "not of this moment"),
        ({"status": 7}, "not of this moment"),
    ],
)
def test_answers_of_another_moment_or_version_are_not_believed(changes, problem, stage: Stage):
    """Half a write, an old one, or one of a program that came later."""
    stage.sealed()
    spoil(stage, **changes)
    with pytest.raises(Unreadable, match=problem):
        stage.board().read()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not JSON"),
        (b'{"v":1', "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "another version"),
        (b" " * (2 << 20), "too large"),
        (None, "No such file"),
    ],
)
def test_damaged_answers_are_not_believed(data, problem, stage: Stage):
    """Empty, torn, foreign, huge or gone."""
    stage.sealed()
    path = stage.place / "now.json"
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(Unreadable, match=problem):
        stage.board().read()


def test_a_pipe_in_the_place_of_a_file_is_not_waited_on(stage: Stage):
    """Only a regular file is an answer."""
    stage.sealed()
    (stage.place / "now.json").unlink()
    os.mkfifo(stage.place / "now.json")
    with pytest.raises(Unreadable, match="not a regular file"):
        stage.board().read()


def test_a_mark_that_cannot_be_left_is_nobody_s_trouble(stage: Stage):
    """The gate then only takes longer."""
    stage.sealed().ask(do.Drop(), PERSON)
    (stage.place / "over").symlink_to("gone/for/ever")
    board = stage.board()
    board.read()
    assert board.now["status"] == "dropped"


@pytest.mark.parametrize("over", [True, False])
def test_whoever_finds_a_plan_over_leaves_a_mark_for_the_gate(over, stage: Stage):
    """A plan in force gets none."""
    book = stage.sealed()
    if over:
        book.ask(do.Drop(), PERSON)
    stage.board().read()
    assert (stage.place / "over").exists() is over


def test_a_plan_that_was_marked_over_is_not_asked_again(stage: Stage):
    """The mark is enough, and a plan that cannot be read is not meant by a tree bound to none."""
    stage.sealed()
    bound = stage.state / "bound/main"
    bound.unlink()
    assert stage.board().plan == "plan"
    other = stage.plans / "other"
    other.mkdir()
    (other / "now.json").write_text("{}")
    assert stage.board().plan == "plan"
    os.utime(stage.place / "now.json", (1, 1))
    (stage.place / "over").touch()
    assert stage.board().plan == ""


@pytest.mark.timeout(20)
def test_a_lock_that_is_a_pipe_is_nobody_s_and_not_waited_for(stage: Stage):
    """Who looks whether a judge is at work waits for nobody to open its other end."""
    stage.sealed()
    for name in ("judging", "sealing.json"):
        os.mkfifo(stage.place / name)
    assert not stage.board().is_awaited
