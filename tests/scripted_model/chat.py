"""The OpenAI Chat Completions wire: POST /v1/chat/completions, whole or streamed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.scripted_model.model import Asked, Call, Message, Turn
from tests.scripted_model.responses import text, tool_names

_ids = itertools.count(1)


def _message(row: dict[str, Any]) -> Message:
    if row["role"] == "tool":
        return Message("user", results=(text(row["content"]),))
    called = [one["function"] for one in row.get("tool_calls") or []]
    return Message(
        row["role"],
        text(row.get("content")),
        tuple(Call(one["name"], {"arguments": one["arguments"]}) for one in called),
    )


def asked(body: dict[str, Any]) -> Asked:
    messages = tuple(_message(row) for row in body.get("messages", []))
    return Asked(
        wire="chat",
        system="\n".join(one.text for one in messages if one.role in ("system", "developer")),
        messages=tuple(one for one in messages if one.role not in ("system", "developer")),
        tools=tool_names(body.get("tools")),
    )


def _called(call: Call) -> dict[str, Any]:
    return {
        "id": f"call_{next(_ids)}",
        "type": "function",
        "function": {"name": call.name, "arguments": json.dumps(call.input)},
    }


def whole(turn: Turn, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.say or None}
    if turn.calls:
        message["tool_calls"] = [_called(one) for one in turn.calls]
    ending = "tool_calls" if turn.calls else "stop"
    return {
        "id": f"chatcmpl-{next(_ids)}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": ending}],
        "usage": {
            "prompt_tokens": turn.tokens,
            "completion_tokens": 5,
            "total_tokens": turn.tokens + 5,
        },
    }


def stream(answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The same answer in chunks; the server writes the closing mark."""
    (choice,) = answer["choices"]
    head = {name: answer[name] for name in ("id", "created", "model")}

    def chunk(delta: dict[str, Any], ending: str | None = None) -> tuple[str, Any]:
        choices = [{"index": 0, "delta": delta, "finish_reason": ending}]
        return "", {**head, "object": "chat.completion.chunk", "choices": choices}

    yield chunk({"role": "assistant", "content": ""})
    if choice["message"]["content"]:
        yield chunk({"content": choice["message"]["content"]})
    for index, call in enumerate(choice["message"].get("tool_calls", [])):
        yield chunk({"tool_calls": [{**call, "index": index}]})
    yield chunk({}, choice["finish_reason"])
    ended = {"object": "chat.completion.chunk", "choices": [], "usage": answer["usage"]}
    yield "", {**head, **ended}
