"""The Anthropic Messages wire: POST /v1/messages, whole or streamed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.scripted_model.model import Asked, Call, Message, Turn

_ids = itertools.count(1)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(one.get("text", "") for one in content or [] if one.get("type") == "text")


def _message(row: dict[str, Any]) -> Message:
    blocks = row["content"] if isinstance(row["content"], list) else []
    return Message(
        row["role"],
        _text(row["content"]),
        tuple(Call(one["name"], one["input"]) for one in blocks if one["type"] == "tool_use"),
        tuple(_text(one.get("content")) for one in blocks if one["type"] == "tool_result"),
    )


def asked(body: dict[str, Any]) -> Asked:
    return Asked(
        wire="anthropic",
        system=_text(body.get("system")),
        messages=tuple(_message(row) for row in body.get("messages", [])),
        tools=tuple(tool["name"] for tool in body.get("tools") or []),
    )


def whole(turn: Turn, body: dict[str, Any]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.say}] if turn.say else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{next(_ids):024d}", "name": one.name, "input": one.input}
        for one in turn.calls
    ]
    return {
        "id": f"msg_{next(_ids):024d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": blocks,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": turn.tokens,
            "output_tokens": 5,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def stream(message: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The same message as named events."""
    head = {**message, "content": [], "stop_reason": None}
    yield _event("message_start", message=head)
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": 5})
    yield _event("message_stop")


def _event(kind: str, **data: Any) -> tuple[str, Any]:
    return kind, {"type": kind, **data}
