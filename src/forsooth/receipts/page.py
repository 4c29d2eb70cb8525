"""A receipt as one would paste it into a pull request: Markdown that also reads as plain text.

What was set aside stands first. Text from the plan or an agent is quoted, never taken as markup.
"""

from __future__ import annotations

import re
from datetime import UTC

from forsooth.core.instant import moment
from forsooth.core.strength import WEAK, held_phrase, lacking_phrase, proven
from forsooth.receipts.assurance import WORTH
from forsooth.receipts.statement import Assurance, Proof, Statement
from forsooth.receipts.views import plainly

_MARKUP = re.compile(r"([\\`*\[\]<>#|~@&]|(?<!\w)_|_(?!\w))")
_LONGEST = 200
_SIGNS = {"pass": "✓", "fail": "✗", "error": "?", "waived": "⚠"}
_FETCH = "git fetch origin 'refs/forsooth/*:refs/forsooth/*'"


def show(statement: Statement, *, assurance: Assurance | None = None) -> list[str]:
    """The lines of a page; `assurance` is what a verifier found, else what the receipt claims."""
    said = statement.predicate
    failed = [one for one in said.checks if one.outcome in ("fail", "error")]
    word = "not proven" if failed else proven(weak=said.weak)
    head = f"## Forsooth: {said.subject} {word}: {_quoted(said.title)}"
    lines = [head, "", *_waivers(said.waived)]
    lines += [f"{_passed(said.checks)} on {_where(statement)}."]
    if said.weak:
        lines += ["", f"**Weak contract:** {WEAK}."]
    lines += ["", *(line for one in said.checks for line in _check(one))]
    flags = [_quoted(flag) for flag in said.flags]
    lines += ["", "For your eyes:", *(f"- {flag}" for flag in flags)] if flags else []
    return [*lines, "", *_foot(statement, assurance or said.assurance)]


def _passed(checks: tuple[Proof, ...]) -> str:
    reserved, every = sum(one.is_reserved for one in checks), len(checks)
    passed = sum(one.outcome == "pass" for one in checks) - reserved
    if passed != every:
        but = f", and {reserved} with a reservation" if reserved else ""
        return f"{passed} of {every} checks passed{but}"
    return "The one check passed" if every == 1 else f"All {every} checks passed"


def _where(statement: Statement) -> str:
    tree, parent = f"tree `{statement.tree[:12]}`", statement.predicate.parent
    if statement.commit:
        return f"{tree} (commit `{statement.commit[:12]}`)"
    lacks = f" (commit `{parent[:12]}` lacks it)" if parent else ""
    return f"{tree}, which was not committed{lacks}"


def _waivers(waived: tuple[Proof, ...]) -> list[str]:
    if not waived:
        return []
    lines = [f"**⚠ {len(waived)} WAIVED, not proven:**"]
    for one in waived:
        by = f"by {_quoted(one.waiver.by)}: {_quoted(one.waiver.reason)}" if one.waiver else ""
        lines.append(f"- **{one.criterion}** {_quoted(one.says)} {by}".rstrip())
    return [*lines, ""]


def _check(one: Proof) -> list[str]:
    """One check, what it rests on, and what was not checked."""
    guard = " (guard)" if one.guard else ""
    ran = " ".join(one.argv)
    sign = "~" if one.is_reserved else _SIGNS[one.outcome]
    lines = [f"- {sign} **{one.criterion}** {_sentence(one.says)}{guard}"]
    if ran and f"`{ran}`" not in one.says:
        lines.append(f"  - ran {_code(ran)}")
    if one.outcome in ("fail", "error"):
        lines.append(f"  - {_quoted(one.code)}: {_quoted(one.reason)}")
    if one.is_reserved:
        lines.append(f"  - {_quoted(one.reason)}")
    if one.held:
        lines.append(f"  - {' · '.join(_quoted(held_phrase(held)) for held in one.held)}")
    return lines + [f"  - {_quoted(lacking_phrase(lack))}" for lack in one.lacking]


def _foot(statement: Statement, assurance: Assurance) -> list[str]:
    said = statement.predicate
    worth = WORTH[assurance]
    sealed = f"sealed {_day(said.seal.at)} ({_quoted(said.seal.channel)})"
    facts = [
        f"isolation `{said.isolation}`",
        f"plan `{said.plan_digest[:12]}` {sealed}",
        f"ledger line {said.ledger.seq} `{said.ledger.head[:12]}`",
        f"{_quoted(said.tool)}, {_day(said.at)}",
    ]
    claim = f"Assurance **{assurance}**: {worth.means}. Not covered: {worth.lacks}."
    check = f"To check it: {_code(_FETCH)}, then `forsooth verify --base origin`."
    return [claim, "", check, "", " · ".join(facts)]


def _day(at: str) -> str:
    return moment(at).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _sentence(text: str) -> str:
    """A sentence in which what stands between backticks is shown as code."""
    found = " ".join(plainly(text).split())
    if found.count("`") % 2 or "``" in found or len(found) > _LONGEST:
        return _quoted(text)
    parts = found.split("`")
    return "".join(_code(part) if at % 2 else _quoted_part(part) for at, part in enumerate(parts))


def _quoted(text: str) -> str:
    """Text that means only itself, on one line."""
    found = " ".join(plainly(text).split())
    return _quoted_part(found if len(found) <= _LONGEST else f"{found[: _LONGEST - 1]}…")


def _quoted_part(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _code(text: str) -> str:
    """Text as code; a backtick in it cannot end it."""
    found = " ".join(plainly(text).split())[:_LONGEST]
    fence = "`" * (max(map(len, re.findall("`+", found)), default=0) + 1)
    pad = " " if "`" in found else ""
    return f"{fence}{pad}{found}{pad}{fence}"
