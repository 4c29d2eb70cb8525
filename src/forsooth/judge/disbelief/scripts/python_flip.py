"""What a Python script expects, changed in its own source; every other byte stays as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from forsooth.judge.disbelief.scripts import python
from forsooth.judge.disbelief.scripts.expected import (
    Change,
    Drawn,
    Helper,
    Helpers,
    asserts,
    branch,
    chosen,
    fails,
    is_count,
    is_main,
    is_otherwise,
    is_wanted,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ABOUT_THE_RUN = re.compile(r"\bargv\b|__name__|platform|environ|version_info|getenv|\bargs\b")
_TELLS = frozenset("print repr str format dumps pformat len sorted write exit".split())
_TEXT_TESTS = frozenset("startswith endswith fullmatch search match isclose allclose".split())


class _At(NamedTuple):
    """Where a statement stands: in which function, and whether it is surely come by."""

    function: _Function | None
    sure: bool


def changes_in(source: bytes, drawn: Drawn, helpers: Helpers) -> list[Change]:
    """What a text expects, with another value; nothing of one that is no Python."""
    module = python.parsed(source) if python.is_utf8(source) else None
    return changes(module, source, drawn, helpers) if module else []


def changes(module: ast.Module, source: bytes, drawn: Drawn, helpers: Helpers) -> list[Change]:
    """Every expectation that is found, with another value."""
    script = _Script(module, source, drawn, helpers)
    script.read()
    return list(script.found.values())


def helper(function: _Function) -> Helper:
    """A function as a helper of scripts, and which of its arguments it compares."""
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] == ["self"] else names
    compared: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            sides = [_name(side) for side in (node.left, *node.comparators)]
            sides = [name for name in sides if name in names]
            compared |= {names.index(name) for name in sides} if len(sides) > 1 else set()
    compared = compared or {n for n, name in enumerate(names) if is_wanted(name)}
    return Helper(_text(function.body), frozenset(compared))


def functions(module: ast.Module) -> dict[str, _Function]:
    """Every function of a module by its name."""
    return {node.name: node for node in ast.walk(module) if isinstance(node, _Function)}


class _Script:
    def __init__(self, module: ast.Module, source: bytes, drawn: Drawn, helpers: Helpers) -> None:
        self.module, self.source, self.drawn, self._helpers = module, source, drawn, helpers
        self.found: dict[tuple[int, int], Change] = {}
        self.functions = functions(module)
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def read(self) -> None:
        """First what is surely come by, with the functions it calls, then the other functions."""
        for body, at in self._bodies():
            for statement in body:
                self._statement(statement, at)

    def _bodies(self) -> Iterator[tuple[list[ast.stmt], _At]]:
        yield self.module.body, _At(None, sure=True)
        called, left = self._called(self.module.body), dict(self.functions)
        while names := [name for name in left if name in called]:
            for name in names:
                one = left.pop(name)
                called |= self._called(one.body)
                yield one.body, _At(one, sure=True)
        for one in left.values():
            yield one.body, _At(one, sure=False)

    def _called(self, body: Iterable[ast.stmt]) -> set[str]:
        """Functions that code names without a condition, also by asking for all of them."""
        names: set[str] = set()
        for statement in body:
            for part in _parts(statement):
                for node in ast.walk(part):
                    if isinstance(node, ast.Name):
                        names.add(node.id)
        if names & {"globals", "unittest", "vars", "dir", "doctest"}:
            names |= {name for name in self.functions if name.startswith("test")}
        return names

    def _statement(self, node: ast.stmt, at: _At) -> None:
        match node:
            case ast.Assert():
                self._expected(node.test, at, holds=True)
            case ast.If():
                self._if(node, at)
            case ast.Expr(value=ast.Call() as call):
                self._call(call, at)
            case ast.Expr(value=ast.Await(value=ast.Call() as call)):
                self._call(call, at)
            case ast.AugAssign(op=ast.Add()):
                self._expected(node.value, at, holds=False)
            case ast.Assign(value=ast.Compare() | ast.BoolOp()):
                self._expected(node.value, at._replace(sure=False), holds=True)
            case ast.Return(value=ast.Compare() | ast.BoolOp() as value):
                self._expected(value, at._replace(sure=False), holds=True)
            case ast.Try():
                self._try(node, at)
            case ast.With(items=items) if any(_may_fail(one) for one in items):
                pass
            case ast.For() | ast.AsyncFor() | ast.While() | ast.With() | ast.AsyncWith():
                for one in node.body:
                    self._statement(one, at)
            case _:
                pass

    def _if(self, node: ast.If, at: _At) -> None:
        if "__name__" in ast.unparse(node.test):
            for one in node.body:
                self._statement(one, at)
            return
        returns = at.function is not None and is_main(at.function.name)
        which = branch(_text(node.body), _text(node.orelse), returns=returns)
        if which:
            self._expected(node.test, at, holds=which == "else")
        for one in (*node.body, *node.orelse):
            self._statement(one, at._replace(sure=False))

    def _try(self, node: ast.Try, at: _At) -> None:
        """What fails inside counts only when nobody catches it, or whoever does lets it count."""
        caught = all(fails(_text(handler.body)) for handler in node.handlers)
        for one in node.body:
            self._statement(one, at if caught else at._replace(sure=False))
        for one in (*node.orelse, *node.finalbody):
            self._statement(one, at)

    def _expected(self, node: ast.expr, at: _At, *, holds: bool) -> None:
        """A condition that must hold, or must not."""
        if _ABOUT_THE_RUN.search(ast.unparse(node)):
            return
        match node:
            case ast.BoolOp():
                # One part decides by itself only where all must hold, or none may.
                alone = isinstance(node.op, ast.And) == holds
                for one in node.values:
                    self._expected(one, at if alone else at._replace(sure=False), holds=holds)
            case ast.UnaryOp(op=ast.Not()):
                self._expected(node.operand, at, holds=not holds)
            case ast.Compare(ops=[op], comparators=[right]):
                self._compared(node.left, op, right, at, holds=holds)
            case ast.Call(args=[*_, last]) if holds and _name(node.func) in _TEXT_TESTS:
                literal = next((one for one in node.args if _is_literal(one)), None)
                if literal is not None and (literal is last or _name(node.func) != "isclose"):
                    self._change(literal, at)
            case _:
                pass

    def _compared(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr, at: _At, *, holds: bool
    ) -> None:
        if is_count(_name(left)) or is_count(_name(right)):
            return
        if isinstance(op, ast.Eq | ast.Is if holds else ast.NotEq | ast.IsNot):
            one, other = (left, right) if self._is_expected(left, right) else (right, left)
            if not (_is_literal(one) and _is_literal(other)):
                self._change(one, at)
        elif isinstance(op, ast.In if holds else ast.NotIn):
            self._change(right if _is_literal(right) and not _is_literal(left) else left, at)

    def _is_expected(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether the first of two is what is expected, and not what there is."""
        if _is_literal(one) != _is_literal(other):
            return _is_literal(one)
        return is_wanted(_name(one)) and not is_wanted(_name(other))

    def _call(self, call: ast.Call, at: _At) -> None:
        name = _name(call.func)
        if name in ("exit", "SystemExit", "_exit") and call.args:
            self._status(call.args[0], at)
        if name in ("assertTrue", "ok", "assert_", "assert_true", "check", "expect") and call.args:
            self._expected(call.args[0], at, holds=True)
        known = self._known(name)
        args = [one for one in call.args if not isinstance(one, ast.Starred)]
        if len(args) != len(call.args) or not asserts(name, known):
            if known is None and not asserts(name, known):
                self._within(call, at)
            return
        literal = [_is_literal(one) for one in args]
        wanted = [is_wanted(_name(one)) for one in args]
        for n in chosen(literal, wanted, known):
            self._change(args[n], at)

    def _within(self, call: ast.Call, at: _At) -> None:
        """A call of something else may hold functions whose bodies decide."""
        for one in call.args:
            if isinstance(one, ast.Lambda) and isinstance(one.body, ast.Call):
                self._call(one.body, at._replace(sure=False))

    def _status(self, node: ast.expr, at: _At) -> None:
        """What a script exits with, where a comparison says it."""
        if isinstance(node, ast.IfExp) and isinstance(node.body, ast.Constant):
            self._expected(node.test, at, holds=not node.body.value)
        elif isinstance(node, ast.Call) and _name(node.func) in ("int", "bool") and node.args:
            self._status(node.args[0], at)
        else:
            self._expected(node, at, holds=False)

    def _known(self, name: str) -> Helper | None:
        own = self.functions.get(name)
        return helper(own) if own else self._helpers(name)

    def _change(self, node: ast.expr, at: _At) -> None:
        if isinstance(node, ast.Name):
            if at.function and _is_name(node, _arguments(at.function)) and self._is_helper(at):
                return  # changed where it is called
            rows = self._rows(node, at)
            if rows:
                for one in rows:
                    self._put(one, at)
                return
            node = self._assigned(node, at) or node
        self._put(node, at)

    def _is_helper(self, at: _At) -> bool:
        return at.function is not None and asserts(at.function.name, helper(at.function))

    def _put(self, node: ast.expr, at: _At) -> None:
        start, end = self._place(node)
        before = self.found.get((start, end))
        sure = at.sure or (before is not None and before.sure)
        self.found[start, end] = Change(
            start, end, self._other(node).encode("utf-8", "surrogateescape"), sure=sure
        )

    def _other(self, node: ast.expr) -> str:
        if _is_literal(node):
            return repr(self.drawn.other(ast.literal_eval(node)))
        start, end = self._place(node)
        number, word = self.drawn
        return (
            f"(lambda v: 2 * v + {number} if isinstance(v, (int, float)) else v + {word!r} "
            f"if isinstance(v, str) else [v, {word!r}])"
            f"({self.source[start:end].decode('utf-8', 'surrogateescape')})"
        )

    def _place(self, node: ast.expr) -> tuple[int, int]:
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)

    def _rows(self, name: ast.Name, at: _At) -> list[ast.expr]:
        """The values of a name that a loop takes from a table written in the script."""
        for loop in ast.walk(at.function or self.module):
            if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Tuple):
                continue
            names = [one.id if isinstance(one, ast.Name) else "" for one in loop.target.elts]
            table = loop.iter
            if isinstance(table, ast.Name):
                table = self._single(table.id, self.module) or table
            if name.id in names and isinstance(table, ast.List | ast.Tuple) and table.elts:
                n = names.index(name.id)
                rows = [row for row in table.elts if isinstance(row, ast.List | ast.Tuple)]
                if all(len(row.elts) == len(names) for row in rows) and rows == table.elts:
                    values = [row.elts[n] for row in rows]
                    return values if all(_is_literal(one) for one in values) else []
        return []

    def _assigned(self, name: ast.Name, at: _At) -> ast.expr | None:
        """Where a value comes from, when nothing but comparing and telling is done with it."""
        scope = at.function or self.module
        value = self._single(name.id, scope)
        if value is None or not is_wanted(name.id):
            return None
        for node in ast.walk(scope):
            if isinstance(node, ast.Name) and node.id == name.id and not self._is_only_told(node):
                return None
        return value

    def _is_only_told(self, node: ast.AST) -> bool:
        """Whether a name is used only in a comparison, an assertion or a message."""
        while (above := self._above.get(node)) is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.Compare | ast.JoinedStr):
                return True
            if isinstance(above, ast.Call):
                name = _name(above.func)
                return name in _TELLS or asserts(name, self._known(name))
            if isinstance(above, ast.Attribute | ast.Subscript):
                return False
            node = above
        return True

    @cached_property
    def _above(self) -> dict[ast.AST, ast.AST]:
        return {
            child: node for node in ast.walk(self.module) for child in ast.iter_child_nodes(node)
        }

    def _single(self, name: str, scope: ast.AST) -> ast.expr | None:
        """The value of a name that is set once in a scope, by itself."""
        stores = [
            node
            for node in ast.walk(scope)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        ]
        above = self._above.get(stores[0]) if len(stores) == 1 else None
        if isinstance(above, ast.Assign) and above.targets == stores:
            return above.value
        return None


def _parts(node: ast.stmt) -> Iterator[ast.AST]:
    """What of a statement is surely evaluated."""
    if isinstance(node, ast.If) and "__name__" not in ast.unparse(node.test):
        yield node.test
    elif not isinstance(node, _Function):
        yield node


def _may_fail(item: ast.withitem) -> bool:
    """Whether what fails in a block is wanted, or forgiven."""
    call = item.context_expr
    name = _name(call.func) if isinstance(call, ast.Call) else ""
    return is_otherwise(name) or name == "suppress"


def _text(body: list[ast.stmt]) -> str:
    return "\n".join(ast.unparse(one) for one in body)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.id if isinstance(node, ast.Name) else ""


def _is_name(node: ast.expr, names: Iterable[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _arguments(function: _Function) -> list[str]:
    return [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
