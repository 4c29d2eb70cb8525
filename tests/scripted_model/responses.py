"""The OpenAI Responses wire: POST /v1/responses, whole or streamed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.scripted_model.model import Asked, Call, Message, Turn

_ids = itertools.count(1)


def text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(one.get("text", "") for one in content or [] if isinstance(one, dict))


def tool_names(tools: list[dict[str, Any]] | None) -> tuple[str, ...]:
    names: list[str] = []
    for tool in tools or []:
        if tool.get("type") == "namespace":
            names += [f"{tool['name']}/{one.get('name')}" for one in tool.get("tools", [])]
        else:
            called = tool.get("name") or tool.get("function", {}).get("name")
            names.append(called or tool.get("type", ""))
    return tuple(names)


def _message(item: dict[str, Any]) -> Message:
    kind = item.get("type", "message")
    if kind.endswith("_output"):
        out = item.get("output")
        told = text(out) if isinstance(out, str | list) else json.dumps(out)
        return Message("user", results=(told,))
    if kind.endswith("_call"):
        given = item.get("arguments", item.get("input"))
        called = Call(item.get("name", kind), {"arguments": given}, item.get("namespace") or "")
        return Message("assistant", calls=(called,))
    return Message(item.get("role", kind), text(item.get("content")))


def asked(body: dict[str, Any]) -> Asked:
    items = body.get("input") or []
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    messages = tuple(_message(item) for item in items)
    above = [one.text for one in messages if one.role in ("system", "developer")]
    return Asked(
        wire="responses",
        system="\n".join([body.get("instructions") or "", *above]),
        messages=tuple(one for one in messages if one.role not in ("system", "developer")),
        tools=tool_names(body.get("tools")),
    )


def _called(call: Call) -> dict[str, Any]:
    number = next(_ids)
    made = {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": call.name,
        "arguments": json.dumps(call.input),
        "status": "completed",
    }
    return {**made, "namespace": call.space} if call.space else made


def whole(turn: Turn, body: dict[str, Any]) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    if turn.say:
        said = {"type": "output_text", "text": turn.say, "annotations": []}
        items.append(
            {
                "type": "message",
                "id": f"msg_{next(_ids)}",
                "role": "assistant",
                "status": "completed",
                "content": [said],
            }
        )
    items += [_called(one) for one in turn.calls]
    return {
        "id": f"resp_{next(_ids)}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body.get("model", "scripted"),
        "output": items,
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tools": [],
        "metadata": {},
        "usage": {
            "input_tokens": turn.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": turn.tokens + 5,
        },
    }


def stream(answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The same answer as numbered events."""
    numbers = itertools.count()

    def event(kind: str, **data: Any) -> tuple[str, Any]:
        return kind, {"type": kind, "sequence_number": next(numbers), **data}

    yield event("response.created", response={**answer, "status": "in_progress", "output": []})
    for index, item in enumerate(answer["output"]):
        at = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            part = item["content"][0]
            inside = {**at, "content_index": 0}
            opened = {**item, "content": [], "status": "in_progress"}
            yield event("response.output_item.added", output_index=index, item=opened)
            yield event("response.content_part.added", **inside, part={**part, "text": ""})
            yield event("response.output_text.delta", **inside, delta=part["text"])
            yield event("response.output_text.done", **inside, text=part["text"])
            yield event("response.content_part.done", **inside, part=part)
        else:
            opened = {**item, "arguments": "", "status": "in_progress"}
            given = item["arguments"]
            yield event("response.output_item.added", output_index=index, item=opened)
            yield event("response.function_call_arguments.delta", **at, delta=given)
            yield event("response.function_call_arguments.done", **at, arguments=given)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=answer)
