"""Tests under any name, in any layout: what decides a result is sealed, or waits for a person.

All layouts are played by `make campaign-layouts`; here is one of each mechanism.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.layouts.layout import applied
from tests.judge.layouts.play import HONEST, can_play, layouts, play, sealed
from tests.tools import require

WAITS = ("error", "unclear-file")
REFUSED = ("fail", "oracle-changed")


def named(name: str):
    return next(one for one in layouts() if one.name == name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("node · src/add/test.js", REFUSED),
        ("unittest · discover -p check_*.py, unquoted", REFUSED),
        ("script · make, pruebas/suma.js", REFUSED),
        ("script · product that tests itself", REFUSED),
        ("script · sh probar.sh", REFUSED),
        ("script · python3 -m paq.vigila", REFUSED),
        ("table · another source file, node", WAITS),
        ("helper · node, returns whether", WAITS),
        ("perl · prove, t/", REFUSED),
    ],
)
def test_an_edited_expectation_is_never_believed_and_the_fix_is(
    name: str, told: tuple[str, str], tmp_path: Path
):
    """Whatever the file is called, and wherever it lies."""
    layout = named(name)
    require(*([layout.needs] if layout.needs else []))
    found = {
        row.kind: (row.outcome, row.code) for row in play(layout, tmp_path, kinds=("edited", "fix"))
    }
    assert found == {"edited": told, "fix": ("pass", "pass")}


def test_a_helper_that_no_longer_compares_waits_for_a_person_where_nothing_can_be_emptied(
    tmp_path: Path,
):
    """What it compared on the base tells it from product."""
    require("cc")
    layout = named("c · assertion helper")
    found = {
        row.kind: (row.outcome, row.code)
        for row in play(layout, tmp_path, kinds=("edited", "weakened", "fix"))
    }
    assert found == {"edited": WAITS, "weakened": WAITS, "fix": ("pass", "pass")}


def test_each_layout_is_what_it_says():
    """Every change of every layout changes something, and no two layouts have one name."""
    every = list(layouts())
    assert len({one.name for one in every}) == len(every) >= 40
    for one in every:
        for kind in (*one.cheats, *HONEST):
            assert applied(one.files, one.work(kind))
        assert can_play(one) in (True, False)


def test_what_is_sealed_is_kept_with_its_reason(tmp_path: Path):
    """The runner's report is the best evidence there is."""
    court = sealed(named("node · src/add/test.js"), tmp_path)
    assert court.ground
    (found,) = court.ground.baselines
    assert found.oracles == 1
    assert found.record
    assert b"the runner reports tests in it" in court.kept[found.record]
