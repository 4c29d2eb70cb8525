"""Our package put into a host's home, with a wrapper around the gate that records every event.

What `init` does with the hosts' own commands is tested apart; here a package costs milliseconds.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

import forsooth
from forsooth.packages import Kit, tree
from forsooth.packages.kit import GATE

WRAPPER = """\
#!/bin/sh
call=$(mktemp -p {log})
cat >"$call"
{gate} "$@" <"$call" >"$call.said"
code=$?
echo "$2 $code $call" >>{log}/calls
cat "$call.said"
exit $code
"""


class Fired(NamedTuple):
    """One event that reached us: what the host sent, and what it was answered."""

    event: str
    code: int
    payload: dict[str, Any]
    said: str


class Package:
    """The packages of every host in one folder, as `init` leaves them."""

    def __init__(self, home: Path) -> None:
        self.folder = home / ".local/share/forsooth/packages"
        self._log = home / "fired"

    def write(self) -> None:
        self._log.mkdir()
        library = str(Path(forsooth.__file__).parents[1])
        for name, data in tree(Kit(forsooth.__version__, sys.executable, library)).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if data.startswith(b"#!"):
                path.chmod(0o755)
            if name.endswith(GATE):
                self._wrap(path)

    def _wrap(self, gate: Path) -> None:
        kept = gate.rename(gate.with_suffix(".kept"))
        log = shlex.quote(str(self._log))
        gate.write_text(WRAPPER.format(log=log, gate=shlex.quote(str(kept))))
        gate.chmod(0o755)

    def of(self, host: str) -> Path:
        return self.folder / "plugins" / host

    def fired(self, event: str = "") -> list[Fired]:
        """Every event so far, oldest first, or those of one kind."""
        calls = self._log / "calls"
        rows = calls.read_text().splitlines() if calls.exists() else []
        found: list[Fired] = []
        for row in rows:
            name, code, call = row.split(" ", 2)
            said = Path(f"{call}.said").read_text()
            found.append(Fired(name, int(code), json.loads(Path(call).read_bytes()), said))
        return [one for one in found if event in ("", one.event)]
