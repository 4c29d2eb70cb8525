"""The sandboxes these tests run in, as each account has them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from forsooth.judge.sandbox import cgroup, host
from forsooth.judge.sandbox.job import Lack
from forsooth.judge.sandbox.strict import Strict
from tests.judge.sandbox.account import ACCOUNTS

if sys.platform != "linux":
    collect_ignore_glob = ["*"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "heavy: fetches or compiles for more than a few seconds")


@pytest.fixture(params=ACCOUNTS)
def account(request) -> str:
    return request.param


@pytest.fixture
def place() -> Generator[Path]:
    """A folder that every account can reach."""
    folder = Path(tempfile.mkdtemp(prefix="forsooth-place-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def strict() -> Strict:
    """The strict sandbox of the account that runs the tests."""
    return strict_here()


def strict_here() -> Strict:
    facts = host.survey()
    assert not isinstance(facts, Lack), facts
    return Strict(facts, cgroup.homes())
