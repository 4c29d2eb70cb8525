"""Processes that read objects, kept and lent again: each answer is still to its own question."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git import reader as reading_module
from forsooth.git.edit import Put, edited
from forsooth.git.ignored import ignored_folders
from forsooth.git.objects import blobs, tree_of
from forsooth.git.reader import keeping, reading
from forsooth.git.references import head
from forsooth.git.trees import listing
from tests.git.repos import Repo


@pytest.fixture
def work(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "work")
    for number in range(80):
        repo.write(f"f{number}", f"{number}\n")
    repo.commit("base")
    return repo


@pytest.fixture
def started(monkeypatch) -> list[int]:
    """One entry for each process that was started."""
    real, seen = reading_module.subprocess.Popen, []

    def popen(*args, **named):
        process = real(*args, **named)
        seen.append(process.pid)
        return process

    monkeypatch.setattr(reading_module.subprocess, "Popen", popen)
    return seen


def ids(repo: Repo) -> list[str]:
    commit = head(repo.repo)
    assert commit
    return [row.id for row in listing(repo.repo, tree_of(repo.repo, commit))]


def test_one_process_serves_many_questions_and_ends_with_the_last_who_wants_it(work, started):
    """Without being kept each question has its own."""
    ids(work)
    assert len(started) == 2
    with keeping(work.repo):
        for _ in range(3):
            with keeping(work.repo):
                wanted = ids(work)
        assert len(started) == 3
        assert len(blobs(work.repo, wanted)) == 80
    with pytest.raises(ProcessLookupError):
        os.kill(started[-1], 0)
    ids(work)
    assert len(started) == 5


def test_threads_have_one_each(work, started):
    """No answer goes to another's question."""
    wanted, expected = ids(work), [f"{name}\n".encode() for name in _numbers(work)]
    before = len(started)
    with keeping(work.repo), ThreadPoolExecutor(max_workers=4) as pool:
        found = list(pool.map(lambda id_: blobs(work.repo, [id_])[id_], wanted * 5))
    assert found == expected * 5
    assert 1 <= len(started) - before <= 4


def _numbers(work: Repo) -> list[str]:
    commit = head(work.repo)
    assert commit
    return [row.path[1:] for row in listing(work.repo, tree_of(work.repo, commit))]


def test_one_left_in_the_middle_of_an_answer_is_not_lent_again(work, started):
    """What it still has to say would be taken for the next answer."""
    with keeping(work.repo):
        wanted = ids(work)
        with reading(work.repo) as reader:
            next(reader.each(wanted, "blob"))
        with reading(work.repo) as reader:
            assert reader.read(wanted[5], "blob").id == wanted[5]
        assert len(started) == 2


def test_an_object_that_is_missing_spoils_nothing(work, started):
    """The error is the asker's; the process goes on."""
    with keeping(work.repo):
        wanted = ids(work)
        with pytest.raises(CouldNotVerify, match="not in this repository"):
            blobs(work.repo, ["0" * 40])
        assert blobs(work.repo, wanted[:1])
        assert len(started) == 1


def test_what_is_written_meanwhile_is_found(work):
    """Also in a store of ours that was not there when the process began."""
    commit = head(work.repo)
    assert commit
    with keeping(work.repo):
        tree = tree_of(work.repo, commit)
        listing(work.repo, tree)
        now = edited(work.repo, tree, {"new": Put("100644", b"new\n")})
        again = edited(work.repo, now, {"newer": Put("100644", b"newer\n")})
        assert {"new", "newer"} <= {row.path for row in listing(work.repo, again)}


def test_folders_that_git_does_not_enter_are_named(work):
    """Whole ones only: a folder with a tracked file in it is looked into."""
    work.write(".gitignore", "build/\n*.log\n")
    work.write("kept/build/x", "1")
    work.git("add", "-f", "kept/build/x")
    work.write("kept/build/y", "1")
    work.write("build/deep/z", "1")
    work.write("src/a.log", "1")
    work.write("src/a.txt", "1")
    assert ignored_folders(work.repo) == ("build/",)
    (work.repo.git_dir / "index").unlink()
    assert "build/" in ignored_folders(work.repo)
