"""Which files a command writes or removes, as far as its words say.

What a program writes by itself (a compiler, a formatter, an archive's members) is not known here;
putting files back from git is never counted, since that is how a stray change is undone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from forsooth.shell.marks import UNKNOWN, is_known, located
from forsooth.shell.options import base, options
from forsooth.shell.printed import starts
from forsooth.shell.scope import Scope


class Write(NamedTuple):
    """A path, and what happens to it: `remove` takes all below it, `folder` only makes it."""

    does: str
    path: str


_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b/)?|--- a/)(.+?)[\t\r]*$",
    re.MULTILINE,
)
_LAST = frozenset("cp gcp mv gmv install ginstall ln gln rsync scp".split())
_EACH = frozenset("touch tee truncate shred sponge ed ex unlink".split())


def written(argv: Sequence[str], scope: Scope) -> Iterator[Write]:
    """Each file that a command writes or removes."""
    name, args = base(argv[0]), list(argv[1:])
    for does, word in _named(name, args, scope):
        if word:
            yield write(does, word, scope)


def write(does: str, word: str, scope: Scope) -> Write:
    """A word of a command as a place in the file system."""
    return Write(does, located(word, scope.cwd, itself=does == "remove"))


def patched(text: str) -> list[str]:
    """The files that a patch names."""
    return [path for path in _PATCHED.findall(text) if path != "/dev/null"]


def _named(name: str, args: list[str], scope: Scope) -> Iterator[tuple[str, str]]:
    if name in _LAST:
        yield from _copied(name, args, scope)
    elif name in _EACH:
        found = options(args, valued="s r d t".split() if name != "tee" else ())
        yield from (("write", word) for word in found.rest)
    elif rule := _WRITERS.get(name):
        yield from rule(args, scope)


def _copied(name: str, args: list[str], scope: Scope) -> Iterator[tuple[str, str]]:
    valued = "t S target-directory suffix".split()
    valued += {"install": "m o g mode owner group".split(), "scp": "i P F o".split()}.get(name, [])
    valued += "e f exclude include rsh filter".split() if name == "rsync" else []
    found = options(args, valued=valued)
    words, folder = found.rest, found.value("t", "target-directory")
    if name == "install" and found.any("d", "directory"):
        yield from (("folder", word) for word in words)
        return
    sources, target = (words, folder) if folder else (words[:-1], words[-1] if words[1:] else "")
    if name == "ln" and len(words) == 1:
        sources, target = words, "."
    if name in ("mv", "gmv"):
        yield from (("remove", word) for word in sources)
    if not target or (name in ("rsync", "scp") and ":" in target.partition("/")[0]):
        return
    if not (folder or target.endswith("/") or len(sources) > 1 or _is_folder(target, scope)):
        yield "write", target
        return
    for one in sources:
        yield "write", os.path.join(target, one.rstrip("/").rpartition("/")[2])  # noqa: PTH118


def _is_folder(word: str, scope: Scope) -> bool:
    if word.rpartition("/")[2] in (".", ".."):
        return True
    path = located(word, scope.cwd)
    return is_known(path) and os.path.isdir(path)  # noqa: PTH112


def _removed(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    yield from (("remove", word) for word in options(args).rest)


def _made(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    yield from (("folder", word) for word in options(args, valued="m mode".split()).rest)


def _changed(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    """Modes and owners; a mode may begin like a flag."""
    found = options(args, valued=("reference",))
    has_mode = found.value("reference") or any(re.fullmatch(r"-[rwxXst]+", one) for one in args)
    yield from (("write", word) for word in found.rest[0 if has_mode else 1 :])


def _edited(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    """`sed -i`, `perl -i`, `yq -i`: the files after the script."""
    if not any(re.match(r"-[a-zA-Z0-9]*i|--in-place|--inplace", word) for word in args):
        return
    cut = [word for word in args if not re.match(r"-[a-zA-Z0-9]*i|--in-?place", word)]
    found = options(cut, valued="e f expression file M m".split())
    has_script = any(re.match(r"-[a-zA-Z0]*e|--expression|-f|--file", word) for word in args)
    yield from (("write", word) for word in found.rest[0 if has_script else 1 :])


def _dd(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    yield from (("write", word[3:]) for word in args if word.startswith("of="))


def _fetched(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    found = options(args, valued="o O P output output-document d H X u A output-dir".split())
    yield "write", found.value("o", "output", "output-document").replace("-", "", 1)
    if (target := found.value("O")) and target != "-":
        yield "write", target if "/" in target or "." in target else ""


def _unpacked(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    found = options(args, valued="C f d directory file".split())
    if folder := found.value("C", "directory", "d"):
        yield "write", f"{folder}/{UNKNOWN}"


def _sorted(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    yield "write", options(args, valued="o output k t".split()).value("o", "output")


def _keys(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    found = options(args, valued="f t b C N Y n s I O".split())
    if not found.any("Y", "l", "y", "F", "H"):
        yield "write", found.value("f")


def _patch(args: list[str], scope: Scope) -> Iterator[tuple[str, str]]:
    found = options(args, valued="p d i o".split())
    if scope.stdin:
        yield from (("write", path) for path in patched(scope.stdin))
    yield from (("write", path) for word in args for path in patched(word))
    if found.rest and "\n" not in found.rest[0]:
        yield "write", found.rest[0]


def _find(args: list[str], _scope: Scope) -> Iterator[tuple[str, str]]:
    if "-delete" in args:
        yield from (("remove", f"{start}/{UNKNOWN}") for start in starts(args))
    for flag, word in pairwise(args):
        if flag in ("-fprint", "-fprintf", "-fls"):
            yield "write", word


def _git(args: list[str], scope: Scope) -> Iterator[tuple[str, str]]:
    found = options(args, valued="C c git-dir work-tree".split(), leading=True)
    verb, rest = (found.rest[0], found.rest[1:]) if found.rest else ("", [])
    inner = options(rest, valued="f file".split())
    match verb:
        case "config":
            yield from _configured(inner.rest, inner.flags)
        case "rm" if not inner.any("cached", "n", "dry-run"):
            yield from (("remove", word) for word in inner.rest)
        case "mv":
            yield from _copied("mv", rest, scope)
        case "apply" if not inner.any("check", "stat", "numstat", "R", "reverse"):
            yield from (("write", path) for path in patched(scope.stdin or ""))
        case _:
            return


def _configured(words: list[str], flags: frozenset[str]) -> Iterator[tuple[str, str]]:
    """`git config core.hooksPath` moves the hooks: it counts as a write to them."""
    if words[:1] in (["set"], ["unset"]):
        words, flags = words[1:], flags | {"unset"}
    if words and words[0].casefold() == "core.hookspath" and (words[1:] or _unset(flags)):
        yield "write", ".git/hooks"


def _unset(flags: frozenset[str]) -> bool:
    return bool(flags & {"unset", "unset-all", "replace-all", "add"})


_WRITERS: dict[str, Callable[[list[str], Scope], Iterator[tuple[str, str]]]] = {
    "rm": _removed,
    "grm": _removed,
    "rmdir": _removed,
    "rimraf": _removed,
    "mkdir": _made,
    "chmod": _changed,
    "chown": _changed,
    "chgrp": _changed,
    "sed": _edited,
    "gsed": _edited,
    "perl": _edited,
    "ruby": _edited,
    "yq": _edited,
    "dd": _dd,
    "curl": _fetched,
    "wget": _fetched,
    "tar": _unpacked,
    "bsdtar": _unpacked,
    "unzip": _unpacked,
    "sort": _sorted,
    "ssh-keygen": _keys,
    "patch": _patch,
    "apply_patch": _patch,
    "applypatch": _patch,
    "find": _find,
    "git": _git,
}
