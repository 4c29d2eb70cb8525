"""A checkout that must be sure is its tree when it is used, and nobody changed it meanwhile."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git.folder import Stamp
from forsooth.judge.copies import Copies
from forsooth.judge.sandbox.job import Job, Limits, Mount
from forsooth.judge.sandbox.strict import Strict
from forsooth.judge.untouched import Watch
from tests.judge.test_copies import ONE, TWO, Work


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


def _edit(path: Path) -> None:
    (path / "a.py").write_text("VALUE = 7\n")


def _edit_and_restore(path: Path) -> None:
    before = (path / "a.py").stat()
    _edit(path)
    (path / "a.py").write_text(ONE["a.py"])
    os.utime(path / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _replace(path: Path) -> None:
    (path / "other").write_text("VALUE = 7\n")
    (path / "other").replace(path / "a.py")


def _add(path: Path) -> None:
    (path / "pkg/sitecustomize.py").write_text("")


def _add_and_remove(path: Path) -> None:
    _add(path)
    (path / "pkg/sitecustomize.py").unlink()


def _dress(path: Path) -> None:
    (path / ".git/HEAD").write_text("0" * 40)


Deed = Callable[[Path], None]


@pytest.mark.parametrize(
    "deed", [_edit, _edit_and_restore, _replace, _add, _add_and_remove, _dress]
)
def test_a_checkout_changed_while_it_is_held_proves_nothing(work: Work, deed: Deed):
    """Whatever the change, and also when it was taken back; the next one to ask finds it right."""
    commit = work.git("rev-parse", "HEAD")
    with work.copies.at(work.one, dress=commit, sure=True) as settled:
        pass
    _aged(settled.path)
    with (
        pytest.raises(CouldNotVerify) as told,
        work.copies.at(work.one, dress=commit, sure=True) as copy,
    ):
        deed(copy.path)
    assert told.value.code == "copy-touched"
    with work.copies.at(work.one, dress=commit, sure=True) as again:
        assert work.listed(again.path) == ONE
        assert (again.path / ".git/HEAD").read_text().strip() == "ref: refs/heads/main"
        assert commit.encode() in (again.path / ".git/packed-refs").read_bytes()


def _aged(path: Path) -> None:
    """Wait until the file system's clock has left the tick in which the copy was made."""
    newest, probe = (path / "a.py").stat().st_ctime_ns, path.parent / "probe"
    while True:
        probe.write_text("")
        if probe.stat().st_ctime_ns > newest + 50_000_000:
            return


def test_a_change_that_leaves_no_stamp_is_read(work: Work, monkeypatch: pytest.MonkeyPatch):
    """Within a tick of the write size and times stay as they were; only the content tells."""
    with work.copies.at(work.one, sure=True):
        pass
    monkeypatch.setattr("forsooth.judge.untouched.stamp", lambda found: Stamp(0, 0, 0, 0))
    with pytest.raises(CouldNotVerify), work.copies.at(work.one, sure=True) as copy:
        _edit(copy.path)


def _link_git(path: Path) -> None:
    (path / ".git").symlink_to("pkg")


@pytest.mark.parametrize("deed", [_edit, _replace, _add, _link_git])
def test_a_checkout_changed_between_two_runs_is_made_right(work: Work, deed: Deed):
    """In this process and in another, whatever the records beside it say by then."""
    pools = [Copies(work.repo, work.copies.folder, most=1) for _ in range(2)]
    with pools[0].at(work.one, sure=True) as copy:
        pass
    for pool in pools:
        deed(copy.path)
        _forge(copy.path)
        with pool.at(work.one, sure=True) as again:
            assert work.listed(again.path) == ONE
            assert not (again.path / ".git").is_symlink()
    with pools[0].at(work.two, sure=True) as moved:
        assert work.listed(moved.path) == TWO


def _forge(copy: Path) -> None:
    """Make the record beside a checkout agree with what its files are now."""
    log = copy.with_name("copy.files")
    now = (copy / "a.py").stat()
    stamp = f"{now.st_size} {now.st_mtime_ns} {now.st_ctime_ns} {now.st_ino}"
    lines = log.read_text().replace('"a.py":"', f'"a.py":"100644 {"0" * 40} {stamp} ","x":"')
    log.write_text(lines.replace('"x":"', '"a.pyx":"'))


def test_a_folder_is_not_another_tree_nor_the_same_with_another_mode(
    work: Work, monkeypatch: pytest.MonkeyPatch
):
    """Also where nothing was touched since it was read, and where only a mode was."""
    monkeypatch.setattr("forsooth.judge.untouched.TICK", 0)
    other = work.commit({"a.py": "VALUE = 1\n", "pkg/b.py": "c\n"}, gone=["pkg/c.py"])
    with work.copies.at(work.one) as copy:
        watch = Watch(copy.path)
        assert watch.holds(work.repo, work.one, dressed=False)
        assert not watch.holds(work.repo, other, dressed=False)
        (copy.path / "a.py").chmod(0o755)
        assert not watch.holds(work.repo, work.one, dressed=False)
        (copy.path / "a.py").chmod(0o644)
        assert watch.holds(work.repo, work.one, dressed=False)


def test_a_link_is_read_as_a_link_and_not_as_what_it_points_to(
    work: Work, monkeypatch: pytest.MonkeyPatch
):
    """One to a folder is no folder, and one that leads to the same file by other words differs."""
    monkeypatch.setattr("forsooth.judge.untouched.TICK", 0)
    (work.root / "folder").symlink_to("pkg")
    (work.root / "file").symlink_to("a.py")
    tree = work.commit({})
    with work.copies.at(tree) as copy:
        watch = Watch(copy.path)
        assert watch.holds(work.repo, tree, dressed=False)
        assert watch.is_untouched()
        (copy.path / "file").unlink()
        (copy.path / "file").symlink_to("./a.py")
        assert not watch.is_untouched()
        assert not watch.holds(work.repo, tree, dressed=False)
    odd = work.root / "odd"
    odd.symlink_to("./pkg//")
    with work.copies.at(work.commit({}), sure=True) as copy:
        assert os.readlink(copy.path / "odd") == "./pkg//"  # noqa: PTH115


def test_an_empty_tree_is_a_tree(work: Work):
    """A project from nothing begins with one, and a goal may remove all there is."""
    work.git("rm", "-rq", ".")
    empty = work.commit({})
    for _ in range(2):
        with work.copies.at(empty, sure=True) as copy:
            assert not [*copy.path.iterdir()]
    assert not Watch(copy.path).is_untouched()
    with pytest.raises(CouldNotVerify), work.copies.at(empty, sure=True) as copy:
        (copy.path / "new").write_text("")


def test_folders_to_mount_are_not_taken_from_a_file(work: Work, tmp_path: Path):
    """Whoever writes what is known of a checkout could lay a folder of theirs over the tree."""
    with work.copies.at(work.one, sure=True) as copy:
        pass
    known = copy.path.parent / "known"
    known.write_text(known.read_text().replace('"", ""]', f'"", "{tmp_path}"]'))
    assert str(tmp_path) in known.read_text()
    for pool in (work.copies, Copies(work.repo, work.copies.folder, most=2)):
        with pool.at(work.one, sure=True) as again:
            assert again.lent == ()


def test_a_run_that_writes_in_its_own_layer_is_no_change(work: Work, strict: Strict):
    """The checkout below is as it was, so honest work is not refused."""
    for _ in range(2):
        with work.copies.at(work.one, sure=True) as copy:
            mount = Mount(copy.path, str(work.root), "overlay")
            argv = ("sh", "-c", "cat a.py run; echo z >a.py; rm pkg/b.py; mkdir new; chmod 700 run")
            done = strict.run(Job(argv, str(work.root), mounts=(mount,), limits=Limits(seconds=20)))
            assert (done.exit, done.stdout) == (0, b"VALUE = 1\n#!/bin/sh\n")


def test_links_large_files_programs_and_submodules_are_their_tree(work: Work, tmp_path: Path):
    """All that a tree can hold is read as it was written."""
    data = b"large\n" * 1000
    oid = hashlib.sha256(data).hexdigest()
    place = work.root / ".git/lfs/objects" / oid[:2] / oid[2:4]
    place.mkdir(parents=True)
    (place / oid).write_bytes(data)
    other = tmp_path / "other"
    work.git("clone", "-q", str(work.root), str(other))
    work.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "lib/sub")
    (work.root / "link").symlink_to("a.py")
    (work.root / "run").chmod(0o755)
    spec = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(data)}\n"
    work.git("config", "filter.lfs.clean", "cat")
    tree = work.commit({".gitattributes": "*.bin filter=lfs\n", "big.bin": spec})
    with work.copies.at(tree, sure=True) as copy:
        assert (copy.path / "big.bin").read_bytes() == data
        assert (copy.path / "lib/sub/a.py").read_text() == "VALUE = 2\n"
    with pytest.raises(CouldNotVerify), work.copies.at(tree, sure=True) as copy:
        (copy.path / "lib/sub/a.py").write_text("VALUE = 3\n")
