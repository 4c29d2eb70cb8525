"""What is put beside a runner so that it reports: files shown to it read-only, never imported here.

They run in the judged project's own interpreter, which may be old, and use nothing but its runner.
None holds a path: where records go is told in the argv or a variable, which a place may rewrite.
"""

from __future__ import annotations

from importlib.resources import files


def source(*names: str) -> dict[str, bytes]:
    """The files of these names, by name."""
    return {name: files(__name__).joinpath(name).read_bytes() for name in names}


def unseen(*names: str) -> dict[str, bytes]:
    """Python files of these names whose lines no measure of coverage counts as the project's."""
    return {
        name: f"exec(compile({data!r}, '<{name}>', 'exec', dont_inherit=True))\n".encode()
        for name, data in source(*names).items()
    }
