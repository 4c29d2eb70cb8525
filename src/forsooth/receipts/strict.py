"""Reading JSON and base64 that a stranger wrote: one way to write a thing, or it is refused.

No duplicate keys, floats, big integers, half surrogates or sloppy base64; nothing crashes.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from forsooth.core.canonical import OutsideProfile, encode
from forsooth.receipts.problem import BadReceipt

LARGEST = 1 << 20  # bytes of a whole envelope


def loads(data: bytes, *, code: str) -> Any:
    """A JSON value in the profile where all readers agree."""
    if len(data) > LARGEST:
        raise BadReceipt(f"{len(data)} bytes; the largest taken is {LARGEST}", code=code)
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_float=_refuse,
            parse_constant=_refuse,
        )
        encode(value)
    except (ValueError, RecursionError, OutsideProfile) as error:
        raise BadReceipt(f"not JSON that every reader takes alike: {error}", code=code) from None
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is no whole number")


def unbase64(text: str) -> bytes | None:
    """The bytes of standard base64; none unless they would be written exactly so."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None
