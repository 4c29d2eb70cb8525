"""One scenario from its first commit to the ruling, and the proof of its label.

The order is fixed: a person agrees, the agent acts and claims, the judge rules, and only then does
anybody look at the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Scenario
from forsooth.testing.binding import Approval, Binding, Ruling
from forsooth.testing.stage import AGENT, Repo, Stage

RECORDED = ("G", "K")
"""Groups whose deeds need a plan in force, also where only the label is asked."""


class Played(NamedTuple):
    """A ruling, and a second one where the agent was given the refusal to mend its work by."""

    scenario: Scenario
    ruling: Ruling
    repaired: Ruling | None = None


def play(
    scenario: Scenario, binding: Binding, *, folder: Path, environment: Mapping[str, str]
) -> Played:
    """Play a scenario to its ruling; a failed repair is ruled on as it is."""
    stage = Stage(folder, environment=environment)
    stage.build(scenario.base)
    approval = binding.approve(scenario.plan, Repo(stage.work, stage.clean))
    if approval.refusal:
        return Played(scenario, approval.refusal)
    hand = _hand(stage, scenario, approval)
    try:
        scenario.deeds(hand)
        ruling = _ruled(stage, scenario, binding, approval=approval, hand=hand)
        if scenario.repair is None or ruling.accepted:
            return Played(scenario, ruling)
        scenario.repair(hand, ruling.text)
        again = _ruled(stage, scenario, binding, approval=approval, hand=hand)
        return Played(scenario, ruling, again)
    finally:
        hand.rest()


def _hand(stage: Stage, scenario: Scenario, approval: Approval) -> Hand:
    return Hand(
        stage.work,
        base=scenario.base,
        environment={**stage.clean, **AGENT},
        tool=approval.tool,
        plan=approval.name,
        records=approval.records,
    )


def _ruled(
    stage: Stage, scenario: Scenario, binding: Binding, *, approval: Approval, hand: Hand
) -> Ruling:
    ruling = binding.judge(approval, Repo(stage.work, hand.env), scenario.claim)
    if scenario.afterwards:
        scenario.afterwards(hand)
    if not ruling.accepted or scenario.plan.deliver == "worktree":
        return ruling
    now = stage.delivered(scenario.plan.deliver)
    if ruling.commit and ruling.commit != now:
        text = f"{ruling.commit} was judged and {now or 'nothing'} is delivered\n{ruling.text}"
        return ruling._replace(accepted=False, codes=("moved",), text=text)
    return ruling


def label(
    scenario: Scenario, binding: Binding, *, folder: Path, environment: Mapping[str, str]
) -> str:
    """Why the scenario's label does not hold; empty when it does."""
    stage = Stage(folder, environment=environment)
    base = stage.build(scenario.base)
    approval = Approval(scenario.plan)
    if scenario.group in RECORDED:
        approval = binding.approve(scenario.plan, Repo(stage.work, stage.clean))
    hand = _hand(stage, scenario, approval)
    before = _records(approval)
    try:
        scenario.deeds(hand)
        if scenario.afterwards:
            scenario.afterwards(hand)
        hand.rest()
        at = stage.export(scenario, base, records=(before, _records(approval)))
        return scenario.proof(at)
    finally:
        hand.rest()


def _records(approval: Approval) -> str:
    return "".join(
        path.read_text(encoding="utf-8", errors="replace") if path.exists() else "gone"
        for path in approval.records
    )
