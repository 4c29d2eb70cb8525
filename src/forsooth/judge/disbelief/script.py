"""A plain script as a criterion: can it be seen to reach its end, and can it fail at all?

Only scripts on the test side are touched. A product that ends the process before the script is
through cannot know which status was wanted; one that makes comparing do nothing is content with
whatever the script expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from forsooth.core.call import program_at
from forsooth.judge.checker import Look
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.flips import node_end, shell_end
from forsooth.judge.checks.recipes.flips.choice import edits_of, shuffled, text_of
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.disbelief.scripts import (
    doctest_flip,
    node_flip,
    python,
    python_flip,
    shell_flip,
)
from forsooth.judge.disbelief.scripts.expected import Change, Drawn, Helper, Helpers, changed, drawn
from forsooth.judge.words import read

REACHED = 97
_LONGEST = 200_000
_MOST = 4
_ALONE = "known by its exit status alone"
_REACHES = "reaches its end"
_MOST_CASES = 2
# A script that may pass over what it has to ask is green for a reason of its own.
_SKIPS = re.compile(
    rb"(?i:skip(?:test|if|unless|ped|ping)\b|\bskip\s*[(\"':])|\bSKIP\b|\bexit\s*\(?77\b"
)
_TAKES_ANY = re.compile(r"(?:^|[\s;&|])(?:\.|source)\s+[\"']?[^\s\"';]*\$", re.MULTILINE)
_SHELL = (".sh", ".bash", ".inc", ".bats")
_NODE = (".js", ".mjs", ".cjs")


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


class Flip(NamedTuple):
    """A script that expects something else, and in how many places; `sure` when it must fail.

    `failing` is one in its place that does nothing but fail.
    """

    path: str
    edits: Edits
    many: int
    sure: bool
    failing: Edits


class Script(NamedTuple):
    """What is run and where; `base` is the tree before the work, none when there was none."""

    argv: Sequence[str]
    cwd: str
    tree: Tree
    base: Look | None
    nonce: str


def scripted(
    asked: Script, tried: Callable[[Edits], Trial], *, before: Callable[[Edits], Trial] | None
) -> Iterator[Doubted]:
    """A plain script must reach its end, and must fail once it expects something else.

    Of several behind make or npm each must, where anybody asks how it ended. `before` tries the
    base, where the script is green there: one that could not fail even then is nobody's cheat.
    """
    yield from _ends(asked, tried)
    for flip in script_flips(asked):
        if isinstance(flip, str):
            yield Lacking("flip", flip)
            continue
        seen = can_fail(flip, tried(flip.edits))
        if isinstance(seen, Flaw) and tried(flip.failing).passed:
            seen = Lacking("flip", f"nobody asks whether {flip.path} fails")
        if before and isinstance(seen, Flaw) and not _could_fail(asked, flip.path, before):
            seen = Lacking("flip", "its script could not be seen to fail on the base either")
        yield seen


def _ends(asked: Script, tried: Callable[[Edits], Trial]) -> Iterator[Doubted]:
    """Whether each script comes to its own end; behind make any status but zero tells it."""
    ends, direct = [*script_ends(asked)], _script(asked.argv, asked.tree)
    if not ends:
        yield Lacking("canary", _ALONE)
    for script, edits in ends:
        trial = tried(edits)
        if direct or trial.ran.exit == REACHED:
            yield reached(trial)
        elif trial.ran.exit != 0:
            yield Held(_REACHES)
        elif not tried(_failing(script, asked.tree.look)).passed:
            yield reached(trial)


def _failing(script: _Found, look: Look) -> Edits:
    """The tree with a script in whose place is one that does nothing but fail."""
    data = SCRIPTS[script.language].fails
    return {script.path: Edit(data, look.mode(script.path) or "100644")}


def _could_fail(asked: Script, path: str, before: Callable[[Edits], Trial]) -> bool:
    """Whether a script of the base failed once it expected something else."""
    if asked.base is None:
        return True
    there = asked._replace(tree=asked.tree._replace(look=asked.base))
    flips = [one for one in script_flips(there) if isinstance(one, Flip) and one.path == path]
    return any(not before(one.edits).passed for one in flips)


def reached(trial: Trial) -> Doubted:
    """Whether a script came to its own end."""
    if trial.ran.exit == REACHED:
        return Held(_REACHES)
    if trial.ran.exit == 0:
        return Flaw("cut-short", "the code under test ends the process before its script does")
    return Lacking("canary", f"its script cannot be followed: exit {trial.ran.exit}")


def can_fail(flip: Flip, trial: Trial) -> Doubted:
    """Whether a script noticed that what it expects is not so."""
    if trial.ran.ended != "exit":
        return Lacking("flip", "its script does not end when it expects something else")
    if not trial.passed:
        return Held("flip")
    if trial.ran.exit != 0:
        return Lacking("flip", f"it is to exit with {trial.ran.exit}")
    if not flip.sure:
        return Lacking("flip", "nothing that its script surely comes by could be changed")
    places = f"its {flip.many} expectations" if flip.many > 1 else "its one expectation"
    return Flaw("cannot-fail", f"{flip.path} still passes with {places} changed")


def script_flips(asked: Script) -> Iterator[Flip | str]:
    """Every expectation of each script that is run, changed; or why none is."""
    if asked.base is None:
        yield "there is no base"
        return
    scripts = sorted(_scripts(asked))
    if not scripts:
        yield _ALONE
    for one in scripts[:_MOST]:
        yield _flip(one, asked.tree.look, asked.base, asked.nonce)
    yield from _cases(scripts, asked, asked.base)
    if more := scripts[_MOST:]:
        yield f"not tried with {shown(one.path for one in more)}"


def _flip(script: _Found, look: Look, base: Look, nonce: str, *, among: bytes = b"") -> Flip | str:
    """What its helpers do is read in the base: they may be what the work weakened.

    `among` is the text of a script that takes this one in, and knows its helpers.
    """
    path, language = script.path, SCRIPTS[script.language]
    source, mode = look.read(path) or b"", look.mode(path) or "100644"
    if len(source) > _LONGEST:
        return f"{path} is too long to be read"
    helpers = _Helpers(language, source + b"\n" + among, base)
    changes = language.changes(source, drawn(nonce), helpers.find)
    if not changes:
        return f"nothing that {path} expects is plain to see"
    sure = any(one.sure for one in changes) and not _SKIPS.search(source)
    edits = {path: Edit(changed(source, changes), mode)}
    return Flip(path, edits, len(changes), sure, _failing(script, look))


def _cases(scripts: Sequence[_Found], asked: Script, base: Look) -> Iterator[Flip]:
    """Files beside the scripts, and below them, that they may take in and that expect something."""
    own, many = {one.path for one in scripts}, 0
    for script in scripts:
        folder, ends = script.path.rpartition("/")[0], SCRIPTS[script.language].ends
        near = {path for path in asked.tree.side - own if path.endswith(ends)}
        among = base.read(script.path) or b""
        for path in shuffled((p for p in near if p.startswith(f"{folder}/")), asked.nonce):
            one = script._replace(path=path)
            flip = _flip(one, asked.tree.look, base, asked.nonce, among=among)
            own.add(path)
            if not isinstance(flip, str) and flip.sure and many < _MOST_CASES:
                many += 1
                yield flip


class _Helpers:
    """Functions that a script may call, from files it names."""

    def __init__(self, language: Language, source: bytes, look: Look) -> None:
        self._language, self._source, self._look = language, source, look
        self._known: dict[str, Helper] | None = None

    def find(self, name: str) -> Helper | None:
        """The function of a name; none where nobody defines it."""
        if self._known is None:
            self._known = {}
            for path in self._paths():
                self._known |= self._language.functions(self._look.read(path) or b"")
        return self._known.get(name)

    def _paths(self) -> Iterator[str]:
        """Files that the script names, with their ending or without, or by their folder."""
        named = set(re.findall(r"[\w-]+", self._source.decode("utf-8", "replace")))
        for path in self._look.paths():
            folder, _, name = path.rpartition("/")
            stem = name.partition(".")[0]
            stem = folder.rpartition("/")[2] if stem in ("__init__", "index") else stem
            if stem in named and path.endswith(self._language.ends):
                yield path


def script_ends(asked: Script) -> Iterator[tuple[_Found, Edits]]:
    """Scripts that end in status 97 at their own end; those left out of which it is unclear."""
    for one in sorted(_scripts(asked))[:_MOST]:
        edits = SCRIPTS[one.language].edits(one.path, asked.tree)
        if edits:
            yield one, edits


class _Found(NamedTuple):
    path: str
    language: str


def _scripts(asked: Script) -> set[_Found]:
    """The script that is run, or those that make or npm come to."""
    if direct := _script(asked.argv, asked.tree):
        return {direct}
    spoken = read(asked.argv, asked.tree.look, cwd=asked.cwd).spoken
    return {found for one in spoken if (found := _script(one.words, asked.tree))}


def _script(argv: Sequence[str], tree: Tree) -> _Found | None:
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
                return _Found(path, key)
    return None


def _by_ending(words: Sequence[str], side: Collection[str]) -> _Found | None:
    """The script that a program nobody names is given, known by how it is called."""
    path = _found([word for word in words if not word.startswith("-")], side)
    known = [key for key, language in SCRIPTS.items() if path.endswith(language.ends)]
    return _Found(path, known[0]) if known else None


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
    others = [p for p in tree.side if p != path and p.endswith(_SHELL)]
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


def _python_changes(source: bytes, values: Drawn, helpers: Helpers) -> list[Change]:
    module = python.parsed(source) if python.is_utf8(source) else None
    return python_flip.changes(module, source, values, helpers) if module else []


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
        r"(?:python|pypy)[0-9.]*",
        python.files,
        _python,
        _python_changes,
        _python_functions,
        (".py",),
        b"raise SystemExit(1)\n",
    ),
    "doctest": Language(
        r"(?:python|pypy)[0-9.]*",
        doctest_flip.files,
        _left_alone,
        doctest_flip.changes,
        _no_functions,
        (),
        b">>> 1\n2\n",
    ),
    "shell": Language(
        r"sh|dash|bash",
        _shell_files,
        _shell,
        shell_flip.changes,
        shell_flip.functions,
        _SHELL,
        b"exit 1\n",
    ),
    "node": Language(
        r"node",
        _node_files,
        _node,
        node_flip.changes,
        node_flip.functions,
        _NODE,
        b"process.exit(1);\n",
    ),
}
