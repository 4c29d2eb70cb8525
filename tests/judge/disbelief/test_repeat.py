"""Luck shows when a run is seen more than once; steady work shows nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.checks.trial import Flaw, Held, Lacking
from forsooth.judge.disbelief.repeat import MOST, repeated, rounds_for, seeded, times_for
from forsooth.judge.reports.report import Report, a_test
from tests.judge.disbelief.delivery import delivery

PYTEST = "python -m pytest -q -p no:cacheprovider"
STEADY = "def test_a():\n    assert 1 + 1 == 2\n"
FLIPS = (
    "import pathlib\nMARK = pathlib.Path('../../seen')\n"
    "def test_steady():\n    pass\n"
    "def test_lucky():\n    seen = len(MARK.read_text()) if MARK.exists() else 0\n"
    "    MARK.write_text('x' * (seen + 1))\n    assert seen % 3 != 2\n"
)


def of(place: Path, test: str):
    return delivery(place, {"a.txt": ""}, {"tests/test_new.py": test}, PYTEST, "pytest")


def test_a_steady_run_holds_as_often_as_it_is_seen(place: Path):
    """The first run counts as one."""
    one = of(place, STEADY)
    got = repeated(one.room, one.delivered, first=one.first, times=3)
    assert got == Held("repeated", (3,))


def test_a_test_that_ends_otherwise_is_named_as_flaky(place: Path):
    """M1: right in some of the runs, and only the test that differs is named."""
    one = of(place, FLIPS)
    got = repeated(one.room, one.delivered, first=one.first, times=5)
    assert isinstance(got, Flaw)
    assert got.code == "flaky"
    assert "test_lucky" in got.says
    assert "test_steady" not in got.says


def test_luck_with_a_hash_seed_shows_under_another(place: Path):
    """The criterion's own order is given another seed each time."""
    base, work = {"a.txt": ""}, {"check.py": "import sys\nsys.exit(hash('a') % 2 == 0)\n"}
    argv = "env PYTHONHASHSEED=0 python check.py"
    try:
        one = delivery(place, base, work, argv, "")
    except AssertionError:
        work = {"check.py": "import sys\nsys.exit(hash('a') % 2 == 1)\n"}
        one = delivery(place, base, work, argv, "")
    order = Order(("python", "check.py"))
    got = repeated(one.room, one.delivered, first=one.first, times=5, order=order)
    assert isinstance(got, Flaw)
    assert got.code == "flaky"


def test_another_order_shows_dependence(place: Path):
    """M2: green only after another test."""
    test = (
        "STATE = []\ndef test_a():\n    STATE.append(1)\ndef test_b():\n    assert STATE == [1]\n"
    )
    one = of(place, test)
    plain = one.room.tried

    def tried(tree, *, order=None):
        if order is None:
            return plain(tree)
        params = one.room.params.but(argv=order.argv)
        return type(one.room)(Path(tree), params).tried(tree)

    one.room.tried = tried
    words = tuple(PYTEST.split())
    back = Order((*words, "tests/test_new.py::test_b", "tests/test_new.py::test_a"))
    got = repeated(one.room, one.delivered, first=one.first, times=3, shuffled=lambda number: back)
    assert isinstance(got, Flaw)
    assert "test_b" in got.says


def test_a_second_run_in_one_copy_shows_what_was_left_behind(place: Path):
    """M3: the same tree in the same folder, twice."""
    test = (
        "import pathlib\ndef test_a():\n    path = pathlib.Path('left')\n"
        "    assert not path.exists()\n    path.write_text('x')\n"
    )
    one = of(place, test)
    fresh = one.room.edited(one.delivered, {})
    (Path(fresh) / "left").unlink()
    twice = lambda: (one.room.tried(fresh), one.room.tried(fresh))  # noqa: E731
    again = one.room.edited(fresh, {})
    got = repeated(one.room, again, first=one.first, times=2, same_copy=twice)
    assert isinstance(got, Flaw)
    assert "same copy" in got.says


@pytest.mark.parametrize(
    ("seconds", "budget", "times", "lacks"),
    [
        (0.5, None, 5, False),
        (3.0, None, 3, False),
        (3.0, 100.0, 3, False),
        (60.0, 70.0, 2, True),
        (60.0, 5.0, 1, True),
        (0.0, 0.0, 5, False),
    ],
)
def test_a_run_is_seen_as_often_as_its_time_allows(seconds, budget, times, lacks):
    """Five times when quick, else three, and fewer only with a word for it."""
    got = times_for(seconds, budget)
    assert got.times == times
    assert (got.lacking is not None) is lacks


@pytest.mark.parametrize(
    ("seconds", "budget", "times"),
    [
        (0.1, None, 20),
        (0.0, 5.0, 20),
        (0.1, 5.0, 20),
        (0.5, 6.1, 13),
        (3.0, 11.6, 4),
        (60.0, 5.0, 1),
    ],
)
def test_where_chance_is_named_a_run_is_seen_as_often_as_there_is_time(seconds, budget, times):
    """Up to twenty times, and never less often than without."""
    assert times_for(seconds, budget, chancy=True).times == times


def test_no_two_looks_have_one_hash_seed():
    """Twenty looks are twenty seeds."""
    assert len({seeded(Order(()), n).env["PYTHONHASHSEED"] for n in range(MOST)}) == MOST


@pytest.mark.parametrize(
    ("seconds", "rounds"), [((0.0, 0.0), 20), ((0.1, 0.1), 10), ((0.5, 0.4), 2), ((1.5,), 0)]
)
def test_tests_run_in_rounds_while_all_are_quick(seconds, rounds):
    """About two seconds for all rounds; one round alone tells nothing."""
    tests = tuple(a_test(f"t{n}", "passed", seconds=one) for n, one in enumerate(seconds))
    assert rounds_for(Report(tests, complete=True)) == rounds
    assert rounds_for(None) == 0


@pytest.mark.parametrize(("fickle", "flaws"), [((), 0), (("m::TestA",), 1)])
def test_a_test_that_fails_and_then_passes_in_one_run_is_luck(place: Path, fickle, flaws):
    """One that failed in its rounds and stayed so only minds what it left behind itself."""
    one = of(place, STEADY)
    told = Report((a_test("m::TestA", "failed"),), complete=True, fickle=fickle)
    rounds = lambda: one.first._replace(told=told)  # noqa: E731
    got = repeated(one.room, one.delivered, first=one.first, times=2, rounds=rounds)
    assert isinstance(got, Flaw) == bool(flaws)
    if isinstance(got, Flaw):
        assert (got.code, "m::TestA" in got.says) == ("flaky", True)


def test_a_run_seen_once_is_not_repeated(place: Path):
    """Nothing is claimed of one look."""
    one = of(place, STEADY)
    assert isinstance(repeated(one.room, one.delivered, first=one.first, times=1), Lacking)
