"""A throw-away venv that shows a layer: links to everything in it, and room for the project.

One environment to every tool that looks, made in milliseconds, on every tier. The layer itself
is never written: what a run adds here goes away with the run.
"""

from __future__ import annotations

import os
from pathlib import Path

from forsooth.judge.environment.toolchain import Tool

CONFIG = """home = {home}
implementation = CPython
version_info = {version}
include-system-site-packages = false
"""


def site_of(env: Path, version: str) -> Path:
    """Where an environment keeps its packages."""
    return env / "lib" / f"python{'.'.join(version.split('.')[:2])}" / "site-packages"


def make(env: Path, layer: Path, *, python: Tool, at: str, was: str = "") -> Path:
    """Make the view of a layer's environment, to be mounted at `at`; its site-packages folder.

    `was` is the path that the layer's programs name, when it is not the layer's own.
    """
    site = bare(env, python)
    link(site_of(layer, python.version), site)
    _programs(layer, env / "bin", at=at, was=was or str(layer))
    return site


def bare(env: Path, python: Tool) -> Path:
    """Make a venv without packages; its site-packages folder."""
    site = site_of(env, python.version)
    site.mkdir(parents=True)
    (env / "bin").mkdir()
    (env / "pyvenv.cfg").write_text(
        CONFIG.format(home=python.program.parent, version=python.version)
    )
    _link_python(env / "bin", python)
    return site


def _link_python(programs: Path, python: Tool) -> None:
    (programs / "python").symlink_to(python.program)
    for name in ("python3", f"python{'.'.join(python.version.split('.')[:2])}"):
        (programs / name).symlink_to("python")


def link(layer: Path, into: Path) -> None:
    """Link every entry of a layer's folder; where both have a folder, one level deeper."""
    for entry in os.scandir(layer) if layer.is_dir() else ():
        target = into / entry.name
        if entry.name == "__pycache__":
            continue
        if target.is_dir() and entry.is_dir():
            link(Path(entry.path), target)
        elif not target.exists():
            target.symlink_to(entry.path)


def open_up(site: Path, member: str) -> None:
    """Turn links above a path into folders of links, so that a shared namespace can be added to."""
    here = site
    for part in member.split("/")[:-1]:
        here /= part
        if here.is_symlink():
            layer = here.readlink()
            here.unlink()
            here.mkdir()
            link(layer, here)


def _programs(layer: Path, into: Path, *, at: str, was: str) -> None:
    """The layer's programs, with the view's interpreter in their first line."""
    old = f"#!{was}/bin/python".encode()
    for entry in os.scandir(layer / "bin"):
        target = into / entry.name
        if target.exists() or target.is_symlink() or entry.name.startswith("activate"):
            continue
        body = Path(entry.path).read_bytes() if entry.is_file(follow_symlinks=False) else b""
        if body.startswith(old):
            target.write_bytes(f"#!{at}/bin/python".encode() + body[len(old) :])
            target.chmod(0o755)
        else:
            target.symlink_to(entry.path)
