"""The one JSON profile every encoder agrees on, so a digest means the same everywhere.

No floats, no integers of 2**53 or more, ASCII keys, sorted, compact, UTF-8. Values outside the
profile are refused, never rounded.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, cast

LARGEST = 2**53 - 1
DEEPEST = 64

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


class OutsideProfile(ValueError):
    """A value that two honest encoders could write differently."""


def encode(value: Any) -> bytes:
    """Write a value in the profile, or refuse it."""
    _inspect(value, "$", 0)
    try:
        return _ENCODER.encode(value).encode("utf-8")
    except UnicodeEncodeError:
        raise OutsideProfile("text holds half a surrogate pair") from None


def digest(data: bytes) -> str:
    """Name bytes by their sha256."""
    return hashlib.sha256(data).hexdigest()


def digest_of(value: Any) -> str:
    """Name a value by the sha256 of its encoding."""
    return digest(encode(value))


def _inspect(value: Any, where: str, depth: int) -> None:
    kind = cast("type[object]", type(value))
    if kind is str or value is None or kind is bool:
        return
    if kind is int:
        if not -LARGEST <= value <= LARGEST:
            raise OutsideProfile(f"{where}: {value} is too large for every JSON reader")
    elif depth == DEEPEST:
        raise OutsideProfile(f"{where}: nested deeper than {DEEPEST}")
    elif kind is dict:
        for key, inner in cast("dict[Any, Any]", value).items():
            if type(key) is not str or not key.isascii():
                raise OutsideProfile(f"{where}: key {key!r} is not ASCII text")
            _inspect(inner, f"{where}.{key}", depth + 1)
    elif kind is list or kind is tuple:
        for index, inner in enumerate(cast("list[Any]", value)):
            _inspect(inner, f"{where}[{index}]", depth + 1)
    else:
        raise OutsideProfile(f"{where}: {kind.__name__} has no agreed form")
