"""Runs an argv and looks at its exit status and output. Nothing printed is believed beyond that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from forsooth.core.assignment import quoted
from forsooth.core.check import CommandParams, Stream
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context, Look, Place, Ran
from forsooth.judge.checks.found import found, last_line, outputs
from forsooth.judge.checks.process import Ending, bad_ending, cwd_flaw, missing_program
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.checks.trial import Trial


def run(params: CommandParams, ctx: Context) -> Finding:
    """One run; the first thing that differs from what was asked is the reason."""
    seconds = params.timeout or ctx.seconds
    tried = trial(params, ctx.place, ctx.look, seconds=seconds)
    if isinstance(tried, Ending):
        return found(ctx, "error", tried.code, tried.reason)
    ran, end = tried.ran, tried.end
    evidence = outputs(ran, params.argv)
    if end is None:
        return found(ctx, "pass", "pass", f"exits {ran.exit}", evidence=evidence, took=ran.took)
    outcome = "fail" if end.fail else "error"
    return found(ctx, outcome, end.code, end.reason, evidence=evidence, took=ran.took)


def trial(
    params: CommandParams,
    place: Place,
    look: Look,
    *,
    seconds: float,
    order: Order | None = None,
) -> Trial | Ending:
    """One run, looked at; why it could not even be asked for otherwise."""
    if flaw := cwd_flaw(look, params.cwd):
        return Ending(fail=False, code="bad-cwd", reason=flaw)
    order = order or Order(params.argv)
    env = {**params.env, **order.env}
    ran = place.run(order.argv, seconds=seconds, cwd=params.cwd, env=env, files=order.files)
    return Trial(ran, None, bad_ending(ran, seconds) or _unexpected(params, ran))


def _unexpected(params: CommandParams, ran: Ran) -> Ending | None:
    if ran.exit != params.exits:
        return missing_program(ran, params.argv) or _other_exit(params, ran)
    for name, wanted, data in (
        ("stdout", params.stdout, ran.stdout),
        ("stderr", params.stderr, ran.stderr),
    ):
        for flaw in _flaws(wanted or Stream(), data):
            return Ending(fail=True, code=flaw.code, reason=f"{name} {flaw.says}")
    return None


def _other_exit(params: CommandParams, ran: Ran) -> Ending:
    said = f"; {line}" if (line := last_line(ran)) else ""
    if ran.exit is None:
        reason = f"ended by signal {ran.signal}, expected exit {params.exits}{said}"
        return Ending(fail=True, code="signal", reason=reason)
    reason = f"exits {ran.exit}, expected {params.exits}{said}"
    return Ending(fail=True, code="exit", reason=reason)


class _Flaw(NamedTuple):
    code: str
    says: str


def _flaws(wanted: Stream, data: bytes) -> Iterator[_Flaw]:
    text = _lines(data.decode("utf-8", "replace"))
    for part in wanted.has:
        if _lines(part) not in text:
            yield _Flaw("output-lacks", f"does not have “{quoted(part, 100)}”")
    for part in wanted.lacks:
        if _lines(part) in text:
            yield _Flaw("output-has", f"has “{quoted(part, 100)}”, and must not")
    if wanted.equals is not None and _whole(text) != _whole(_lines(wanted.equals)):
        says = f"is “{quoted(text, 100)}”, expected “{quoted(wanted.equals, 100)}”"
        yield _Flaw("output-differs", says)


def _lines(text: str) -> str:
    """Text with every line ended alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _whole(text: str) -> str:
    """Text without the newline that ends its last line."""
    return text.removesuffix("\n")
