"""What each host sends and wants to hear: its JSON in and out, and nothing about what to answer.

Hosts: claude, codex, gemini, opencode. Claude and Codex take context as plain text, Gemini reads
JSON only, Codex refuses keys it does not know, and opencode has our own plugin to talk to.
"""

from __future__ import annotations

from forsooth.hooks.notation import table, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOSTS = ("claude", "codex", "gemini", "opencode")
EVENTS = (
    "session_start",
    "prompt",
    "pre_tool",
    "post_tool",
    "stop",
    "subagent_stop",
    "compaction",
    "end",
)
PLAIN = ("claude", "codex")
GEMINI = {"session_start": "SessionStart", "prompt": "BeforeAgent"}
FINISHED = ("completed", "failed", "killed", "cancelled", "stopped", "done")
OURS = "</hook_context>"
# How hosts begin a prompt that nobody typed.
NOTICES = ("<task-notification>", "<teammate-message", "<subagent_notification>")
# How hosts begin what they say in the model's place when the model could not be asked: whole
# phrases, so that a report about log-ins or limits is not taken for one.
CUT_SHORT = (
    "api error:",
    "api error (request timed out",
    "api error (connection error",
    "prompt is too long",
    "image was too large",
    "context limit reached",
    "context window exceeded",
    "invalid api key",
    "invalid auth token",
    "credit balance is too low",
    "your credit balance is too low to access the anthropic api",
    "please run /login",
    "session expired. please run /login to sign in again",
    "oauth token has expired",
    "oauth token revoked",
    "authentication failed",
    "failed to authenticate",
    "usage limit reached",
    "claude usage limit reached",
    "claude ai usage limit reached",
    "you've hit your limit",
    "you've hit your session limit",
    "you've hit your weekly limit",
    "you've hit your usage limit",
    "you've hit your fast limit",
    "you've hit your monthly spend limit",
    "you've hit your channel's monthly spend limit",
    "request timed out",
    "stream disconnected before completion",
    "[request interrupted by user]",
    "[request interrupted by user for tool use]",
    "[request interrupted:",
    "loop detected, stopping execution",
)
# What hosts call an ending that was nobody's choice, wherever they name one.
ABORTED = (
    "abort",
    "cancel",
    "interrupt",
    "context",
    "max_tokens",
    "length",
    "limit",
    "auth",
    "error",
)


class Event:
    """One event, in our words, whoever sent it."""

    __slots__ = (
        "agent",
        "cut_short",
        "cwd",
        "host",
        "input",
        "mode",
        "name",
        "pending",
        "prompt",
        "session",
        "tool",
    )

    def __init__(self, host: str, name: str, payload: dict[str, Any]) -> None:
        self.host, self.name = host, name
        self.session = _text(payload, "session_id")
        self.cwd = _text(payload, "cwd")
        self.prompt = _typed(host, _text(payload, "prompt"))
        self.tool = _text(payload, "tool_name")
        self.input = table(payload.get("tool_input"))
        self.agent = _text(payload, "agent_id")
        self.mode = _text(payload, "permission_mode")
        self.pending = _pending(payload)
        self.cut_short = _cut_short(payload)


def _text(payload: dict[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _typed(host: str, prompt: str) -> str:
    """What a person typed, without what a host puts around it."""
    if prompt.startswith(OURS.replace("/", "")):  # Gemini puts our own context in front
        return prompt.rpartition(OURS)[2]
    if host == "opencode" and prompt[:1] == prompt[-1:] == '"':  # as `opencode run` hands it on
        return prompt[1:-1]
    return prompt


def _pending(payload: dict[str, Any]) -> bool:
    """Whether something the agent started will wake it again."""
    tasks: Any = payload.get("background_tasks") or ()
    wakes: Any = payload.get("session_crons") or ()
    return bool(wakes) or any(_text(table(one), "status").lower() not in FINISHED for one in tasks)


def _cut_short(payload: dict[str, Any]) -> bool:
    """Whether the turn ended because it had to: no room, no permission, a person's abort."""
    said = _text(payload, "last_assistant_message") or _text(payload, "prompt_response")
    said = said.lstrip().lower().replace("\u2019", "'")
    if any(_begins(said, phrase) for phrase in CUT_SHORT):
        return True
    named = [_text(payload, key) for key in ("stop_reason", "stopReason", "error", "end_reason")]
    return any(word in why.lower() for why in named for word in ABORTED)


def _begins(said: str, phrase: str) -> bool:
    """Whether a text begins with a phrase, and its sentence does not go on in words."""
    rest = said.removeprefix(phrase)
    goes_on = phrase[-1].isalnum() and rest.lstrip(" ")[:1].isalnum()
    return rest != said and not goes_on


class Answer:
    """What we have to say: words for the agent, or a refusal; most often neither."""

    __slots__ = ("context", "refusal")

    def __init__(self, *, context: str = "", refusal: str = "") -> None:
        self.context, self.refusal = context, refusal


NOTHING = Answer()


def spoken(host: str, name: str, answer: Answer = NOTHING) -> str:
    """What is printed."""
    if host == "opencode":
        return _line(_to_opencode(name, answer))
    if answer.refusal:
        return _line(_refused(host, name, answer.refusal))
    if host in PLAIN:
        quiet = "" if name in ("prompt", "session_start") else "{}\n"
        return f"{answer.context}\n" if answer.context else quiet
    if answer.context and name in GEMINI:
        told = {"hookEventName": GEMINI[name], "additionalContext": answer.context}
        return _line({"hookSpecificOutput": told})
    return "{}\n"


def _refused(host: str, name: str, reason: str) -> dict[str, Any]:
    if host not in PLAIN:
        return {"decision": "deny", "reason": reason}
    if name != "pre_tool":
        return {"decision": "block", "reason": reason}
    told = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **told}}


def _to_opencode(name: str, answer: Answer) -> dict[str, str]:
    """What our plugin reads; a turn's end is only told of there, since it cannot be refused."""
    if answer.refusal:
        named = {"pre_tool": "deny", "prompt": "show"}
        return {named.get(name, "context"): answer.refusal}
    return {"context": answer.context} if answer.context else {}


def _line(said: dict[str, Any]) -> str:
    return written(said) + "\n"
