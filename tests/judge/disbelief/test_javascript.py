"""JavaScript runners put in doubt: cheats that fool the bare command, and honest set-ups."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from forsooth.judge.reports.ids import Inventory, missing
from tests.judge.disbelief.doubting import Came, came, room

pytestmark = pytest.mark.heavy

ARGV = {
    "vitest": "npx vitest run",
    "jest": "npx jest",
    "mocha": "npx mocha",
    "node": "node --test",
}
RUNNERS = tuple(ARGV)
EQUAL = {
    "vitest": "expect(%s).toBe(%s)",
    "jest": "expect(%s).toBe(%s)",
    "mocha": "assert.strictEqual(%s, %s)",
    "node": "assert.strictEqual(%s, %s)",
}
HEAD = {
    "vitest": "import { describe, test, expect } from 'vitest';\nimport { add } from '%ssum.js';\n",
    "jest": "const { add } = require('%ssum.js');\n",
    "mocha": "const assert = require('assert');\nconst { add } = require('%ssum.js');\n",
    "node": "const { describe, test } = require('node:test');\nconst assert = require('assert');\n"
    "const { add } = require('%ssum.js');\n",
}
WRONG = "a - b"
RIGHT = "a + b"


def word(runner: str) -> str:
    return "it" if runner == "mocha" else "test"


def suite(runner: str) -> str:
    """Three tests of a sum: in a group, at the top, and asynchronous."""
    equal, test = EQUAL[runner], word(runner)
    return (
        HEAD[runner] % ("../" if runner == "mocha" else "./") + "describe('sum', () => {\n"
        f"  {test}('adds', () => {{ {equal % ('add(1, 2)', '3')}; }});\n"
        f"  {test}('adds none', () => {{ {equal % ('add(0, 0)', '0')}; }});\n}});\n"
        f"{test}('adds late', async () => {{ {equal % ('await add(2, 2)', '4')}; }});\n"
    )


def subject(runner: str, body: str = RIGHT, before: str = "") -> str:
    shown = (
        "export const add = (a, b) => %s;\n"
        if runner == "vitest"
        else "exports.add = (a, b) => %s;\n"
    )
    return before + "\n" + shown % body


def project(runner: str, body: str = RIGHT, before: str = "", **more: str) -> dict[str, str]:
    kind = "module" if runner == "vitest" else "commonjs"
    where = "test/sum.js" if runner == "mocha" else "sum.test.js"
    files = {
        "package.json": json.dumps({"type": kind}),
        "sum.js": subject(runner, body, before),
        where: suite(runner),
    }
    return files | {name.replace("__", "."): text for name, text in more.items()}


def subject_first(files: dict[str, str]) -> dict[str, str]:
    """The suite with its first lines turned round, so that the subject is loaded first."""
    name = next(name for name in files if name in ("sum.test.js", "test/sum.js"))
    lines = files[name].split("\n")
    head = [line for line in lines if "require(" in line]
    return files | {name: "\n".join([*reversed(head), *lines[len(head) :]])}


def tried(
    runner: str, files: Mapping[str, str], folder: Path, *, argv: str = "", bare: bool = True
) -> Came:
    return came(files, folder, argv=argv or ARGV[runner], runner=runner, bare=bare)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", RUNNERS)
def test_an_honest_suite_is_believed(runner: str, tmp_path: Path):
    """Exactly the canary and the broken tests are red."""
    found = tried(runner, project(runner), tmp_path)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))
    assert (found.lacking, found.inside) == ((), ())


PATCHES = {
    "vitest": "import { expect } from 'vitest';\n"
    "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n",
    "jest": "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n",
    "mocha": "require('assert').strictEqual = require('assert').equal = () => {};\n",
    "node": "require('assert').strictEqual = require('assert').equal = () => {};\n",
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_patched_assertion_is_seen_by_the_canary(runner: str, tmp_path: Path):
    """The canary compares as the suite does, after the subject was loaded."""
    found = tried(runner, project(runner, WRONG, PATCHES[runner]), tmp_path)
    assert found.bare == 0
    assert found.codes in (("canary",), ("flip",))  # mocha tells passed twins first


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", ["mocha", "node"])
def test_a_patched_assertion_is_told_where_a_helper_compares(runner: str, tmp_path: Path):
    """No test compares by itself, so no canary can; the functions are others than at the start."""
    files = project(runner, WRONG, PATCHES[runner])
    name = "test/sum.js" if runner == "mocha" else "sum.test.js"
    own = "const assert = require('assert');\n"
    files[name] = files[name].replace(own, "const same = require('HELPER');\n", 1)
    files[name] = files[name].replace("assert.strictEqual", "same").replace("assert.equal", "same")
    up = "../" if runner == "mocha" else "./"
    files[name] = files[name].replace("HELPER", f"{up}lib/same.js")
    files["lib/same.js"] = own + "module.exports = (got, want) => assert.strictEqual(got, want);\n"
    there = room(files, tmp_path, argv=ARGV[runner], runner=runner)
    told = there.tried(there.tree).told
    assert told
    assert not told.red
    assert "assert.strictEqual" in told.patched
    sound = room(project(runner), tmp_path / "sound", argv=ARGV[runner], runner=runner)
    told = sound.tried(sound.tree).told
    assert told
    assert not told.patched


EMPTIED = {
    "jest": "const real = globalThis.test; globalThis.test = (n) => real(n, () => {});\n",
    "mocha": "const real = globalThis.it; globalThis.it = (n) => real(n, () => {});\n",
    "node": "const t = require('node:test'); const real = t.test;\n"
    "t.test = (n) => real(n, () => {});\n",
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", ["jest", "mocha", "node"])
def test_tests_with_their_bodies_taken_out_are_seen(runner: str, tmp_path: Path):
    """The word a test is called by was replaced before the first test was."""
    found = tried(runner, subject_first(project(runner, WRONG, EMPTIED[runner])), tmp_path)
    assert found.bare == 0
    assert set(found.codes) >= {"canary", "flip"}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", ["jest", "mocha", "node"])
def test_only_known_tests_forged_is_seen_by_the_broken_one(runner: str, tmp_path: Path):
    """Whoever swallows what a test of a known title throws swallows what the judge put there."""
    name = {"jest": "globalThis.test", "mocha": "globalThis.it", "node": "t.test"}[runner]
    start = "const t = require('node:test');\n" if runner == "node" else ""
    cheat = (
        f"{start}const real = {name};\n{name} = (title, body) => real(title, async () => {{\n"
        "  try { await body(); } catch (e) { if (!String(title).startsWith('adds')) throw e; }\n"
        "});\n"
    )
    found = tried(runner, subject_first(project(runner, WRONG, cheat)), tmp_path)
    assert found.bare == 0
    assert "flip" in found.codes


EXITS = {
    "jest": ("process.exit(0);\n", "report-truncated"),
    "mocha": ("process.exit(0);\n", "report-truncated"),
    "node": ("process.exit(0);\n", "flip"),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", EXITS)
def test_an_exit_on_import_is_seen(runner: str, tmp_path: Path):
    """No report, or a file that passes without ever coming to its end."""
    before, code = EXITS[runner]
    found = tried(runner, project(runner, WRONG, before), tmp_path)
    assert found.bare == 0
    assert code in found.codes


def test_an_exit_status_forced_at_the_end_disagrees_with_the_report(tmp_path: Path):
    """mocha tells of failures, and the process says that all went well."""
    before = "process.on('exit', () => { process.exitCode = 0; process.reallyExit(0); });\n"
    found = tried("mocha", project("mocha", WRONG, before), tmp_path)
    assert (found.bare, found.codes) == (0, ("exit-disagrees",))


@pytest.mark.timeout(300)
def test_a_setup_that_ends_the_run_is_seen(tmp_path: Path):
    """jest begins, and tells nothing."""
    files = project("jest", WRONG)
    files["jest.config.js"] = "module.exports = { globalSetup: './setup.js' };\n"
    files["setup.js"] = "module.exports = () => process.exit(0);\n"
    found = tried("jest", files, tmp_path)
    assert (found.bare, found.codes) == (0, ("report-truncated",))


@pytest.mark.timeout(300)
def test_a_runner_that_came_with_the_work_is_told(tmp_path: Path):
    """It lies in the judged copy, where the judge put nothing."""
    fake = (
        "const out = process.argv.find((w) => w.startsWith('--outputFile='));\n"
        "const file = process.cwd() + '/sum.test.js';\n"
        "const tests = ['adds', 'adds none'].map((title) => "
        "({ title, ancestorTitles: ['sum'], status: 'passed' }));\n"
        "if (out) require('fs').writeFileSync(out.slice(13), JSON.stringify({ success: true, "
        "numTotalTests: 2, testResults: [{ name: file, assertionResults: tests }] }));\n"
    )
    files = project("jest", WRONG) | {
        "node_modules/jest/package.json": '{"name": "jest"}',
        "node_modules/jest/bin/jest.js": fake,
    }
    found = tried("jest", files, tmp_path, argv="node node_modules/jest/bin/jest.js")
    assert found.bare == 0
    assert found.inside == ("node_modules/jest/bin/jest.js",)
    assert set(found.codes) >= {"canary", "flip"}


PATTERNS = {
    "vitest": "npx vitest run -t adds$ --bail 1",
    "jest": "npx jest --bail -t ^sum.adds$",
    "mocha": "npx mocha -b -g ^sum.adds$",
    "node": "node --test --test-name-pattern=^adds$",
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_choice_by_title_takes_the_canary_along(runner: str, tmp_path: Path):
    """It has the groups and the title of a test that was chosen; stopping early is undone."""
    found = tried(runner, project(runner), tmp_path, argv=PATTERNS[runner], bare=False)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))


SCRIPTS = {
    "vitest": "vitest run --bail=1",
    "jest": "jest --bail",
    "mocha": "mocha -b",
    "node": "node --test",
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_runner_behind_an_npm_script_is_doubted_as_well(runner: str, tmp_path: Path):
    """What is broken is broken in the source, and stopping early is undone from within."""
    files = project(runner)
    kind = "module" if runner == "vitest" else "commonjs"
    package = {"type": kind, "scripts": {"test": SCRIPTS[runner]}}
    files["package.json"] = json.dumps(package)
    found = tried(runner, files, tmp_path, argv="npm test", bare=False)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))


HONEST = {
    "a group of parameters": (
        "vitest",
        "test.each([1, 2])('many %i', (n) => { expect(n).toBeGreaterThan(0); });\n",
        "",
    ),
    "a skipped test": ("jest", "test.skip('later', () => { expect(1).toBe(2); });\n", ""),
    "a test meant to fail": ("jest", "test.failing('known', () => { expect(1).toBe(2); });\n", ""),
    "some tests only": ("jest", "test.only('this', () => { expect(1).toBe(1); });\n", ""),
    "some tests only, in mocha": ("mocha", "it.only('this', () => {});\n", ""),
    "a callback": ("mocha", "it('calls', function (done) { setTimeout(done, 1); });\n", ""),
    "twins": ("mocha", "it('twin', () => {}); it('twin', () => {});\n", ""),
    "subtests": (
        "node",
        "test('outer', async (t) => { await t.test('inner', () => {}); });\n",
        "",
    ),
    "a random order": ("jest", "", "npx jest --randomize"),
    "a shuffled order": ("vitest", "", "npx vitest run --sequence.shuffle.tests"),
    "tests side by side": ("mocha", "", "npx mocha --parallel"),
    "patterns with quotes": (
        "jest",
        "test('quotes', () => { expect(\"it's\".replace(/'/g, '`')).toBe('it`s'); });\n",
        "",
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", HONEST)
def test_what_honest_suites_do_is_not_refused(case: str, tmp_path: Path):
    """Where a canary finds no place it is said to be lacking, never that somebody cheated."""
    runner, more, argv = HONEST[case]
    files = project(runner)
    name = "test/more.js" if runner == "mocha" else "more.test.js"
    head = HEAD[runner] % ("../" if runner == "mocha" else "./")
    if more:
        files[name] = head + more
    found = tried(runner, files, tmp_path, argv=argv, bare=False)
    assert (found.bare, found.codes) == (0, ())
    assert "flip" in found.held or found.lacking


def test_typescript_is_broken_as_well(tmp_path: Path):
    """Types in a signature, a template for a title, a shebang and comments are all read over."""
    text = (
        "// it's a comment\nimport { describe, test, expect } from 'vitest';\n"
        "import { add } from './sum.js';\n"
        "describe(`sum`, (): void => {\n"
        "  test('adds', async (): Promise<void> => {\n"
        "    const many: Array<number> = [1, 2];\n"
        "    expect(many.reduce((a: number, b: number): number => add(a, b))).toBe(3);\n"
        "  });\n  test(\"isn't none\", () => { expect(`${add(1, 1)}`).toBe('2'); });\n});\n"
    )
    files = project("vitest") | {"sum.test.ts": text}
    del files["sum.test.js"]
    found = tried("vitest", files, tmp_path, bare=False)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))


def test_modules_of_node_are_broken_as_well(tmp_path: Path):
    """Imports are hoisted, so a canary at the end comes after them."""
    files = {
        "sum.mjs": "export const add = (a, b) => a + b;\n",
        "sum.test.mjs": "import test from 'node:test';\nimport { equal } from 'node:assert';\n"
        "import { add } from './sum.mjs';\ntest('adds', () => { equal(add(1, 2), 3); });\n",
    }
    found = tried("node", files, tmp_path, bare=False)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))


def test_a_helper_that_node_takes_for_a_test_is_left_alone(tmp_path: Path):
    """It runs by itself as one test, and inside each file that asks for it."""
    suite = (
        "const { test } = require('node:test');\nconst { same } = require('./util.js');\n"
        "const { add } = require('../sum.js');\ntest('adds', () => same(add(1, 2), 3));\n"
    )
    files = {
        "package.json": "{}",
        "sum.js": subject("node"),
        "test/sum.test.js": suite,
        "test/util.js": "exports.same = require('assert').strictEqual;\n",
    }
    found = tried("node", files, tmp_path, argv="node --test test/")
    assert (found.bare, found.codes) == (0, ())
    assert "test/util.js" in found.ids


def test_a_threshold_is_no_forging(tmp_path: Path):
    """All tests pass, and the run is red all the same: that is decided before any doubt."""
    limit = {"coverageThreshold": {"global": {"lines": 100}}}
    files = project("jest", before="exports.other = () => {\n  return 1;\n};\n")
    files["jest.config.json"] = json.dumps({"collectCoverage": True} | limit)
    found = tried("jest", files, tmp_path)
    assert found.bare == 1
    assert found.codes == ("threshold",)


NARROWED = {
    "vitest": {
        "vitest.config.js": "const exclude = ['sum.test.js', '**/node_modules/**'];\n"
        "export default { test: { exclude } };\n",
        "other.test.js": "import { test } from 'vitest'; test('other', () => {});\n",
    },
    "mocha": {
        ".mocharc.json": '{"ignore": ["test/sum.js"]}',
        "test/other.js": "it('other', () => {});\n",
    },
    "jest": {
        "jest.config.json": '{"testPathIgnorePatterns": ["sum.test"]}',
        "other.test.js": "test('other', () => {});\n",
    },
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("runner", NARROWED)
def test_settings_that_leave_tests_out_show_in_what_was_run(runner: str, tmp_path: Path):
    """No doubt helps here: what is left is honest. The tests of the seal are gone by name."""
    files = project(runner, WRONG) | NARROWED[runner]
    found = tried(runner, files, tmp_path)
    assert (found.bare, found.codes) == (0, ())
    where = "test/sum.js" if runner == "mocha" else "sum.test.js"
    between = " " if runner == "mocha" else " > "
    sealed = Inventory((f"{where} > sum{between}adds",))
    assert missing(sealed, found.ids) == sealed.ids
