"""The missing fact, and the one command that supplies it: for a goal, a criterion or a refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, assert_never

from forsooth.core import gate
from forsooth.core import next as steps
from forsooth.core.assignment import quoted, shown
from forsooth.core.blocker import WHO
from forsooth.core.ids import SUITE, is_goal
from forsooth.core.state import GoalState, Pause, State
from forsooth.core.status import (
    counted,
    goal_status,
    obstacles,
    plan_status,
    unconfirmed,
    waits_for,
    weak_goals,
)
from forsooth.core.strength import proven

_WRONG = ("failing", "regressed")
_COMMAND = re.compile(r"`(forsooth [^`]+)`")


class Answer(NamedTuple):
    """What is missing and what to type; `also` holds what else is worth knowing."""

    about: str
    says: str
    command: str = ""
    also: tuple[str, ...] = ()


def why(state: State, now: datetime, *, about: str = "") -> Answer | None:
    """The answer about the plan, a goal, a criterion or a reason's code; none when unknown."""
    if about in ("", "plan"):
        return _plan(state, now)
    if is_goal(about):
        one = state.goals.get(about)
        return _goal(state, one, now) if one else None
    if about == SUITE:
        return _suite(state)
    owner = _owner(state, about)
    if owner is not None:
        return _criterion(state, owner, about, now)
    told = EXPLAINED.get(about)
    return Answer(about, told, next_command(told)) if told else None


def next_command(told: str) -> str:
    """The first command an explanation names."""
    return next(iter(_COMMAND.findall(told)), "forsooth status")


def _owner(state: State, criterion: str) -> GoalState | None:
    """The live goal a criterion is on, also one that is asked before the work."""
    return state.owner(criterion)


def _suite(state: State) -> Answer:
    suite, seen = state.plan.suite if state.plan else None, state.verdict
    if suite is None:
        return Answer(SUITE, "the plan keeps no suite green", "forsooth plan BRIEF.md")
    also = (f"it runs `{shown(suite)}`",)
    if seen is None:
        return Answer(SUITE, "the suite is judged with the whole plan", "forsooth check", also)
    told = "failed" if seen.suite_failed else "did not fail"
    return Answer(SUITE, f"the suite {told} in the verdict at #{seen.seq}", "forsooth check", also)


def _plan(state: State, now: datetime) -> Answer:
    step = steps.next_steps(state, now)[0]
    refused = tuple(f"{code}: {EXPLAINED[code]}" for code in state.refused if code in EXPLAINED)
    also = ("the last refusal:", *refused) if refused else ()
    says, command = _told(state, step, now)
    return Answer("plan", says, command, also)


def _told(state: State, step: steps.Step, now: datetime) -> tuple[str, str]:
    match step:
        case steps.Work():
            return f"{step.attempt} is open and not yet claimed", _claim(state, step.goal)
        case steps.Judge():
            return f"{step.subject} waits for a verdict", _claim(state, step.subject)
        case steps.Integrate():
            return f"{step.attempt} is proven and waits to be merged", _claim(state, step.goal)
        case steps.Attest():
            return f"{step.subject} passed and waits for its receipt", _claim(state, step.subject)
        case steps.Open():
            return _opened(state, step.goal)
        case steps.Block():
            return f"{step.goal} cannot go on: {step.why}", "forsooth next"
        case steps.Repair():
            return step.why, 'forsooth steer add --title "Mend the suite" …'
        case steps.Wait():
            return step.why, step.command or "forsooth status"
        case steps.Rest():
            return _rested(state, step, now)
        case _:
            assert_never(step)


def _opened(state: State, goal: str) -> tuple[str, str]:
    """A goal that can be begun, or begun again with what was refused about the last claim."""
    one = state.goals[goal]
    if one.verdict is None or not one.spent:
        return f"{goal} is ready and nobody has begun it", "forsooth next"
    wrong = [c.id for c in one.goal.criteria if one.standing(c.id).status in _WRONG]
    if not wrong:
        told = "the suite fails" if one.verdict.suite_failed else "it was not proven"
        return f"{goal} was claimed and refused: {told}", f"forsooth next {goal}"
    first = one.standing(wrong[0])
    says = f"{goal} was claimed and refused: {wrong[0]} {quoted(first.reason or first.code)}"
    more = f", and {', '.join(wrong[1:])}" if wrong[1:] else ""
    return f"{says}{more}", f"forsooth next {goal}"


def _claim(state: State, subject: str) -> str:
    """How a subject is claimed; `next` prints the claim of an attempt that has a token."""
    if not is_goal(subject):
        return f"forsooth done {_last_proven(state)}"
    attempt = state.goals[subject].attempt
    return f"forsooth next {subject}" if attempt and attempt.token else f"forsooth done {subject}"


def _last_proven(state: State) -> str:
    """The goal proven last: claimed again, it leads to the plan's own receipt."""
    proven = [(one.proof.seq, one.goal.id) for one in counted(state) if one.proof]
    return max(proven)[1]


def _rested(state: State, step: steps.Rest, now: datetime) -> tuple[str, str]:
    if step.ending == "budget-spent":
        reason = gate.over_budget(state)[0]
        return reason.says, reason.hint
    status = plan_status(state, now)
    if status == "paused" and state.paused:
        return _paused(state.paused)
    if status == "dropped":
        return "the plan was given up", "forsooth plan BRIEF.md --new"
    weak = weak_goals(state)
    but = f"; weak contract: {', '.join(weak)}" if weak else ""
    return f"every goal is proven{but}", "forsooth verify"


def _paused(pause: Pause) -> tuple[str, str]:
    told = f": {pause.reason}" if pause.reason else ""
    return f"the plan is paused{told}", "forsooth resume"


def _goal(state: State, one: GoalState, now: datetime) -> Answer:
    goal, status = one.goal.id, goal_status(one, now)
    also = _standings(one)
    match status:
        case "superseded":
            return _set_aside(state, one)
        case "blocked":
            return _blocked(one, now)
        case "expired":
            command = f"forsooth steer supersede {goal} --evidence … --rationale …"
            return Answer(goal, f"the time for {goal} has passed", command, also)
        case "done":
            seq = one.proof.seq if one.proof else 0
            says = f"{goal} is {proven(weak=one.goal.is_weak)} by the receipt at #{seq}"
            return Answer(goal, says, "forsooth next", also)
        case "active" | "pending":
            return _unproven(state, one, now)
        case _:
            assert_never(status)


def _set_aside(state: State, one: GoalState) -> Answer:
    goal, gone = one.goal.id, one.superseded
    told = (gone.rationale or gone.evidence) if gone else ""
    if goal in unconfirmed(state):
        command = f"forsooth steer supersede {goal} --evidence … --rationale …"
        says = f"an agent set {goal} aside ({told}) and no person has confirmed it"
        return Answer(goal, says, command)
    instead = ", ".join(gone.replacements) if gone else ""
    also = (f"in its place: {instead}",) if instead else ()
    return Answer(goal, f"{goal} was set aside: {told}", "forsooth next", also)


def _blocked(one: GoalState, now: datetime) -> Answer:
    goal, blockers = one.goal.id, obstacles(one, now)
    first = blockers[0]
    says = f"{goal} is blocked and needs {WHO[first.needs]}: {first.why}"
    if first.until:
        says += f" (until {first.until})"
    also = tuple(f"{b.id} needs {WHO[b.needs]}: {b.why}" for b in blockers[1:])
    return Answer(goal, says, gate.lifts(one, first), also + _standings(one))


def _unproven(state: State, one: GoalState, now: datetime) -> Answer:
    goal, also = one.goal.id, _standings(one)
    if plan_status(state, now) in ("draft", "dropped"):
        return Answer(goal, *_told(state, steps.next_steps(state, now)[0], now), also)
    if state.paused:
        return Answer(goal, *_paused(state.paused), also)
    waiting = waits_for(state, one, now)
    if waiting and one.attempt is None:
        says = f"{goal} waits for {', '.join(waiting)}"
        return Answer(goal, says, f"forsooth why {waiting[0]}", also)
    for step in steps.next_steps(state, now):
        if goal in step:
            return Answer(goal, *_told(state, step, now), also)
    # Only money keeps a goal that is ready from having a step of its own.
    says, command = _told(state, steps.Rest("budget-spent"), now)
    return Answer(goal, f"{goal} is ready, and {says}", command, also)


def _standings(one: GoalState) -> tuple[str, ...]:
    rows: list[str] = []
    for criterion in (*one.goal.entry, *one.goal.criteria):
        standing = one.standing(criterion.id)
        told = f" ({quoted(standing.reason or standing.code)})" if standing.code else ""
        says = criterion.shown if criterion.hidden else f"{criterion.says}{told}"
        rows.append(f"{criterion.id} {standing.status}: {says}")
    return tuple(rows)


def _criterion(state: State, one: GoalState, id_: str, now: datetime) -> Answer:
    goal = _goal(state, one, now)
    row = next(row for row in _standings(one) if row.startswith(f"{id_} "))
    return Answer(id_, row, goal.command, (goal.says,))


EXPLAINED: Mapping[str, str] = {
    "agent-present": "A seal is a person's word. Type `forsooth seal` in a terminal of your own.",
    "approval-stale": "A typed `seal` counts for ten minutes. Type it again.",
    "attempt-open": "One attempt at a goal at a time. `forsooth next` shows the open one.",
    "attested": "A verdict gives one receipt. `forsooth done GOAL` has it judged again.",
    "attempts-spent": "The goal used every attempt policy allows. `forsooth unblock GOAL` by a "
    "person starts the count again.",
    "bad-check": "A criterion's check is unknown or its parameters are wrong; the text says which. "
    "Mend the brief, then `forsooth plan BRIEF.md`.",
    "bad-time": "A wait ends at a time such as 2026-01-31T18:00:00Z. `forsooth block --help`.",
    "blocked": "An obstacle names the goal. `forsooth why GOAL` says who must act.",
    "budget-spent": "Raise `budget` in forsooth.toml, commit it, and `forsooth seal` again.",
    "changed-since": "The goal or plan changed after you read it. `forsooth next` shows it anew.",
    "dependency-cycle": "Goals that wait for each other never start. Remove one `After:` line, "
    "then `forsooth plan BRIEF.md`.",
    "dependency-open": "A goal it depends on is not proven yet. `forsooth why` on that goal.",
    "done": "The goal has a fresh receipt. `forsooth next` for another.",
    "draft-changed": "The brief was planned again after you looked. `forsooth seal` shows it anew.",
    "dropped": "A person gave the plan up. `forsooth plan BRIEF.md --new` starts another.",
    "entry-failed": "What must hold before the work does not hold here. Set it right, then "
    "`forsooth unblock GOAL` and `forsooth next`.",
    "expired": "The time for this goal has passed. `forsooth steer supersede GOAL`, or a person "
    "edits the brief and seals.",
    "goal-open": "The plan is proven when every goal is. `forsooth why GOAL` for what is missing.",
    "id-twice": "Every goal and criterion has one name. `forsooth status` lists them.",
    "isolation": "The judge ran with less isolation than policy demands. `forsooth check` where it "
    "can have more.",
    "no-approval": "Nobody's word to seal was found. Type `forsooth seal` in a terminal.",
    "no-attempt": "A claim belongs to an open attempt. `forsooth next` opens one.",
    "no-draft": "Nothing waits for a seal. `forsooth plan BRIEF.md` makes a draft.",
    "no-evidence": "A finding without evidence proves nothing. `forsooth done GOAL` again.",
    "no-goals": "A brief needs at least one goal. Write one, then `forsooth plan BRIEF.md`.",
    "no-such-blocker": "That obstacle is not open. `forsooth why GOAL` lists the open ones.",
    "no-such-criterion": "`forsooth status` lists every criterion.",
    "no-such-goal": "`forsooth status` lists every goal.",
    "no-verdict": "Nothing was judged yet. `forsooth done GOAL` claims it and has it judged.",
    "not-a-person": "Only a person may do this, at a terminal. `forsooth next` goes on.",
    "not-the-judge": "Verdicts come from the judge alone. `forsooth check` has it look.",
    "not-asked": "An agreement answers `a person agrees: …`, and what a verdict left to a person; "
    "`forsooth status` lists what waits for one.",
    "not-blocked": "Only what is blocked or expired is set aside. `forsooth block GOAL` first.",
    "not-delivered": "What counts is what is delivered. `forsooth done GOAL` judges it again.",
    "not-holder": "Only whoever opened the attempt may claim for it. `forsooth next` prints its "
    "token, and `forsooth done GOAL --token TOKEN` gives it.",
    "not-judged": "Every criterion is judged at the same tree. `forsooth done GOAL` again.",
    "not-paused": "The plan is not paused. `forsooth next` goes on.",
    "not-pending": "Work in progress and proven work stay as they are; only pending goals change. "
    "`forsooth status` shows which are.",
    "not-proven": "The last verdict did not pass. `forsooth why GOAL` names the criteria.",
    "not-sealed": "Nothing is in force before a person confirms it. `forsooth seal`.",
    "not-waived": "A waiver is a person's to grant. `forsooth why GOAL` names the criterion.",
    "nothing-to-do": "Say what should be different: `forsooth steer --help`.",
    "other-plan": "The plan changed after the verdict. `forsooth done GOAL` judges it again.",
    "pause-unearned": "Go on with the next goal, or record what only a person can do: "
    '`forsooth block GOAL --needs human --why "…"`. A script that speaks for a person says --yes.',
    "past-time": "A wait that is over is none. `forsooth block --help`.",
    "paused": "`forsooth resume` goes on.",
    "plan-moved": "Somebody steered or sealed the plan meanwhile. `forsooth plan BRIEF.md` again.",
    "sealed-already": "Replacing a sealed plan needs a person at a terminal: `forsooth seal`.",
    "stale-verdict": "Something about the goal changed after it was judged. `forsooth done GOAL`.",
    "stuck": "A criterion failed again and again. A person looks, then `forsooth unblock GOAL`.",
    "submitted": "The attempt is claimed and waits for its verdict. `forsooth status`.",
    "superseded": "The goal was set aside. `forsooth next` for another.",
    "tag-missing": "Policy asks for a criterion with this tag in every goal. Add one to the brief, "
    "then `forsooth plan BRIEF.md`.",
    "unconfirmed": "A goal an agent set aside stays required until a person agrees: "
    "`forsooth steer supersede GOAL`, or edit the brief and `forsooth seal`.",
    "unknown-dependency": "An `After:` line names a goal that is not there. Mend it, then "
    "`forsooth plan BRIEF.md`.",
    "unsigned": "A verdict counts when the judge's key signed it. `forsooth done GOAL` again.",
    "base-lost": "What is delivered must build on the commit the plan began with. "
    "`git merge` it, or seal the plan anew.",
    "branch-gone": "The branch the plan delivers is not there. `git branch` it again.",
    "untrusted": "Nothing of a repository runs before a person said so. `forsooth trust`.",
    "moved": "What was proven is no longer what lies there. `forsooth done GOAL` again.",
    "nothing-changed": "A claim is about work. `Expects: no-change` in the brief says otherwise.",
    "no-criteria": "A goal that asks nothing cannot be proven. `forsooth block GOAL --needs human` "
    "has a person set it aside, or give it a criterion.",
    "not-heard-here": "A line of the ledger says that a person did this; no command of this home "
    "wrote it. `forsooth log` shows it, and the person can say it here.",
    "other-home": "Nobody agreed to this plan in this home: an agent may have sealed it. Read it "
    "with `forsooth status`, plan your brief again, and seal what you want.",
    "base-not-run": "A check that cannot be run before the work shows nothing after it either. "
    "`forsooth doctor` says what is missing.",
    "vacuous": "A check that passes before any work shows nothing. Add one that fails today, "
    "then `forsooth plan BRIEF.md`.",
    "weak-contract": "A goal without a criterion is proven by nothing. Say in the brief how it is "
    "proven, then `forsooth plan BRIEF.md` and `forsooth seal`.",
}
