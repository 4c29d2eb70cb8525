"""No program that a repository or the caller's environment names is ever run by us.

Each trap of the corpus is first shown to spring under plain git, so that its silence means
something; then everything this package does is done over the same repository.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from forsooth.git.checkout import checkout, clean
from forsooth.git.dress import dress
from forsooth.git.history import commits, is_ancestor, merge_base
from forsooth.git.lend import lend
from forsooth.git.names import resolve
from forsooth.git.objects import base, blob, blobs, file_at
from forsooth.git.references import tags
from forsooth.git.repository import locate
from forsooth.git.snapshot import snapshot
from forsooth.git.stores import stores
from forsooth.git.trees import changes, listing, listing_digest
from tests.git.hostile import SILENT, Ground, Trap, ground, traps
from tests.git.repos import held

TRAPS = {trap.name: trap for trap in traps()}


@pytest.fixture(scope="session")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "ground"
    folder.mkdir()
    ground(folder)
    return folder


@pytest.fixture
def made(before: Path, tmp_path: Path) -> Ground:
    shutil.copytree(before, tmp_path / "ground", symlinks=True)
    return Ground(tmp_path / "ground")


def everything(folder: Path, into: Path) -> None:
    """Every function of the package, on everything there is to take."""
    repo = locate(folder)
    found = base(repo)
    main, side = resolve(repo, "HEAD"), resolve(repo, "side")
    assert resolve(repo, main[:10]) == found.commit == main
    parting = merge_base(repo, main, side)
    assert parting
    assert commits(repo, parting, side)
    assert is_ancestor(repo, parting, main)
    tree = found.tree or ""
    rows = listing(repo, tree)
    assert listing_digest(rows)
    files = [row.id for row in rows if row.kind == "file"]
    assert blobs(repo, files)[files[0]] == blob(repo, files[0])
    assert file_at(repo, main, "a.txt") == b"main\n"
    assert tags(repo) is not None
    assert stores(repo)
    snapshot(repo, deliver="branch main")
    taken = snapshot(repo)
    assert changes(repo, tree, taken.tree, renames=True)
    checkout(repo, tree, into)
    checkout(repo, taken.tree, into, before=tree)
    (into / "a.txt").write_text("spoilt")
    assert clean(repo, into)
    lent = into.with_name("lent")
    lent.mkdir()
    lend(repo, main, lent)
    dress(into, repo, main, lent=lent)
    shutil.rmtree(lent)
    assert held(into)["a.txt"][1] in (b"main\n", b"changed\n")


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_springs_under_plain_git_and_never_under_ours(made: Ground, monkeypatch, name):
    """One trap at a time, in a fresh repository."""
    _plant(made, TRAPS[name])
    spare = made.home.with_name("spare")
    shutil.copytree(made.home, spare, symlinks=True)
    for step in TRAPS[name].steps:
        made.run(step, is_shown=TRAPS[name].is_shown)
    assert made.sprung.exists(), "the trap does not work, so its silence would mean nothing"
    assert name in made.sprung.read_text()
    shutil.rmtree(made.home)
    spare.rename(made.home)
    _step_in(made, monkeypatch)
    everything(made.repo.folder, made.home / "copy")
    assert not made.sprung.exists()


def test_all_traps_together_stay_silent(made: Ground, monkeypatch):
    """As many as fit one repository, with every variable of the environment set."""
    odd = {"git_file_elsewhere", "another_git_dir", "missing_object_of_a_promisor"}
    submodules = {name for name in TRAPS if name.startswith("submodule_")}
    submodules -= {"submodule_filter"}
    for name, trap in TRAPS.items():
        if name not in odd | submodules | {"hooks_path", "template_variable"}:
            environment, made.env = made.env, {}
            _plant_quietly(made, trap)
            made.env |= {key: value for key, value in environment.items() if key not in made.env}
    _step_in(made, monkeypatch)
    made.sprung.unlink(missing_ok=True)
    everything(made.repo.folder, made.home / "copy")
    assert not made.sprung.exists()


def test_what_cannot_be_shown_is_listed_with_its_reason():
    """A corpus that says nothing of its gaps would promise too much."""
    assert len(TRAPS) >= 90
    assert all(reason for reason in SILENT.values())


def _plant(made: Ground, trap: Trap) -> None:
    trap.plant(made, made.program(trap.name))
    made.sprung.unlink(missing_ok=True)


def _plant_quietly(made: Ground, trap: Trap) -> None:
    """Planting uses plain git, which earlier traps may already disturb."""
    program = made.program(trap.name)
    try:
        trap.plant(made, program)
    except (AssertionError, FileExistsError) as error:
        pytest.fail(f"{trap.name} could not be planted: {error}")


def _step_in(made: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand where a caller would: in the folder, with that environment."""
    monkeypatch.chdir(made.repo.folder)
    for name, value in {"HOME": str(made.home), **made.env}.items():
        monkeypatch.setenv(name, value)
