"""Installing the judged project: offline, in a view that goes away, never into the layer."""

from __future__ import annotations

import os
import sys

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import view
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.project import _products, install_project
from forsooth.judge.environment.recipe import Build, Project
from forsooth.judge.environment.store import seal
from forsooth.judge.environment.tree import folder
from tests.judge.environment.place import BACKEND, layers, project, python, ran

SHOWN = (
    "import shop, shop._version as v, importlib.metadata as m, sys;"
    "print(shop.__file__, v.version, m.version('shop'), sys.prefix)"
)


@pytest.fixture
def furnish(tmp_path, sandbox):
    """A layer without packages, and the project of a test installed over it."""
    held = layers(tmp_path / "cache")
    runs = iter(range(100))

    def furnished(root, **options):
        recipe = detect(folder(root)).but(
            wants=(), interpreter=f"=={sys.version_info[0]}.{sys.version_info[1]}.*"
        )
        layer = held.of(recipe, source=root, root=str(root), sandbox=sandbox)
        into = tmp_path / f"run{next(runs)}"
        into.mkdir()
        return install_project(
            held, layer, copy=root, root=str(root), into=into, sandbox=sandbox, **options
        )

    with held:
        yield furnished


def test_the_project_is_imported_from_the_judged_tree(tmp_path, sandbox, furnish):
    """Its record is there, its code is the copy's, its generated file came along."""
    root = project(tmp_path / "repo")
    layer = furnish(root)
    done = ran(sandbox, layer, ("python", "-c", SHOWN), copy=root, root=str(root))
    where, built, version, prefix = done.stdout.decode().split()
    assert where == str(root / "src/shop/__init__.py")
    assert (built, version) == ("built", "1.0")
    assert prefix.endswith("/env")


def test_its_programs_run(tmp_path, sandbox, furnish):
    """A console script is on the path, as after any install."""
    root = project(tmp_path / "repo")
    layer = furnish(root)
    done = ran(sandbox, layer, ("shop",), copy=root, root=str(root))
    assert done.stdout.startswith(b"shop ")


def test_a_fixed_place_can_be_chosen(tmp_path, sandbox, furnish):
    """Test ids that carry the environment's path then stay the same on every run."""
    root = project(tmp_path / "repo")
    layer = furnish(root, at="/srv/env")
    done = ran(sandbox, layer, ("shop",), copy=root, root=str(root))
    assert done.exit == 0
    done = ran(
        sandbox, layer, ("python", "-c", "import sys; print(sys.prefix)"), copy=root, root=str(root)
    )
    assert done.stdout == b"/srv/env\n"


def test_neither_copy_nor_layer_is_written(tmp_path, furnish):
    """A build that rewrites a test has rewritten nothing anybody judges."""
    root = project(tmp_path / "repo")
    layer = furnish(root)
    before = seal(layer.folder).digest
    layer = furnish(root)
    assert (root / "tests/test_shop.py").read_text() == "def test(): pass\n"
    assert not (root / "src/shop/_version.py").exists()
    assert seal(layer.folder).digest == before
    assert [mount.target for mount in layer.mounts if mount.mode == "file"] == [
        f"{root}/src/shop/_version.py"
    ]


def test_a_wheel_that_ships_a_runner_is_refused(tmp_path, furnish):
    """The project may not bring the file that decides before tests start."""
    root = project(tmp_path / "repo", extra='{"sitecustomize.py": "x"}')
    with pytest.raises(CouldNotVerify) as caught:
        furnish(root)
    assert caught.value.code == "environment:wheel-collision"


SHADOW = '{"shop-1.0.data/scripts/sh": "#!/bin/true\\n"}'


def test_a_program_of_the_machine_is_hidden_only_by_one_that_was_there_before(
    tmp_path, sandbox, furnish
):
    """Work may not bring the `sh` or `make` that its criteria call; a project may be one."""
    before, root = project(tmp_path / "before"), project(tmp_path / "repo", extra=SHADOW)
    with pytest.raises(CouldNotVerify, match="program sh would replace one of the machine"):
        furnish(root, origin=lambda: before)
    with pytest.raises(CouldNotVerify, match="program sh would replace one of the machine"):
        furnish(root)
    stated = (before / "pyproject.toml").read_text() + '[project.scripts]\nsh = "shop:main"\n'
    (before / "pyproject.toml").write_text(stated)
    layer = furnish(root, origin=lambda: before)
    assert ran(sandbox, layer, ("sh", "-c", "exit 3"), copy=root, root=str(root)).exit == 0


def test_a_build_that_fails_is_told(tmp_path, furnish):
    """Could not be built is an error of its own, with the last lines."""
    root = project(
        tmp_path / "repo",
        backend=BACKEND.replace("    name = f", "    raise SystemExit('no way')\n    name = f"),
    )
    with pytest.raises(CouldNotVerify, match="no way") as caught:
        furnish(root)
    assert caught.value.code == "environment:build-failed"


def test_a_backend_without_editable_builds_copies_the_project(tmp_path, furnish):
    """An older backend still works, and the layer says so."""
    plain = BACKEND.replace("def build_editable", "def build_wheel").replace(
        "get_requires_for_build_editable", "unused"
    )
    plain = plain.replace(", metadata=None", ", metadata=None")
    layer = furnish(project(tmp_path / "repo", backend=plain))
    assert layer.notes == ("shop is installed by copy, not in place.",)


def test_a_module_of_the_project_does_not_shadow_the_hooks_own(tmp_path, furnish):
    """A json.py in the root is not what the build reads its answer with."""
    root = project(tmp_path / "repo")
    (root / "json.py").write_text("raise SystemExit('shadowed')\n")
    (root / "shutil.py").write_text("raise SystemExit('shadowed')\n")
    manifest = (root / "pyproject.toml").read_text()
    (root / "pyproject.toml").write_text(manifest.replace('["."]', '["build"]'))
    (root / "build").mkdir()
    (root / "backend.py").rename(root / "build/backend.py")
    assert furnish(root).env["VIRTUAL_ENV"].endswith("/env")


def test_folders_a_build_made_arrive_as_one_place(tmp_path, sandbox, furnish):
    """A folder of extensions is one mount, however many files it has."""
    lines = "    os.makedirs('src/native/x')\n    open('src/native/x/a.py', 'w').write('A = 1')\n"
    lines += "    open('src/native/b.py', 'w').write('B = 2')\n    name = f"
    root = project(tmp_path / "repo", backend=BACKEND.replace("    name = f", lines, 1))
    layer = furnish(root)
    made = [mount for mount in layer.mounts if mount.target == f"{root}/src/native"]
    assert [mount.mode for mount in made] == ["overlay"]
    words = ("python", "-c", "import native.b, native.x.a; print(native.b.B)")
    assert ran(sandbox, layer, words, copy=root, root=str(root)).stdout == b"2\n"


def test_what_a_build_made_is_found_by_listing(tmp_path):
    """Links, pipes, delivered files and folders of git are not handed over; new files are."""
    copy, out = tmp_path / "copy", tmp_path / "out"
    for path in (copy / "pkg", copy / "was", out / "products/new", out / "products/pkg/.git"):
        path.mkdir(parents=True)
    (copy / "pkg/there.py").write_text("")
    (copy / "link").symlink_to("/etc")
    (out / "products/link").mkdir()
    (out / "products/link/x").write_text("")
    (out / "products/was").write_text("")
    (out / "products/trap").symlink_to("/etc/passwd")
    os.mkfifo(out / "products/pipe")
    (out / "products/new/a.py").write_text("")
    (out / "products/pkg/there.py").write_text("")
    (out / "products/pkg/odd\nname.py").write_text("")
    one = Project(path="", name="shop", build=Build())
    found = _products(one, copy=copy, root="/r", out=out)
    assert [(mount.target, mount.mode) for mount in found] == [
        ("/r/new", "overlay"),
        ("/r/pkg/odd\nname.py", "file"),
    ]


def test_a_build_that_litters_the_tree_is_refused(tmp_path):
    """Each place is a mount, and there are only so many."""
    copy, out = tmp_path / "copy", tmp_path / "out"
    copy.mkdir()
    (out / "products").mkdir(parents=True)
    for number in range(201):
        (out / "products" / f"f{number}").write_text("")
    one = Project(path="", name="shop", build=Build())
    with pytest.raises(CouldNotVerify, match="more than 200 places"):
        _products(one, copy=copy, root="/r", out=out)


def test_without_anything_to_install_the_layer_is_used_as_it_is(tmp_path, furnish):
    """Plain test files need no build."""
    root = tmp_path / "repo"
    root.mkdir()
    (root / "test_a.py").write_text("")
    layer = furnish(root)
    assert layer.env["PATH"] == str(layer.folder / "env/bin")


def test_a_shared_namespace_can_be_added_to(tmp_path):
    """Links become folders of links down to the place that is new."""
    tool = python()
    layer = tmp_path / "layer"
    site = view.site_of(layer, tool.version)
    (site / "ns/other").mkdir(parents=True)
    (site / "ns/other/a.py").write_text("")
    (site / "__pycache__").mkdir()
    (layer / "bin").mkdir()
    (layer / "bin/ruff").write_bytes(b"\x7fELF")
    (layer / "bin/pytest").write_text(f"#!{layer}/bin/python3\nx\n")
    (layer / "bin/activate").write_text("")
    made = view.make(tmp_path / "env", layer, python=tool, at="/at")
    view.open_up(made, "ns/mine/b.py")
    (made / "ns/mine").mkdir()
    view.link(site, made)
    assert (made / "ns/other/a.py").exists()
    assert not (site / "ns/mine").exists()
    assert not (made / "__pycache__").exists()
    assert (tmp_path / "env/bin/ruff").is_symlink()
    assert (tmp_path / "env/bin/pytest").read_text() == "#!/at/bin/python3\nx\n"
    assert not (tmp_path / "env/bin/activate").exists()
    view.link(tmp_path / "none", made)
