"""What tests compare with and by is sealed wherever it lies, and product never is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from forsooth.core.plan import Fence, Goal
from forsooth.judge.oracles import oracles
from forsooth.judge.support import support
from tests.judge.checks.place import Tree
from tests.judge.test_oracles import a_criterion

SHELL = {
    "tests/run.sh": '. lib/asserts.sh\n. bin/cmp.sh\nsame equal "$(cmp 1 1)" eq\nfinish\n',
    "lib/asserts.sh": 'same() {\n  [ "$2" = "$3" ] || fails=1\n}\nfinish() { exit $fails; }\n',
    "bin/cmp.sh": "cmp() {\n  echo eq\n}\n",
}
GOLDEN = {
    "tests/check.py": "import ini\nfor one in TOP.glob('samples/*.ini'):\n    compare(one)\n",
    "lib/ini.py": "def parse(text): ...\n",
    "samples/a.ini": "",
    "samples/a.json": "",
}
CASES: dict[str, tuple[Mapping[str, str], set[str]]] = {
    "a helper that is all of a module": (
        {
            "tests/check.js": "const close = require('./support/close');\n"
            "const mean = require('./lib/mean');\nclose(mean([1, 3]), 2);\n",
            "support/close.js": "const assert = require('assert');\nconst EPS = 1e-9;\n"
            "module.exports = (got, want) => {\n  assert.ok(Math.abs(got - want) < EPS);\n};\n",
            "lib/mean.js": "module.exports = (list) => list[0];\n",
        },
        {"support/close.js"},
    ),
    "a limit in a file that the check reads": (
        {
            "tests/quality.py": "ini = ConfigParser()\nini.read('quality.ini')\n"
            "for one in Path('shop').rglob('*.py'):\n    weigh(one)\n",
            "quality.ini": "",
            "shop/a.py": "",
        },
        {"quality.ini"},
    ),
    "a hidden list that the check reads": (
        {
            "tests/lint.js": "const ignore = readFileSync('.lintignore');\nreaddirSync('src');\n",
            ".lintignore": "",
            ".editorconfig": "",
            "src/a.js": "import { b } from './b.js';\n",
        },
        {".lintignore"},
    ),
    "a limit beside the data": (
        {
            "tests/lint.sh": ". ./.lintrc\nawk -v m=$max 'length > m' data/*\n",
            ".lintrc": "max=80\n",
            "data/a": "",
        },
        {".lintrc"},
    ),
    "a schema beside the data": (
        {
            "tests/check.py": "rules = load('schema.json')\ncheck(load('data.json'), rules)\n",
            "schema.json": "",
            "data.json": "",
        },
        {"schema.json"},
    ),
    "a function that tells how two things compare": (
        {
            "tests/check.py": "from inv import report\nfrom tool import compare\nfor one in ALL:\n"
            "    got = report(one)\n    if compare(got, want):\n        bad += 1\n",
            "inv.py": "def report(a): return a\n",
            "tool.py": "def compare(a, b):\n    return a != b\n",
        },
        {"tool.py"},
    ),
    "a function that is made to compare": (
        {
            "tests/check.py": "from inv import report\nfrom tool import compare\nfor one in ALL:\n"
            "    bad += compare(report(one), one.read())\n",
            "inv.py": "def report(a): return a\n",
            "tool.py": "def compare(got, want):\n    return got != want\n",
        },
        {"tool.py"},
    ),
    "a function of shell that tells": (
        {
            "tests/run.sh": ". ./inv.sh\n. ./tool.sh\ngot=$(report 1)\n"
            'if ! alike "$got" "$want"; then exit 1; fi\n',
            "inv.sh": "report() { echo 1; }\n",
            "tool.sh": 'alike() { [ "$1" = "$2" ]; }\n',
        },
        {"tool.sh"},
    ),
    "a library of assertions": (SHELL, {"lib/asserts.sh"}),
    "a module that compares": (
        {
            "tests/test_a.py": "import shop\nfrom lib.asserts import same\ndef test_a():\n"
            "    same(shop.price(), 2)\n",
            "lib/asserts.py": "def same(got, want):\n    assert got == want\n",
            "shop.py": "def price(): return 2\n",
        },
        {"lib/asserts.py"},
    ),
    "a class of cases": (
        {
            "tests/test_a.py": "from support.cases import Case\nclass A(Case): ...\n",
            "support/cases.py": "import unittest\n\n\nclass Case(unittest.TestCase): ...\n",
            "shop.py": "",
        },
        {"support/cases.py"},
    ),
    "a helper of node": (
        {
            "tests/a.test.js": "const { same } = require('../lib/expect');\n"
            "const { sum } = require('../sum');\ntest('a', () => same(sum(1), 1));\n",
            "lib/expect.js": "exports.same = (a, b) => assert.deepStrictEqual(a, b);\n",
            "sum.js": "exports.sum = (a) => a;\n",
        },
        {"lib/expect.js"},
    ),
    "a helper of go": (
        {
            "roman/roman_test.go": 'import "m/check"\nfunc TestA(t *testing.T) {\n'
            '\tcheck.Same(t, Format(4), "IV")\n}\n',
            "check/check.go": "func Same(t *testing.T, a, b string) {\n\tt.Errorf(a)\n}\n",
            "roman/roman.go": "func Format(n int) string { return x }\n",
        },
        {"check/check.go"},
    ),
    "what a script takes in from beside it": (
        {
            "tests/run.sh": ". tests/env.sh\n. bin/cmp.sh\n",
            "tests/env.sh": "CASES='*'\n",
            "bin/cmp.sh": "#!/usr/bin/env bash\ncmp() { :; }\n",
        },
        {"tests/env.sh"},
    ),
    "what was brought along to compare": (
        {
            "tests/check.js": "const { equal, count } = require('../vendor/tiny');\n"
            "const { sum } = require('../sum');\nequal(sum(1), 1);\nlog(count());\n",
            "vendor/tiny/index.js": "module.exports = {};\n",
            "vendor/tiny/lib/deep.js": "module.exports = {};\n",
            "vendor/other/index.js": "module.exports = {};\n",
            "sum.js": "const other = require('./vendor/other/index.js');\n",
        },
        {"vendor/tiny/index.js", "vendor/tiny/lib/deep.js"},
    ),
    "one file that was brought along": (
        {
            "tests/check.js": "const { count } = require('../vendor/tiny');\nlog(count());\n",
            "vendor/tiny.js": "module.exports = {};\n",
        },
        {"vendor/tiny.js"},
    ),
    "a module of nothing but assertions": (
        {
            "tests/test_a.py": "from kit import status\nimport api\n"
            "def test_a():\n    status(api.get(), 200)\n",
            "libs/kit.py": "def status(got, code):\n    assert got == code\n",
            "api.py": "def get(): return 200\n",
        },
        {"libs/kit.py"},
    ),
    "golden pairs": (GOLDEN, {"samples/a.ini", "samples/a.json"}),
    "pairs in a folder of any name": (
        {
            "tests/check.py": "import ini\nfor one in TOP.glob('inputs/*.ini'):\n    same(one)\n",
            "lib/ini.py": "def parse(text): ...\n",
            "inputs/a.ini": "",
            "inputs/a.json": "",
            "inputs/alone.ini": "",
        },
        {"inputs/a.ini", "inputs/a.json"},
    ),
    "a library beside another that product uses": (
        {
            **SHELL,
            "bin/cmp.sh": '. "lib/other.sh"\ncmp() {\n  echo eq\n}\n',
            "lib/other.sh": "x=1\n",
        },
        {"lib/asserts.sh"},
    ),
    "limits that only the check opens": (
        {
            "tests/lint.py": "LIMITS = TOP / 'limits.json'\nload(LIMITS.read_text())\n"
            "for path in TOP.glob('src/*.py'): ...\n",
            "limits.json": "{}",
            "src/a.py": "NAME = 'a'\n",
        },
        {"limits.json"},
    ),
}
UNSEALED = ("tests/env.sh",)
PRODUCT: dict[str, Mapping[str, str]] = {
    "a comparison that is all there is": {
        "tests/test_a.py": "from alike import alike\ndef test_a():\n    assert alike(got, want)\n",
        "alike.py": "def alike(a, b):\n    return a == b\n",
    },
    "code that is told what was got and no more": {
        "tests/test_a.py": "import inv\nfrom tool import total\ndef test_a():\n"
        "    got = inv.x()\n    assert total(got) == 1\n",
        "inv.py": "def x(): return 1\n",
        "tool.py": "def total(a):\n    return a\n",
    },
    "what was brought along and no test asks for": {
        "tests/check.js": "const { sum } = require('../sum');\nequal(sum(1), 1);\n",
        "vendor/other/index.js": "module.exports = {};\n",
        "sum.js": "exports.sum = (a) => a;\n",
    },
    "code that does more than compare": {
        "tests/test_a.py": "import inv\nfrom tool import alike, total\ndef test_a():\n"
        "    assert alike(total(inv.x()), 1)\n    assert alike(got, want)\n",
        "inv.py": "def x(): return 1\n",
        "tool.py": "def alike(a, b):\n    return a == b\n\n\ndef total(a):\n    return a\n",
    },
    "a schema that is all there is": {
        "tests/check.py": "assert load('schema.json')['title']\n",
        "schema.json": "",
    },
    "code whose value is used": {
        "tests/test_a.py": "from shop import check\ndef test_a():\n    check(1, 2)\n"
        "    assert check(2, 2) is None\n",
        "shop.py": "def check(a, b):\n    assert a\n",
    },
    "code that other code uses": {**SHELL, "bin/cmp.sh": ". lib/asserts.sh\ncmp() { same; }\n"},
    "code that does not fail": {**SHELL, "lib/asserts.sh": "same() {\n  echo $1\n}\n"},
    "code that compares nothing": {
        "tests/test_a.py": "from report import write\ndef test_a():\n    write('x', 2)\n",
        "report.py": "def write(path, data):\n    raise ValueError('fail')\n",
    },
    "code that tests do not name": {**SHELL, "tests/run.sh": 'same equal "$(cmp 1 1)" eq\n'},
    "data that code names": {**GOLDEN, "lib/ini.py": "SAMPLES = 'samples'\n"},
    "data where there is nothing but data": {
        "tests/check.py": "import json\njson.load(open('countries.json'))\n",
        "countries.json": "{}",
    },
    "data that tests hand on": {
        "tests/test_a.py": "from app import main\nmain(['config/default.yaml'])\n",
        "app.py": "def main(argv): ...\n",
        "config/default.yaml": "",
    },
    "documents": {
        "tests/check.py": "import ini\nopen('samples/README.md')\n",
        "lib/ini.py": "",
        "samples/README.md": "",
        "samples/.keep": "",
    },
}


def found(files: Mapping[str, str]) -> set[str]:
    tests = (path for path in files if path.startswith("tests/") or path.endswith("_test.go"))
    sealed = {*tests} - {*UNSEALED}
    is_code = str.endswith
    return support(
        Tree(dict(files)),
        sealed,
        may=lambda path: path not in sealed,
        is_code=lambda path: is_code(path, (".py", ".js", ".sh", ".go")),
    )


@pytest.mark.parametrize("name", CASES)
def test_what_tests_lean_on_is_sealed_with_them(name: str):
    """Golden data, and code that compares for them."""
    files, wanted = CASES[name]
    assert found(files) == wanted


@pytest.mark.parametrize("name", PRODUCT)
def test_product_is_not_sealed(name: str):
    """Work must be able to change it."""
    assert found(PRODUCT[name]) == set()


def test_values_beside_a_check_are_its_own_and_code_is_not():
    """Wherever checks lie, unless product names them as well."""
    files = {
        "tools/quality.py": "from budget import LONGEST\nfrom made import make\n"
        "for one in Path('shop').rglob('*.py'):\n    weigh(one, LONGEST)\n",
        "tools/budget.py": "# in lines\nLONGEST = 10\n",
        "tools/made.py": "SIZE = 1\n\n\ndef make(a):\n    return a\n",
        "shop/a.py": "",
    }
    assert oracles(a_criterion("python tools/quality.py"), Tree(files)) == (
        "tools/budget.py",
        "tools/quality.py",
    )
    named = {**files, "shop/a.py": "import budget\n"}
    assert "tools/budget.py" not in oracles(a_criterion("python tools/quality.py"), Tree(named))


def test_a_repository_too_large_to_read_is_left_alone(monkeypatch: pytest.MonkeyPatch):
    """Nothing is claimed of product that was not looked at."""
    monkeypatch.setattr("forsooth.judge.support._MOST", 1)
    assert found(SHELL) == set()


def test_a_criterion_rests_on_the_support_of_what_the_plan_protects():
    """Also where nothing is called like a test; what the fence names is the goal's own."""
    files = {
        "package.json": '{"scripts": {"test": "node spec/all.js"}}',
        "spec/all.js": "const { same } = require('../aid/same');\n"
        "const q = require('../query');\nsame(q(1), 2);\n",
        "aid/same.js": "exports.same = (a, b) => { if (a !== b) throw new Error(a); };\n",
        "query.js": "module.exports = (a) => a;\n",
    }
    criterion = a_criterion("npm test", oracle=("spec/**",))
    assert "aid/same.js" in oracles(criterion, Tree(files))
    own = Goal(id="G001", title="t", objective="o", fence=Fence(touch=("aid/same.js",)))
    assert "aid/same.js" not in oracles(criterion, Tree(files), goal=own)


def test_a_program_is_no_data_that_tests_compare_with():
    """Whatever it is called; it is told by its first line."""
    files = {**GOLDEN, "samples/run": "#!/bin/sh\n", "samples/list": "a\n"}
    found = oracles(a_criterion("python tests/check.py"), Tree(files))
    assert "samples/list" in found
    assert "samples/run" not in found
