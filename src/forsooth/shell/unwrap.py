"""Which commands a command starts: wrappers, shells, and programs that run what they are given.

Where it stops: files that are run are not read, containers are their own place, and what a
program does by itself (a Makefile, an editor, an alias) is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from forsooth.shell.marks import SPLIT, UNKNOWN
from forsooth.shell.options import Options, base, options
from forsooth.shell.printed import starts
from forsooth.shell.scope import Scope
from forsooth.shell.words import assigned

SHELLS = frozenset("sh bash zsh dash ksh ash fish mksh rbash csh tcsh yash".split())
LANGUAGES = frozenset(
    "perl ruby node nodejs php lua deno bun awk gawk mawk nawk tclsh osascript expect julia".split()
)
_STDIN = ("-", "/dev/stdin", "/dev/fd/0")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*w?")


class Wrapper(NamedTuple):
    """The options of a wrapper that take a value, and how many words stand before the command."""

    valued: str = ""
    skips: int = 0


WRAPPERS = {
    "sudo": Wrapper("u g h p C T r t D R U user group host prompt chdir chroot role type"),
    "doas": Wrapper("u C"),
    "env": Wrapper("u C S unset chdir split-string"),
    "nice": Wrapper("n adjustment"),
    "ionice": Wrapper("c n p class classdata"),
    "timeout": Wrapper("k s kill-after signal", 1),
    "gtimeout": Wrapper("k s kill-after signal", 1),
    "stdbuf": Wrapper("i o e input output error"),
    "time": Wrapper("f o format output"),
    "exec": Wrapper("a"),
    "chroot": Wrapper("userspec groups", 1),
    "flock": Wrapper("w E timeout", 1),
    "strace": Wrapper("o e p s E u P I a b O S X"),
    "ltrace": Wrapper("o e p s u a l n x"),
    "chrt": Wrapper("", 1),
    "taskset": Wrapper("", 1),
    "numactl": Wrapper("N C m p"),
    "caffeinate": Wrapper("t w"),
    "unshare": Wrapper("S G R w"),
    "nsenter": Wrapper("t S G"),
    "systemd-run": Wrapper("p u E unit property setenv"),
    "watch": Wrapper("n d interval"),
    "xvfb-run": Wrapper("s n e"),
    **dict.fromkeys(
        "nohup setsid command builtin busybox toybox unbuffer fakeroot coproc noglob nocorrect "
        "catchsegv firejail proot proxychains torify torsocks dbus-run-session rlwrap".split(),
        Wrapper(),
    ),
}
RUNNERS = {
    "uv": "run",
    "uvx": "",
    "poetry": "run",
    "pipenv": "run",
    "pdm": "run",
    "hatch": "run",
    "rye": "run",
    "pipx": "run",
    "conda": "run",
    "npx": "",
    "bunx": "",
    "pnpm": "exec dlx",
    "yarn": "exec dlx",
    "npm": "exec x",
    "bundle": "exec",
    "mise": "exec x",
}
_RUNNER_VALUES = "p python with from n prefix extra group c package directory env-file w".split()


class Argv(NamedTuple):
    """Another command, word by word, and the folder it is started in if that changes."""

    words: list[str]
    cwd: str = ""


class Script(NamedTuple):
    """Text that a shell would run; `piped` when it came through a pipe, `away` elsewhere."""

    text: str
    piped: bool = False
    away: bool = False
    args: tuple[str, ...] = ()


class Code(NamedTuple):
    """Text that another interpreter would run; `piped` when it came through a pipe."""

    language: str
    text: str
    piped: bool = False


Started = Argv | Script | Code


def started(argv: Sequence[str], scope: Scope) -> Iterator[Started]:
    """What a command starts, one layer down."""
    yield from (one for one in _started(argv, scope) if one != Argv([]))


def _started(argv: Sequence[str], scope: Scope) -> Iterator[Started]:
    name, args = base(argv[0]), list(argv[1:])
    if argv[0] in scope.feeds or argv[0].removeprefix("./") in scope.feeds:
        yield Script(scope.feeds.get(argv[0]) or scope.feeds[argv[0].removeprefix("./")])
    if name in WRAPPERS:
        yield from _wrapped(name, args, scope)
    elif name in SHELLS:
        yield from _shell(args, scope)
    elif _PYTHON.fullmatch(name):
        yield from _python(args, scope)
    elif name in LANGUAGES:
        yield from _language(name, args, scope)
    elif name in RUNNERS:
        yield from _run(RUNNERS[name].split(), args)
    elif special := _SPECIAL.get(name):
        yield from special(args, scope)


def _wrapped(name: str, args: list[str], scope: Scope) -> Iterator[Started]:
    wrapper = WRAPPERS[name]
    found = options(args, valued=wrapper.valued.split(), leading=True)
    if name == "command" and found.any("v", "V"):
        return
    if split := found.value("S", "split-string"):
        yield Script(" ".join([split, *found.rest]))
        return
    rest = found.rest[wrapper.skips :]
    rest = rest[assigned(rest) :]
    if name == "flock" and rest[:1] in (["-c"], ["--command"]):
        yield Script(" ".join(rest[1:]))
    elif name == "watch":
        yield Script(" ".join(rest))
    elif rest:
        yield Argv(rest, found.value("C", "D", "chdir") if name in ("env", "sudo") else "")
    elif name in ("sudo", "doas", "chroot", "busybox", "nsenter", "unshare"):
        yield from _typed(scope)


def _typed(scope: Scope, *, away: bool = False) -> Iterator[Started]:
    """A shell that reads what to run from its input."""
    if scope.stdin is not None:
        yield Script(scope.stdin, piped=not away, away=away)


def _shell(args: list[str], scope: Scope) -> Iterator[Started]:
    found = options(args, valued="o O rcfile init-file".split(), leading=True)
    if found.any("c"):
        if found.rest:
            yield Script(found.rest[0].replace(SPLIT, " "), args=tuple(found.rest[1:]))
        return
    for file in (found.value("rcfile"), found.value("init-file")):
        if file in scope.feeds:
            yield Script(scope.feeds[file])
    file = found.rest[0] if found.rest and not found.any("s") else ""
    if file in scope.feeds:
        yield Script(scope.feeds[file])
    elif file in ("", *_STDIN):
        yield from _typed(scope)


def _python(args: list[str], scope: Scope) -> Iterator[Started]:
    found = options(args, valued="c m W X".split(), leading=True)
    if "m" in found.values:
        module, rest = found.values["m"], found.rest
        if module.partition(".")[0] == "forsooth":
            is_whole = module in ("forsooth", "forsooth.__main__")
            yield Argv(["forsooth", *rest] if is_whole else ["forsooth-hook"])
    elif "c" in found.values:
        yield Code("python", found.values["c"])
    else:
        yield from _read("python", found, scope)


def _read(language: str, found: Options, scope: Scope) -> Iterator[Started]:
    """Code that an interpreter reads from its input, when it is given no file."""
    file = found.rest[0] if found.rest else "-"
    if file in scope.feeds:
        yield Code(language, scope.feeds[file], piped=True)
    elif file in _STDIN and scope.stdin is not None:
        yield Code(language, scope.stdin, piped=True)


def _language(name: str, args: list[str], scope: Scope) -> Iterator[Started]:
    if name.endswith("awk"):
        yield from (Code("awk", word) for word in args if "{" in word or "(" in word)
        return
    found = options(args, valued="e E r p print eval".split(), leading=True)
    code = found.value("e", "E", "r", "p", "eval", "print")
    if code:
        yield Code(name, code)
    elif not found.any("v", "version", "h", "help"):
        yield from _read(name, found, scope)


def _run(verbs: list[str], args: list[str]) -> Iterator[Started]:
    found = options(args, valued=_RUNNER_VALUES, leading=True)
    rest = found.rest
    if verbs:
        if rest[:1] and rest[0] in verbs:
            rest = options(rest[1:], valued=_RUNNER_VALUES, leading=True).rest
        else:
            return
    if rest[:1] == ["--"]:
        rest = rest[1:]
    if rest:
        yield Argv(rest)
    elif found.value("c"):
        yield Script(found.value("c"))


def _find(args: list[str], _scope: Scope) -> Iterator[Started]:
    for at, word in enumerate(args):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            ends = [i for i in range(at + 1, len(args)) if args[i] in (";", "+")]
            inner = args[at + 1 : ends[0] if ends else len(args)]
            for start in starts(args)[:4]:
                filled = [one.replace("{}", f"{start}/{UNKNOWN}") for one in inner]
                if filled:
                    yield Argv(filled)


def _xargs(args: list[str], scope: Scope) -> Iterator[Started]:
    valued = "I L n P s d E a max-args max-procs replace delimiter arg-file".split()
    found = options(args, valued=valued, leading=True)
    lines = [UNKNOWN] if scope.stdin is None else (scope.stdin.split("\n"))[:32]
    if found.value("I", "replace"):
        mark = found.value("I", "replace")
        yield from (Argv([w.replace(mark, line) for w in found.rest]) for line in lines)
    elif found.rest:
        words = [word for line in lines for word in line.split()]
        yield Argv([*found.rest, *words])


def _parallel(args: list[str], scope: Scope) -> Iterator[Started]:
    words = options(args, valued="j P jobs N n I".split(), leading=True).rest
    given = scope.stdin.split("\n") if scope.stdin else [UNKNOWN]
    if ":::" in words:
        at = words.index(":::")
        words, given = words[:at], words[at + 1 :]
    for one in given[:32]:
        filled = [w.replace("{}", one) for w in words]
        yield Script(" ".join(filled if filled != words else [*words, one]))


def _su(args: list[str], scope: Scope) -> Iterator[Started]:
    found = options(args, valued="c s g G command shell session-command".split())
    if script := found.value("c", "command", "session-command"):
        yield Script(script)
    else:
        yield from _typed(scope)


def _ssh(args: list[str], scope: Scope) -> Iterator[Started]:
    valued = "b c D E e F I i J L l m O o p Q R S W w".split()
    rest = options(args, valued=valued, leading=True).rest[1:]
    if rest:
        yield Script(" ".join(rest), away=True)
    else:
        yield from _typed(scope, away=True)


def _source(args: list[str], scope: Scope) -> Iterator[Started]:
    if args and args[0] in scope.feeds:
        yield Script(scope.feeds[args[0]])
    elif args and args[0] in _STDIN:
        yield from _typed(scope)


def _script(args: list[str], _scope: Scope) -> Iterator[Started]:
    found = options(args, valued="c command".split())
    if text := found.value("c", "command"):
        yield Script(text)


def _git(args: list[str], _scope: Scope) -> Iterator[Started]:
    """An alias given on the command line may be a shell command."""
    for flag, word in pairwise(args):
        name, _, value = word.partition("=")
        if flag == "-c" and name.startswith("alias.") and value.startswith("!"):
            yield Script(value[1:])


def _tmux(args: list[str], _scope: Scope) -> Iterator[Started]:
    """A window's command, or keys typed into one."""
    rest = options(args, valued="L S f".split(), leading=True).rest[1:]
    yield Script(" ".join(options(rest, valued="s n t c x y F e".split(), leading=True).rest))


def _screen(args: list[str], _scope: Scope) -> Iterator[Started]:
    yield Argv(options(args, valued="S t c X".split(), leading=True).rest)


def _joined(args: list[str], _scope: Scope) -> Iterator[Started]:
    yield Script(" ".join(args))


def _trap(args: list[str], _scope: Scope) -> Iterator[Started]:
    rest = options(args, leading=True).rest
    if len(rest) > 1:
        yield Script(rest[0])


def _later(_args: list[str], scope: Scope) -> Iterator[Started]:
    yield from _typed(scope)


_SPECIAL = {
    "find": _find,
    "gfind": _find,
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
    "su": _su,
    "runuser": _su,
    "ssh": _ssh,
    "source": _source,
    ".": _source,
    "script": _script,
    "git": _git,
    "tmux": _tmux,
    "screen": _screen,
    "eval": _joined,
    "trap": _trap,
    "at": _later,
    "batch": _later,
}
