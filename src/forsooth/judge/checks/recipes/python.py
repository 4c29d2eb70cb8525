"""pytest by a plug-in of the judge's own, unittest by a start file.

What they must know is told in one variable, which they take out of the environment first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from forsooth.judge.checker import JUDGE, OUT
from forsooth.judge.checks.recipes.flips.choice import shuffled
from forsooth.judge.checks.recipes.flips.python import flipped
from forsooth.judge.checks.recipes.probes import unseen
from forsooth.judge.checks.recipes.recipe import Asked, Doubt, Order, Recipe, beside, of_file
from forsooth.judge.reports import probe
from forsooth.judge.reports.report import Report

_PLUGIN = ("-p", "forsooth_probe")
_PYTEST_FILES = ("forsooth_probe.py", "forsooth_told.py", "pytest_boot.py")
_UNITTEST_FILES = ("forsooth_told.py", "unittest_boot.py")
_NONE = "no test that passed can be broken in its own source"


def _variable(report: str, **settings: Any) -> dict[str, str]:
    return {"FORSOOTH_RUN": json.dumps({"out": f"{OUT}/{report}.jsonl", **settings})}


def _path(env: Mapping[str, str]) -> list[str]:
    """Where a person has modules looked for."""
    return [entry for entry in env.get("PYTHONPATH", "").split(":") if entry]


def _pytest(asked: Asked, **doubt: str) -> Order:
    """The plug-in is named in the argv, or in a variable where the argv does not show pytest.

    Places of the project join the path after the runner: until then nothing there is imported.
    """
    call, env, files = asked.call, asked.env, unseen(*_PYTEST_FILES)
    before = _before(asked)
    if call.at is None:
        before |= {"PYTEST_ADDOPTS": env.get("PYTEST_ADDOPTS")}
        given = beside("PYTHONPATH", env, JUDGE, between=":")
        given |= beside("PYTEST_ADDOPTS", env, " ".join(_PLUGIN))
        return Order(call.argv, given | _variable("pytest", env=before, **doubt), files)
    path, argv = _path(env), call.adding(*_PLUGIN)
    if call.module is not None:
        path = ["", *path]
        argv = (*argv[: call.module], f"{JUDGE}/pytest_boot.py", *argv[call.at :])
    given = {"PYTHONPATH": "" if call.module is not None else JUDGE}
    return Order(argv, given | _variable("pytest", env=before, path=path, **doubt), files)


def _pytest_turned(asked: Asked, _number: int) -> Order:
    return _pytest(asked, turned=asked.first)


def _pytest_doubts(asked: Asked, told: Report, nonce: str) -> Doubt | str:
    """A pair of tests beside one that passed, and tests that passed broken where they stand."""
    passed = [test.id for test in told.tests if test.outcome == "passed"]
    files = {id_.partition("::")[0] for id_ in passed if ".py::" in id_ and "<" not in id_}
    if not files:
        return "no test of a Python module passed"
    near = shuffled(files, nonce)[0]
    red, green = (f"test_{word}" for word in (nonce[:8], nonce[8:] or f"{nonce}_"))
    order = _pytest(asked, nonce=nonce, beside=near, red=red, green=green)
    return _doubt(order, asked, told=told, nonce=nonce, pair=(f"{near}::{red}", f"{near}::{green}"))


def _doubt(order: Order, asked: Asked, *, told: Report, nonce: str, pair: tuple[str, str]) -> Doubt:
    flips = flipped(asked.look, told, nonce)
    return Doubt(
        order,
        flips.edits,
        red=flips.red | {pair[0]},
        green=frozenset({pair[1]}),
        exits=frozenset({1} if asked.call.at is not None else ()),
        held=("canary", "flip") if flips.red else ("canary",),
        lacking=() if flips.red else (_NONE,),
    )


def _unittest(asked: Asked, **doubt: str) -> Order:
    """The start file takes the place of `-m unittest`, or stands before a script that runs it."""
    argv, at, module = asked.call
    start, files = f"{JUDGE}/unittest_boot.py", unseen(*_UNITTEST_FILES)
    if module is None and at is not None:
        script = argv[at - 1]
        path = [script.rpartition("/")[0], *_path(asked.env)]
        before = argv[: at - 1] or ("python",)
        given = _variable("unittest", env=_before(asked), path=path, script=script, **doubt)
        return Order((*before, start, *argv[at:]), {"PYTHONPATH": "", **given}, files)
    given = _variable("unittest", env=_before(asked), path=["", *_path(asked.env)], **doubt)
    return Order((*argv[:module], start, *argv[at:]), {"PYTHONPATH": "", **given}, files)


def _unittest_turned(asked: Asked, _number: int) -> Order:
    return _unittest(asked, turned=asked.first)


def _before(asked: Asked) -> dict[str, str | None]:
    return {"PYTHONPATH": asked.env.get("PYTHONPATH")}


def _unittest_doubts(asked: Asked, told: Report, nonce: str) -> Doubt | str:
    """A pair of tests in the suite as it is run, and tests that passed broken where they stand."""
    if not any(test.outcome == "passed" for test in told.tests):
        return "no test passed"
    red, green = (f"test_{word}" for word in (nonce[:8], nonce[8:] or f"{nonce}_"))
    order = _unittest(asked, nonce=nonce, red=red, green=green)
    if any(word.startswith("--parallel") for word in order.argv):
        # Django hands no failure from one process to another unless a package helps it
        order = order._replace(argv=(*order.argv, "--parallel=1"))
    return _doubt(order, asked, told=told, nonce=nonce, pair=(f"Pair.{red}", f"Pair.{green}"))


PYTEST = Recipe(
    order=_pytest,
    read=of_file("pytest.jsonl", probe.read),
    wrapped=True,
    doubt=_pytest_doubts,
    turned=_pytest_turned,
)
UNITTEST = Recipe(
    order=_unittest,
    read=of_file("unittest.jsonl", probe.read),
    doubt=_unittest_doubts,
    turned=_unittest_turned,
)
