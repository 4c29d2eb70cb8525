"""Who is taken for a person: real trees of processes, honest ones beside an agent's."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from forsooth.hooks import lineage
from tests.tools import needs

SEAT = Path(__file__).parent / "seat.py"
SOURCES = Path(__file__).parents[2] / "src" / "forsooth"
PROBE = (
    "import json, sys; from forsooth.project.persons import caller;"
    "open(sys.argv[1], 'w').write(json.dumps(caller().plain()))"
)
CLEAN = {"PATH": os.environ["PATH"], "USER": "ada", "TERM": "dumb"}
MARKED = {**CLEAN, "CLAUDECODE": "1"}
PERSON = {"kind": "human", "name": "ada", "channel": "terminal"}


def probe(file: Path) -> list[str]:
    """A command that writes down whom it takes its caller for."""
    return [sys.executable, "-c", PROBE, str(file)]


def seated(
    argv: list[str],
    *,
    name: str = "terminal",
    env: Mapping[str, str] = CLEAN,
    inside: Mapping[str, str] = CLEAN,
) -> None:
    """Run a command in a terminal that a program of some name opened."""
    done = subprocess.run(
        [name, "-I", str(SEAT), json.dumps(inside), *argv],
        executable=sys.executable,
        env=env,
        start_new_session=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0


def told(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def in_shell(argv: list[str]) -> list[str]:
    """The same, typed into a shell that stays above it."""
    return ["sh", "-c", f"{shlex.join(argv)}; exit $?"]


@pytest.mark.parametrize(
    "name",
    ["xterm", "sshd-session: ada@pts/3", "sshd: ada@pts/3", "screen", "code --type=ptyHost"],
)
def test_a_person_who_types_is_a_person_whatever_opened_the_terminal(tmp_path: Path, name: str):
    """Terminal, SSH, multiplexer and an editor's terminal: none of them is an agent."""
    file = tmp_path / "told"
    seated(in_shell(probe(file)), name=name)
    assert told(file) == PERSON


def test_a_command_that_is_itself_the_leader_of_the_terminal_is_a_person_s(tmp_path: Path):
    """As `ssh -t host forsooth seal` and `xterm -e forsooth seal` start it."""
    seated(probe(tmp_path / "told"), name="sshd: ada")
    assert told(tmp_path / "told") == PERSON


@needs("tmux")
def test_a_person_in_tmux_is_a_person_also_beside_an_agent(tmp_path: Path):
    """The agent in another window is no ancestor; its server is the person's own."""
    file, socket = tmp_path / "told", str(tmp_path / "tmux")
    tmux = ["tmux", "-S", socket, "-f", os.devnull]
    beside = shlex.join(["env", "CLAUDECODE=1", "sh", "-c", "read line"])
    command = shlex.join(in_shell(probe(file)))
    window = f"{command}; {shlex.join([*tmux, 'wait-for', '-S', 'over'])}"
    try:
        subprocess.run([*tmux, "new-session", "-d", beside], env=CLEAN, check=True)
        subprocess.run([*tmux, "new-window", window], env=CLEAN, check=True)
        subprocess.run([*tmux, "wait-for", "over"], env=CLEAN, check=True, timeout=120)
    finally:
        subprocess.run([*tmux, "kill-server"], env=CLEAN, check=True)
    assert told(file) == PERSON


def test_a_person_stays_one_where_sudo_clears_the_environment(tmp_path: Path):
    """What stands above in between has another name and no variables."""
    file = tmp_path / "told"
    cleared = ["env", "-i", "USER=ada", "sh", "-c", f"{shlex.join(probe(file))}; exit $?"]
    seated(in_shell(cleared))
    assert told(file) == PERSON


def test_a_script_that_takes_the_mark_off_and_opens_a_terminal_is_still_the_agent(tmp_path: Path):
    """The mark is gone from the command's own environment, and not from its ancestors'."""
    file = tmp_path / "told"
    seated(in_shell(probe(file)), env=MARKED, inside=CLEAN)
    assert told(file) == {"kind": "agent", "name": "claude-code"}


def test_clearing_the_environment_as_sudo_does_makes_no_person_of_an_agent(tmp_path: Path):
    """The shell that called it is above it still."""
    file = tmp_path / "told"
    seated(in_shell(["env", "-i", *probe(file)]), inside=MARKED)
    assert told(file) == {"kind": "agent", "name": "claude-code"}


@pytest.mark.parametrize("name", lineage.PROGRAMS)
def test_an_agent_s_program_is_known_by_its_name(tmp_path: Path, name: str):
    """A shell that replaced itself leaves no mark; the program that started it is above it."""
    file = tmp_path / "told"
    seated(probe(file), name=f"/nowhere/bin/{name}")
    assert told(file) == {"kind": "agent", "name": lineage.PROGRAMS[name]}


def test_a_process_that_outlived_its_parents_is_known_by_who_leads_the_terminal(tmp_path: Path):
    """Started twice over and unmarked, it stays in the session of the agent's shell."""
    file, fifo = tmp_path / "told", tmp_path / "over"
    os.mkfifo(fifo)
    orphan = f"while kill -0 $PARENT 2>/dev/null; do :; done; {shlex.join(probe(file))}; : > {fifo}"
    middle = f"PARENT=$$ env -u CLAUDECODE sh -c {shlex.quote(orphan)} &"
    leader = f"sh -c {shlex.quote(middle)}; read line < {fifo}; exit 0"
    seated(["sh", "-c", leader], inside=MARKED)
    assert told(file) == {"kind": "agent", "name": "claude-code"}


CHAIN = """\
import os, sys
for _ in range(300):
    if child := os.fork():
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os.execvp(sys.argv[1], sys.argv[1:])
"""


def test_an_agent_is_seen_above_any_number_of_processes(tmp_path: Path):
    """Hundreds of unmarked processes between its shell and the command hide nothing."""
    file = tmp_path / "told"
    chain = [sys.executable, "-c", CHAIN, *probe(file)]
    seated(in_shell(["env", "-u", "CLAUDECODE", *chain]), inside=MARKED)
    assert told(file) == {"kind": "agent", "name": "claude-code"}


@needs("strict", "unshare")
def test_who_hides_every_process_is_no_person(tmp_path: Path):
    """Where not even the own process can be read, an agent may stand above."""
    file = tmp_path / "told"
    hidden = f"mount -t tmpfs none /proc && {shlex.join(probe(file))}"
    seated(["unshare", "--map-root-user", "--mount", "sh", "-c", hidden])
    assert told(file) == {"kind": "agent", "name": "agent"}


def test_a_terminal_opened_from_outside_its_session_makes_no_person(tmp_path: Path):
    """A screen that is only lent as input and output is no one's seat."""
    file = tmp_path / "told"
    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    subprocess.run(probe(file), env=CLEAN, start_new_session=True, check=True, **streams)
    os.close(ours)
    os.close(theirs)
    assert told(file) == {"kind": "agent", "name": "script"}


@pytest.mark.parametrize(
    ("argv", "agent"),
    [
        (["claude"], "claude-code"),
        (["node", "/usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js"], "gemini-cli"),
        (["/usr/bin/node", "--no-warnings", "/opt/bin/gemini", "-p"], "gemini-cli"),
        (["node", "/x/node_modules/@anthropic-ai/claude-code/cli.js"], "claude-code"),
        (["-bash"], ""),
        (["vim", "claude"], ""),
        (["node", "/srv/claude/server.js"], ""),
        (["python3", "-m", "http.server"], ""),
        (["/opt/cursor/cursor"], ""),
        ([], ""),
    ],
)
def test_programs_are_told_from_files_that_share_their_name(argv: list[str], agent: str):
    """What is run counts, not what it is run on."""
    assert lineage.program_of(argv) == agent


@needs("ps")
def test_without_a_proc_folder_ancestors_are_read_from_ps():
    """By their command lines; of the environment only one's own is known."""
    own = lineage._by_ps()[os.getpid()]
    assert own.parent == os.getppid()
    assert any("python" in word or "pytest" in word for word in own.argv)


def test_a_person_is_made_in_one_place_alone():
    """Every other module asks `persons`; no request says who it is from."""
    pattern = re.compile(r"""kind\s*=\s*["']human["']|["']kind["']\s*:\s*["']human["']""")
    made = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if "testing" not in path.parts and pattern.search(path.read_text(encoding="utf-8"))
    }
    assert made == {"project/persons.py"}
