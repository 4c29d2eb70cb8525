"""Kept checkouts: exactly at a tree while held, whatever earlier runs, crashes or agents did."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from forsooth.git.repository import Repository, locate
from forsooth.judge.copies import Copies, parts
from forsooth.judge.environment.disk import free, size_of
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import Job, Limits, Mount
from forsooth.judge.sandbox.strict import Strict
from tests.judge.sandbox.account import interpreter

IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]


class Work:
    """A repository with two commits, and its pool."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repo"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.one = self.commit({"a.py": "VALUE = 1\n", "pkg/b.py": "b\n", "run": "#!/bin/sh\n"})
        self.two = self.commit({"a.py": "VALUE = 2\n", "pkg/c.py": "c\n"}, gone=["pkg/b.py"])
        self.repo: Repository = locate(self.root)
        self.copies = Copies(self.repo, folder / "copies", most=2)

    def git(self, *argv: str) -> str:
        command = ["git", *IDENTITY, *argv]
        return subprocess.run(
            command, cwd=self.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, files: dict[str, str], *, gone: list[str] | None = None) -> str:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in gone or []:
            (self.root / name).unlink()
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD^{tree}")

    def listed(self, path: Path) -> dict[str, str]:
        return {
            file.relative_to(path).as_posix(): file.read_text()
            for file in path.rglob("*")
            if file.is_file() and ".git" not in file.parts
        }


ONE = {"a.py": "VALUE = 1\n", "pkg/b.py": "b\n", "run": "#!/bin/sh\n"}
TWO = {"a.py": "VALUE = 2\n", "pkg/c.py": "c\n", "run": "#!/bin/sh\n"}


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


def test_a_checkout_is_exactly_at_the_tree_and_is_moved_by_what_differs(work: Work):
    """The same folder serves one tree after the other; files that agree are not written again."""
    with Copies(work.repo, work.copies.folder, most=1).at(work.one) as copy:
        assert work.listed(copy.path) == ONE
        kept = (copy.path / "run").stat().st_ino
    with Copies(work.repo, work.copies.folder, most=1).at(work.two) as moved:
        assert moved.path == copy.path
        assert work.listed(moved.path) == TWO
        assert (moved.path / "run").stat().st_ino == kept
    assert work.copies.folder.stat().st_mode & 0o777 == 0o700


def test_a_tree_that_is_there_already_is_not_touched(work: Work):
    """Holding the same tree again writes no file of it."""
    with work.copies.at(work.one) as copy:
        before = (copy.path / "a.py").stat()
    with work.copies.at(work.two):
        pass
    with work.copies.at(work.one) as again:
        assert again.path == copy.path
        assert (again.path / "a.py").stat() == before


@pytest.mark.parametrize("sure", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
def test_a_checkout_of_a_repository_that_is_no_more_is_made_anew(
    work: Work, *, sure: bool, is_known: bool
):
    """Another one may lie in its place, and knows nothing of its trees."""
    with Copies(work.repo, work.copies.folder, most=1).at(work.one, sure=sure) as copy:
        pass
    if not is_known:
        (copy.path.parent / "known").unlink()
        (copy.path / "a.py").unlink()
    shutil.rmtree(work.root)
    work.root.mkdir()
    work.git("init", "-q", "-b", "main")
    other = work.commit({"b.py": "new\n"})
    with Copies(work.repo, work.copies.folder, most=1).at(other, sure=sure) as made:
        assert made.path == copy.path
        assert work.listed(made.path) == {"b.py": "new\n"}


def test_two_trees_can_be_held_at_once(work: Work):
    """Each has its own checkout; a third waits until one is free."""
    order: list[str] = []
    with work.copies.at(work.one) as one:
        with work.copies.at(work.two) as two:
            assert one.path != two.path
            assert (work.listed(one.path), work.listed(two.path)) == (ONE, TWO)
            waiting = threading.Thread(target=_hold, args=(work, order))
            waiting.start()
            while not _is_waited_for(work.copies.folder):
                os.sched_yield()
            order.append("released")
        waiting.join()
    assert order == ["released", "held"]


def _is_waited_for(folder: Path) -> bool:
    """Whether the kernel's table has somebody waiting for one of the pool's locks."""
    files = {f":{path.stat().st_ino} " for path in folder.glob("*/lock")}
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and file in line for line in lines for file in files)


def _hold(work: Work, order: list[str]) -> None:
    with work.copies.at(work.two) as copy:
        assert work.listed(copy.path) == TWO
        order.append("held")


def test_another_process_does_not_move_what_is_held(work: Work, tmp_path: Path):
    """The lock is the kernel's, so it holds between processes and ends with them."""
    script = (
        "import sys; from pathlib import Path\n"
        "from forsooth.git.repository import locate\n"
        "from forsooth.judge.copies import Copies\n"
        "with Copies(locate(Path(sys.argv[1])), Path(sys.argv[2]), most=2).at(sys.argv[3]) as c:\n"
        "    print(c.path, flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(work.root), str(work.copies.folder), work.one]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout
    theirs = other.stdout.readline().strip()
    with work.copies.at(work.one) as copy:
        assert str(copy.path) != theirs
    other.kill()
    other.communicate()
    with work.copies.at(work.one), work.copies.at(work.two):
        pass


def test_what_a_run_left_in_a_checkout_is_never_carried_over(work: Work):
    """Compiled files, new files, changed files, folders without rights: all gone or put right."""
    copies = Copies(work.repo, work.copies.folder, most=1)
    with copies.at(work.one, written=True) as copy:
        (copy.path / "__pycache__").mkdir()
        (copy.path / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"stale")
        (copy.path / "target" / "deep").mkdir(parents=True)
        (copy.path / "a.py").write_text("VALUE = 99\n")
        (copy.path / "run").unlink()
        (copy.path / "pkg").chmod(0o500)
    for tree, files in ((work.one, ONE), (work.two, TWO)):
        with copies.at(tree) as again:
            assert work.listed(again.path) == files
            assert not (again.path / "__pycache__").exists()
            assert not (again.path / "target").exists()


def test_a_checkout_that_was_left_half_way_is_made_anew(work: Work):
    """Nobody believes what a crash left; neither our own mark nor git's record is there then."""
    copies = Copies(work.repo, work.copies.folder, most=1)
    with copies.at(work.one) as copy:
        pass
    folder = copy.path.parent
    (folder / "known").unlink()
    (folder / "copy.record").unlink()
    (copy.path / "a.py").write_text("half")
    with copies.at(work.two) as again:
        assert work.listed(again.path) == TWO
    (folder / "known").write_text("{")
    (folder / "before").write_bytes(b"\xff")
    with copies.at(work.one) as again:
        assert work.listed(again.path) == ONE


def test_a_killed_move_is_put_right_by_the_next(work: Work, monkeypatch):
    """Killed anywhere between taking and holding, the next one is exact."""
    copies = Copies(work.repo, work.copies.folder, most=1)
    with copies.at(work.one):
        pass
    script = (
        "import os, sys; from pathlib import Path\n"
        "from forsooth.git.repository import locate\n"
        "from forsooth.judge import copies\n"
        "seen = [0]\n"
        "def trace(frame, event, arg):\n"
        "    if 'forsooth' in frame.f_code.co_filename:\n"
        "        seen[0] += 1\n"
        "        if seen[0] > int(sys.argv[4]): os.kill(os.getpid(), 9)\n"
        "    return trace\n"
        "pool = copies.Copies(locate(Path(sys.argv[1])), Path(sys.argv[2]), most=1)\n"
        "sys.settrace(trace)\n"
        "with pool.at(sys.argv[3]): os._exit(0)\n"
    )
    where = [str(work.root), str(work.copies.folder)]
    trees = [(work.two, TWO), (work.one, ONE)]
    for turn, lines in enumerate((40, 150, 300, 450, 600, 900)):
        tree, files = trees[turn % 2]
        command = [sys.executable, "-c", script, *where, tree, str(lines)]
        subprocess.run(command, check=False, capture_output=True)
        with copies.at(tree) as copy:
            assert work.listed(copy.path) == files


def test_a_checkout_that_somebody_removed_is_made_again(work: Work):
    """Our mark alone is not enough."""
    copies = Copies(work.repo, work.copies.folder, most=1)
    with copies.at(work.one) as copy:
        pass
    subprocess.run(["rm", "-rf", str(copy.path)], check=True)
    with copies.at(work.one) as again:
        assert work.listed(again.path) == ONE


def test_a_dressed_copy_is_a_repository_and_an_undressed_one_is_not(work: Work, strict: Strict):
    """Tools inside ask git for the version; objects are lent read-only."""
    work.git("tag", "v1.2.3")
    commit = work.git("rev-parse", "HEAD")
    with work.copies.at(work.two, dress=commit) as copy:
        job = Job(
            ("sh", "-c", "git describe --tags; git status --porcelain; git rev-parse HEAD"),
            str(work.root),
            env={"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory"}
            | {"GIT_CONFIG_VALUE_0": "*"},
            mounts=(Mount(copy.path, str(work.root), "overlay"), *copy.lent),
            limits=Limits(seconds=20),
        )
        done = strict.run(job)
        assert done.stdout.decode().split() == ["v1.2.3", commit], done
        dressed = copy.path
    with work.copies.at(work.two, dress=commit) as again:
        assert (again.path, again.lent) == (dressed, copy.lent)
    with work.copies.at(work.two) as plain:
        assert plain.path == dressed
        assert not (plain.path / ".git").exists()
        assert plain.lent == ()


def test_a_run_sees_no_store_of_objects_and_nothing_it_borrows_from(
    work: Work, strict: Strict, tmp_path: Path
):
    """Alternates may name a home; other branches are nobody's business: only a pack is lent."""
    keys = tmp_path / "home/.ssh"
    keys.mkdir(parents=True)
    (keys / "id").write_text("the key")
    (work.root / ".git/objects/info/alternates").write_text(f"{keys}\n")
    other = work.git("commit-tree", "-m", "on another branch", work.one)
    work.git("branch", "other", other)
    commit = work.git("rev-parse", "HEAD")
    script = "find /run/forsooth ! -type d; git -c safe.directory=* cat-file -t $0; echo $?"
    with work.copies.at(work.two, dress=commit) as copy:
        job = Job(
            ("sh", "-c", script, other),
            str(work.root),
            mounts=(Mount(copy.path, str(work.root), "overlay"), *copy.lent),
            limits=Limits(seconds=20),
        )
        *shown, status = strict.run(job).stdout.decode().split()
    assert {Path(path).name.rpartition(".")[2] for path in shown} <= {
        *("pack", "idx", "rev", "packed-refs", "shallow")
    }
    assert status != "0"


def test_packs_of_other_commits_go_unless_a_run_holds_them(work: Work):
    """A few are kept; one that was left half way is made again."""
    first = work.git("rev-parse", "HEAD")
    with work.copies.at(work.two, dress=first) as held:
        (mount,) = held.lent
        for number in range(8):
            commit = work.git("commit-tree", "-m", str(number), "-p", first, work.two)
            with work.copies.at(work.two, dress=commit):
                pass
        packs = [path for path in (work.copies.folder / "packs").iterdir() if path.is_dir()]
        assert mount.source in packs
        assert len(packs) <= 6
        free(parts(work.copies.folder), most=0)
        assert mount.source
        assert mount.source.is_dir()
    (mount.source / "packed-refs").unlink()
    with work.copies.at(work.two, dress=first) as again:
        assert again.lent == (mount,)
        assert (mount.source / "packed-refs").is_file()
    free(parts(work.copies.folder), most=0)
    assert not mount.source.exists()


def test_least_recently_used_checkouts_go_first(work: Work):
    """Down to the bytes allowed; one that is held stays."""
    with work.copies.at(work.one) as one:
        pass
    with work.copies.at(work.two) as two:
        pass
    size = size_of(work.copies.slots[0].folder)
    folder = work.copies.folder
    assert free(parts(folder), most=10 * size).removed == 0
    assert free(parts(folder), most=size + size // 2).removed == 1
    assert not one.path.exists()
    assert two.path.exists()
    with work.copies.at(work.two) as held:
        (held.path / "locked").mkdir(mode=0o000)
        assert free(parts(folder), most=0).removed == 0
    assert free(parts(folder), most=0).after == {"copies": 0}
    assert not two.path.exists()
    with work.copies.at(work.one) as again:
        assert work.listed(again.path) == ONE


# in the sandbox, at the repository's own path


def seen(work: Work, strict: Strict, *argv: str, tree: str, mounts: tuple[Mount, ...] = ()):
    with work.copies.at(tree) as copy:
        shown = (Mount(copy.path, str(work.root), "overlay"), *mounts)
        job = Job(argv, str(work.root), mounts=shown, limits=Limits(seconds=30))
        return strict.run(job).stdout.decode()


def test_two_runs_never_see_each_others_files(work: Work, strict: Strict):
    """Each has a layer of its own above the same checkout."""
    leave = "import a, os; print(os.listdir('.').count('left'), os.path.exists('__pycache__'))"
    leave += "; open('left', 'w')"
    for _ in range(2):
        said = seen(work, strict, interpreter(), "-c", leave, tree=work.one)
        assert said == "0 True\n"
    with work.copies.at(work.one) as copy:
        assert work.listed(copy.path) == ONE


def test_a_fix_that_was_never_delivered_is_not_seen(work: Work, strict: Strict):
    """The work tree may hold anything; the judged tree is what runs, at the same path."""
    (work.root / "a.py").write_text("VALUE = 42\n")
    (work.root / "sitecustomize.py").write_text("print('agent was here')\n")
    show = f"import sys; sys.path.insert(0, {str(work.root)!r}); import a; print(a.VALUE)"
    assert seen(work, strict, interpreter(), "-c", show, tree=work.two) == "2\n"


def test_an_editable_install_resolves_to_the_judged_tree(
    work: Work, strict: Strict, tmp_path: Path
):
    """A real editable install of the agent's tree, and its script, run what was delivered."""
    project = (
        "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"
        "[project]\nname = 'thing'\nversion = '1'\n[project.scripts]\nthing = 'thing:main'\n"
        "[tool.hatch.build.targets.wheel]\npackages = ['src/thing']\n"
        "[tool.hatch.build]\ndev-mode-dirs = ['src']\n"
    )
    delivered = work.commit(
        {"pyproject.toml": project, "src/thing/__init__.py": "def main(): print('delivered')\n"}
    )
    venv = tmp_path / "layer"
    python = venv / "bin" / "python"
    subprocess.run([interpreter(), "-m", "venv", "--without-pip", str(venv)], check=True)
    install = ["uv", "pip", "install", "--quiet", "--offline", "--no-build-isolation", "--no-deps"]
    uv = Path(sys.executable).with_name("uv")
    _hatchling_into(venv)
    command = [str(uv), *install[1:], "--python", str(python), "-e", str(work.root)]
    subprocess.run(command, check=True, env=os.environ | {"UV_CACHE_DIR": str(tmp_path / "uv")})
    (work.root / "src" / "thing" / "__init__.py").write_text("def main(): print('agent')\n")
    script = str(venv / "bin" / "thing")
    assert subprocess.run([script], capture_output=True, check=True).stdout == b"agent\n"
    layer = (Mount(venv, str(venv), "ro"),)
    assert seen(work, strict, script, tree=delivered, mounts=layer) == "delivered\n"


def _hatchling_into(venv: Path) -> None:
    """Lend the build backend from the environment the tests run in."""
    import hatchling

    (site,) = venv.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(f"{Path(hatchling.__file__).parents[1]}\n")


def test_a_workspace_link_resolves_to_the_judged_tree(work: Work, strict: Strict, tmp_path: Path):
    """An absolute link in a layer, as package managers make for members of a workspace."""
    layer = tmp_path / "node_modules"
    layer.mkdir()
    (layer / "member").symlink_to(work.root / "pkg")
    (work.root / "pkg" / "c.py").write_text("agent's\n")
    mounts = (Mount(layer, str(work.root / "node_modules"), "ro"),)
    said = seen(work, strict, "cat", "node_modules/member/c.py", tree=work.two, mounts=mounts)
    assert said == "c\n"


def test_without_overlays_a_checkout_is_reset_between_runs(work: Work):
    """The lesser tiers write into it; the next run finds it clean."""
    for _ in range(2):
        with work.copies.at(work.one, written=True) as copy:
            job = Job(
                ("sh", "-c", "ls; cat a.py; echo y >left; echo z >a.py"),
                str(work.root),
                mounts=(Mount(copy.path, str(work.root), "rw"),),
            )
            assert Bare().run(job).stdout == b"a.py\npkg\nrun\nVALUE = 1\n"
