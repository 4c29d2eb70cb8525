"""Settings that hold for every test."""

import pytest
from hypothesis import settings

from tests import tools

# A busy machine is not a bug, so no deadline; CI passes --hypothesis-profile=ci and repeats itself.
settings.register_profile("forsooth", deadline=None, print_blob=True)
settings.load_profile("forsooth")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail a test whose tools are missing."""
    for mark in item.iter_markers("needs"):
        tools.require(*mark.args)
