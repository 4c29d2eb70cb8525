"""`forsooth verify`: verify receipts, also on a machine that made none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from forsooth.cli import inputs, options, reruns, show
from forsooth.core.strength import proven
from forsooth.errors import UsageError
from forsooth.project.verifying import UNKNOWN

if TYPE_CHECKING:
    from forsooth.project.verifying import Audit, Looked
    from forsooth.receipts.problem import Problem
    from forsooth.receipts.statement import Proof

FORGED = frozenset(
    "bad-envelope bad-signature truncated wrong-role wrong-namespace expired-signer "
    "not-yet-valid bad-statement from-the-future untouched other-ledger".split()
)


@click.command()
@click.argument("file", default="")
@click.option(
    "--base",
    "base_ref",
    default="",
    metavar="REF",
    help="Branch whose `forsooth.toml` lists the trusted signers.",
)
@click.option("--head", default="HEAD", metavar="REF", help="Commit to verify (default HEAD).")
@click.option("--branch", default="", metavar="NAME", help="Branch the receipts must be made for.")
@click.option(
    "--rerun",
    default="none",
    metavar="SHARE",
    help="Share of the checks to run again here: 20%, all (default none).",
)
@click.option(
    "--seed", default="", metavar="TEXT", help="Seed for choosing which checks are run again."
)
@options.which
@options.as_json
def command(
    *,
    file: str,
    base_ref: str,
    head: str,
    branch: str,
    rerun: str,
    seed: str,
    plan: str,
    as_json: bool,
) -> int:
    """Verify the receipt in FILE, or every receipt of the plan at HEAD.

    Needs no key, agent or network. Exits 0 if proven, 1 if not or no longer, 4 if a receipt is
    forged or damaged, 5 if that cannot be decided here. With --base, every file changed since
    that branch must belong to a proven goal.
    """
    project, share = options.project(), reruns.share(rerun)
    if file:
        if share:
            raise UsageError("--rerun is about a plan, not a file", hint="forsooth verify --rerun")
        looked = project.verify_file(_read(file), base_ref=base_ref, head=head, branch=branch)
        if as_json:
            show.data(_described(looked))
        else:
            show.lines(_page(looked))
        return _exit((looked,))
    found = project.audit(base_ref=base_ref, head=head, plan=plan, branch=branch)
    again = None
    if share and not _code(found):
        again = reruns.made(project, found, share=share, seed=seed, base_ref=base_ref)
        found = again.audit
    if as_json:
        show.data(
            {
                "plan": found.plan,
                "tree": found.tree,
                "commit": found.commit,
                "missing": list(found.missing),
                "odd": list(found.odd),
                "uncovered": list(found.uncovered),
                "push": found.push,
                "unheard": [reason._asdict() for reason in found.unheard],
                "receipts": [_described(one) for one in found.looked],
                "rerun": reruns.described(again) if again else None,
            }
        )
    else:
        skipped = [reruns.SKIPPED] if share else []
        shown = reruns.rows(again) if again else skipped
        show.lines([*_rows(found), *shown, *_next(found)])
    return _code(found) or (5 if again and again.untold else 0)


def _code(found: Audit) -> int:
    code = _exit(found.looked, (*found.missing, *found.odd))
    return code or (5 if found.uncovered else 0)


def _read(file: str) -> bytes:
    return inputs.read_file(Path(file), hint="forsooth verify FILE", code="no-receipt")


def _exit(looked: tuple[Looked, ...], missing: tuple[str, ...] = ()) -> int:
    """A forged receipt outranks one that cannot be told, and that one what is missing."""
    codes = {problem.code for one in looked for problem in one.found.problems}
    if codes & FORGED:
        return 4
    if UNKNOWN in codes or any(one.away and one.subject in missing for one in looked):
        return 5
    return 1 if missing or codes else 0


def _page(looked: Looked) -> list[show.Line]:
    from forsooth.receipts import page

    found = looked.found
    rows: list[show.Line] = []
    if found.statement:
        rows += list(page.show(found.statement, assurance=found.assurance))
    rows += [(f"✘ {p.code}: {p.says}", "red") for p in found.problems]
    if not found.problems:
        rows.append((f"✔ {looked.subject} verifies for this tree", "green"))
    return rows


def _rows(found: Audit) -> list[show.Line]:
    from forsooth.receipts.assurance import WORTH

    rows: list[show.Line] = [(f"plan {found.plan} at tree {found.tree[:12]}", "bold")]
    rows += [_row(one, covered=not found.missing) for one in found.looked]
    shown = {one.subject for one in found.looked}
    lacking = [id_ for id_ in found.missing if id_ not in shown]
    rows += [(f"  ✘ {id_} has no receipt", "red") for id_ in lacking]
    rows += [(f"  ✘ {path} is carried and is no receipt", "red") for path in found.odd]
    if found.uncovered:
        problem = _not_covered(found.uncovered)
        rows.append((f"  ✘ {problem.code}: {problem.says}", "red"))
    rows += show.unheard(found.unheard)
    given = {one.found.assurance for one in found.looked}
    for name, worth in WORTH.items():
        if name in given:
            rows.append((f"  {name}: {worth.means}", "dim"))
            rows.append((f"    but not against: {worth.lacks}", "dim"))
    return rows


def _not_covered(paths: tuple[str, ...]) -> Problem:
    from forsooth.receipts.problem import Problem

    names = ", ".join(paths[:5]) + (" …" if len(paths) > 5 else "")  # noqa: PLR2004
    many = "1 changed file" if len(paths) == 1 else f"{len(paths)} changed files"
    says = f"no goal proven for this branch asks for {many}: {names}"
    return Problem("not-covered", says)


def _row(one: Looked, *, covered: bool) -> show.Line:
    """One receipt; `covered`: the plan's own is about this very tree and proves every goal."""
    said = one.found
    at = said.statement.tree[:12] if said.statement else "?"
    if said.problems:
        told = "; ".join(f"{p.code}: {p.says}" for p in said.problems)
        return (f"  ✘ {one.subject} {told}", "red")
    weak = bool(said.statement and said.statement.predicate.weak)
    word = proven(weak=weak)
    if covered and not one.holds:
        return (f"  ✔ {one.subject} {word} at {at}, and here by the plan's own receipt", "green")
    if one.away:
        return (f"  ? {one.subject} {word} at {at}, which is not in this clone", "yellow")
    if one.stale:
        names = ", ".join(one.stale[:3])
        many = f"{len(one.stale)} relevant file{'s' if len(one.stale) > 1 else ''}"
        return (f"  ~ {one.subject} {word} at {at}; {many} changed since: {names}", "yellow")
    by = said.signer.name if said.signer else f"key {said.keys[0].id[:12]}"
    waived = [c.criterion for c in _checks(one) if c.outcome == "waived"]
    but = f", WITHOUT {', '.join(waived)}: waived" if waived else ""
    but += "".join(f"; {c.criterion}: {c.reason}" for c in _checks(one) if c.is_reserved)
    style = "yellow" if but or weak else "green"
    return (f"  ✔ {one.subject} {word}, signed by {by}, assurance {said.assurance}{but}", style)


def _checks(one: Looked) -> tuple[Proof, ...]:
    return one.found.statement.predicate.checks if one.found.statement else ()


def _next(found: Audit) -> list[show.Line]:
    """The one command that supplies what is missing, or shares what is there."""
    shown = [one.subject for one in found.looked]
    away = [one for one in found.looked if one.away and one.subject in found.missing]
    if away:
        return ["", "next: git fetch --unshallow"]
    if found.missing:
        goals = [id_ for id_ in (*found.missing, *shown) if id_ != "plan"]
        return ["", f"next: forsooth done {goals[0]}"]
    if found.uncovered:
        return ["", "next: forsooth plan BRIEF.md, with a goal that may change these files"]
    return ["", f"next: {found.push}"] if found.push else []


def _described(one: Looked) -> dict[str, Any]:
    said = one.found
    return {
        "subject": one.subject,
        "holds": one.holds,
        "assurance": said.assurance,
        "signer": said.signer.name if said.signer else None,
        "keys": [key.id for key in said.keys],
        "stale": list(one.stale),
        "away": one.away,
        "problems": [{"code": p.code, "says": p.says} for p in said.problems],
        "statement": said.statement.plain if said.statement else None,
    }
