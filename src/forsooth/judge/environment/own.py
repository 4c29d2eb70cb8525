"""The project's own install in a borrowed environment: never the code that is judged.

A copy of the project would hide the judged tree, so it is removed. An editable install names the
repository by path, where runs see the judged copy: it is set aside for runs that cannot build.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.requirement import named, plain

PATHS = "forsooth-paths.pth"
ASKS = {"hatchling": ("editables",)}  # what a backend's hook asks for beyond what is declared


def can_build(layer: Layer) -> bool:
    """Whether a borrowed environment has what builds each project."""
    return all(
        name in layer.packages
        for project in layer.recipe.projects
        for line in project.build.requires
        if ";" not in line
        for name in (named(line), *ASKS.get(named(line), ()))
    )


def set_aside(site: Path, into: Path, *, root: Path, names: frozenset[str]) -> list[str]:
    """Move what installs the project from a copied site folder; what deserves a word."""
    into.mkdir(parents=True)
    for info in sorted(site.glob("*.dist-info")):
        parts = list(_recorded(site, info))
        editable = any(_points_at(path, root) for path in parts)
        if editable or plain(info.name.split("-")[0]) in names:
            _take(parts, site, into if editable else None)
            _take([info], site, into if editable else None)
    for entry in sorted(site.iterdir()):
        if entry.name.startswith("__editable__") or _is_egg(entry, names):
            _take([entry], site, into)
        elif entry.suffix == ".pth":
            _split(entry, into / PATHS, root=root)
    return [f"{path} is on its path but not in the judge" for path in _elsewhere(site, root)]


def _recorded(site: Path, info: Path) -> Iterator[Path]:
    """The files a package's record names, as far as they lie in the site folder."""
    record = info / "RECORD"
    if not record.is_file():
        return
    with record.open(newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.reader(file):
            path = Path(site, row[0]) if row else site
            inside = ".." not in path.parts and path.is_relative_to(site)
            if inside and path.is_file() and info not in path.parents:
                yield path


def _points_at(path: Path, root: Path) -> bool:
    if path.name.startswith("__editable__"):
        return True
    return path.suffix == ".pth" and str(root) in path.read_text(errors="replace")


def _is_egg(entry: Path, names: frozenset[str]) -> bool:
    stem = entry.name.removesuffix(entry.suffix).split("-")[0]
    return entry.suffix in {".egg-link", ".egg-info"} and plain(stem) in names


def _take(paths: list[Path], site: Path, into: Path | None) -> None:
    for path in paths:
        target = into / path.relative_to(site) if into else None
        if target:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, target)
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _split(entry: Path, paths: Path, *, root: Path) -> None:
    """Take the lines that lead into the repository out of a path file."""
    rows = entry.read_text(errors="replace").splitlines()
    mine = [row for row in rows if row.strip().startswith(str(root))]
    if not mine:
        return
    with paths.open("a", encoding="utf-8") as file:
        file.writelines(f"{row}\n" for row in mine)
    rest = [row for row in rows if row not in mine]
    if rest:
        entry.write_text("\n".join(rest) + "\n", encoding="utf-8")
    else:
        entry.unlink()


def _elsewhere(site: Path, root: Path) -> Iterator[str]:
    """Folders outside the repository that a path file still names."""
    for entry in site.glob("*.pth"):
        for row in entry.read_text(errors="replace").splitlines():
            if row.startswith("/") and Path(row).is_dir() and not Path(row).is_relative_to(root):
                yield row.strip()


def install(kept: Path, site: Path, *, root: str, places: tuple[str, ...]) -> None:
    """Put a set-aside install into a run's own view; without one, the project's folders."""
    entries = list(kept.iterdir()) if kept.is_dir() else []
    for entry in entries:
        if entry.is_dir():
            shutil.copytree(entry, site / entry.name, dirs_exist_ok=True)
        else:
            shutil.copy2(entry, site / entry.name)
    if not entries:
        rows = [f"{root}/{place}".rstrip("/") for place in places]
        (site / PATHS).write_text("\n".join(rows) + "\n", encoding="utf-8")
