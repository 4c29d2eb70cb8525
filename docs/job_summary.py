"""A page about `forsooth verify --json`, for the summary of a CI job.

It stands alone and needs nothing but Python: it decides nothing and repeats what verify said.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def page(told: dict[str, Any]) -> list[str]:
    """What verify said as Markdown, what is not proven first."""
    if "error" in told:
        error = told["error"]
        hint = f"\n\nTry: {plain(error['hint'])}" if error.get("hint") else ""
        return ["## Forsooth: not verified", "", plain(error["message"]) + hint]
    untold = any(not one["agrees"] for one in (told.get("rerun") or {"checks": ()})["checks"])
    uncovered = told.get("uncovered", ())
    proven = not (told["missing"] or told["odd"] or uncovered or untold)
    word = "proven" if proven else "not proven"
    known = {one["subject"] for one in told["receipts"]}
    rows = [row(one, covered=not told["missing"]) for one in told["receipts"]]
    rows += [f"| {id_} | ✘ no receipt | | |" for id_ in told["missing"] if id_ not in known]
    rows += [f"| {plain(path)} | ✘ carried, and no receipt | | |" for path in told["odd"]]
    rows += [
        f"| {plain(path)} | ✘ not-covered: no proven goal asks for it | | |" for path in uncovered
    ]
    head = ["| | | signed by | assurance |", "|---|---|---|---|"]
    waived = [line for one in told["receipts"] for line in waivers(one)]
    title = f"## Forsooth: plan {plain(told['plan'])} {word}"
    where = f"Tree `{told['tree'][:12]}`, commit `{told['commit'][:12]}`."
    return [title, "", *dict.fromkeys(waived), where, "", *head, *rows, *again(told.get("rerun"))]


def row(one: dict[str, Any], *, covered: bool) -> str:
    """One receipt; `covered`: the plan's own proves every goal at this tree."""
    if one["problems"]:
        says = "✘ " + "; ".join(f"{p['code']}: {p['says']}" for p in one["problems"])
    elif one["holds"] or covered:
        says = "✔ proven"
    elif one["away"]:
        says = "? proven at a tree that is not in this clone"
    else:
        says = f"~ changed since: {', '.join(one['stale'][:5])}"
    by = one["signer"] or f"key {one['keys'][0][:12]}" if one["keys"] else ""
    return f"| {plain(one['subject'])} | {plain(says)} | {plain(by)} | {one['assurance'] or ''} |"


def again(told: dict[str, Any] | None) -> list[str]:
    """What was run a second time, here."""
    if not told:
        return []
    checks = [(one["criterion"], one) for one in told["checks"]]
    names = ", ".join(plain(id_) for id_, one in checks if one["agrees"]) or "none"
    rows = [
        f"- ✘ {plain(one['differs'])}"
        if one["differs"]
        else f"- ? {plain(id_)} could not be run here: {plain(one['code'])} {plain(one['reason'])}"
        for id_, one in checks
        if not one["agrees"]
    ]
    rows += [
        f"- – {plain(id_)} is never run again: {plain(why)}" for id_, why in told["left"].items()
    ]
    many = f"{len(checks)} of {told['able']} checks run again here, sandbox {told['isolation']}"
    return ["", f"{many}; as the receipts say: {names}.", *rows]


def waivers(one: dict[str, Any]) -> list[str]:
    """What a person set aside, to be read before anything else."""
    checks = one["statement"]["predicate"]["checks"] if one["statement"] and one["holds"] else ()
    return [
        f"**⚠ WAIVED, not proven: {plain(c['criterion'])}** by {plain(c['waiver']['by'])}: "
        f"{plain(c['waiver']['reason'])}\n"
        for c in checks
        if c["outcome"] == "waived"
    ]


def plain(text: str) -> str:
    """Words that stay words: no markup, no cell border, one line."""
    kept = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return "".join(f"&#{ord(c)};" if c in "|`<>[]*_\\&!#@" else c for c in kept)


if __name__ == "__main__":
    print("\n".join(page(json.load(sys.stdin))))
