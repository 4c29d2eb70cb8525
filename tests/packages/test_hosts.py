"""The packages before the hosts themselves: their validators, and what `init` does to each host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.agents import trust
from forsooth.packages.__main__ import write
from tests.e2e.place import Place
from tests.hosts import clis
from tests.hosts.conftest import Start
from tests.hosts.work import sealed
from tests.requirements import requirement
from tests.scripted_model.model import Script
from tests.tools import absent, require

QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}


ON_DEMAND = ("skills/forsooth/SKILL.md", "skills/forsooth/references/brief.md")


def command(name: str) -> Path:
    """The host's program, installed where it was asked for."""
    found = clis.found(name)
    if found is None and os.environ.get("FORSOOTH_HOSTS"):
        return clis.install(name)
    if found is None:
        absent(name, f"{name} is not installed: python tests/hosts/clis.py")
    return found


def environment(place: Place, *names: str) -> dict[str, str]:
    """A PATH with these hosts first, and a home and scratch folder of the test's own."""
    programs = place.home.parent / "programs"
    programs.mkdir(exist_ok=True)
    for name in names:
        (programs / name).symlink_to(command(name))
    scratch = place.home.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    env = {"PATH": f"{programs}:{clis.path()}", "TMPDIR": str(scratch)}
    return place.environment({**QUIET, **env})


def said(place: Place, env: dict[str, str], *argv: str | Path) -> str:
    """What a host says when asked to its face."""
    done = subprocess.run(
        argv, cwd=place.home, env=env, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done
    return done.stdout + done.stderr


@pytest.mark.host
@pytest.mark.parametrize("folder", [".", "plugins/claude"])
def test_claude_code_finds_nothing_to_warn_of(place: Place, folder: str):
    """Its own validator in its strict mode, on the plugin and on the catalogue."""
    write(place.home / "packages")
    env = environment(place, "claude")
    told = said(
        place, env, "claude", "plugin", "validate", "--strict", place.home / "packages" / folder
    )
    assert "Validation passed" in told


@pytest.mark.host
def test_gemini_cli_accepts_the_extension(place: Place):
    """Its own validator."""
    write(place.home)
    env = environment(place, "gemini")
    told = said(place, env, "gemini", "extensions", "validate", place.home / "plugins/gemini")
    assert "successfully validated" in told


def test_the_skill_keeps_to_the_open_specification(place: Place):
    """The reference validator of the Agent Skills format."""
    write(place.home)
    program = Path(sys.executable).with_name("agentskills")
    require("agentskills")
    for host in ("", "claude/", "codex/", "gemini/", "opencode/"):
        folder = place.home / f"plugins/{host}skills/forsooth"
        assert "Valid skill" in said(place, place.environment(), program, "validate", folder)


@pytest.mark.host
@requirement("D15")
def test_init_gives_every_host_its_package_and_undo_takes_it_back(place: Place):
    """By the hosts' own commands; no trust is given, and what the hosts list afterwards says so."""
    env = environment(place, "claude", "codex", "opencode")
    told = place.ask("init", "--yes", env=env)
    assert [(one["host"], one["why"]) for one in told["hosts"]] == [
        ("claude", ""),
        ("codex", ""),
        ("opencode", ""),
    ]
    assert "forsooth@forsooth" in said(place, env, "claude", "plugin", "list")
    assert "forsooth@forsooth" in said(place, env, "codex", "plugin", "list")
    hooks = trust.hooks(command("codex"), place.folder, env=env)
    assert hooks
    assert len(hooks) == len(_events(place))
    assert {one.trust for one in hooks} == {"untrusted"}
    assert not any(one.runs for one in hooks)
    report = {one["name"]: one for one in place.ask("doctor", env=env)["hosts"]}
    assert {one["package"] for one in report.values()} == {"installed"}
    assert "trust" in report["codex"]["problems"][0]
    assert report["claude"]["problems"] == []
    again = place.ask("init", "--yes", env=env)
    assert [one["due"] for one in again["agents"]] == [False, False, False]
    place.ask("init", "--undo", "--yes", env=env)
    assert json.loads(said(place, env, "claude", "plugin", "list", "--json")) == []
    assert "forsooth" not in (place.home / ".codex/config.toml").read_text()
    assert not list(place.home.glob(".config/opencode/plugin/*"))
    assert not (place.home / ".local/share/forsooth").exists()


def _events(place: Place) -> list[str]:
    hooks = place.home / ".local/share/forsooth/packages/plugins/codex/hooks/hooks.json"
    return list(json.loads(hooks.read_bytes())["hooks"])


@pytest.mark.host
@requirement("D15")
def test_gemini_cli_is_linked_without_trusting_any_folder(place: Place):
    """Its own question about trust is answered for one process, and never written down."""
    env = environment(place, "gemini")
    place.ask("init", "--yes", env=env)
    kept = place.home / ".gemini/extensions/forsooth/.gemini-extension-install.json"
    packages = place.home / ".local/share/forsooth/packages"
    assert json.loads(kept.read_bytes())["source"] == str(packages / "plugins/gemini")
    assert not (place.home / ".gemini/trustedFolders.json").exists()
    place.ask("init", "--undo", "--yes", env=env)
    assert not (place.home / ".gemini/extensions/forsooth").exists()


@pytest.mark.host
def test_opencode_loads_the_commands_the_skill_and_the_server(place: Place):
    """All of it comes with one file in its plugin folder."""
    env = environment(place, "opencode")
    place.ask("init", "--yes", env=env)
    folder = place.home / ".config/opencode"
    (folder / "node_modules").mkdir()
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock))  # what it would fetch at first
    env |= {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    told = said(
        place, env | {"npm_config_registry": "http://127.0.0.1:9"}, "opencode", "debug", "config"
    )
    config = json.loads(told[told.index("{") :])
    assert {"forsooth:go", "forsooth:status", "forsooth:stop"} <= config["command"].keys()
    assert config["mcp"]["forsooth"]["command"][-1] == "mcp"
    skills = Path(config["skills"]["paths"][0])
    assert (skills / "forsooth/SKILL.md").is_file()


@pytest.mark.host
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_session_reads_less_than_six_thousand_bytes_more_with_us(start: Start, name: str):
    """Measured in what the model is sent, one hold included, as if the skill were read too."""
    without, with_us = Script([]), Script([])
    bare = start(name, without)
    sealed(bare.place)
    assert bare.turn("ulw go").code == 0
    host = start(name, with_us)
    host.install()
    assert host.turn("ulw go").code == 0
    assert "Not proven yet" in with_us.asked[-1].text
    lies, usual = str(host.package.of(name)), "~/.local/share/forsooth/packages/plugins/it"
    told = with_us.asked[-1].text.replace(lies, usual)
    more = len(told.encode()) - len(without.asked[-1].text.encode())
    skill = sum(len((host.package.of(name) / path).read_bytes()) for path in ON_DEMAND)
    assert 500 < more < 2500
    assert more + skill <= 6000
