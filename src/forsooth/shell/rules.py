"""The commands that agents are refused, whoever asked for them; one rule a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from forsooth.hooks.prompts import SEAL, STOP, meaning
from forsooth.shell.marks import FETCHED, UNKNOWN, located, plain
from forsooth.shell.options import base, options
from forsooth.shell.printed import starts
from forsooth.shell.scope import Scope, is_made, is_scratch


class Refusal(NamedTuple):
    """A rule's name, and one sentence: what is refused, why, what to do instead."""

    code: str
    says: str


PERSONS = frozenset({"seal", "trust", "waive", "agree"})
HOSTS = frozenset("claude claude-code codex gemini gemini-cli opencode opencode-ai".split())
_KEYS = {"enter": "\n", "kpenter": "\n", "c-m": "\n", "c-j": "\n", "space": " "}
_CHORD = re.compile(r"Escape|[CM]-[^mjMJ]")
_HELP = frozenset({"--help", "-h", "--version"})
_POWER = frozenset("shutdown reboot halt poweroff telinit".split())
_POWER_WORDS = frozenset("reboot poweroff halt kexec soft-reboot".split())
_HARMLESS_DEVICES = re.compile(
    r"/dev/(null|zero|full|stdout|stderr|stdin|tty|random|urandom|(fd|shm|pts|mqueue)(/.*)?)"
)
_DISK = re.compile(r"mkfs(\..*)?|mke2fs|mkdosfs|mkntfs|newfs(_.*)?|mkswap")
_OCTAL = re.compile(r"[0-7]?[0-7]?777")
_SYMBOLIC = re.compile(r"([ugoa]*)([=+])([rwxXst]*)")
_FILTERS = re.compile(
    r"-(i?name|i?path|i?regex|i?wholename|type|size|mtime|mmin|atime|newer|empty)"
)

SAYS = {
    "delete-outside": "`{name}` would delete {path} by force, outside this work tree; delete only "
    "what lies inside it or in a folder of yours below /tmp, and leave the rest to the person.",
    "delete-unseen": "`{name}` would delete by force what is only known at run time; write the "
    "path out, inside this work tree.",
    "delete-strict": "`{name}` deletes recursively by force, which this session's rules refuse; "
    "remove the files by name, or with `git rm`.",
    "world-writable": "`{name}` would let every user write here; grant only what is needed, such "
    "as `chmod u+x FILE`.",
    "pipe-to-shell": "{name} would run text that nobody has read; save it to a file, read it, "
    "then run the file.",
    "eval": "`eval` would run what an expansion gives; write the command itself.",
    "format-disk": "`{name}` makes a file system and destroys what is there; leave disks to the "
    "person.",
    "block-device": "this would write to the device {path}; write to a file in the work tree.",
    "power": "`{name}` would stop this machine; if it is needed, ask the person to do it.",
    "fork-bomb": "this starts itself again without end; start a fixed number of processes.",
    "crontab": "`crontab` would change scheduled jobs; `crontab -l` may be read, the rest is the "
    "person's.",
    "kill-all": "`{name}` would signal every process of this user; name the process ids.",
    "person-only": "`forsooth {name}` is the person's to say; ask them to type it.",
    "hook-only": "`forsooth-hook` and the modules of forsooth are called by the agent's host or by "
    "forsooth, never by an agent.",
}


def refusal(code: str, *, name: str = "", path: str = "") -> Refusal:
    """A rule's sentence about one command."""
    shown = plain(path).replace(UNKNOWN, "…")[:120]
    return Refusal(code, SAYS[code].format(name=plain(name)[:40], path=shown))


def refused(argv: Sequence[str], scope: Scope) -> Refusal | None:
    """The rule that a command breaks, if one does."""
    name, args = base(argv[0]), list(argv[1:])
    if FETCHED in argv[0] or (scope.piped and UNKNOWN in argv[0]):
        return refusal("pipe-to-shell", name="this")
    if len(args) == 1 and args[0] in _HELP:
        return None
    if _DISK.fullmatch(name):
        return refusal("format-disk", name=name)
    if name in _POWER or _powers(name, args):
        return refusal("power", name=name)
    rule = _RULES.get(name)
    return rule(args, scope) if rule else None


def _powers(name: str, args: list[str]) -> bool:
    if name in ("systemctl", "loginctl"):
        return bool(_POWER_WORDS & set(args))
    return name == "init" and bool({"0", "6"} & set(args))


def _rm(args: list[str], scope: Scope) -> Refusal | None:
    found = options(args)
    if not (found.any("r", "R", "recursive") and found.any("f", "force")):
        return None
    return deleted("rm -rf", found.rest, scope)


def deleted(name: str, words: Sequence[str], scope: Scope) -> Refusal | None:
    """The rule on deleting folders by force, for each place that would be deleted."""
    if scope.place.strict and words:
        return refusal("delete-strict", name=name)
    for word in words:
        path = located(word, scope.cwd, itself=not word.endswith("/"))
        if is_made(path):
            continue
        if not path.startswith("/"):
            return refusal("delete-unseen", name=name)
        root = scope.place.root.rstrip("/")
        is_free = ".." not in word.split("/") and is_scratch(path, scope.place)
        if is_free and not scope.away:
            continue
        if scope.away or not (path == root or path.startswith(f"{root}/")):
            return refusal("delete-outside", name=name, path=path)
    return None


def _rimraf(args: list[str], scope: Scope) -> Refusal | None:
    return deleted("rimraf", options(args).rest, scope)


def _find(args: list[str], scope: Scope) -> Refusal | None:
    """`find -delete` is a forced delete; one that picks its files is so only outside for sure."""
    if "-delete" not in args:
        return None
    found = deleted("find -delete", starts(args), scope)
    picks = any(_FILTERS.fullmatch(word) for word in args)
    return None if picks and found and found.code != "delete-outside" else found


def _chmod(args: list[str], _scope: Scope) -> Refusal | None:
    for word in [word for word in args if not word.startswith("-")][:1]:
        if _OCTAL.fullmatch(word) or _grants_all(word):
            return refusal("world-writable", name=f"chmod {word}")
    return None


def _created(args: list[str], _scope: Scope) -> Refusal | None:
    mode = options(args, valued="m mode o g t".split()).value("m", "mode")
    is_open = _OCTAL.fullmatch(mode) or _grants_all(mode)
    return refusal("world-writable", name=f"-m {mode}") if is_open else None


def _grants_all(mode: str) -> bool:
    """Whether a symbolic mode gives everybody everything."""
    bits = dict.fromkeys("ugo", frozenset[str]())
    for clause in plain(mode).split(","):
        found = _SYMBOLIC.fullmatch(clause)
        if not found or not found[1]:
            return False
        for who in "ugo" if "a" in found[1] else found[1]:
            bits[who] |= frozenset(found[3])
    return all({"r", "w", "x"} <= given for given in bits.values())


def is_device(path: str) -> bool:
    """Whether a path is a device that holds data."""
    return path.startswith("/dev/") and not _HARMLESS_DEVICES.fullmatch(path)


def _crontab(args: list[str], _scope: Scope) -> Refusal | None:
    found = options(args, valued="u")
    if found.any("l", "V") and not found.any("r", "e", "i"):
        return None
    return refusal("crontab")


def _kill(args: list[str], _scope: Scope) -> Refusal | None:
    """A signal to -1 reaches everything; `-1` right after `kill` is a signal's number."""
    rest = list(args)
    if rest[:1] and rest[0] in ("-s", "-n", "--signal"):
        rest = rest[2:]
    elif rest[:1] and rest[0].startswith("-") and rest[0] != "--":
        rest = rest[1:]
    everything = any(re.fullmatch("-0*1", word) for word in rest)
    return refusal("kill-all", name="kill") if everything else None


def _forsooth(args: list[str], _scope: Scope) -> Refusal | None:
    words = [word for word in args if not word.startswith("-")]
    if words and words[0] in PERSONS and not _HELP & set(args):
        if words[0] == "trust" and "--list" in args:
            return None
        return refusal("person-only", name=words[0])
    return None


def _hook(_args: list[str], _scope: Scope) -> Refusal | None:
    return refusal("hook-only")


def _host(args: list[str], scope: Scope) -> Refusal | None:
    """A host that is handed, as if it was typed, what only a person may say."""
    given = [word.partition("=")[2] if word.startswith("--") else word for word in args]
    given += [" ".join(two) for two in pairwise(args)]  # some hosts join their words
    return _typed([*given, scope.stdin or ""])


def _tmux(args: list[str], _scope: Scope) -> Refusal | None:
    """Keys pressed in another window, where a host may be waiting for them."""
    words = options(args, valued="L S f".split(), leading=True).rest
    if words[:1] not in (["send-keys"], ["send"]):
        return None
    keys = options(words[1:], valued="t N c".split(), leading=True).rest
    said = "".join(_KEYS.get(key.casefold(), key) for key in keys if not _CHORD.fullmatch(key))
    return _typed(said.split("\n"))


def _typed(said: Sequence[str]) -> Refusal | None:
    meant = (meaning(plain(one).strip("\"'\n ")) for one in said)
    return next((refusal("person-only", name=one) for one in meant if one in (SEAL, STOP)), None)


_RULES: dict[str, Callable[[list[str], Scope], Refusal | None]] = {
    "rm": _rm,
    "grm": _rm,
    "rimraf": _rimraf,
    "find": _find,
    "gfind": _find,
    "chmod": _chmod,
    "gchmod": _chmod,
    "install": _created,
    "mkdir": _created,
    "crontab": _crontab,
    "kill": _kill,
    "forsooth": _forsooth,
    "forsooth-hook": _hook,
    **dict.fromkeys(HOSTS, _host),
    "tmux": _tmux,
}
