"""What a criterion rests on is found in its argv, and product is never taken for it."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.core.check import Check
from forsooth.core.plan import Criterion, Fence, Goal
from forsooth.judge.novelty import is_new
from forsooth.judge.oracles import oracles, reading_of, unsealed
from forsooth.judge.oracles import tested_within as holding_tests
from forsooth.judge.sides import Sides
from tests.judge.checks.place import Tree

PYTHON = {
    "imp/__init__.py": "",
    "imp/__main__.py": "",
    "tool.sh": "#!/bin/sh\npython -m imp data/in.txt\n",
    "verify.sh": "#!/bin/sh\npython scripts/compare.py out expected.json\nsh tests/deep.sh\n",
    "scripts/compare.py": "",
    "scripts/check_links.py": "",
    "expected.json": "{}",
    "bad.csv": "",
    "data/in.txt": "",
    "README.md": "",
    "ci/pytest.cfg": "[pytest]\n",
    "conftest.py": "",
    "pytest.ini": "",
    "pyproject.toml": "",
    "setup.cfg": "",
    ".coveragerc": "",
    "noxfile.py": "",
    "statistics.py": "",
    "tests/__init__.py": "",
    "tests/conftest.py": "",
    "tests/run.py": "",
    "tests/deep.sh": "",
    "tests/helpers.py": "",
    "tests/data/in.json": "",
    "tests/test_a.py": "",
    "tests/unit/test_b.py": "",
    "other/tests/test_c.py": "",
    "other/pyproject.toml": "",
    "docs/spec/api.yaml": "",
}
MAKE = {
    "Makefile": "-include more.mk\nPY = pytest -c ci/x.ini\ntest: build\n\t@./scripts/check.sh\n"
    "\t$(PY) tests\nbuild:\n\tgcc src/main.c\n",
    "more.mk": "extra:\n\tsh tests/extra.sh\n",
    "ci/x.ini": "",
    "scripts/check.sh": "#!/bin/sh\nbash tests/inner.sh fixtures.txt\n",
    "tests/inner.sh": "diff a golden.txt\n",
    "tests/extra.sh": "",
    "tests/test_x.py": "",
    "golden.txt": "",
    "fixtures.txt": "",
    "src/main.c": "",
}
NODE = {
    "package.json": '{"scripts": {"test": "npm run unit", "unit": "vitest run -c vt.config.ts"}}',
    "vt.config.ts": "",
    "vitest.config.ts": "",
    "vite.config.ts": "export default {}",
    "babel.config.js": "",
    ".npmrc": "",
    ".mocharc.yml": "",
    "jest.config.js": "",
    "src/sum.ts": "",
    "src/sum.test.ts": "",
    "src/__snapshots__/sum.test.ts.snap": "",
    "src/fixtures/a.json": "",
    "lib/other.ts": "",
    "lib/spec/openapi.json": "",
}
GO = {
    "go.mod": "module example.com/m\n",
    "Makefile": "",
    "pkg/a.go": "",
    "pkg/a_test.go": "",
    "pkg/testdata/x.txt": "",
    "test/helper.go": "",
    "cmd/b_test.go": "",
}
RUST = {
    "Cargo.toml": "",
    ".cargo/config.toml": "",
    ".config/nextest.toml": "",
    "src/lib.rs": "",
    "src/tests.rs": "",
    "src/tests/deep.rs": "",
    "tests/it.rs": "",
    "tests/common/mod.rs": "",
}


def a_criterion(argv: str | list[str], runner: str = "", **more: Any) -> Criterion:
    words = argv.split() if isinstance(argv, str) else argv
    params: dict[str, Any] = {"argv": words, "cwd": more.pop("cwd", "")}
    kind = "tests" if runner else "command"
    check = Check(kind=kind, params={**params, **({"runner": runner} if runner else {})})
    return Criterion(id="G001.C1", says="s", check=check, **more)


def rests(files: dict[str, str], argv: str | list[str], runner: str = "", **more: Any) -> set[str]:
    touch, tests = more.pop("touch", ()), more.pop("tests", None)
    goal = Goal(id="G001", title="t", objective="o", fence=Fence(touch=touch))
    return {*oracles(a_criterion(argv, runner, **more), Tree(files), goal=goal, tests=tests)}


SETTINGS = {"conftest.py", "pytest.ini", "pyproject.toml", "setup.cfg", ".coveragerc", "noxfile.py"}
SIDE = {path for path in PYTHON if path.startswith("tests/")}


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        ("python -m imp bad.csv", {"bad.csv"}),
        ("./tool.sh", set()),
        ("./tool.sh --in=data/in.txt", {"data/in.txt"}),
        ("./verify.sh", {"verify.sh", "expected.json", "tests/deep.sh"}),
        ("bash verify.sh", {"verify.sh", "expected.json", "tests/deep.sh"}),
        ("python scripts/compare.py a", set()),
        ("python scripts/check_links.py", {"scripts/check_links.py"}),
        ("python -m tests.run", {"tests/run.py"}),
        ("python tests/run.py", {"tests/run.py"}),
        ("grep -q Usage README.md", set()),
        ("grep -rq x tests", set()),
        ("test -f data/in.txt", set()),
        ("python -m json.tool expected.json", {"expected.json"}),
        ("python -m json.tool data/in.txt", set()),
        ("env A=1 timeout 5 uv run python -m imp bad.csv", {"bad.csv"}),
        (
            ["bash", "-o", "pipefail", "-c", "grep x README.md && python -m imp <bad.csv"],
            {"bad.csv"},
        ),
        (["sh", "-c", "cd data; python -m imp in.txt | head"], {"data/in.txt"}),
        ("python -m imp /etc/passwd ../up $HOME/x", set()),
        ("python -m imp docs/spec", set()),
    ],
)
def test_a_command_rests_on_what_it_names_and_not_on_the_product(argv: Any, wanted: set[str]):
    """Input, checks and the test side; what is run, or merely looked at, is the product."""
    assert rests(PYTHON, argv) == wanted


def test_a_fence_makes_product_of_what_it_names():
    """A data file by any glob, a check by its own path alone, a test by nothing."""
    assert rests(PYTHON, "python -m imp bad.csv", touch=("*.csv",)) == set()
    assert rests(PYTHON, "python scripts/check_links.py", touch=("scripts/**",))
    assert not rests(PYTHON, "python scripts/check_links.py", touch=("scripts/check_links.py",))
    assert rests(PYTHON, "python tests/run.py", touch=("tests/run.py",)) == {"tests/run.py"}


def test_a_file_that_only_a_script_names_is_product_when_the_fence_names_it():
    """Also where the script hands it over as a program's settings; the script stays an oracle."""
    files = {"check.sh": "#!/bin/sh\npsql -f schema.sql\n", "schema.sql": ""}
    assert rests(files, "sh check.sh") == {*files}
    assert rests(files, "sh check.sh", touch=("*.sql",)) == {*files}
    assert rests(files, "sh check.sh", touch=("schema.sql",)) == {"check.sh"}


@pytest.mark.parametrize(
    ("argv", "tests"),
    [
        ("pytest", ("tests/test_a.py::test_a",)),
        ("pytest tests/test_a.py::test_a", None),
        ("python -m pytest tests", None),
        ("uv run pytest tests/unit", None),
        ("coverage run -m pytest tests/", None),
        (["bash", "-c", "pytest tests/test_*.py"], None),
    ],
)
def test_tests_rest_on_their_side_and_on_the_settings_above_it(argv: Any, tests: Any):
    """Helpers, data and fixtures as well; another part of the tree is left out."""
    assert rests(PYTHON, argv, "pytest", tests=tests) == SIDE | SETTINGS


def test_without_any_list_the_whole_test_side_counts():
    """Nobody knows which of it is run."""
    assert rests(PYTHON, "pytest", "pytest") == SIDE | SETTINGS | {
        "other/tests/test_c.py",
        "other/pyproject.toml",
    }


def test_a_part_of_a_tree_rests_on_itself_and_on_what_stands_above():
    """The folder a criterion runs in decides."""
    found = rests(PYTHON, "pytest", "pytest", cwd="other")
    assert found == {"other/tests/test_c.py", "other/pyproject.toml"} | SETTINGS


@pytest.mark.parametrize("told", ["tests/test_c.py", "other/tests/test_c.py"])
def test_a_runner_names_files_from_where_it_runs_or_from_the_top(told: str):
    """Either way the other test sides of that part are left out."""
    files = {**PYTHON, "other/more/tests/test_d.py": ""}
    found = rests(files, "pytest", "pytest", cwd="other", tests=[f"{told}::test_c"])
    assert found == {"other/tests/test_c.py", "other/pyproject.toml"} | SETTINGS


def test_settings_given_by_an_option_count():
    """Whatever they are called."""
    for argv in ("pytest -c ci/pytest.cfg tests", "pytest --config-file=ci/pytest.cfg tests"):
        assert "ci/pytest.cfg" in rests(PYTHON, argv, "pytest")


@pytest.mark.parametrize("name", ["tests.test_a.TestA.test_it", "tests.test_a.test_it"])
def test_tests_named_by_module_are_found(name: str):
    """As unittest names them; one on top has every test side beside it."""
    found = rests(PYTHON, "python -m unittest", "unittest", tests=[name])
    assert found >= SIDE
    assert "other/tests/test_c.py" not in found
    files, names = {**PYTHON, "test_top.py": ""}, [name, "test_top.TestTop.test_it"]
    found = rests(files, "python -m unittest", "unittest", tests=names)
    assert found >= {*SIDE, "test_top.py", "other/tests/test_c.py"}


def test_make_rests_on_its_files_and_the_checks_their_recipes_call():
    """Through scripts that are checks themselves; sources that are compiled are product."""
    assert rests(MAKE, "make test") == {*MAKE} - {"src/main.c"}


def test_a_target_that_is_not_there_yet_makes_no_oracle_of_the_makefile():
    """The work is to write it."""
    assert "Makefile" not in rests(MAKE, "make lint")
    assert "Makefile" in rests(MAKE, "make -C . test", touch=("**",))
    assert "Makefile" not in rests(MAKE, "make test", touch=("Makefile",))


def test_a_package_rests_on_its_runner_s_settings():
    """Behind npm and directly; a build's settings without a word of tests are product."""
    settings = {"package.json", "vitest.config.ts", "babel.config.js", ".npmrc", ".mocharc.yml"}
    side = {"src/sum.test.ts", "src/__snapshots__/sum.test.ts.snap", "src/fixtures/a.json"}
    wanted = settings | side | {"jest.config.js"}
    assert rests(NODE, "npm test") == wanted | {"vt.config.ts"}
    assert rests(NODE, "npx vitest run", "vitest", tests=["src/sum.test.ts > adds"]) == wanted
    tested = {**NODE, "vite.config.ts": "export default {test: {}}"}
    assert "vite.config.ts" in rests(tested, "npx vitest run", "vitest")


def test_a_go_package_rests_on_its_test_files():
    """And on its test data and what its module replaces; makefiles are none of the runner's."""
    found = rests(GO, "go test ./pkg/...", "go", tests=["example.com/m/pkg::TestA"])
    assert found == {"pkg/a_test.go", "pkg/testdata/x.txt", "go.mod"}
    assert rests(GO, "go test ./...", "go") == {*found, "cmd/b_test.go"}
    inner = {"sub/go.mod": "module example.com/s\n", "sub/pkg/c_test.go": ""}
    found = rests({**GO, **inner}, "go test ./...", "go", tests=["example.com/s/pkg::TestC"])
    assert found == {"sub/pkg/c_test.go", "sub/go.mod", "go.mod"}


def test_a_crate_rests_on_its_integration_tests_and_settings():
    """Sources are product, but for a module of its own file in which tests are reported."""
    wanted = {"Cargo.toml", ".cargo/config.toml", ".config/nextest.toml"}
    wanted |= {"tests/it.rs", "tests/common/mod.rs"}
    own = {*wanted, "src/tests.rs"}
    assert rests(RUST, "cargo test", "cargo", tests=["it::adds", "p::tests::x"]) == own
    assert rests(RUST, "cargo test", "cargo") == wanted
    more = {**RUST, "crate/tests/x.rs": ""}
    assert rests(more, "cargo test", "cargo", tests=["it::adds"]) == wanted
    assert rests(more, "cargo test", "cargo", tests=["p::tests::x"]) == {
        *own,
        "crate/tests/x.rs",
    }


def test_a_linter_rests_on_its_settings():
    """A rule switched off is no clean file."""
    files = {"ruff.toml": "", "pyproject.toml": "", "src/a.py": "", "tests/test_a.py": ""}
    assert rests(files, "ruff check src") == {"ruff.toml", "pyproject.toml"}


def test_declared_oracles_count_for_every_kind():
    """Also where nothing is run."""
    check = Check(kind="files", params={"expected_paths": ["bad.csv"]})
    said = Criterion(id="G001.C1", says="s", check=check, oracle=("data/**",))
    assert oracles(said, Tree(PYTHON)) == ("data/in.txt",)


def new(argv: str, runner: str, *paths: str, base: Any = None, **texts: str) -> set[str]:
    there = base if base is not None else PYTHON
    more = dict.fromkeys(paths, "") | texts
    return {*unsealed(a_criterion(argv, runner), Tree(there), Tree({**there, **more}))}


@pytest.mark.parametrize(
    "path",
    [
        "tests/unit/conftest.py",
        "sitecustomize.py",
        "src/usercustomize.py",
        "x.pth",
        "evil.egg-info/entry_points.txt",
        "src/evil-1.dist-info/METADATA",
        "tests/pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "pytest.py",
        "_pytest/__init__.py",
        "pluggy.py",
        "unittest.py",
        "src/json.py",
        "re.pyc",
        "other/.coveragerc",
        ".env",
    ],
)
def test_python_loads_these_by_itself(path: str):
    """And Go does not."""
    assert new("pytest", "pytest", path) == {path}
    assert new("go test ./...", "go", path, base=GO) == set()


@pytest.mark.parametrize(
    "path", ["imp/json.py", "imp/new.py", "tests/test_new.py", "tests/data/x", "Makefile", "a.cfg"]
)
def test_ordinary_new_files_are_not_loaded_by_themselves(path: str):
    """A module of the product may be called as it likes inside its package."""
    assert new("pytest", "pytest", path) == set()


@pytest.mark.parametrize(
    ("argv", "runner", "base", "path"),
    [
        ("npx vitest run", "vitest", {"a.ts": ""}, "vitest.config.mts"),
        ("npm test", "jest", {"a.ts": ""}, "jest.config.js"),
        ("npm test", "mocha", {"a.ts": ""}, ".mocharc.js"),
        ("npm test", "", {"package.json": '{"scripts": {"test": "mocha"}}'}, ".babelrc"),
        ("npm test", "", {"a.ts": ""}, ".npmrc"),
        ("npm test", "", {"a.ts": ""}, "node_modules/vitest/index.js"),
        ("cargo test", "cargo", RUST, "crate/.cargo/config.toml"),
        ("mvn -q test", "maven", {"pom.xml": ""}, ".mvn/maven.config"),
        ("make", "", {"Makefile": "a:\n\tmvn test\n"}, ".mvn/jvm.config"),
        ("go test ./...", "go", GO, "go.work"),
        ("go test ./...", "go", GO, "vendor/modules.txt"),
        ("make test", "", MAKE, "GNUmakefile"),
        ("bats tests", "bats", {"tests/a.bats": ""}, "tests/setup_suite.bash"),
        ("bash verify.sh", "", PYTHON, ".bashrc"),
    ],
)
def test_other_tools_load_theirs(argv: str, runner: str, base: Any, path: str):
    """Each tool by its own list."""
    assert new(argv, runner, path, base=base) == {path}


@pytest.mark.parametrize(
    ("argv", "base", "more", "loaded"),
    [
        ("make test", MAKE, {"Makefile": "-include local.mk\ntest:\n\tsh a\n"}, True),
        ("make test", MAKE, {"Makefile": "sinclude l*.mk\ntest:\n\tsh a\n"}, True),
        ("make test", MAKE, {"Makefile": "include $(wildcard local.mk)\ntest:\n\tsh a\n"}, True),
        ("make test", MAKE, {"Makefile": "include local.mk\ntest:\n\tsh a\n"}, False),
        ("make -C sub test", {"sub/Makefile": "-include ../local.mk\ntest:\n\tx\n"}, {}, True),
        ("make test", {"a.c": ""}, {}, False),
        ("sh tests/run.sh", {"tests/run.sh": "[ -f local.mk ] && . ./local.mk\n"}, {}, True),
        ("sh tests/run.sh", {"tests/run.sh": ". ./local.mk\n"}, {}, False),
    ],
)
def test_what_a_makefile_or_script_takes_in_where_it_is_there(argv, base, more, loaded):
    """It may bend every recipe; what is needed and was missing is part of the work."""
    found = new(argv, "", "local.mk", base={**base, **more})
    assert found == ({"local.mk"} if loaded else set())


def test_python_imports_from_beside_a_script_first():
    """A new module there stands before the standard library's."""
    base = {"checks/verify.py": "import json\n", "imp/a.py": ""}
    assert new("python checks/verify.py", "", "checks/json.py", base=base) == {"checks/json.py"}
    assert new("python checks/verify.py", "", "imp/json.py", base=base) == set()


def test_a_runner_kept_among_tools_is_no_product():
    """By what it is called and where it lies, both."""
    files = {"package.json": '{"scripts": {"test": "node tools/runner.js && node src/runner.js"}}'}
    files |= {"tools/runner.js": "", "src/runner.js": ""}
    assert rests(files, "npm test") == {"package.json", "tools/runner.js"}


def test_files_with_a_runner_s_sections_count_only_with_them():
    """A first setup.cfg is packaging, unless it speaks to the runner."""
    base = {"imp.py": ""}
    bent = {"setup.cfg": "[tool:pytest]\naddopts=-k no\n"}
    plain = {"setup.cfg": "[metadata]\nname=x\n"}
    assert new("pytest", "pytest", base=base, **bent) == {"setup.cfg"}
    assert new("pytest", "pytest", base=base, **plain) == set()


def test_code_around_all_tests_of_a_go_package_counts():
    """A new test file without it does not."""
    bent = {"pkg/main_test.go": "package pkg\n\nfunc TestMain(m *testing.M) {}\n"}
    plain = {"pkg/b_test.go": "package pkg\n\nfunc TestB(t *testing.T) {}\n"}
    assert new("go test ./...", "go", base=GO, **bent) == {"pkg/main_test.go"}
    assert new("go test ./...", "go", base=GO, **plain) == set()
    assert new("go test ./...", "go", "vendor/y.go", base={**GO, "vendor/x.go": ""}) == set()


def test_nothing_is_loaded_where_nothing_runs():
    """Files alone are looked at as they are."""
    check = Check(kind="files", params={"expected_paths": ["x"]})
    said = Criterion(id="G001.C1", says="s", check=check)
    assert unsealed(said, Tree({}), Tree({"conftest.py": ""})) == ()
    assert holding_tests(said, Tree({"x": ""}), tests=(), rests=()) == ()


@pytest.mark.parametrize(("intent", "rested"), [("docs", {"render.py"}), ("fix", set())])
def test_a_goal_of_prose_rests_on_the_code_that_it_runs(intent: Any, rested: set[str]):
    """It is not what such a goal is to change."""
    goal = Goal(id="G001", title="t", objective="o", intent=intent)
    look = Tree({"render.py": "", "docs/a.md": ""})
    assert set(oracles(a_criterion("python render.py"), look, goal=goal)) == rested


def test_a_folder_of_tests_on_top_needs_no_file_that_is_named_like_one():
    """Further down the name alone may be product's."""
    assert Sides(["test/run.js"]).holds("test/cases.tsv")
    assert Sides(["packages/a/package.json"]).holds("packages/a/test/run.js")
    assert not Sides(["src/test/run.js"]).holds("src/test/run.js")


def test_what_was_brought_from_elsewhere_is_on_no_test_side():
    """Its tests are not ours."""
    sides = Sides(["tests/test_a.py", "vendor/m/tests/test_b.py"])
    assert sides.holds("tests/test_a.py")
    assert not sides.holds("vendor/m/tests/test_b.py")


def test_a_check_that_was_there_is_no_new_test():
    """So new settings beside it are not taken for its own."""
    base = Tree(
        {"check/slug.py": "", "package.json": '{"scripts": {"test": "python check/slug.py"}}'}
    )
    assert not is_new(a_criterion("npm test"), base, None)
    assert is_new(a_criterion("npm test"), Tree({"package.json": "{}"}), None)


@pytest.mark.parametrize("argv", ["go test ./...", "go test ./calc/...", "npm test", "cargo test"])
def test_what_a_program_is_to_do_is_no_folder_of_tests(argv: str):
    """Tests that could not be built on the base were there all the same."""
    base = Tree({"calc/add_test.go": "", "test/add.test.js": "", "tests/add.rs": ""})
    assert not is_new(a_criterion(argv), base, ())


WORKSPACES = {
    "package.json": '{"workspaces": ["packages/*"]}',
    "packages/money/package.json": '{"name": "@x/money", "scripts": {"test": "node --test"}}',
    "packages/text/package.json": '{"name": "@x/text", "scripts": {"test": "node --test"}}',
    "packages/text/node_modules/a/package.json": '{"scripts": {"test": "true"}}',
}
MONEY, TEXT = "packages/money/package.json", "packages/text/package.json"


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        ("npm test --workspaces", {MONEY, TEXT}),
        ("npm test -ws --if-present", {MONEY, TEXT}),
        ("npm test -w packages/money", {MONEY}),
        ("npm test --workspace=@x/text", {TEXT}),
        ("npm --prefix packages/money test", {MONEY}),
        ("pnpm -C packages/text test", {TEXT}),
        ("npm test --workspaces=false", {"package.json"}),
        ("npm test -- -w 2 -r", {"package.json"}),
        ("pnpm -w test", {"package.json"}),
        ("npm test -w oney", {"package.json"}),
    ],
)
def test_scripts_of_workspaces_are_followed(argv: str, wanted: set[str]):
    """All of them, or those that are named by folder or by name."""
    found = reading_of(a_criterion(argv), Tree(WORKSPACES))
    assert set(found.files) == wanted


def test_a_loop_is_read_turn_by_turn():
    """Over words and over files of the tree; one over what nobody knows stays as it is."""
    script = "for t in a.sh tests/*.sh; do\n  for n in $ALL; do sh ./$t $n; done\ndone\nsh ${t}\n"
    look = Tree({"run.sh": script, "a.sh": "", "tests/b.sh": "", "tests/c.sh": ""})
    said = [" ".join(one.words) for one in reading_of(a_criterion("sh run.sh"), look).spoken]
    assert {"sh ./a.sh $n", "sh ./tests/b.sh $n", "sh ./tests/c.sh $n", "sh ${t}"} <= {*said}
