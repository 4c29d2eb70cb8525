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
from forsooth.judge.environment.borrow import borrow, content
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.tree import folder
from forsooth.judge.sandbox.tiers import available
from tests.judge.environment.place import layers, project, python, ran

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def sandbox():
    found = available()
    if found.tier != "strict":
        pytest.skip("needs the strict sandbox")
    return found


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


def recipe_of(root):
    return detect(folder(root)).but(interpreter=f"=={VERSION}.*")


def test_a_package_patched_later_does_not_reach_a_verdict(tmp_path, root, sandbox):
    """Git cannot see the patch, and the judge does not either."""
    with layers(tmp_path / "cache") as held:
        layer = borrow(held, recipe_of(root), root=root)
        installed = view.site_of(root / ".venv", VERSION) / "rates/__init__.py"
        installed.write_text("TAX = 0\n")
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
        assert done.stdout.decode().split() == ["19", "1.0", f"{root}/src/shop/__init__.py"]
        assert ran(sandbox, layer, ("tool",), copy=copy, root=str(root)).stdout == b"19\n"


def test_the_borrowed_layer_is_named_by_its_content(tmp_path, root):
    """Unchanged packages are the same layer, a patched one is another."""
    with layers(tmp_path / "cache") as held:
        one = borrow(held, recipe_of(root), root=root)
        two = borrow(held, recipe_of(root), root=root)
        (view.site_of(root / ".venv", VERSION) / "rates/__init__.py").write_text("TAX = 0\n")
        three = borrow(held, recipe_of(root), root=root)
    assert one.key == two.key != three.key
    assert one.how == "borrowed"
    assert one.packages == {"rates": ("2.0",)}


def test_no_file_is_shared_with_the_live_environment(tmp_path, root):
    """A hard link would carry a later patch along."""
    with layers(tmp_path / "cache") as held:
        layer = borrow(held, recipe_of(root), root=root)
    found = [path for path in layer.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert found
    assert {path.stat().st_nlink for path in found} == {1}
    site = view.site_of(layer.folder / "env", VERSION)
    assert sorted(path.name for path in site.iterdir()) == [
        "other.pth",
        "rates",
        "rates-2.0.dist-info",
    ]


def test_node_modules_are_borrowed_where_they_stand(tmp_path):
    """Each folder comes back at its own place, workspace links and all."""
    root = tmp_path / "repo"
    for path in ("node_modules/a/index.js", "node_modules/.bin/a", "packages/x/package.json"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("{}")
    (root / "node_modules/x").symlink_to("../packages/x")
    (root / "package.json").write_text(
        '{"workspaces": ["packages/*"], "scripts": {"test": "tape"}}'
    )
    with layers(tmp_path / "cache") as held:
        layer = borrow(held, detect(folder(root)), root=root)
    own = [mount for mount in layer.mounts if mount.mode == "overlay"]
    assert [mount.target for mount in own] == [str(root / "node_modules")]
    assert (own[0].source / "x").readlink() == Path("../packages/x")
    assert layer.env["PATH"].startswith(f"{root}/node_modules/.bin:")


def test_nothing_installed_is_an_error_with_a_remedy(tmp_path):
    """Borrowing from an empty work tree cannot work, and says what would."""
    root = project(tmp_path / "repo")
    with layers(tmp_path / "cache") as held, pytest.raises(CouldNotVerify) as caught:
        borrow(held, recipe_of(root), root=root)
    assert caught.value.code == "environment:nothing-to-borrow"


def test_a_venv_of_another_python_is_refused(tmp_path, root):
    """Packages for one interpreter do not serve another."""
    shutil.rmtree(view.site_of(root / ".venv", VERSION))
    with layers(tmp_path / "cache") as held, pytest.raises(CouldNotVerify, match="another Python"):
        borrow(held, recipe_of(root), root=root)


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
