"""unittest put through every ward: cheats refused, honest suites believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.judge.checks.recipes.recipe import Doubt
from tests.judge.disbelief.python_trial import Came, came, red

GOOD = "def add(a, b):\n    return a + b\n"
BUG = "def add(a, b):\n    return a - b\n"
TESTS = """
import unittest
from calc import add

class Adds(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

    def test_nothing(self):
        self.assertEqual(add(0, 0), 0)

class Waits(unittest.IsolatedAsyncioTestCase):
    async def test_waits(self):
        self.assertEqual(add(2, 2), 4)
"""


def tried(files: dict[str, str], folder: Path, argv: str = "", **more: object) -> Came:
    argv = argv or "python -m unittest"
    return came({"test_calc.py": TESTS, **files}, folder, argv=argv, runner="unittest", **more)


CHEATS = {
    "exits on import": ("import os\nos._exit(0)\n", {"report-truncated"}),
    "exits at exit": ("import atexit, os\natexit.register(os._exit, 0)\n", {"exit-disagrees"}),
    "assertion patched": (
        "import unittest\nunittest.TestCase.assertEqual = lambda *_, **__: None\n",
        {"canary", "flip", "runner-patched"},
    ),
    "success patched": (
        "import unittest\nunittest.TestResult.wasSuccessful = lambda self: True\n",
        {"exit-disagrees"},
    ),
    "results patched": (
        (
            "import unittest\nunittest.TestResult.addFailure = lambda *_: None\n"
            "unittest.TextTestResult.addFailure = lambda *_: None\n"
        ),
        {"exit-disagrees"},
    ),
    "known classes forged": (
        (
            "import unittest\nrun = unittest.TestCase._callTestMethod\n"
            "def calls(self, method):\n"
            "    return None if type(self).__name__ == 'Adds' else run(self, method)\n"
            "unittest.TestCase._callTestMethod = calls\n"
            "import unittest.async_case as a\na.IsolatedAsyncioTestCase._callTestMethod = "
            "lambda self, method: None\n"
        ),
        {"flip", "runner-patched"},
    ),
}


@pytest.mark.parametrize("how", CHEATS)
def test_a_package_that_deceives_unittest_is_refused(how: str, tmp_path: Path):
    """Each is green under the bare command."""
    code, wards = CHEATS[how]
    found = tried({"calc.py": code + BUG}, tmp_path)
    assert found.bare == 0
    assert wards <= set(found.codes)


@pytest.mark.parametrize("name", ["unittest.py", "unittest/__init__.py", "forsooth_told.py"])
def test_a_module_in_the_work_cannot_pose_as_unittest(name: str, tmp_path: Path):
    """The runner is there before the folder is on the path."""
    shadow = "import sys\nprint('OK')\nsys.exit(0)\n"
    files = {"calc.py": BUG, name: shadow}
    if "/" in name:
        files["unittest/__main__.py"] = shadow
    found = tried(files, tmp_path, bare=not name.startswith("forsooth"))
    assert (found.bare, found.codes) == (0, ("failed",))


def test_an_emptied_loader_is_seen_by_its_report(tmp_path: Path):
    """Zero tests is no success here, whatever the interpreter says of it."""
    loader = TESTS + "\ndef load_tests(*_):\n    return unittest.TestSuite()\n"
    assert tried({"calc.py": BUG, "test_calc.py": loader}, tmp_path).codes == ("no-tests",)


SHAPES = {
    "as it is": ({}, "python -m unittest"),
    "chosen and stopping early": ({}, "python -m unittest -f -k adds test_calc"),
    "in a package": (
        {"test_calc.py": "", "tests/__init__.py": "", "tests/test_in.py": TESTS},
        "python -m unittest discover",
    ),
    "with a fixture of the module": (
        {
            "test_calc.py": TESTS
            + "\ndef setUpModule():\n    global up\n    up = 1\n\ndef tearDownModule():\n"
            "    assert up\n\nclass More(unittest.TestCase):\n    @classmethod\n"
            "    def setUpClass(cls): cls.n = 1\n    def test_n(self): assert self.n == up\n"
        },
        "python -m unittest -v",
    ),
    "with subtests and skips": (
        {
            "test_calc.py": TESTS + "\nclass More(unittest.TestCase):\n    def test_many(self):\n"
            "        for n in range(3):\n            with self.subTest(n=n):\n"
            "                self.assertEqual(add(n, 0), n)\n"
            "    @unittest.skip('not now')\n    def test_not(self): self.fail()\n"
            "    @unittest.expectedFailure\n    def test_known(self): self.fail()\n"
        },
        "python -m unittest",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_an_honest_suite_is_believed(shape: str, tmp_path: Path):
    """Exactly the pair's red half and the flips are red."""
    files, argv = SHAPES[shape]
    found = tried({"calc.py": GOOD, **files}, tmp_path, argv, bare=False)
    assert found.codes == ()
    assert set(found.held) == {"runner", "canary", "flip"}
    assert isinstance(found.doubt, Doubt)
    assert red(found.doubted) == found.doubt.red
    assert found.doubted
    assert found.doubted.ran.exit == 1


def test_the_path_a_person_set_is_there_for_the_tests(tmp_path: Path):
    """It joins after the runner, and nothing of the judge is left in the environment."""
    tests = TESTS.replace("import unittest", "import os, unittest") + (
        "\nclass Where(unittest.TestCase):\n    def test_where(self):\n"
        "        self.assertEqual(os.environ['PYTHONPATH'], 'src')\n"
        "        self.assertNotIn('FORSOOTH_RUN', os.environ)\n"
    )
    files = {
        "src/calc.py": GOOD,
        "test_calc.py": tests,
        "src/sitecustomize.py": "raise SystemExit(0)",
    }
    found = tried(files, tmp_path, env={"PYTHONPATH": "src"}, bare=False)
    assert found.codes == ()


@pytest.mark.parametrize("argv", ["python manage.py test", "python manage.py test --parallel"])
def test_a_script_that_runs_unittest_is_doubted_like_it(argv: str, tmp_path: Path):
    """As Django's does; in the doubted run, tests are not spread over processes."""
    script = (
        "import sys, unittest\n"
        "if __name__ == '__main__':\n"
        "    assert sys.argv[:2] == ['manage.py', 'test'], sys.argv\n"
        "    assert sys.argv[2:] in ([], ['--parallel'], ['--parallel', '--parallel=1'])\n"
        "    unittest.main('test_calc', argv=['manage.py'])\n"
    )
    found = tried({"calc.py": GOOD, "manage.py": script}, tmp_path, argv)
    assert (found.bare, found.codes) == (0, ())
    assert set(found.held) == {"runner", "canary", "flip"}
