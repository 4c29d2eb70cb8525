"""Forsooth holds coding agents to their word: a goal is done when it is proven, not claimed.

Importing the package costs nothing: it reads, prints and loads nothing.
"""

TYPE_CHECKING = False  # as type checkers know it: `typing` is not loaded for it
if TYPE_CHECKING:
    from forsooth.project.proving import Proof as Proof
    from forsooth.project.proving import prove as prove

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Public names are loaded when somebody asks for one."""
    if name not in ("prove", "Proof"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("forsooth.project.proving"), name)
