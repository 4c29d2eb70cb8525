"""`forsooth receipt`: the proof of a goal, to read, to paste or to keep as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from forsooth.cli import options, show
from forsooth.errors import UsageError

FORMATS = ("text", "envelope", "statement", "junit", "sarif", "test-result")


@click.command()
@click.argument("subject", default="plan")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="As what.")
@click.option("--out", default="", metavar="FILE", help="Write it there instead.")
@options.which
@options.as_json
def command(*, subject: str, form: str, out: str, plan: str, as_json: bool) -> int:
    """Show the receipt of SUBJECT: a goal, or the whole plan."""
    project = options.project()
    id_ = project.which(plan)
    data = project.receipt(id_, subject)
    if data is None:
        says = f"{subject} has no receipt"
        raise UsageError(says, hint=f"forsooth why {subject}", code="no-receipt")
    told = _told(data, "statement" if as_json else form)
    if out:
        Path(out).write_bytes(told)
        show.lines([f"written to {out}"], to=sys.stderr)
    else:
        show.raw(told)
    return 0


def _told(data: bytes, form: str) -> bytes:
    from forsooth.receipts import dsse, page, statement, views

    if form == "envelope":
        return data
    said = statement.decoded(dsse.opened(data).payload)
    match form:
        case "junit":
            return views.junit(said).encode()
        case "sarif":
            return _json(views.sarif(said))
        case "test-result":
            return _json(views.test_result(said))
        case "statement":
            return _json(said.plain)
        case _:
            return "\n".join((*page.show(said), "")).encode()


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"
