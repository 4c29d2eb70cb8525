"""A receipt as one would paste it into a pull request: Markdown that also reads as plain text.

What was set aside stands first. Text from the plan or an agent is quoted, never taken as markup.
"""

from __future__ import annotations

import re
from datetime import UTC

from forsooth.core.instant import moment
from forsooth.receipts.assurance import WORTH
from forsooth.receipts.statement import Assurance, Proof, Statement
from forsooth.receipts.views import plainly

_MARKUP = re.compile(r"([\\`*\[\]<>#|~@&]|(?<!\w)_|_(?!\w))")
_LONGEST = 200
_SIGNS = {"pass": "✓", "fail": "✗", "error": "?", "waived": "⚠"}
_HELD = (
    (re.compile(r"red(?: \((\w+)\))?"), "red before the work"),
    (re.compile(r"guard"), "green before too"),
    (re.compile(r"sealed"), "tests as sealed"),
    (re.compile(r"delivered"), "and as delivered"),
    (re.compile(r"runner"), "runner unpatched"),
    (re.compile(r"inventory"), "no test missing"),
    (re.compile(r"canary"), "planted failure seen"),
    (re.compile(r"flip"), "broken test went red"),
    (re.compile(r"repeated (\d+)"), r"\1 runs agree"),
    (re.compile(r"mutants (\d+)/(\d+)"), r"\1 of \2 planted bugs caught"),
)
_FETCH = "git fetch origin 'refs/forsooth/*:refs/forsooth/*'"


def show(statement: Statement, *, assurance: Assurance | None = None) -> list[str]:
    """The lines of a page; `assurance` is what a verifier found, else what the receipt claims."""
    said = statement.predicate
    failed = [one for one in said.checks if one.outcome in ("fail", "error")]
    word = "not proven" if failed else "proven"
    head = f"## Forsooth: {said.subject} {word}: {_quoted(said.title)}"
    lines = [head, "", *_waivers(said.waived)]
    lines += [f"{_passed(said.checks)} on tree `{statement.tree[:12]}`"]
    lines[-1] += f" (commit `{statement.commit[:12]}`)." if statement.commit else "."
    if said.weak:
        lines += ["", "**Weak contract:** no person said how all of this is to be proven."]
    lines += ["", *(line for one in said.checks for line in _check(one))]
    flags = [_quoted(flag) for flag in said.flags]
    lines += ["", "For your eyes:", *(f"- {flag}" for flag in flags)] if flags else []
    return [*lines, "", *_foot(statement, assurance or said.assurance)]


def _passed(checks: tuple[Proof, ...]) -> str:
    passed, every = sum(one.outcome == "pass" for one in checks), len(checks)
    if passed != every:
        return f"{passed} of {every} checks passed"
    return "The one check passed" if every == 1 else f"All {every} checks passed"


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
    ran = " ".join(one.argv)
    lines = [f"- {_SIGNS[one.outcome]} **{one.criterion}** {_sentence(one.says)}{guard}"]
    if ran and f"`{ran}`" not in one.says:
        lines.append(f"  - ran {_code(ran)}")
    if one.outcome in ("fail", "error"):
        lines.append(f"  - {_quoted(one.code)}: {_quoted(one.reason)}")
    if one.held:
        lines.append(f"  - rests on: {', '.join(_quoted(_plain(word)) for word in one.held)}")
    if one.lacking:
        lines.append(f"  - not tried: {_quoted('; '.join(_grouped(one.lacking)))}")
    return lines


def _plain(word: str) -> str:
    """What the name of a ward stands for; a name that came later is shown as it is."""
    for name, means in _HELD:
        if found := name.fullmatch(word):
            return found.expand(means)
    return word


def _grouped(lacking: tuple[str, ...]) -> list[str]:
    """What was not tried, one row a reason."""
    why: dict[str, list[str]] = {}
    for one in lacking:
        what, _, reason = one.partition(": ")
        why.setdefault(reason, []).append(what)
    return [
        f"{', '.join(what)} ({reason})" if reason else ", ".join(what)
        for reason, what in why.items()
    ]


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
