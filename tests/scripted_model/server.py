"""A model on a loopback port that answers from a script, on the wires that agents speak."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any, cast
from urllib.parse import urlsplit

from tests.scripted_model import anthropic, chat, gemini, responses
from tests.scripted_model.model import Script

WIRES: dict[str, ModuleType] = {
    "/messages": anthropic,
    "/responses": responses,
    "/chat/completions": chat,
    ":generateContent": gemini,
    ":streamGenerateContent": gemini,
}


class Server(ThreadingHTTPServer):
    """Takes a socket that already listens, so that it may lie in another network namespace."""

    daemon_threads = True

    def __init__(self, script: Script, listening: socket.socket) -> None:
        super().__init__(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.script = script
        self.turn = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """What was asked is kept in the script."""

    def do_HEAD(self) -> None:
        self._send({})

    def do_GET(self) -> None:
        if urlsplit(self.path).path.endswith("/models"):
            self._send({"object": "list", "data": [], "models": []})
        else:
            self._send({"error": {"type": "not_found_error", "message": self.path}}, status=404)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        with suppress(BrokenPipeError, ConnectionResetError):
            self._answer(urlsplit(self.path).path, json.loads(data or b"{}"))

    def _answer(self, path: str, body: dict[str, Any]) -> None:
        if path.endswith(("/count_tokens", ":countTokens")):
            size = len(json.dumps(body)) // 4
            return self._send({"input_tokens": size, "totalTokens": size})
        wire = next((module for end, module in WIRES.items() if path.endswith(end)), None)
        if wire is None:
            error = {"type": "not_found_error", "message": path}
            return self._send({"error": error}, status=404)
        server = cast("Server", self.server)
        with server.turn:
            turn = server.script.answer(wire.asked(body))
        answer = wire.whole(turn, body)
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            return self._stream(wire, answer)
        return self._send(answer)

    def _send(self, answer: dict[str, Any], *, status: int = 200) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, wire: ModuleType, answer: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, data in wire.stream(answer):
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()
        if wire is chat:
            self.wfile.write(b"data: [DONE]\n\n")


def loopback() -> socket.socket:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    return listening


@contextmanager
def serving(script: Script, listening: socket.socket | None = None) -> Iterator[str]:
    """Serve the script until the block ends; gives the address."""
    server = Server(script, listening or loopback())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
