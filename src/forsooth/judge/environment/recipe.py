"""What a tree needs to be run: the answer of detection, shown to a person before anything happens.

The key covers locks and dependency tables only, so that a new linter section rebuilds nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from forsooth.core.value import Value

Kind = Literal["python", "node", "go", "cargo", "maven", "none", "custom"]
FORMAT = 3  # part of every key: raise it when a builder fills layers differently


class Build(Value):
    """How one Python project is turned into a wheel."""

    requires: tuple[str, ...] = ("setuptools>=40.8.0", "wheel")
    backend: str = "setuptools.build_meta:__legacy__"
    path: tuple[str, ...] = ()
    version_from_git: bool = False
    key: str = ""


class Project(Value):
    """A project of the tree that is installed anew for each run."""

    path: str
    name: str
    build: Build


class Recipe(Value):
    """How to furnish one sub-project, and why it was understood that way. `hashed` where a lock
    gives digests of everything that will be installed.
    """

    kind: Kind
    key: str = ""
    manager: str = ""
    subproject: str = ""
    name: str = ""
    interpreter: str = ""
    prepare: tuple[tuple[str, ...], ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    lock: str = ""
    hashed: bool = False
    reads: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    metadata: bool = False
    projects: tuple[Project, ...] = ()
    members: tuple[str, ...] = ()
    test_command: tuple[str, ...] | None = None
    runner: str | None = None
    hints: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def digest(parts: Mapping[str, Any]) -> str:
    """The key of these parts; bytes count by their own digest."""
    plain = {
        name: hashlib.sha256(part).hexdigest() if isinstance(part, bytes) else part
        for name, part in parts.items()
    }
    body = json.dumps({"format": FORMAT, **plain}, sort_keys=True, default=str)
    return hashlib.sha256(body.encode()).hexdigest()
