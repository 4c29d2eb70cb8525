"""What code handed to another interpreter starts, deletes or writes, where it says so in literals.

Python is parsed; of other languages only the usual calls with quoted words are read.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

_STARTS = re.compile(
    r"\b(?:system|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|popen|qx|shell_exec|passthru)\b"
    r"([^);\n]{0,500})"
)
_DELETES = re.compile(
    r"\b(?:rmtree|remove_tree|rm_rf?|rmSync|rmdirSync)\s*\(?\s*[\"']([^\"']+)[\"']"
)
_WRITES = re.compile(
    r"\b(?:writeFile|writeFileSync|appendFile|appendFileSync|File\.write|File\.open|IO\.write)"
    r"\s*\(?\s*[\"']([^\"']+)[\"']|\bprintf?\b[^\n]*>\s*\"([^\"]+)\""
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|\{([^}]*)\}")
_TICKS = re.compile(r"`([^`]*)`")
_FORKS = re.compile(r"\bfork\b")
_ENDLESS = re.compile(r"\bwhile\b|\bloop\b|\buntil\b|for\s*\(\s*;\s*;")
_PERSON = re.compile(r"\bforsooth\b.*[\"'](seal|trust|waive|agree)[\"']", re.DOTALL)
_CALLS = frozenset(
    "run call check_call check_output Popen system popen getoutput getstatusoutput".split()
)
_REPLACES = frozenset("execv execve execvp execvpe spawnv spawnvp posix_spawn".split())
_FILE_WRITES = frozenset("write_text write_bytes touch".split())
_REMOVES = frozenset("remove unlink rmdir removedirs".split())
_PATHS = frozenset("Path PurePath expanduser abspath str fspath".split())


class Act(NamedTuple):
    """One thing that code does, by its word: run, script, delete, write, remove, fork, person."""

    does: str
    words: tuple[str, ...]


def acts(language: str, text: str) -> Iterator[Act]:
    """Everything that the code says outright."""
    if _FORKS.search(text) and _ENDLESS.search(text):
        yield Act("fork", ())
    if found := _PERSON.search(text):
        yield Act("person", (found[1],))
    if language == "python":
        yield from _python(text)
        return
    for found in _STARTS.finditer(text):
        said = [one[one.lastindex or 0] for one in _QUOTED.finditer(found[1])]
        if said:
            yield Act("script", (" ".join(said),))
    if language in ("perl", "ruby", "php"):
        yield from (Act("script", (found[1],)) for found in _TICKS.finditer(text))
    yield from (Act("delete", (found[1],)) for found in _DELETES.finditer(text))
    yield from (Act("write", (found[1] or found[2],)) for found in _WRITES.finditer(text))


def _python(text: str) -> Iterator[Act]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (act for act in _call(node) if act.words)


def _call(node: ast.Call) -> Iterator[Act]:
    owner, name = _named(node.func)
    words = _literals(node.args[0]) if node.args else ()
    if name in _CALLS:
        is_list = bool(node.args) and isinstance(node.args[0], ast.List | ast.Tuple)
        yield Act("run" if is_list else "script", words)
    elif name in _REPLACES:
        yield from (Act("run", _literals(one)) for one in node.args if isinstance(one, ast.List))
    elif name == "rmtree":
        yield Act("delete", words)
    elif name == "open" and _mode(node)[:1] in ("w", "a", "x"):
        yield Act("write", words[:1])
    elif name in _REMOVES and owner == "os":
        yield Act("remove", words[:1])
    elif isinstance(node.func, ast.Attribute) and name in _FILE_WRITES | _REMOVES:
        yield Act("remove" if name in _REMOVES else "write", _literals(node.func.value)[:1])


def _named(func: ast.expr) -> tuple[str, str]:
    if isinstance(func, ast.Attribute):
        owner = func.value.id if isinstance(func.value, ast.Name) else ""
        return owner, func.attr
    return "", func.id if isinstance(func, ast.Name) else ""


def _mode(node: ast.Call) -> str:
    given = [one.value for one in node.keywords if one.arg == "mode"] or node.args[1:2]
    return next(iter(_literals(given[0])), "") if given else ""


def _literals(node: ast.expr) -> tuple[str, ...]:
    """A string, a path made of one, or a list of them; nothing where a part is neither."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    if isinstance(node, ast.Call) and _named(node.func)[1] in _PATHS and len(node.args) == 1:
        return _literals(node.args[0])
    if isinstance(node, ast.List | ast.Tuple):
        found = [_literals(one) for one in node.elts]
        return tuple(one[0] for one in found) if all(len(one) == 1 for one in found) else ()
    return ()
