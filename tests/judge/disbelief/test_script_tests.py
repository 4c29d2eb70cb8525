"""Which tests of a JavaScript file are seen, and which files are left alone."""

from __future__ import annotations

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
    "types": ("it('a', (x: Map<string, number[]>): Promise<void> => { y<T>(x) })", [("a",)]),
}
UNSEEN = {
    "an expression": "test('a', () => x())",
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
    assert all(script.source[spot.body - 1] == "{" for spot in script.spots)


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
