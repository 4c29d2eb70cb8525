"""JSON by the interpreter's own scanner.

The `json` package loads regular expressions and enumerations for its errors and options, and they
cost a hook more than everything else it does.
"""

from __future__ import annotations

from _json import encode_basestring_ascii, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SPACE = " \t\n\r"


class _Settings:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def parsed(data: bytes) -> Any:
    """The value that some bytes say; ValueError when they say none."""
    text = data.decode()
    try:
        scanner: Any = make_scanner(_Settings)  # pyright: ignore[reportArgumentType]
        value, end = scanner(text, len(text) - len(text.lstrip(SPACE)))
    except (StopIteration, RecursionError, SystemError):  # the last without the json package
        raise ValueError("not JSON") from None
    if text[end:].strip(SPACE):
        raise ValueError("more than one value")
    return value


def table(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one where it is something else."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def written(value: Any) -> str:
    """A value of tables, lists, text, whole numbers, switches and nothing, as JSON."""
    kind: object = value.__class__
    if kind is str:
        return encode_basestring_ascii(value)
    if kind is int:
        return str(value)
    if kind is list:
        return f"[{','.join(written(one) for one in value)}]"
    if kind is dict:
        rows = (f"{written(name)}:{written(one)}" for name, one in value.items())
        return f"{{{','.join(rows)}}}"
    return {None: "null", True: "true", False: "false"}[value]
