"""What commands name: test runners a layer must have, tools, and interpreters by their path.

Words are read, never run. What scripts of the repository may come to call is no more than a guess:
a tool that is given in vain harms nothing, so one that is not to be had is not missed.
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
TOOLS = {
    "node": "node",
    "npm": "node",
    "npx": "node",
    "go": "go",
    "cargo": "cargo",
    "mvn": "mvn",
    "java": "java",
    "javac": "java",
}
CALLED = re.compile(
    r"(?<![\w./$@-])"
    r"(python[\d.]*|node|npm|npx|cargo|mvn|javac?"
    r"|go(?=['\"]|\s+(?:build|env|generate|install|list|mod|run|test|tool|version|vet)\b))"
    r"(?![\w/:-]|\.\w)"
)
WORD = re.compile(r"[^\s'\"=;&|()<>`]+")


class Called(NamedTuple):
    """What criteria come to beside their own words: plain commands, and the texts of scripts."""

    commands: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()


class Mention(NamedTuple):
    """Modules to be run with `-m` or by name, tools by name, and programs named by path.

    The last three may be called: tools, names of Pythons, and modules.
    """

    modules: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    programs: tuple[Path, ...] = ()
    python: bool = False
    argvs: tuple[tuple[str, ...], ...] = ()
    perhaps: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()


def mention(
    argvs: Iterable[tuple[str, ...]], *, root: str, called: Called | None = None
) -> Mention:
    """What these commands name; a word inside a shell's text counts like any other."""
    argvs, called = tuple(argvs), called or Called()
    words = [list(_words(argv)) for argv in argvs]
    every = [word for row in words for word in row]
    tools = dict.fromkeys(TOOLS[word] for row in words for word in row[:1] if word in TOOLS)
    programs = (Path(root, word) for word in every if re.search(r"(^|/)bin/[^/]+$", word))
    modules = tuple(dict.fromkeys(name for row in words for name in _modules(row)))
    rows = (list(_words(argv)) for argv in called.commands)
    runners = (*modules, *(name for row in rows for name in _modules(row)))
    texts = (*map(" ".join, (*argvs, *called.commands)), *called.texts)
    calls = tuple(word.rstrip(".") for text in texts for word in CALLED.findall(text))
    pythons = [word for word in calls if word.startswith("python")]
    return Mention(
        modules,
        tuple(tools),
        tuple(path for path in dict.fromkeys(programs) if path.is_file()),
        any(PYTHON.search(word) for word in every),
        argvs,
        tuple(dict.fromkeys(TOOLS[word] for word in calls if word in TOOLS)),
        tuple(dict.fromkeys([*pythons, *(["python"] if runners else [])])),
        tuple(dict.fromkeys(runners)),
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
        recipe = _bare(recipe).but(before=recipe.before, explains=recipe.explains)
    return _with(recipe, found.modules) if recipe.kind == "python" else recipe


def beside(recipe: Recipe, found: Mention) -> Recipe:
    """The Python that commands call in a repository of another kind."""
    return _with(_bare(recipe), found.runners)


def _bare(recipe: Recipe) -> Recipe:
    key = digest({"kind": "python", "bare": True})
    return Recipe(kind="python", key=key, manager="pip", subproject=recipe.subproject)


def _with(recipe: Recipe, modules: tuple[str, ...]) -> Recipe:
    have = {*map(named, recipe.wants), *map(named, recipe.pins), recipe.name}
    more = tuple(name for name in modules if name not in have)
    if not more:
        return recipe
    key = digest({"key": recipe.key, "more": more})
    return recipe.but(wants=(*recipe.wants, *more), key=key, hashed=False)
