"""Tests in a file of Python: definitions called like tests, examples in docstrings, and assertions
that the file makes when it is run by itself (`if __name__ == "__main__":`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_CALLED = re.compile(r"_*(?:run_)?(?:self_?(?:tests?|checks?)|tests?)")
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Part(NamedTuple):
    """Whose tests these are, and the lines they take, counted from nought."""

    key: str
    start: int
    end: int


class _Read(NamedTuple):
    lines: Sequence[bytes]
    parts: Sequence[_Part]
    bodies: dict[str, int]


def has_tests(data: bytes) -> bool:
    """Whether a file has tests of itself."""
    read = _read(data)
    return read is not None and bool(read.parts)


def as_sealed(sealed: bytes, now: bytes) -> bytes | None:
    """The delivered file with each sealed test in its place; gone ones come back where they can."""
    were, are = _read(sealed), _read(now)
    if were is None or are is None:
        return None if were is None else now  # what does not parse fails by itself
    texts = {one.key: were.lines[one.start : one.end] for one in were.parts}
    edits = [(one.start, one.end, texts.pop(one.key)) for one in are.parts if one.key in texts]
    for key, lines in texts.items():
        at = are.bodies.get(key, len(are.lines))
        if key.startswith(("def ", "main")) or key in are.bodies:
            edits.append((at, at, lines))
    made = list(are.lines)
    for start, end, lines in sorted(edits, key=lambda edit: edit[0], reverse=True):
        made[start:end] = lines
    return b"".join(made)


def _read(data: bytes) -> _Read | None:
    try:
        module = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = data.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    bodies: dict[str, int] = {}
    parts = list(_parts(module, "", bodies))
    return _Read(lines, parts, bodies)


def _parts(
    node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    name: str,
    bodies: dict[str, int],
) -> Iterator[_Part]:
    """Tests in a definition and in those below it; where the body of each begins."""
    first = node.body[0] if node.body else None
    if first is not None and (isinstance(node, ast.Module) or first.lineno > node.lineno):
        bodies[f"doc {name}"] = _start(first)
        if _is_example(first):
            yield _Part(f"doc {name}", _start(first), first.end_lineno or first.lineno)
    for inner in node.body:
        if isinstance(inner, ast.If) and isinstance(node, ast.Module) and _is_own_run(inner):
            yield _Part("main", _start(inner), inner.end_lineno or inner.lineno)
        if not isinstance(inner, _DEFINED):
            continue
        below = f"{name}.{inner.name}".lstrip(".")
        if _is_test(inner):
            yield _Part(f"def {below}", _start(inner), inner.end_lineno or inner.lineno)
        else:
            yield from _parts(inner, below, bodies)


def _start(node: ast.stmt) -> int:
    """The first line of a statement, or of what decorates it."""
    above = node.decorator_list if isinstance(node, _DEFINED) else ()
    return min([node.lineno, *(one.lineno for one in above)]) - 1


def _is_example(node: ast.stmt) -> bool:
    """Whether a statement is a text with examples to be tried."""
    match node:
        case ast.Expr(ast.Constant(str(text))):
            return ">>>" in text
        case _:
            return False


def _is_test(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a definition is called like tests; where product might be, it must assert as well."""
    if isinstance(node, ast.ClassDef) and any(map(_is_case, node.bases)):
        return True
    if not isinstance(node, ast.ClassDef) and _CALLED.fullmatch(node.name):
        return True
    asserts = any(isinstance(one, ast.Assert) for one in ast.walk(node))
    return asserts and node.name.lower().startswith("test")


def _is_own_run(node: ast.If) -> bool:
    """Whether a file asserts something there when it is run by itself."""
    named = any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test))
    return named and any(isinstance(one, ast.Assert) for one in ast.walk(node))


def _is_case(base: ast.expr) -> bool:
    match base:
        case ast.Name(name) | ast.Attribute(_, name):
            return name.endswith("TestCase")
        case _:
            return False
