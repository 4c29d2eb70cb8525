"""Node's locks as an installer may see them: which bytes are meant, and not where they come from.

The address of each package becomes that of the user's registry; its digest stays. What names a
package by anything else than a release is refused by name.

A lock is only believed in the form its own tool writes. Each of these files is also YAML, JSON or a
language of its own, in which the same can be written in other ways: a key in quotes, set in, as an
alias or twice. A reader of ours that passes over such a line leaves an address to the installer, so
a line of another form is refused, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.tree import Table, at, table

DEPENDENCIES = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
)
Registry = Callable[[], str]

_NAME = r"(?:@[\w.~-]+/)?[\w.~-]+"
_RANGE = r"[\w.*^~<>=|, \t+-]*"
# What names a package by release, or by a path of the repository itself.
_KNOWN = re.compile(
    rf"{_RANGE}|\$(?:{_NAME})|npm:(?:{_NAME}(?:@{_RANGE})?|{_RANGE})|catalog:[\w-]*"
    rf"|workspace:[\w.*^~@/ -]*|(?:file|link|portal):(?!//)[^:]*|\.{{1,2}}/[^:#]*"
    rf"|patch:{_NAME}@(?:(?:npm|patch|workspace)(?::|%3A))?[\w.*^~<>=|+%@/!-]*#[^:]*",
    re.ASCII,
)
_ENCODED = re.compile(r"%(?:40|2F%2F)|__archiveUrl", re.IGNORECASE)
_VERSION = re.compile(r"[\w.+-]*", re.ASCII)


def is_known(wanted: str) -> bool:
    """Whether a registry or the repository itself has what is wanted.

    >>> [is_known(one) for one in ("^1 || 2.x", "npm:@s/x@1", "git@evil.example:x", "evil/x")]
    [True, True, False, False]
    """
    return _KNOWN.fullmatch(wanted.strip()) is not None and not _ENCODED.search(
        wanted.partition("#")[0]
    )


def refuse_elsewhere(given: Any, name: str) -> None:
    """Refuse what no registry has; tables of overrides may be nested."""
    if isinstance(given, str) and not is_known(given):
        raise elsewhere(name)
    for key, value in table(given).items():
        refuse_elsewhere(value, key)


def elsewhere(name: str) -> Exception:
    """The refusal of a package that is not named by release."""
    says = f"{name} is named by an address or a program, not by release"
    return failure("vcs-dependency", says, package=name)


def _unreadable(path: str, line: str) -> Exception:
    says = f"{path} has a line that its own tool does not write: {line.strip()[:60]!r}"
    return failure("unreadable", says, remedy=f"write {path} again with its own tool")


def _npm_lock(body: str, registry: Registry) -> str:
    """A lock whose packages come from the user's registry, by digest as before."""
    try:
        data: Table = table(json.loads(body))
    except (ValueError, RecursionError) as error:
        raise failure("unreadable", f"package-lock.json cannot be read: {error}") from None
    for place, row in at(data, "packages").items():
        entry = table(row)
        name = str(entry.get("name") or place.rpartition("node_modules/")[2])
        for key in DEPENDENCIES:
            refuse_elsewhere(entry.get(key), "")
        is_link = bool(entry.get("link")) and "://" not in str(entry.get("resolved"))
        if place and "resolved" in entry and not is_link:
            entry["resolved"] = _at_registry(name, str(entry["resolved"]), registry)
        if not _VERSION.fullmatch(str(entry.get("version", ""))) or _leads_out(place, entry):
            raise elsewhere(name)
    _nested(at(data, "dependencies"), registry)
    return json.dumps(data)


def _leads_out(place: str, entry: Table) -> bool:
    """Whether a package would be unpacked outside of the repository; a link may lead there."""
    parts = PurePosixPath(place).parts
    is_package = "node_modules" in parts or "resolved" in entry
    return place.startswith("/") or "\\" in place or (is_package and ".." in parts)


def _nested(entries: Table, registry: Registry) -> None:
    for name, row in entries.items():
        entry = table(row)
        version = str(entry.get("version", ""))
        refuse_elsewhere(entry.get("requires"), name)
        if ".." in PurePosixPath(name).parts or name.startswith("/"):
            raise elsewhere(name)
        if "resolved" in entry:
            real = re.match(r"npm:(@?[^@]+)@", version)
            entry["resolved"] = _at_registry(
                real[1] if real else name, str(entry["resolved"]), registry
            )
        elif not is_known(version):
            raise elsewhere(name)
        _nested(at(entry, "dependencies"), registry)


def _at_registry(name: str, url: str, registry: Registry) -> str:
    """A package's address at the user's registry; an address that is no registry's is refused."""
    found = re.search(rf"://[^?#]*/{re.escape(name)}/-/([\w.+~-]+\.tgz)(#\w+)?$", url)
    if found is None:
        raise elsewhere(name)
    return f"{registry().rstrip('/')}/{name}/-/{found[1]}{found[2] or ''}"


def _yarn_lock(body: str, registry: Registry) -> str:
    return _berry(body) if "__metadata:" in body else _classic(body, registry)


_ENTRY = re.compile(r'(?!\s)(?:"[^"\\]+"|[^\s",]+)(?:, (?:"[^"\\]+"|[^\s",]+))*:')
_FIELD = re.compile(r'  (version|resolved|integrity|uid) ("?)([^"\\\s]+)\2')
_SECTION = re.compile(r"  (?:dependencies|optionalDependencies):")
_NEED = re.compile(r'    ("?)([^"\\\s]+)\1 (?:"([^"\\]*)"|([^"\\\s]+))')


def _classic(body: str, registry: Registry) -> str:
    """A lock of yarn 1, line by line."""
    kept: list[str] = []
    name = ""
    for line in body.splitlines():
        field = _FIELD.fullmatch(line)
        if _ENTRY.fullmatch(line):
            name = _meant(line)
        elif field and field[1] == "resolved":
            kept.append(f'  resolved "{_at_registry(name, field[3], registry)}"')
            continue
        elif need := _NEED.fullmatch(line):
            refuse_elsewhere(need[3] or need[4] or "", need[2])
        elif not (field or not line.strip() or line.startswith("#") or _SECTION.fullmatch(line)):
            raise _unreadable("yarn.lock", line)
        kept.append(line)
    return "\n".join(kept) + "\n"


def _meant(line: str) -> str:
    """The package that an entry is about; an alias names another."""
    alias = re.match(rf'"?[^\n]*?@npm:({_NAME})@', line)
    plain = re.match(rf'"?({_NAME})@', line)
    found = alias or plain
    return found[1] if found else line


_BERRY_LINE = re.compile(
    r"""(?P<deep>[ ]*)(?:"(?P<quoted>[^"\\]*)"|(?P<key>[\w@/.+~*^-]+)):"""
    r"""(?:[ ](?:"(?P<text>[^"\\]*)"|(?P<bare>[^\s"'{[&*!|>%@`#][^"\\]*)))?"""
)
_BERRY_LONG = re.compile(r'\? "[^"\\]*"|:')  # a key that is longer than YAML allows otherwise
_RESOLUTION = re.compile(rf"({_NAME})@(npm|workspace|patch|link|portal|file|virtual):(.*)")


def _berry(body: str) -> str:
    """A lock of a newer yarn: by digest already, held to releases line by line.

    Entries are at the left, their fields set in by two, and what belongs to a field by more: the
    same table set in otherwise would have its fields where none are looked for.
    """
    section: str | None = None
    for line in body.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = _BERRY_LINE.fullmatch(line)
        key = (found["key"] or found["quoted"]) if found else ""
        value = (found["text"] or found["bare"] or "") if found else ""
        match len(found["deep"]) if found else -1:
            case 0:
                section = ""
            case 2 if section is not None:
                section = key
                if key == "resolution":
                    _refuse_resolution(value)
            case 4 | 6 if section:
                refuse_elsewhere(value if section in DEPENDENCIES else "", key)
            case -1 if _BERRY_LONG.fullmatch(line):
                section = ""
            case _:
                raise _unreadable("yarn.lock", line)
    return body


def _refuse_resolution(value: str) -> None:
    found = _RESOLUTION.fullmatch(value)
    name = found[1] if found else value.partition("@")[0] or value
    if found is None or "__archiveUrl" in value:
        raise elsewhere(name)
    if found[2] in ("patch", "virtual"):
        inner = re.sub(r"^[0-9a-f]+#", "", found[3]) if found[2] == "virtual" else found[3]
        wanted = inner if found[2] == "virtual" else f"patch:{inner.partition('::')[0]}"
        if not is_known(wanted):
            raise elsewhere(name)


_PNPM_LINE = re.compile(
    r"""[ ]*(?:'(?P<quoted>[^']*)'|(?P<key>[^\s'"{}&*!|>%@`?#,<[\]-][^'"{}\n]*?))"""
    r"""[ ]*:(?:[ ]+(?P<value>[^\s&*!].*))?"""
)
_PNPM_ITEM = re.compile(r"[ ]*-[ ](?:'[^']*'|[\w@/.+~*^<>= -]+)")
_PNPM_BLOCK = re.compile(r"[|>][-+]?")


def _pnpm_lock(body: str, registry: Registry) -> str:
    """A lock of pnpm: each package by its digest alone, or by a folder of the repository."""
    del registry
    return "".join(f"{line}\n" for line in _pnpm_lines(body))


def _pnpm_lines(body: str) -> Iterator[str]:
    text_below: int | None = None
    for line in body.splitlines():
        deep = len(line) - len(line.lstrip(" "))
        if not line.strip() or (text_below is not None and deep > text_below):
            yield line
            continue
        text_below = None
        found = _PNPM_LINE.fullmatch(line)
        if found is None and not _PNPM_ITEM.fullmatch(line):
            raise _unreadable("pnpm-lock.yaml", line)
        key = (found["quoted"] or found["key"]) if found else ""
        value = (found["value"] or "") if found else ""
        if _PNPM_BLOCK.fullmatch(value):
            text_below = deep
        elif value.startswith("{") and not re.fullmatch(r"\{[^{}]*\}", value):
            raise _unreadable("pnpm-lock.yaml", line)
        if key in ("tarball", "repo", "gitHosted"):
            raise elsewhere("a package of pnpm-lock.yaml")
        yield f"{' ' * deep}resolution: {_by_digest(value)}" if key == "resolution" else line


def _by_digest(value: str) -> str:
    integrity = re.search(r"integrity: ([\w+/=-]+)", value)
    if integrity:
        return f"{{integrity: {integrity[1]}}}"
    local = re.fullmatch(r"\{directory: ([^,:{}\"\\]+), type: directory\}", value)
    if local is None:
        raise elsewhere(f"a package with `{value[:60]}`")
    return value


LOCKS: Mapping[str, Callable[[str, Registry], str]] = {
    "package-lock.json": _npm_lock,
    "npm-shrinkwrap.json": _npm_lock,
    "yarn.lock": _yarn_lock,
    "pnpm-lock.yaml": _pnpm_lock,
}
