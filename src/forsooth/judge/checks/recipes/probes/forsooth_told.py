"""What the probes in a Python runner share: settings, records, and a look at the runner itself.

Settings come in one variable, and are gone from the environment before the project is imported.
"""

from __future__ import annotations

import json
import os
import sys
import time
from types import FunctionType
from typing import Any, Dict, Iterable, Iterator, List, Tuple

VARIABLE = "FORSOOTH_RUN"
SETTINGS: Dict[str, Any] = {}
HERE = os.path.dirname(os.path.abspath(__file__))
Functions = Dict[str, Tuple[Any, Any]]

_NOT_THE_RUNNER = ("unittest.mock",)
_LATE_PARTS = ("_pytest.legacypath",)  # where pytest changes itself, once its plug-ins are loaded
_CLOCKS = {
    n: getattr(time, n)
    for base in ("time", "monotonic", "perf_counter", "process_time")
    for n in (base, base + "_ns")
    if hasattr(time, n)
}

_open, _write, _close, _dumps = os.open, os.write, os.close, json.dumps


def take() -> None:
    """Read the settings, and leave the environment as a person set it."""
    SETTINGS.update(json.loads(os.environ.pop(VARIABLE, "{}")))
    for name, value in SETTINGS.pop("env", {}).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def put(record: str, **fields: Any) -> None:
    """Append one record, where there is a place for it."""
    if "out" not in SETTINGS:
        return
    line = _dumps({"record": record, **fields}) + "\n"
    file = _open(SETTINGS["out"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        _write(file, line.encode())
    finally:
        _close(file)


def places() -> List[str]:
    """Where a person's own modules are looked for first."""
    return [os.path.abspath(entry or os.curdir) for entry in SETTINGS.get("path", ())]


def last() -> None:
    """Let the project's modules be found, but none of them instead of the runner's."""
    mine = {HERE, *places()}
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) not in mine]
    sys.path += [HERE, *places()]


def first() -> None:
    """Put the project's modules where they belong, now that the runner is loaded."""
    mine = set(places())
    sys.path[:] = places() + [entry for entry in sys.path if entry not in mine]


def foreign(modules: Iterable[Any], kind: str = "") -> List[str]:
    """Where modules lie that belong neither to the interpreter nor to its environment."""
    own = [os.path.realpath(p) + os.sep for p in (sys.prefix, sys.base_prefix, HERE)]
    own += [os.path.abspath(p) + os.sep for p in (sys.prefix, sys.base_prefix, HERE)]
    found = (getattr(module, "__file__", None) for module in modules)
    files = {os.path.abspath(file) for file in found if isinstance(file, str)}
    return [file + kind for file in sorted(files) if not file.startswith(tuple(own))]


def functions(*roots: str) -> Functions:
    """Every function of these packages as it is now, by name."""
    found: Functions = {}
    loaded: Dict[str, Any] = dict(sys.modules)
    for name, module in loaded.items():
        if name.partition(".")[0] in roots and name not in _NOT_THE_RUNNER and module is not None:
            for key, value in _members(name, module):
                found[f"{name}:{key}"] = (value, _code(value))
    return found


def _members(name: str, module: Any) -> Iterator[Tuple[str, Any]]:
    for key, value in _values(module).items():
        if getattr(value, "__module__", None) != name:
            continue
        if isinstance(value, type):
            for part, member in _values(value).items():
                if _code(member) is not None:
                    yield f"{value.__qualname__}.{part}", member
        elif isinstance(value, FunctionType):
            yield key, value


def _values(owner: Any) -> Dict[str, Any]:
    return dict(owner.__dict__)


def _function(value: Any) -> Any:
    """The function behind a method of a class or a property; none where there is none."""
    inner = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
    return inner if isinstance(inner, FunctionType) else None


def _code(value: Any) -> Any:
    function = _function(value)
    return None if function is None else function.__code__


def patched(before: Functions, *roots: str) -> List[str]:
    """The functions that are no longer what they were, and those put into classes since."""
    now = {name: it for name, it in functions(*roots).items() if name in before or not _late(it)}
    modules = {name.partition(":")[0] for name in before}
    new = [name for name in now if name.partition(":")[0] in modules and "." in _key(name)]
    classes = {name.rpartition(".")[0] for name in before if "." in _key(name)}
    changed = {name for name, was in before.items() if not _same(now.get(name), was)}
    changed |= {n for n in new if n not in before and n.rpartition(".")[0] in classes}
    changed |= {f"time:{n}" for n, clock in _CLOCKS.items() if getattr(time, n, None) is not clock}
    return sorted(changed)


def _key(name: str) -> str:
    return name.partition(":")[2]


def _same(now: Any, was: Tuple[Any, Any]) -> bool:
    return now is not None and (_late(now) or (now[0] is was[0] and now[1] is was[1]))


def _late(it: Tuple[Any, Any]) -> bool:
    return _function(it[0]).__globals__.get("__name__") in _LATE_PARTS
