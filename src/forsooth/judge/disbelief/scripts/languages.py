"""The languages of plain scripts: how each is found in an argv, ended, and made to expect."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from forsooth.core.call import program_at
from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips import node_end, shell_end
from forsooth.judge.checks.recipes.flips.choice import edits_of, text_of
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.disbelief.scripts import (
    doctest_flip,
    node_flip,
    python,
    python_flip,
    shell_flip,
)
from forsooth.judge.disbelief.scripts.expected import Change, Drawn, Helper, Helpers
from forsooth.judge.disbelief.scripts.inline import PROGRAMS

REACHED = 97
_TAKES_ANY = re.compile(r"(?:^|[\s;&|])(?:\.|source)\s+[\"']?[^\s\"';]*\$", re.MULTILINE)
_SHELL = (".sh", ".bash", ".inc", ".bats")
_NODE = (".js", ".mjs", ".cjs")
_GLOB = re.compile(rb"[\w./-]*\*[\w.*-]+")
_LIKE_SHELL = re.compile(
    rb"\A#![^\n]*\b(?:ba|da)?sh\b|^\s*(?:(?:\.|source)\s+[\w./\"$]|[\w-]+\s*\(\)\s*\{|set\s+-\w)",
    re.MULTILINE,
)
_BEGINNING = 2000


class Tree(NamedTuple):
    """A tree and the paths of its test side."""

    look: Look
    side: frozenset[str]


class Language(NamedTuple):
    """How scripts of one language are found in an argv and made to tell that they ended.

    `files` are the names that the words after the program may mean; `edits` gives none where a
    source is not understood; `fails` is a whole script that does.
    """

    program: str
    files: Callable[[Sequence[str]], tuple[str, ...]]
    edits: Callable[[str, Tree], Edits | None]
    changes: Callable[[bytes, Drawn, Helpers], list[Change]]
    functions: Callable[[bytes], Mapping[str, Helper]]
    ends: tuple[str, ...]
    fails: bytes


class Found(NamedTuple):
    """A script of a tree, and the language it is in."""

    path: str
    language: str


def script_of(argv: Sequence[str], tree: Tree) -> Found | None:
    """The script of the test side that an argv runs."""
    at = program_at(argv)
    if at >= len(argv):
        return None
    name, words = argv[at], argv[at + 1 :]
    if name.startswith("$"):
        return _by_ending(words, tree.side)
    path = _found([name], tree.side) if "/" in name else ""
    program = _program_of(path, tree.look) if path else name.rpartition("/")[2]
    for key, language in SCRIPTS.items():
        if re.fullmatch(language.program, program):
            path = path or _found(language.files(words), tree.side)
            if path:
                return Found(path, key)
    return None


def globbed(text: bytes, side: Collection[str]) -> set[str]:
    """The files that the globs in a script's text may mean, known by their end."""
    said = {one.decode().removeprefix("./") for one in _GLOB.findall(text)}
    globs = [
        re.compile("(?:.*/)?" + re.escape(one).replace(r"\*", "[^/]*"))
        for one in said
        if not one.startswith(("/", "."))
    ]
    return {path for path in side if any(one.fullmatch(path) for one in globs)}


def is_shell(data: bytes | None) -> bool:
    """Whether a file begins as scripts of the shell do, whatever it is called."""
    return _LIKE_SHELL.search((data or b"")[:_BEGINNING]) is not None


def _by_ending(words: Sequence[str], side: Collection[str]) -> Found | None:
    """The script that a program nobody names is given, known by how it is called."""
    path = _found([word for word in words if not word.startswith("-")], side)
    known = [key for key, language in SCRIPTS.items() if path.endswith(language.ends)]
    return Found(path, known[0]) if known else None


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
    """Left alone where a helper of the test side, or of its own folder, may end it."""
    source = text_of(tree.look, path) or ""
    folder = path.partition("/")[0] + "/"
    near = {*tree.side, *(p for p in tree.look.paths() if p.startswith(folder))}
    others = [p for p in near if p != path and p.endswith(_SHELL)]
    taken = _TAKES_ANY.search(source) is not None
    helpers = [p for p in others if taken or p.rpartition("/")[2] in source]
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
    texts = {path: text for path, text in made.items() if text is not None}
    return edits_of(texts, look) if len(texts) == len(made) else None


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


def _python_functions(source: bytes) -> dict[str, Helper]:
    module = python.parsed(source)
    found = python_flip.functions(module) if module else {}
    return {name: python_flip.helper(one) for name, one in found.items()}


def _left_alone(path: str, tree: Tree) -> Edits | None:
    """A text with examples has no end of its own to reach."""
    del path, tree


def _no_functions(source: bytes) -> Mapping[str, Helper]:
    del source
    return {}


SCRIPTS: Mapping[str, Language] = {
    "python": Language(
        PROGRAMS["python"],
        python.files,
        _python,
        python_flip.changes_in,
        _python_functions,
        (".py",),
        b"raise SystemExit(1)\n",
    ),
    "doctest": Language(
        PROGRAMS["python"],
        doctest_flip.files,
        _left_alone,
        doctest_flip.changes,
        _no_functions,
        (),
        b">>> 1\n2\n",
    ),
    "shell": Language(
        PROGRAMS["shell"],
        _shell_files,
        _shell,
        shell_flip.changes,
        shell_flip.functions,
        _SHELL,
        b"exit 1\n",
    ),
    "node": Language(
        PROGRAMS["node"],
        _node_files,
        _node,
        node_flip.changes,
        node_flip.functions,
        _NODE,
        b"process.exit(1);\n",
    ),
}
