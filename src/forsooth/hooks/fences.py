"""Why a tool call is refused before it happens; empty when it is not.

These steer: an agent learns at once what the judge, or a person, would refuse later. Whatever
cannot be told is allowed, and an error here lets the call through.
"""

from __future__ import annotations

import os

from forsooth.hooks import targets, words
from forsooth.hooks.notation import table
from forsooth.hooks.prompts import SEAL, STOP, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from forsooth.hooks.board import Board
    from forsooth.hooks.hosts import Event

SHELL = frozenset("bash run_shell_command shell exec_command local_shell execute_command".split())
FILES = frozenset(
    "write edit multiedit notebookedit write_file replace patch apply_patch create_file edit_file "
    "str_replace_editor str_replace_based_edit_tool move_file delete_file".split()
)
ASKING = frozenset(
    "askuserquestion ask_user question request_user_input ask_followup_question".split()
)
PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "destination")
FOLDERS = ("workdir", "dir_path", "directory", "cwd")
PATCHES = ("input", "patch", "patchText", "diff")
MARKS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/")
# By these a model has its host deliver a prompt, now or later.
DELIVERING = ("croncreate", "schedulewakeup", "sendmessage", "send_input", "remotetrigger", "task")
STRICT, DURABLE = "spec", "ultragoal"  # dialects: session specifications, and ultragoal plans

ASK = (
    "Asking the person is refused while this plan is active; decide what can be inferred, or "
    "record it: `forsooth block GOAL --needs human --why TEXT`."
)
PAUSE = (
    "Pausing is refused while there is work an agent can do; record what only a person can clear "
    "with `forsooth block GOAL --needs human --why TEXT`, or go on."
)

WORDS = "`seal` and `forsooth stop` are words that only the person types; tell them what to type."


def refusal(event: Event, board: Board) -> str:
    """The one sentence that answers a call of an armed session that may not happen.

    Only an active plan steers; one whose state cannot be read is taken for active.
    """
    if board.now and board.now.get("status") != "active":
        return delivering(event)
    tool = _tool(event)
    if tool in SHELL:
        return _commanded(event, board)
    if tool in FILES:
        return _written(event, board)
    if words_delivered := delivering(event):
        return words_delivered
    if not board.now:
        return ""
    if tool in ASKING:
        return ASK if board.now.get("dialect") == DURABLE else ""
    return PAUSE if _pauses(tool, event.input) and not board.now.get("pause") else ""


def delivering(event: Event) -> str:
    """The refusal of a call by which a model would have its host type a person's word."""
    return WORDS if _tool(event).endswith(DELIVERING) and _are_words(event.input) else ""


def _tool(event: Event) -> str:
    return event.tool.rpartition("__")[2].casefold()


def _commanded(event: Event, board: Board) -> str:
    command = _command(event.input)
    fenced = any(board.now.get(one) for one in ("touch", "never", "oracles"))
    if not words.matter(command, fenced=fenced):
        return ""
    from forsooth.hooks.reading import read  # noqa: PLC0415

    told = read(
        command,
        cwd=os.path.join(event.cwd or board.top, _text(event.input, FOLDERS)),
        root=os.path.realpath(board.top),
        home=_home(),
        strict=board.now.get("dialect") == STRICT,
    )
    if told["refuse"]:
        return str(told["refuse"])
    found = (targets.refusal(path, does, board, _home()) for does, path in told["writes"])
    return next(filter(None, found), "")


def _command(given: dict[str, Any]) -> str:
    command: str | list[Any] = given.get("command") or given.get("cmd") or ""
    if isinstance(command, str):
        return command
    from shlex import join  # noqa: PLC0415

    return join(map(str, command))


def _written(event: Event, board: Board) -> str:
    """Each file that a writing tool names; links, `..` and letter case lead nowhere else."""
    for name in _paths(event.input):
        path = os.path.expanduser(name)
        path = os.path.realpath(os.path.join(event.cwd or board.top, path))
        if says := targets.refusal(_plain(path), "write", board, _home()):
            return says
    return ""


def _paths(given: dict[str, Any]) -> list[str]:
    found = [given[one] for one in PATHS if isinstance(given.get(one), str)]
    patches = [given[one] for one in (*PATCHES, "command") if isinstance(given.get(one), str)]
    for line in "\n".join(patches).split("\n"):
        found += [line[len(mark) :].strip() for mark in MARKS if line.startswith(mark)]
    return [one for one in found if one and "\0" not in one]


def _plain(path: str) -> str:
    """A path in which nothing can be taken for a wildcard."""
    return path.replace("*", "x").replace("?", "x").replace("[", "x")


def _pauses(tool: str, given: dict[str, Any]) -> bool:
    """A host's own goal put to sleep: `goal` with `pause`, or a goal's status set to paused."""
    if "goal" not in tool:
        return False
    said = [str(given.get(one, "")).casefold() for one in ("op", "action", "status", "state")]
    return "pause" in tool or any(one in ("pause", "paused") for one in said)


def _are_words(given: Any) -> bool:
    """Whether anything in a call means what only a person may say."""
    if isinstance(given, str):
        return meaning(given) in (SEAL, STOP)
    if isinstance(given, list):
        return any(map(_are_words, given))  # pyright: ignore[reportUnknownArgumentType]
    return any(map(_are_words, table(given).values()))


def _text(given: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((given[one] for one in names if isinstance(given.get(one), str)), "")


def _home() -> str:
    return os.path.realpath(os.path.expanduser("~"))
