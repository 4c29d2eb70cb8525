"""What simple commands print, where that can be told: enough to see through hidden words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forsooth.shell.marks import FETCHED, LOCAL, MADE, UNKNOWN, is_known, plain
from forsooth.shell.options import base, options
from forsooth.shell.scope import Scope
from forsooth.shell.words import unescaped

FETCHERS = frozenset(
    "curl wget wget2 fetch aria2c http https httpie xh curlie nc ncat netcat socat ftp tftp lynx "
    "links w3m scp sftp gsutil telnet".split()
)
_DECODERS = frozenset("base64 base32 basenc gbase64 uudecode xxd".split())
_LINES = frozenset(
    "cat tac grep egrep fgrep rg head tail sort uniq tee sponge pv less more".split()
)
_EDITS = frozenset("sed gsed awk gawk mawk tr cut envsubst paste fold fmt nl column rev".split())
_PACKED = frozenset("gunzip zcat gzip xz unxz xzcat bzcat bunzip2 bzip2 zstd zstdcat".split())
_LISTS = frozenset("ls fd fdfind locate".split())
_FORMAT = re.compile(r"%(?:[-0-9.]*)([sbdq%])")


def printed(argv: Sequence[str], stdin: str | None, scope: Scope) -> str:
    """What a command prints, marked where it is not known."""
    name, args = base(argv[0]), list(argv[1:])
    if name in FETCHERS or _decodes(name, args):
        return FETCHED
    match name:
        case "echo":
            return _echo(args)
        case "printf":
            return _printf(args)
        case "pwd":
            return scope.cwd
        case "mktemp":
            return MADE
        case "which" | "command" | "type":
            return args[-1] if args else ""
        case "git":
            return _git(args, scope)
        case "find":
            return "\n".join(f"{one}/{UNKNOWN}" for one in starts(args))
        case "true" | "false" | ":" | "cd" | "set" | "export" | "sleep" | "mkdir" | "test" | "[":
            return ""
        case _:
            return _passed(name, args, stdin)


def starts(args: Sequence[str]) -> list[str]:
    """The folders in which `find` begins."""
    found = list[str]()
    for word in args:
        if word in ("-H", "-L", "-P"):
            continue
        if word.startswith("-") or word in ("(", "!"):
            break
        found.append(word)
    return found or ["."]


def _passed(name: str, args: list[str], stdin: str | None) -> str:
    """What comes through a filter."""
    files = options(args).rest
    if FETCHED in (stdin or ""):
        return FETCHED
    if name in _LISTS or (name in ("grep", "rg") and stdin is None):
        far = [one for one in files if one.startswith(("/", "..", "~"))]
        return f"{far[-1] if far else '.'}/{UNKNOWN}"
    if name in _LINES:
        if stdin is not None and (name != "cat" or not files or "-" in files):
            return stdin
        return LOCAL
    if name in _EDITS | _PACKED:
        if name == "rev" and stdin is not None and is_known(stdin):
            return "\n".join(line[::-1] for line in stdin.split("\n"))
        return LOCAL if stdin in (None, LOCAL) else UNKNOWN
    return UNKNOWN


def _decodes(name: str, args: list[str]) -> bool:
    flags = options(args)
    if name in _DECODERS:
        return flags.any("d", "D", "decode", "r") or name == "uudecode"
    if name == "openssl":
        return bool({"-d", "-D"} & set(args))
    return name in ("gpg", "gpg2", "age") and flags.any("d", "decrypt")


def _echo(args: list[str]) -> str:
    escapes = ""
    while args and re.fullmatch("-[neE]+", args[0]):
        escapes += args.pop(0)
    said = " ".join(args)
    # Some shells decode without being asked to, so what looks escaped is read both ways.
    return unescaped(said) if "e" in escapes or re.search(r"\\(x|0?[0-7]{3})", said) else said


def _printf(args: list[str]) -> str:
    if args[:1] == ["--"]:
        args = args[1:]
    if not args or args[0].startswith("-v"):
        return ""
    form, rest = unescaped(args[0]), args[1:]

    def put(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        value = rest.pop(0) if rest else ""
        return unescaped(value) if found[1] == "b" else value

    parts = [_FORMAT.sub(put, form)]
    while rest and _FORMAT.search(form):
        before = len(rest)
        parts.append(_FORMAT.sub(put, form))
        if len(rest) == before:
            break
    return "".join(parts)


def _git(args: list[str], scope: Scope) -> str:
    said = " ".join(map(plain, args))
    if said == "rev-parse --show-toplevel":
        return scope.place.root
    if args[:1] in (["ls-files"], ["diff"], ["grep"], ["status"]):
        return f"./{UNKNOWN}"
    return UNKNOWN
