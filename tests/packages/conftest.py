"""The repository and the driven hosts that these tests share with tests/hosts."""

from tests.hosts.conftest import net, place, start

__all__ = ["net", "place", "start"]
