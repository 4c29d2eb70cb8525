"""Names of tests that mean the same tomorrow and elsewhere."""

from __future__ import annotations

import pytest

from forsooth.judge.reports import report
from forsooth.judge.reports.ids import (
    Folded,
    Inventory,
    anywhere,
    base_of,
    inventory_of,
    missing,
    placed,
)


@pytest.mark.parametrize(
    ("id_", "expected"),
    [
        ("/repo/a.test.js > b", "a.test.js > b"),
        ("t.py::a[/repo/data]", "t.py::a[<root>/data]"),
        ("t.py::a[/tmp/x1/y]", "t.py::a[<tmp>]"),
        ("t.py::a[<f at 0x7f12ab34cd56>]", "t.py::a[<f at <address>>]"),
        ("t.py::a[0x10]", "t.py::a[0x10]"),
    ],
)
def test_a_name_says_nothing_of_one_machine(id_: str, expected: str):
    """Placeholders stand for the repository, temporary paths and addresses."""
    assert placed(id_, "/repo") == expected


def test_names_that_become_alike_stay_apart():
    """Two parameters that differ only by a temporary path are still two tests."""
    told = report.Report(tuple(report.Test(f"a[/tmp/{n}]", "passed") for n in "xy"), complete=True)
    assert [test.id for test in anywhere(told, "").tests] == ["a[<tmp>]", "a[<tmp>] #2"]


@pytest.mark.parametrize(
    ("id_", "base"),
    [
        ("t.py::C::a[1-x]", "t.py::C::a"),
        ("t.py::a[x::y]", "t.py::a"),
        ("a[1]", "a"),
        ("m/p::TestA/x/y", "m/p::TestA"),
        ("m/p::TestA", "m/p::TestA"),
        ("plain", "plain"),
    ],
)
def test_parameters_are_no_part_of_a_base(id_: str, base: str):
    """Brackets for pytest, a path below the test for go."""
    assert base_of(id_) == base


def test_names_made_anew_each_time_are_folded():
    """They are pinned by their number; names that last are pinned by name."""
    found = inventory_of(
        ["t::a", "t::b[1]", "t::b[u1]", "t::b[u2]"], ["t::a", "t::b[1]", "t::b[u3]", "t::b[u4]"]
    )
    assert found == Inventory(("t::a", "t::b[1]"), (Folded("t::b", 2),))
    assert str(found.folded[0]) == "t::b[*] × 2"
    assert missing(found, ["t::a", "t::b[1]", "t::b[u8]", "t::b[u9]"]) == ()
    assert missing(found, ["t::b[1]", "t::b[u8]"]) == ("t::a", "t::b[*] × 2")


def test_tests_that_come_and_go_are_asked_for_by_nobody():
    """A test seen in one of two collections, or as many names on one side only."""
    found = inventory_of(["t::a", "t::b", "t::c[1]"], ["t::a", "t::c[2]", "t::c[3]"])
    assert found == Inventory(("t::a",), (), ("t::b", "t::c[1]", "t::c[2]", "t::c[3]"))
