"""What hosts are given: that it is what is committed, holds together, and is little."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from forsooth import __version__
from forsooth.cli.main import VERBS
from forsooth.core.brief.brief import parse
from forsooth.hooks import answer, prompts
from forsooth.hooks.hosts import EVENTS
from forsooth.packages import HOSTS, Kit, package, tree
from forsooth.packages.commands import COMMANDS
from forsooth.packages.kit import GATE, text
from tests.requirements import requirement

ROOT = Path(__file__).parents[2]
ANY = Kit(__version__)
HOOKED = ("claude", "codex", "gemini")
RECAP = 600  # the most that the start of a session is told
LOOKING = ("Read", "Grep", "Glob", "LS", "TodoWrite", "read_file", "glob", "search_file_content")
SKILL = "skills/forsooth/SKILL.md"


def data(host: str, path: str, kit: Kit = ANY) -> Any:
    """One JSON file of a package."""
    return json.loads(package(host, kit)[path])


def rows(host: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every hook of a host: the event's name there, the row around it, the hook itself."""
    hooks = data(host, "hooks/hooks.json")["hooks"]
    return [(name, row, row["hooks"][0]) for name, found in hooks.items() for row in found]


def test_the_packages_committed_are_the_ones_rendered():
    """Whoever edits the source and forgets `make packages` is told."""
    made = tree(ANY)
    tops = [ROOT / "plugins", ROOT / ".claude-plugin", ROOT / ".agents/plugins"]
    found = [path for top in tops for path in top.rglob("*") if path.is_file()]
    assert {path.relative_to(ROOT).as_posix() for path in found} == made.keys(), "make packages"
    stale = [name for name, body in made.items() if (ROOT / name).read_bytes() != body]
    assert stale == [], "make packages"
    assert all(os.access(ROOT / name, os.X_OK) for name in made if name.endswith(GATE))


@pytest.mark.parametrize("host", HOOKED)
def test_every_hook_calls_the_package_s_own_gate_with_an_event_it_knows(host: str):
    """A name that the entry does not know would fail open for ever."""
    called = []
    for _, _, hook in rows(host):
        words = [hook["command"], *hook.get("args", [])]
        line = " ".join(words).replace('"', "")
        command, told, event = line.split(" ")
        assert command.endswith(f"/{GATE}")
        assert told == host
        called.append(event)
    assert len(called) == len(set(called))
    assert set(called) <= set(EVENTS)
    assert {"session_start", "prompt", "pre_tool", "stop", "end"} <= set(called)


@pytest.mark.parametrize(("host", "unit"), [("claude", 1), ("codex", 1), ("gemini", 1000)])
def test_time_limits_are_in_the_host_s_own_unit(host: str, unit: int):
    """Milliseconds where seconds are meant would kill every hook, which may take up to five."""
    limits = {name: hook["timeout"] / unit for name, _, hook in rows(host)}
    assert limits.pop("SessionEnd") == 3
    assert set(limits.values()) == {10}


@pytest.mark.parametrize("host", HOOKED)
def test_looking_at_files_is_not_watched_and_changing_them_is(host: str):
    """A hook on every read would slow an agent down for nothing."""
    (matcher,) = [row["matcher"] for _, row, _ in rows(host) if "matcher" in row]
    assert [name for name in LOOKING if re.search(matcher, name)] == []
    ours = "mcp_forsooth_next" if host == "gemini" else "mcp__plugin_forsooth_forsooth__next"
    writes = ("run_shell_command", "write_file") if host == "gemini" else ("Bash", "Edit", "Write")
    assert all(re.search(matcher, name) for name in (*writes, ours))


@pytest.mark.parametrize("host", HOSTS)
def test_a_package_s_readme_names_commands_only_where_it_has_some(host: str):
    """A page that lists commands and then says that there are none helps no one."""
    made = package(host, ANY)
    has_commands = any("forsooth:go" in name or "commands/" in name for name in made) or (
        "index.js" in made and b"forsooth:go" in made["index.js"]
    )
    assert (b"the commands `go`" in made["README.md"]) == has_commands


def test_no_package_chooses_a_model():
    """Neither a skill nor a command nor a manifest may swap the user's model behind their back."""
    for name, body in tree(ANY).items():
        assert not re.search(r'(?m)^\s*"?model"?\s*[:=]', body.decode()), name


def test_every_verb_the_texts_name_exists():
    """A skill that teaches a command nobody has would cost the agent its turn."""
    texts = [text(name) for name in ("skill.md", "go.md", "status.md", "stop.md", "readme.md")]
    named = {word for one in texts for word in re.findall(r"`(?:forsooth )?([a-z]+)[` ]", one)}
    named -= {"human", "environment", "time", "agent", "forsooth", "make", "ulw", "claude", "codex"}
    assert named - VERBS.keys() <= {"go", "uv"}
    assert {"plan", "next", "check", "done", "block", "steer", "why"} <= named


def test_the_brief_that_agents_are_shown_is_one():
    """The reference is an example that is read without a single defect."""
    (brief,) = re.findall(r"````markdown\n(.*?)````", text("brief.md"), re.DOTALL)
    found = parse(brief)
    assert [story.title for story in found.stories] == [
        "Reject malformed rows",
        "Document the errors",
    ]
    assert found.defects == ()


@requirement("R179", "R185")
@pytest.mark.parametrize("host", ["claude", "gemini", "opencode"])
def test_a_command_reaches_the_prompt_hook_as_typed_or_as_what_it_becomes(host: str):
    """Some hosts show the hook only the text that a command stands for, so it says its own name."""
    bodies = {
        one.name: _body(host, one.name).replace("{{args}}", "x").replace("$ARGUMENTS", "x")
        for one in COMMANDS
    }
    meant = {name: prompts.meaning(body) for name, body in bodies.items()}
    assert meant == {"go": prompts.GO, "status": prompts.TALK, "stop": prompts.STOP}


def _body(host: str, name: str) -> str:
    files = package(host, ANY)
    if host == "gemini":
        return tomllib.loads(files[f"commands/forsooth/{name}.toml"].decode())["prompt"]
    if host == "claude":
        return files[f"commands/{name}.md"].decode().split("---\n", 2)[2]
    listed = re.search(r"COMMANDS = (\{.*?\n\})\n", files["index.js"].decode(), re.DOTALL)
    assert listed
    return json.loads(listed[1])[f"forsooth:{name}"]["template"]


def test_a_session_is_told_less_than_six_thousand_bytes():
    """Beyond the tools' schemas: listing, start, a command, what it is answered, and the skill."""
    skill = text("skill.md")
    listing = skill.split("---\n", 2)[1]
    standing = [answer.PROPOSE, *("x" * RECAP + until for until in answer.UNTIL.values())]
    told = {
        "listing": len(listing.encode()),
        "start": RECAP,
        "go": len(_body("claude", "go").encode()),
        "prompt": len(answer.ON) + max(map(len, standing)),
        "skill": len(skill.encode()) - len(listing.encode()),
        "brief": len(text("brief.md").encode()),
    }
    assert sum(told.values()) <= 6000, told


@pytest.mark.parametrize("host", HOSTS)
def test_without_the_server_s_library_no_server_is_named(host: str):
    """An entry that cannot start is an error in every session."""
    without = package(host, ANY._replace(mcp=False))
    assert not [name for name in without if name.endswith(".mcp.json")]
    assert b'"mcp"' not in b"".join(without.values())
    assert b'"mcp"' in b"".join(package(host, ANY).values())


def test_the_server_is_never_looked_for_in_the_folder_the_agent_works_in():
    """A file `forsooth.py` in a repository must not become the program."""
    server = data("claude", ".mcp.json", Kit("1", "/opt/python"))["mcpServers"]["forsooth"]
    assert server == {"command": "/opt/python", "args": ["-I", "-m", "forsooth", "mcp"]}


def test_a_machine_s_paths_are_quoted_in_the_gate(tmp_path: Path):
    """Spaces and quotes in a path are a path's right."""
    odd = tmp_path / 'it\'s "odd" $HOME'
    gate = package("claude", Kit("1", f"{odd}/python", str(odd)))[GATE].decode()
    lines = [line for line in gate.splitlines() if line.startswith(("python=", "library="))]
    script = "\n".join([*lines, 'printf "%s\\n" "$python" "$library"'])
    sh = shutil.which("sh") or "sh"
    said = subprocess.run([sh, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == [f"{odd}/python", str(odd)]
