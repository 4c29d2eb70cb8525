"""vitest, jest and mocha by their own JSON, `node --test` by a reporter of the judge's own.

Behind npm scripts and make a module required by node gives the runner the same options.
"""

from __future__ import annotations

from forsooth.judge.checker import JUDGE, OUT
from forsooth.judge.checks.recipes.probes import source
from forsooth.judge.checks.recipes.recipe import Asked, Order, Recipe, begun, beside, of_file
from forsooth.judge.reports import jest, mocha, probe

_NODE = (
    f"--test-reporter={JUDGE}/node_reporter.mjs",
    f"--test-reporter-destination={OUT}/node.jsonl",
)
_NODE_SHOWN = ("--test-reporter=spec", "--test-reporter-destination=stdout")


def _injected(asked: Asked) -> Order:
    env = beside("NODE_OPTIONS", asked.env, f"--require {JUDGE}/node_inject.cjs")
    return Order(asked.call.argv, {**env, "FORSOOTH_OUT": OUT}, source("node_inject.cjs"))


def _vitest(asked: Asked) -> Order:
    if asked.call.at is None:
        return _injected(asked)
    own = any(word.startswith("--reporter") for word in asked.call.argv)
    shown = () if own else ("--reporter=default",)
    flags = (*shown, "--reporter=json", f"--outputFile.json={OUT}/vitest.json")
    return Order(asked.call.ending(*flags))


def _vitest_lists(asked: Asked) -> Order:
    argv, at = asked.call.argv, asked.call.at or 0
    rest = argv[at + 1 :] if argv[at : at + 1] == ("run",) else argv[at:]
    listing = asked.call._replace(argv=(*argv[:at], "list", *rest))
    return Order(listing.ending(f"--json={OUT}/vitest-list.json"))


def _jest(asked: Asked) -> Order:
    if asked.call.at is None:
        return _injected(asked)
    return Order(asked.call.ending("--json", f"--outputFile={OUT}/jest.json"))


def _jest_lists(asked: Asked) -> Order:
    order = _jest(asked)
    return order._replace(argv=asked.call._replace(argv=order.argv).ending("-t", "a^"))


def _mocha(asked: Asked) -> Order:
    if asked.call.at is None:
        return _injected(asked)
    report = ("--reporter", "json", "--reporter-option", f"output={OUT}/mocha.json")
    argv = asked.call.adding("--require", f"{JUDGE}/mocha_loaded.cjs", *report)
    return Order(argv, {}, source("mocha_loaded.cjs"))


def _mocha_lists(asked: Asked) -> Order:
    order = _mocha(asked)
    return order._replace(argv=asked.call._replace(argv=order.argv).adding("--dry-run"))


def _node(asked: Asked) -> Order:
    files = source("node_reporter.mjs")
    if asked.call.at is None:
        return Order(asked.call.argv, beside("NODE_OPTIONS", asked.env, " ".join(_NODE)), files)
    return Order(asked.call.adding(*_NODE, *_NODE_SHOWN), {}, files)


VITEST = Recipe(
    order=_vitest,
    read=begun("vitest-loaded", of_file("vitest.json", jest.read)),
    listing=_vitest_lists,
    listed=of_file("vitest-list.json", jest.vitest_listed),
    wrapped=True,
)
JEST = Recipe(
    order=_jest,
    read=begun("jest-loaded", of_file("jest.json", jest.read)),
    listing=_jest_lists,
    listed=of_file("jest.json", jest.listed),
    wrapped=True,
)
MOCHA = Recipe(
    order=_mocha,
    read=begun("mocha-loaded", of_file("mocha.json", mocha.read)),
    listing=_mocha_lists,
    listed=of_file("mocha.json", mocha.listed),
    wrapped=True,
)
NODE = Recipe(order=_node, read=of_file("node.jsonl", probe.read), wrapped=True)
