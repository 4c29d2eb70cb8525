"""A Python script made to end in another status when it comes to its end, and only then.

Its source runs as it is, inside a few lines that see how it ends. Ending early is the script's own
right, and that of the test side; the product may end the process only as the script's last act.
"""

from __future__ import annotations

import ast
import tokenize
import warnings
from collections.abc import Collection, Sequence
from io import BytesIO

_MOST = 500  # files of the test side whose names are written into the script
_AROUND = """\
def _run(source, space, last, side, status):
    import os, sys

    def ours(file):
        file = os.path.abspath(file)
        here = os.getcwd() + os.sep
        if file.startswith(os.path.abspath(sys.prefix) + os.sep) or not file.startswith(here):
            return True
        return any(file == here + name or file.endswith(os.sep + name) for name in side)

    def fair(trace):
        frames = []
        while trace is not None:
            frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
        mine = [line for file, line in frames if file == __file__]
        return ours(frames[-1][0]) or (len(mine) == 1 and mine[0] >= last)

    try:
        exec(compile(source, __file__, "exec", dont_inherit=True), space)
    except SystemExit as error:
        trace = error.__traceback__.tb_next
        if space["__name__"] != "__main__" or error.code or (trace and not fair(trace)):
            raise
    if space["__name__"] == "__main__":
        raise SystemExit(status)


"""


def files(words: Sequence[str]) -> tuple[str, ...]:
    """The file that is run: named, or behind `-m`."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-m" and at + 1 < len(words):
            place = words[at + 1].replace(".", "/")
            return f"{place}.py", f"{place}/__main__.py"
        if words[at] in ("-c", "-", "-m"):
            return ()
        at += 2 if words[at] in ("-W", "-X") else 1
    return (words[at],) if at < len(words) and words[at].endswith(".py") else ()


def ended(source: bytes, side: Collection[str], *, status: int) -> bytes | None:
    """The script in lines that see how it ends; none where it does not parse."""
    module = parsed(source) if len(side) <= _MOST else None
    if module is None:
        return None
    names = tuple(sorted(path for path in side if path.endswith(".py")))
    given = f"{source!r}, globals(), {_last(module.body)}, {names!r}, {status}"
    return f'{_AROUND}globals().pop("_run")({given})\n'.encode()


def is_utf8(source: bytes) -> bool:
    """Whether places in a source can be counted in bytes."""
    try:
        return tokenize.detect_encoding(BytesIO(source).readline)[0] == "utf-8"
    except SyntaxError:
        return False


def parsed(source: bytes) -> ast.Module | None:
    """A script's tree; none where it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _last(body: list[ast.stmt]) -> int:
    """The line on which the last statement begins, also inside `if __name__ == ...`."""
    if not body:
        return 0
    last = body[-1]
    if isinstance(last, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(last.test)
    ):
        return _last(last.body)
    return last.lineno
