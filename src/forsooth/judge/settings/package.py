"""A package.json whose test scripts and runner keys are as sealed; the rest stays as delivered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

_KEYS = ("jest", "mocha", "vitest", "ava", "nyc", "c8", "babel", "tap", "wireit", "nx")
_CHECKING = re.compile(r"check|assert|expect|verify|test|spec", re.IGNORECASE)
_TEST = re.compile(r"(?:pre|post)?(?:test|check|verify|ci|spec|e2e|coverage)(?:[:._-].*)?")
_CALLED = re.compile(
    r"(?:npm|pnpm|yarn|bun)(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:./-]+)"
    r"|(?:run-[sp]|npm-run-all\d?)\s+([^&|;]+)"
)


def merged(sealed: bytes, now: bytes, wanted: tuple[str, ...]) -> bytes | None:
    """The delivered file with sealed settings; its own bytes where they are equal."""
    was, is_ = _parsed(sealed), _parsed(now)
    if was is None or is_ is None:
        return None
    pinned = called(scripts(was), wanted)
    extra = {name for name in scripts(is_) if name not in pinned and _is_hook(name, pinned)}
    mine = dict(is_)
    for key in _KEYS:
        mine.pop(key, None)
        if key in was:
            mine[key] = was[key]
    if names := {**_mapped(is_), **_mapped(was, like=_CHECKING)}:
        mine["imports"] = names
    told = {name: text for name, text in scripts(is_).items() if name not in pinned | extra}
    told |= {name: text for name, text in scripts(was).items() if name in pinned}
    if told or "scripts" in is_:
        mine["scripts"] = told
    return now if mine == is_ else _written(mine, now)


def has_settings(data: bytes) -> bool:
    """Whether a script tests or a key is a runner's; a file that cannot be read may have one."""
    found = _parsed(data)
    names = found is not None and _mapped(found, like=_CHECKING)
    return found is None or bool(called(scripts(found)) or names or found.keys() & {*_KEYS})


def _mapped(data: Mapping[str, Any], *, like: re.Pattern[str] | None = None) -> dict[str, Any]:
    """The package's own names for files; those only that a name or a path likens to a check."""
    found = data.get("imports")
    rows = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return {name: to for name, to in rows.items() if not like or like.search(f"{name} {to}")}


def scripts(data: Mapping[str, Any]) -> dict[str, str]:
    """The scripts of a package."""
    found = data.get("scripts")
    rows = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return {name: text for name, text in rows.items() if isinstance(text, str)}


def scripts_of(data: bytes) -> dict[str, str]:
    """The scripts of a package file; none when it cannot be read."""
    return scripts(_parsed(data) or {})


def name_of(data: bytes) -> str:
    """What a package calls itself; nothing when it cannot be read."""
    found = (_parsed(data) or {}).get("name")
    return found if isinstance(found, str) else ""


def called(found: Mapping[str, str], wanted: Iterable[str] = ()) -> set[str]:
    """The scripts that test, those wanted besides, and every script those call in turn."""
    left = [name for name in found if _TEST.fullmatch(name)] + list(wanted)
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name in seen or name not in found:
            continue
        seen.add(name)
        left += [f"pre{name}", f"post{name}", *_called(found[name])]
    return seen


def _called(text: str) -> list[str]:
    return [word for match in _CALLED.findall(text) for part in match for word in part.split()]


def _is_hook(name: str, pinned: Iterable[str]) -> bool:
    return any(name in (f"pre{one}", f"post{one}") for one in pinned)


def _parsed(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _written(data: Mapping[str, Any], like: bytes) -> bytes:
    """JSON indented as the delivered file is."""
    indent = re.search(rb"\n([ \t]+)\"", like)
    step = indent[1].decode() if indent else "  "
    return (json.dumps(data, indent=step, ensure_ascii=False) + "\n").encode()
