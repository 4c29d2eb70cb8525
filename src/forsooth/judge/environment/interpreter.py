"""Pythons a developer has: which they are, and where they keep packages.

A venv is read and never run: whoever wrote the repository may have written its interpreter too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment import view
from forsooth.judge.environment.specifier import is_within
from forsooth.judge.environment.toolchain import Search, Tool, asked, behind, kept

VENVS = (".venv", "venv", "env")
SITES = ("-I", "-S", "-c", "import site;print(*site.getsitepackages(),sep='\\n')")


class Installed(NamedTuple):
    """One Python with packages: a venv, or an installation that has its own."""

    prefix: Path
    python: Tool
    sites: tuple[Path, ...]
    is_venv: bool

    def has(self, modules: tuple[str, ...]) -> bool:
        """Whether each module is there, by file; nothing is imported."""
        return all(
            any((site / name).exists() for site in self.sites for name in (word, f"{word}.py"))
            for word in modules
        )


def installed(prefix: Path, search: Search, *, root: Path) -> Installed | None:
    """The venv at a folder; none when its base is not there, lies in the repository, or is no
    Python that the person has: whoever works in the repository writes what a venv names.
    """
    settings = _settings(prefix)
    home = Path(settings.get("home", ""))
    if not home.is_absolute() or home.resolve().is_relative_to(root.resolve()):
        return None
    base = next((path for name in ("python3", "python") if (path := home / name).exists()), None)
    known = base and is_known(base, search)
    python = asked("python", base, search.ask) if base and known else None
    if python is None or python.prefix.is_relative_to(root.resolve()):
        return None
    site = view.site_of(prefix, python.version)
    if not site.is_dir() or not site.resolve().is_relative_to(prefix.resolve()):
        return None
    more = settings.get("include-system-site-packages", "").lower() == "true"
    others = _sites(python, search) if more else ()
    return Installed(prefix, python, (site, *others), is_venv=True)


def is_known(program: Path, search: Search) -> bool:
    """Whether a Python is one of the person's: the system's, on their path, or a manager's."""
    if program.is_relative_to("/usr"):
        return True
    on_path = (Path(place) for place in search.path.split(os.pathsep) if place)
    places = {path.resolve() for path in on_path if not is_venv(path.parent)}
    places |= {path.parent.resolve() for path in kept("python", search)}
    return program.parent.resolve() in places


def installation(program: Path, search: Search) -> Installed | None:
    """An interpreter that is no venv's, with the packages installed for it and for its user."""
    python = asked("python", program, search.ask)
    if python is None:
        return None
    return Installed(python.prefix, python, _sites(python, search), is_venv=False)


def of_program(program: Path, search: Search, *, root: Path) -> Installed | None:
    """The Python behind a program: the venv it lies in, or itself when it is one."""
    if is_venv(program.parent.parent):
        return installed(program.parent.parent, search, root=root)
    if not re.fullmatch(r"python[\d.]*", program.name) or program.is_relative_to(root):
        return None
    return installation(program, search)


def candidates(
    search: Search, *, root: Path, subproject: str = "", wanted: str = ""
) -> Iterator[Installed]:
    """A developer's Pythons in the order they would be meant: the repository's venv, the active
    one, then what the path has and what version managers keep.
    """
    seen: set[Path] = set()
    for found in _every(search, root, subproject):
        if found and found.prefix not in seen and is_within(found.python.version, wanted or ">=0"):
            seen.add(found.prefix)
            yield found


def _every(search: Search, root: Path, subproject: str) -> Iterator[Installed | None]:
    places = [root / subproject / name for name in VENVS] + [root / name for name in VENVS]
    places += [search.venv] if search.venv else []
    for place in places:
        if is_venv(place):
            yield installed(place, search, root=root)
    for place in search.path.split(os.pathsep):
        for name in ("python3", "python"):
            given = Path(place, name)
            if not place or not os.access(given, os.X_OK):
                continue
            if is_venv(given.parent.parent):
                yield installed(given.parent.parent, search, root=root)
            elif not given.is_relative_to(root):
                yield from (installation(real, search) for real in behind("python", given, search))
    yield from (installation(real, search) for real in kept("python", search) if real.exists())


def is_venv(folder: Path) -> bool:
    """Whether a folder is a virtual environment."""
    return (folder / "pyvenv.cfg").is_file()


def _settings(prefix: Path) -> dict[str, str]:
    body = (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    rows = (line.partition("=") for line in body.splitlines() if "=" in line)
    return {name.strip().lower(): value.strip() for name, _, value in rows}


def _sites(python: Tool, search: Search) -> tuple[Path, ...]:
    short = ".".join(python.version.split(".")[:2])
    own = search.home / ".local/lib" / f"python{short}" / "site-packages"
    said = search.ask((str(python.program), *SITES)).splitlines()
    places = (own, *(Path(line) for line in said if line.startswith("/")))
    return tuple(path for path in places if path.is_dir())
