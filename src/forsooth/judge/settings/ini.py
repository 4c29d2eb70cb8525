"""INI files with the sections of test tools as sealed: whole sections are moved as text.

A parser must find exactly that in the result; else nothing is merged.
"""

from __future__ import annotations

import configparser
import re
from typing import NamedTuple

_OWN = re.compile(
    r"(?:tool:)?pytest|coverage:.*|tox(?::.*)?|testenv(?::.*)?|nosetests|unittest|aliases|mutmut"
    r"|behave|flake8.*|mypy.*|pylint.*|isort|bandit|pycodestyle|pydocstyle|interrogate|importlinter.*"
    r"|quality|lint|checks?|limits|complexity|thresholds?"
)
_HEADER = re.compile(r"^\[([^\]\n]+)\][ \t]*(?:[#;].*)?$")


class _Section(NamedTuple):
    name: str
    text: str


def merged(sealed: bytes, now: bytes, _: tuple[str, ...] = ()) -> bytes | None:
    """The delivered text with the sealed sections, when a parser finds exactly that in it."""
    was, is_ = _parsed(sealed), _parsed(now)
    if was is None or is_ is None:
        return None
    if _plugins(was) != _plugins(is_):
        return None
    settings = {name: rows for name, rows in was.items() if is_own(name)}
    if settings == {name: rows for name, rows in is_.items() if is_own(name)}:
        return now
    rest = {name: rows for name, rows in is_.items() if not is_own(name)}
    kept = "".join(one.text for one in _sections(now.decode()) if not is_own(one.name))
    put = "".join(one.text for one in _sections(sealed.decode()) if is_own(one.name))
    if put and kept and not kept.endswith("\n"):
        kept += "\n"
    found = (kept + put).encode()
    return found if _parsed(found) == {**rest, **settings} else None


def _plugins(found: dict[str, dict[str, str | None]]) -> str | None:
    """Plug-ins that a package gives to pytest, which stand among things of its own."""
    return found.get("options.entry_points", {}).get("pytest11")


def is_own(section: str) -> bool:
    """Whether a section is a test tool's."""
    return bool(_OWN.fullmatch(section))


def has_settings(data: bytes) -> bool:
    """Whether any section is a test tool's; a file that cannot be read may have one."""
    found = _parsed(data)
    return found is None or any(map(is_own, found))


def _parsed(data: bytes) -> dict[str, dict[str, str | None]] | None:
    parser = configparser.RawConfigParser(
        allow_no_value=True, strict=True, default_section="\0none", comment_prefixes=("#", ";")
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(data.decode())
    except (configparser.Error, ValueError):
        return None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _sections(text: str) -> list[_Section]:
    found = [_Section("", "")]
    for line in text.splitlines(keepends=True):
        header = _HEADER.match(line.rstrip("\r\n"))
        if header:
            found.append(_Section(header[1], line))
        else:
            last = found[-1]
            found[-1] = last._replace(text=last.text + line)
    return found
