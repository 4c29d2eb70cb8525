"""`forsooth fsck`: every byte of the ledger verified, damage explained, recovery on request."""

from __future__ import annotations

import click

from forsooth.cli import options, show
from forsooth.core.state import State
from forsooth.errors import LedgerError
from forsooth.ledger.journal import Loss, Report


@click.command()
@click.option(
    "--recover", is_flag=True, help="Continue from the intact part; the damaged file is kept aside."
)
@options.yes
@options.which
@options.as_json
def command(*, recover: bool, yes: bool, plan: str, as_json: bool) -> int:
    """Verify the ledger. Changes nothing without --recover, which only a person can give."""
    project = options.project(yes=yes)
    id_ = project.locate_plan(plan)
    loss = project.recover(id_) if recover else None
    report = project.fsck(id_)
    state = None if report.problem else project.state(id_)
    if as_json:
        told = report._asdict() | {"problem": report.problem._asdict() if report.problem else None}
        odd = (
            {"void": state.void, "unknown": state.unknown, "repairs": state.repairs}
            if state
            else {}
        )
        show.data({"plan": id_, **told, **odd, "recovered": loss._asdict() if loss else None})
    else:
        show.lines([*_rows(id_, report, loss), *(_odd(state) if state else ())])
    return LedgerError.exit_code if report.problem else 0


def _odd(state: State) -> list[show.Line]:
    """What is in the ledger and was not obeyed, and what was mended."""
    counts = (
        (state.void, "did not apply where they stand and changed nothing"),
        (state.unknown, "are not understood by this version and are kept"),
        (state.repairs, "record a repair"),
    )
    return [f"  events that {says}: {count}" for count, says in counts if count]


def _rows(id_: str, report: Report, loss: Loss | None) -> list[show.Line]:
    rows: list[show.Line] = []
    if loss:
        rows.append(
            f"recovered: {loss.seq} events kept, {loss.left_out} left out; "
            f"the damaged file is {loss.kept_as}"
        )
    state = "damaged" if report.problem else "intact"
    rows.append(
        (
            f"ledger {id_}: {report.events} events, chain {state}",
            "red" if report.problem else "green",
        )
    )
    rows.append(f"  head {report.head[:16]}")
    if report.torn:
        rows.append(f"  {report.torn} bytes of an unfinished event; the next append removes them")
    if report.problem:
        rows.append(f"  {report.problem.says}  [{report.problem.code}]")
        rows.append(f"  {report.left_out} lines cannot be trusted; every gate is closed")
        rows.append("next: forsooth fsck --recover")
    return rows
