"""Python tests broken in their source: the right place, every other byte kept, nothing unsure."""

from __future__ import annotations

import ast

import pytest

from forsooth.judge.checks.recipes.flips.python import Flips, flipped
from forsooth.judge.reports.report import Report
from forsooth.judge.reports.report import Test as Told
from tests.judge.checks.place import Tree


def flips(source: str | bytes, *ids: str, nonce: str = "a", **more: str) -> Flips:
    tests = tuple(Told(id_, "passed") for id_ in ids or ("test_a.py::test_x",))
    report = Report(tests, complete=True)
    return flipped(Tree({"test_a.py": source, **more}), report, nonce)


BODIES = {
    "plain": ("def test_x():\n    pass\n", b"def test_x():\n    assert @\n    pass\n"),
    "one line": ("def test_x(): pass\n", b"def test_x(): assert @; pass\n"),
    "docstring": (
        "def test_x():\n    '''Doc.'''\n    pass\n",
        b"def test_x():\n    '''Doc.'''\n    assert @\n    pass\n",
    ),
    "docstring alone": ("def test_x():\n    'Doc.'\n", b"def test_x():\n    'Doc.'; assert @\n"),
    "tabs and no last newline": ("def test_x():\n\tpass", b"def test_x():\n\tassert @\n\tpass"),
    "other line ends": (
        "def test_x():\r\n    pass\r\n",
        b"def test_x():\r\n    assert @\r\n    pass\r\n",
    ),
    "a compound first": (
        "def test_x():\n    with open('x'):\n        pass\n",
        b"def test_x():\n    assert @\n    with open('x'):\n        pass\n",
    ),
    "a decorated function first": (
        "def test_x():\n    @wraps\n    def inner(): pass\n",
        b"def test_x():\n    assert @\n    @wraps\n    def inner(): pass\n",
    ),
    "letters beyond ASCII": (
        "def test_x(): 'é'; pass\n",
        "def test_x(): 'é'; assert @; pass\n".encode(),
    ),
    "async": ("async def test_x():\n    pass\n", b"async def test_x():\n    assert @\n    pass\n"),
    "known decorators": (
        "@pytest.mark.a\n@mock.patch('b')\ndef test_x(b):\n    pass\n",
        b"@pytest.mark.a\n@mock.patch('b')\ndef test_x(b):\n    assert @\n    pass\n",
    ),
    "under a condition": (
        "if 1:\n    def test_x():\n        pass\n",
        b"if 1:\n    def test_x():\n        assert @\n        pass\n",
    ),
    "a form feed": (
        "\x0cdef test_x():\n    pass\n",
        b"\x0cdef test_x():\n    assert @\n    pass\n",
    ),
    "a mark of byte order": (
        "\ufeffdef test_x():\n    pass\n",
        "\ufeffdef test_x():\n    assert @\n    pass\n".encode(),
    ),
}


@pytest.mark.parametrize("body", BODIES)
def test_one_assertion_stands_first_and_every_other_byte_stays(body: str):
    """It still parses, and what is asserted is false."""
    source, expected = BODIES[body]
    found = flips(source)
    data = found.edits["test_a.py"]
    assert data
    before, _, after = expected.partition(b"assert @")
    before += b"assert "
    assert data.data.startswith(before)
    assert data.data.endswith(after)
    claim = data.data[len(before) : len(data.data) - len(after)].decode()
    assert eval(claim) is False
    ast.parse(data.data)
    assert found.red == {"test_a.py::test_x"}


UNSURE = {
    "defined twice": "def test_x():\n    pass\ndef test_x():\n    pass\n",
    "made at run time": "globals()['test_x'] = lambda: None\n",
    "imported": "from other import test_x\n",
    "a decorator nobody knows": "@magic\ndef test_x():\n    pass\n",
    "a generator": "def test_x():\n    yield\n",
    "another coding": b"# coding: latin-1\ndef test_x():\n    '\xe9'\n",
    "no Python": "def test_x(:\n",
}


@pytest.mark.parametrize("what", UNSURE)
def test_what_is_not_understood_is_left_alone(what: str):
    """Better no flip than one that says nothing."""
    assert flips(UNSURE[what]) == Flips({}, frozenset())


def test_all_cases_of_a_test_go_red_together():
    """Parameters share one body; one that did not pass spoils the choice."""
    source = "def test_x(n):\n    pass\n"
    ids = ("test_a.py::test_x[1]", "test_a.py::test_x[2]")
    assert flips(source, *ids).red == set(ids)
    tests = (Told(ids[0], "passed"), Told(ids[1], "skipped"))
    report = Report(tests, complete=True)
    assert not flipped(Tree({"test_a.py": source}), report, "a").red


def test_a_method_is_found_through_nested_classes_by_either_name():
    """pytest names a file, unittest a module; `assertEqual` is answered in kind."""
    source = (
        "class A:\n    class B:\n        def test_x(self):\n            self.assertEqual(1, 1)\n"
    )
    for id_ in ("test_a.py::A::B::test_x", "test_a.A.B.test_x"):
        found = flips(source, id_)
        assert found.red == {id_}
        edit = found.edits["test_a.py"]
        assert edit
        assert b"\n            self.assertEqual(" in edit.data


def test_a_body_that_others_inherit_is_not_broken():
    """The heir would go red as well."""
    source = (
        "class A:\n    def test_x(self):\n        pass\nclass B(A):\n    pass\n"
        "def test_y():\n    pass\n"
    )
    ids = ("test_a.py::A::test_x", "test_a.py::B::test_x", "test_a.py::test_y")
    assert {flips(source, *ids, nonce=n).red for n in "abcdef"} == {frozenset(ids[2:])}


def test_two_files_are_broken_as_the_nonce_has_it():
    """Never two in one file, and what was red on the base comes first."""
    one = "def test_x():\n    pass\ndef test_y():\n    pass\n"
    ids = [
        f"{file}::{name}"
        for file in ("test_a.py", "sub/test_b.py")
        for name in ("test_x", "test_y")
    ]
    chosen = {flips(one, *ids, nonce=str(n), **{"sub/test_b.py": one}).red for n in range(20)}
    assert len(chosen) == 4
    assert all(len(red) == 2 for red in chosen)
    report = Report(tuple(Told(id_, "passed") for id_ in ids), complete=True)
    tree = Tree({"test_a.py": one, "sub/test_b.py": one})
    liked = frozenset({"sub/test_b.py::test_y"})
    assert all(liked <= flipped(tree, report, str(n), prefer=liked).red for n in range(8))


def test_a_file_is_known_by_the_end_of_its_path_where_one_ends_so():
    """A suite may run from a folder below the root."""
    source = "def test_x():\n    pass\n"
    report = Report((Told("test_a.py::test_x", "passed"),), complete=True)
    assert flipped(Tree({"pkg/test_a.py": source}), report, "a").edits.keys() == {"pkg/test_a.py"}
    assert not flipped(Tree({"p/test_a.py": source, "q/test_a.py": source}), report, "a").edits
