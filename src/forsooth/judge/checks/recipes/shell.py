"""bats by TAP, and whatever writes JUnit XML: into the out folder, or under its own pattern."""

from __future__ import annotations

from forsooth.judge.checker import JUDGE, OUT, Ran
from forsooth.judge.checks.recipes.flips import bats
from forsooth.judge.checks.recipes.probes import source
from forsooth.judge.checks.recipes.recipe import Asked, Doubt, Order, Recipe, of_stdout
from forsooth.judge.reports import junit, tap
from forsooth.judge.reports.report import Problem, Report, merged


def _bats(asked: Asked) -> Order:
    return Order(asked.call.adding("--report-formatter", "tap", "--output", OUT))


def _bats_read(ran: Ran) -> Report | Problem:
    return tap.read(ran.out.get("report.tap", b""))


def _bats_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    """A choice of tests by name is widened by the canary; one by tags leaves no room for it."""
    at = asked.call.at or 0
    words = list(asked.call.argv[at:])
    for n, word in enumerate(words):
        if n and words[n - 1] in ("-f", "--filter"):
            words[n] = f"({word})|{bats.canary_name(nonce)}"
    tagged = any(word.startswith("--filter-") for word in words)
    damage = bats.broken(asked.look, report, nonce, canary=not tagged)
    if damage is None:
        return "no test that can be broken was found in the files of the tree"
    call = asked.call._replace(argv=(*asked.call.argv[:at], *words))
    return damage.doubt(_bats(asked._replace(call=call)), asked.look, exits=(1,))


def _as_it_is(asked: Asked) -> Order:
    return Order(asked.call.argv)


def junit_recipe(pattern: str) -> Recipe:
    """Reports under a pattern are brought back; those that were there before are not this run's."""

    def order(asked: Asked) -> Order:
        env = {"FORSOOTH_OUT": OUT}
        if not pattern:
            return Order(asked.call.argv, env)
        argv = ("sh", f"{JUDGE}/collect.sh", OUT, _found_by(pattern), *asked.call.argv)
        return Order(argv, env, source("collect.sh"))

    return Recipe(order=order, read=_junit_read, wrapped=True)


def _found_by(pattern: str) -> str:
    """A glob as `find -path` has it, where a star also crosses folders."""
    return "./" + pattern.removeprefix("./").replace("**/", "*").replace("**", "*")


def _junit_read(ran: Ran) -> Report | Problem:
    found = [junit.read(data) for name, data in sorted(ran.out.items()) if name.endswith(".xml")]
    broken = [one for one in found if isinstance(one, Problem)]
    if broken:
        return broken[0]
    reports = [one for one in found if isinstance(one, Report)]
    return merged(reports) if reports else Problem("no-report", "no JUnit XML was written")


BATS = Recipe(order=_bats, read=_bats_read, doubt=_bats_doubt)
TAP = Recipe(order=_as_it_is, read=of_stdout(tap.read), wrapped=True)
