"""What `init`, `init --undo`, `uninstall` and `doctor` do with the agents of a machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.hosts import calls, has, packages, played
from tests.e2e.place import AGENT, Place
from tests.requirements import requirement

ALL = ("claude", "codex", "gemini", "opencode")
POINTER = ".config/opencode/plugin/forsooth.js"
WITHOUT_MCP = """\
import sys
sys.modules["mcp"] = None
sys.argv[0] = "forsooth"
from forsooth.__main__ import main
sys.exit(main())
"""


@requirement("D15")
def test_init_shows_what_it_would_do_to_each_agent_and_does_it_once_somebody_agrees(place: Place):
    """Every command is shown as it is run, and nothing is run for who says no."""
    env = {**played(place, *ALL), "NO_COLOR": "1"}
    seen = place.typed("init", answer="n", env=env)
    assert seen.code == 13
    assert f"claude plugin marketplace add {packages(place)}" in seen.out.replace("\r\n", "")
    assert calls(place, "claude") == []
    assert not packages(place).exists()
    place.run("init", "--yes", env=env)
    assert calls(place, "claude") == [
        f"plugin marketplace add {packages(place)}",
        "plugin install forsooth@forsooth",
    ]
    assert calls(place, "codex") == [
        f"plugin marketplace add {packages(place)}",
        "plugin add forsooth@forsooth",
    ]
    assert calls(place, "gemini") == [f"extensions link {packages(place)}/plugins/gemini --consent"]
    assert "index.js" in (place.home / POINTER).read_text()


@requirement("D15")
def test_each_agent_is_a_question_of_its_own(place: Place):
    """A no for one agent leaves that one alone, and the other gets the package."""
    env = {**played(place, "claude", "codex"), "NO_COLOR": "1"}
    but = {"Install the package into claude?": "n"}
    assert place.typed("init", answer="y", but=but, env=env).code == 0
    assert calls(place, "claude") == []
    assert has(place, "codex")


@requirement("D15")
def test_init_says_that_codex_wants_its_hooks_read_and_trusts_nothing_itself(place: Place):
    """Trust is the user's to give, in Codex."""
    told = place.run("init", "--yes", env=played(place, "codex")).out
    assert "/hooks" in told
    assert not [one for one in calls(place, "codex") if "trust" in one]
    assert not (place.home / ".codex").exists()


@requirement("D15")
def test_a_host_that_fails_is_told_of_and_the_others_go_on(place: Place):
    """Init is done all the same, and says what the host said."""
    env = {**played(place, *ALL), "BROKEN": "claude"}
    told = place.ask("init", "--yes", env=env)
    why = {one["host"]: one["why"] for one in told["hosts"]}
    assert why == {"claude": "the disk is full", "codex": "", "gemini": "", "opencode": ""}
    assert has(place, "codex")
    assert (place.folder / "forsooth.toml").exists()


@requirement("D15")
def test_a_host_that_cannot_say_what_it_has_is_left_alone(place: Place):
    """An old version without plugins is named, and nothing is tried on it."""
    env = {**played(place, "claude", "codex"), "BROKEN": "claude list"}
    told = place.run("init", "--yes", env=env).out
    assert "claude is left alone: it could not be asked: unknown command" in told
    assert calls(place, "claude") == []
    assert has(place, "codex")
    unsure = {one["name"]: one["package"] for one in place.ask("doctor", env=env)["hosts"]}
    assert unsure == {"claude": "unknown", "codex": "installed"}


@requirement("D15")
def test_agents_are_left_alone_on_request(place: Place):
    """`--no-agents` does not even ask them what they have."""
    place.run("init", "--yes", "--no-agents", env=played(place, *ALL))
    assert calls(place, "claude") == []
    assert not packages(place).exists()


@requirement("D15")
def test_a_package_that_the_user_installed_is_left_to_the_user(place: Place):
    """Neither installed again nor taken out by undo."""
    env = {**played(place, "claude"), "ELSEWHERE": "/opt/forsooth/plugins/claude"}
    told = place.run("init", "--yes", env=env).out
    assert "claude is left alone: you have installed it yourself" in told
    place.run("init", "--undo", "--yes", env=env)
    assert calls(place, "claude") == []


@requirement("D15")
def test_a_second_init_renews_what_has_changed_and_nothing_else(place: Place):
    """Codex keeps a copy, so it is given the package again; the others read it in place."""
    env = played(place, *ALL)
    place.run("init", "--yes", env=env)
    before = {name: calls(place, name) for name in ALL[:3]}
    assert "nothing to do" in place.run("init", "--yes", env=env).out
    gate = packages(place) / "plugins/claude/hooks/forsooth-hook"
    right = gate.read_bytes()
    gate.write_text("#!/bin/sh\n")
    told = place.ask("doctor", env=env)["hosts"]
    assert ["another version" in str(one["problems"]) for one in told] == [True] * 4
    (packages(place) / "plugins/claude/old.md").write_text("of an earlier version")
    place.run("init", "--yes", env=env)
    assert gate.read_bytes() == right
    assert not (packages(place) / "plugins/claude/old.md").exists()
    after = {name: calls(place, name)[len(before[name]) :] for name in ALL[:3]}
    assert after == {"claude": [], "codex": ["plugin add forsooth@forsooth"], "gemini": []}


@requirement("D15")
@pytest.mark.parametrize("verb", [("init", "--undo"), ("uninstall",), ("uninstall", "--all")])
def test_what_hosts_were_given_is_taken_back(place: Place, verb: tuple[str, ...]):
    """By the hosts' own commands, and the packages with it."""
    env = played(place, *ALL)
    place.run("init", "--yes", env=env)
    told = place.ask(*verb, "--yes", env=env)
    assert {one["host"]: one["why"] for one in told["hosts"]} == dict.fromkeys(ALL, "")
    assert [has(place, name) for name in ALL[:3]] == [False, False, False]
    assert not (place.home / POINTER).exists()
    assert not packages(place).parent.exists()
    assert calls(place, "claude")[-1] == "plugin marketplace remove forsooth"
    assert "nothing" in place.run(*verb, "--yes", env=env).out


@requirement("D15")
def test_the_package_stays_for_another_repository_that_has_our_files(place: Place, tmp_path: Path):
    """It is the user's, not one repository's, and the last one takes it along."""
    env = played(place, "claude")
    folder = tmp_path / "other"
    folder.mkdir()
    other = Place(folder, place.home)
    other.git("init", "-q")
    other.commit("a", "a\n")
    other.run("init", "--yes", env=env)
    place.run("init", "--yes", env=env)
    assert "the package in your agents stays" in place.run("init", "--undo", "--yes", env=env).out
    assert has(place, "claude")
    other.run("init", "--undo", "--yes", env=env)
    assert not has(place, "claude")


@requirement("D15")
def test_a_host_that_cannot_let_go_is_named_and_asked_again_next_time(place: Place):
    """Undo forgets a host only once it is rid of the package."""
    env = played(place, "claude", "codex")
    place.run("init", "--yes", env=env)
    broken = {**env, "BROKEN": "claude"}
    told = place.run("init", "--undo", "--yes", env=broken).out
    assert "claude still has the Forsooth package: the disk is full" in told
    assert not has(place, "codex")
    place.run("init", "--undo", "--yes", env=env)
    assert not has(place, "claude")


@requirement("D15")
def test_a_host_that_is_gone_or_lost_the_package_keeps_nobody_from_undoing(place: Place):
    """What is not there needs no taking back."""
    env = played(place, "claude", "codex")
    place.run("init", "--yes", env=env)
    (place.home.parent / "hosts/codex").unlink()
    state = place.home / ".claude.json"
    state.write_text(json.dumps({**json.loads(state.read_bytes()), "has": False}))
    told = place.ask("init", "--undo", "--yes", env=env)
    assert [one["why"] for one in told["hosts"]] == ["", ""]


@requirement("D15")
def test_without_the_server_s_library_no_entry_is_made_and_one_command_is_named(place: Place):
    """An agent is not given a server that cannot start."""
    prefix = (sys.executable, "-c", WITHOUT_MCP)
    env = played(place, "claude")
    told = place.run("init", "--yes", env=env, prefix=prefix).out
    assert "pip install 'forsooth[mcp]'" in told
    assert (packages(place) / "plugins/claude/hooks/hooks.json").exists()
    assert not (packages(place) / "plugins/claude/.mcp.json").exists()
    assert "pip install 'forsooth[mcp]'" in place.run("doctor", env=env, prefix=prefix).out
    assert "forsooth[mcp]" not in place.run("init", "--yes", env=env).out
    assert (packages(place) / "plugins/claude/.mcp.json").exists()


@requirement("D15")
def test_an_agent_cannot_have_itself_set_up(place: Place):
    """Whoever runs in an agent's shell changes no agent."""
    env = {**played(place, *ALL), **AGENT}
    place.run("init", "--yes", code=3, env=env)
    assert not (place.home / ".claude.json").exists()


@requirement("D15")
def test_doctor_tells_how_the_hooks_of_each_agent_fare(place: Place):
    """Installed or not, seen firing or not, trusted or not, and each time a hook gave way."""
    env = played(place, *ALL)
    before = {one["name"]: one for one in place.ask("doctor", env=env)["hosts"]}
    assert {one["package"] for one in before.values()} == {"absent"}
    place.run("init", "--yes", env=env)
    state = place.folder / ".git/forsooth"
    (state / "sessions").mkdir(parents=True)
    ulw = {"enabled": True, "stopBlocks": 2, "lastStopAt": ""}
    (state / "sessions/a.json").write_text(json.dumps({"host": "claude", "ulw": ulw}))
    (state / "sessions/b.json").write_text("{torn")
    line = {"at": "", "host": "claude", "event": "stop", "what": "failed open", "why": "no disk"}
    (state / "hooks.log").write_text(f"{json.dumps(line)}\n{{torn\n")
    told = place.ask("doctor", env=env)
    found = {one["name"]: one for one in told["hosts"]}
    assert {one["package"] for one in found.values()} == {"installed"}
    assert {one["version"] for one in found.values()} == {"1.2.3"}
    claude = found["claude"]
    assert (claude["sessions"], claude["holds"], claude["gave_way"]) == (1, 2, 1)
    assert claude["why"] == "no disk"
    assert claude["problems"] == []
    assert "1 of 1 hooks do not run until you trust them" in found["codex"]["problems"][0]
    assert "hold the end of a turn" in found["opencode"]["problems"][0]
    assert told["hook_cost"]["is_idle"]
    assert 0 < told["hook_cost"]["ratio"] < 20
    seen = place.run("doctor", env={**env, "TRUST": "trusted"}).out
    assert "trust" not in seen
    assert "hooks failed 1 time and let the agent continue, last: no disk" in seen
    assert "hooks ran here in 1 session" in seen
    assert "2 turns held" in seen


@requirement("D15")
@pytest.mark.parametrize("path", ["repo/.claude/settings.local.json", "home/.claude/settings.json"])
def test_doctor_sees_that_claude_code_runs_no_hooks_at_all(place: Place, path: str):
    """One setting switches every hook off, also from within a repository."""
    env = played(place, "claude")
    settings = place.home.parent / path
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')
    (host,) = place.ask("doctor", env=env)["hosts"]
    assert "disableAllHooks" in host["problems"][0]
    settings.write_text('{"disableAllHooks": false}')
    assert place.ask("doctor", env=env)["hosts"][0]["problems"] == []
