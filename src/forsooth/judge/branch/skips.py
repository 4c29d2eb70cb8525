r"""Where the text of a test file leaves a test out: marks, calls and options that runners know.

Read from the text alone, so that it can be reported where nothing can be run. A skip under a
condition counts like any other: whether the condition holds only a run would show. The name "" is
the whole file.

>>> skips("test_a.py", b"@pytest.mark.skip\ndef test_x(): pass\n")
{'test_x': 'pytest.mark.skip'}
>>> skips("a.test.js", b"it.skip('adds', () => {})\nit('sums', () => {})\n")
{'adds': "it.skip('adds'"}
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from forsooth.judge.disbelief.bodies.python import parsed

_PYTHON = re.compile(
    r"(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b|(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b"
    r"|pytest\.(?:skip|xfail|importorskip)\(|\bskipTest\(|\bSkipTest\b"
)
_SCRIPT = re.compile(
    r"\b(?:(?:it|test|describe|suite|context)(?:\.\w+)*\.(?:skip|todo|fixme|failing|skipIf|runIf|only)"
    r"|x(?:it|test|describe|context)|f(?:it|describe))\(\s*(['\"`])(?P<title>(?:\\.|(?!\1).)*)\1"
    r"|\b(?:it|test)\(\s*(['\"`])(?P<option>(?:\\.|(?!\3).)*)\3\s*,\s*\{[^}]*\b(?:skip|todo|only)\b",
    re.DOTALL,
)
_GO = re.compile(r"\b\w+\.Skip(?:f|Now)?\([^\n]*|^//go:build [^\n]*", re.MULTILINE)
_GO_FUNCTION = re.compile(r"^func (?:\([^)]*\) )?(\w+)\(", re.MULTILINE)
_RUST = re.compile(r"#\[ignore[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub |async )*fn (\w+)")
_OTHER = re.compile(
    r"@(?:Disabled|Ignore)\b[^\n]*|\bassumeTrue\([^\n]*|\bmarkTestSkipped\([^\n]*|^\s*(?:skip|pending)\b[^\n]*"
    r"|\bxit\b[^\n]*|\[(?:Ignore|Skip)[^\]]*\]|@(?:Skip|skip)\b[^\n]*",
    re.MULTILINE,
)
_SPACE = re.compile(r"\s+")
_LONGEST = 100


def skips(path: str, data: bytes | None) -> dict[str, str]:
    """For each test that a file leaves out, the text that does it."""
    if not data:
        return {}
    if path.endswith((".py", ".pyi")):
        return dict(_python(data))
    text = data.decode("utf-8", "replace")
    if re.search(r"\.[cm]?[jt]sx?$", path):
        return {m["title"] or m["option"]: _short(m[0]) for m in _SCRIPT.finditer(text)}
    if path.endswith(".go"):
        return dict(_go(text))
    if path.endswith(".rs"):
        return {found[1]: "#[ignore]" for found in _RUST.finditer(text)}
    found = _OTHER.findall(text)
    return {"": f"{len(found)} times, such as {_short(found[0])}"} if found else {}


def _python(data: bytes) -> Iterator[tuple[str, str]]:
    source = parsed(data)
    if source is None:
        return
    for node in source.tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr):
            yield from _marked("", node)
    yield from _functions(source.tree.body, "")


def _functions(body: list[ast.stmt], above: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in (*node.decorator_list, *node.body):
                yield from _marked(f"{above}{node.name}", part)
        elif isinstance(node, ast.ClassDef):
            for part in node.decorator_list:
                yield from _marked(f"{above}{node.name}", part)
            yield from _functions(node.body, f"{above}{node.name}::")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node.body, above)


def _marked(name: str, node: ast.AST) -> Iterator[tuple[str, str]]:
    text = ast.unparse(node)
    if _PYTHON.search(text):
        line = next(line for line in text.splitlines() if _PYTHON.search(line))
        yield name, _short(line)


def _go(text: str) -> Iterator[tuple[str, str]]:
    heads = list(_GO_FUNCTION.finditer(text))
    for found in _GO.finditer(text):
        above = [head[1] for head in heads if head.end() <= found.start()]
        yield (above[-1] if above else ""), _short(found[0])


def _short(text: str) -> str:
    return _SPACE.sub(" ", text).strip()[:_LONGEST]
