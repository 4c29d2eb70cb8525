"""A pytest plug-in that writes what it sees: loaded, start, inventory, each test, end.

It changes nothing of the run, but that a doubted run has two tests more and does not stop early,
and a turned one runs last to first, one test before all. With xdist the first worker lists the
tests, the controller tells the rest. It may be loaded before the runner is: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from importlib import import_module
from typing import Any, Dict, Generator, List

import pytest

_TOLD: Any = import_module("forsooth_told")
_ROOTS = ("_pytest", "pluggy", "pytest", "unittest")
_STATE: Dict[str, Any] = {"worker": ""}
_PLUGIN = " (plug-in)"
_put = _TOLD.put


def _begin() -> None:
    """Before any code of the project: settings taken, path in order, runner seen as it is."""
    if os.environ.pop("FORSOOTH_SAFE", ""):
        os.environ.pop("PYTHONSAFEPATH", None)
    _TOLD.take()
    if _TOLD.SETTINGS:
        _TOLD.last()
        _STATE["all"] = importlib.metadata.distributions
        importlib.metadata.distributions = _installed
    _STATE["functions"] = _TOLD.functions(*_ROOTS)


def _installed(**asked: Any) -> Any:
    """What is installed in the environment: in the project, metadata is a file, no more."""
    for found in _STATE["all"](**asked):
        place = os.path.abspath(str(found.locate_file("")))
        if place.startswith(os.path.abspath(sys.prefix)) or not place.startswith(_top()):
            yield found


def _top() -> str:
    """The repository's folder, as far as it can be told from inside."""
    here = os.getcwd()
    above = here
    while os.path.dirname(above) != above:
        if os.path.exists(os.path.join(above, ".git")):
            return above
        above = os.path.dirname(above)
    return here


_begin()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    if "all" in _STATE:
        importlib.metadata.distributions = _STATE.pop("all")
    _TOLD.first()
    at = next((n for n, word in enumerate(sys.argv) if word == "forsooth_probe"), 0)
    if at and sys.argv[at - 1] == "-p":
        del sys.argv[at - 1 : at + 1]
    plugins = [plugin for _, plugin in early_config.pluginmanager.list_name_plugin()]
    _put(
        "loaded",
        runner="pytest",
        version=pytest.__version__,
        inside=[*_runner(), *_TOLD.foreign(plugins, _PLUGIN)],
    )


class Late:
    """Looks at the runner once more, after plug-ins have made it theirs and before any conftest.

    What they changed is no one's doing, unless code of the project was already there.
    """

    def pytest_load_initial_conftests(self) -> None:
        ours = [*sys.modules.values()]
        if not any(file.startswith(_top() + os.sep) for file in _TOLD.foreign(ours)):
            _STATE["functions"] = _TOLD.functions(*_ROOTS)


def pytest_addoption(pluginmanager: Any) -> None:
    pluginmanager.register(Late())


def _runner() -> List[str]:
    return _TOLD.foreign([sys.modules.get(name) for name in _ROOTS])


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    given = getattr(config, "workerinput", {})
    _STATE["worker"] = given.get("workerid", "")
    if _STATE["worker"]:
        _TOLD.SETTINGS.update(given.get("forsooth", {}))
        _TOLD.last()
        _TOLD.first()
        plugins = [plugin for plugin, _ in config.pluginmanager.list_plugin_distinfo()]
        _put("loaded", runner="pytest", inside=[*_runner(), *_TOLD.foreign(plugins, _PLUGIN)])
    else:
        _put("start", runner="pytest", version=pytest.__version__)
    if "nonce" in _TOLD.SETTINGS:
        config.option.maxfail = 0
        config.option.stepwise = False


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker starts apart: what it must know goes with it, and no module of the copy is first."""
    node.workerinput["forsooth"] = dict(_TOLD.SETTINGS)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: Any) -> None:
    spread = getattr(session.config.option, "dist", "no") != "no"
    if spread and not _STATE["worker"] and "PYTHONSAFEPATH" not in os.environ:
        os.environ["PYTHONSAFEPATH"] = os.environ["FORSOOTH_SAFE"] = "1"


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: Any,
    items: List[Any],
) -> Generator[None, Any, None]:
    before = [item.nodeid for item in items]
    yield
    if _STATE["worker"] in ("", "gw0"):
        _put("inventory", collected=before, selected=[item.nodeid for item in items])
    if "turned" in _TOLD.SETTINGS:
        items.reverse()
        first = _TOLD.SETTINGS["turned"]
        near = first.partition("::")[0] + "::"
        items.sort(key=lambda item: (not item.nodeid.startswith(near), item.nodeid != first))
    if "nonce" in _TOLD.SETTINGS and not config.option.collectonly:
        _add_pair(items, **{k: _TOLD.SETTINGS[k] for k in ("nonce", "beside", "red", "green")})


def _add_pair(items: List[Any], nonce: str, beside: str, red: str, green: str) -> None:
    """Two tests in a real module, after selection; the nonce says where, in every worker alike."""
    near = [n for n, item in enumerate(items) if item.nodeid.startswith(beside + "::")]
    if not near:
        return
    at = near[int(nonce, 16) % len(near)]
    module = items[at].getparent(pytest.Module)
    pair = [(red, _red), (green, _green)]
    if int(nonce, 16) % 2:
        pair.reverse()
    make: Any = pytest.Function
    items[at:at] = [make.from_parent(module, name=name, callobj=call) for name, call in pair]


def _red() -> None:
    assert [1, 2] == [2, 1]


def _green() -> None:
    assert [1, 2] == [1, 2]


def pytest_collectreport(report: Any) -> None:
    if not report.passed and not _STATE["worker"]:
        outcome = "error" if report.failed else "skipped"
        _put("test", id=report.nodeid, outcome=outcome, reason=_reason(report))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: Any) -> None:
    outcome = _outcome(report)
    if outcome and not _STATE["worker"]:
        reason = "" if outcome == "passed" else _reason(report)
        spent = report.duration
        _put("test", id=report.nodeid, outcome=outcome, reason=reason, seconds=spent)


def _outcome(report: Any) -> str:
    """What one phase of a test adds; the worst of them counts."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    expected = hasattr(report, "wasxfail")
    if report.skipped:
        return "xfailed" if expected else "skipped"
    if report.when != "call" or not report.passed:
        return ""
    return "xpassed" if expected else "passed"


def _reason(report: Any) -> str:
    told: Any = report.longrepr
    crash = getattr(told, "reprcrash", None)
    if crash is not None:
        return str(crash.message)[:400]
    if type(told).__name__ == "tuple":  # a skip tells file, line and reason
        return str(told[-1])[:400]
    lines = str(getattr(told, "longrepr", told) or "").strip().splitlines()
    return lines[-1].lstrip("E ")[:400] if lines else ""


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session: Any) -> Generator[None, Any, None]:
    names = _TOLD.patched(_STATE["functions"], *_ROOTS)
    yield
    if _STATE["worker"]:
        _put("patched", patched=names)
    else:
        _put("end", exit=int(session.exitstatus), patched=names)
