"""The sealed view undoes what bends a judgement and leaves honest work as it was delivered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from forsooth.core.check import Check
from forsooth.core.plan import NO_BASE, Criterion, Fence, Goal
from forsooth.git.trees import listing
from forsooth.judge.look import Looking
from forsooth.judge.oracles import oracles
from forsooth.judge.views import View, sealed_view
from tests.git.repos import Repo

BASE = {
    "pkg/__init__.py": "def add(a, b):\n    return a - b\n",
    "tests/test_add.py": "from pkg import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "tests/test_sub.py": "def test_sub():\n    pass\n",
    "tests/helpers.py": "X = 1\n",
    "tests/golden/out.txt": "3\n",
    "pyproject.toml": "[project]\nname = 'pkg'\n\n[tool.pytest.ini_options]\naddopts = '-q'\n",
    "Makefile": "test:\n\tsh scripts/check.sh\n\tpytest\n",
    "scripts/check.sh": "#!/bin/sh\npytest tests\n",
    "README.md": "# pkg\n",
    "bad.csv": "a,b\n",
}
TESTS = ("tests/test_add.py::test_add", "tests/test_sub.py::test_sub")
Files = Mapping[str, str | None]


def a_criterion(*argv: str, kind: str = "tests", **more: Any) -> Criterion:
    params = {"argv": list(argv), **({"runner": "pytest"} if kind == "tests" else {})}
    return Criterion(id="G001.C1", says="s", check=Check(kind=kind, params=params), **more)


PYTEST = a_criterion("pytest")


def write(made: Repo, files: Files) -> None:
    for path, text in files.items():
        if text is None:
            (made.folder / path).unlink()
            if not any((made.folder / path).parent.iterdir()):
                (made.folder / path).parent.rmdir()
        else:
            made.write(path, text, mode=0o755 if path.endswith(".sh") else 0o644)


class Delivery:
    """A base, a delivery, and the sealed view of both."""

    def __init__(self, folder: Path, base: Files, files: Files) -> None:
        self.made = Repo(folder)
        write(self.made, base)
        self.made.commit()
        self.base = self.made.tree
        write(self.made, files)
        self.made.commit()
        self.now = self.made.tree

    def view(self, criterion: Criterion = PYTEST, tests: Any = TESTS, **leave: Any) -> View:
        fence = Fence(touch=leave.pop("touch", ()))
        kept = leave.pop("kept", ())
        goal = Goal(id="G001", title="t", objective="o", fence=fence, **leave)
        look = Looking(self.made.repo, self.base, base=NO_BASE)
        return sealed_view(
            self.made.repo,
            self.base,
            self.now,
            criterion=criterion,
            goal=goal,
            oracles=oracles(criterion, look, goal=goal, tests=tests),
            tests=tests,
            kept=kept,
        )

    def text(self, view: View, path: str) -> str | None:
        found = Looking(self.made.repo, view.tree, base=NO_BASE).read(path)
        return None if found is None else found.decode()


@pytest.fixture
def deliver(tmp_path: Path):
    return lambda files, base=BASE: Delivery(tmp_path / "repo", base, files)


FIXED = {"pkg/__init__.py": "def add(a, b):\n    return a + b\n"}

CHEATS: dict[str, tuple[Files, str, str]] = {
    "test deleted": ({"tests/test_add.py": None}, "restored", "tests/test_add.py"),
    "skip marker": (
        {"tests/test_add.py": "import pytest\npytest.skip(allow_module_level=True)\n"},
        "restored",
        "tests/test_add.py",
    ),
    "golden follows the bug": (
        {"tests/golden/out.txt": "-1\n"},
        "restored",
        "tests/golden/out.txt",
    ),
    "helper bent": ({"tests/helpers.py": "X = 2\n"}, "restored", "tests/helpers.py"),
    "conftest": ({"conftest.py": "collect_ignore = ['x']\n"}, "removed", "conftest.py"),
    "conftest below": ({"tests/conftest.py": "x = 1\n"}, "removed", "tests/conftest.py"),
    "a new test patches the subject": (
        {"tests/test_000.py": "import pkg\npkg.add = lambda a, b: 3\n"},
        "removed",
        "tests/test_000.py",
    ),
    "subject shadowed among tests": ({"tests/pkg.py": "add = 3\n"}, "removed", "tests/pkg.py"),
    "stronger settings": ({"pytest.ini": "[pytest]\naddopts=-k no\n"}, "removed", "pytest.ini"),
    "tox settings": ({"tox.ini": "[pytest]\naddopts=-k no\n"}, "removed", "tox.ini"),
    "site": ({"sitecustomize.py": "import os\n"}, "removed", "sitecustomize.py"),
    "runner shadowed": ({"pytest.py": "print('1 passed')\n"}, "removed", "pytest.py"),
    "runner's package shadowed": (
        {"_pytest/__init__.py": "\n#\n"},
        "removed",
        "_pytest/__init__.py",
    ),
    "standard library shadowed": ({"src/json.py": "#\n"}, "removed", "src/json.py"),
    "plug-in by metadata": (
        {"evil.egg-info/entry_points.txt": "[pytest11]\ne = e\n"},
        "removed",
        "evil.egg-info/entry_points.txt",
    ),
    "options in the project file": (
        {"pyproject.toml": "[project]\nname = 'p'\n[tool.pytest.ini_options]\naddopts = '-k no'\n"},
        "merged",
        "pyproject.toml",
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_what_bends_a_judgement_is_undone(deliver, name: str):
    """Whatever the fence lets be touched."""
    files, how, path = CHEATS[name]
    there = deliver(files)
    view = there.view(touch=("**",))
    assert path in getattr(view, how), view
    was = BASE.get(path)
    if how == "restored":
        assert there.text(view, path) == was
    if how == "removed":
        assert there.text(view, path) is None
    if how == "merged":
        assert "-k no" not in (there.text(view, path) or "")


def test_a_script_behind_make_is_restored_with_its_mode(deliver):
    """The criterion's own script may not say verified by itself, nor lose its executable bit."""
    there = deliver({"scripts/check.sh": "#!/bin/sh\ntrue\n", "Makefile": "test:\n\ttrue\n"})
    view = there.view(a_criterion("make", "test", kind="command"), touch=("**",))
    assert {"Makefile", "scripts/check.sh"} <= {*view.restored}
    modes = {entry.path: entry.mode for entry in listing(there.made.repo, view.tree)}
    assert modes["scripts/check.sh"] == "100755"


def test_a_mode_alone_is_restored(deliver):
    """A check that can no longer be run is not the one that was sealed."""
    there = deliver({})
    (there.made.folder / "scripts/check.sh").chmod(0o644)
    there.made.commit()
    there.now = there.made.tree
    view = there.view(a_criterion("./scripts/check.sh", kind="command"))
    assert view.restored == ("scripts/check.sh",)


HONEST: dict[str, tuple[Files, dict[str, Any]]] = {
    "only the product": (FIXED, {}),
    "a document": ({"README.md": "# pkg\n\n## Usage\n"}, {}),
    "a new document among tests": ({"tests/data/more.csv": "1\n"}, {}),
    "a makefile for pytest": ({"GNUmakefile": "x:\n"}, {}),
    "expectation changed": (
        {"tests/test_add.py": "def test_add():\n    assert 4\n"},
        {"may_change": ("tests/test_add.py",)},
    ),
    "golden updated": ({"tests/golden/out.txt": "4\n"}, {"may_change": ("tests/golden/**",)}),
    "feature removed with its test": (
        {"tests/test_sub.py": None},
        {"may_remove": ("tests/test_sub.py",)},
    ),
    "a file whose every test may go": (
        {"tests/test_sub.py": None},
        {"may_remove": ("tests/test_sub.py::test_sub",)},
    ),
    "one test removed by id": (
        {"tests/test_sub.py": "def test_other():\n    pass\n"},
        {"may_remove": ("tests/test_sub.py::test_sub",)},
    ),
    "one test removed by name": (
        {"tests/test_sub.py": "def test_other():\n    pass\n"},
        {"may_remove": ("test_sub",)},
    ),
    "tests moved with their subject": (
        {
            "tests/test_sub.py": None,
            "pkg/__init__.py": None,
            "pkg/sums.py": "# moved\n",
            "tests/unit/test_sub.py": "def test_sub():\n    pass\n",
        },
        {"may_move": ("tests/**",)},
    ),
    "tests moved and changed": (
        {"tests/test_sub.py": None, "tests/unit/test_minus.py": "def test_sub():\n    assert 1\n"},
        {"may_move": ("tests/**",), "may_change": ("tests/**",)},
    ),
    "tests moved and named anew": (
        {"tests/test_sub.py": None, "tests/unit/test_sub.py": "def test_minus():\n    assert 1\n"},
        {"may_move": ("tests/**",), "may_change": ("tests/**",)},
    ),
    "settings that the plan names": ({"conftest.py": "x = 1\n"}, {"touch": ("conftest.py",)}),
    "expectation changed with a new helper": (
        {
            "tests/test_add.py": "from fresh import four\n\ndef test_add():\n    assert four\n",
            "tests/fresh.py": "four = 4\n",
        },
        {"may_change": ("tests/test_add.py",)},
    ),
    "brought by the upstream": (
        {"tests/test_add.py": "# theirs\n"},
        {"kept": ("tests/test_add.py",)},
    ),
    "dependency added": (
        {"pyproject.toml": BASE["pyproject.toml"].replace("'pkg'\n", "'pkg'\ndependencies=[]\n")},
        {},
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_run_once(deliver, name: str):
    """Where nothing has to be undone the view is the delivered tree itself."""
    files, leave = HONEST[name]
    there = deliver(files)
    view = there.view(**leave)
    assert view == View(there.now)


MOVED = {"tests/test_sub.py": None, "tests/unit/test_sub.py": BASE["tests/test_sub.py"]}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"tests/unit/test_sub.py": "def test_sub():\n    assert True\n"},
        {"tests/unit/conftest.py": "# new\n"},
        {"pkg/other.py": "def add(): ...\n"},
    ],
)
def test_a_moved_test_must_hold_where_it_stood(deliver, more: Files):
    """It comes back as sealed, and what it became is left out: it may be weaker, or bent there."""
    view = deliver({**MOVED, **more}).view(may_move=("tests/**",))
    assert (view.restored, view.removed) == (("tests/test_sub.py",), ("tests/unit/test_sub.py",))


@pytest.mark.parametrize(
    ("more", "restored", "removed"),
    [
        ({"tests/unit/conftest.py": "# new\n"}, (), ("tests/unit/conftest.py",)),
        (
            {"tests/unit/test_sub.py": "def test_sub():\n    assert 1\n"},
            ("tests/test_sub.py",),
            ("tests/unit/test_sub.py",),
        ),
    ],
)
def test_a_test_that_moved_with_its_subject_went_as_it_was(deliver, more, restored, removed):
    """Weakened by the way it comes back; new settings where it went are left out."""
    view = deliver({**MOVED, "pkg/__init__.py": None, "pkg/sums.py": "#\n", **more}).view(
        may_move=("tests/**",)
    )
    assert (view.restored, view.removed) == (restored, removed)


def test_a_go_test_that_moved_is_known_by_the_names_in_it(deliver):
    """Its runner names a package, and its file may have another name."""
    test = "package calc\n\nfunc TestAdd(t *testing.T) {}\n"
    base = {"go.mod": "module example.com/m\n", "calc/add.go": "package calc\n"}
    moved = {"calc/add.go": None, "calc/add_test.go": None, "sum/sum.go": "package sum\n"}
    moved["sum/sum_test.go"] = test.replace("calc", "sum")
    there = deliver(moved, {**base, "calc/add_test.go": test})
    go, tests = a_criterion("go", "test", "./...", kind="command"), ("example.com/m/calc::TestAdd",)
    assert there.view(go, tests, may_move=("calc/**",)) == View(there.now)
    assert there.view(go, tests).restored == ("calc/add_test.go",)


def test_leave_to_move_is_no_leave_to_remove(deliver):
    """A moved file must be somewhere."""
    there = deliver({"tests/test_sub.py": None})
    assert there.view(may_move=("tests/**",)).restored == ("tests/test_sub.py",)


def test_leave_to_change_is_no_leave_to_remove(deliver):
    """A file that may change must stay."""
    there = deliver({"tests/test_sub.py": None})
    assert there.view(may_change=("tests/**",)).restored == ("tests/test_sub.py",)


def test_leave_for_one_file_is_none_for_another(deliver):
    """Everything not named is as sealed."""
    there = deliver({"tests/test_sub.py": "#\n", "tests/test_add.py": "#\n"})
    assert there.view(may_change=("tests/test_sub.py",)).restored == ("tests/test_add.py",)


def test_new_tests_with_a_new_fixture_leave_the_sealed_ones_alone(deliver):
    """In the sealed view both are gone; an extended conftest is as it was."""
    base = {**BASE, "tests/conftest.py": "# sealed\n"}
    new = {"tests/conftest.py": "# more\n", "tests/test_new.py": "def test_new(): pass\n", **FIXED}
    there = deliver(new, base)
    view = there.view()
    assert (view.restored, view.removed) == (("tests/conftest.py",), ("tests/test_new.py",))
    assert there.text(view, "pkg/__init__.py") == FIXED["pkg/__init__.py"]


NEW_TEST = {"tests/test_new.py": "def test_new(made): pass\n", "tests/conftest.py": "# made\n"}


@pytest.mark.parametrize(
    ("argv", "base", "tests"),
    [
        (("pytest", "tests/test_new.py"), BASE, ()),
        (("pytest", "tests/test_new.py"), BASE, None),
        (("pytest", "-k", "test_new"), BASE, ()),
        (("pytest", "-k", "test_new"), BASE, None),
        (("pytest", "-k", "new and add"), BASE, ()),
        (("pytest",), {"pkg/__init__.py": "x = 1\n"}, None),
        (("pytest", "tests/test_add.py::test_more"), BASE, None),
    ],
)
def test_tests_that_are_all_new_are_kept_with_their_fixtures(deliver, argv, base, tests):
    """Nothing was sealed that they could bend."""
    there = deliver({**NEW_TEST, "tests/test_add.py": "def test_more(): pass\n"}, base)
    assert there.view(a_criterion(*argv), tests) == View(there.now)


def test_a_first_set_up_of_tests_keeps_its_settings(deliver):
    """A project without tests has no settings to seal."""
    new = {**NEW_TEST, "pytest.ini": "[pytest]\npythonpath=src\n"}
    new["pyproject.toml"] = "[project]\nname='p'\n[tool.pytest.ini_options]\npythonpath=['src']\n"
    there = deliver(new, {"src/pkg.py": "x = 1\n", "pyproject.toml": "[project]\nname='p'\n"})
    assert there.view(tests=None) == View(there.now)


def test_tests_that_could_not_be_loaded_are_sealed_all_the_same(deliver):
    """A file whose import fails has no ids; it is an oracle, and what it awaits stays."""
    base = {**BASE, "tests/test_wanted.py": "from factory import make\n\ndef test_make(): make()\n"}
    new = {"tests/factory.py": "def make(): pass\n", "tests/test_wanted.py": "#\n"}
    there = deliver({**new, "conftest.py": "#\n"}, base)
    view = there.view(a_criterion("pytest", "tests/test_wanted.py"), None)
    assert (view.restored, view.removed) == (("tests/test_wanted.py",), ("conftest.py",))


def test_a_new_module_that_loaded_tests_name_is_not_awaited(deliver):
    """Their import was found elsewhere on the base: the new one would stand before it."""
    base = {**BASE, "tests/test_add.py": "import requests\n\ndef test_add(): pass\n"}
    there = deliver({"tests/requests.py": "#\n"}, base)
    assert there.view().removed == ("tests/requests.py",)


def test_a_new_module_in_the_product_s_name_is_not_awaited(deliver):
    """Tests that could not be loaded ask for the product, not for a double beside them."""
    there = deliver({"tests/pkg.py": "#\n"})
    view = there.view(a_criterion("pytest", "tests/test_add.py"), None)
    assert view.removed == ("tests/pkg.py",)


def test_a_data_file_that_the_argv_names_is_restored_and_the_product_is_not(deliver):
    """The input of a command is what it is judged by, unless the fence lets it be changed."""
    there = deliver({"bad.csv": "c\n", "pkg/__init__.py": "x = 1\n", **NEW_TEST})
    criterion = a_criterion("python", "-m", "pkg", "bad.csv", kind="command")
    assert there.view(criterion, None).restored == ("bad.csv",)
    assert there.view(criterion, None, touch=("*.csv",)) == View(there.now)


def test_a_file_in_the_place_of_a_folder_is_undone(deliver):
    """And a folder in the place of a file."""
    there = deliver({"tests/golden/out.txt": None, "tests/golden": "a file\n"})
    view = there.view()
    assert there.text(view, "tests/golden/out.txt") == "3\n"


def test_a_new_project_file_loses_only_its_settings(deliver):
    """What makes it a package stays."""
    base = {path: text for path, text in BASE.items() if path != "pyproject.toml"}
    there = deliver({"pyproject.toml": BASE["pyproject.toml"]}, base)
    view = there.view()
    assert view.merged == ("pyproject.toml",)
    assert there.text(view, "pyproject.toml") == "[project]\nname = 'pkg'\n\n"


def test_a_new_package_file_loses_only_its_settings(deliver):
    """As a project file does."""
    package = {"package.json": '{"name": "x", "jest": {"bail": true}}'}
    there = deliver(package, {"src/a.js": "", "src/a.test.js": "test()\n"})
    view = there.view(a_criterion("npx", "jest", kind="command"), ("src/a.test.js > a",))
    assert view.merged == ("package.json",)
    assert there.text(view, "package.json") == '{\n  "name": "x"\n}\n'


@pytest.mark.parametrize("named", ["tests/test_new.py", "tests/fresh"])
def test_a_new_test_that_the_argv_names_is_kept_beside_sealed_ones(deliver, named: str):
    """By its file, or by a folder that is new as well; any other is left out."""
    path = named if named.endswith(".py") else f"{named}/test_new.py"
    there = deliver({path: "def test_new(): pass\n", "tests/test_other.py": "#\n"})
    view = there.view(a_criterion("pytest", "tests/test_add.py", named), TESTS[:1])
    assert view.removed == ("tests/test_other.py",)


def test_nothing_delivered_is_nothing_to_undo(deliver):
    """The base is its own sealed view."""
    there = deliver({})
    assert there.view() == View(there.base)


def test_a_file_that_the_plan_protects_comes_back_whole(deliver):
    """Otherwise only the runner's own part of it does."""
    made = deliver({"pyproject.toml": BASE["pyproject.toml"].replace("'pkg'", "'own'")})
    assert made.text(made.view(), "pyproject.toml") != BASE["pyproject.toml"]
    view = made.view(a_criterion("pytest", oracle=("pyproject.toml",)))
    assert made.text(view, "pyproject.toml") == BASE["pyproject.toml"]
