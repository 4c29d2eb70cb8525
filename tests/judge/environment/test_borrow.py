"""The developer's own packages, as they were when they were borrowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import view
from forsooth.judge.environment.borrow import (
    Lending,
    content,
    lend_node,
    lend_python,
    node_layer,
    python_layer,
)
from forsooth.judge.environment.borrow import python as python_of
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.interpreter import installed
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.tree import folder
from tests.judge.environment.place import MANIFEST, layers, project, python, ran, search

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def root(tmp_path):
    """A project with a venv that has one package, and the project itself pointing back."""
    root = project(tmp_path / "repo")
    subprocess.run([python().program, "-m", "venv", "--without-pip", root / ".venv"], check=True)
    site = view.site_of(root / ".venv", VERSION)
    (site / "rates").mkdir()
    (site / "rates/__init__.py").write_text("TAX = 19\n")
    (site / "rates-2.0.dist-info").mkdir()
    (site / "rates-2.0.dist-info/METADATA").write_text("Name: rates\nVersion: 2.0\n")
    (site / "shop-0.9.dist-info").mkdir()
    (site / "shop-0.9.dist-info/METADATA").write_text("Name: shop\nVersion: 0.9\n")
    (site / "shop.pth").write_text(f"{root}/src\n")
    (site / "__editable___x_finder.py").write_text("")
    (site / "other.pth").write_text("/opt/else\n")
    (root / ".venv/bin/tool").write_text(
        f"#!{root}/.venv/bin/python\nimport rates; print(rates.TAX)\n"
    )
    (root / ".venv/bin/tool").chmod(0o755)
    return root


def lent(held, root, sandbox) -> Layer:
    """The root's venv, borrowed; the project is called shop."""
    found = installed(root / ".venv", held.search, root=root)
    lending = Lending(held.store, held.search, sandbox, root)
    key = lend_python(lending, found, names=frozenset({"shop"}))
    return python_layer(held.store, key, detect(folder(root)))


def test_a_package_patched_later_does_not_reach_a_verdict(tmp_path, root, sandbox):
    """Git cannot see the patch, and the judge does not either."""
    with layers(tmp_path / "cache") as held:
        layer = lent(held, root, sandbox)
        installed_ = view.site_of(root / ".venv", VERSION) / "rates/__init__.py"
        installed_.write_text("TAX = 0\n")
        into = tmp_path / "run"
        into.mkdir()
        copy = tmp_path / "copy"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".venv"))
        layer = install_project(held, layer, copy=copy, root=str(root), into=into, sandbox=sandbox)
        words = (
            "import rates, shop, importlib.metadata as m;"
            "print(rates.TAX, m.version('shop'), shop.__file__)"
        )
        done = ran(sandbox, layer, ("python", "-c", words), copy=copy, root=str(root))
        assert done.stdout.decode().split() == [
            "19",
            "1.0",
            f"{root}/src/shop/__init__.py",
        ], done.stderr
        assert ran(sandbox, layer, ("tool",), copy=copy, root=str(root)).stdout == b"19\n"


def test_the_borrowed_layer_is_named_by_its_content(tmp_path, root, sandbox):
    """Unchanged packages are the same layer, a patched one is another."""
    with layers(tmp_path / "cache") as held:
        one = lent(held, root, sandbox)
        two = lent(held, root, sandbox)
        (view.site_of(root / ".venv", VERSION) / "rates/__init__.py").write_text("TAX = 0\n")
        three = lent(held, root, sandbox)
    assert one.key == two.key != three.key
    assert one.how == "borrowed"
    assert one.packages == {"rates": ("2.0",)}


def test_no_file_is_shared_with_the_live_environment(tmp_path, root, sandbox):
    """A hard link would carry a later patch along, and so would a link out of the folder."""
    (tmp_path / "elsewhere.py").write_text("live = True\n")
    site = view.site_of(root / ".venv", VERSION)
    (site / "live.py").symlink_to(tmp_path / "elsewhere.py")
    (site / "linked.py").symlink_to("rates/__init__.py")
    (site / "gone.py").symlink_to(tmp_path / "nowhere.py")
    with layers(tmp_path / "cache") as held:
        layer = lent(held, root, sandbox)
    site = view.site_of(layer.folder / "env", VERSION)
    found = [path for path in layer.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert {path.stat().st_nlink for path in found} == {1}
    assert not [path for path in site.rglob("*") if path.is_symlink()]
    assert sorted(path.name for path in site.iterdir()) == [
        "__pycache__",
        "linked.py",
        "other.pth",
        "rates",
        "rates-2.0.dist-info",
    ]


def test_bytecode_that_lay_there_is_not_taken_along(tmp_path, root, sandbox):
    """It could say anything; what is there is compiled from the copied source."""
    site = view.site_of(root / ".venv", VERSION)
    (site / "rates/__pycache__").mkdir()
    name = f"__init__.cpython-{VERSION.replace('.', '')}.pyc"
    (site / "rates/__pycache__" / name).write_bytes(b"planted")
    with layers(tmp_path / "cache") as held:
        layer = lent(held, root, sandbox)
    made = view.site_of(layer.folder / "env", VERSION) / "rates/__pycache__" / name
    assert len(made.read_bytes()) > len(b"planted")


def test_an_installed_copy_of_the_project_does_not_hide_the_judged_one(tmp_path, root, sandbox):
    """`pip install .` leaves code behind that no change of the tree would reach."""
    site = view.site_of(root / ".venv", VERSION)
    (site / "shop.pth").unlink()
    (site / "shop").mkdir()
    (site / "shop/__init__.py").write_text("stale = True\n")
    (site / "shop-0.9.dist-info/RECORD").write_text("shop/__init__.py,,\n../../../bin/x,,\n")
    with layers(tmp_path / "cache") as held:
        layer = lent(held, root, sandbox)
    assert not list(view.site_of(layer.folder / "env", VERSION).glob("shop/*.py"))
    assert not list((layer.folder / "own").glob("shop*"))


def test_an_editable_install_is_set_aside_for_runs_that_cannot_build(tmp_path, root, sandbox):
    """It names the repository by path, where runs see the judged copy."""
    (root / "pyproject.toml").write_text(MANIFEST.replace("requires = []", 'requires = ["none"]'))
    site = view.site_of(root / ".venv", VERSION)
    (site / "shop-0.9.dist-info/RECORD").write_text("shop.pth,,\n")
    (site / "many.pth").write_text(f"{root}/src\n/opt/else\n")
    copy = tmp_path / "copy"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".venv"))
    (copy / "src/shop/__init__.py").write_text("judged = True\n")
    into = tmp_path / "run"
    into.mkdir()
    with layers(tmp_path / "cache") as held:
        layer = lent(held, root, sandbox)
        layer = install_project(held, layer, copy=copy, root=str(root), into=into, sandbox=sandbox)
        words = "import shop, importlib.metadata as m; print(shop.judged, m.version('shop'))"
        done = ran(sandbox, layer, ("python", "-c", words), copy=copy, root=str(root))
    assert done.stdout.decode().split() == ["True", "0.9"], done.stderr
    many = view.site_of(layer.folder / "env", VERSION) / "many.pth"
    assert many.read_text() == "/opt/else\n"


def test_node_modules_are_borrowed_where_they_stand(tmp_path, sandbox):
    """Each folder comes back at its own place, workspace links and all."""
    root = tmp_path / "repo"
    for path in ("node_modules/a/index.js", "node_modules/.bin/a", "packages/x/package.json"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("{}")
    (root / "node_modules/x").symlink_to("../packages/x")
    (root / "package.json").write_text(
        '{"workspaces": ["packages/*"], "scripts": {"test": "tape"}}'
    )
    recipe = detect(folder(root))
    with layers(tmp_path / "cache") as held:
        key = lend_node(Lending(held.store, held.search, sandbox, root), recipe)
        layer = node_layer(held.store, key, recipe, root=str(root), tools=())
    own = [mount for mount in layer.mounts if mount.mode == "overlay"]
    assert [mount.target for mount in own] == [str(root / "node_modules")]
    assert (own[0].source / "x").readlink() == Path("../packages/x")
    assert layer.env["PATH"].startswith(f"{root}/node_modules/.bin")


def test_nothing_installed_is_an_error_with_a_remedy(tmp_path, sandbox):
    """Borrowing from an empty work tree cannot work, and says what would."""
    root = tmp_path / "repo"
    root.mkdir()
    recipe = detect({"package.json": b"{}"})
    with layers(tmp_path / "cache") as held:
        lending = Lending(held.store, held.search, sandbox, root)
        with pytest.raises(CouldNotVerify) as caught:
            lend_node(lending, recipe)
        with pytest.raises(CouldNotVerify, match="no Python on this machine has nope") as other:
            python_of(lending, recipe, ("nope",))
    assert caught.value.code == other.value.code == "environment:nothing-to-borrow"


@pytest.mark.parametrize("base", ["", "relative/bin", "/no/such/place", "{root}/bin"])
def test_a_venv_whose_base_cannot_be_trusted_is_none(tmp_path, root, base):
    """Its interpreter is never run to find out, least of all one of the repository."""
    (root / "bin").mkdir()
    (root / "bin/python3").symlink_to(python().program)
    (root / ".venv/pyvenv.cfg").write_text(f"home = {base.format(root=root)}\n")
    assert installed(root / ".venv", search(), root=root) is None


def test_a_venv_of_another_python_is_none(root):
    """Packages for one interpreter do not serve another."""
    shutil.rmtree(view.site_of(root / ".venv", VERSION))
    assert installed(root / ".venv", search(), root=root) is None


def test_a_venv_that_sees_the_system_brings_its_packages(root):
    """What the developer's imports find is what is copied."""
    with (root / ".venv/pyvenv.cfg").open("a") as file:
        file.write("include-system-site-packages = true\n")
    found = installed(root / ".venv", search(), root=root)
    assert found is not None
    assert found.sites[0] == view.site_of(root / ".venv", VERSION)
    assert len(found.sites) > 1


def test_content_sees_files_and_links_but_not_bytecode(tmp_path):
    """What Python writes by itself is no change."""
    (tmp_path / "a/__pycache__").mkdir(parents=True)
    (tmp_path / "a/x.py").write_text("1")
    one = content(tmp_path)
    (tmp_path / "a/__pycache__/x.pyc").write_text("2")
    assert content(tmp_path) == one
    (tmp_path / "b").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    two = content(tmp_path)
    assert two != one
    (tmp_path / "a/x.py").write_text("2")
    assert content(tmp_path) != two
