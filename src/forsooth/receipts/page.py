"""A receipt as one would paste it into a pull request: Markdown that also reads as plain text.

What was set aside stands first. Text from the plan or an agent is quoted, never taken as markup.
"""

from __future__ import annotations

import re

from forsooth.receipts.assurance import WORTH
from forsooth.receipts.statement import Assurance, Proof, Statement
from forsooth.receipts.views import plainly

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~@&!])")
_LONGEST = 200
_SIGNS = {"pass": "✓", "fail": "✗", "error": "?", "waived": "⚠"}


def show(statement: Statement, *, assurance: Assurance | None = None) -> list[str]:
    """The lines of a page; `assurance` is what a verifier found, else what the receipt claims."""
    said = statement.predicate
    passed = sum(one.outcome == "pass" for one in said.checks)
    failed = [one for one in said.checks if one.outcome in ("fail", "error")]
    word = "not proven" if failed else "proven"
    head = f"## Forsooth: {said.subject} {word}: {_quoted(said.title)}"
    lines = [head, "", *_waivers(said.waived)]
    lines += [f"{passed} of {len(said.checks)} checks passed on tree `{statement.tree[:12]}`"]
    lines[-1] += f" (commit `{statement.commit[:12]}`)." if statement.commit else "."
    if said.weak:
        lines += ["", "**Weak contract:** no person said how all of this is to be proven."]
    lines += ["", *(line for one in said.checks for line in _check(one))]
    flags = [_quoted(flag) for flag in said.flags]
    lines += ["", "For your eyes:", *(f"- {flag}" for flag in flags)] if flags else []
    return [*lines, "", *_foot(statement, assurance or said.assurance)]


def _waivers(waived: tuple[Proof, ...]) -> list[str]:
    if not waived:
        return []
    lines = [f"**⚠ {len(waived)} WAIVED, not proven:**"]
    for one in waived:
        by = f"by {_quoted(one.waiver.by)}: {_quoted(one.waiver.reason)}" if one.waiver else ""
        lines.append(f"- **{one.criterion}** {_quoted(one.says)} {by}".rstrip())
    return [*lines, ""]


def _check(one: Proof) -> list[str]:
    """One check, what it rests on, and what was not tried."""
    guard = " (guard)" if one.guard else ""
    lines = [f"- {_SIGNS[one.outcome]} **{one.criterion}** {_quoted(one.says)}{guard}"]
    if one.argv:
        lines.append(f"  - ran {_code(' '.join(one.argv))}")
    if one.outcome in ("fail", "error"):
        lines.append(f"  - {_quoted(one.code)}: {_quoted(one.reason)}")
    if one.held:
        lines.append(f"  - rests on: {_quoted('; '.join(one.held))}")
    if one.lacking:
        lines.append(f"  - not tried: {_quoted('; '.join(one.lacking))}")
    return lines


def _foot(statement: Statement, assurance: Assurance) -> list[str]:
    said = statement.predicate
    worth = WORTH[assurance]
    facts = [
        f"isolation `{said.isolation}`",
        f"plan `{said.plan_digest[:12]}` sealed {said.seal.at} ({_quoted(said.seal.channel)})",
        f"ledger line {said.ledger.seq} `{said.ledger.head[:12]}`",
        f"{_quoted(said.tool)}, {said.at}",
    ]
    claim = f"Assurance **{assurance}**: {worth.means}. Not covered: {worth.lacks}."
    return [claim, "", " · ".join(facts)]


def _quoted(text: str) -> str:
    """Text that means only itself, on one line."""
    found = " ".join(plainly(text).split())
    short = found if len(found) <= _LONGEST else f"{found[: _LONGEST - 1]}…"
    return _MARKUP.sub(r"\\\1", short)


def _code(text: str) -> str:
    """Text as code; a backtick in it cannot end it."""
    found = " ".join(plainly(text).split())[:_LONGEST]
    fence = "`" * (max(map(len, re.findall("`+", found)), default=0) + 1)
    pad = " " if "`" in found else ""
    return f"{fence}{pad}{found}{pad}{fence}"
