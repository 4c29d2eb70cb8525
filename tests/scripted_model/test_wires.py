"""The scripted model answers alike on every wire, streamed and whole."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from tests.scripted_model.model import Call, Script, Turn
from tests.scripted_model.server import serving

GO = {"role": "user", "content": "go"}
TOOL = {"name": "look", "parameters": {}}
WIRES: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic": ("/v1/messages", {"messages": [GO], "tools": [TOOL]}),
    "responses": ("/v1/responses", {"input": "go", "tools": [{"type": "function", **TOOL}]}),
    "chat": ("/v1/chat/completions", {"messages": [GO], "tools": [{"function": TOOL}]}),
    "gemini": (
        "/v1beta/models/m:generateContent",
        {
            "contents": [{"role": "user", "parts": [{"text": "go"}]}],
            "tools": [{"functionDeclarations": [TOOL]}],
        },
    ),
}


def post(url: str, body: dict[str, Any]) -> str:
    head = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), head)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("wire", WIRES)
def test_words_and_calls_arrive_on_every_wire(wire: str, *, streamed: bool):
    """The same turn is told in each wire's own words, and what was asked is kept in one form."""
    path, body = WIRES[wire]
    if wire == "gemini" and streamed:
        path = path.replace(":generate", ":streamGenerate")
    script = Script([Turn("hi", (Call("look", {"at": "it"}),))])
    with serving(script) as url:
        told = post(url + path, {**body, "stream": streamed})
        assert post(url + path, body).count("Done.") == 1, "the script ran out"
    assert "hi" in told
    assert "look" in told
    assert ("data: " in told) == streamed
    asked = script.asked[0]
    assert (asked.wire, asked.tools, asked.latest) == (wire, ("look",), "go")


def test_a_script_goes_on_from_where_the_host_is():
    """However often a host asked in between."""
    script = Script([Turn("first")])
    with serving(script) as url:
        ask = {"messages": [GO], "tools": [TOOL]}
        said = [post(url + "/v1/messages", ask) for _ in range(3)]
        script.then([Turn("later")])
        said.append(post(url + "/v1/messages", ask))
    words = ("first", "Done.", "Done.", "later")
    assert all(word in text for word, text in zip(words, said, strict=True))


def test_a_request_without_tools_takes_no_turn():
    """Titles and summaries are answered aside, so a script stays in step with the work."""
    script = Script([Turn("work")], aside=Turn("a title"))
    with serving(script) as url:
        assert "a title" in post(url + "/v1/messages", {"messages": [GO]})
        assert "work" in post(url + "/v1/messages", {"messages": [GO], "tools": [TOOL]})
    assert (len(script.asides), len(script.asked)) == (1, 1)
