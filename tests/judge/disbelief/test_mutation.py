"""Code put wrong on purpose is noticed by real tests, and not by those that cannot fail."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from forsooth.core.plan import Mutant
from forsooth.judge.checks.trial import Flaw, Held, Lacking
from forsooth.judge.disbelief.bodies.body import put_in
from forsooth.judge.disbelief.mutation import Spot, declared, spot_check
from forsooth.judge.disbelief.sites import sites
from tests.judge.disbelief.delivery import Delivery, delivery, is_test
from tests.tools import needs

pytestmark = pytest.mark.heavy

PYTEST = "python -m pytest -q -p no:cacheprovider"
SHOP = (
    "def total(prices, minimum=3):\n    if len(prices) > minimum:\n"
    "        return sum(prices) - 1\n    return sum(prices)\n"
)
REAL = (
    "from shop import total\ndef test_few():\n    assert total([1, 2, 3]) == 6\n"
    "def test_many():\n    assert total([1, 2, 3, 4]) == 9\n"
)
IDLE = "import shop\ndef test_there():\n    assert callable(shop.total)\n"


def made(place: Path, test: str) -> Delivery:
    base = {"shop.py": "", "tests/test_old.py": ""}
    work = {"shop.py": SHOP, "tests/test_new.py": test}
    return delivery(place, base, work, PYTEST, "pytest")


def spot(one: Delivery, seconds: float = 1000.0, clock=lambda: 0.0) -> Spot:
    return spot_check(
        one.room,
        one.delivered,
        changes=one.changes,
        test_side=is_test,
        seconds=seconds,
        clock=clock,
        base=one.base,
        report=one.report,
        most=8,
    )


def test_a_declared_mutant_that_is_noticed_holds(place: Path):
    """Each is made in a tree of its own, at its first place only."""
    one = made(place, REAL)
    mutants = (
        Mutant(path="shop.py", replace="- 1", by="- 2"),
        Mutant(path="shop.py", replace="sum(prices)", by="0"),
    )
    got = declared(one.room, one.delivered, mutants, report=one.report)
    assert got == (Held("mutant", (1,)), Held("mutant", (2,)))


def test_a_declared_mutant_no_test_notices_is_named(place: Path):
    """G2: a criterion that stays green over a wrong product cannot fail."""
    one = made(place, IDLE)
    mutants = (Mutant(path="shop.py", replace="- 1", by="- 2"),)
    (got,) = declared(one.room, one.delivered, mutants, report=one.report)
    assert isinstance(got, Flaw)
    assert got.code == "cannot-fail"
    assert "mutant 1" in got.says


@pytest.mark.parametrize(("test", "holds"), [(REAL, True), (IDLE, False)])
def test_where_no_declared_mutant_applies_others_are_made_in_its_file(place, test, holds):
    """A plan written before the code may name text that never came to be."""
    one = made(place, test)
    mutants = (Mutant(path="shop.py", replace="never written", by=""),)
    lacking, other = declared(one.room, one.delivered, mutants, report=one.report)
    assert isinstance(lacking, Lacking)
    assert isinstance(other, Held if holds else Flaw)


def test_a_mutant_that_stops_the_suite_from_loading_counts_for_nothing(place: Path):
    """Broken syntax makes every suite red, also one that cannot fail."""
    one = made(place, IDLE)
    mutants = (Mutant(path="shop.py", replace="def total", by="def ("),)
    got = declared(one.room, one.delivered, mutants, report=one.report)
    assert isinstance(got[0], Lacking)
    assert isinstance(got[1], Flaw)


def test_a_command_is_asked_by_its_exit_status(place: Path):
    """Without a report a mutant is noticed when the command fails."""
    base = {"greet.sh": "echo no\n"}
    work = {"greet.sh": "echo hello\n"}
    one = delivery(place, base, work, "sh -c 'sh greet.sh | grep -q hello'", "")
    idle = delivery(place / "idle", base, work, "sh -c 'sh greet.sh; true'", "")
    mutants = (Mutant(path="greet.sh", replace="hello", by="bye"),)
    assert declared(one.room, one.delivered, mutants) == (Held("mutant", (1,)),)
    (got,) = declared(idle.room, idle.delivered, mutants)
    assert isinstance(got, Flaw)


def test_a_spot_check_counts_what_tests_notice(place: Path):
    """Real tests notice nearly all; its word is part of the strength."""
    got = spot(made(place, REAL))
    assert got.tried == 6
    assert len(got.caught) >= 6
    assert got.doubted == Held("mutants", (len(got.caught), got.tried))
    assert got.demanded() is None


def test_a_spot_check_refuses_only_on_demand_and_only_when_nothing_is_noticed(place: Path):
    """Survivors are shown with file and line; alone they refuse nothing."""
    got = spot(made(place, IDLE))
    assert not got.caught
    assert got.doubted == Lacking("mutants", "6 tried")
    assert str(got.survived[0]).startswith("shop.py:2 ")
    refused = got.demanded()
    assert refused is not None
    assert refused.code == "cannot-fail"
    assert got._replace(survived=got.survived[:2]).demanded() is None


def test_a_spot_check_stops_when_its_time_is_up(place: Path):
    """One mutant is always tried, and what was left out is counted."""
    clock = count(0.0, 10.0)
    got = spot(made(place, REAL), seconds=5.0, clock=lambda: next(clock))
    assert got.tried == 1
    assert got.left > 1


def test_only_changed_lines_are_put_wrong():
    """What the work did not touch is not its tests' business."""
    before = b"def a(x):\n    return x + 1\n"
    now = before + b"\n\ndef b(x):\n    return x * 2 > 3\n"
    assert {site.line for site in sites("a.py", before, now)} == {6}
    assert sites("a.py", now, now) == ()
    assert sites("a.txt", None, now) == ()


SOURCES = {
    "a.py": b"""def f(x):
    if x and not x.y or x in (1, 'abc'):
        return (x +
            2)
    return f'{x}'
""",
    "a.js": b"""import x from 'xyz';
export const f = (a) => { if (a === 1 && a < 3) { return a + 1; } return true; };
""",
    "a.go": b"""package a

func F(a int) bool {
	if a == 1 && a > 0 {
		return true
	}
	return "abc" == "abd"
}
""",
    "a.sh": b"""f() {
  if [ "$1" -eq 3 ] && true; then exit 4; fi
}
""",
}


@pytest.mark.parametrize("path", SOURCES)
def test_every_mutant_is_one_small_change_of_a_known_token(path: str):
    """Each differs from the file, and none changes its number of lines by more than it joins."""
    now = SOURCES[path]
    found = sites(path, None, now)
    assert len(found) >= 4
    for site in found:
        other = put_in(now, [site.put])
        assert other != now
        assert abs(len(other) - len(now)) < 20


@pytest.mark.parametrize("site", sites("a.py", None, SOURCES["a.py"]), ids=str)
def test_every_python_mutant_still_parses(site):
    """A mutant that is no Python says nothing about tests."""
    compile(put_in(SOURCES["a.py"], [site.put]), "a.py", "exec")


@needs("node")
def test_javascript_mutants_are_noticed(place: Path):
    """The same over another language, by its own runner."""
    work = {
        "new.mjs": "export function big(x) {\n  return x > 3;\n}\n",
        "new.test.mjs": "import test from 'node:test';\nimport assert from 'node:assert';\n"
        "import { big } from './new.mjs';\n"
        "test('big', () => { assert.equal(big(4), true); assert.equal(big(3), false); });\n",
    }
    one = delivery(place, {"a.txt": ""}, work, "node --test", "node")
    got = spot(one)
    assert got.tried >= 2
    assert len(got.caught) == got.tried
