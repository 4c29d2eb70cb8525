"""Long work in a process of its own, so that the server answers meanwhile and can end it.

The worker is this program again. It gets one call on its standard input and ends when that closes:
by our hand when the client cancels, by the system's when we are gone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio
from anyio.abc import ByteReceiveStream, Process

from forsooth.errors import CouldNotVerify
from forsooth.mcp.acts import Asked, Told, failure

# Without either a module lying in the folder the client started us in would be imported as ours.
ARGV = (sys.executable, "-I" if sys.flags.isolated else "-P", "-m", "forsooth.mcp")
STDERR = 2
GRACE = 20.0  # seconds a worker has to end what it started


async def work(asked: Asked, tell: Callable[[str], Awaitable[None]]) -> Told:
    """Have a worker perform a call; what it tells on the way is passed on."""
    process = await anyio.open_process(ARGV, stderr=STDERR, start_new_session=True)
    try:
        return await _told(process, asked, tell)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _told(process: Process, asked: Asked, tell: Callable[[str], Awaitable[None]]) -> Told:
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    await process.stdin.send(json.dumps(asked._asdict()).encode() + b"\n")
    async for line in _lines(process.stdout):
        told = json.loads(line)
        if "says" in told:
            await tell(told["says"])
        else:
            return Told(told["data"], told["text"], told["failed"])
    return failure(CouldNotVerify("the worker ended without an answer", code="worker"))


async def _lines(stream: ByteReceiveStream) -> AsyncIterator[bytes]:
    rest = b""
    async for chunk in stream:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line


async def _end(process: Process) -> None:
    """Close its input, which ends it; one that does not is killed."""
    if process.stdin is not None:
        await process.stdin.aclose()
    with anyio.move_on_after(GRACE):
        await process.wait()
        return
    process.kill()
    await process.wait()
