"""What serving agents costs, beside a server of the bare SDK with one empty tool, in one run.

python bench/mcp.py [--rounds 9] [--calls 60]

Ready: from starting the process to the answer of `tools/list`. Both servers take turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.e2e.place import FORSOOTH, Place
from tests.e2e.proving import begun
from tests.mcp.wire import NEW, OLD, Wire

BARE = """
import anyio, mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

async def tools(ctx, params):
    return types.ListToolsResult(tools=[types.Tool(name="status", input_schema={"type": "object"})])

async def call(ctx, params):
    return types.CallToolResult(content=[types.TextContent(text="ok")])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())

anyio.run(main)
"""


def timed(work: Callable[[], object]) -> float:
    """How long it takes, in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def ready(place: Place, prefix: tuple[str, ...]) -> float:
    """From nothing to the list of tools."""

    def once() -> None:
        wires.append(Wire(place, prefix=prefix))
        wires[0].request("tools/list")

    wires: list[Wire] = []
    took = timed(once)
    wires[0].close()
    return took


def size(place: Place, era: str) -> int:
    with Wire(place, era=era) as wire:
        told = wire.request("tools/list")
    return len(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = begun(Path(name))
        script = Path(name, "bare.py")
        script.write_text(BARE)
        prefixes = {"bare": (sys.executable, str(script)), "forsooth": FORSOOTH}
        starts = {who: list[float]() for who in (*prefixes, "python")}
        for _ in range(given.rounds):
            for who, prefix in prefixes.items():
                starts[who].append(ready(place, prefix))
            pass_ = [sys.executable, "-I", "-c", "pass"]
            starts["python"].append(timed(lambda argv=pass_: subprocess.run(argv, check=True)))
        calls = {who: list[float]() for who in prefixes}
        wires = {who: Wire(place, prefix=prefix) for who, prefix in prefixes.items()}
        for _ in range(given.calls):
            for who, wire in wires.items():
                calls[who].append(timed(lambda wire=wire: wire.call("status")))
        checks = [timed(lambda: wires["forsooth"].call("check", goal="G001")) for _ in range(5)]
        for wire in wires.values():
            wire.close()
        middle = {who: statistics.median(took) for who, took in starts.items()}
        bare, ours, python = middle["bare"], middle["forsooth"], middle["python"]
        print(
            f"ready   bare {bare:.0f} ms  forsooth {ours:.0f} ms  ratio {ours / bare:.2f}", end=""
        )
        print(f"  ({ours / python:.1f} and {bare / python:.1f} times a bare python)")
        bare, ours = (statistics.median(calls[who]) for who in ("bare", "forsooth"))
        print(f"call    bare {bare:.1f} ms  forsooth status {ours:.1f} ms")
        print(f"worker  check that was made before: {statistics.median(checks[1:]):.0f} ms")
        print(f"bytes   tools/list {size(place, OLD)} (older era)  {size(place, NEW)} (newer)")


if __name__ == "__main__":
    main()
