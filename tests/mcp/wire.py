"""A client that speaks the protocol line by line, so that a test sees every byte of it."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from tests.e2e.place import FORSOOTH, Place

OLD, NEW = "2025-11-25", "2026-07-28"
SECONDS = 60
Reply = Callable[[Mapping[str, Any]], Mapping[str, Any]]
_META = "io.modelcontextprotocol/"


class Wire:
    """One server process and one client of it, of the older era or the newer."""

    def __init__(
        self,
        place: Place,
        *,
        era: str = OLD,
        reply: Reply | None = None,
        able: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        name: str = "claude-code",
        prefix: tuple[str, ...] = FORSOOTH,
    ) -> None:
        self.era, self._reply = era, reply
        self._able = dict(able or ({"elicitation": {}} if reply else {}))
        self._info = {"name": name, "version": "1"}
        self.told: list[dict[str, Any]] = []
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        self.log: str | None = None
        self.process = subprocess.Popen(
            [*prefix, "mcp"],
            cwd=place.folder,
            env=place.environment(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        threading.Thread(target=self._listen, daemon=True).start()
        if era == OLD:
            told = {"protocolVersion": OLD, "capabilities": self._able, "clientInfo": self._info}
            self.hello = self.request("initialize", told)
            self.send({"method": "notifications/initialized"})
        else:
            self.hello = self.request("server/discover")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> str:
        """Go away as a client does; what the server wrote to its log."""
        if self.log is not None:
            return self.log
        assert self.process.stdin
        assert self.process.stderr
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(SECONDS)
        with self.process.stderr as log:
            said = log.read().decode()
        assert self.process.stdout
        self.process.stdout.close()
        self.log = said
        return said

    def _listen(self) -> None:
        assert self.process.stdout
        with suppress(ValueError):
            for line in self.process.stdout:
                message = json.loads(line)
                if "method" not in message:
                    self._answers.put(message)
                elif "id" in message:
                    assert self._reply
                    self.send({"id": message["id"], "result": self._reply(message)})
                else:
                    self.told.append(message)

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        line = json.dumps({"jsonrpc": "2.0", **message})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def post(self, method: str, params: Mapping[str, Any] | None = None) -> str:
        """Send a request and do not wait; its id, a string as some clients send it."""
        self._number += 1
        given = dict(params or {})
        if self.era == NEW:
            about = {"protocolVersion": NEW, "clientInfo": self._info}
            about["clientCapabilities"] = self._able
            meta = {f"{_META}{name}": value for name, value in about.items()}
            given["_meta"] = {**meta, **given.get("_meta", {})}
        self.send({"id": f"r{self._number}", "method": method, "params": given})
        return f"r{self._number}"

    def answer(self) -> dict[str, Any]:
        return self._answers.get(timeout=SECONDS)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The whole answer to one request."""
        id_ = self.post(method, params)
        answer = self.answer()
        assert answer["id"] == id_
        return answer

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The result of one request that succeeds."""
        answer = self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool: str, **given: Any) -> Any:
        """Call a tool; in the newer era the person's reply is sent with a second call."""
        meta = {"_meta": {"progressToken": "p"}}
        asked = {"name": tool, "arguments": given, **meta}
        result = self.request("tools/call", asked)
        if result.get("resultType") == "input_required":
            assert self._reply
            replies = {k: self._reply(v) for k, v in result["inputRequests"].items()}
            more = {"inputResponses": replies, "requestState": result["requestState"]}
            result = self.request("tools/call", {**asked, **more})
        return result

    def data(self, tool: str, **given: Any) -> Any:
        """The data of a call that went well."""
        result = self.call(tool, **given)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, tool: str, **given: Any) -> tuple[list[str], str]:
        """The codes of a call that was refused, and what the model reads of it."""
        result = self.call(tool, **given)
        assert result["isError"], result
        error = result["structuredContent"]["error"]
        codes = [reason["code"] for reason in error.get("reasons", [error])]
        return codes, result["content"][0]["text"]
