"""The Gemini wire: POST …/models/NAME:generateContent and :streamGenerateContent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.scripted_model.model import Asked, Call, Message, Turn


def _text(parts: list[dict[str, Any]]) -> str:
    return "\n".join(one["text"] for one in parts if one.get("text") and not one.get("thought"))


def _message(row: dict[str, Any]) -> Message:
    parts = row.get("parts", [])
    calls = [one["functionCall"] for one in parts if "functionCall" in one]
    results = [one["functionResponse"] for one in parts if "functionResponse" in one]
    return Message(
        "assistant" if row.get("role") == "model" else "user",
        _text(parts),
        tuple(Call(one["name"], one.get("args") or {}) for one in calls),
        tuple(json.dumps(one.get("response"), ensure_ascii=False) for one in results),
    )


def asked(body: dict[str, Any]) -> Asked:
    declared = [tool.get("functionDeclarations", []) for tool in body.get("tools") or []]
    return Asked(
        wire="gemini",
        system=_text((body.get("systemInstruction") or {}).get("parts", [])),
        messages=tuple(_message(row) for row in body.get("contents", [])),
        tools=tuple(one["name"] for tools in declared for one in tools),
    )


def whole(turn: Turn, body: dict[str, Any]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": turn.say}] if turn.say else []
    parts += [
        {"functionCall": {"name": one.name, "args": one.input}, "thoughtSignature": "c2NyaXB0ZWQ="}
        for one in turn.calls
    ]
    return {
        "candidates": [
            {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}
        ],
        "usageMetadata": {
            "promptTokenCount": turn.tokens,
            "candidatesTokenCount": 5,
            "totalTokenCount": turn.tokens + 5,
        },
        "modelVersion": "scripted",
        "responseId": "scripted",
    }


def stream(answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """One event that holds it all."""
    yield "", answer
