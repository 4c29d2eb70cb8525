"""What is wrong with a value, in words a person would use.

The value library's own texts speak of inputs and types; nobody who writes a brief or a setting
should have to read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "there is no such key",
    "string_type": "must be text",
    "string_too_short": "say something here",
    "string_pattern_mismatch": "has not the form of such a name",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "none_required": "must be left out",
    "json_invalid": "is not JSON",
}
_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("must be more than", "gt"),
    "greater_than_equal": ("must be at least", "ge"),
    "less_than_equal": ("must be at most", "le"),
    "literal_error": ("must be one of", "expected"),
    "too_short": ("needs so many entries or more:", "min_length"),
}


def words(row: ErrorDetails) -> str:
    """One flaw, without where it is."""
    kind = row["type"]
    if kind in _WORDS:
        return _WORDS[kind]
    context: Mapping[str, Any] = row.get("ctx", {})
    if kind in _BOUNDS:
        says, key = _BOUNDS[kind]
        return f"{says} {str(context[key]).replace(' or ', ', ')}"
    # What is left is a value's own complaint, which is a sentence already.
    return str(context.get("error", row["msg"]))


def flaw(error: ValidationError) -> str:
    """The first thing wrong with a value, and where."""
    row = error.errors()[0]
    where = ".".join(map(str, row["loc"]))
    return f"{where}: {words(row)}" if where else words(row)
