"""The server: tools and resources over the official SDK, on standard input and output.

Quick calls run in a thread, long ones in a worker. Both eras of the protocol are the SDK's to tell
apart. It speaks as the client's agent, whoever that is.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from forsooth import __version__
from forsooth.errors import CouldNotVerify, ForsoothError, UsageError
from forsooth.git.repository import locate
from forsooth.mcp import asking, resources
from forsooth.mcp.acts import LONG, Asked, Told, agent, failure, perform
from forsooth.mcp.tools import BY_NAME, TOOLS, Tool, fitting
from forsooth.mcp.worker import work
from forsooth.project import Project

NAME = "forsooth"
INSTRUCTIONS = (
    "A goal is done when it is proven, not when it is claimed. Take work with `next`, claim it "
    "with `done`. Where an answer says `forsooth VERB`, use the tool VERB if there is one. Only "
    "the person seals, trusts, agrees and waives."
)
AGENTS = ("claude-code", "codex", "gemini-cli", "opencode", "cursor")
Context = ServerRequestContext[Any, Any]
Answer = TypeVar("Answer")


class Around(NamedTuple):
    """What the server was started in: folders to look for a repository in, and by whom."""

    folders: tuple[Path, ...]
    may_ask: bool = True


def serve(around: Around) -> None:
    """Serve one client until it is gone."""
    anyio.run(_serve, around)


async def _serve(around: Around) -> None:
    server = made(around)
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


def made(around: Around) -> Server[Any]:
    """The server, on no transport yet."""
    desk = Desk(around)
    server = Server[Any](
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=desk.tools,
        on_call_tool=desk.call,
        on_list_resources=desk.resources,
        on_list_resource_templates=desk.templates,
        on_read_resource=desk.read,
    )
    security = RequestStateSecurity.ephemeral()
    server.middleware.append(RequestStateBoundary(security, default_audience=NAME))
    return server


class Desk:
    """Where a client's requests are answered."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._tools = [_declared(tool) for tool in TOOLS]

    async def tools(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Every tool, always in the same order."""
        return types.ListToolsResult(tools=self._tools)

    async def call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """One tool; what goes wrong inside it is an answer, so that the model can read it."""
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name[:64]}")
        try:
            given = fitting(tool, params.arguments or {})
            folder = await self._folder(ctx)
            asked = Asked(tool.name, given, str(folder), _client(ctx))
            told = await self._performed(ctx, asked)
            if tool.name == "plan" and given.get("ask") and not told.failed:
                return await self._sealed(ctx, params, asked, told)
        except ForsoothError as error:
            told = failure(error)
        except Exception:  # noqa: BLE001 — one call that breaks must not end the session
            traceback.print_exc(file=sys.stderr)
            told = failure(CouldNotVerify(f"{tool.name} broke; see the server's log"))
        return _result(told)

    async def _performed(self, ctx: Context, asked: Asked) -> Told:
        if asked.act in LONG:
            return await work(asked, _progress(ctx))
        return await anyio.to_thread.run_sync(perform, asked)

    async def _sealed(
        self, ctx: Context, params: types.CallToolRequestParams, asked: Asked, told: Told
    ) -> types.CallToolResult | types.InputRequiredResult:
        """A draft the person is asked about at once, where the client can ask."""
        waits = str(told.data["next"]).startswith("forsooth seal")
        if not (waits and self._around.may_ask and asking.can_ask(ctx)):
            return _result(told)
        says = await self._ask(ctx, Project.confinement)
        answer = await asking.asked(ctx, params, told, says=says)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        if not answer:
            says = "The person did not seal it. Ask them what should be different."
            return _result(told._replace(text=f"{told.text.rpartition(chr(10))[0]}\n{says}"))
        given = {"plan": told.data["plan"]["id"], "proposal": told.data["digest"]}
        return _result(await self._performed(ctx, asked._replace(act="seal", given=given)))

    async def resources(
        self, ctx: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """What there is to read now; nothing where there is no repository."""
        try:
            found = await self._ask(ctx, lambda project: [*resources.listed(project)])
        except ForsoothError:
            found = []
        rows = [types.Resource(name=one.title, uri=one.address) for one in found]
        return types.ListResourcesResult(resources=rows)

    async def templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The three kinds of address."""
        rows = [
            types.ResourceTemplate(
                name=kind, uri_template=f"forsooth://{kind}/{{id}}", description=says
            )
            for kind, says in resources.TEMPLATES.items()
        ]
        return types.ListResourceTemplatesResult(resource_templates=rows)

    async def read(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """One of them, as Markdown and as JSON."""
        uri = str(params.uri)
        try:
            found = await self._ask(ctx, lambda project: resources.read(project, uri))
        except ForsoothError as error:
            told = {"uri": uri, "hint": error.hint}
            raise MCPError(code=types.INVALID_PARAMS, message=error.message, data=told) from None
        pages = (("text/markdown", found.page), ("application/json", json.dumps(found.data)))
        return types.ReadResourceResult(
            contents=[
                types.TextResourceContents(uri=uri, mime_type=kind, text=text)
                for kind, text in pages
            ]
        )

    async def _ask(self, ctx: Context, question: Callable[[Project], Answer]) -> Answer:
        folder, actor = await self._folder(ctx), agent(_client(ctx))
        return await anyio.to_thread.run_sync(lambda: question(Project(folder, actor=actor)))

    async def _folder(self, ctx: Context) -> Path:
        """The first folder that lies in a repository: those we know of, then the client's roots."""
        found = _repository(self._around.folders)
        if found is None:
            found = _repository(await _roots(ctx))
        if found is None:
            says = f"{self._around.folders[0]} is not in a git repository"
            raise UsageError(says, hint="start the agent inside one")
        return found


def _declared(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.reads or None,
        destructive_hint=False,
        idempotent_hint=tool.again or None,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.says,
        input_schema=tool.schema,
        annotations=hints,
    )


def _result(told: Told) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=told.text)],
        structured_content=told.data,
        is_error=told.failed,
    )


def _client(ctx: Context) -> str:
    """The client, under the name its shell goes by."""
    known = ctx.session.client_params
    told = known.client_info.name.lower() if known else ""
    return next((name for name in AGENTS if told.startswith(name)), told[:64] or "agent")


def _progress(ctx: Context) -> Callable[[str], Awaitable[None]]:
    count = iter(range(1, sys.maxsize))

    async def tell(says: str) -> None:
        await ctx.session.report_progress(next(count), message=says)

    return tell


def _repository(folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        try:
            return locate(folder.resolve()).root
        except (UsageError, OSError):
            continue
    return None


async def _roots(ctx: Context) -> list[Path]:
    """The folders an older client says it works in."""
    able = ctx.session.client_capabilities
    if not (able and able.roots and ctx.session.can_send_request):
        return []
    try:
        told = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except MCPError:
        return []
    return [Path(unquote(urlsplit(str(root.uri)).path)) for root in told.roots]
