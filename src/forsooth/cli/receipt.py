"""`forsooth receipt`: the proof of a goal, to read, to paste or to keep as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import click

from forsooth.cli import options, show
from forsooth.errors import UsageError
from forsooth.project import Project

VERBS = (("show",), ("sign",))
FORMATS = ("text", "envelope", "statement", "junit", "sarif", "test-result")


@click.command()
@click.argument("words", nargs=-1, metavar="[show | sign] [SUBJECT]")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=None,
    help="Output format (default text); beats --json.",
)
@click.option("--out", default="", metavar="FILE", help="Write to FILE instead of printing.")
@options.which
@options.as_json
def command(*, words: tuple[str, ...], form: str | None, out: str, plan: str, as_json: bool) -> int:
    """Print the receipt of SUBJECT: a goal, or `plan` (the default).

    `sign` adds a signature by your SSH key, for verifiers who list you as a signer.
    """
    verb, subject = _meant(words)
    project = options.project()
    if verb == "sign":
        return _sign(project, project.which(plan), subject, as_json=as_json)
    if project.ids() or not project.has_receipts():
        data = project.receipt(project.which(plan), subject)
    else:
        data = project.carried_receipt(subject, plan=plan)
    if data is None:
        raise _none(subject)
    told = _told(data, form or ("statement" if as_json else "text"))
    if out:
        Path(out).write_bytes(told)
        show.lines([f"written to {out}"], to=sys.stderr)
    else:
        show.raw(told)
    return 0


class _Meant(NamedTuple):
    verb: str
    subject: str


def _meant(words: tuple[str, ...]) -> _Meant:
    verb, rest = (words[0], words[1:]) if words[:1] in VERBS else ("show", words)
    if len(rest) > 1:
        says = f"one receipt at a time: {' '.join(rest)}"
        raise UsageError(says, hint=f"forsooth receipt {verb} {rest[0]}", code="bad-value")
    return _Meant(verb, rest[0] if rest else "plan")


def _sign(project: Project, plan: str, subject: str, *, as_json: bool) -> int:
    done = project.cosign(plan, subject)
    if done is None:
        raise _none(subject)
    if as_json:
        show.data({"plan": plan, "subject": subject, "key": done.key.id})
    else:
        said = f"{subject} is signed with your key {done.key.id[:12]}, beside the judge's"
        show.lines([said, "", "next: forsooth verify"])
    return 0


def _none(subject: str) -> UsageError:
    says = f"{subject} has no receipt"
    return UsageError(says, hint=f"forsooth why {subject}", code="no-receipt")


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
