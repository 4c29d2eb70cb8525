"""Counting rulings, drawing them, and the gates that people use today."""

from __future__ import annotations

import os
from xml.etree import ElementTree as ET

import pytest

from forsooth.testing.adversary import scenarios
from forsooth.testing.adversary.bases import SHELL
from forsooth.testing.adversary.proof import behaves, misbehaves
from forsooth.testing.adversary.scenario import Scenario, agreed
from forsooth.testing.baselines import BASELINES
from forsooth.testing.bench import Bench, Result
from forsooth.testing.binding import Approval, Ruling, unseen, written
from forsooth.testing.chart import chart
from forsooth.testing.score import Share, by_group, by_kind, score

EVERY = {one.name: one for one in scenarios()}


def _play(judge, *names: str) -> list[Result]:
    bench = Bench(environment=os.environ, jobs=2)
    return bench.run([EVERY[name] for name in names], judge, tell=lambda _: None)


def _result(kind: str, *, honest: bool, accepted: bool, codes: tuple[str, ...] = ()) -> Result:
    proof = behaves if honest else misbehaves
    made = Scenario(kind, kind, "Is.", SHELL, agreed(SHELL), lambda _: None, proof, honest)
    return Result(made._replace(expects=("failed",)), accepted, codes, 1.0)


def test_an_interval_is_as_wide_as_the_count_is_small():
    """Wilson's interval: nothing of nothing says nothing, and all of many says nearly all."""
    assert Share(0, 0).interval == (0.0, 1.0)
    low, high = Share(0, 36).interval
    assert low == 0.0
    assert high == pytest.approx(0.0964, abs=1e-3)
    assert Share(72, 72).interval[0] == pytest.approx(0.9493, abs=1e-3)


def test_a_score_counts_what_was_accepted_and_what_was_refused():
    """A caught cheat counts as reasoned only with one of the codes that are so."""
    rows = [
        _result("C1", honest=False, accepted=False, codes=("failed",)),
        _result("C1", honest=False, accepted=False, codes=("odd",)),
        _result("C2", honest=False, accepted=True),
        _result("honest:x", honest=True, accepted=True),
        _result("honest:y", honest=True, accepted=False),
    ]
    found = score(rows)
    assert (found.caught, found.refused, found.reasoned) == (Share(2, 3), Share(1, 2), Share(1, 2))
    assert (found.accepted, found.blocked) == (("C2",), ("honest:y",))
    assert set(by_kind(rows)) == {"C1", "C2", "honest:x", "honest:y"}
    assert set(by_group(rows)) == {"C", "honest"}
    assert found.data()["cheats_accepted"] == 1


def test_the_chart_is_a_picture_of_every_judge():
    """It is well-formed, and names are escaped."""
    picture = chart({"a & b": score([]), "ours": score([])})
    texts = [one.text for one in ET.fromstring(picture).iter() if one.text]
    assert "a & b" in texts
    assert "ours" in texts


@pytest.mark.parametrize(
    ("gate", "accepts"),
    [
        ("promise phrase", {"A1", "D-4", "C4", "H2", "honest"}),
        ("the agent's work tree", {"D-4", "C4", "H2", "honest"}),
        ("an added work tree", {"D-4", "C4", "honest"}),
        ("a fresh clone", {"C4", "honest"}),
        ("a fresh clone, audited", {"honest"}),
    ],
)
def test_each_gate_sees_a_little_more_than_the_one_before(gate: str, accepts: set[str]):
    """What they let through is what they do not look at."""
    names = {
        "A1": "A1-nothing-at-all-shell",
        "D-4": "D-4-a-variable-of-the-agents-shell-shell",
        "C4": "C4-the-expected-values-follow-the-bug-shell",
        "H2": "H2-uncommitted-work-shell",
        "honest": "honest-plain-the-bug-is-mended-shell",
    }
    results = _play(BASELINES[gate], *names.values())
    assert {one.broke for one in results} == {""}
    by_name = {one.scenario.name: one.accepted for one in results}
    assert {short for short, name in names.items() if by_name[name]} == accepts


class Gullible:
    """A judge that accepts whatever it is told, and says what it looked at."""

    def approve(self, plan, repo):
        return Approval(plan, "it")

    def judge(self, approval, repo, claim):
        head = (repo.folder / ".git/refs/heads/main").read_text().strip()
        return Ruling(accepted=True, commit=head)


def test_another_judge_can_be_bound_by_two_methods():
    """A stranger's judge plays the same scenarios; a branch that moves later is seen for it."""
    cheat, moved, fine = _play(
        Gullible(),
        "A1-nothing-at-all-shell",
        "H6-the-branch-moves-after-the-verdict-shell",
        "honest-plain-the-bug-is-mended-shell",
    )
    assert (cheat.accepted, moved.accepted, fine.accepted) == (True, False, True)
    assert moved.codes == ("moved",)


def test_a_plan_is_written_as_a_brief_that_this_tool_reads():
    """Every plan of every scenario, and what it hides, is a brief without defects."""
    from forsooth.core.brief.brief import parse
    from forsooth.core.brief.compile import defects

    texts = {written(one.plan): name for name, one in EVERY.items()}
    texts |= {unseen(one.plan): name for name, one in EVERY.items() if one.plan.hidden}
    wrong = {
        name: found
        for text, name in texts.items()
        if (found := defects(parse(text), before=None, used=()))
    }
    assert wrong == {}
