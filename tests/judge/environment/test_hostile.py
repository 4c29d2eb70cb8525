"""Folders of the judge that a repository's own code filled: nothing in them leads to the host."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.checker import OUT
from forsooth.judge.copies import Copy
from forsooth.judge.environment import borrow, disk, view
from forsooth.judge.environment.configured import configured
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.interpreter import installed
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.prepare import cargo
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.tree import folder
from forsooth.judge.openat import read_file, remove
from forsooth.judge.place import Furnished
from forsooth.judge.sandbox.job import Limits
from forsooth.judge.sandbox.tiers import available
from tests.judge.environment.place import BACKEND, layers, project, python, ran, search
from tests.judge.sandbox.account import doing, interpreter, uid_of

pytestmark = pytest.mark.requires_strict
KEY = "the key of this home"
codecs.lookup("cp437")  # zip files need it; another account cannot read this Python's library
# At its end the build puts a link to the home where its products lie, and says that they are new.
AT_EXIT = """
import atexit, json, shutil, sys
def swap():
    what, out = sys.argv[1], sys.argv[3]
    if what != "build":
        return
    products = os.path.join(out, "products")
    shutil.rmtree(products, ignore_errors=True)
    {act}
    with open(os.path.join(out, "answer.json"), "w") as file:
        json.dump({{"wheel": "shop-1.0-py3-none-any.whl", "editable": True, "new": {new!r}}}, file)
atexit.register(swap)
"""
ACTS = {
    "parent": 'os.mkdir(products); os.symlink({home!r}, os.path.join(products, "src"))',
    "products": "os.symlink({home!r}, products)",
    "leaf": 'os.makedirs(products + "/src"); os.symlink({home!r}, products + "/src/.ssh")',
}


@pytest.fixture
def home(place: Path, account: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the account that judges, with a key in it, and an installer it can run."""
    (place / "home/.ssh").mkdir(parents=True)
    (place / "bin").mkdir()
    shutil.copy(Path(sys.executable).parent / "uv", place / "bin/uv")
    monkeypatch.setenv("PATH", f"{place / 'bin'}:{os.environ['PATH']}")
    (place / "home/.ssh/id").write_text(KEY)
    for path in (place, *place.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account))
    return place / "home"


@pytest.mark.parametrize("act", ACTS)
def test_a_build_cannot_show_the_home_to_the_tests(home: Path, account: str, act: str):
    """Whatever links it leaves and whatever it says it made, a test finds no key."""
    place = home.parent
    done = ACTS[act].format(home=str(home))
    hostile = BACKEND + AT_EXIT.format(act=done, new=["src/.ssh/id", "src/.ssh"])

    def leak() -> bytes:
        root = project(place / "repo", backend=hostile)
        with layers(place / "cache") as held:
            recipe = detect(folder(root)).but(
                wants=(), interpreter=f"=={sys.version_info[0]}.{sys.version_info[1]}.*"
            )
            sandbox = available()
            layer = held.of(recipe, source=root, root=str(root), sandbox=sandbox)
            (place / "run").mkdir()
            layer = install_project(
                held, layer, copy=root, root=str(root), into=place / "run", sandbox=sandbox
            )
            return ran(
                sandbox, layer, ("sh", "-c", "cat src/.ssh/id .ssh/id"), copy=root, root=str(root)
            ).stdout

    assert KEY.encode() not in doing(account, leak)


@pytest.mark.parametrize(
    ("keeps", "script"),
    [
        ("kept", "ln -s {home} kept"),
        ("kept/.ssh", "ln -s {home} kept"),
        ("a/kept", "mkdir a; ln -s {home} a/kept"),
        ("../../../home", "true"),
        ("/etc", "true"),
    ],
)
def test_what_is_kept_is_no_link_and_lies_behind_none(
    home: Path, account: str, keeps: str, script: str
):
    """`prepare` made a link to the home: it is refused, and nothing of the home is moved."""
    place = home.parent

    def prepared() -> str:
        root = place / "repo"
        root.mkdir()
        (root / "setup.sh").write_text(script.format(home=home))
        settings = {"prepare": "sh setup.sh", "keeps": [keeps], "reads": ["setup.sh"]}
        recipe = configured(settings, folder(root), detected=detect(folder(root)))
        with layers(place / "cache") as held:
            try:
                held.of(recipe, source=root, root=str(root), sandbox=available())
            except CouldNotVerify as error:
                return error.message
        return "kept"

    assert "cannot be kept" in doing(account, prepared)
    assert (home / ".ssh/id").read_text() == KEY


def test_clearing_the_cache_follows_no_link(home: Path, account: str):
    """A link among the downloads goes; what it leads to keeps its rights and its files."""
    place = home.parent
    downloads = place / "cache/downloads"
    downloads.mkdir(parents=True)
    (home / ".ssh").chmod(0o755)
    (downloads / "npm").symlink_to(home)
    (downloads / "uv/locked/deep").mkdir(parents=True)
    (downloads / "uv/link").symlink_to(home)
    (downloads / "uv/locked/deep/file").write_text("")
    for path in (place, *place.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account), follow_symlinks=False)
    (downloads / "uv/locked").chmod(0)

    def clear() -> int:
        with layers(place / "cache") as held:
            return disk.free(held.parts(needs=lambda _: False), most=0).removed

    assert doing(account, clear) == 2
    assert list(downloads.iterdir()) == []
    assert (home / ".ssh").stat().st_mode & 0o777 == 0o755
    assert (home / ".ssh/id").read_text() == KEY


def test_no_depth_and_no_name_is_too_much_to_remove(tmp_path: Path):
    """Five thousand folders in each other, and names that look like those a removal makes."""
    top = here = tmp_path / "deep"
    top.mkdir()
    (top / "a.1").mkdir()
    number = os.open(here, os.O_RDONLY)
    for _ in range(5000):
        os.mkdir("a", dir_fd=number)
        below = os.open("a", os.O_RDONLY, dir_fd=number)
        os.close(number)
        number = below
    os.close(number)
    remove(top)
    remove(top)
    assert list(tmp_path.iterdir()) == []


def test_forgetting_built_crates_follows_no_link(tmp_path: Path):
    """A base run wrote the folder; a link in it may name somebody else's builds."""
    theirs = tmp_path / "theirs/shop-0123456789abcdef"
    theirs.mkdir(parents=True)
    target = tmp_path / "target"
    (target / "debug").mkdir(parents=True)
    (target / "debug/.fingerprint").symlink_to(tmp_path / "theirs")
    (target / "incremental").symlink_to(tmp_path / "theirs")
    cargo.forget(target, ["shop"])
    assert theirs.is_dir()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "large", "none"])
def test_an_answer_that_is_no_small_plain_file_is_none(tmp_path: Path, kind: str):
    """What judged code says of itself is read with the same care as it is mounted."""
    path = tmp_path / "answer.json"
    (tmp_path / "other").write_text("{}")
    if kind == "link":
        path.symlink_to(tmp_path / "other")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        path.write_text("x" * 11)
    assert read_file(tmp_path, "answer.json", most=10) is None
    assert read_file(tmp_path, "other", most=2) == b"{}"


def test_a_build_cannot_have_the_judge_write_through_a_link(home: Path, account: str):
    """Its backend puts a link where the judge writes next, and chooses what is written."""
    place = home.parent
    line = "ssh-ed25519 AAAA of-the-attacker"
    hostile = BACKEND.replace(
        "    return []\n",
        "    import sys\n"
        "    work = sys.argv[3]\n"
        "    for name in ('wants.in', 'limits.txt', 'pins.txt'):\n"
        "        path = os.path.join(work, name)\n"
        "        os.path.lexists(path) and os.remove(path)\n"
        f"        os.symlink({str(home / '.ssh/id')!r}, path)\n"
        f"    return [{line!r}]\n",
        1,
    )

    def furnished() -> str:
        root = project(place / "repo", backend=hostile)
        with layers(place / "cache") as held:
            recipe = detect(folder(root)).but(
                wants=(), interpreter=f"=={sys.version_info[0]}.{sys.version_info[1]}.*"
            )
            sandbox = available()
            layer = held.of(recipe, source=root, root=str(root), sandbox=sandbox)
            (place / "run").mkdir()
            try:
                install_project(
                    held, layer, copy=root, root=str(root), into=place / "run", sandbox=sandbox
                )
            except CouldNotVerify as error:
                return error.message
        return ""

    assert doing(account, furnished)
    assert (home / ".ssh/id").read_text() == KEY


@pytest.mark.parametrize("name", ["kept", "complete.json.new"])
def test_what_is_kept_is_not_moved_or_written_through_a_link(home: Path, name: str, tmp_path: Path):
    """`prepare` tries every layer it can reach: also where the judge puts things afterwards."""
    root = tmp_path / "repo"
    root.mkdir()
    target = home if name == "kept" else home / ".ssh/id"
    script = "mkdir -p .config; echo evil >.config/x\n"
    script += f"for one in {tmp_path}/cache/layers/*/; do ln -s {target} $one{name} || :; done"
    (root / "setup.sh").write_text(script)
    settings = {"prepare": "sh setup.sh", "keeps": [".config"], "reads": ["setup.sh"]}
    recipe = configured(settings, folder(root), detected=detect(folder(root)))
    with layers(tmp_path / "cache") as held:
        layer = held.of(recipe, source=root, root=str(root), sandbox=available())
        assert (layer.folder / "kept/.config/x").read_text() == "evil\n"
    assert [path.name for path in home.iterdir()] == [".ssh"]
    assert (home / ".ssh/id").read_text() == KEY


def test_chosen_versions_are_not_read_through_a_link(tmp_path: Path):
    """What is remembered for the next time is the layer's own file, or nothing."""
    (tmp_path / "key").write_text(KEY)
    work = tmp_path / "layer/work"
    work.mkdir(parents=True)
    (work / "pins.txt").symlink_to(tmp_path / "key")
    with layers(tmp_path / "cache") as held:
        shop = held._shop("k", tmp_path, sandbox=available(), allow=())
        shop = shop._replace(folder=tmp_path / "layer")
        with pytest.raises(CouldNotVerify, match=r"pins\.txt is no plain file"):
            shop.keep(work / "pins.txt")
        assert not (tmp_path / "cache/pins/k").exists()
        (work / "pins.txt").unlink()
        work.rename(tmp_path / "layer/other")
        work.symlink_to(tmp_path)
        with pytest.raises(CouldNotVerify, match="cannot be written"):
            shop.write(work / "key", b"overwritten")
    assert (tmp_path / "key").read_text() == KEY


def test_a_venv_that_a_repository_brings_lends_nothing_of_the_machine(home: Path):
    """Links among its packages and programs to other folders are left out, honest ones kept."""
    tool = python()
    root = home.parent / "repo"
    venv = root / ".venv"
    site = view.site_of(venv, tool.version)
    (site / "pack").mkdir(parents=True)
    (venv / "bin").mkdir()
    (venv / "pyvenv.cfg").write_text(f"home = {tool.program.parent}\n")
    (site / "pack/__init__.py").write_text("")
    (site / "pack/inner").symlink_to(home)
    (site / "pack/near").symlink_to("__init__.py")
    (site / "leak").symlink_to(home / ".ssh")
    (venv / "bin/leak").symlink_to(home / ".ssh/id")
    (root / "node_modules").symlink_to(home)
    found = installed(venv, search(), root=root)
    assert found
    with layers(home.parent / "cache") as held:
        lending = borrow.Lending(held.store, held.search, available(), root)
        key = borrow.lend_python(lending, found, names=frozenset())
        env = held.store.folder(key) / "env"
        names = {path.name for path in env.rglob("*")}
        assert {"pack", "near"} <= names
        assert not {"leak", "inner", "id"} & names
        with pytest.raises(CouldNotVerify, match="no node_modules"):
            borrow.lend_node(lending, Recipe(kind="node", keeps=("node_modules",)))
    (site.parent / "away").mkdir()
    site.rename(site.parent / "away/site")
    site.symlink_to(home)
    assert installed(venv, search(), root=root) is None


def test_what_a_run_leaves_is_read_within_bounds(tmp_path: Path):
    """Links and pipes are not read, no depth or number of entries ends the judge."""
    layer = Layer("", tmp_path, Recipe(kind="none"), how="none")
    copy = Copy(tmp_path / "copy")
    copy.path.mkdir()
    place = Furnished(copy, layer, root="/srv/repo", sandbox=available(), limits=Limits())
    script = (
        "import os; os.chdir(os.environ['OUT'])\n"
        "open('a', 'w').write('kept'); os.symlink('/etc/passwd', 'b'); os.mkfifo('c')\n"
        "os.mkdir('d'); os.symlink('/etc', 'd/e'); open('d/f', 'w').write('kept')\n"
        "for n in range(3000): os.mkdir('x'); os.chdir('x')\n"
    )
    run = place.run((interpreter(), "-c", script), seconds=60, env={"OUT": OUT})
    assert run.exit == 0, run
    assert run.out == {"a": b"kept", "d/f": b"kept"}
