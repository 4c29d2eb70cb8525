"""How each host is given our package, asked about it and rid of it: by its own commands alone.

No trust is ever given in the user's place; where a host wants some, the note says what to type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.agents import program

SECONDS = 60.0
_NAMED = "forsooth@forsooth"


class Found(NamedTuple):
    """Our package as a host knows it: where it was taken from, and whether it is on."""

    folder: str
    is_on: bool


class Host(NamedTuple):
    """The words of one host's command line; `{tree}` is the folder of all packages."""

    name: str
    add: tuple[tuple[str, ...], ...]
    again: tuple[tuple[str, ...], ...]  # after the package has changed
    remove: tuple[tuple[str, ...], ...]
    listing: tuple[str, ...]
    read: Callable[[Any], list[Found]]
    env: Mapping[str, str]
    note: str = ""


class Failed(Exception):
    """A host could not do what it was asked."""


def _claude(rows: Any) -> list[Found]:
    ours = [row for row in rows if str(row["id"]).startswith("forsooth@")]
    return [Found(str(row.get("readFromFolder", "")), bool(row["enabled"])) for row in ours]


def _codex(told: Any) -> list[Found]:
    ours = [row for row in told["installed"] if row["name"] == "forsooth"]
    return [Found(str(row["source"].get("path", "")), bool(row["enabled"])) for row in ours]


def _gemini(rows: Any) -> list[Found]:
    ours = [row for row in rows if row["name"] == "forsooth"]
    return [Found(str(row["path"]), bool(row["isActive"])) for row in ours]


_MARKET = ("plugin", "marketplace")

HOSTS = {
    "claude": Host(
        "Claude Code",
        add=((*_MARKET, "add", "{tree}"), ("plugin", "install", _NAMED)),
        again=(),
        remove=(("plugin", "uninstall", _NAMED), (*_MARKET, "remove", "forsooth")),
        listing=("plugin", "list", "--json"),
        read=_claude,
        env={"DISABLE_AUTOUPDATER": "1"},
        note="sessions that are open see it after /reload-plugins",
    ),
    "codex": Host(
        "Codex",
        add=((*_MARKET, "add", "{tree}"), ("plugin", "add", _NAMED)),
        again=(("plugin", "add", _NAMED),),
        remove=(("plugin", "remove", _NAMED), (*_MARKET, "remove", "forsooth")),
        listing=("plugin", "list", "--json"),
        read=_codex,
        env={},
        note="Codex runs no hook before you trust it: start codex, type /hooks, and read them",
    ),
    "gemini": Host(
        "Gemini CLI",
        add=(("extensions", "link", "{tree}/plugins/gemini", "--consent"),),
        again=(),
        remove=(("extensions", "uninstall", "forsooth"),),
        listing=("extensions", "list", "-o", "json"),
        read=_gemini,
        # For this process alone; otherwise it would write the folder down as trusted.
        env={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"},
    ),
}


class Asked(NamedTuple):
    """One host's program, and where and with what environment it is asked."""

    host: Host
    program: Path
    env: Mapping[str, str]
    folder: Path

    def run(self, words: tuple[str, ...], tree: Path | None = None) -> program.Told:
        """One command of the host's; whatever keeps it from being run is a failure of its own."""
        argv = tuple(word.replace("{tree}", str(tree)) for word in words)
        try:
            env = {**self.env, **self.host.env}
            asked = (str(self.program), *argv)
            return program.ask(asked, env=env, folder=self.folder, seconds=SECONDS)
        except (OSError, program.Slow) as error:
            raise Failed(str(error)) from None

    def perform(self, steps: tuple[tuple[str, ...], ...], tree: Path) -> None:
        """Every step in order, up to the first that fails."""
        for words in steps:
            told = self.run(words, tree)
            if told.code:
                raise Failed(told.last)

    def rid(self) -> None:
        """Take our package out; only one that stays although it was asked to go is a failure."""
        told = [self.run(words) for words in self.host.remove]
        failed = [one for one in told if one.code]
        if failed and self.found():
            raise Failed(failed[0].last)

    def found(self) -> list[Found]:
        """What it has of ours."""
        told = self.run(self.host.listing)
        try:
            return self.host.read(told.data())
        except (KeyError, TypeError, AttributeError):
            raise Failed(told.last) from None
