"""Tests that lie within product files: those parts are sealed, and the rest of the file is not.

What cannot be taken apart with certainty comes back as it was sealed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from forsooth.judge.within import javascript, python, rust


class _How(NamedTuple):
    has_tests: Callable[[bytes], bool]
    as_sealed: Callable[[bytes, bytes], bytes | None]


_HOW: Mapping[str, _How] = {
    "py": _How(python.has_tests, python.as_sealed),
    "rs": _How(rust.has_tests, rust.as_sealed),
    **dict.fromkeys(
        ("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"),
        _How(javascript.has_tests, javascript.as_sealed),
    ),
}


def has_tests(path: str, data: bytes) -> bool:
    """Whether a product file holds tests of itself."""
    how = _HOW.get(path.rpartition(".")[2])
    return how is not None and how.has_tests(data)


def as_sealed(path: str, sealed: bytes, now: bytes) -> bytes:
    """The delivered file with its tests as sealed; new ones stay. The sealed file when unsure."""
    found = _HOW[path.rpartition(".")[2]].as_sealed(sealed, now)
    return sealed if found is None else found
