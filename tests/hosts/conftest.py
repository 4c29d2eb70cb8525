"""Each host, ready to be driven; absent where its CLI is not installed and not asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.place import Place, new
from tests.hosts import clis
from tests.hosts.claude import Claude
from tests.hosts.codex import Codex
from tests.hosts.gemini import Gemini
from tests.hosts.host import Host
from tests.hosts.network import Network, network
from tests.hosts.opencode import Opencode
from tests.scripted_model.model import Script
from tests.scripted_model.server import serving
from tests.tools import absent

HOSTS: dict[str, type[Host]] = {one.name: one for one in (Claude, Codex, Gemini, Opencode)}
# Such a test takes seconds; on a machine with other things to do, minutes.
REAL = [pytest.mark.host, pytest.mark.timeout(300)]
Start = Callable[[str, Script], Host]


@pytest.fixture(scope="session")
def net() -> Iterator[Network]:
    with network() as made:
        yield made


@pytest.fixture
def guest(start: Start) -> Start:
    """The same, with our package installed."""

    def made(name: str, script: Script) -> Host:
        host = start(name, script)
        host.install()
        script.needs = host.needs
        return host

    return made


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = new(tmp_path)
    made.git("config", "--global", "user.name", "Ada")  # hosts keep the environment from servers
    made.git("config", "--global", "user.email", "ada@example.org")
    return made


@pytest.fixture
def start(place: Place, net: Network) -> Iterator[Start]:
    """Give a host by its name, its model answering from the script."""
    with ExitStack() as open_until_the_test_ends:

        def made(name: str, script: Script) -> Host:
            url = open_until_the_test_ends.enter_context(serving(script, net.listen()))
            return HOSTS[name](place, _command(name), network=net, url=url)

        yield made


def _command(name: str) -> Path:
    command = clis.found(name)
    if command is None:
        if os.environ.get("FORSOOTH_HOSTS"):
            return clis.install(name)
        absent(name, f"{name} is not installed: python tests/hosts/clis.py")
    return command
