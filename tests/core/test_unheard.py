"""What a home is told about a person's word that was not given in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from forsooth.core import command as do
from forsooth.core.unheard import rests_on_persons, unheard
from tests.core.build import AGENT, BYTES, PERSON, SCRIPT, Run, goal, opinion, plan

WAIVE = do.Waive(goal="G001", criterion="G001.C1", by="ann", reason="flaky")
TASTE = plan(*(goal(n, criteria=(opinion(f"G00{n}.C1"),)) for n in (1, 2)))
APPROVE = do.Attach(digest=BYTES, criterion="G001.C1", approves=True)
Deed = Callable[[Run], Run]


def told(run: Run, heard: Run) -> list[tuple[str, str]]:
    """What is said of a ledger's last line in a home that does not know it."""
    return [(one.code, one.hint) for one in unheard(run.log[-1:], heard.state)]


@pytest.mark.parametrize(
    ("act", "command"),
    [
        (lambda run: run.done(WAIVE, PERSON), 'forsooth waive G001.C1 --reason "…"'),
        (lambda run: run.done(APPROVE, PERSON), "forsooth agree G001.C1"),
        (
            lambda run: run.block().supersede(by=PERSON),
            "forsooth steer supersede G001 --evidence … --rationale …",
        ),
    ],
)
def test_an_act_that_is_not_known_is_told_with_what_settles_it(act: Deed, command: str):
    """In the home that knows it there is nothing to say."""
    run, heard = act(Run(TASTE)), Run(TASTE)
    for event in run.log[len(heard.log) :]:
        heard.fact(event.fact, event.by.unheard)
    assert told(run, heard) == [("not-heard-here", command)]
    assert told(run, run) == []
    assert rests_on_persons(run.state)
    assert not rests_on_persons(heard.state)


def test_a_plan_sealed_elsewhere_is_to_be_read_before_it_is_sealed():
    """The seal in force is told, an older one not; nothing is said before looking."""
    run = Run(plan(goal(1)).but(source="WORK.md"))
    ((code, hint),) = told(run, run)
    assert code == "other-home"
    assert hint.index("forsooth status") < hint.index("forsooth plan WORK.md")
    assert hint.index("forsooth plan") < hint.index("forsooth seal")
    seal = run.log[-1]
    run.reseal(plan(goal(1), goal(2)))
    assert unheard([seal], run.state) == ()
    (other,) = unheard(run.log[-1:], run.state)
    assert "forsooth plan BRIEF.md" in other.hint


def test_a_plan_given_up_elsewhere_is_told_and_the_rest_is_not():
    """Notes, claims and goals that are gone need no word of a person."""
    run = Run()
    run.done(do.Drop(), PERSON)
    assert told(run, run) == [("not-heard-here", "forsooth plan BRIEF.md --new")]
    assert rests_on_persons(run.state)
    other = Run().done(do.Note(text="seen"), PERSON)
    assert told(other, other) == []
    waived = Run(plan(2)).done(WAIVE.but(goal="G002", criterion="G002.C1"), PERSON)
    approved = Run(TASTE).done(APPROVE.but(criterion="G002.C1"), PERSON)
    assert told(waived, Run()) == told(approved, Run()) == []


def test_who_was_not_heard_here_counts_as_a_script():
    """A person's word is worth what a script's is; nobody else's changes."""
    assert PERSON.unheard == SCRIPT
    assert SCRIPT.unheard is SCRIPT
    assert AGENT.unheard is AGENT
