"""The protocol's own suite, run against our server: it fails nothing that we offer."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.place import Place
from tests.hosts import clis
from tests.processes import until
from tests.tools import absent

ROOT = Path(__file__).parents[2]
# The suite brings tools, pages and prompts that a server of its own would have, and asks for parts
# of the protocol that we leave out: prompts, completions, logging, subscriptions and tasks.
ABSENT = re.compile(
    r"Unknown tool: |Method not found|Not testable: |'test://|not found\. Available tools: plan"
    r"|Prerequisite failed|Expected InputRequiredResult|fixture from Check 2 unavailable"
    r"|capabilities\.extensions MUST|tasks/get MUST|expected -32602; got -32601"
    r"|for failing_job returned"
)
HELD = {
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
    "ping",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "tools-list",
}


@pytest.fixture
def suite() -> Path:
    """The suite's command, where it is installed or may be."""
    found = clis.found("conformance")
    if found is None and not os.environ.get("FORSOOTH_HOSTS"):
        absent("conformance", "not installed: python tests/hosts/clis.py conformance")
    return found or clis.install("conformance")


@pytest.fixture
def address(sealed: Place) -> Iterator[str]:
    """The server on a port of the loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [sys.executable, "-m", "tests.mcp.over_http", str(sealed.folder), str(port)]
    with subprocess.Popen(argv, cwd=ROOT, env=sealed.environment()) as process:
        try:
            until(lambda: _is_open(port))
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _is_open(port: int) -> bool:
    with socket.socket() as asks:
        return not asks.connect_ex(("127.0.0.1", port))


@pytest.mark.heavy
@pytest.mark.timeout(300)
def test_the_suite_fails_nothing_that_we_offer(suite: Path, address: str, tmp_path: Path):
    """Every failure names something we do not have; what we have is held, scenario by scenario."""
    out = tmp_path / "out"
    subprocess.run(
        [suite, "server", "--url", address, "--suite", "all", "-o", out],
        env={**os.environ, "PATH": clis.path()},
        check=False,
        capture_output=True,
    )
    checks = {
        re.sub(r"^server-(.*?)-\d{4}-\d\d-\d\dT.*$", r"\1", folder.name): json.loads(
            (folder / "checks.json").read_text()
        )
        for folder in out.iterdir()
    }
    failed = {
        (name, check["id"]): check.get("errorMessage") or ""
        for name, rows in checks.items()
        for check in rows
        if check["status"] == "FAILURE"
    }
    assert {where: why for where, why in failed.items() if not ABSENT.search(why)} == {}
    assert checks.keys() >= HELD
    assert {name for name, _ in failed} & HELD == set()
    passed = sum(check["status"] == "SUCCESS" for rows in checks.values() for check in rows)
    assert passed >= 100
