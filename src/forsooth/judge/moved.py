"""Whether a test file that went elsewhere with its subject is still the same test.

Where it lies shows in how it names its own repository: a package's name, paths of imports. Those
may differ; what it takes from elsewhere may not.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_GO_PACKAGE = re.compile(rb"^package \w+$", re.MULTILINE)
_GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)
_RELATIVE = re.compile(rb"""(["'`])\.{1,2}/[^"'`\n]*\1""")
_OWN = b"\x01"  # stands for whatever names the repository itself; no source has it
_IMPORT = re.compile(rb"^(\s*(?:from|import)\s+)(\.*[\w.]+)", re.MULTILINE)


def is_same(path: str, was: bytes, now: bytes, *, paths: Collection[str], module: bytes) -> bool:
    """Whether two texts differ in nothing but that; `module` is what a go.mod says."""
    if was == now:
        return True
    ending = path.rpartition(".")[2]
    if ending == "go":
        return _go(was, module) == _go(now, module)
    if ending in ("js", "mjs", "cjs", "ts", "tsx", "jsx", "mts", "cts"):
        return _RELATIVE.sub(_OWN, was) == _RELATIVE.sub(_OWN, now)
    if ending == "py":
        own = {part.removesuffix(".py").encode() for one in paths for part in one.split("/")}
        return _python(was, own) == _python(now, own)
    return False


def _go(data: bytes, module: bytes) -> bytes:
    data = _GO_PACKAGE.sub(b"package " + _OWN, data, count=1)
    named = _GO_MODULE.search(module)
    if named is None:
        return data
    return re.sub(rb'"' + re.escape(named[1]) + rb'(?:/[^"\n]*)?"', b'"' + _OWN + b'"', data)


def _python(data: bytes, own: Collection[bytes]) -> bytes:
    def named(found: re.Match[bytes]) -> bytes:
        name = found[2]
        is_own = name.startswith(b".") or name.partition(b".")[0] in own
        return found[1] + (_OWN if is_own else name)

    return _IMPORT.sub(named, data)
