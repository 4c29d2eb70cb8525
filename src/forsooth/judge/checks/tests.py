"""Runs a test suite so that its runner reports, and believes it only where report and exit agree.

1. The runner's own report is asked for. 2. The run must come to its end. 3. The report must be
there, whole, and hold tests that ran. 4. Red with exit 0 is forged; green with a red exit is a
threshold. 5. What is left is the tests' own word.
"""

from __future__ import annotations

from forsooth.core.assignment import quoted
from forsooth.core.check import TestsParams
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context, Ran
from forsooth.judge.checks.found import found, last_line, outputs, shown
from forsooth.judge.checks.process import Ending, bad_ending, cwd_flaw, missing_program
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.call import call_of
from forsooth.judge.checks.recipes.recipe import Asked, Order, Recipe
from forsooth.judge.reports.ids import anywhere
from forsooth.judge.reports.report import Problem, Report

_NONE_FOUND = (b"No tests found, exiting", b"Error: No test files found")
_UNBUILT = (b"error: could not compile", b"error[E", b"error: no test target", b"[build failed]")


def run(params: TestsParams, ctx: Context) -> Finding:
    """One run of the suite as the criterion says, read through its report."""
    recipe = recipe_of(params.runner)
    if recipe is None:
        return found(ctx, "error", "unknown-runner", f"no report of {params.runner} can be read")
    if flaw := cwd_flaw(ctx, params.cwd):
        return found(ctx, "error", "bad-cwd", flaw)
    order = reporting(params, ctx, recipe)
    if order is None:
        reason = f"the command does not show where it calls {params.runner}"
        return found(ctx, "error", "runner-hidden", reason)
    seconds = params.timeout or ctx.seconds
    ran = started(order, params, ctx, seconds=seconds)
    told = recipe.read(ran)
    if isinstance(told, Report):
        told = anywhere(told, ctx.place.root)
    end = bad_ending(ran, seconds) or ending(told, ran, params.argv)
    evidence = outputs(ran, params.argv)
    if end is None:
        said = _counted(told)
        return found(ctx, "pass", "pass", said, evidence=evidence, took=ran.took)
    outcome = "fail" if end.fail else "error"
    return found(ctx, outcome, end.code, end.reason, evidence=evidence, took=ran.took)


def reporting(params: TestsParams, ctx: Context, recipe: Recipe) -> Order | None:
    """What to run so that a report is written; none when the runner cannot be reached."""
    call = call_of(params.argv, params.runner)
    if call.at is None and not recipe.wrapped:
        return None
    return recipe.order(Asked(call, params.env, ctx.look))


def started(order: Order, params: TestsParams, ctx: Context, *, seconds: float) -> Ran:
    """Run an order where the criterion says."""
    env = {**params.env, **order.env}
    return ctx.place.run(order.argv, seconds=seconds, cwd=params.cwd, env=env, files=order.files)


def ending(told: Report | Problem, ran: Ran, argv: tuple[str, ...]) -> Ending | None:
    """Why a run that came to its end does not pass; none when it does."""
    if isinstance(told, Problem):
        return missing_program(ran, argv) or _untold(told, ran)
    if not told.complete:
        return _broken(told, ran)
    if told.red and ran.exit == 0:
        return _bad("exit-disagrees", f"exits 0, but reports {_failures(told)}")
    if told.exit and ran.exit == 0:
        return _bad("exit-disagrees", f"exits 0, but the runner told exit {told.exit}")
    if told.red:
        failed = any(test.outcome == "failed" for test in told.red)
        return _bad("failed" if failed else "errors", _failures(told))
    if ran.exit is None:
        return _bad("signal", f"ended by signal {ran.signal} after {_counted(told)}")
    if not told.ran:
        skipped = f"; {len(told.tests)} skipped" if told.tests else ""
        return Ending(fail=False, code="no-tests", reason=f"no test was run{skipped}")
    if ran.exit != 0:
        return _bad("threshold", f"{_counted(told)}, yet exits {ran.exit}: {last_line(ran)}")
    return None


def _bad(code: str, reason: str) -> Ending:
    return Ending(fail=True, code=code, reason=reason)


def _untold(problem: Problem, ran: Ran) -> Ending:
    """A missing report is the work's fault when the runner began, or claims that all went well."""
    if ran.exit is None:
        return _bad("signal", f"ended by signal {ran.signal}, and {problem.says}")
    reason = f"exits {ran.exit}, and {problem.says}; {last_line(ran)}".rstrip("; ")
    said = ran.stderr + ran.stdout
    if ran.exit and any(sign in said for sign in _NONE_FOUND):
        return Ending(fail=False, code="no-tests", reason=f"no test was run: {last_line(ran)}")
    if problem.code != "no-report" or ran.exit == 0:
        return _bad(problem.code, reason)
    if any(sign in said for sign in _UNBUILT):
        return _bad("collection", f"the tests could not be built: {last_line(ran)}")
    return Ending(fail=False, code=problem.code, reason=reason)


def _broken(told: Report, ran: Ran) -> Ending:
    if ran.exit is None:
        return _bad("signal", f"ended by signal {ran.signal} after {_counted(told)}")
    reason = f"exits {ran.exit}, but the report breaks off after {_counted(told)}"
    return _bad("report-truncated", f"{reason}: {last_line(ran)}".rstrip(": "))


def _failures(told: Report) -> str:
    red = told.red
    lines = red[0].reason.strip().splitlines()
    first = f": {quoted(lines[0], 160)}" if lines else ""
    return f"{len(red)} of {len(told.tests)} tests failed, {shown(t.id for t in red)}{first}"


def _counted(told: Report | Problem) -> str:
    if isinstance(told, Problem) or not told.tests:
        return "no tests"
    return ", ".join(f"{number} {name}" for name, number in sorted(told.counts.items()))
