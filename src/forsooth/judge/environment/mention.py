"""What commands name: test runners a layer must have, tools, and interpreters by their path.

Words are read, never run; what a script inside the repository calls is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.requirement import named

RUNNERS = ("pytest", "nose2", "coverage")  # modules whose name is their package's
PYTHON = re.compile(r"(?:^|/)(?:python[\d.]*|pytest|py\.test|coverage|nose2)$")
TOOLS = {"node": "node", "npm": "node", "npx": "node", "go": "go", "cargo": "cargo", "mvn": "mvn"}
WORD = re.compile(r"[^\s'\"=;&|()<>`]+")


class Mention(NamedTuple):
    """Modules to be run with `-m` or by name, tools by name, and programs named by path."""

    modules: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    programs: tuple[Path, ...] = ()
    python: bool = False
    argvs: tuple[tuple[str, ...], ...] = ()


def mention(argvs: Iterable[tuple[str, ...]], *, root: str) -> Mention:
    """What these commands name; a word inside a shell's text counts like any other."""
    argvs = tuple(argvs)
    words = [list(_words(argv)) for argv in argvs]
    every = [word for row in words for word in row]
    tools = dict.fromkeys(TOOLS[word] for row in words for word in row[:1] if word in TOOLS)
    programs = (Path(root, word) for word in every if re.search(r"(^|/)bin/[^/]+$", word))
    return Mention(
        tuple(dict.fromkeys(name for row in words for name in _modules(row))),
        tuple(tools),
        tuple(path for path in dict.fromkeys(programs) if path.is_file()),
        any(PYTHON.search(word) for word in every),
        argvs,
    )


def _words(argv: tuple[str, ...]) -> Iterator[str]:
    for part in argv:
        yield from WORD.findall(part)


def _modules(words: list[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        last = {"py.test": "pytest"}.get(word.rpartition("/")[2], word.rpartition("/")[2])
        after_m = place > 0 and words[place - 1] == "-m"
        if last in RUNNERS and (after_m or place == 0 or "bin/" in word):
            yield last


def wanting(recipe: Recipe, found: Mention) -> Recipe:
    """The recipe with the runners that commands name and the project does not."""
    if recipe.kind == "none" and found.python:
        recipe = Recipe(
            kind="python",
            key=digest({"kind": "python", "bare": True}),
            manager="pip",
            subproject=recipe.subproject,
            before=recipe.before,
            explains=recipe.explains,
        )
    if recipe.kind != "python":
        return recipe
    have = {*map(named, recipe.wants), *map(named, recipe.pins), recipe.name}
    more = tuple(name for name in found.modules if name not in have)
    if not more:
        return recipe
    return recipe.but(wants=(*recipe.wants, *more), key=digest({"key": recipe.key, "more": more}))
