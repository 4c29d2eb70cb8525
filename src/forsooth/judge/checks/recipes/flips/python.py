"""Breaks Python tests: a false assertion first in the body, every other byte as it was.

Only a test whose own function is found in the source, once, is broken; what is inherited, made
at run time or wrapped by a decorator that nobody knows is left alone.
"""

from __future__ import annotations

import ast
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips.choice import shuffled
from forsooth.judge.checks.recipes.recipe import Edit
from forsooth.judge.reports.ids import base_of
from forsooth.judge.reports.report import Report

MOST = 2
_TRIED = 400  # tests looked at before it is said that none can be broken
# Decorators under which a test's own body still decides.
_KNOWN = frozenset(
    "pytest mock patch unittest given settings example seed override_settings tag freeze_time "
    "asyncio anyio hypothesis responses respx staticmethod".split()
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Flips(NamedTuple):
    """Files with broken tests in them, and the tests that must therefore fail."""

    edits: dict[str, Edit]
    red: frozenset[str]


class _Spot(NamedTuple):
    path: str
    function: _Function


def flipped(
    look: Look, report: Report, nonce: str, *, prefer: frozenset[str] = frozenset()
) -> Flips:
    """Up to two tests that passed, broken; in different files where there are several."""
    suite = _Suite(look, report)
    found: dict[str, _Spot] = {}
    for base in suite.order(nonce, prefer):
        spot = suite.spot(base)
        if spot and spot.path not in {one.path for one in found.values()}:
            found[base] = spot
        if len(found) == MOST:
            break
    edits = {spot.path: suite.broken(spot, nonce) for spot in found.values()}
    return Flips(edits, frozenset(id_ for base in found for id_ in suite.cases[base]))


class _Suite:
    """The tests of a report, by name without parameters, and where their source is."""

    def __init__(self, look: Look, report: Report) -> None:
        self._look = look
        self.cases: defaultdict[str, list[str]] = defaultdict(list)
        self._spoilt: set[str] = set()
        for test in report.tests:
            base = base_of(test.id)
            self.cases[base].append(test.id)
            if test.outcome != "passed":
                self._spoilt.add(base)
        self._modules: dict[str, ast.Module | None] = {}

    def order(self, nonce: str, prefer: frozenset[str]) -> list[str]:
        """Those that tell most first: red on the base, then with one case, then as it falls."""
        liked = {base_of(id_) for id_ in prefer}
        bases = shuffled((base for base in self.cases if base not in self._spoilt), nonce)
        bases.sort(key=lambda base: (base not in liked, self.cases[base] != [base]))
        return bases[:_TRIED]

    def spot(self, base: str) -> _Spot | None:
        """The function behind a test; none when others run it too, or something stands between."""
        found = self._own(base)
        if found is None or not _plain(found.function):
            return None
        return None if _last(base) in self._borrowed else found

    @cached_property
    def _borrowed(self) -> frozenset[str]:
        """Names of tests whose function is not where the test is: inherited, imported, made."""
        return frozenset(_last(base) for base in self.cases if self._own(base) is None)

    def _own(self, base: str) -> _Spot | None:
        for path, names in self._places(base):
            module = self._module(path)
            functions = _functions(module, names) if module else []
            if len(functions) == 1:
                return _Spot(path, functions[0])
        return None

    def _places(self, base: str) -> Iterator[tuple[str, list[str]]]:
        """Where a test may be: `a/b.py::C::t` is told, `a.b.C.t` is tried from the longest."""
        file, *names = base.split("::")
        if names:
            if path := self._path(file):
                yield path, names
            return
        parts = base.split(".")
        for at in range(len(parts) - 2, 0, -1):
            if path := self._path("/".join(parts[:at]) + ".py"):
                yield path, parts[at:]
                return

    def _path(self, file: str) -> str:
        """A file of the tree by the end of its path, where only one ends so."""
        if file in self._files:
            return file
        ends = [path for path in self._files if path.endswith(f"/{file}")]
        return ends[0] if len(ends) == 1 else ""

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(
            path
            for path in self._look.paths()
            if path.endswith(".py") and self._look.mode(path) in ("100644", "100755")
        )

    def _module(self, path: str) -> ast.Module | None:
        if path not in self._modules:
            self._modules[path] = _parsed(self._look.read(path) or b"")
        return self._modules[path]

    def broken(self, spot: _Spot, nonce: str) -> Edit:
        """The file with a false assertion in that function."""
        data = self._look.read(spot.path) or b""
        edited = _with(data, spot.function, statement=_assertion(spot.function, nonce))
        return Edit(edited, self._look.mode(spot.path) or "100644")


def _last(base: str) -> str:
    return base.rpartition("::")[2].rpartition(".")[2]


def _parsed(data: bytes) -> ast.Module | None:
    """A source whose places can be counted in bytes: UTF-8, as nearly all are."""
    try:
        if tokenize.detect_encoding(BytesIO(data).readline)[0] not in ("utf-8", "utf-8-sig"):
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _functions(module: ast.Module, names: list[str]) -> list[_Function]:
    """The definitions of one name, through classes, also under a condition."""
    *classes, name = names
    bodies: list[ast.stmt] = list(_flat(module.body))
    for wanted in classes:
        found = [s for s in bodies if isinstance(s, ast.ClassDef) and s.name == wanted]
        if len(found) != 1:
            return []
        bodies = list(_flat(found[0].body))
    return [s for s in bodies if isinstance(s, _Function) and s.name == name]


def _flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.stmt):
                    yield from _flat([part])
                elif isinstance(part, ast.ExceptHandler):
                    yield from _flat(part.body)


def _plain(function: _Function) -> bool:
    """Whether the body alone decides: no generator, no decorator that nobody knows."""
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
        return False
    return all(_root(decorator) in _KNOWN for decorator in function.decorator_list)


def _root(decorator: ast.expr) -> str:
    while isinstance(decorator, ast.Call | ast.Attribute):
        decorator = decorator.func if isinstance(decorator, ast.Call) else decorator.value
    return decorator.id if isinstance(decorator, ast.Name) else ""


def _assertion(function: _Function, nonce: str) -> str:
    """A false assertion in the test's own style; its numbers are the nonce's."""
    drawn = int.from_bytes(sha256(f"{nonce}\0{function.name}".encode()).digest()[:4], "big")
    one, other = drawn % 9973, drawn % 9973 + 1 + drawn // 9973 % 97
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "assertEqual"
            and isinstance(node.value, ast.Name)
            and function.args.args
            and node.value.id == function.args.args[0].arg
        ):
            return f"{node.value.id}.assertEqual({one}, {other})"
    return f"assert {one} == {other}"


def _with(data: bytes, function: _Function, *, statement: str) -> bytes:
    """A source with one statement first in a body, after its docstring."""
    lines = data.splitlines(keepends=True)
    body = function.body
    told = _is_text(body[0])
    if told and len(body) == 1:
        row, column = body[0].end_lineno or 1, body[0].end_col_offset or 0
        return _inserted(lines, row, column=column, text=f"; {statement}")
    first = body[1 if told else 0]
    row, column = first.lineno, first.col_offset
    if isinstance(first, _Function | ast.ClassDef) and first.decorator_list:
        row = min(row, *(decorator.lineno for decorator in first.decorator_list))
    before = lines[row - 1][:column]
    if before.strip(b" \t\f"):
        return _inserted(lines, row, column=column, text=f"{statement}; ")
    ending = b"\r\n" if lines[row - 1].endswith(b"\r\n") else b"\n"
    return _inserted(lines, row, column=0, text=(before + statement.encode() + ending).decode())


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _inserted(lines: list[bytes], row: int, *, column: int, text: str) -> bytes:
    line = lines[row - 1]
    changed = line[:column] + text.encode() + line[column:]
    return b"".join([*lines[: row - 1], changed, *lines[row:]])
