"""One JSON profile: the same value has the same bytes everywhere, or none at all."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.core.canonical import DEEPEST, LARGEST, OutsideProfile, digest, digest_of, encode


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_value_is_written_sorted_compact_and_unescaped():
    """Order of insertion and tuples leave no trace."""
    value = {"b": (1, None), "a": {"é": True}["é"], "c": "→ é"}
    assert encode(value) == '{"a":true,"b":[1,null],"c":"→ é"}'.encode()
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) == digest(b'{"a":1,"b":2}')


def test_the_edges_of_the_profile_are_inside():
    """The largest integer and the deepest nesting are still written."""
    assert encode([LARGEST, -LARGEST]) == f"[{LARGEST},-{LARGEST}]".encode()
    assert encode(nested(DEEPEST)).startswith(b"[" * DEEPEST)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (1.5, r"\$: float has no agreed form"),
        ({"a": [0, {1}]}, r"\$.a\[1\]: set has no agreed form"),
        ({"a": LARGEST + 1}, r"\$.a: .* is too large"),
        (-LARGEST - 1, "is too large"),
        ({"é": 1}, "key 'é' is not ASCII"),
        ({1: 1}, "key 1 is not ASCII"),
        (nested(DEEPEST + 1), "nested deeper than"),
        ("\ud800", "half a surrogate"),
    ],
)
def test_what_two_encoders_could_write_differently_is_refused(value: Any, says: str):
    """Refused with the place, never rounded."""
    with pytest.raises(OutsideProfile, match=says):
        encode(value)
