"""Python by its syntax tree: a bare `return` before the first statement of a body.

What follows is never reached and still counts for the shape: a generator stays one.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from forsooth.judge.disbelief.bodies.body import Body, Put

_LINE = re.compile(rb"\r\n|\r|\n")
_BLANK = re.compile(rb"[ \t\f]*")
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BOM = b"\xef\xbb\xbf"
_MAKERS = ("__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__")

Function = ast.FunctionDef | ast.AsyncFunctionDef
_QUIET = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AnnAssign, ast.Pass),
)


class Source(NamedTuple):
    """A file as its bytes, its tree, and where each line starts."""

    data: bytes
    tree: ast.Module
    starts: tuple[int, ...]

    def at(self, line: int, column: int) -> int:
        """The offset of a place the tree names."""
        return self.starts[line - 1] + column


class _Found(NamedTuple):
    name: str
    node: Function | ast.Lambda
    text: str


def parsed(data: bytes) -> Source | None:
    """A file that is Python in UTF-8; none otherwise."""
    head = b"\n".join(_LINE.split(data, 2)[:2])
    coding = _CODING.search(head)
    if coding and coding[1].lower().replace(b"_", b"-") not in (b"utf-8", b"utf8"):
        return None
    shift = len(_BOM) if data.startswith(_BOM) else 0
    try:
        text = data[shift:].decode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    starts = (shift, *(found.end() for found in _LINE.finditer(data)))
    return Source(data, tree, starts)


def bodies(before: bytes | None, now: bytes) -> tuple[Body, ...] | None:
    """Every function and method that is new or changed, and the file itself if it runs as one."""
    source = parsed(now)
    if source is None:
        return None
    old = parsed(before) if before is not None else None
    known = {(one.name, one.text) for one in _functions(old.tree)} if old else set[object]()
    found = [
        body
        for one in _functions(source.tree)
        if (one.name, one.text) not in known and (body := _body(one, source))
    ]
    script = _script(source, old)
    return (*found, script) if script else tuple(found)


def _functions(tree: ast.Module) -> Iterator[_Found]:
    """Outermost functions, methods, and lambdas with a name, each with its text."""
    try:
        yield from _below(tree.body, "")
    except RecursionError:
        return


def _below(block: list[ast.stmt], prefix: str) -> Iterator[_Found]:
    for node in block:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield _Found(prefix + node.name, node, ast.dump(node))
            case ast.ClassDef():
                yield from _below(node.body, f"{prefix}{node.name}.")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                yield _Found(prefix + name, value, ast.dump(value))
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
                for inner in _blocks(node):
                    yield from _below(inner, prefix)
            case _:
                pass


def _blocks(node: ast.If | ast.Try | ast.With | ast.For | ast.While) -> Iterator[list[ast.stmt]]:
    yield node.body
    if not isinstance(node, ast.With):
        yield node.orelse
    if isinstance(node, ast.Try):
        yield node.finalbody
        yield from (handler.body for handler in node.handlers)


def _body(one: _Found, source: Source) -> Body | None:
    node = one.node
    if isinstance(node, ast.Lambda):
        return Body(one.name, node.lineno, _around(node.body, source))
    rest = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if not rest or (len(rest) == 1 and _idle(rest[0])):
        return None
    put = _before(rest[0], b"return", source)
    return Body(one.name, node.lineno, (put,), rough=node.name in _MAKERS)


def _around(expression: ast.expr, source: Source) -> tuple[Put, ...]:
    """In brackets, since the value may go over lines that only brackets of its own join."""
    start = source.at(expression.lineno, expression.col_offset)
    end = source.at(expression.end_lineno or 1, expression.end_col_offset or 0)
    inner = source.data[start:end]
    return (Put(start, b"(None if True else (" + inner + b"))", over=end - start),)


def _before(statement: ast.stmt, word: bytes, source: Source) -> Put:
    """A word as a statement of its own, before another: on its line where the other is plain."""
    first: ast.stmt | ast.expr = statement
    if isinstance(statement, ast.ClassDef | Function) and statement.decorator_list:
        first = statement.decorator_list[0]
    if not hasattr(statement, "body") and not isinstance(statement, ast.Match):
        return Put(source.at(first.lineno, first.col_offset), word + b"; ")
    start = source.starts[first.lineno - 1]
    blank = _BLANK.match(source.data, start)
    indent = blank[0] if blank else b""
    return Put(start + len(indent), word + b"\n" + indent)


def _idle(node: ast.stmt) -> bool:
    """A statement that does nothing, or only says that it is not written yet."""
    match node:
        case ast.Pass() | ast.Return(value=None) | ast.Return(value=ast.Constant(value=None)):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id=name)) | ast.Raise(exc=ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
        case _:
            return False


def _script(source: Source, old: Source | None) -> Body | None:
    """A file that does something when it is run, where that has changed."""
    acts = [node for node in source.tree.body if not _quiet(node)]
    known = {ast.dump(node) for node in old.tree.body} if old else set[str]()
    changed = [node for node in acts if ast.dump(node) not in known]
    if not changed:
        return None
    put = _before(acts[0], b"raise SystemExit(0)", source)
    return Body("<module>", changed[0].lineno, (put,), rough=True)


def _quiet(node: ast.stmt) -> bool:
    """A statement that only defines, or is a docstring."""
    return isinstance(node, _QUIET) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
