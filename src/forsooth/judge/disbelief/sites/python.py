"""Mutants of Python by its syntax tree, which knows where each operator and value lies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from forsooth.judge.disbelief.bodies.body import Put
from forsooth.judge.disbelief.bodies.python import Function, Source, parsed
from forsooth.judge.disbelief.sites.site import Site

_SHOWN = 30
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", ">="),
    ast.GtE: (">=", "<"),
    ast.Gt: (">", "<="),
    ast.LtE: ("<=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
}


def sites(now: bytes) -> list[Site]:
    """Every mutant of a file; none when it is not Python."""
    source = parsed(now)
    if source is None:
        return []
    try:
        return [
            site for node, within in _walk(source.tree, "") for site in _at(node, within, source)
        ]
    except RecursionError:
        return []


def _walk(node: ast.AST, within: str) -> Iterator[tuple[ast.AST, str]]:
    """Every node but docstrings and the inside of formatted text, with its function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr) or (
            isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        ):
            continue
        name = within
        if isinstance(child, ast.ClassDef | Function):
            name = f"{within}.{child.name}".lstrip(".")
        yield child, name
        yield from _walk(child, name)


def _at(node: ast.AST, within: str, source: Source) -> Iterator[Site]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=right):
            pairs = zip((left, *right), ops, right, strict=False)
            yield from (one for a, op, b in pairs for one in _between(a, b, op, within, source))
        case ast.BoolOp(op=op, values=[first, second, *_]):
            yield from _between(first, second, op, within, source)
        case ast.BinOp(left=left, op=op, right=right):
            yield from _between(left, right, op, within, source)
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Compare):
            yield _whole(test, 1, within, "not ({})", source)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _whole(value, 2, within, "None", source)
        case ast.Constant(value=value):
            if by := _other(value):
                yield _whole(node, 3 if isinstance(value, str | bytes) else 1, within, by, source)
        case _:
            pass


def _other(value: object) -> str:
    """Another value of the same kind; nothing where there is none."""
    match value:
        case bool():
            return str(not value)
        case int() | float():
            return repr(value + 1)
        case str():
            return '"changed"' if value != "changed" else '""'
        case bytes():
            return 'b"changed"'
        case _:
            return ""


def _between(
    left: ast.expr, right: ast.expr, op: ast.AST, within: str, source: Source
) -> Iterator[Site]:
    """An operator by its place between two operands, where nothing but brackets is beside it."""
    pattern, by = _OPERATORS.get(type(op), ("", ""))
    start = source.at(left.end_lineno or 1, left.end_col_offset or 0)
    end = source.at(right.lineno, right.col_offset)
    found = re.fullmatch(
        rb"([\s)\\]*)(" + pattern.encode() + rb")([\s(\\]*)", source.data[start:end]
    )
    if pattern and found:
        put = Put(start + found.start(2), f" {by} ".encode(), over=len(found[2]))
        says = f"{found[2].decode()} became {by}"
        yield Site(0, left.end_lineno or 1, within, says, put)


def _whole(node: ast.expr, rank: int, within: str, by: str, source: Source) -> Site:
    start = source.at(node.lineno, node.col_offset)
    end = source.at(node.end_lineno or 1, node.end_col_offset or 0)
    was = source.data[start:end]
    text = by.format(was.decode()) if "{}" in by else by
    said = was.decode() if len(was) <= _SHOWN and b"\n" not in was else "a value"
    says = f"{said} became {by.format(said) if '{}' in by else by}"
    plain = isinstance(node, ast.Constant)
    data = f"({text})" if plain or "{}" in by else text
    return Site(rank, node.lineno, within, says, Put(start, data.encode(), over=end - start), plain)
