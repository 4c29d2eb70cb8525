"""A plain script as a criterion: one run in which reaching its end must show in the exit status.

Only scripts on the test side are touched. A product that ends the process before the script is
through cannot know which status was wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from forsooth.core.call import program_at
from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips import node_end, shell_end
from forsooth.judge.checks.recipes.flips.choice import text_of
from forsooth.judge.checks.recipes.recipe import Doubt, Edit, Edits, Order
from forsooth.judge.disbelief.scripts import python

REACHED = 97
_NODE = (".js", ".mjs", ".cjs")


class Tree(NamedTuple):
    """A tree and the paths of its test side."""

    look: Look
    side: frozenset[str]


class Language(NamedTuple):
    """How scripts of one language are found in an argv and made to tell that they ended.

    `files` are the names that the words after the program may mean; `edits` gives none where a
    source is not understood.
    """

    program: str
    files: Callable[[Sequence[str]], tuple[str, ...]]
    edits: Callable[[str, Tree], Edits | None]


def script_doubt(argv: Sequence[str], look: Look, oracles: Iterable[str]) -> Doubt | None:
    """A run that must end in status 97; none where no script of the test side is run."""
    tree = Tree(look, frozenset(oracles))
    at = program_at(argv)
    if at >= len(argv):
        return None
    name, words = argv[at], argv[at + 1 :]
    path = _found([name], tree.side) if "/" in name else ""
    program = _program_of(path, look) if path else name.rpartition("/")[2]
    language = next((one for one in SCRIPTS.values() if re.fullmatch(one.program, program)), None)
    if language is None:
        return None
    path = path or _found(language.files(words), tree.side)
    edits = language.edits(path, tree) if path else None
    if not edits:
        return None
    return Doubt(Order(tuple(argv)), edits, frozenset(), exits=frozenset({REACHED}), held=())


def _program_of(path: str, look: Look) -> str:
    """What runs a file that is started by its own name: its first line says."""
    first = (look.read(path) or b"").partition(b"\n")[0].decode("utf-8", "replace")
    word = re.search(r"^#!\s*(?:\S*/)?([a-z]+)[0-9.]*(?:\s+(?:-S\s+)?([a-z]+)[0-9.]*)?", first)
    if word is None:
        return ""
    return word[2] if word[1] == "env" and word[2] else word[1]


def _found(files: Iterable[str], side: Collection[str]) -> str:
    """The one file of the test side that is meant, also from a folder further down."""
    for file in files:
        name = file.removeprefix("./")
        if name in side:
            return name
        ends = [path for path in side if path.endswith(f"/{name}")]
        if len(ends) == 1:
            return ends[0]
    return ""


def _python(path: str, tree: Tree) -> Edits | None:
    made = python.ended(tree.look.read(path) or b"", tree.side, status=REACHED)
    return None if made is None else {path: Edit(made, tree.look.mode(path) or "100644")}


def _shell(path: str, tree: Tree) -> Edits | None:
    """Left alone where a helper of the test side may end it."""
    source = text_of(tree.look, path) or ""
    helpers = [p for p in tree.side if p != path and p.rpartition("/")[2] in source]
    if any(shell_end.leaves(text_of(tree.look, p) or "") for p in helpers):
        return None
    return _edits(tree.look, {path: shell_end.ended(source, REACHED) if source else None})


def _node(path: str, tree: Tree) -> Edits | None:
    """The script, and every helper of the test side that may exit on its behalf."""
    texts = {p: text_of(tree.look, p) for p in tree.side if p.endswith(_NODE) and p != path}
    helpers = {p: node_end.marked(text, REACHED) for p, text in texts.items() if text is not None}
    source = text_of(tree.look, path)
    made = node_end.ended(source, REACHED) if source else None
    return _edits(tree.look, {path: made, **{p: t for p, t in helpers.items() if t != texts[p]}})


def _edits(look: Look, made: Mapping[str, str | None]) -> Edits | None:
    """Files as they were made; none when one of them could not be."""
    edits = {
        path: Edit(text.encode("utf-8", "surrogateescape"), look.mode(path) or "100644")
        for path, text in made.items()
        if text is not None
    }
    return edits if len(edits) == len(made) else None


def _shell_files(words: Sequence[str]) -> tuple[str, ...]:
    """The script behind a shell's options; none when a text is run instead."""
    for n, word in enumerate(words):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return ()
        if not word.startswith(("-", "+")) and words[max(0, n - 1)] not in ("-o", "+o"):
            return (word,)
    return ()


def _node_files(words: Sequence[str]) -> tuple[str, ...]:
    """The script behind node's options; none when one of them may take it as its own."""
    if words and words[0].startswith("-") and "=" not in words[0]:
        return ()
    return tuple(word for word in words if not word.startswith("-"))[:1]


SCRIPTS: Mapping[str, Language] = {
    "python": Language(r"(?:python|pypy)[0-9.]*", python.files, _python),
    "shell": Language(r"sh|dash|bash", _shell_files, _shell),
    "node": Language(r"node", _node_files, _node),
}
