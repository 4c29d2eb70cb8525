"""The repositories these tests run in."""

from tests.e2e.place import first_commit, place, sealed, sealed_once

__all__ = ["first_commit", "place", "sealed", "sealed_once"]
