"""A wheel of judged code may add itself and nothing else."""

from __future__ import annotations

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.wheel import read, refuse_collisions, unpack
from tests.judge.environment.place import wheel

ROOT = "/repo"


@pytest.fixture
def base(tmp_path):
    """A layer with a runner, a shared namespace and a program."""
    site, programs = tmp_path / "site", tmp_path / "bin"
    for path in (
        "_pytest/__init__.py",
        "ns/other/__init__.py",
        "six.py",
        "pytest-8.dist-info/RECORD",
    ):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text("")
    programs.mkdir()
    (programs / "pytest").write_text("")
    return site, programs


def opened(tmp_path, files):
    return read(wheel(tmp_path, files), python="/env/bin/python", roots=(ROOT,))


COLLIDING = [
    {"_pytest/runner.py": ""},
    {"_pytest/new.py": ""},
    {"six.py": ""},
    {"six/__init__.py": ""},
    {"_pytest.py": ""},
    {"_pytest.cpython-311-x86_64-linux-gnu.so": ""},
    {"ns/other/__init__.py": ""},
    {"pytest-8.dist-info/RECORD": ""},
    {"shop-1.0.data/purelib/six.py": ""},
    {"shop-1.0.data/scripts/pytest": "#!python\n"},
    {"shop-1.0.data/data/lib/python3.11/site-packages/_pytest/x.py": ""},
    {"shop-1.0.data/data/pyvenv.cfg": ""},
    {"ns/__init__.py": ""},
    {"a-1.dist-info/METADATA": "", "b-1.dist-info/entry_points.txt": ""},
    {"shop-1.0.data/scripts/python3": "#!python\n"},
    {"shop-1.0.dist-info/entry_points.txt": "[console_scripts]\npytest = shop:main\n"},
]


@pytest.mark.parametrize("files", COLLIDING, ids=[next(iter(row)) for row in COLLIDING])
def test_what_would_replace_a_part_of_the_layer_is_refused(tmp_path, base, files):
    """A build step cannot exchange the runner that judges it."""
    found = opened(tmp_path, files)
    with pytest.raises(CouldNotVerify) as caught:
        refuse_collisions(found, *base)
    assert caught.value.code == "environment:wheel-collision"


STARTING = [
    {"sitecustomize.py": ""},
    {"./sitecustomize.py": ""},
    {"./six/__init__.py": ""},
    {"a//b.py": ""},
    {"usercustomize/__init__.py": ""},
    {"sitecustomize.cpython-311-x86_64-linux-gnu.so": ""},
    {"a.pth": f"{ROOT}/../elsewhere\n"},
    {"a.pth": f"{ROOT}/src\n", "b.pth": f"{ROOT}/src\n"},
    {"a.pth": "import os; os.environ\n"},
    {"a.pth": "import evil\n"},
    {"a.pth": "/elsewhere/src\n"},
    {"a.pth": f"{ROOT}-other/src\n"},
    {"a.pth": "import _a; b.install()\n", "_a.py": ""},
    {"../evil.py": ""},
    {"/evil.py": ""},
]


@pytest.mark.parametrize("files", STARTING, ids=[repr(row)[:50] for row in STARTING])
def test_what_would_run_before_the_runner_is_refused(tmp_path, files):
    """Start-up files decide what a test runner even is."""
    with pytest.raises(CouldNotVerify, match="refused"):
        opened(tmp_path, files)


def test_an_honest_editable_wheel_is_unpacked(tmp_path, base):
    """Its path, its record, its programs and its data arrive where they belong."""
    found = opened(
        tmp_path,
        {
            "shop.pth": f"# where\n\n{ROOT}/src\n",
            "ns/mine/__init__.py": "",
            "shop-1.0.dist-info/METADATA": "Name: shop\n",
            "shop-1.0.dist-info/entry_points.txt": (
                "[console_scripts]\nshop = shop.cli:app.main\nbad/name = x:y\nodd = nothing\n"
            ),
            "shop-1.0.data/scripts/run": "#!python\nprint(1)\n",
            "shop-1.0.data/scripts/sh": "#!/bin/sh\n",
            "shop-1.0.data/data/share/x": "1",
            "shop-1.0.data/headers/shop.h": "",
            "shop-1.0.data/platlib/shop_native.py": "",
        },
    )
    refuse_collisions(found, *base)
    env = tmp_path / "env"
    unpack(found, env, env / "site")
    assert (env / "site/shop.pth").exists()
    assert (env / "site/shop_native.py").exists()
    assert (env / "share/x").read_text() == "1"
    assert (env / "include/shop.h").exists()
    assert (env / "bin/run").read_text() == "#!/env/bin/python\nprint(1)\n"
    assert (env / "bin/sh").read_text() == "#!/bin/sh\n"
    program = (env / "bin/shop").read_text()
    assert program.startswith("#!/env/bin/python\n")
    assert "from shop.cli import app" in program
    assert "app.main()" in program
    assert sorted(path.name for path in (env / "bin").iterdir()) == ["run", "sh", "shop"]
    assert found.notes == ()


@pytest.mark.parametrize("line", ["import _f", "import _f; _f.install()"])
def test_a_finder_of_its_own_is_allowed_and_noted(tmp_path, line):
    """Some backends need one; the strength of a proof says that it ran."""
    found = opened(tmp_path, {"shop.pth": line + "\n", "_f.py": ""})
    assert "_f.py" in found.notes[0]


def test_a_wheel_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    """A small archive may hold a large disk."""
    monkeypatch.setattr("forsooth.judge.environment.wheel.MOST", 10)
    with pytest.raises(CouldNotVerify, match="unpacks"):
        opened(tmp_path, {"a.py": "x" * 11})
