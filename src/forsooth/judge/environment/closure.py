"""Of everything installed for an interpreter, what one repository can come to use.

A venv is made for a project and is taken whole; an installation holds years of other work. Here
its packages are chosen by what files import and commands name, with all that those require.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment.requirement import named, plain

IMPORT = re.compile(rb"^[ \t>.]*(?:from[ \t]+([A-Za-z_]\w*)|import[ \t]+([^\n#;]+))", re.MULTILINE)
INLINE = re.compile(r"\b(?:from|import)\s+([A-Za-z_]\w*)")
REQUIRES = re.compile(r"^Requires-Dist:\s*([^\n]+)$", re.MULTILINE)
LARGEST = 1 << 20


class Package(NamedTuple):
    """One installed package: its entries in a site folder, and what it requires."""

    entries: tuple[Path, ...]
    requires: frozenset[str]
    plugs_in: bool

    @property
    def modules(self) -> frozenset[str]:
        """The names it is imported by."""
        return frozenset(path.name.partition(".")[0] for path in self.entries)


def imported(files: Mapping[str, bytes], argvs: Iterable[tuple[str, ...]] = ()) -> frozenset[str]:
    """The outermost names that Python files and commands import."""
    found = {name for argv in argvs for word in argv for name in INLINE.findall(word)}
    for path in files:
        if path.endswith(".py") and len(body := files[path]) <= LARGEST:
            for origin, names in IMPORT.findall(body):
                found |= {_outermost(name) for name in (origin or names).split(b",")}
    return frozenset(found - set(sys.stdlib_module_names) - {""})


def _outermost(name: bytes) -> str:
    return name.strip().partition(b" ")[0].partition(b".")[0].decode(errors="replace")


def modules(sites: Iterable[Path]) -> frozenset[str]:
    """Every name that can be imported from these folders."""
    return frozenset(path.name.partition(".")[0] for site in sites for path in site.iterdir())


def packages(sites: Iterable[Path]) -> dict[str, Package]:
    """Every package installed in these folders by name; the first of a name counts."""
    found: dict[str, Package] = {}
    for site in sites:
        for info in sorted((*site.glob("*.dist-info"), *site.glob("*.egg-info"))):
            name = plain(re.split(r"-\d", info.stem)[0])
            if name not in found:
                found[name] = Package(
                    (info, *_entries(site, info)), _requires(info), _plugs_in(info)
                )
    return found


def _entries(site: Path, info: Path) -> list[Path]:
    listed = _text(info / "RECORD") or _text(info / "top_level.txt")
    tops = {line.partition(",")[0].partition("/")[0].strip('"') for line in listed.splitlines()}
    wanted = {name for top in tops for name in (top, f"{top}.py")} - {"..", "", info.name}
    wanted -= {"__pycache__", "bin"}
    return [path for name in sorted(wanted) if (path := site / name).exists()]


def _requires(info: Path) -> frozenset[str]:
    lines = REQUIRES.findall(_text(info / "METADATA") or _text(info / "PKG-INFO"))
    return frozenset(named(line) for line in lines if "extra ==" not in line)


def _plugs_in(info: Path) -> bool:
    return "[pytest11]" in _text(info / "entry_points.txt")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def chosen(
    sites: tuple[Path, ...], *, imports: Iterable[str], names: Iterable[str]
) -> tuple[Path, ...]:
    """The entries of everything wanted by module or by name, with all it requires."""
    every = packages(sites)
    wanted = set(imports)
    waiting = {*names, *(name for name, one in every.items() if one.modules & wanted)}
    if "pytest" in waiting:
        waiting |= {name for name, one in every.items() if one.plugs_in}
    taken: dict[str, Package] = {}
    while waiting:
        name = waiting.pop()
        if name in every and name not in taken:
            taken[name] = every[name]
            waiting |= every[name].requires
    owned = {path for one in every.values() for path in one.entries}
    entries = {path for one in taken.values() for path in one.entries}
    return tuple(sorted(entries | set(_loose(sites, wanted, owned))))


def _loose(sites: tuple[Path, ...], wanted: set[str], owned: set[Path]) -> Iterator[Path]:
    """Modules nobody recorded that are imported, and files that only name folders."""
    for site in sites:
        for path in site.iterdir():
            if path in owned:
                continue
            paths = path.suffix == ".pth" and "import" not in _text(path)
            if paths or path.name.partition(".")[0] in wanted:
                yield path
