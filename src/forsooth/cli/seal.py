"""`forsooth seal`: a person approves the draft; what was shown is what is sealed."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

import click

from forsooth.cli import consent, options, show
from forsooth.core.ground import WEAK_REDS, Baseline, Ground, estimate
from forsooth.core.ids import SUITE
from forsooth.core.outline import difference, outline
from forsooth.core.plan import Plan
from forsooth.core.policy import Policy
from forsooth.core.reason import Reason
from forsooth.errors import Refused, UsageError
from forsooth.project import Project, SealedFile, Sealing, telling
from forsooth.project.persons import agent_present, at_terminal, prompted, unattended

RUNS = ("command", "tests")
_FOLDERS = 20


@click.command()
@click.option(
    "--approved",
    default="",
    metavar="SESSION",
    hidden=True,
    help="Session in which a hook saw a typed `seal`.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Seal the plan as it is once more: run the base and copy the environment again.",
)
@options.yes
@options.which
@options.as_json
def command(*, approved: str, again: bool, yes: bool, plan: str, as_json: bool) -> int:
    """Review the draft plan and approve it. From then on only proof completes a goal."""
    if approved:
        return _approved(approved)
    # Whether an agent's shell may speak for a person is policy's to say, so the gate is asked.
    project = options.project(actor=unattended() if yes else None)
    id_ = project.which(plan)
    shown = project.sealing(id_, again=again)
    asks = not yes and not agent_present()
    if asks and not at_terminal():
        raise UsageError(
            "a seal needs a person at a terminal",
            hint="forsooth seal --yes, if this script speaks for one",
            code="no-terminal",
        )
    out = sys.stderr if as_json else None
    files: tuple[SealedFile, ...] = ()
    show.lines(_asked(shown), to=out)
    if may_run(project, shown, asks=asks):
        show.lines(["on the base, before any work:"], to=out)
        ground = project.ground(
            id_, shown.plan, lambda one: show.lines(_stood(one), to=out), again=again
        )
        shown = shown._replace(ground=ground)
        files = project.sealed_files(id_, ground) if ground else ()
        show.lines(_means(shown, files), to=out)
    if asks and not click.confirm("Seal this plan?", default=False, err=True):
        if as_json:
            show.data({"plan": id_, "status": "draft", "next": "forsooth seal"})
        else:
            show.lines(["not sealed", "next: forsooth seal"])
        return 13
    outcome = project.seal(id_, shown, agent_present=bool(agent_present()))
    state = outcome.state
    if as_json:
        show.data(telling.sealed(id_, state, files))
        return 0
    how = "unattended (--yes)" if yes else "by you, at this terminal"
    show.lines([(f"sealed {id_} {how}", "green"), f"  digest {state.plan_digest[:16]}"])
    show.lines([f"  base {_base(state.plan.base.commit if state.plan else None)}"])
    show.lines(["", "next: forsooth next"])
    return 0


def _approved(session: str) -> int:
    """Seal what a person typed `seal` for; the hook that saw it left their approval behind."""
    project = options.project(actor=prompted(session))
    if not project.actor.is_person:
        says = f"{project.actor.name} started this, and only a person may seal a plan"
        raise Refused((Reason("not-a-person", says, "ask a person: forsooth seal"),))
    approval = project.approval(session)
    show.data(telling.sealed(approval.plan, project.approve(approval).state))
    return 0


def may_run(project: Project, shown: Sealing, *, asks: bool) -> bool:
    """Whether the plan's commands may be run on the base: a person's word, asked for once."""
    if project.actor.kind != "human":
        return False
    new = project.untrusted(shown.argvs)
    if new and asks:
        these = "this command" if len(new) == 1 else f"these {len(new)} commands"
        tier = project.sandbox_tier(floor=shown.policy.isolation)
        question = f"Run {these} on a copy of the base now?"
        online = shown.policy.prepare_network
        if not consent.confirmed(question, tier, default=True, prepare_network=online):
            return False
    elif new and agent_present() and not shown.policy.agents_may_seal:
        return False
    project.trust(shown.argvs, project.actor.channel)
    return True


def _stood(one: Baseline) -> list[show.Line]:
    """One criterion on the base; of a suite that fails, which tests, and what that means."""
    took = f" {one.took / 1000:.1f}s"
    tests = f", {_counted(one.tests, 'test')}" if one.tests else ""
    if one.red is None:
        return [(f"  ✔ {one.criterion} passes today: it is a guard{tests}{took}", "dim")]
    if one.red == "environment":
        return [(f"  ? {one.criterion} could not be run: {one.reason}", "yellow")]
    if one.criterion == SUITE:
        return [
            (f"  ✘ suite fails before the work ({one.red}){tests}{took}: {one.reason}", "yellow"),
            ("    what fails now may stay so, and is named in the receipt;", "dim"),
            ("    what passes now must still pass", "dim"),
        ]
    weak = ", a weak red" if one.red in WEAK_REDS else ""
    return [(f"  ✘ {one.criterion} is red ({one.red}{weak}){tests}{took}", "bold")]


def _means(shown: Sealing, files: Iterable[SealedFile]) -> list[show.Line]:
    """What the seal rests on, and what a claim will cost."""
    ground = shown.ground
    if ground is None:
        return []
    rows: list[show.Line] = [*_folders(files), *_unsealed(ground, shown.plan)]
    rows[0] = f"{rows[0]}, sandbox {ground.isolation}"
    rows.append(
        f"  a claim will take about {_seconds(estimate(ground, workers=os.cpu_count() or 1))}"
    )
    return rows


def _folders(files: Iterable[SealedFile]) -> list[str]:
    """The sealed files by folder and by the reason for them."""
    by_report = sorted(files, key=lambda one: one.is_reported)
    reasons = {one.path: one.because for one in by_report}
    groups = Counter((path.rpartition("/")[0], why) for path, why in reasons.items())
    rows = [f"  {_counted(len(reasons), 'sealed file')}"]
    for (folder, why), number in sorted(groups.items())[:_FOLDERS]:
        rows.append(f"    {folder or '.'}/  {_counted(number, 'file')}: {why}")
    if more := len(groups) - _FOLDERS:
        rows += [f"    … {_counted(more, 'more folder')}; `--json` lists every file"] * (more > 0)
    return rows


def _unsealed(ground: Ground, plan: Plan) -> Iterator[show.Line]:
    """Criteria that run something, and behind which no test file was found."""
    kinds = {one.id: one.check.kind for goal in plan.goals for one in goal.criteria}
    for one in ground.baselines:
        runs = kinds.get(one.criterion) in RUNS and one.red != "environment"
        if runs and not one.oracles:
            says = "nothing is sealed behind it: no test file of the base was found"
            yield (f"  {one.criterion}: {says}", "yellow")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _seconds(number: float) -> str:
    return f"{number:.0f} s" if number < 100 else f"{number / 60:.0f} min"  # noqa: PLR2004


def _base(commit: str | None) -> str:
    return commit[:12] if commit else "none yet: the repository has no commit"


def _asked(shown: Sealing) -> list[show.Line]:
    rows: list[show.Line] = [(f"plan {shown.plan.id}", "bold")]
    rows += outline(shown.plan)
    rows.append(f"  policy: {_policy(shown.policy)}")
    rows += shown.cautions
    if shown.replaces:
        rows += ["", "changes against what is sealed:", *difference(shown.changes)]
    return rows


def _policy(policy: Policy) -> str:
    """What a goal is allowed, and whatever else is not as usual."""
    told = f"{policy.attempts} attempts a goal, stuck after {policy.stuck} failures"
    rest = policy.plain().items()
    return ", ".join(
        [told, *(f"{k} {json.dumps(v)}" for k, v in rest if k not in ("attempts", "stuck"))]
    )
