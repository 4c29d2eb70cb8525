"""Which tests of a JavaScript file are seen, and which files are left alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from forsooth.judge.checks.recipes.flips.script_tests import broken_at, canary, understood

SEEN = {
    "a block": ("test('a', () => { x(); });", [("a",)]),
    "a function with a name": ("it('a', async function named(done) { done(); })", [("a",)]),
    "a bare argument": ("test('a', async t => { t.end(); })", [("a",)]),
    "options between": ("test('a', { timeout: 5 }, () => {})", [("a",)]),
    "groups": (
        "describe('a', () => { describe(`b`, () => { it('c', () => {}) }) })",
        [tuple("abc")],
    ),
    "no semicolons": (
        "import x from 'y'\ntest('a', () => {})\ntest('b', () => {})",
        [("a",), ("b",)],
    ),
    "a pattern": ("const p = /['\"`{]/g;\ntest('a', () => { return /}/.test(p) })", [("a",)]),
    "a division": ("const p = (1 + 2) / 3 / 4; test('a', () => {})", [("a",)]),
    "a template in a template": ("const p = `${`{${'}'}`}'`; test('a', () => {})", [("a",)]),
    "one call": ("test('a', () => assert.equal(f(1, [2]), 3));", [("a",)]),
    "one call that is waited for": (
        "test('a', async () => await expect(f()).toBe(3), 5)",
        [("a",)],
    ),
    "types": ("it('a', (x: Map<string, number[]>): Promise<void> => { y<T>(x) })", [("a",)]),
}
UNSEEN = {
    "an expression": "test('a', () => x() + 1)",
    "a property": "test('a', () => x().y)",
    "a choice": "test('a', () => x() ? 1 : 2)",
    "a function made": "test('a', () => x => x())",
    "an object made": "test('a', () => new X())",
    "a group that is one call": "describe('a', () => test('b', () => {}))",
    "a value": "test('a', body)",
    "a title made up": "test(`a ${n}`, () => {})",
    "a title with escapes": "test('it\\'s', () => {})",
    "a method": "t.test('a', () => {})",
    "a modifier": "test.skip('a', () => {}); test.each([1])('b', () => {})",
    "a branch": "if (x) { test('a', () => {}) }",
    "a loop": "for (const x of y) { test('a', () => {}) }",
    "a function of its own": "const f = () => test('a', () => {})",
    "twins": "test('a', () => {}); test('a', () => {})",
    "a group that is skipped": "describe.skip('a', () => { test('b', () => {}) })",
    "a generator": "it('a', function* () {})",
    "a comment": "// test('a', () => {})\n/* test('b', () => {}) */",
    "a text": "const x = \"test('a', () => {})\"",
}
UNCLEAR = [
    "test('a', () => {",
    "const x = 'a\n';",
    "const x = {} / 2 / 3",
    "<p>don't</p>",
    "`${a",
    ")",
]


@pytest.mark.parametrize("case", SEEN)
def test_a_test_in_plain_sight_is_seen(case: str):
    """Its titles from the outside in, and the place where its body begins."""
    source, titles = SEEN[case]
    script = understood(source)
    assert script
    assert [spot.titles for spot in script.spots] == titles
    before = {script.source[spot.body - 1] for spot in script.spots}
    assert before == {" " if "one call" in case else "{"}


@pytest.mark.parametrize("case", UNSEEN)
def test_a_test_out_of_sight_is_left_alone(case: str):
    """To break it might break another, or none."""
    script = understood(UNSEEN[case])
    assert script
    assert script.spots == ()


@pytest.mark.parametrize("source", UNCLEAR)
def test_an_unclear_file_is_left_alone(source: str):
    """A file that is not understood to its end is not touched at its beginning."""
    assert understood(source) is None


def test_only_the_body_of_the_broken_test_is_touched():
    """Everything else stays to the letter, and the file is still understood."""
    source = "test('a', () => { x(); });\r\ntest('b', () => { y(); });"
    script = understood(source)
    assert script
    made = broken_at(script, script.spots[1])
    assert made.startswith(source[: script.spots[1].body])
    assert made.endswith(source[script.spots[1].body :])
    assert understood(made + canary(script, script.spots[0], red=True))


@pytest.mark.parametrize("wait", ["", "await "])
def test_a_body_that_is_one_call_never_comes_to_it(wait: str, tmp_path: Path):
    """What it would compare does not matter; whatever else is in the file does."""
    source = (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        f"test('a', async () => {wait}assert.equal(1, 1));\n"
        "test('b', () => assert.equal(2, 2));\n"
    )
    script = understood(source)
    assert script
    (tmp_path / "a.test.js").write_text(broken_at(script, script.spots[0]))
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", "a.test.js"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("not ok 1 - a" in done.stdout, "\nok 2 - b" in done.stdout) == (True, True), done.stdout
