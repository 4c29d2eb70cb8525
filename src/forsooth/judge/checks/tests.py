"""Runs a test suite so that its runner reports, and believes it only where report and exit agree.

1. The runner's own report is asked for. 2. The run must come to its end. 3. The report must be
there, whole, and hold tests that ran. 4. Red with exit 0 is forged; green with a red exit is a
threshold. 5. What is left is the tests' own word.
"""

from __future__ import annotations

from forsooth.core.assignment import quoted
from forsooth.core.call import call_of
from forsooth.core.check import CommandParams, TestsParams
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context, Look, Place, Ran
from forsooth.judge.checks.found import found, last_line, outputs, shown
from forsooth.judge.checks.process import Ending, bad_ending, cwd_flaw, missing_program
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Asked, Order, Recipe
from forsooth.judge.checks.trial import Trial
from forsooth.judge.reports.ids import anywhere
from forsooth.judge.reports.report import Problem, Report

_NONE_FOUND = (
    b"No tests found, exiting",
    b"Error: No test files found",
    b"No tests matching pattern",
    b"No tests were executed",
)
_UNBUILT = (
    b"error: could not compile",
    b"error[E",
    b"error: no test target",
    b"[build failed]",
    b"COMPILATION ERROR",
)


def run(params: TestsParams, ctx: Context) -> Finding:
    """One run of the suite as the criterion says, read through its report."""
    seconds = params.timeout or ctx.seconds
    tried = trial(params, ctx.place, ctx.look, seconds=seconds)
    if isinstance(tried, Ending):
        return found(ctx, "fail" if tried.fail else "error", tried.code, tried.reason)
    evidence, took = outputs(tried.ran, params.argv), tried.ran.took
    end = tried.end
    if end is None:
        return found(ctx, "pass", "pass", counted(tried.told), evidence=evidence, took=took)
    outcome = "fail" if end.fail else "error"
    return found(ctx, outcome, end.code, end.reason, evidence=evidence, took=took)


def trial(
    params: TestsParams,
    place: Place,
    look: Look,
    *,
    seconds: float,
    order: Order | None = None,
) -> Trial | Ending:
    """One run, read; why it could not even be asked for otherwise. An order replaces the argv."""
    recipe = recipe_of(params.runner)
    if recipe is None:
        return _not("unknown-runner", f"no report of {params.runner} can be read")
    if flaw := cwd_flaw(look, params.cwd):
        return _not("bad-cwd", flaw)
    order = order or reporting(params, look, recipe)
    if order is None:
        return _not("runner-hidden", f"the command does not show where it calls {params.runner}")
    ran = started(order, params, place, seconds=seconds)
    told = recipe.read(ran)
    if isinstance(told, Report):
        told = anywhere(told, place.root)
    end = bad_ending(ran, seconds) or ending(told, ran, params.argv)
    return Trial(ran, told if isinstance(told, Report) else None, end)


def _not(code: str, reason: str) -> Ending:
    return Ending(fail=False, code=code, reason=reason)


def order_of(params: CommandParams | TestsParams, look: Look) -> Order | None:
    """How a criterion is run unless somebody asks for it otherwise; none for a plain command."""
    if not isinstance(params, TestsParams):
        return None
    recipe = recipe_of(params.runner)
    return reporting(params, look, recipe) if recipe else None


def reporting(params: TestsParams, look: Look, recipe: Recipe) -> Order | None:
    """What to run so that a report is written; none when the runner cannot be reached."""
    call = call_of(params.argv, params.runner)
    if call.at is None and not recipe.wrapped:
        return None
    return recipe.order(Asked(call, params.env, look))


def started(order: Order, params: TestsParams, place: Place, *, seconds: float) -> Ran:
    """Run an order where the criterion says."""
    env = {**params.env, **order.env}
    return place.run(order.argv, seconds=seconds, cwd=params.cwd, env=env, files=order.files)


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
        return _bad("signal", f"ended by signal {ran.signal} after {counted(told)}")
    if not told.ran:
        skipped = f"; {len(told.tests)} skipped" if told.tests else ""
        return Ending(fail=False, code="no-tests", reason=f"no test was run{skipped}")
    if ran.exit != 0:
        return _bad("threshold", f"{counted(told)}, yet exits {ran.exit}: {last_line(ran)}")
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
        return _bad("signal", f"ended by signal {ran.signal} after {counted(told)}")
    reason = f"exits {ran.exit}, but the report breaks off after {counted(told)}"
    return _bad("report-truncated", f"{reason}: {last_line(ran)}".rstrip(": "))


def _failures(told: Report) -> str:
    red = told.red
    lines = [line for line in red[0].reason.splitlines() if line.strip()]
    many = 3 if lines and lines[0].rstrip().endswith(":") else 1
    first = f": {quoted(' '.join(lines[:many]), 160)}" if lines else ""
    return f"{len(red)} of {len(told.tests)} tests failed, {shown(t.id for t in red)}{first}"


def counted(told: Report | Problem | None) -> str:
    """How many tests ended in which way."""
    if not isinstance(told, Report) or not told.tests:
        return "no tests"
    return ", ".join(f"{number} {name}" for name, number in sorted(told.counts.items()))
