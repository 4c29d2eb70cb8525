"""Mutants that one criterion missed: told to a person only if nothing that ran caught them."""

from __future__ import annotations

from forsooth.judge.disbelief.colour import Colour
from forsooth.judge.disbelief.mutation import Spot, SpotMutant
from forsooth.judge.disbelief.sites.site import Site
from forsooth.judge.survivors import MOST, Noticing, uncaught

FIRST, SECOND, THIRD, FOURTH = (
    SpotMutant("calc.py", Site(0, line, "add", "+ by -", (0, 1, b"-"))) for line in range(1, 5)
)


class Colours:
    """A criterion whose runs end in the colours given, and are counted."""

    def __init__(self, *colours: Colour) -> None:
        self.colours, self.asked = [*colours], 0

    def tried(self, _: SpotMutant) -> Colour:
        self.asked += 1
        return self.colours.pop(0)


def noticing(name: str, tests: Colours, spot: Spot | None = None, took: float = 0.1) -> Noticing:
    return Noticing(name, took, spot, tests.tried)


def test_a_mutant_that_the_suite_catches_is_not_told():
    """The criterion's own tests need not cover every line that changed."""
    missed = noticing("G001.C1", Colours(), Spot(survived=(FIRST,)))
    assert uncaught([missed, noticing("suite", Colours("red"))]) == ()
    assert uncaught([missed, noticing("G001.C2", Colours("red"))]) == ()


def test_a_mutant_is_told_with_all_that_ran_with_it():
    """What could not be run with it, or what did not start, is not named."""
    missed = noticing("G001.C1", Colours(), Spot(survived=(FIRST,)))
    ran = [noticing("suite", Colours("green")), noticing("G001.C2", Colours("broken"))]
    assert uncaught([missed, *ran]) == ("calc.py:1 + by -: not caught by G001.C1 or the suite",)
    assert uncaught([missed]) == ("calc.py:1 + by -: not caught by G001.C1",)


def test_a_mutant_that_another_spot_check_caught_costs_no_run():
    """What is known is not asked again."""
    tests = Colours()
    missed = noticing("G001.C1", tests, Spot(survived=(FIRST,)))
    assert uncaught([missed, noticing("suite", tests, Spot(caught=(FIRST,)))]) == ()
    assert tests.asked == 0


def test_no_more_is_run_than_the_suite_takes_once():
    """A long suite is not run for every mutant, and a very long one for none."""
    spot = Spot(survived=(FIRST, SECOND))
    suite = Colours("red", "red")
    said = uncaught([noticing("G001.C1", Colours(), spot), noticing("suite", suite, took=40.0)])
    assert (suite.asked, len(said)) == (1, 1)
    endless = Colours()
    uncaught([noticing("G001.C1", Colours(), spot), noticing("suite", endless, took=61.0)])
    assert endless.asked == 0


def test_a_few_mutants_are_enough():
    """More would not be read."""
    spot = Spot(survived=(FIRST, SECOND, THIRD, FOURTH))
    assert len(uncaught([noticing("G001.C1", Colours(), spot)])) == MOST == 3
