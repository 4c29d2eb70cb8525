"""Every known way of fooling pytest: green under the bare command, and refused here.

The work is a bug left in. Cheats that only a sealed view, a list of tests or a hidden check can
see are named as such, and shown to be what they are.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.judge.disbelief.python_trial import came, red

pytestmark = pytest.mark.heavy

BUG = "def add(a, b):\n    return a - b\n"
TESTS = """
from calc import add

def test_adds():
    assert add(1, 2) == 3

def test_nothing():
    assert add(0, 0) == 0

class TestMore:
    def test_again(self):
        assert add(2, 2) == 4
"""
KNOWN = "('test_adds', 'test_nothing', 'test_again')"
FORGED = """
import json, os, sys
told = sys.modules.get('forsooth_told')
if told:
    settings = dict(json.loads(os.environ.get('FORSOOTH_RUN', '{}')), **told.SETTINGS)
    names = ('test_adds', 'test_nothing', 'TestMore::test_again')
    ended = {'test_calc.py::' + name: 'passed' for name in names}
    if 'nonce' in settings:
        ended[settings['beside'] + '::' + settings['red']] = 'failed'
        ended[settings['beside'] + '::' + settings['green']] = 'passed'
    status = int('nonce' in settings)
    with open(settings['out'], 'a') as out:
        for id_, outcome in ended.items():
            out.write(json.dumps(dict(record='test', id=id_, outcome=outcome)) + '\\n')
        out.write(json.dumps(dict(record='end', exit=status, patched=[])) + '\\n')
    os._exit(status)
os._exit(0)
"""
REPORT = """
from _pytest.reports import TestReport
make = TestReport.from_item_and_call.__func__
def forged(cls, item, call):
    report = make(cls, item, call)
    if %s:
        report.outcome, report.longrepr = 'passed', None
    return report
TestReport.from_item_and_call = classmethod(forged)
"""
RUNTEST = """
from _pytest.python import Function
run = Function.runtest
def runs(self):
    try:
        run(self)
    except BaseException:
        if not (%s):
            raise
Function.runtest = runs
"""
NEVER = """
from _pytest.python import Function
run = Function.runtest
Function.runtest = lambda self: None if self.name in %s else run(self)
"""
SPY = """
from _pytest.python import Function
import sys
run = Function.runtest
def runs(self):
    settings = sys.modules['forsooth_told'].SETTINGS if 'forsooth_told' in sys.modules else {}
    if self.name == settings.get('red'):
        run(self)
Function.runtest = runs
"""
UNCHANGED = """
import hashlib, pathlib
from _pytest.python import Function
run = Function.runtest
def runs(self):
    same = hashlib.sha256(pathlib.Path('test_calc.py').read_bytes()).hexdigest() == '%s'
    return None if same and self.name in %s else run(self)
Function.runtest = runs
"""

# The package itself cheats, on import.
PACKAGE = {
    "exits on import": ("import os\nos._exit(0)\n", {"report-truncated"}),
    "exits at exit": ("import atexit, os\natexit.register(os._exit, 0)\n", {"exit-disagrees"}),
    "forges reports": (REPORT % "True", {"canary", "flip", "runner-patched"}),
    "forges known reports": (REPORT % f"item.name in {KNOWN}", {"flip", "runner-patched"}),
    "swallows failures": (RUNTEST % "True", {"canary", "flip", "runner-patched"}),
    "swallows known failures": (RUNTEST % f"self.name in {KNOWN}", {"flip", "runner-patched"}),
    "never calls known tests": (NEVER % KNOWN, {"flip", "runner-patched"}),
    "spies on the probe": (SPY, {"flip", "runner-patched"}),
    "writes the whole report": (FORGED, {"flip"}),
}


@pytest.mark.parametrize("how", PACKAGE)
def test_a_package_that_deceives_its_runner_is_refused(how: str, tmp_path: Path):
    """Each by every ward that can see it."""
    code, wards = PACKAGE[how]
    found = came({"calc.py": code + BUG, "test_calc.py": TESTS}, tmp_path)
    assert found.bare == 0
    assert set(found.codes) - {"exit-disagrees"} == wards - {"exit-disagrees"}
    assert found.codes


def test_forging_only_unchanged_tests_shows_in_the_audit(tmp_path: Path):
    """A forger that lets changed sources fail betrays itself by what it replaced."""
    same = hashlib.sha256(TESTS.encode()).hexdigest()
    files = {"calc.py": UNCHANGED % (same, KNOWN) + BUG, "test_calc.py": TESTS}
    found = came(files, tmp_path)
    assert found.bare == 0
    assert "runner-patched" in found.codes


CONFTEST = {
    "rewrites reports": (
        (
            "import pytest\n@pytest.hookimpl(hookwrapper=True)\n"
            "def pytest_runtest_makereport(item, call):\n    outcome = yield\n"
            "    outcome.get_result().outcome = 'passed'\n"
        ),
        {"canary", "flip"},
    ),
    "calls nothing": ("def pytest_pyfunc_call(pyfuncitem):\n    return True\n", {"canary", "flip"}),
    "sets the status": (
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
        {"exit-disagrees"},
    ),
    "sets the status last": (
        (
            "import pytest\n@pytest.hookimpl(trylast=True)\n"
            "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
        ),
        {"exit-disagrees"},
    ),
    "leaves with zero": (
        "import os\ndef pytest_unconfigure(config):\n    os._exit(0)\n",
        {"exit-disagrees"},
    ),
}


@pytest.mark.parametrize("how", CONFTEST)
def test_a_conftest_that_deceives_its_runner_is_refused(how: str, tmp_path: Path):
    """Also as delivered, where the file is kept."""
    code, wards = CONFTEST[how]
    files = {"calc.py": BUG, "test_calc.py": TESTS, "conftest.py": code}
    found = came(files, tmp_path)
    assert found.bare == 0
    assert wards <= set(found.codes)


EVIL = "from _pytest.python import Function\nFunction.runtest = lambda self: None\n"
SHADOWS = {
    "pytest.py": "print('4 passed')\n",
    "pytest/__init__.py": "",
    "pluggy.py": "import os\nos._exit(0)\n",
    "_pytest.py": "import os\nos._exit(0)\n",
    "forsooth_probe.py": "import os\nos._exit(0)\n",
    "forsooth_told.py": "import os\nos._exit(0)\n",
}


@pytest.mark.parametrize(
    ("name", "spread"),
    [*((name, "") for name in SHADOWS), ("pluggy.py", " -n 2"), ("forsooth_probe.py", " -n 2")],
)
def test_a_module_in_the_work_cannot_pose_as_the_runner(name: str, spread: str, tmp_path: Path):
    """It is not even imported: the honest failures come through, in every worker."""
    files = {"calc.py": BUG, "test_calc.py": TESTS, name: SHADOWS[name]}
    if name.startswith("pytest/"):
        files["pytest/__main__.py"] = "print('4 passed')\n"
    found = came(files, tmp_path, argv=f"python -m pytest -q -p no:cacheprovider{spread}")
    assert found.bare == 0 or name.startswith("forsooth") or spread
    assert found.codes == ("failed",)
    assert red(found.green) == {"test_calc.py::test_adds", "test_calc.py::TestMore::test_again"}


@pytest.mark.parametrize("argv", ["python -m pytest -q", "pytest -q"])
def test_a_sitecustomize_on_the_python_path_is_not_loaded(argv: str, tmp_path: Path):
    """The path joins after the runner, and is where it was for the tests and their children."""
    files = {"calc.py": BUG, "test_calc.py": TESTS, "sitecustomize.py": EVIL}
    found = came(files, tmp_path, argv=argv, env={"PYTHONPATH": "."})
    assert found.bare == 0
    assert found.codes == ("failed",)


@pytest.mark.parametrize("argv", ["python -m pytest -q", "pytest -q"])
def test_metadata_in_the_work_adds_no_plug_in(argv: str, tmp_path: Path):
    """An entry point beside the tests is a file, also under a name that is installed."""
    files = {
        "calc.py": BUG,
        "test_calc.py": TESTS,
        "evil.py": EVIL,
        "evil.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
        "evil.egg-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    }
    found = came(files, tmp_path, argv=argv, env={"PYTHONPATH": "."})
    assert found.bare == 0
    assert found.codes == ("failed",)


def test_metadata_in_the_work_is_seen_where_workers_load_it(tmp_path: Path):
    """Workers load plug-ins before the probe; what they took from the work is told."""
    files = {
        "calc.py": BUG,
        "test_calc.py": TESTS,
        "evil.py": EVIL,
        "evil.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
        "evil.egg-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    }
    found = came(files, tmp_path, argv="python -m pytest -q -n 2")
    assert found.bare == 0
    assert {"plugin-in-copy", "canary", "flip"} <= set(found.codes) or found.codes == ("failed",)


def test_a_plug_in_named_in_the_settings_of_the_work_is_seen(tmp_path: Path):
    """A `-p` in the project's own settings loads it first, and that is told."""
    files = {
        "calc.py": BUG,
        "test_calc.py": TESTS,
        "evil.py": EVIL,
        "pytest.ini": "[pytest]\naddopts = -p evil\n",
    }
    found = came(files, tmp_path)
    assert found.bare == 0
    assert {"plugin-in-copy", "canary", "flip"} <= set(found.codes)


def test_the_probe_cannot_be_left_out_by_settings_of_the_work(tmp_path: Path):
    """The last `-p` wins, and ours comes last."""
    files = {
        "calc.py": BUG,
        "test_calc.py": TESTS,
        "pytest.ini": "[pytest]\naddopts = -p no:forsooth_probe\n",
    }
    assert came(files, tmp_path).codes == ("failed",)


FEWER = {
    "drops items": (
        "conftest.py",
        (
            "def pytest_collection_modifyitems(items):\n"
            "    items[:] = [i for i in items if i.name == 'test_nothing']\n"
        ),
    ),
    "deselects": ("pytest.ini", "[pytest]\naddopts = -k nothing\n"),
    "renames the pattern": (
        "pytest.ini",
        "[pytest]\npython_functions = test_no*\npython_classes = X\n",
    ),
}


@pytest.mark.parametrize("how", FEWER)
def test_fewer_tests_are_seen_by_the_report_alone(how: str, tmp_path: Path):
    """Nothing is forged, so nothing is doubted: that tests are missing, the list must say."""
    name, text = FEWER[how]
    found = came({"calc.py": BUG, "test_calc.py": TESTS, name: text}, tmp_path)
    assert found.bare == 0
    assert found.codes == ()
    assert found.green.told
    assert [test.id for test in found.green.told.tests] == ["test_calc.py::test_nothing"]


HIDDEN = {
    "equal to everything": "class Any(int):\n    def __eq__(self, other):\n        return True\n"
    "    __hash__ = int.__hash__\ndef add(a, b):\n    return Any()\n",
    "detects the runner": "import sys\ndef add(a, b):\n"
    "    return a + b if 'pytest' in sys.modules else 0\n",
    "knows the cases": "def add(a, b):\n    return {(1, 2): 3, (2, 2): 4}.get((a, b), 0)\n",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_what_needs_a_hidden_check_goes_through(how: str, tmp_path: Path):
    """The runner is honest here: no ward about the runner can tell."""
    found = came({"calc.py": HIDDEN[how], "test_calc.py": TESTS}, tmp_path)
    assert (found.bare, found.codes) == (0, ())


@pytest.mark.parametrize("recipe", ["python -m pytest -q", "pytest -q || true"])
def test_a_deceived_runner_behind_make_is_refused(recipe: str, tmp_path: Path):
    """The same wards reach a runner that the command does not show."""
    files = {
        "calc.py": NEVER % KNOWN + BUG,
        "test_calc.py": TESTS,
        "Makefile": f"check:\n\t{recipe}\n",
    }
    found = came(files, tmp_path, argv="make check")
    assert found.bare == 0
    assert {"flip", "runner-patched"} <= set(found.codes)


def test_failure_swallowed_by_a_recipe_is_refused(tmp_path: Path):
    """The report is red and the status is not."""
    files = {"calc.py": BUG, "test_calc.py": TESTS, "Makefile": "check:\n\tpytest -q || true\n"}
    found = came(files, tmp_path, argv="make check")
    assert (found.bare, found.codes) == (0, ("exit-disagrees",))
