"""Agents' programs played by one small script each: they keep what they were given, as hosts do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.e2e.place import Place

SCRIPT = r"""#!{python}
import json, os, pathlib, sys
name, argv = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
if argv == ["--version"]:
    print("1.2.3")
    sys.exit()
kept = pathlib.Path(os.environ["HOME"], f".{{name}}.json")
state = json.loads(kept.read_text()) if kept.exists() else {{"calls": [], "tree": "", "has": False}}
verb = " ".join(argv)
state["calls"].append(verb)
code = 0
if argv == ["app-server"]:
    sys.stdin.readline()
    on = os.environ.get("TRUST", "untrusted")
    row = {{"pluginId": "forsooth@x", "eventName": "stop", "trustStatus": on, "enabled": True}}
    print(json.dumps({{"id": 1, "result": {{"data": [{{"hooks": [row]}}]}}}}), flush=True)
    sys.stdin.read()
elif os.environ.get("BROKEN") == f"{{name}} list":
    print("unknown command", file=sys.stderr)
    code = 1
elif " list" in verb:
    folder = os.environ.get("ELSEWHERE") or f"{{state['tree']}}/plugins/{{name}}"
    has = state["has"] or "ELSEWHERE" in os.environ
    row = {{"id": "forsooth@x", "name": "forsooth", "readFromFolder": folder, "enabled": True,
           "source": {{"path": folder}}, "path": folder, "isActive": True}}
    rows = [row] if has else []
    print("a warning first", file=sys.stderr)
    print(json.dumps({{"installed": rows}} if name == "codex" else rows))
elif os.environ.get("BROKEN") == name:
    print("the disk is full", file=sys.stderr)
    code = 1
elif "marketplace add" in verb:
    state["tree"] = argv[-1]
elif "extensions link" in verb:
    state.update(tree=argv[2].removesuffix("/plugins/gemini"), has=True)
elif "plugin install" in verb or "plugin add" in verb:
    state["has"] = True
elif "uninstall" in verb or "plugin remove" in verb:
    code, state["has"] = 0 if state["has"] else 1, False
kept.write_text(json.dumps(state))
sys.exit(code)
"""


def played(place: Place, *names: str) -> dict[str, str]:
    """Put programs of these names on the PATH; the environment to run with."""
    folder = place.home.parent / "hosts"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(SCRIPT.format(python=sys.executable), encoding="utf-8")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{place.environment()['PATH']}"}


def has(place: Place, name: str) -> bool:
    """Whether a played host has our package."""
    return json.loads((place.home / f".{name}.json").read_bytes())["has"]


def calls(place: Place, name: str) -> list[str]:
    """What a played host was asked to do, apart from saying what it has."""
    path = place.home / f".{name}.json"
    told = json.loads(path.read_bytes())["calls"] if path.exists() else []
    return [one for one in told if " list" not in one and one != "app-server"]


def packages(place: Place) -> Path:
    """Where the packages for this machine lie."""
    return place.home / ".local/share/forsooth/packages"
