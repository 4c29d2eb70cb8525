"""pytest by a plug-in of the judge's own, unittest by a start file."""

from __future__ import annotations

from forsooth.judge.checker import JUDGE, OUT
from forsooth.judge.checks.recipes.probes import source
from forsooth.judge.checks.recipes.recipe import Asked, Order, Recipe, beside, of_file
from forsooth.judge.reports import probe

_PLUGIN = ("-p", "forsooth_probe", f"--forsooth-out={OUT}")


def _pytest(asked: Asked) -> Order:
    """The plug-in is named in the argv, or in a variable where the argv does not show pytest."""
    env = beside("PYTHONPATH", asked.env, JUDGE, between=":")
    files = source("forsooth_probe.py")
    if asked.call.at is None:
        env |= beside("PYTEST_ADDOPTS", asked.env, " ".join(_PLUGIN))
        return Order(asked.call.argv, env, files)
    return Order(asked.call.adding(*_PLUGIN), env, files)


def _pytest_lists(asked: Asked) -> Order:
    order = _pytest(asked)
    return order._replace(argv=asked.call._replace(argv=order.argv).ending("--collect-only", "-q"))


def _unittest(asked: Asked) -> Order:
    """The start file takes the place of `-m unittest`; the interpreter and its options stay."""
    argv, at, module = asked.call
    start = f"{JUDGE}/unittest_boot.py"
    return Order((*argv[:module], start, OUT, *argv[at:]), {}, source("unittest_boot.py"))


def _unittest_lists(asked: Asked) -> Order:
    order = _unittest(asked)
    return order._replace(files={**order.files, "list": b""})


PYTEST = Recipe(
    order=_pytest,
    read=of_file("pytest.jsonl", probe.read),
    listing=_pytest_lists,
    listed=of_file("pytest.jsonl", probe.listed),
    wrapped=True,
)
UNITTEST = Recipe(
    order=_unittest,
    read=of_file("unittest.jsonl", probe.read),
    listing=_unittest_lists,
    listed=of_file("unittest.jsonl", probe.listed),
)
