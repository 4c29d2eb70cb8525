"""Tests that lie in the file they are about: they are judged as sealed, the rest as delivered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from forsooth.judge.environment.toolchain import Search
from forsooth.judge.sandbox.runner import answer
from forsooth.judge.within import as_sealed, has_tests
from tests.judge.court import Court
from tests.tools import needs

RUST = """pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    use super::*;
    // } and "
    #[test]
    fn adds<'a>() {
        let _ = (r#"}"}"#, '}', '\\'', "\\"}", b'{', /* } /* } */ } */ 1);
        assert_eq!(add(2, 3), 5);
    }
}

pub fn zero() -> i32 { 0 }
"""
SELFTEST = """import sys


def add(a, b):
    return a - b


def selftest():
    assert add(2, 3) == 5


if __name__ == "__main__":
    selftest() if "--selftest" in sys.argv else print(add(1, 2))
"""
EXAMPLE = '''def add(a, b):
    """The sum.

    >>> add(2, 3)
    5
    """
    return a - b
'''
INSIDE = "def add(a, b):\n    return a - b\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


def sealed(path: str, was: str, now: str) -> str:
    return as_sealed(path, was.encode(), now.encode()).decode()


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.rs", RUST), ("a.py", SELFTEST), ("a.py", EXAMPLE), ("a.py", INSIDE)],
)
def test_tests_in_product_are_found_and_stay_when_nothing_changed(path: str, text: str):
    """And product that changed around them is as it was delivered."""
    assert has_tests(path, text.encode())
    assert sealed(path, text, text) == text
    fixed = text.replace("a - b", "a + b")
    assert sealed(path, text, fixed) == fixed


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "pub fn tests() {}\n"),
        ("a.rs", "// #[cfg(test)] mod tests {\n"),
        ("a.py", "def test_connection():\n    return 1\n"),
        ("a.py", 'def add():\n    """The sum."""\n'),
        ("a.py", "def broken(:\n"),
        ("a.go", "package a\n"),
    ],
)
def test_what_only_looks_like_tests_is_none(path: str, text: str):
    """A word is not enough."""
    assert not has_tests(path, text.encode())


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.rs", RUST), ("a.py", SELFTEST), ("a.py", EXAMPLE), ("a.py", INSIDE)],
)
def test_a_weakened_test_comes_back_and_a_new_line_of_product_stays(path: str, text: str):
    """Whatever else is in the file."""
    weak = text.replace(", 5)", ", -1)").replace("== 5", "== -1").replace("    5\n", "    -1\n")
    assert weak != text
    mark = "// more\n" if path == "a.rs" else "# more\n"
    assert sealed(path, text, mark + weak) == mark + text


def test_new_tests_beside_sealed_ones_stay_out_of_the_way():
    """In a module of their own they are kept; in a sealed one only the sealed are seen."""
    other = RUST + "#[cfg(test)]\nmod more { #[test] fn zero() {} }\n"
    assert sealed("a.rs", RUST, other) == other
    grown = INSIDE + "\n\ndef test_more():\n    assert add(0, 0) == 0\n"
    assert sealed("a.py", INSIDE, grown) == grown


@pytest.mark.parametrize(
    ("path", "text", "start", "end"),
    [
        ("a.rs", RUST, "#[cfg(test)]", "pub fn zero"),
        ("a.py", INSIDE, "def test_add", ""),
        ("a.py", EXAMPLE, '    """The', "    return"),
    ],
)
def test_a_test_that_is_gone_comes_back(path: str, text: str, start: str, end: str):
    """At the end, or where it documents."""
    gone = text[: text.index(start)] + (text[text.index(end) :] if end else "pass\n")
    made = sealed(path, text, gone)
    body = text[text.index(start) : text.index(end) if end else len(text)].strip()
    assert body in made


def test_what_cannot_be_taken_apart_comes_back_whole_or_fails_by_itself():
    """A file of Rust whose braces do not pair, and one of Python that does not parse."""
    assert sealed("a.rs", RUST, RUST + "}") == RUST
    assert sealed("a.py", INSIDE, "def broken(:\n") == "def broken(:\n"
    assert sealed("a.rs", RUST, RUST + "/* {") == RUST + "/* {"
    assert sealed("a.rs", RUST, RUST + 'const A: &str = r##"{"##;') == RUST + (
        'const A: &str = r##"{"##;'
    )
    assert sealed("a.rs", RUST, RUST + 'r#"{') == RUST + 'r#"{'
    nested = "#[cfg(test)] mod a { #[cfg(test)] mod b { } }\n"
    assert sealed("a.rs", nested, nested) == nested
    assert sealed("a.py", INSIDE, "") == INSIDE[INSIDE.index("def test_add") :]
    line = 'def f(): """>>> 1"""\n'
    assert not has_tests("a.py", line.encode())


def test_classes_of_tests_and_what_decorates_them_are_taken_whole():
    """A case by what it derives from, a test class by its name where it asserts."""
    case = "import unittest\n\n\n@mark\nclass A(unittest.TestCase):\n    def test_a(self):\n"
    case += "        self.assertEqual(1, 1)\n"
    assert sealed("a.py", case, case.replace("(1, 1)", "(2, 2)")) == case
    named = "class TestA:\n    def test_a(self):\n        assert 1\n"
    assert sealed("a.py", named, named.replace("assert 1", "assert 2")) == named
    plain = "class TestBed(make()):\n    size = 1\n"
    assert not has_tests("a.py", plain.encode())
    method = "class A:\n    @property\n    def b(self):\n        return 1\n"
    shown = method.replace("    @property", '    """>>> 1\n    1\n    """\n\n    @property')
    assert ">>> 1" in sealed("a.py", shown, method)


EXAMPLES = "import doctest, sys\nimport calc\nsys.exit(doctest.testmod(calc).failed > 0)\n"
PYTHON = [
    ("tool.py", SELFTEST, "python3 tool.py --selftest"),
    ("calc.py", EXAMPLE, "python3 -m doctest calc.py"),
    ("calc.py", EXAMPLE, "python3 check_docs.py"),
    ("calc.py", INSIDE + "\n\ntest_add()\n", "python3 -m calc"),
]


@pytest.mark.parametrize(("path", "text", "command"), PYTHON)
def test_a_check_in_the_file_that_changes_cannot_be_weakened(
    tmp_path: Path, path: str, text: str, command: str
):
    """Not without leave; and honest work in the same file passes."""
    brief = f"@goal: Add\nIntent: fix\n- [ ] `{command}`\n"
    court = Court(tmp_path, {path: text, "check_docs.py": EXAMPLES}, brief).sealed()
    court.work.write(path, text.replace("== 5", "== -1").replace("    5\n", "    -1\n"))
    assert court.told() == ("fail", "oracle-changed")
    court.work.write(path, text.replace("a - b", "a + b"))
    assert court.told() == ("pass", "pass")


@needs("cargo")
@pytest.mark.parametrize(
    ("leave", "told"), [("", "oracle-changed"), ("May change: src/lib.rs", "")]
)
def test_rust_s_own_unit_tests_cannot_be_weakened(tmp_path: Path, leave: str, told: str):
    """They lie in the file that the work changes."""
    manifest = '[package]\nname = "add"\nversion = "0.1.0"\nedition = "2021"\n'
    files = {"Cargo.toml": manifest, "src/lib.rs": RUST, ".gitignore": "target\n"}
    brief = f"@goal: Add\nIntent: fix\n{leave}\n- [ ] `cargo test`\n"
    own = Search(os.environ["PATH"], Path.home(), answer)
    court = Court(tmp_path, files, brief, search=own).sealed()
    court.work.write("src/lib.rs", RUST.replace(", 5)", ", -1)"))
    assert (court.told(full=False)[1] == "oracle-changed") == bool(told)
    court.work.write("src/lib.rs", RUST.replace("a - b", "a + b"))
    assert court.told(full=False) == ("pass", "pass")


def test_several_tests_of_one_file_come_back_each_in_its_place():
    """However much longer the delivered ones became."""
    was = "def one():\n    pass\n\n\ndef test_a():\n    assert one() == 1\n\n\n"
    was += "def two():\n    pass\n\n\ndef test_b():\n    assert two() == 2\n"
    now = was.replace("assert one() == 1", "x = one()\n    y = 1\n    assert x")
    assert sealed("a.py", was, now.replace("assert two() == 2", "assert two()\n    return")) == was


def test_a_block_that_only_a_test_run_enters_is_sealed_in_javascript():
    """The product around it is as delivered, and so is a new test."""
    was = "export const add = (a, b) => a - b;\nif (import.meta.vitest) {\n"
    was += "  import.meta.vitest.test('adds', () => expect(add(1, 1)).toBe(2));\n}\n"
    now = was.replace("a - b", "a + b").replace("toBe(2)", "toBe(0)")
    assert sealed("a.js", was, now) == was.replace("a - b", "a + b")
    assert sealed("a.js", was, "export const add = 1;\n").count("toBe(2)") == 1
    plain = (
        "const add = (a) => a;\ntest('one', () => ok(add(1)));\ntest.skip('two', () => ok(0));\n"
    )
    assert sealed("a.ts", plain, plain.replace("ok(add(1))", "ok(1)")) == plain
    more = plain + "test('three', () => ok(1));\n"
    assert sealed("a.ts", plain, more) == more
    assert not has_tests("a.js", b"if (ready) { run(); }\nconst t = test;\nfoo(test(1));\n")
    assert not has_tests("a.js", b"const a = (;")


def test_examples_and_plain_tests_of_rust_are_sealed():
    """An example that is gone comes back before its item; with its item it is gone for good."""
    was = "/// ```\n/// assert_eq!(add(1), 2);\n/// ```\npub fn add(a: i32) -> i32 {\n    a\n}\n"
    was += "\n#[test]\nfn adds() {\n    assert_eq!(add(1), 2);\n}\n"
    now = was.replace("    a\n", "    a + 1\n")
    assert sealed("a.rs", was, now.replace(", 2)", ", 1)")) == now
    bare = now.replace("/// ```\n/// assert_eq!(add(1), 2);\n/// ```\n", "")
    assert sealed("a.rs", was, bare) == now
    assert "///" not in sealed("a.rs", was, "pub fn other() {}\n")


def test_what_a_file_of_python_asserts_when_it_is_run_is_sealed():
    """What it does otherwise when it is run is product."""
    was = "def add(a):\n    return a\n\n\nif __name__ == '__main__':\n    assert add(1) == 2\n"
    assert sealed("a.py", was, was.replace("== 2", "== 1")) == was
    assert not has_tests("a.py", b"if __name__ == '__main__':\n    main()\n")
