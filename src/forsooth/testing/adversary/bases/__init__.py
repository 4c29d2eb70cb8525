"""Tiny repositories with one bug each, one a language or runner; a suite takes part of a second."""

from __future__ import annotations

from forsooth.testing.adversary.bases.golang import GO
from forsooth.testing.adversary.bases.node import NODE
from forsooth.testing.adversary.bases.python import PYTEST, SCRIPT, UNITTEST
from forsooth.testing.adversary.bases.shell import SHELL

ALL = (PYTEST, UNITTEST, SCRIPT, SHELL, NODE, GO)
PYTHON = (PYTEST, UNITTEST, SCRIPT)
LIGHT = (PYTEST, UNITTEST, SHELL, NODE)

__all__ = ["ALL", "GO", "LIGHT", "NODE", "PYTEST", "PYTHON", "SCRIPT", "SHELL", "UNITTEST"]
