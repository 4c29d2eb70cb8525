"""Tests in Python by their syntax tree: layout, comments and docstrings count for nothing."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from forsooth.judge.branch.words import Assertion, Shape
from forsooth.judge.disbelief.bodies.python import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef

EXACT, LOOSE, NOTHING = 2, 1, 0
_LONGEST = 80
_DEEPEST = 3
_EXACT_CALLS = (
    "equal",
    "raises",
    "warns",
    "count",
    "called_with",
    "called_once_with",
    "has_calls",
    "close",
    "regex",
    "dict",
    "list",
)
_TRUTHS = ("asserttrue", "assertfalse", "assert_", "assert_true", "assert_false", "expect")
_EQUALS = ("assertequal", "assertequals", "assert_equal")
_SLACK = {"abs", "rel", "delta", "atol", "rtol", "tolerance", "tol", "abs_tol", "rel_tol"}
_BROAD = {"Exception", "BaseException", "AssertionError"}
_KNOWN = frozenset(dir(builtins))


def shapes(data: bytes) -> dict[str, Shape]:
    """Every function of a file by name, methods as `Class::name`; empty when it is no Python."""
    source = parsed(data)
    if source is None:
        return {}
    found = dict(_functions(source.tree.body, ""))
    return {name: _shape(node, found) for name, node in found.items()}


def _functions(body: list[ast.stmt], above: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield f"{above}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{above}{node.name}::")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node.body, above)


def _shape(node: Function, known: dict[str, Function]) -> Shape:
    body = reached(node.body)
    decorated = [one for one in node.decorator_list if not _is_mark(one)]
    text = "\n".join(map(ast.unparse, [*decorated, node.args, *body]))
    assertions = tuple(_assertions(body, known, depth=0))
    return Shape(text, assertions, _slack(body), _is_idle(node, body))


def reached(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that are run: without the docstring, up to the first that ends them all."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Return) and node.value is None:
            break
        found.append(node)
        if isinstance(node, ast.Return | ast.Raise):
            break
    return found


def _is_mark(node: ast.expr) -> bool:
    return ast.unparse(node).startswith("pytest.mark.")


def _assertions(
    body: list[ast.stmt], known: dict[str, Function], *, depth: int, void: bool = False
) -> Iterator[Assertion]:
    for node in body:
        for one in _own(node, known, depth=depth):
            yield one._replace(weight=NOTHING) if void else one
        for below, lost in _blocks(node):
            yield from _assertions(reached(below), known, depth=depth, void=void or lost)


def _blocks(node: ast.stmt) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The statements below one, and whether a failure among them would go unnoticed."""
    if isinstance(node, Function | ast.ClassDef):
        return
    if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
        yield (node.body if node.test.value else node.orelse), False
        return
    swallows = isinstance(node, ast.Try) and any(_swallows(one) for one in node.handlers)
    swallows |= isinstance(node, ast.With) and any(
        "suppress" in ast.unparse(item.context_expr) for item in node.items
    )
    for name in ("body", "orelse", "finalbody"):
        yield getattr(node, name, []), swallows and name == "body"
    for handler in getattr(node, "handlers", []):
        yield handler.body, False


def _swallows(handler: ast.ExceptHandler) -> bool:
    caught = _names(handler.type) if handler.type else {"BaseException"}
    raises = any(isinstance(n, ast.Raise | ast.Assert) for n in ast.walk(handler))
    return bool(caught & _BROAD) and not raises and "fail" not in ast.unparse(handler)


def _own(node: ast.stmt, known: dict[str, Function], *, depth: int) -> Iterator[Assertion]:
    """What one statement asserts, blocks below it left out; helpers of the file are entered."""
    if isinstance(node, ast.Assert):
        yield from _claims(node.test)
        return
    for call in _calls(node):
        name = _called(call)
        helper = known.get(name) or next(
            (one for key, one in known.items() if key.endswith(f"::{name}")), None
        )
        if helper is not None and depth < _DEEPEST:
            yield from _assertions(reached(helper.body), known, depth=depth + 1)
        elif (weight := _call_weight(call, name.lower())) is not None:
            yield Assertion(_short(call), weight)


def _claims(test: ast.expr) -> Iterator[Assertion]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _claims(value)
        return
    yield Assertion(f"assert {_short(test)}", _weight(test))


def _weight(test: ast.expr) -> int:
    """What a condition is worth: an alternative as much as its weakest part, a constant nothing."""
    if isinstance(test, ast.BoolOp):
        return (min if isinstance(test.op, ast.Or) else sum)(map(_weight, test.values))
    if not any(isinstance(one, ast.Name | ast.Call | ast.Await) for one in ast.walk(test)):
        return NOTHING
    if not isinstance(test, ast.Compare):
        return LOOSE
    if ast.unparse(test.left) == ast.unparse(test.comparators[0]):
        return NOTHING
    if not isinstance(test.ops[0], ast.Eq):
        return LOOSE
    sides = [test.left, *test.comparators]
    if any(isinstance(side, ast.Constant) and _is_truth(side.value) for side in sides):
        return LOOSE
    return EXACT * max(map(_parts, sides))


def _is_truth(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _parts(node: ast.expr) -> int:
    """How many things an exact comparison names: the parts of a literal or of a made object."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return max(1, len(node.elts))
    if isinstance(node, ast.Dict):
        return max(1, len(node.keys))
    if isinstance(node, ast.Call) and _called(node)[:1].isupper():
        return max(1, len(node.args) + len(node.keywords))
    return 1


def _call_weight(call: ast.Call, name: str) -> int | None:
    if name in ("raises", "warns", "assertraises", "assertwarns"):
        return LOOSE if _names(call.args[0] if call.args else None) & _BROAD else EXACT
    if name in _TRUTHS and call.args:
        return _weight(call.args[0])
    if name in _EQUALS and len(call.args) > 1:
        return _weight(ast.Compare(call.args[0], [ast.Eq()], [call.args[1]]))
    if name.startswith("assert"):
        return EXACT if any(word in name for word in _EXACT_CALLS) else LOOSE
    return LOOSE if name == "fail" else None


def _calls(node: ast.stmt) -> Iterator[ast.Call]:
    """Calls of the statement itself; what lies in blocks below is looked at there."""
    below = {id(one) for body, _ in _blocks(node) for one in body}
    left: list[ast.AST] = [node]
    while left:
        one = left.pop()
        if isinstance(one, ast.Call):
            yield one
        if not isinstance(one, Function | ast.ClassDef):
            left += [n for n in ast.iter_child_nodes(one) if id(n) not in below]


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def _names(node: ast.expr | None) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node else set()


def _short(node: ast.expr) -> str:
    text = ast.unparse(node).replace("\n", " ")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _slack(body: list[ast.stmt]) -> float:
    """All tolerances a test names, added up."""
    words = (one for node in body for one in ast.walk(node) if isinstance(one, ast.keyword))
    return sum(_number(word.value) for word in words if word.arg in _SLACK)


def _number(node: ast.expr) -> float:
    value = node.value if isinstance(node, ast.Constant) else 0
    return float(value) if isinstance(value, int | float) else 0.0


def _is_idle(node: Function, body: list[ast.stmt]) -> bool:
    """Whether nothing but the test itself could make it fail: no fixture, no name from outside."""
    own = {arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    if own - {"self", "cls"} or any(not _is_mark(one) for one in node.decorator_list):
        return False
    walked = [one for statement in body for one in ast.walk(statement)]
    made = {
        one.id for one in walked if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    read = {one.id for one in walked if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    imports = any(isinstance(one, ast.Import | ast.ImportFrom) for one in walked)
    selfs = (
        one.attr
        for one in walked
        if isinstance(one, ast.Attribute) and ast.unparse(one.value) in ("self", "cls")
    )
    outside = read - made - _KNOWN - {"self", "cls", "pytest", "unittest"}
    runs = {"open", "exec", "eval", "__import__", "compile"} & read
    return not (outside or imports or runs or any(not a.startswith("assert") for a in selfs))
