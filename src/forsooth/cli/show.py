"""Printing: results on standard output, all else on standard error, colour only on a terminal."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Iterable
from itertools import groupby
from typing import Any, TextIO

from forsooth.core.gate import Reason
from forsooth.errors import ForsoothError, Refused
from forsooth.project import BadBrief, telling

Line = str | tuple[str, str]

MARKS = {
    "done": ("✔", "green"),
    "active": ("▶", "cyan"),
    "ready": ("○", "bold"),
    "pending": ("·", "dim"),
    "draft": ("·", "dim"),
    "superseded": ("–", "dim"),
}
BLOCKED = ("■", "yellow")


def lines(rows: Iterable[Line], *, to: TextIO | None = None) -> None:
    """Print rows, each a text or a text with its style."""
    stream = to or sys.stdout
    told = [(row, "") if isinstance(row, str) else row for row in rows]
    told = [(_encodable(harmless(text), stream), style) for text, style in told]
    if _is_plain(stream):
        stream.writelines(f"{text}\n" for text, _ in told)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for text, style in told:
        console.print(Text(text, style=style))


def unheard(reasons: Iterable[Reason]) -> list[Line]:
    """A person's word that this home does not know, and what gives it here."""
    rows: list[Line] = []
    for one in reasons:
        rows += [(f"  ⚠ {one.says}", "bold yellow"), (f"    try: {one.hint}", "dim")]
    return rows


def harmless(text: str) -> str:
    """One line that cannot move the cursor, recolour, reverse or hide what a person reads."""
    if text.isprintable():
        return text
    return "".join(ascii(c)[1:-1] if _is_unseen(c) else c for c in text)


def _is_unseen(char: str) -> bool:
    return char not in "\t\u200d" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _is_plain(stream: TextIO) -> bool:
    return not stream.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def raw(told: bytes) -> None:
    """Print bytes as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(told)


def data(value: Any) -> None:
    """Print one JSON object."""
    as_ascii = (sys.stdout.encoding or "").lower() not in ("utf-8", "utf8")
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=as_ascii) + "\n")


def row(value: Any) -> None:
    """Print one JSON object on a line of its own."""
    sys.stdout.write(json.dumps(value) + "\n")


def failure(error: ForsoothError, *, as_json: bool) -> None:
    """Say what went wrong and what to type."""
    if as_json:
        data(telling.failure(error))
        return
    if isinstance(error, Refused):
        lines(_refused(error.reasons), to=sys.stderr)
    elif isinstance(error, BadBrief):
        lines(_defects(error), to=sys.stderr)
    else:
        lines([(f"forsooth: {error.message}", "red")], to=sys.stderr)
    if error.hint:
        lines([f"  try: {error.hint}"], to=sys.stderr)


def _refused(reasons: Iterable[Reason]) -> list[Line]:
    """Each reason with what to type; what answers several in a row is said once, after them."""
    rows: list[Line] = [("forsooth: refused", "red")]
    for hint, alike in groupby(reasons, key=lambda reason: reason.hint):
        rows += [f"  {reason.says}  [{reason.code}]" for reason in alike]
        if hint:
            rows.append((f"    try: {hint}", "dim"))
    return rows


def _defects(error: BadBrief) -> list[Line]:
    rows: list[Line] = [(f"forsooth: {error.message}", "red")]
    for defect in error.defects:
        rows.append(f"  {error.source}:{defect.line}: {defect.says}  [{defect.code}]")
        rows.append((f"    try: {defect.fix}", "dim"))
    return rows
