"""One tiny project a runner: a test that passes, fails, is skipped, has parameters, cannot run."""

from __future__ import annotations

from typing import NamedTuple


class Project(NamedTuple):
    """Files, the argv a person would write, and what each test must be found to be."""

    files: dict[str, str]
    argv: tuple[str, ...]
    expected: dict[str, str]
    env: dict[str, str] = {}


PYTEST = Project(
    {
        "test_all.py": """
import pytest

def test_passes():
    pass

def test_fails():
    assert 1 == 2

@pytest.mark.skip(reason="not now")
def test_skipped():
    pass

@pytest.mark.parametrize("n", [1, 2])
def test_many(n):
    assert n == 1

@pytest.fixture
def broken():
    raise RuntimeError("no fixture")

def test_errs(broken):
    pass

@pytest.mark.xfail
def test_known():
    assert False

@pytest.mark.xfail
def test_mended():
    pass

@pytest.fixture
def late():
    yield
    raise RuntimeError("late")

def test_teardown(late):
    pass
""",
        "test_unloadable.py": "import nothing_like_this\n",
        "test_left_out.py": "import pytest\npytest.skip('whole', allow_module_level=True)\n",
    },
    ("python", "-m", "pytest", "-q", "--continue-on-collection-errors"),
    {
        "test_all.py::test_passes": "passed",
        "test_all.py::test_fails": "failed",
        "test_all.py::test_skipped": "skipped",
        "test_all.py::test_many[1]": "passed",
        "test_all.py::test_many[2]": "failed",
        "test_all.py::test_errs": "error",
        "test_all.py::test_known": "xfailed",
        "test_all.py::test_mended": "xpassed",
        "test_all.py::test_teardown": "error",
        "test_unloadable.py": "error",
        "test_left_out.py": "skipped",
    },
)

UNITTEST = Project(
    {
        "test_all.py": """
import unittest

class All(unittest.TestCase):
    def test_passes(self):
        pass

    def test_fails(self):
        self.assertEqual(1, 2)

    @unittest.skip("not now")
    def test_skipped(self):
        pass

    def test_many(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(n, 1)

    def test_errs(self):
        raise RuntimeError("no")

    @unittest.expectedFailure
    def test_known(self):
        self.fail()

    @unittest.expectedFailure
    def test_mended(self):
        pass

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no class")

    def test_never(self):
        pass
""",
        "test_unloadable.py": "import nothing_like_this\n",
    },
    ("python", "-W", "default", "-m", "unittest", "-v"),
    {
        "test_all.All.test_passes": "passed",
        "test_all.All.test_fails": "failed",
        "test_all.All.test_skipped": "skipped",
        "test_all.All.test_many": "failed",
        "test_all.All.test_errs": "error",
        "test_all.All.test_known": "xfailed",
        "test_all.All.test_mended": "failed",
        "setUpClass (test_all.Broken)": "error",
        "unittest.loader._FailedTest.test_unloadable": "error",
    },
)

_JS = """
describe('all', () => {
  %(it)s('passes', () => {});
  %(it)s('fails', () => { %(no)s; });
  %(it)s.skip('skipped', () => {});
  %(each)s
});
"""

VITEST = Project(
    {
        "package.json": '{"type": "module"}',
        "all.test.js": "import { describe, test, expect } from 'vitest';"
        + _JS
        % {
            "it": "test",
            "no": "expect(1).toBe(2)",
            "each": "test.each([1, 2])('many %i', (n) => expect(n).toBe(1));",
        },
        "unloadable.test.js": "import './nothing-like-this.js';",
    },
    ("npx", "vitest", "run"),
    {
        "all.test.js > all > passes": "passed",
        "all.test.js > all > fails": "failed",
        "all.test.js > all > skipped": "skipped",
        "all.test.js > all > many 1": "passed",
        "all.test.js > all > many 2": "failed",
        "unloadable.test.js": "error",
    },
)

JEST = Project(
    {
        "package.json": '{"scripts": {"test": "jest"}}',
        "all.test.js": _JS
        % {
            "it": "test",
            "no": "expect(1).toBe(2)",
            "each": "test.each([1, 2])('many %i', (n) => expect(n).toBe(1));",
        },
        "unloadable.test.js": "require('./nothing-like-this.js');",
    },
    ("npx", "jest"),
    {
        "all.test.js > all > passes": "passed",
        "all.test.js > all > fails": "failed",
        "all.test.js > all > skipped": "skipped",
        "all.test.js > all > many 1": "passed",
        "all.test.js > all > many 2": "failed",
        "unloadable.test.js": "error",
    },
)

MOCHA = Project(
    {
        "package.json": "{}",
        "test/all.cjs": "const assert = require('assert');"
        + _JS
        % {
            "it": "it",
            "no": "assert.equal(1, 2)",
            "each": "for (const n of [1, 2]) it(`many ${n}`, () => assert.equal(n, 1));",
        }
        + "describe('hooked', () => {"
        + " before(() => { throw new Error('no'); }); it('never', () => {}); });",
    },
    ("npx", "mocha", "test/all.cjs"),
    {
        "test/all.cjs > all passes": "passed",
        "test/all.cjs > all fails": "failed",
        "test/all.cjs > all skipped": "skipped",
        "test/all.cjs > all many 1": "passed",
        "test/all.cjs > all many 2": "failed",
        'test/all.cjs > hooked "before all" hook for "never"': "error",
    },
)

NODE = Project(
    {
        "test/all.test.mjs": """
import { test, describe, it } from 'node:test';
import assert from 'node:assert';
test('passes', () => {});
test('fails', () => assert.equal(1, 2));
test('skipped', { skip: 'not now' }, () => {});
test('known', { todo: true }, () => assert.equal(1, 2));
describe('many', () => { for (const n of [1, 2]) it(`is ${n}`, () => assert.equal(n, 1)); });
""",
        "test/unloadable.test.mjs": "import './nothing-like-this.mjs';",
    },
    ("node", "--test", "test/"),
    {
        "test/all.test.mjs > passes": "passed",
        "test/all.test.mjs > fails": "failed",
        "test/all.test.mjs > skipped": "skipped",
        "test/all.test.mjs > known": "xfailed",
        "test/all.test.mjs > many > is 1": "passed",
        "test/all.test.mjs > many > is 2": "failed",
        "test/unloadable.test.mjs": "error",
    },
)

GO = Project(
    {
        "go.mod": "module example.test/all\n\ngo 1.18\n",
        "all_test.go": """package all

import ("fmt"; "testing")

func TestPasses(t *testing.T) {}
func TestFails(t *testing.T)   { t.Errorf("one is not two") }
func TestSkipped(t *testing.T) { t.Skip("not now") }
func TestMany(t *testing.T) {
	for n := 1; n < 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { if n != 1 { t.Fail() } })
	}
}
""",
        "broken/broken_test.go": 'package broken\n\nimport "testing"\n\n'
        "func TestNever(t *testing.T) { x }\n",
        "crash/crash_test.go": 'package crash\n\nimport ("os"; "testing")\n\n'
        "func TestOut(t *testing.T) { os.Exit(3) }\n",
        "empty/empty.go": "package empty\n",
    },
    ("go", "test", "./..."),
    {
        "example.test/all::TestPasses": "passed",
        "example.test/all::TestFails": "failed",
        "example.test/all::TestSkipped": "skipped",
        "example.test/all::TestMany": "failed",
        "example.test/all::TestMany/1": "passed",
        "example.test/all::TestMany/2": "failed",
        "example.test/all/broken": "error",
        "example.test/all/crash::TestOut": "error",
    },
    {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"},
)

CARGO = Project(
    {
        "Cargo.toml": '[package]\nname = "all"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": """/// ```
/// assert_eq!(all::one(), 1);
/// ```
pub fn one() -> i32 { 1 }

/// ```
/// assert_eq!(all::two(), 3);
/// ```
pub fn two() -> i32 { 2 }

#[cfg(test)]
mod tests {
    #[test] fn passes() {}
    #[test] fn fails() { assert_eq!(1, 2); }
    #[test] #[ignore = "not now"] fn skipped() {}
    #[test] #[should_panic] fn panics() { panic!("as it should") }
}
""",
        "tests/other.rs": '#[test] fn passes() { println!("{{\\"type\\""); }\n',
    },
    ("cargo", "test", "--offline", "--no-fail-fast"),
    {
        "all::tests::passes": "passed",
        "all::tests::fails": "failed",
        "all::tests::skipped": "skipped",
        "all::tests::panics": "passed",
        "other::passes": "passed",
        "src/lib.rs - one": "passed",
        "src/lib.rs - two": "failed",
    },
)

BATS = Project(
    {
        "all.bats": """@test "passes" { true; }
@test "fails" { [ 1 = 2 ]; }
@test "skipped" { skip "not now"; }
""",
    },
    ("bats", "all.bats"),
    {"passes": "passed", "fails": "failed", "skipped": "skipped"},
)

JUNIT = Project(
    {"test_all.py": PYTEST.files["test_all.py"]},
    ("python", "-m", "pytest", "-q", "--junitxml=reports/unit.xml"),
    {
        "test_all::test_passes": "passed",
        "test_all::test_fails": "failed",
        "test_all::test_skipped": "skipped",
        "test_all::test_many[1]": "passed",
        "test_all::test_many[2]": "failed",
        "test_all::test_errs": "error",
        "test_all::test_known": "xfailed",
        "test_all::test_mended": "passed",
        "test_all::test_teardown": "error",
    },
)
