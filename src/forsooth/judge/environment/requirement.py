"""Requirement lines, read without resolving anything.

What cannot be understood is kept as it stands, so that the installer says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from forsooth.judge.environment.tree import ancestors, joined, table, text, words

NAME = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)")
PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(\[[^\]]*\])?\s*===?\s*([^\s;,*]+)\s*(;|$)")
LOCAL = re.compile(r"^(?:-e\s*|--editable[ =])?\.{0,2}/?\.?(\[([^\]]*)\])?/?$")
URL = re.compile(r"(^|@\s*|\s)[A-Za-z][A-Za-z0-9+.-]*:/|@\s*[./]")
VCS = re.compile(r"(^|@\s*|\s)(git|hg|bzr|svn)\+")
HASH = re.compile(r"--hash[= ]\s*(sha\d+:[0-9a-fA-F]+)")
LONGEST = 5000
_VERSION = r"(?:===?|[<>!~]=|[<>])\s*[\w.*+!-]+"
_VERSIONS = rf"{_VERSION}(?:\s*,\s*{_VERSION})*\s*,?"
RELEASE = re.compile(
    r"(?!\S+\.(?:whl|zip|tgz|tbz|txz|tlz|tar|tar\.\w+)(?:\s|$))"
    r"[A-Za-z0-9][A-Za-z0-9._-]*[ \t]*(?:\[[\w\s,.-]*\])?"
    rf"\s*(?:{_VERSIONS}|\(\s*{_VERSIONS}\s*\))?\s*(?:;(?:(?!--)[^\\;#@:])*)?"
)


class Lines(NamedTuple):
    """A requirement file with everything it includes."""

    wants: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    hashed: bool = False
    unclear: tuple[str, ...] = ()


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named(line: str) -> str:
    """The package a requirement line is about, empty when it names none."""
    found = NAME.match(line.strip())
    return plain(found[1]) if found else ""


def pinned(line: str) -> tuple[str, str] | None:
    """Name and version of a line that allows exactly one version."""
    found = PINNED.match(HASH.sub("", line).strip())
    return (plain(found[1]), found[3]) if found else None


def is_vcs(line: str) -> bool:
    """Whether the line names a package by repository instead of by release."""
    return bool(VCS.search(line))


def is_url(line: str) -> bool:
    """Whether the line names a package by an address or a path instead of by release.

    >>> [is_url(line) for line in ("six @ https://example.org/six.whl", "six==1 ; os_name > 'a'")]
    [True, False]
    """
    return bool(URL.search(line))


def is_release(line: str) -> bool:
    r"""Whether the line names a package by release, and says nothing else to an installer: a path,
    an option, or a second line would let whoever wrote it choose hosts and run code.

    >>> [is_release(line) for line in ("six>=1,<2; os_name > 'a'", "-e ./x", "--pre", "a\\n-e b")]
    [True, False, False, False]
    """
    whole = HASH.sub("", line.replace("\\\n", " ")).strip()
    if len(whole.splitlines()) != 1 or len(whole) > LONGEST:
        return False
    return RELEASE.fullmatch(re.sub(r"\s+", " ", whole)) is not None


def lines(files: Mapping[str, bytes], path: str) -> Lines:
    """Read a requirement file and those it includes, each at most once."""
    wants: list[str] = []
    limits: list[str] = []
    extras: list[str] = []
    unclear: list[str] = []
    seen: list[str] = []
    hashed = True
    waiting = [(path, False)]
    while waiting:
        here, only_limits = waiting.pop(0)
        if here in seen or here not in files:
            unclear += [f"{here} is named but does not exist"] * (here not in files)
            continue
        seen.append(here)
        for line in _logical(text(files, here)):
            match _sort(line):
                case ("file" | "limits" as kind, other):
                    folder = ancestors(here)[1]
                    waiting.append((joined(folder, other), only_limits or kind == "limits"))
                case ("local", some):
                    extras += some.split(",") if some else []
                case ("option", _):
                    unclear.append(f"{here}: option not used: {line.split()[0]}")
                case (_, wanted) if only_limits:
                    limits.append(wanted)
                case (_, wanted):
                    wants.append(wanted)
                    hashed = hashed and bool(HASH.search(wanted)) and pinned(wanted) is not None
    return Lines(
        tuple(wants),
        tuple(limits),
        tuple(extra.strip() for extra in extras),
        tuple(seen),
        hashed and bool(wants),
        tuple(unclear),
    )


def _logical(body: str) -> Iterator[str]:
    for raw in body.replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*$", "", raw).strip()
        if line:
            yield re.sub(r"\s+", " ", line)


def _sort(line: str) -> tuple[str, str]:
    if found := re.match(r"^(?:-r|--requirement)[ =]?\s*(\S+)", line):
        return "file", found[1]
    if found := re.match(r"^(?:-c|--constraint)[ =]?\s*(\S+)", line):
        return "limits", found[1]
    if found := LOCAL.match(line):
        return "local", found[2] or ""
    if line.startswith("-") and not line.startswith(("-e", "--editable")):
        return "option", line
    return "want", line


def poetic(name: str, given: Any) -> str:
    """One entry of a poetry table as a requirement line; ranges are translated."""
    entry = table(given)
    if not entry:
        return name + _range(given if isinstance(given, str) else "*")
    for key in ("git", "path", "url"):
        if key in entry:
            where = f"git+{entry[key]}" if key == "git" else str(entry[key])
            return f"{name} @ {where}"
    extras = ",".join(words(entry.get("extras")))
    markers = [str(entry["markers"])] if "markers" in entry else []
    markers += [_python(str(entry["python"]))] if "python" in entry else []
    tail = " ; " + " and ".join(f"({marker})" for marker in markers if marker) if markers else ""
    return name + (f"[{extras}]" if extras else "") + _range(str(entry.get("version", "*"))) + tail


def _range(given: str) -> str:
    return ",".join(filter(None, (_one(part.strip()) for part in given.split(","))))


def _one(part: str) -> str:
    if part in {"*", ""}:
        return ""
    if part[0] in "^~" and not part.startswith("~="):
        return _between(part[0], part[1:].strip())
    return part.replace(" ", "") if part[0] in "<>=!~" else f"=={part}"


def _between(sign: str, version: str) -> str:
    numbers = [int(found) for found in re.findall(r"\d{1,9}", version)[:3]] or [0]
    first = next((i for i, n in enumerate(numbers) if n), len(numbers) - 1)
    place = first if sign == "^" else min(1, len(numbers) - 1)
    upper = [*numbers[:place], numbers[place] + 1]
    return f">={version},<{'.'.join(map(str, upper))}"


def _python(given: str) -> str:
    parts = [re.match(r"([<>=!]+)(.+)", part) for part in _range(given).split(",")]
    return " and ".join(
        f'python_version {part[1]} "{".".join(part[2].split(".")[:2])}"' for part in parts if part
    )
