"""Which processes started this one, and whether an agent is among them.

The programs of coding agents mark the environment of every shell they start. A process can start
the next one without the mark, but it cannot take the mark off those above it: what they were
started with stays readable for their own account. So every ancestor is looked at, and the leader of
the terminal's session with its ancestors, since a process can outlive its parents and keep the
terminal. Agents' programs are also known by their name: a shell can replace itself (`exec`) by a
process without the mark, and the program that started it stays above.

Two questions are asked. `agent_above`: is any of them an agent, for what a person does at a
terminal. `agent_shell_above`: is any of them a shell that an agent works in, for what reaches us
through the agent's own program, which may relay a person's word. That program marks what it starts
for itself with a name that ends in `_harness`.

What this does not see: a process that was started by something else on an agent's behalf (a
scheduler, a terminal multiplexer that runs already, an SSH server, a git hook that a person runs
into, a hook or server that the agent wrote into its program's settings), in a namespace of its own,
or detached and started without the marks. A shell that replaced itself is taken for what the
agent's program runs for itself, so `agent_shell_above` does not see it, and neither question sees
it below a program that is not named here. An agent under the same account can do all of these.
Where there is no `/proc`, ancestors are known by their names alone.
"""

from __future__ import annotations

import os

MARKERS = {
    "CLAUDECODE": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini-cli",
    "OPENCODE": "opencode",
    "CURSOR_AGENT": "cursor",
    "AI_AGENT": "agent",
}
PROGRAMS = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
    "opencode": "opencode",
    "cursor-agent": "cursor",
}
PACKAGES = {
    "/@anthropic-ai/claude-code/": "claude-code",
    "/@openai/codex/": "codex",
    "/@google/gemini-cli/": "gemini-cli",
    "/opencode-ai/": "opencode",
}
INTERPRETERS = ("node", "bun", "deno", "python")
HARNESS = "_harness"
PS = ("/bin/ps", "-A", "-o", "pid=,ppid=,args=")


class Process:
    """A process as others can see it: what it was started as, and the marks it was started with."""

    __slots__ = ("argv", "marks", "parent")

    def __init__(self, parent: int, argv: list[str], marks: dict[str, str]) -> None:
        self.parent, self.argv, self.marks = parent, argv, marks

    @property
    def shell_of(self) -> str:
        """The agent whose shell this was started in; none for what its program runs for itself."""
        if self.marks.get("AI_AGENT", "").endswith(HARNESS):
            return ""
        return next((name for mark, name in MARKERS.items() if self.marks.get(mark)), "")

    @property
    def agent(self) -> str:
        """The agent whose program or shell this is."""
        marked = next((name for mark, name in MARKERS.items() if self.marks.get(mark)), "")
        return marked or program_of(self.argv)


def program_of(argv: list[str]) -> str:
    """The agent whose program a command line starts, directly or through an interpreter."""
    if not argv:
        return ""
    name = _stem(argv[0].lstrip("-"))
    if not name.startswith(INTERPRETERS):
        return PROGRAMS.get(name, "")
    script = next((word for word in argv[1:] if not word.startswith("-")), "")
    packaged = next((agent for part, agent in PACKAGES.items() if part in script), "")
    return packaged or PROGRAMS.get(_stem(script), "")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.partition(".")[0] if name.endswith((".js", ".mjs", ".cjs", ".py")) else name


def agent_above() -> str:
    """The first agent among this process, its ancestors and those of its terminal."""
    return next((found for one in lineage() if (found := one.agent)), "")


def agent_shell_above() -> str:
    """The first agent in whose shell this process, or one above it, was started."""
    return next((found for one in lineage() if (found := one.shell_of)), "")


def lineage() -> list[Process]:
    """This process, those that started it, and those that started the leader of its session.

    However many stand in between: a row that is cut short would hide who stands above it. Where
    not even this process can be read, no one can say who started it, and it counts as an agent's.
    """
    table = None if os.path.isdir("/proc/self") else _by_ps()
    known: dict[int, Process] = {}
    for first in (os.getpid(), os.getsid(0)):
        pid = first
        while pid > 0 and pid not in known:
            found = _read(pid) if table is None else table.get(pid)
            if found is None:
                break
            known[pid] = found
            pid = found.parent
    return list(known.values()) or [Process(0, [], {"AI_AGENT": "unseen"})]


def parent() -> Process | None:
    """The process that started this one."""
    pid = os.getppid()
    return _read(pid) if os.path.isdir("/proc/self") else _by_ps().get(pid)


def _read(pid: int) -> Process | None:
    """A process by what Linux shows of it; of another account's the environment is not shown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            above = int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    argv = [os.fsdecode(word) for word in _parts(f"/proc/{pid}/cmdline")]
    if pid == os.getpid():
        marks = {mark: os.environ.get(mark, "") for mark in MARKERS}
        return Process(above, argv, marks)
    pairs = (os.fsdecode(pair).partition("=") for pair in _parts(f"/proc/{pid}/environ"))
    return Process(above, argv, {name: value for name, _, value in pairs if name in MARKERS})


def _parts(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return file.read().split(b"\0")[:-1]
    except OSError:
        return []


def _by_ps() -> dict[int, Process]:
    """Every process by its command line, where nothing else can be read."""
    reads, writes = os.pipe()
    try:
        out = [(os.POSIX_SPAWN_DUP2, writes, 1)]
        child = os.posix_spawn(PS[0], PS, {"LC_ALL": "C"}, file_actions=out)
    except OSError:
        child = 0
    os.close(writes)
    with open(reads, encoding="utf-8", errors="replace") as file:
        rows = [line.split(None, 2) for line in file]
    if child:
        os.waitpid(child, 0)
    own = {mark: os.environ.get(mark, "") for mark in MARKERS}
    return {
        int(pid): Process(int(above), args.split(), own if int(pid) == os.getpid() else {})
        for pid, above, args in (row for row in rows if len(row) == 3)  # noqa: PLR2004
    }
