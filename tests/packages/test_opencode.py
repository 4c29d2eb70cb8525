"""The plugin for opencode in a driver's hands: what it asks, and what it makes of answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from forsooth.packages import Kit, package
from forsooth.packages.kit import GATE
from tests.hosts import clis
from tests.tools import absent

DRIVER = Path(__file__).parent / "driver.mjs"
MESSAGE = ["chat.message", {"sessionID": "s1"}, {"parts": [{"type": "text", "text": "ulw go"}]}]
SYSTEM = ["experimental.chat.system.transform", {"sessionID": "s1"}, {"system": ["theirs"]}]
BASH = ["tool.execute.before", {"tool": "bash", "sessionID": "s1"}, {"args": {"command": "ls"}}]


class Plugin:
    """The rendered plugin in a folder, with a gate that says what a test wants."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, body in package("opencode", Kit("1", "/opt/python")).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)

    def gate(self, **answers: str) -> None:
        """Answer each event named with the text given, and write every call down."""
        cases = "".join(f"{event}) printf '%s' '{said}' ;;\n" for event, said in answers.items())
        path = self.folder / GATE
        path.write_text(
            f'#!/bin/sh\nin=$(cat)\nprintf "%s %s %s\\n" "$1" "$2" "$in" >>"{self.folder}/calls"\n'
            f"case $2 in\n{cases}esac\n"
        )
        path.chmod(0o755)

    def play(self, *steps: list[Any]) -> Any:
        node = shutil.which("node", path=clis.path())
        if node is None:
            absent("node")
        done = subprocess.run(
            [node, DRIVER, self.folder / "index.js"],
            input=json.dumps(steps),
            cwd=self.folder,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return json.loads(done.stdout)

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        lines = (self.folder / "calls").read_text().splitlines()
        parts = [line.split(" ", 2) for line in lines]
        assert {host for host, _, _ in parts} == {"opencode"}
        return [(event, json.loads(payload)) for _, event, payload in parts]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path / "plugin")


def test_a_refused_tool_throws_and_one_that_only_looks_is_not_asked_about(plugin: Plugin):
    """In opencode, an error thrown before a tool is how it is refused."""
    plugin.gate(pre_tool='{"deny": "not this"}')
    read = ["tool.execute.before", {"tool": "read", "sessionID": "s1"}, {"args": {}}]
    first, second = plugin.play(BASH, read)["ends"]
    assert first == {"error": "not this"}
    assert "error" not in second
    ((event, payload),) = plugin.calls
    assert event == "pre_tool"
    assert payload["tool_name"] == "bash"
    assert payload["tool_input"] == {"command": "ls"}
    assert payload["session_id"] == "s1"
    assert payload["cwd"] == str(plugin.folder)


def test_what_a_session_is_told_stands_in_the_system_prompt_from_its_first_request(plugin: Plugin):
    """Start and typed prompt are asked about once each, and told with every request."""
    plugin.gate(session_start='{"context": "where we are"}', prompt='{"context": "you are held"}')
    ends = plugin.play(MESSAGE, SYSTEM, SYSTEM)["ends"]
    assert ends[1]["output"]["system"] == ["theirs", "where we are", "you are held"]
    assert ends[2] == ends[1]
    assert sorted(event for event, _ in plugin.calls) == ["prompt", "session_start"]
    assert [told["prompt"] for event, told in plugin.calls if event == "prompt"] == ["ulw go"]


def test_a_prompt_in_a_session_that_an_agent_started_is_marked_as_an_agent_s(plugin: Plugin):
    """Its `task` tool types into a child: known by the event, else asked for, and so in doubt."""
    plugin.gate()
    told = {"sessionID": "born", "info": {"id": "born", "parentID": "s1"}}
    born = ["event", {"event": {"type": "session.created", "properties": told}}, None]
    text = {"parts": [{"type": "text", "text": "seal"}]}
    names = ("born", "child", "lost", "s1")
    plugin.play(born, *(["chat.message", {"sessionID": name}, text] for name in names))
    agents = {p["session_id"]: p["agent_id"] for event, p in plugin.calls if event == "prompt"}
    assert agents == {"born": "s1", "child": "s1", "lost": "unknown", "s1": ""}


def test_compaction_gets_the_state_as_it_is_then(plugin: Plugin):
    """What a summary must keep comes from the plan, not from memory."""
    plugin.gate(session_start='{"context": "G001 is open"}')
    step = ["experimental.session.compacting", {"sessionID": "s1"}, {"context": []}]
    (end,) = plugin.play(step)["ends"]
    assert end["output"]["context"] == ["G001 is open"]
    assert plugin.calls[0][1]["source"] == "compact"


def test_the_end_of_a_turn_is_told_to_the_person_since_it_cannot_be_held(plugin: Plugin):
    """opencode reports an idle session after the fact; whoever watches sees what is missing."""
    plugin.gate(stop='{"context": "G001 is not proven"}')
    idle = {"event": {"type": "session.idle", "properties": {"sessionID": "s1"}}}
    other = {"event": {"type": "session.updated", "properties": {"sessionID": "s1"}}}
    told = plugin.play(["event", idle, None], ["event", other, None])
    assert told["toasts"] == ["G001 is not proven"]
    assert len(plugin.calls) == 1


@pytest.mark.parametrize("broken", ["absent", "silent", "garbled"])
def test_a_broken_gate_stops_nobody(plugin: Plugin, broken: str):
    """Whatever happens to the gate, opencode goes on as without us."""
    plugin.gate(**({"pre_tool": "{not json"} if broken == "garbled" else {}))
    if broken == "absent":
        (plugin.folder / GATE).unlink()
    ends = plugin.play(MESSAGE, SYSTEM, BASH)["ends"]
    assert [one.get("error") for one in ends] == [None, None, None]
    assert ends[1]["output"]["system"] == ["theirs"]


def test_a_setting_of_the_user_s_own_wins_over_ours(plugin: Plugin):
    """Commands, skills and the server are added, and nothing of theirs is replaced."""
    plugin.gate()
    theirs = {"command": {"forsooth:go": "mine"}, "mcp": {"x": 1}, "skills": {"paths": ["/s"]}}
    (end,) = plugin.play(["config", None, theirs])["ends"]
    config = end["output"]
    assert config["command"]["forsooth:go"] == "mine"
    assert set(config["command"]) == {"forsooth:go", "forsooth:status", "forsooth:stop"}
    assert config["skills"]["paths"] == ["/s", str(plugin.folder / "skills")]
    assert config["mcp"]["x"] == 1
    assert config["mcp"]["forsooth"]["command"][0] == "/opt/python"
