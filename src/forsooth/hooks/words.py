"""Whether a shell command could matter to the fences, told from its words alone and at once.

It may say yes for nothing: then a second process reads the command properly. It says no only where
none of the rules has a word to go by.
"""

from __future__ import annotations

_GONE = str.maketrans("", "", "'\"\\")
_APART = str.maketrans(dict.fromkeys("\t\n\r;|&(){}<>`$=,/:[]*?!#@%~^", " "))
_QUIET = ("2>&1", ">&2", ">/dev/null", "> /dev/null", "->", "=>", ">=")
_DEVICES = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty")

SHELLS = frozenset("sh bash zsh dash ksh ash fish mksh rbash csh tcsh yash busybox toybox".split())
_OTHERS = frozenset(
    "perl ruby node nodejs php lua deno bun tclsh osascript expect julia source .".split()
)
_FETCHERS = frozenset(
    "curl wget wget2 fetch aria2c http https httpie xh curlie nc ncat netcat socat ftp tftp lynx "
    "links w3m scp sftp gsutil telnet base64 base32 basenc gbase64 uudecode xxd openssl gpg gpg2 "
    "age".split()
)
_ALWAYS = frozenset(
    "rimraf shutdown reboot halt poweroff telinit kexec soft-reboot crontab eval forsooth-hook "
    "-delete mke2fs mkdosfs mkntfs mkswap rev at batch su runuser ssh".split()
)
_WRITERS = frozenset(
    "cp gcp mv gmv install ginstall ln gln rsync scp touch tee truncate shred sponge ed ex unlink "
    "rm grm rmdir chmod chown chgrp sed gsed perl ruby yq dd curl wget tar bsdtar unzip sort "
    "ssh-keygen patch apply_patch applypatch find git".split()
)
_NAMES = (
    ".ssh",
    ".aws",
    ".gnupg",
    ".env",
    ".git/",
    "hooks",
    ".husky",
    ".bash",
    ".zsh",
    ".zprofile",
    ".zlog",
    ".profile",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    "config.fish",
    "/etc/",
    "cron",
    ".claude",
    ".codex",
    ".gemini",
    ".opencode",
    "opencode",
    ".cursor",
    ".mcp.json",
    "/forsooth",
    "mkfs",
    "newfs",
    "rmtree",
    "remove_tree",
    "rm_r",
    "rmsync",
    "rmdirsync",
    "fork",
    "$0",
)
_PERSONS = ("seal", "trust", "waive", "agree", "hook", "forsooth.")
_TYPED_INTO = frozenset("claude claude-code codex gemini gemini-cli opencode-ai tmux".split())
_TYPED = ("seal", "stop", "$", "`")
_BEGINS = tuple(
    f"{one}$" for one in (";", "|", "&", "(", "`", "\n", "{", "do", "then", "else", "sudo")
)
_CODED = ("$'", "\\x", "\\u", *(f"\\{digit}" for digit in range(8)))
_IN_CODE = ("open(", "write_text", "write_bytes", "path(")


def matter(command: str, *, fenced: bool) -> bool:
    """Whether a rule could apply; `fenced` when a goal's fence or oracles make any write matter."""
    low = command.replace("\\\n", "").translate(_GONE).casefold()
    tokens = set(low.translate(_APART).split())
    if tokens & _ALWAYS or any(name in low for name in _NAMES) or ".git" in tokens:
        return True
    return (
        _destroys(low, tokens)
        or _types(low, tokens)
        or _runs(low, tokens)
        or _hides(command, low)
        or (fenced and _writes(low, tokens))
    )


def _destroys(low: str, tokens: set[str]) -> bool:
    if tokens & {"rm", "grm"} and ("-" in low or "$" in low):
        return True
    if "777" in low and tokens & {"chmod", "gchmod", "install", "mkdir"}:
        return True
    if tokens & {"chmod", "gchmod"} and any(one in low for one in ("=", "rwx", "a+", "o+")):
        return True
    if tokens & {"kill"} and "-1" in low:
        return True
    if "init" in tokens and tokens & {"0", "6"}:
        return True
    if "forsooth" in low and any(one in low for one in _PERSONS):
        return True
    for one in _DEVICES if "/dev/" in low else ():
        low = low.replace(one, "")
    return "/dev/" in low


def _types(low: str, tokens: set[str]) -> bool:
    """A host handed a prompt, or keys pressed where one may wait; keys may stand apart."""
    joined = low.replace(" ", "")
    return bool(tokens & _TYPED_INTO) and any(one in joined for one in _TYPED)


def _runs(low: str, tokens: set[str]) -> bool:
    """Text that is made here and run here."""
    if "source" in tokens and "|" in low:
        return True
    if tokens & SHELLS and any(one in low for one in ("|", "<", " -", "$", "`")):
        return True
    if tokens & _FETCHERS and (
        tokens & SHELLS or any(one in low for one in ("$(", "`", "<(", ">("))
    ):
        return True
    piped = tokens & _FETCHERS and "|" in low
    return bool(piped and (tokens & _OTHERS or "python" in low or "pypy" in low))


def _hides(command: str, low: str) -> bool:
    """A command whose name is not written out."""
    squeezed = low.replace(" ", "").replace("\t", "")
    if squeezed.startswith("$") or any(one in squeezed for one in _BEGINS):
        return True
    if ("(){" in squeezed or "function" in low) and ("&" in squeezed or "|" in squeezed):
        return True
    if any(one in command for one in _CODED):
        return True
    return ("bin/" in low or "/?" in low) and any(one in low for one in "*?[")


def _writes(low: str, tokens: set[str]) -> bool:
    if tokens & _WRITERS or any(one in low for one in _IN_CODE):
        return True
    for one in _QUIET:
        low = low.replace(one, "")
    return ">" in low
