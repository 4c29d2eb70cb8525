"""Asking the person, through whatever the client offers, whether a draft is to be sealed.

Clients of the older protocol are sent a question; newer ones get it as the answer to their call and
call again with the reply. Only the word `seal`, chosen by the person, seals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from forsooth.mcp.acts import Told

Context = ServerRequestContext[Any, Any]
KEY = "seal"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "title": "Your answer", "enum": ["seal", "not yet"]}
    },
    "required": ["answer"],
}


def can_ask(ctx: Context) -> bool:
    """Whether the client can show a person a question."""
    able = ctx.session.client_capabilities
    return bool(able and able.elicitation)


async def asked(
    ctx: Context, params: types.CallToolRequestParams, told: Told, *, says: Iterable[str]
) -> types.InputRequiredResult | bool:
    """Whether the person said to seal this draft; or what the client must find out first."""
    question = types.ElicitRequestFormParams(message=_question(told, says), requested_schema=SCHEMA)
    if ctx.session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return _is_seal(
            await ctx.session.elicit_form(
                question.message, SCHEMA, related_request_id=ctx.request_id
            )
        )
    reply = (params.input_responses or {}).get(KEY)
    if reply is None or params.request_state != told.data["digest"]:
        return types.InputRequiredResult(
            input_requests={KEY: types.ElicitRequest(params=question)},
            request_state=told.data["digest"],
        )
    return isinstance(reply, types.ElicitResult) and _is_seal(reply)


def _is_seal(reply: types.ElicitResult) -> bool:
    return reply.action == "accept" and (reply.content or {}).get("answer") == "seal"


def _question(told: Told, says: Iterable[str]) -> str:
    """The draft as it will be sealed; the commands in it will be run, and in which sandbox."""
    body = told.text.rpartition("\n\n")[0]
    where = "; ".join(says)
    return f"{body}\n\nSeal this plan? Its commands will be run on a copy ({where})."
