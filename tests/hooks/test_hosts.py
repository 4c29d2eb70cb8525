"""Each host's JSON, in and out."""

from __future__ import annotations

import json

import pytest

from forsooth.hooks.hosts import EVENTS, HOSTS, Answer, Event, spoken
from tests.requirements import requirement

CODEX_STOP = {"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason"}
CODEX_TOOL = CODEX_STOP | {"hookSpecificOutput"}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("event", EVENTS)
def test_nothing_to_say_is_said_so_that_every_host_goes_on(host, event):
    """An empty object, or no context at all where text would become context."""
    said = spoken(host, event)
    plain = host in ("claude", "codex") and event in ("prompt", "session_start")
    assert said == ("" if plain else "{}\n")


@requirement("R181")
@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("claude", {"decision": "block", "reason": "go on"}),
        ("codex", {"decision": "block", "reason": "go on"}),
        ("gemini", {"decision": "deny", "reason": "go on"}),
        ("opencode", {"context": "go on"}),
    ],
)
def test_a_hold_in_each_host_s_words(host, said):
    """opencode cannot be held, so its plugin is only told."""
    assert json.loads(spoken(host, "stop", Answer(refusal="go on"))) == said


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_a_tool_is_refused_as_claude_and_codex_want_it(host):
    """With the reason the model is shown."""
    said = json.loads(spoken(host, "pre_tool", Answer(refusal="not here")))
    assert said["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "not here",
    }


@pytest.mark.parametrize(
    ("host", "said"),
    [("gemini", {"decision": "deny", "reason": "no"}), ("opencode", {"deny": "no"})],
)
def test_a_tool_is_refused_as_the_others_want_it(host, said):
    """Each in its own key."""
    assert json.loads(spoken(host, "pre_tool", Answer(refusal="no"))) == said


def test_codex_hears_no_key_it_does_not_know():
    """Its schemas are closed: one unknown key and the whole answer is lost."""
    held = json.loads(spoken("codex", "stop", Answer(refusal="x")))
    denied = json.loads(spoken("codex", "pre_tool", Answer(refusal="x")))
    assert set(held) <= CODEX_STOP
    assert set(denied) <= CODEX_TOOL


@requirement("R180")
@pytest.mark.parametrize("event", ["prompt", "session_start"])
def test_context_is_plain_text_for_claude_and_codex_and_json_for_the_others(event):
    """Plain text becomes context there; Gemini allows nothing but JSON."""
    told = Answer(context='the "plan"\nand more')
    assert spoken("claude", event, told) == spoken("codex", event, told) == 'the "plan"\nand more\n'
    said = json.loads(spoken("gemini", event, told))["hookSpecificOutput"]
    assert said["additionalContext"] == 'the "plan"\nand more'
    assert (
        said["hookEventName"] == {"prompt": "BeforeAgent", "session_start": "SessionStart"}[event]
    )
    assert json.loads(spoken("opencode", event, told)) == {"context": told.context}


def test_a_payload_of_the_wrong_shape_is_an_event_without_news():
    """Fields that are missing or of another kind are as if they were not there."""
    wrong = {"session_id": 7, "cwd": None, "tool_input": [1]}
    event = Event("claude", "stop", wrong)
    assert (event.session, event.cwd, event.input) == ("", "", {})
    assert not event.pending
    assert not event.cut_short


@pytest.mark.parametrize(
    "said",
    [
        "API Error: 529 overloaded",
        "API Error (Request timed out.)",
        "  Prompt is too long",
        "Prompt is too long: 210000 tokens > 200000 maximum",
        "OAuth token has expired. Please obtain a new token.",
        "OAuth token revoked · Please run /login",
        "Invalid API key · Please run /login",
        "Claude AI usage limit reached|1780000000",
        "You've hit your usage limit. Try again at 5pm.",
        "Request timed out",
        "[Request interrupted by user for tool use]",
        "[Request interrupted: the session ended before this agent finished]",
        "You\u2019ve hit your monthly spend limit.",
        "stream disconnected before completion: the server closed it",
        "Loop detected, stopping execution",
    ],
)
def test_what_a_host_says_in_the_model_s_place_is_a_turn_cut_short(said):
    """Its whole phrase, at the start."""
    assert Event("claude", "stop", {"last_assistant_message": said}).cut_short


@pytest.mark.parametrize(
    "said",
    [
        "OAuth token refresh is implemented",
        "API error handling is done",
        "Authentication failed logins are now counted",
        "Request timed out pages now offer a retry",
        "Prompt is too long warnings are shown in red",
        "Usage limit reached banners work, and every test passes",
        "You've hit your stride here: all done",
        "Done. The log no longer says: API Error: 500",
    ],
)
def test_a_report_about_such_things_is_not_a_turn_cut_short(said):
    """An agent that works on log-ins is held like any other."""
    assert not Event("claude", "stop", {"last_assistant_message": said}).cut_short
