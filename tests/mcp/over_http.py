"""The same server over HTTP on the loopback, for the protocol's own suite, which speaks no pipes.

python -m tests.mcp.over_http FOLDER PORT
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from forsooth.mcp.server import Around, made


def main(folder: str, port: str) -> None:
    """Serve a repository until ended."""
    app = made(Around((Path(folder),))).streamable_http_app()
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
