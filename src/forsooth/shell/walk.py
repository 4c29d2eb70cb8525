"""What is learned of a command line on the way through it: rules broken, files written."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Sequence

from forsooth.shell.marks import FETCHED, SPLIT, UNKNOWN, has_glob, located, pattern, plain
from forsooth.shell.nodes import is_heavy
from forsooth.shell.options import base, options
from forsooth.shell.rules import Refusal, deleted, is_device, refusal, refused
from forsooth.shell.scope import DEEPEST, Decided, Exhausted, Scope
from forsooth.shell.unwrap import Argv, Code, Script, Started, started
from forsooth.shell.writes import Write, write, written


class Walk:
    """One look at a command line: what it breaks and what it writes."""

    def __init__(self, run: Callable[[Walk, str, Scope], None]) -> None:
        self._run = run
        self.refusals: list[Refusal] = []
        self.writes: list[Write] = []

    def script(self, text: str, scope: Scope) -> None:
        """Go through a script."""
        if scope.depth > DEEPEST or is_heavy(text):
            raise Exhausted
        self._run(self, text, scope)

    def add(self, found: Refusal | None) -> None:
        """Note a broken rule; one is enough."""
        if found:
            self.refusals.append(found)
            raise Decided

    def wrote(self, does: str, word: str, scope: Scope) -> None:
        """Note a write by its word."""
        self._note(write(does, word, scope), scope)

    def _note(self, made: Write, scope: Scope) -> None:
        if not scope.away:
            self.writes.append(made)
            if is_device(made.path):
                self.add(refusal("block-device", path=made.path))

    def call(self, argv: Sequence[str], scope: Scope, *, expands: bool) -> None:
        """One simple command, and all that it starts."""
        scope.budget.spend(8)
        if scope.depth > DEEPEST:
            raise Exhausted
        argv = _globbed([*argv], scope)
        name = base(argv[0])
        if name == "eval" and expands:
            self.add(refusal("eval"))
        self.add(refused(argv, scope))
        for made in written(argv, scope):
            self._note(made, scope)
        _settle(name, argv[1:], scope)
        for one in started(argv, scope):
            self.start(one, scope, expands=expands)

    def start(self, one: Started, scope: Scope, *, expands: bool) -> None:
        """Something that a command starts."""
        match one:
            case Argv(words, cwd):
                inner = scope.beside()
                inner.cwd = located(cwd, scope.cwd) if cwd else scope.cwd
                inner.depth += 1
                self.call(words, inner, expands=expands)
                scope.cwd = scope.cwd if cwd else inner.cwd
            case Script(text, piped, away, args):
                inner = scope.inner()
                inner.values |= {str(at): word for at, word in enumerate(args)}
                inner.values |= {"@": SPLIT.join(args[1:])} if args[1:] else {}
                inner.piped, inner.stdin = piped, None
                inner.away = away or scope.away
                self.script(plain(text), inner)
            case Code(language, text, piped):
                if FETCHED in text and (piped or not text.strip(FETCHED)):
                    self.add(refusal("pipe-to-shell", name=language))
                self._code(language, text, scope)

    def _code(self, language: str, text: str, scope: Scope) -> None:
        from forsooth.shell import code  # noqa: PLC0415 - few commands hold any

        for does, said in code.acts(language, plain(text)):
            scope.budget.spend()
            words = [re.sub("^~(?=/|$)", scope.place.home, word) for word in said]
            match does:
                case "fork":
                    self.add(refusal("fork-bomb"))
                case "person":
                    self.add(refusal("person-only", name=words[0]))
                case "run":
                    self.start(Argv([*words]), scope, expands=False)
                case "script":
                    self.start(Script(words[0]), scope, expands=False)
                case "delete":
                    self.add(deleted("rmtree", words, scope))
                    self.wrote("remove", words[0], scope)
                case "write" | "remove" if words:
                    self.wrote("remove" if does == "remove" else "write", words[0], scope)
                case _:
                    pass


def _settle(name: str, args: list[str], scope: Scope) -> None:
    """What builtins change for the commands after them."""
    if name == "popd" or (name == "cd" and args == ["-"]):
        scope.cwd, scope.values["OLDPWD"] = scope.value("OLDPWD"), scope.cwd
    elif name in ("cd", "pushd", "chdir"):
        rest, scope.values["OLDPWD"] = options(args).rest, scope.cwd
        scope.cwd = located(rest[0] if rest else scope.place.home, scope.cwd)
    elif name == "set" and "--" in args:
        rest = args[args.index("--") + 1 :]
        scope.values |= {str(at): word for at, word in enumerate(rest, 1)}
        scope.values["@"] = SPLIT.join(rest)
    elif name == "read":
        known = scope.stdin if scope.stdin and "\n" not in scope.stdin.strip() else UNKNOWN
        scope.values |= dict.fromkeys(options(args, valued="p n t d u").rest, known)
    elif name == "unset":
        for one in args:
            scope.values.pop(one, None)


def _globbed(argv: list[str], scope: Scope) -> list[str]:
    """A program named by a pattern is the first file that matches."""
    if has_glob(argv[0]) and "/" in argv[0]:
        found = sorted(glob.glob(pattern(located(argv[0], scope.cwd))))[:1]  # noqa: PTH207
        return [*found, *argv[1:]] if found else argv
    return argv
