"""A campaign: Claude Code as a person sees it, from `init` to a refused and then a proven goal.

`python tests/hosts/tui.py FILE` drives the interactive program in tmux and writes each screen.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.e2e.place import new
from tests.hosts import clis
from tests.hosts.claude import Claude
from tests.hosts.network import network
from tests.hosts.work import HELLO, honest, planned, status
from tests.scripted_model.model import Script, Turn
from tests.scripted_model.server import serving

SECONDS = 90
WIDE, HIGH = "110", "42"


class Screen:
    """A terminal with one program in it."""

    def __init__(self, host: Claude) -> None:
        self._host, self.shots = host, []
        self._tmux = ("tmux", "-S", str(host.scratch / "tmux"))

    def _call(self, *argv: str) -> str:
        done = self._host.run(*self._tmux, *argv)
        assert not done.returncode, done.stderr
        return done.stdout

    def open(self, command: str) -> None:
        self._call("new-session", "-d", "-x", WIDE, "-y", HIGH, command)

    def close(self) -> None:
        self._host.run(*self._tmux, "kill-server")

    def type(self, text: str) -> None:
        self._call("send-keys", "-l", text)
        time.sleep(0.5)
        self._call("send-keys", "Enter")

    def shows(self, wanted: str) -> str:
        """Wait until the screen has some words; keep it as it is then."""
        ends = time.monotonic() + SECONDS
        while True:
            seen = self._call("capture-pane", "-p", "-S", "-")
            if re.search(wanted, seen):
                time.sleep(1)
                self.shots.append((wanted, self._call("capture-pane", "-p", "-S", "-").rstrip()))
                return seen
            if time.monotonic() > ends:
                sys.exit(f"{wanted!r} never came:\n{seen}")
            time.sleep(0.2)


@contextmanager
def screen(host: Claude) -> Iterator[Screen]:
    made = Screen(host)
    try:
        yield made
    finally:
        made.close()


def settle(host: Claude) -> None:
    """What a person answers once: the tour, the key, the trust in a folder."""
    trusted = {str(host.place.folder): {"hasTrustDialogAccepted": True}}
    approved = {"approved": ["dummy"], "rejected": []}
    told = {"hasCompletedOnboarding": True, "theme": "dark", "projects": trusted}
    path = host.place.home / ".claude.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, **told, "customApiKeyResponses": approved}))


def play(host: Claude, script: Script) -> Iterator[tuple[str, str]]:
    """Every screen, under what it shows."""
    planned(host.place)
    done = host.run(*host.forsooth, "init", "--yes")
    yield "forsooth init", done.stdout + done.stderr
    settle(host)
    begin, _, claim, proven = honest(host)
    script.turns += [
        Turn("The plan is waiting for you: type seal."),
        Turn("It is being sealed; tell me to go on when it is."),
        begin,
        Turn("Done. The greeting greets."),
        Turn("", (host.shell(HELLO),)),
        claim,
        proven,
    ]
    with screen(host) as seen:
        seen.open(f"{host.command} --allowedTools 'Bash,mcp__plugin_forsooth_forsooth'")
        seen.shows(r"\? for shortcuts|auto mode|❯")
        seen.type("what is planned here?")
        seen.shows("type seal")
        seen.type("seal")
        seen.shows("tell me to go on")
        while status(host.place) == "draft":
            time.sleep(0.5)
        seen.type("go on")
        seen.shows("Not proven yet")
        seen.shows("It is proven")
        yield from seen.shots
    yield "forsooth status", host.run(*host.forsooth, "status").stdout


def main() -> None:
    subprocess.run(["tmux", "-V"], check=True, stdout=subprocess.DEVNULL)
    script = Script([])
    with (
        network() as net,
        tempfile.TemporaryDirectory() as folder,
        serving(script, net.listen()) as url,
    ):
        host = Claude(new(Path(folder)), clis.install("claude"), network=net, url=url)
        shots = [f"=== {name}\n{text}\n" for name, text in play(host, script)]
        ended = status(host.place)
    Path(sys.argv[1]).write_text("\n".join(shots))
    sys.stdout.write(f"{len(shots)} screens in {sys.argv[1]}; the plan is {ended}\n")
    sys.exit(ended != "done")


if __name__ == "__main__":
    main()
