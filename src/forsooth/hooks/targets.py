"""Which files agents may not write: the person's own, their tools', ours, the plan's, the fence.

A path with wildcards is one the command's text does not settle: it is refused only where its plain
parts say enough.
"""

from __future__ import annotations

import os

from forsooth.hooks.globs import is_ignored, matches, sure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from forsooth.hooks.board import Board

_SECRETS = (".ssh", ".aws", ".gnupg")
_PUBLIC_ENV = ("example", "sample", "template", "dist", "defaults")
_START = frozenset(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv "
    ".zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc "
    ".config/fish/config.fish".split()
)
_SYSTEM = tuple(
    "/etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshrc /etc/zshenv "
    "/etc/zprofile /etc/environment /etc/fish".split()
)
_CRON = ("/etc/cron", "/etc/anacrontab", "/var/spool/cron", "/var/cron", "/var/at/tabs")
_AGENTS = {
    ".claude": (
        "settings.json",
        "settings.local.json",
        "hooks",
        "plugins",
        "managed-settings.json",
    ),
    ".codex": ("config.toml", "hooks.json", "hooks", "plugins"),
    ".gemini": ("settings.json", "hooks", "extensions", "trustedfolders.json"),
    ".opencode": ("plugin", "plugins", "opencode.json", "opencode.jsonc"),
    ".cursor": ("hooks.json", "hooks", "mcp.json"),
    ".github": ("hooks",),
    ".config": ("opencode",),
    ".agents": ("plugins",),
    "claude-code": ("managed-settings.json",),
}
_AGENT_FOLDERS = (".claude", ".codex", ".gemini", ".opencode")
_AGENT_FILES = (".claude.json", ".mcp.json", "opencode.json", "opencode.jsonc")
_GOALS = {  # where hosts keep their own goals, tasks and sessions, below the home
    ".claude": ("todos", "tasks"),
    ".codex": ("sessions", "goals", "state", "history.jsonl", "archived_sessions", "sqlite"),
    ".gemini": ("tmp",),
}
_OURS = (".local/state/forsooth", ".local/share/forsooth", ".config/forsooth")
_GIT_HOOKS = (".husky", ".githooks")

SAYS = {
    "state": "{path} is Forsooth's own record, which agents only read; use `forsooth status` to "
    "look and `forsooth done` to claim.",
    "git-hooks": "{path} belongs to git's hooks, which are the person's; leave them as they are.",
    "secrets": "{path} is where the person keeps keys; leave it alone and ask them if the work "
    "needs it.",
    "env": "{path} is an environment file of the person's; name the variable in `.env.example` and "
    "ask them to set it.",
    "start-file": "{path} is read by every new shell of the person's; set what you need in the "
    "command itself.",
    "agent-settings": "{path} sets what agents may do and which hooks watch them; leave it to the "
    "person.",
    "host-goals": "{path} is where the host keeps goals and sessions of its own; only read it, and "
    "say what is done with `forsooth done`.",
    "crontab": "{path} holds scheduled jobs, which are the person's; leave them as they are.",
    "oracle": "{path} is what a check rests on, sealed with the plan; make the work meet it as it "
    "is.",
    "never": "{path} is never to be touched in {goals} ({globs}); leave it as it is.",
    "fence": "{path} is outside the fence of {goals} ({globs}); stay inside, and put scratch files "
    "in a temporary folder outside the work tree.",
}


def refusal(path: str, does: str, board: Board, home: str) -> str:
    """Why an absolute path may not be written or removed; empty when it may."""
    code, globs = rule(path, does, board, home)
    if not code:
        return ""
    goals = " ".join(_texts(board, "goals")) or "this plan"
    shown = (_inside(path, board) or path)[:160]
    return SAYS[code].format(path=shown, goals=goals, globs=", ".join(globs)[:160])


def rule(path: str, does: str, board: Board, home: str) -> tuple[str, list[str]]:
    """The name of the rule that keeps a path, and the plan's globs that say so."""
    if code := _kept(path.casefold(), does, board, home):
        return code, []
    inside = _inside(path, board)
    if not inside or _is_in(path, board.common) or does == "folder":
        return "", []
    return _planned(inside, does, board)


def _inside(path: str, board: Board) -> str:
    """A path as seen from the top of the work tree; empty when it is not in it."""
    top = os.path.realpath(board.top)
    return path[len(top) + 1 :] if path.startswith(f"{top}/") else ""


def _texts(board: Board, name: str) -> list[str]:
    found: list[Any] = board.now.get(name) or []
    return [one for one in found if isinstance(one, str)]


def _kept(path: str, does: str, board: Board, home: str) -> str:
    """The rule that keeps a path whatever the plan says."""
    home, top = home.casefold(), os.path.realpath(board.top).casefold()
    common = board.common.casefold()
    ours = [f"{common}/forsooth", *(f"{home}/{one}" for one in _OURS)]
    if any(_is_in(path, one) for one in ours):
        return "state"
    parts = path.split("/")
    if code := _by_parts(parts, inside=_is_in(path, top)):
        return code
    if does == "remove" and (_is(parts[-1], ".git") or path == f"{top}/.*"):
        return "state"
    if _is_in(path, f"{common}/hooks") or any(_is_in(path, one) for one in _configured(board)):
        return "git-hooks"
    if code := _at_home(path, parts, home, inside=_is_in(path, top)):
        return code
    if path.startswith(_CRON):
        return "crontab"
    if does == "remove" and not _is_open(path):
        return _above(path, ours, common, home)
    return ""


def _by_parts(parts: list[str], *, inside: bool) -> str:
    """Rules that go by names, wherever they are."""
    for at, part in enumerate(parts):
        below = parts[at + 1] if at + 1 < len(parts) else ""
        if (_is(part, ".git") and "hooks" in parts[at + 1 :]) or part in _GIT_HOOKS:
            return "git-hooks"
        if below and any(_is(below, one) for one in _AGENTS.get(part, ())):
            return "agent-settings"
        if part in _SECRETS and not inside:
            return "secrets"
    name = parts[-1]
    if _is(name, ".env") or name == ".envrc":
        return "env"
    if name.startswith(".env.") and not name.endswith(_PUBLIC_ENV):
        return "env"
    return "agent-settings" if name in _AGENT_FILES else ""


def _at_home(path: str, parts: list[str], home: str, *, inside: bool) -> str:
    below = path[len(home) + 1 :] if path.startswith(f"{home}/") else ""
    first, _, rest = below.partition("/")
    if any(_is(first, one) for one in _SECRETS):
        return "secrets"
    if rest.startswith(_GOALS.get(first, ("/",))):
        return "host-goals"
    if any(_is(below, one) for one in _START) or any(_is_in(path, one) for one in _SYSTEM):
        return "start-file"
    return "start-file" if not inside and parts[-1] in _START else ""


def _configured(board: Board) -> Iterator[str]:
    """Where the repository's own settings say its hooks are."""
    try:
        with open(os.path.join(board.common, "config"), encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 16).split("\n")
    except OSError:
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip().casefold() == "hookspath" and value.strip().strip('"'):
            where = os.path.expanduser(value.strip().strip('"'))
            yield os.path.realpath(os.path.join(board.top, where)).casefold()


def _above(path: str, ours: list[str], common: str, home: str) -> str:
    """Removing a folder removes what is kept in it."""
    if any(_is_in(one, path) for one in (*ours, common)):
        return "state"
    if any(_is_in(f"{home}/{one}", path) for one in _SECRETS):
        return "secrets"
    return "agent-settings" if path.rpartition("/")[2] in _AGENT_FOLDERS else ""


def _planned(inside: str, does: str, board: Board) -> tuple[str, list[str]]:
    """The rule of the plan that keeps a path of the work tree, and the globs that say so."""
    if any(_hits(glob, inside, does) for glob in _texts(board, "oracles")):
        return "oracle", []
    if never := [glob for glob in _texts(board, "never") if _hits(glob, inside, does)]:
        return "never", never
    touch = _texts(board, "touch")
    if not touch or any(_allows(glob, inside) for glob in touch):
        return "", []
    return ("", []) if is_ignored(inside, board.top, board.common) else ("fence", touch)


def _hits(glob: str, inside: str, does: str) -> bool:
    if matches(glob, inside):
        return True
    return does == "remove" and f"{glob.casefold()}/".startswith(f"{inside.casefold()}/")


def _allows(glob: str, inside: str) -> bool:
    """Whether a fence lets a path be changed; a folder whose files it names is in it too."""
    if matches(glob, inside) or matches(glob, f"{inside}/x"):
        return True
    if not _is_open(inside):
        return False
    known, plain = sure(inside).casefold(), sure(glob.removeprefix("./")).casefold()
    return known.startswith(plain) or plain.startswith(known)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _is_open(path: str) -> bool:
    """Whether the command's text leaves a part of the path open."""
    return any(one in path for one in "*?[")


def _is(part: str, name: str) -> bool:
    """Whether a part of a path is a name, or a pattern that begins like it and matches it."""
    if part == name or not _is_open(part) or part[:2] != name[:2]:
        return part == name
    from fnmatch import fnmatchcase  # noqa: PLC0415

    return fnmatchcase(name, part)
