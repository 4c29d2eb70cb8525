"""Honest Python suites of every shape: believed, with exactly what was broken red."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.judge.checks.recipes.flips.python import flipped
from forsooth.judge.checks.recipes.recipe import Doubt
from forsooth.judge.reports.report import Report
from forsooth.judge.reports.report import Test as Told
from tests.judge.checks.place import Tree
from tests.judge.disbelief.python_trial import Came, came, red

CALC = "def add(a, b):\n    return a + b\n"
TESTS = """
import pytest
from calc import add

def test_adds():
    assert add(1, 2) == 3

@pytest.mark.parametrize("n", [1, 2])
def test_many(n):
    '''A docstring.'''
    assert add(n, 0) == n

class TestMore:
    def test_again(self): assert add(2, 2) == 4

@pytest.mark.slow
def test_slow():
    assert add(5, 5) == 10
"""
INI = "[pytest]\nmarkers = slow: takes long\n"
PROJECT = {"calc.py": CALC, "test_calc.py": TESTS, "pytest.ini": INI}


def believed(found: Came, *, lacking: tuple[str, ...] = ()) -> None:
    """Every ward held, and exactly the broken tests are red."""
    assert found.bare == 0
    assert found.codes == ()
    assert found.lacking == lacking
    assert isinstance(found.doubt, Doubt)
    assert red(found.doubted) == found.doubt.red
    assert set(found.held) == {"runner", *found.doubt.held}


@pytest.mark.parametrize(
    "argv",
    [
        "pytest -q",
        "python -m pytest --maxfail=1 --stepwise",
        "python -m pytest -k adds",
        "python -m pytest -m slow test_calc.py",
        "python -m pytest test_calc.py::test_many[2]",
        "python -m pytest -n 2 -x",
        "python -m pytest --import-mode=importlib --doctest-modules",
        "python -I -m pytest",
        "python -m coverage run -m pytest -x",
    ],
)
def test_the_pair_and_the_flips_are_red_however_pytest_is_called(argv: str, tmp_path: Path):
    """Selection, spreading and stopping early change nothing."""
    files = dict(PROJECT)
    if "-I" in argv or "importlib" in argv:
        files["pytest.ini"] += "pythonpath = .\n"
    found = came(files, tmp_path, argv=argv, bare=False)
    believed(found)
    assert "flip" in found.held


SHAPES: dict[str, tuple[dict[str, str], str]] = {
    "unittest classes": (
        {
            "test_a.py": "import unittest\nclass T(unittest.TestCase):\n"
            "    def setUp(self): self.n = 1\n"
            "    def test_a(self):\n        self.assertEqual(self.n, 1)\n"
            "class I(unittest.IsolatedAsyncioTestCase):\n"
            "    async def test_b(self):\n        self.assertEqual(1, 1)\n"
        },
        "python -m pytest",
    ),
    "subtests": (
        {
            "test_a.py": "def test_a(subtests):\n    for n in range(3):\n"
            "        with subtests.test(n=n):\n            assert n < 3\n"
        },
        "python -m pytest",
    ),
    "names made anew each time": (
        {
            "test_a.py": "import pytest, uuid\n"
            "@pytest.mark.parametrize('n', [1, 2], ids=lambda n: uuid.uuid4().hex)\n"
            "def test_a(n):\n    assert n\n"
        },
        "python -m pytest",
    ),
    "coroutines by a conftest": (
        {
            "conftest.py": "import asyncio, inspect, pytest\n@pytest.hookimpl(tryfirst=True)\n"
            "def pytest_pyfunc_call(pyfuncitem):\n"
            "    if inspect.iscoroutinefunction(pyfuncitem.obj):\n"
            "        asyncio.run(pyfuncitem.obj())\n        return True\n",
            "test_a.py": "async def test_a():\n    assert 1\n",
        },
        "python -m pytest",
    ),
    "skips and known failures": (
        {
            "test_a.py": "import pytest, sys\n"
            "@pytest.mark.skipif(sys.platform != 'win32', reason='there')\n"
            "def test_a():\n    assert 0\n"
            "@pytest.mark.xfail\ndef test_b():\n    assert 0\ndef test_c():\n    pass\n"
            "@pytest.mark.parametrize('n', [1, pytest.param(2, marks=pytest.mark.skip)])\n"
            "def test_d(n):\n    assert n == 1\n"
        },
        "python -m pytest",
    ),
    "autouse fixtures of module and class": (
        {
            "test_a.py": "import pytest\n@pytest.fixture(autouse=True, scope='module')\n"
            "def held():\n    yield 1\n@pytest.fixture(autouse=True)\n"
            "def each(request, tmp_path, monkeypatch):\n    monkeypatch.chdir(tmp_path)\n"
            "class TestA:\n    def test_a(self):\n        assert 1\n"
        },
        "python -m pytest",
    ),
    "inherited tests": (
        {
            "test_a.py": "class Base:\n    def test_shared(self):\n        assert 1\n"
            "class TestA(Base):\n    pass\nclass TestB(Base):\n    def test_own(self):\n"
            "        assert 1\n"
        },
        "python -m pytest",
    ),
    "strict markers and warnings as errors": (
        {
            "pytest.ini": "[pytest]\naddopts = --strict-markers --strict-config -W error\n",
            "test_a.py": "def test_a():\n    assert 1\n",
        },
        "python -m pytest",
    ),
    "a source layout": (
        {
            "pytest.ini": "[pytest]\npythonpath = src\ntestpaths = tests\n",
            "src/calc/__init__.py": CALC,
            "tests/test_a.py": "from calc import add\ndef test_a():\n    assert add(1, 1) == 2\n",
            "tests/conftest.py": "import calc\n",
        },
        "pytest",
    ),
    "a plug-in of its own named in the settings": (
        {
            "pytest.ini": "[pytest]\naddopts = -p tests.plugin\n",
            "tests/__init__.py": "",
            "tests/plugin.py": "import pytest\n@pytest.fixture\ndef one():\n    return 1\n",
            "tests/test_a.py": "def test_a(one):\n    assert one == 1\n",
        },
        "python -m pytest",
    ),
    "plug-ins of its own named in a conftest": (
        {
            "conftest.py": "pytest_plugins = ['helpers.plugin']\n",
            "helpers/__init__.py": "",
            "helpers/plugin.py": "import pytest\n@pytest.fixture\ndef one():\n    return 1\n",
            "tests/test_a.py": "def test_a(one):\n    assert one == 1\n",
        },
        "python -m pytest",
    ),
    "tests that start pytest": (
        {
            "test_a.py": "import subprocess, sys, os\ndef test_a(tmp_path):\n"
            "    (tmp_path / 'test_b.py').write_text('def test_b(): assert 0')\n"
            "    done = subprocess.run([sys.executable, '-m', 'pytest', str(tmp_path)])\n"
            "    assert done.returncode == 1\n"
            "    assert not [n for n in os.environ if 'FORSOOTH' in n]\n"
        },
        "python -m pytest",
    ),
    "a package in a folder below": (
        {
            "pkg/pyproject.toml": "[tool.pytest.ini_options]\n",
            "pkg/tests/test_a.py": "def test_a():\n    assert 1\n",
            "other/tests/test_b.py": "def test_b():\n    assert 1\n",
        },
        "python -m pytest pkg",
    ),
    "hypothesis": (
        {
            "test_a.py": "from hypothesis import given, strategies as st\n"
            "@given(st.integers())\ndef test_a(n):\n    assert n == n\n"
        },
        "python -m pytest",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_suite_of_any_shape_is_believed(shape: str, tmp_path: Path):
    """Nothing an honest suite does reads as forging."""
    files, argv = SHAPES[shape]
    own = shape == "a plug-in of its own named in the settings"
    found = came(files, tmp_path, argv=argv, known=None if own else (), bare=False)
    assert found.codes == ()
    assert found.lacking == ()
    assert {"runner", "canary", "flip"} <= set(found.held)


def test_a_runner_behind_make_is_doubted_too(tmp_path: Path):
    """The pair and the flips need no word in the argv, and `-x` there is undone."""
    files = {**PROJECT, "Makefile": "check:\n\tpython -m pytest -x -q\n"}
    found = came(files, tmp_path, argv="make check")
    believed(found)
    assert found.doubted
    assert found.doubted.ran.exit == 2


def test_a_floor_of_coverage_is_a_threshold_and_nothing_else(tmp_path: Path):
    """Red exit, green report: refused in the first run, as what it is."""
    files = {**PROJECT, "calc.py": CALC + "def unused():\n    return 1\n"}
    argv = "python -m pytest --cov=calc --cov-fail-under=100"
    assert came(files, tmp_path / "a", argv=argv).codes == ("threshold",)
    argv = "python -m pytest --cov=calc --cov-fail-under=50"
    believed(came(files, tmp_path / "b", argv=argv))


def test_the_probe_is_not_counted_as_code_of_the_project(tmp_path: Path):
    """A project that covers itself wholly is not short of the judge's own lines."""
    files = {**PROJECT, ".coveragerc": "[run]\nbranch = true\n"}
    believed(came(files, tmp_path, argv="python -m pytest --cov --cov-fail-under=100"))


def test_an_honest_change_to_the_runner_counts_only_when_it_is_new(tmp_path: Path):
    """What was so at the seal is the project's own way."""
    hook = "from _pytest.python import Function\nsetup = Function.setup\n"
    files = {**PROJECT, "conftest.py": hook + "Function.setup = lambda self: setup(self)\n"}
    name = "_pytest.python:Function.setup"
    assert came(files, tmp_path / "a").codes == ("runner-patched",)
    believed(came(files, tmp_path / "b", known=(name,)))


def test_tests_that_rest_on_a_broken_one_make_the_flip_say_nothing(tmp_path: Path):
    """Steps of one file: the second fails with the first, which proves nothing against it."""
    steps = "done = []\ndef test_one():\n    done.append(1)\ndef test_two():\n    assert done\n"
    seen: dict[str, tuple[str, ...]] = {}
    for nonce in "12345678":
        tests = (Told("test_a.py::test_one", "passed"), Told("test_a.py::test_two", "passed"))
        (flip,) = flipped(Tree({"test_a.py": steps}), Report(tests, complete=True), nonce).red
        if flip not in seen:
            found = came({"test_a.py": steps}, tmp_path / nonce, nonce=nonce, bare=False)
            assert found.codes == ()
            seen[flip] = found.lacking
    assert seen == {"test_a.py::test_one": ("flip",), "test_a.py::test_two": ()}


def test_a_suite_without_a_test_of_its_own_has_a_pair_alone(tmp_path: Path):
    """Doctests cannot be broken; the pair stands among them."""
    files = {
        "calc.py": 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'
    }
    found = came(files, tmp_path, argv="python -m pytest --doctest-modules")
    believed(found)
    assert found.held == ("runner", "canary")
    assert isinstance(found.doubt, Doubt)
    assert found.doubt.lacking


def test_nothing_that_passed_means_nothing_to_doubt(tmp_path: Path):
    """A report of text files alone has no module to stand in."""
    found = came({"test_a.txt": ">>> 1 + 1\n2\n"}, tmp_path, argv="python -m pytest")
    assert found.doubt == "no test of a Python module passed"


@pytest.mark.parametrize("place", ["PYTHONPATH", "cwd"])
def test_the_project_is_found_where_a_person_said(place: str, tmp_path: Path):
    """The path and the environment are the person's own again when tests run."""
    tests = (
        "import os, sys, calc\ndef test_path():\n"
        "    assert calc.add(1, 1) == 2\n"
        f"    assert os.environ.get('PYTHONPATH') == {'src' if place == 'PYTHONPATH' else None!r}\n"
        "    assert not [n for n in os.environ if 'FORSOOTH' in n or n == 'PYTHONSAFEPATH']\n"
        "    assert 'forsooth_probe' not in ' '.join(sys.argv)\n"
    )
    folder = "src/" if place == "PYTHONPATH" else ""
    files = {f"{folder}calc.py": CALC, "tests/test_a.py": tests}
    env = {"PYTHONPATH": "src"} if place == "PYTHONPATH" else {}
    for number, argv in enumerate(("python -m pytest -q", "python -m pytest -q -n 2")):
        believed(came(files, tmp_path / str(number), argv=argv, env=env))
