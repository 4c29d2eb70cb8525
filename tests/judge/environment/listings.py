"""Trees by listing: what each looks like, and what detection must say about it."""

from __future__ import annotations

from typing import Any

Row = tuple[str, dict[str, str], dict[str, Any]]

PROJECT = '[project]\nname = "shop"\nversion = "1"\ndependencies = ["click>=8"]\n'
BUILD = '[build-system]\nrequires = ["flit_core<4"]\nbuild-backend = "flit_core.buildapi"\n'
TEST = {"tests/test_shop.py": "def test(): pass\n"}


def py(extra: str = "", **files: str) -> dict[str, str]:
    named = {name.replace("__", "/").replace("_txt", ".txt"): body for name, body in files.items()}
    return {"pyproject.toml": PROJECT + BUILD + extra, **TEST, **named}


def node(body: str, **files: str) -> dict[str, str]:
    return {"package.json": body, **files}


def script(text: str, **more: str) -> str:
    scripts = ", ".join(f'"{name}": "{body}"' for name, body in {"test": text, **more}.items())
    return f'{{"name": "shop", "scripts": {{{scripts}}}, "devDependencies": {{"tape": "5"}}}}'


PYTEST = ("python", "-m", "pytest")
DISCOVER = ("python", "-m", "unittest", "discover")
CASE = "import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n"
PYTHON: list[Row] = [
    ("nothing", {"README.md": ""}, {"kind": "none", "test_command": None}),
    (
        "plain project",
        py(),
        {"kind": "python", "wants": ("click>=8", "pytest"), "runner": "pytest"},
    ),
    (
        "uv lock",
        {**py('[dependency-groups]\ntest = ["pytest"]\n'), "uv.lock": "version = 1\n"},
        {"manager": "uv", "lock": "uv.lock", "groups": ("test",)},
    ),
    (
        "poetry lock",
        {
            "pyproject.toml": (
                '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\npython = "^3.9"\n'
                'click = "^8.1"\n[tool.poetry.group.test.dependencies]\npytest = "*"\n'
                '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core"\n'
            ),
            "poetry.lock": '[[package]]\nname = "click"\nversion = "8.1.7"\n',
            **TEST,
        },
        {
            "manager": "poetry",
            "wants": ("click>=8.1,<9", "pytest"),
            "pins": ("click==8.1.7",),
            "interpreter": ">=3.9,<4",
            "groups": ("test",),
        },
    ),
    (
        "poetry older dev table",
        {
            "pyproject.toml": (
                '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\npython = ">=3.8"\n'
                '[tool.poetry.dev-dependencies]\npytest = {version = "~7.1", extras = ["toml"]}\n'
            ),
            **TEST,
        },
        {"wants": ("pytest[toml]>=7.1,<7.2",), "projects": ()},
    ),
    (
        "pdm lock",
        {
            **py('[tool.pdm.dev-dependencies]\ntest = ["pytest"]\n'),
            "pdm.lock": '[[package]]\nname = "pytest"\nversion = "8.0"\n',
        },
        {"manager": "pdm", "pins": ("pytest==8.0",), "groups": ("test",)},
    ),
    (
        "pipenv",
        {
            "Pipfile": "",
            "Pipfile.lock": '{"default": {"six": {"version": "==1.16.0"}}, "develop": {}}',
            **TEST,
        },
        {"manager": "pipenv", "pins": ("six==1.16.0",)},
    ),
    (
        "hashed requirements",
        {
            "requirements.txt": "six==1.16.0 \\\n    --hash=sha256:" + "a" * 64 + "\n",
            **TEST,
        },
        {"manager": "pip", "lock": "requirements.txt"},
    ),
    (
        "plain requirements",
        {"requirements.txt": "six>=1 # why\n-c limits.txt\n", "limits.txt": "six<2\n", **TEST},
        {"manager": "pip", "lock": "", "wants": ("six>=1", "pytest"), "pins": ("six<2",)},
    ),
    (
        "group tests",
        py('[dependency-groups]\ntests = ["pytest", {include-group = "more"}]\nmore = ["six"]\n'),
        {"groups": ("tests",), "wants": ("click>=8", "pytest", "six")},
    ),
    (
        "group names are normalised",
        py('[dependency-groups]\nTesting = ["pytest"]\n'),
        {"groups": ("testing",)},
    ),
    (
        "groups that include each other",
        py(
            '[dependency-groups]\ntest = [{include-group = "b"}]\n'
            'b = [{include-group = "test"}, "six"]\n'
        ),
        {"groups": ("test",), "wants": ("click>=8", "six", "pytest")},
    ),
    (
        "group before extra",
        py(
            '[project.optional-dependencies]\ntest = ["nose"]\n'
            '[dependency-groups]\ntest = ["six"]\n'
        ),
        {"groups": ("test",), "extras": (), "wants": ("click>=8", "six", "pytest")},
    ),
    (
        "extra testing",
        py('[project.optional-dependencies]\ntesting = ["pytest", "six"]\n'),
        {"extras": ("testing",), "wants": ("click>=8", "pytest", "six")},
    ),
    (
        "extra that names the project",
        py('[project.optional-dependencies]\nx = ["six"]\ntest = ["shop[x]", "pytest"]\n'),
        {"wants": ("click>=8", "six", "pytest")},
    ),
    (
        "extra that names itself",
        py('[project.optional-dependencies]\ntest = ["shop[test]", "pytest"]\n'),
        {"wants": ("click>=8", "pytest")},
    ),
    (
        "requirements folder",
        {
            **py(),
            "requirements/tests.txt": "-r base.txt\npytest\n",
            "requirements/base.txt": "six\n",
        },
        {"wants": ("click>=8", "pytest", "six")},
    ),
    (
        "test-requirements",
        {**py(), "test-requirements.txt": "pytest\nsix\n"},
        {"wants": ("click>=8", "pytest", "six")},
    ),
    (
        "tests/requirements with the project's extra",
        {
            **py('[project.optional-dependencies]\nfast = ["six"]\n'),
            "tests/requirements.txt": "-e .[fast]\npytest\n",
        },
        {"extras": ("fast",), "wants": ("click>=8", "pytest", "six")},
    ),
    (
        "a requirement file that is missing",
        {**py(), "requirements-test.txt": "-r gone.txt\npytest\n--pre\n"},
        {
            "missing": (
                "requirements-test.txt: option not used: --pre",
                "gone.txt is named but does not exist",
            )
        },
    ),
    (
        "hatch environment",
        py('[tool.hatch.envs.test]\ndependencies = ["pytest", "six"]\n'),
        {"wants": ("click>=8", "pytest", "six")},
    ),
    (
        "tox deps",
        {**py(), "tox.ini": "[testenv]\ndeps =\n    pytest\n    py39: six\ncommands = pytest -q\n"},
        {"wants": ("click>=8", "pytest", "six"), "hints": ("tox.ini: pytest -q",)},
    ),
    (
        "tox deps of another section",
        {
            **py(),
            "tox.ini": "[base]\ndeps = six\n[testenv]\ndeps =\n  {[base]deps}\n  {env:MORE}\n",
        },
        {
            "wants": ("click>=8", "six", "pytest"),
            "missing": ("tox.ini: not understood: {env:MORE}",),
        },
    ),
    (
        "tox requirement file and extra",
        {
            **py('[project.optional-dependencies]\nfast = ["six"]\n'),
            "tox.ini": "[testenv]\ndeps =\n  -r{toxinidir}/t.txt\n  .[fast]\n",
            "t.txt": "pytest\n",
        },
        {"extras": ("fast",), "wants": ("click>=8", "pytest", "six")},
    ),
    (
        "tox extras beside a group",
        {
            **py(
                '[project.optional-dependencies]\nfast = ["six"]\n'
                '[dependency-groups]\ntest = ["pytest"]\n'
            ),
            "tox.ini": "[testenv]\nextras = fast, gone\n",
        },
        {"extras": ("fast",), "groups": ("test",), "wants": ("click>=8", "pytest", "six")},
    ),
    (
        "tox in pyproject",
        py(
            '[tool.tox.env_run_base]\ndeps = ["six"]\n'
            'dependency_groups = ["ci"]\ncommands = [["pytest"]]\n'
            '[dependency-groups]\nci = ["pytest"]\n'
        ),
        {"groups": ("ci",), "wants": ("click>=8", "six", "pytest")},
    ),
    (
        "tox as text in pyproject",
        py('[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ndeps = six\n"""\n'),
        {"wants": ("click>=8", "six", "pytest")},
    ),
    (
        "tox in setup.cfg",
        {**py(), "setup.cfg": "[testenv]\ndeps = six\n"},
        {"wants": ("click>=8", "six", "pytest")},
    ),
    (
        "dev group last",
        py('[dependency-groups]\ndev = ["pytest", "ruff"]\n'),
        {"groups": ("dev",), "wants": ("click>=8", "pytest", "ruff")},
    ),
    (
        "uv's older dev table",
        py('[tool.uv]\ndev-dependencies = ["pytest"]\n'),
        {"groups": ("dev",)},
    ),
    ("dev extra", py('[project.optional-dependencies]\ndev = ["pytest"]\n'), {"extras": ("dev",)}),
    (
        "setup.cfg",
        {
            "setup.cfg": (
                "[metadata]\nname = shop\n[options]\npython_requires = >=3.8\ninstall_requires =\n"
                "    click\n    six # two\n[options.extras_require]\ntest =\n    pytest\n"
            ),
            **TEST,
        },
        {"name": "shop", "wants": ("click", "six", "pytest"), "interpreter": ">=3.8"},
    ),
    (
        "setup.cfg from a file",
        {
            "setup.cfg": "[metadata]\nname = shop\n[options]\ninstall_requires = file: r.txt\n",
            "r.txt": "six\n",
            **TEST,
        },
        {"wants": ("six", "pytest"), "metadata": False},
    ),
    (
        "setup.py",
        {
            "setup.py": (
                "from setuptools import setup\nsetup(name='shop', install_requires=['six'])"
            ),
            **TEST,
        },
        {"name": "shop", "metadata": True, "wants": ("pytest",)},
    ),
    (
        "setup.cfg beside a computing setup.py",
        {
            "setup.cfg": "[metadata]\nname = shop\n",
            "setup.py": "setup(install_requires=x())",
            **TEST,
        },
        {"metadata": True},
    ),
    (
        "dynamic from files",
        {
            "pyproject.toml": (
                '[project]\nname = "shop"\ndynamic = ["dependencies", "optional-dependencies"]\n'
                '[tool.setuptools.dynamic]\ndependencies = {file = ["r.txt"]}\n'
                'optional-dependencies.test = {file = ["t.txt"]}\n' + BUILD
            ),
            "r.txt": "six\n",
            "t.txt": "pytest\n",
            **TEST,
        },
        {"wants": ("six", "pytest"), "metadata": False},
    ),
    (
        "dynamic from a backend",
        {
            "pyproject.toml": '[project]\nname = "shop"\ndynamic = ["dependencies"]\n' + BUILD,
            **TEST,
        },
        {"metadata": True},
    ),
    (
        "dynamic from setup.cfg",
        {
            "pyproject.toml": '[project]\nname = "shop"\ndynamic = ["dependencies"]\n' + BUILD,
            "setup.cfg": "[options]\ninstall_requires = six\n",
            **TEST,
        },
        {"metadata": False, "wants": ("six", "pytest")},
    ),
    (
        "a python version file",
        {**py(), ".python-version": "3.12.1\n"},
        {"interpreter": "==3.12.*"},
    ),
    (
        "not a package for uv",
        {**py("[tool.uv]\npackage = false\n"), "uv.lock": ""},
        {"projects": ()},
    ),
    (
        "not a package for poetry",
        {
            "pyproject.toml": (
                '[tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\nsix = "*"\n'
            )
            + BUILD,
            **TEST,
        },
        {"projects": (), "wants": ("six", "pytest")},
    ),
    ("django", {"manage.py": "", "requirements.txt": "django\n"}, {"runner": "django"}),
    (
        "django with pytest",
        {"manage.py": "", "requirements.txt": "django\npytest-django\npytest\n"},
        {"runner": "pytest"},
    ),
    (
        "unittest by tox",
        {**py(), "tox.ini": "[testenv]\ncommands = python -m unittest\n"},
        {"runner": "unittest", "wants": ("click>=8",)},
    ),
    (
        "unittest in a Makefile",
        {**py(), "Makefile": "test:\n\tpython -m unittest discover\n"},
        {"runner": "unittest"},
    ),
    (
        "unittest by its tests",
        {"a.py": "", "tests/__init__.py": "", "tests/test_a.py": CASE, "tests/help.py": ""},
        {"runner": "unittest", "test_command": DISCOVER},
    ),
    (
        "unittest in one folder",
        {"a.py": "", "tests/test_a.py": CASE},
        {"runner": "unittest", "test_command": (*DISCOVER, "-s", "tests")},
    ),
    (
        "unittest beside tests of another form",
        {"a.py": "", "tests/test_a.py": CASE, **TEST},
        {"runner": "pytest"},
    ),
    (
        "unittest where discovery would miss one",
        {"a/test_a.py": CASE, "b/test_b.py": CASE},
        {"runner": "pytest"},
    ),
    (
        "unittest under a name discovery does not know",
        {"a.py": "", "a_test.py": CASE},
        {"runner": "pytest"},
    ),
    (
        "pytest settings decide",
        {**py("[tool.pytest.ini_options]\n"), "Makefile": "test:\n\tpython -m unittest\n"},
        {"runner": "pytest"},
    ),
    (
        "hatch scripts as hints",
        py(
            '[tool.hatch.envs.test]\ndependencies = ["pytest"]\n'
            '[tool.hatch.envs.test.scripts]\nrun = "pytest -x"\n'
        ),
        {"hints": ("hatch: pytest -x",)},
    ),
    ("bare tests", {"test_it.py": "def test(): pass\n"}, {"kind": "python", "wants": ("pytest",)}),
    (
        "only scripts among tests",
        {"tests/check.py": "assert 1\n"},
        {"kind": "python", "test_command": None, "wants": ()},
    ),
    (
        "no tests at all",
        {"pyproject.toml": PROJECT + BUILD},
        {"test_command": None, "missing": ("No test files were found.",)},
    ),
    ("only tool settings", {"pyproject.toml": "[tool.ruff]\n"}, {"kind": "none"}),
    (
        "the runner itself",
        {**py(), "pyproject.toml": '[project]\nname = "pytest"\n' + BUILD},
        {"wants": ()},
    ),
]
NODE: list[Row] = [
    (
        "one runner",
        node(script("tape test/a.js")),
        {"kind": "node", "runner": "tape", "test_command": ("tape", "test/a.js")},
    ),
    (
        "a glob needs a shell",
        node(script("tape test/*.js")),
        {"test_command": ("sh", "-c", "tape test/*.js")},
    ),
    (
        "a chain",
        node(script("eslint . && vitest run && tsc")),
        {"runner": "vitest", "test_command": ("vitest", "run")},
    ),
    (
        "through npm run",
        node(script("npm run lint && npm run -s unit", unit="mocha", lint="eslint .")),
        {"runner": "mocha", "test_command": ("mocha",)},
    ),
    (
        "tests-only first",
        node(script("npm run lint", **{"tests-only": "nyc tape t.js"})),
        {"test_command": ("nyc", "tape", "t.js")},
    ),
    (
        "run-s with a pattern",
        node(script("run-s test:*", **{"test:lint": "xo", "test:run": "ava"})),
        {"runner": "ava"},
    ),
    (
        "variables in front",
        node(script("CI=1 jest")),
        {"runner": "jest", "test_command": ("sh", "-c", "CI=1 jest")},
    ),
    ("cross-env", node(script("cross-env CI=1 jest --runInBand")), {"runner": "jest"}),
    ("coverage with a valued option", node(script("c8 -r lcov node --test")), {"runner": "node"}),
    ("node's own runner", node(script("node --test test/")), {"runner": "node"}),
    (
        "node with a runner's path",
        node(script("node node_modules/jest/bin/jest.js")),
        {"runner": "jest"},
    ),
    ("a plain script", node(script("node test/all.js")), {"runner": "script"}),
    ("only a linter", node(script("xo")), {"test_command": None}),
    ("a script that names itself", node(script("npm test")), {"test_command": None}),
    ("broken quotes", node('{"scripts": {"test": "tape \'x"}}'), {"test_command": None}),
    (
        "no scripts, vitest wanted",
        node('{"devDependencies": {"vitest": "1"}}'),
        {"runner": "vitest"},
    ),
    (
        "npm lock",
        node(script("tape"), **{"package-lock.json": "{}"}),
        {"manager": "npm", "prepare": (("npm", "ci", "--ignore-scripts"),)},
    ),
    ("no lock", node(script("tape")), {"manager": "npm", "lock": ""}),
    ("pnpm lock", node(script("tape"), **{"pnpm-lock.yaml": ""}), {"manager": "pnpm"}),
    ("yarn lock", node(script("tape"), **{"yarn.lock": ""}), {"manager": "yarn"}),
    ("manager by name", node('{"packageManager": "pnpm@9.1.0"}'), {"manager": "pnpm"}),
    ("bun", node(script("tape"), **{"bun.lock": ""}), {"manager": "bun"}),
    ("nvmrc", node(script("tape"), **{".nvmrc": "v20\n"}), {"interpreter": "20.*"}),
    ("engines", node('{"engines": {"node": ">=18"}}'), {"interpreter": ">=18"}),
    (
        "workspaces",
        node(
            '{"workspaces": ["packages/*", "!packages/old"]}',
            **{
                "packages/a/package.json": "{}",
                "packages/old/package.json": "{}",
                "packages/a/b/package.json": "{}",
            },
        ),
        {"members": ("", "packages/a"), "keeps": ("node_modules", "packages/a/node_modules")},
    ),
    (
        "workspaces as a table",
        node('{"workspaces": {"packages": ["apps/**"]}}', **{"apps/x/y/package.json": "{}"}),
        {"members": ("", "apps/x/y")},
    ),
    (
        "pnpm workspaces",
        node(
            "{}",
            **{
                "pnpm-workspace.yaml": "packages:\n  - 'libs/*' # all\n",
                "libs/a/package.json": "{}",
            },
        ),
        {"members": ("", "libs/a")},
    ),
    (
        "install scripts are said",
        node('{"scripts": {"postinstall": "x", "test": "tape"}}'),
        {"missing": ("Its own script `postinstall` is not run.",)},
    ),
]
OTHER: list[Row] = [
    (
        "go",
        {"go.mod": "module m\ngo 1.21\nrequire a.b/c v1.0.0\n", "go.sum": ""},
        {
            "kind": "go",
            "name": "m",
            "interpreter": ">=1.21",
            "lock": "go.sum",
            "wants": ("a.b/c v1.0.0",),
        },
    ),
    (
        "go block",
        {"go.mod": "module m\nrequire (\n\ta.b/c v1 // indirect\n\td.e/f v2\n)\n", "go.sum": ""},
        {"wants": ("a.b/c v1", "d.e/f v2")},
    ),
    (
        "go without sums",
        {"go.mod": "module m\nrequire a.b/c v1\n"},
        {"missing": ("go.mod has requirements but there is no go.sum; `go mod tidy` writes it.",)},
    ),
    ("go without needs", {"go.mod": "module m\n"}, {"missing": (), "lock": ""}),
    (
        "go vendored",
        {"go.mod": "module m\nrequire a.b/c v1\n", "vendor/modules.txt": ""},
        {"prepare": (), "missing": ()},
    ),
    (
        "go workspace",
        {
            "go.work": "go 1.22\nuse (\n\t./a\n\t./b\n)\n",
            "a/go.mod": "module a\ngo 1.20\n",
            "b/go.mod": "module b\n",
        },
        {
            "members": ("a", "b"),
            "test_command": ("go", "test", "./a/...", "./b/..."),
            "interpreter": ">=1.22",
        },
    ),
    (
        "cargo",
        {"Cargo.toml": '[package]\nname = "c"\nrust-version = "1.70"\n', "Cargo.lock": ""},
        {"kind": "cargo", "name": "c", "interpreter": ">=1.70", "lock": "Cargo.lock"},
    ),
    (
        "cargo without lock",
        {"Cargo.toml": '[package]\nname = "c"\n'},
        {"lock": "", "test_command": ("cargo", "test", "--no-fail-fast")},
    ),
    (
        "cargo toolchain file",
        {"Cargo.toml": "[package]\n", "rust-toolchain.toml": '[toolchain]\nchannel = "1.75.0"\n'},
        {"interpreter": "==1.75.0.*"},
    ),
    (
        "cargo workspace",
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/no"]\n',
            "crates/a/Cargo.toml": "",
            "crates/no/Cargo.toml": "",
        },
        {"members": ("", "crates/a")},
    ),
    (
        "nextest",
        {"Cargo.toml": "[package]\n", ".config/nextest.toml": ""},
        {"hints": ("nextest is configured (.config/nextest.toml)",)},
    ),
    (
        "maven",
        {
            "pom.xml": (
                '<project xmlns="x"><artifactId>m</artifactId><properties>'
                "<java.version>1.8</java.version></properties></project>"
            )
        },
        {
            "kind": "maven",
            "name": "m",
            "interpreter": ">=8",
            "test_command": ("mvn", "-B", "-o", "test"),
        },
    ),
    (
        "maven modules",
        {
            "pom.xml": (
                "<project><modules><module>a</module><module>gone</module></modules></project>"
            ),
            "a/pom.xml": "<project/>",
        },
        {"members": ("", "a")},
    ),
    (
        "maven loose versions",
        {
            "pom.xml": (
                "<project><dependencies><dependency><artifactId>x</artifactId>"
                "<version>[1,2)</version></dependency></dependencies></project>"
            ),
            ".mvn/wrapper/maven-wrapper.properties": "",
        },
        {
            "missing": (
                "x [1,2) is not an exact version.",
                "The Maven wrapper is not used; the installed mvn is.",
            )
        },
    ),
    ("python with a small package.json", {**py(), "package.json": "{}"}, {"kind": "python"}),
    (
        "node with a script folder of python",
        node(script("jest"), **{"package-lock.json": "{}", "tools/test_x.py": ""}),
        {"kind": "node"},
    ),
    (
        "rust with python bindings",
        {**py(), "Cargo.toml": '[package]\nname = "c"\n'},
        {"kind": "python"},
    ),
]
ROWS = [*PYTHON, *NODE, *OTHER]
