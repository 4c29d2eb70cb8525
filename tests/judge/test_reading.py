"""What texts alone show about the tests of a branch."""

from __future__ import annotations

import pytest

from forsooth.git.trees import Change
from forsooth.judge.branch.reading import read_tests
from forsooth.judge.branch.skips import skips
from tests.judge.test_range import Files

A, B = "def test_a():\n    assert f(2) == 4\n", "def test_b():\n    assert g() == 1\n"
PY = f"import pytest\n\n\n{A}\n\n{B}"
JS = "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
GO = 'package a\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n'
RUST = "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\nfn helper() {}\n"
JAVA = "class ATest {\n  @Test void adds() {}\n}\n"


def change(path: str, status: str) -> Change:
    return Change(path, status, "100644", "100644", "0", "1")


def seen(path: str, old: str | None, new: str | None, **more) -> set[tuple[str, str]]:
    status = "A" if old is None else "D" if new is None else "M"
    before, after = (Files({path: text} if text is not None else {}) for text in (old, new))
    found = tuple(read_tests([change(path, status)], before, after, **more))
    assert all(one.rank == "look" and one.path == path for one in found)
    return {(one.code, one.subject.removeprefix(f"{path}::")) for one in found}


MAIN = "\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n"
IN_TEST = "pytest.skip('x')\n    assert f(2)"
IN_FILE = "pytest\npytestmark = pytest.mark.skip\n"
JAVA_FILE = "src/test/ATest.java"
SEEN = [
    ("test_a.py", PY, PY.replace(A, f"@pytest.mark.skip\n{A}"), "skipped test_a"),
    ("test_a.py", PY, PY.replace("assert f(2)", IN_TEST), "skipped test_a"),
    ("test_a.py", PY, PY.replace("pytest\n", IN_FILE), "skipped test_a.py"),
    ("test_a.py", PY, PY.replace("== 4", "is not None"), "weakened test_a"),
    ("test_a.py", PY, PY.replace("== 4", "== 5"), "expects test_a"),
    ("test_a.py", PY, PY.replace(B, ""), "deleted test_b"),
    ("test_a.py", PY, PY + "\n\ndef load_tests(*_):\n    return None\n", "runner test_a.py"),
    ("a.test.js", JS, JS.replace("test(", "test.skip("), "skipped adds"),
    ("a.test.js", JS, JS.replace("test(", "xit("), "skipped adds"),
    ("a.test.js", JS, JS.replace("'adds',", "'adds', { skip: true },"), "skipped adds"),
    ("a.test.js", JS, "test('sums', () => {});\n", "deleted adds"),
    ("a_test.go", GO, GO.replace("\tif", '\tt.Skip("no")\n\tif'), "skipped TestAdd"),
    ("a_test.go", GO, GO + MAIN, "runner a_test.go"),
    ("a_test.go", GO, "package a\n", "deleted TestAdd"),
    ("a.rs", RUST, RUST.replace("#[test]", "#[test]\n#[ignore]"), "skipped adds"),
    ("a.rs", RUST, "fn helper() {}\n", "deleted adds"),
    (JAVA_FILE, JAVA, JAVA.replace("@Test", "@Disabled @Test"), f"skipped {JAVA_FILE}"),
    (JAVA_FILE, JAVA, None, f"deleted {JAVA_FILE}"),
]


@pytest.mark.parametrize(("path", "old", "new", "what"), SEEN)
def test_what_a_text_shows_is_told_without_a_run(path, old, new, what):
    """Each way of asking less that leaves a trace in the text, in each language."""
    assert tuple(what.split()) in seen(path, old, new)


HONEST = [
    ("test_a.py", PY, PY.replace("    assert g", "    # why\n    assert  g")),
    ("test_a.py", PY, PY.replace("def test_a", "def test_doubled")),
    ("test_a.py", PY, PY + "\n\ndef test_c():\n    assert h() == 3\n"),
    ("a.test.js", JS, JS + "test('more', () => { expect(1).toBe(1); });\n"),
    ("a_test.go", GO, GO + "\nfunc TestMore(t *testing.T) {}\n"),
    ("a.rs", RUST, RUST.replace("fn helper() {}", "fn helper() { }")),
    ("test_a.py", None, PY),
    ("test_a.py", "def broken(:\n", "def broken(:\n\n"),
]


@pytest.mark.parametrize(("path", "old", "new"), HONEST)
def test_honest_changes_of_a_text_are_left_alone(path, old, new):
    """Layout, a new name, and more tests are nothing to look at."""
    assert seen(path, old, new) == set()


def test_tests_that_a_run_reported_are_not_read_again():
    """The run knows better; what it did not report is still read."""
    new = PY.replace("== 4", "is not None").replace("== 1", "is not None")
    assert seen("test_a.py", PY, new, ran={("test_a.py", "test_a")}) == {("weakened", "test_b")}
    gone = PY.replace(B, "")
    assert seen("test_a.py", PY, gone, ran={("test_a.py", "test_b")}) == set()


def test_another_expectation_is_read_where_product_and_tests_share_a_file():
    """There is no run of the old tests over the new product, and both ends are green."""
    changed = RUST.replace("2), 3", "2), 4")
    assert seen("a.rs", RUST, changed, ran={("a.rs", "adds")}) == set()
    found = seen("a.rs", RUST, changed, ran={("a.rs", "adds")}, mixed={"a.rs"})
    assert found == {("expects", "adds")}


def test_a_skip_in_a_class_or_under_a_condition_is_seen():
    """The mark of a class is that of its tests; a condition may hold."""
    test = "    def test_a(self):\n        self.skipTest('z')\n"
    text = f"@unittest.skipIf(X, 'y')\nclass TestA:\n{test}"
    assert set(skips("test_a.py", text.encode())) == {"TestA", "TestA::test_a"}
    nested = "if X:\n    @pytest.mark.xfail\n    def test_a(): pass\n"
    assert skips("test_a.py", nested.encode()) == {"test_a": "pytest.mark.xfail"}
    assert skips("test_a.py", b"") == skips("test_a.py", b"def x(:\n") == {}
    assert skips("a_test.go", b"//go:build never\n\npackage a\n") == {"": "//go:build never"}
