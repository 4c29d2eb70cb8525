"""A plain script as a criterion: can it be seen to reach its end, and can it fail at all?

Only scripts on the test side are touched. A product that ends the process before the script is
through cannot know which status was wanted; one that makes comparing do nothing is content with
whatever the script expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from forsooth.judge.announced import announced
from forsooth.judge.checker import Look
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.flips.choice import shuffled
from forsooth.judge.checks.recipes.recipe import Edit, Edits, Order
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.disbelief.scripts import shell_units
from forsooth.judge.disbelief.scripts.expected import Change, Helper, changed, drawn
from forsooth.judge.disbelief.scripts.golden import FAILS, PASSES, golden
from forsooth.judge.disbelief.scripts.inline import Inline, inline
from forsooth.judge.disbelief.scripts.languages import (
    REACHED,
    SCRIPTS,
    Found,
    Language,
    Tree,
    globbed,
    is_shell,
    script_of,
)
from forsooth.judge.words import Spoken, read

_LONGEST = 200_000
_MOST = 4
_ALONE = "it runs no script that can be followed"
_COMMAND = "the command"
_MOST_CASES = 2
_MOST_SINGLE = 4
_BREAKS = b"(1 / 0)"
# A script that may pass over what it has to ask is green for a reason of its own.
_SKIPS = re.compile(
    rb"(?i:skip(?:test|if|unless|ped|ping)\b|\bskip\s*[(\"':])|\bSKIP\b|\bexit\s*\(?77\b"
)

Tries = Callable[[Order], Trial]


class Flip(NamedTuple):
    """A script that expects something else, and in how many places; `sure` when it must fail.

    `failing` is one in its place that does nothing but fail, `passing` one that does nothing.
    `argv` is run instead of the one asked for, where that holds the script itself. `line` is that
    of the only expectation changed of several, `reached` the script broken in that very place.
    """

    path: str
    edits: Edits
    many: int
    sure: bool
    failing: Edits
    argv: tuple[str, ...] = ()
    passing: Edits = {}
    passing_argv: tuple[str, ...] = ()
    failing_argv: tuple[str, ...] = ()
    line: int = 0
    reached: Edits = {}

    @property
    def is_of_files(self) -> bool:
        """Whether files were changed that something is compared with."""
        return bool(self.passing or self.passing_argv)


class Script(NamedTuple):
    """What is run and where; `base` is the tree before the work, none when there was none.

    `said` are the lines with which it told there of what is right.
    """

    argv: Sequence[str]
    cwd: str
    tree: Tree
    base: Look | None
    nonce: str
    said: Collection[str] = ()

    def order(self, edits: Edits, argv: tuple[str, ...] = ()) -> Order:
        """A run in a tree that differs by these files, also of another argv."""
        return Order(argv or tuple(self.argv), edits=edits)


def scripted(
    asked: Script, tried: Tries, *, before: Tries | None, was_green: bool
) -> Iterator[Doubted]:
    """A plain script must reach its end, and must fail once it expects something else.

    Of several behind make or npm each must, where anybody asks how it ended. `before` tries the
    base: a script that `was_green` there and could not fail even then is nobody's cheat, and what
    it found wrong there for its other expectations it must find wrong now.
    """
    yield from _ends(asked, tried)
    for flip in script_flips(asked):
        if isinstance(flip, str):
            yield Lacking("flip", flip)
            continue
        trial = tried(asked.order(flip.edits, flip.argv))
        seen = can_fail(flip, trial)
        if isinstance(seen, Flaw) and flip.reached:
            is_there = not tried(asked.order(flip.reached)).passed
            seen = seen if is_there else Lacking("flip", f"line {flip.line} is not reached")
        if isinstance(seen, Flaw) and not _is_asked(asked, flip, tried):
            seen = Lacking("flip", f"the exit status of {flip.path} is not used")
        if before and isinstance(seen, Flaw) and was_green and not _could_fail(asked, flip, before):
            seen = Lacking("flip", "its script could not be made to fail on the base either")
        if before and isinstance(seen, Held) and (flaw := _unmoved(asked, flip, trial, before)):
            seen = flaw
        yield seen


def _unmoved(asked: Script, flip: Flip, trial: Trial, before: Tries) -> Flaw | None:
    """What is still found right with another expectation, and was not on the base."""
    still = announced(trial.ran.stdout).intersection(asked.said)
    there = next(iter(_flips_before(asked, flip)), None)
    if not still or asked.base is None or there is None:
        return None
    look = asked.tree.look
    if any(asked.base.read(path) != look.read(path) for path in flip.edits):
        return None
    was = before(asked.order(there.edits, there.argv)).ran
    still -= announced(was.stdout)
    if was.ended != "exit" or not still:
        return None
    says = f"still finds right with another expectation: {shown(sorted(still))}"
    return Flaw("cannot-fail", says)


def _ends(asked: Script, tried: Tries) -> Iterator[Doubted]:
    """Whether each script comes to its own end; behind make any status but zero tells it."""
    ends, direct = [*script_ends(asked)], script_of(asked.argv, asked.tree)
    if not ends:
        yield Lacking("canary", _ALONE)
    for script, edits in ends:
        if not direct and _is_piped(script, asked):
            yield Lacking(
                "canary", f"{script.path} stands before a pipe, which drops its exit status"
            )
            continue
        trial = tried(asked.order(edits))
        if direct or trial.ran.exit == REACHED:
            yield reached(trial)
        elif trial.ran.exit != 0:
            yield Held("reaches-end")
        elif not tried(asked.order(_failing(script, asked.tree.look))).passed:
            yield reached(trial)


def _is_piped(script: Found, asked: Script) -> bool:
    """Whether a script stands before a pipe, where its output counts and its status is lost."""
    own, look = _inline(asked), asked.tree.look
    spoken = read(asked.argv, look, cwd=asked.cwd).spoken
    sources = {one.source for one in spoken if script_of(one.words, asked.tree) == script}
    texts = [look.read(path) or b"" for path in sources if path]
    texts += [own.source] if own else []
    name = re.escape(script.path.rpartition("/")[2].encode())
    piped = re.compile(name + rb"[^\n;&|]*\|(?!\|)")
    return any(piped.search(text) for text in texts)


def _failing(script: Found, look: Look) -> Edits:
    """The tree with a script in whose place is one that does nothing but fail."""
    data = SCRIPTS[script.language].fails
    return {script.path: Edit(data, look.mode(script.path) or "100644")}


def _is_asked(asked: Script, flip: Flip, tried: Tries) -> bool:
    """Whether anybody wants to know how a script ended: one that does nothing but fail shows.

    Where the work changed who asks, it is enough that the base did: there the same tree is not
    green, but is with scripts that do nothing, and is not once one of them fails.
    """
    if flip.argv or not (flip.is_of_files or tried(asked.order(flip.failing)).passed):
        return not any(one.path == flip.path and _is_piped(one, asked) for one in _scripts(asked))
    asking = _as_before(asked)
    if not (asking or flip.is_of_files) or (asking and tried(asked.order(asking)).passed):
        return False
    nothing = {} if flip.is_of_files else {one.path: Edit(b"\n") for one in _scripts(asked)}
    passing = {**asking, **nothing, **flip.passing}
    if not tried(asked.order(passing, flip.passing_argv)).passed:
        return False
    return not tried(asked.order({**passing, **flip.failing}, flip.failing_argv)).passed


def _as_before(asked: Script) -> Edits:
    """What of the makefiles, package files and scripts that ask is not as it was."""
    look, base, made = asked.tree.look, asked.base, dict[str, Edit | None]()
    if base is None:
        return made
    was, is_ = (read(asked.argv, one, cwd=asked.cwd) for one in (base, look))
    scripts = {one.source for one in was.spoken} & asked.tree.side
    there = frozenset(base.paths())
    for path in sorted({*was.files, *is_.files, *scripts}):
        data = base.read(path) if path in there else None
        if data is None:
            made[path] = None
        elif data != look.read(path):
            made[path] = Edit(data, base.mode(path) or "100644")
    return made


def _could_fail(asked: Script, flip: Flip, before: Tries) -> bool:
    """Whether a script of the base failed once it expected something else."""
    if asked.base is None:
        return True
    flips = _flips_before(asked, flip)
    return any(not before(asked.order(one.edits, one.argv)).passed for one in flips)


def _flips_before(asked: Script, flip: Flip) -> list[Flip]:
    """The same with the scripts of the base."""
    if asked.base is None or flip.argv:
        return [flip] if flip.argv else []
    there = asked._replace(tree=asked.tree._replace(look=asked.base))
    flips = [one for one in script_flips(there) if isinstance(one, Flip)]
    return [one for one in flips if (one.path, one.line) == (flip.path, flip.line)]


def reached(trial: Trial) -> Doubted:
    """Whether a script came to its own end."""
    if trial.ran.exit == REACHED:
        return Held("reaches-end")
    if trial.ran.exit == 0:
        return Flaw("cut-short", "the code under test ends the process before its script does")
    return Lacking("canary", f"its script cannot be followed (exit {trial.ran.exit})")


def can_fail(flip: Flip, trial: Trial) -> Doubted:
    """Whether a script noticed that what it expects is not so."""
    if trial.ran.ended != "exit":
        return Lacking("flip", "its script does not end with another expectation")
    if not trial.passed:
        return Held("flip")
    if trial.ran.exit != 0:
        return Lacking("flip", f"it must exit {trial.ran.exit}")
    if not flip.sure:
        return Lacking("flip", "no expectation that its script surely reaches could be changed")
    places = f"its {flip.many} expectations" if flip.many > 1 else "its one expectation"
    places = f"what line {flip.line} expects" if flip.line else places
    return Flaw("cannot-fail", f"{flip.path} still passes with {places} changed")


def script_flips(asked: Script) -> Iterator[Flip | str]:
    """Every expectation of each script that is run, changed; or why none is."""
    if asked.base is None:
        yield "there is no base"
        return
    scripts = sorted(_scripts(asked))
    own = _inline(asked)
    flip = _own_flip(own, asked.base, asked.nonce) if own else _ALONE
    files = _files_flip(asked, own, asked.base)
    if isinstance(flip, Flip) or not (scripts or files):
        yield flip
    if files:
        yield files
    cases = [*_cases(scripts, asked, asked.base)]
    for one in scripts[:_MOST]:
        flip = _flip(one, asked.tree.look, asked.base, asked.nonce)
        elsewhere = (files and one.path in files.passing) or (cases and len(scripts) == 1)
        if isinstance(flip, Flip) or not elsewhere:
            yield flip
        if isinstance(flip, Flip) and not asked.said and one.language == "python":
            yield from _singles(one, asked, asked.base, flip)
    yield from cases
    if more := scripts[_MOST:]:
        yield f"not tried with {shown(one.path for one in more)}"


def _inline(asked: Script) -> Inline | None:
    """The text that the argv itself holds, behind whatever stands before its program."""
    spoken = read(asked.argv, asked.tree.look, cwd=asked.cwd).spoken
    return inline(asked.argv, len(asked.argv) - len(spoken[0].words)) if spoken else None


def _own_flip(own: Inline, base: Look, nonce: str) -> Flip | str:
    """The argv with other expectations in its own text, which nobody but a person wrote."""
    source, language = own.source, SCRIPTS[own.language]
    helpers = _Helpers(language, source, base)
    changes = language.changes(source, drawn(nonce), helpers.find)
    if len(source) > _LONGEST or not changes:
        return f"no expectation could be read in {_COMMAND}"
    sure = any(one.sure for one in changes) and not _SKIPS.search(source)
    return Flip(_COMMAND, {}, len(changes), sure, {}, own.saying(changed(source, changes)))


def _files_flip(asked: Script, own: Inline | None, base: Look) -> Flip | None:
    """All files at once that scripts of the test side, recipes, or the argv compare with."""
    look, side = asked.tree.look, asked.tree.side
    reading = read(asked.argv, base, cwd=asked.cwd)
    shell = {one.path for one in _scripts(asked) if one.language == "shell"}
    sources = {*reading.files, *shell, *(side & {one.source for one in reading.spoken})}
    text = own.source if own and own.language == "shell" else b""
    found = golden(sources, reading.files, base, side.intersection(look.paths()), text=text)
    if not found.files:
        return None
    sure = all(base.read(path) == look.read(path) for path in side.intersection(found.spans))
    passes, fails = (
        own.saying(found.saying(text, by)) if own and text else () for by in (PASSES, FAILS)
    )
    return Flip(
        shown(path or _COMMAND for path in sorted(found.spans)),
        found.spoilt(look, drawn(asked.nonce).word),
        len(found.files),
        sure,
        found.comparing(base, FAILS),
        (),
        found.comparing(base, PASSES),
        passes,
        fails,
    )


def _flip(script: Found, look: Look, base: Look, nonce: str, *, among: bytes = b"") -> Flip | str:
    """Everything that a script expects, changed; `among` as for its changes."""
    path = script.path
    source, mode = look.read(path) or b"", look.mode(path) or "100644"
    if len(source) > _LONGEST:
        return f"{path} is too long to be read"
    changes = _changes(script, source, base, nonce, among)
    if not changes:
        return f"no expectation could be read in {path}"
    sure = any(one.sure for one in changes) and not _SKIPS.search(source)
    edits = {path: Edit(changed(source, changes), mode)}
    return Flip(path, edits, len(changes), sure, _failing(script, look))


def _singles(script: Found, asked: Script, base: Look, every: Flip) -> Iterator[Flip]:
    """Single expectations changed: the first that fails may hide that others cannot.

    A script that tells of each by itself needs none of these.
    """
    look, path = asked.tree.look, script.path
    source, mode = look.read(path) or b"", look.mode(path) or "100644"
    sure = [one for one in _changes(script, source, base, asked.nonce, b"") if one.sure]
    if not every.sure or len(sure) == 1:
        return
    others = shuffled(map(str, range(len(sure) - 1)), asked.nonce)[: _MOST_SINGLE - 1]
    for one in (sure[-1], *(sure[int(n)] for n in others)):
        edits, reached = (
            {path: Edit(changed(source, [change]), mode)}
            for change in (one, one._replace(text=_BREAKS))
        )
        line = source.count(b"\n", 0, one.start) + 1
        yield every._replace(edits=edits, many=1, line=line, reached=reached)


def _changes(script: Found, source: bytes, base: Look, nonce: str, among: bytes) -> list[Change]:
    """What its helpers do is read in the base: they may be what the work weakened.

    `among` is the text of a script that takes this one in, and knows its helpers.
    """
    language = SCRIPTS[script.language]
    helpers = _Helpers(language, source + b"\n" + among, base)
    changes = language.changes(source, drawn(nonce), helpers.find)
    if script.language == "shell" and not changes and shell_units.runs_functions(among):
        changes = shell_units.changes(source, drawn(nonce), helpers.find)
    return changes


def _cases(scripts: Sequence[Found], asked: Script, base: Look) -> Iterator[Flip]:
    """Files that the scripts run or take in, or may, and that expect something."""
    own, many = {one.path for one in scripts}, 0
    spoken = read(asked.argv, asked.tree.look, cwd=asked.cwd).spoken
    for script in scripts:
        among = base.read(script.path) or b""
        said = [one for one in spoken if one.source == script.path]
        for path in shuffled(_near(script, asked.tree, among, said) - own, asked.nonce):
            one = script._replace(path=path)
            flip = _flip(one, asked.tree.look, base, asked.nonce, among=among)
            own.add(path)
            if not isinstance(flip, str) and flip.sure and many < _MOST_CASES:
                many += 1
                yield flip


def _near(script: Found, tree: Tree, text: bytes, said: Iterable[Spoken]) -> set[str]:
    """Files beside and below a script, those it is seen to run, and what its globs find."""
    folder, language = script.path.rpartition("/")[0], SCRIPTS[script.language]
    found = {path for path in tree.side if path.startswith(f"{folder}/")}
    found = {path for path in found if path.endswith(language.ends)}
    if script.language != "shell":
        return found
    found |= {path for path in globbed(text, tree.side) if is_shell(tree.look.read(path))}
    for one in said:
        is_taken = one.program in (".", "source")
        run = script_of(("sh", *one.words[1:]) if is_taken else one.words, tree)
        if run and run.language == script.language:
            found.add(run.path)
    return found


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
        text = self._source.decode("utf-8", "replace")
        named = set(re.findall(r"[\w-]+", text))
        for path in self._look.paths():
            folder, _, name = path.rpartition("/")
            stem = name.partition(".")[0]
            stem = folder.rpartition("/")[2] if stem in ("__init__", "index") else stem
            if stem in named and (path.endswith(self._language.ends) or path in text):
                yield path


def script_ends(asked: Script) -> Iterator[tuple[Found, Edits]]:
    """Scripts that end in status 97 at their own end; those left out of which it is unclear."""
    for one in sorted(_scripts(asked))[:_MOST]:
        edits = SCRIPTS[one.language].edits(one.path, asked.tree)
        if edits:
            yield one, edits


def _scripts(asked: Script) -> set[Found]:
    """The script that is run, or those that make or npm come to."""
    if direct := script_of(asked.argv, asked.tree):
        return {direct}
    spoken = read(asked.argv, asked.tree.look, cwd=asked.cwd).spoken
    return {found for one in spoken if (found := script_of(one.words, asked.tree))}
