"""A layer: dependencies in a folder, and how a run comes to see them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.sandbox.job import Mount

How = Literal["prepared", "borrowed", "image", "none"]


class Layer(NamedTuple):
    """What a run needs beside its copy. `env` has PATH entries to put first under `PATH`.

    `aliases` are paths by which a command may name the environment, with what of it lies there.
    `warm` names folders inside the sandbox that a base run may fill and later runs start from;
    until one did, they hold what lies in `floor`. What a base run leaves is its `owner`'s alone:
    code of the repository wrote it. Without an owner nothing is kept.
    """

    key: str
    folder: Path
    recipe: Recipe
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = {}
    how: How = "prepared"
    tools: tuple[Tool, ...] = ()
    warm: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    packages: Mapping[str, tuple[str, ...]] = {}
    aliases: Mapping[str, str] = {}
    floor: Path | None = None
    owner: str = ""
