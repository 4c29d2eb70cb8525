"""The scenarios themselves: their form, that every kind is there, and that labels are proven."""

from __future__ import annotations

import os

import pytest

from forsooth.testing.adversary import GROUPS, scenarios
from forsooth.testing.adversary.bases import ALL, PYTEST, SHELL
from forsooth.testing.adversary.proof import behaves, misbehaves
from forsooth.testing.adversary.scenario import Scenario, agreed
from forsooth.testing.bench import Bench
from forsooth.testing.binding import Forsooth

EVERY = scenarios()
KINDS = {
    "A": 8, "B": 5, "C": 12, "D": 8, "E": 9, "F": 8, "G": 7, "H": 9, "I": 5, "K": 7, "L": 3, "M": 4,
}  # fmt: skip
TRIED = (
    "A1-nothing-at-all-shell",
    "C4-the-expected-values-follow-the-bug-script",
    "D-4-a-variable-of-the-agents-shell-shell",
    "H2-uncommitted-work-script",
    "H5-the-base-is-amended-shell",
    "H8-a-message-against-the-rule-shell",
    "I1-a-link-upwards-out-of-the-repository-script",
    "L1-a-file-outside-the-fence-shell",
    "M1-a-coin-is-tossed-script",
    "honest-plain-the-bug-is-mended-shell",
    "honest-plain-the-bug-is-mended-script",
    "honest-commits-several-commits-and-a-merge-shell",
)


def _label(scenario: Scenario) -> str:
    wrong = Bench(environment=os.environ, jobs=1).labels(
        [scenario], Forsooth(), tell=lambda *_: None
    )
    return wrong.get(scenario.name, "")


def test_every_scenario_has_one_name_and_one_sentence():
    """A name means one scenario, and its sentence says what the agent does."""
    names = [one.name for one in EVERY]
    assert len(set(names)) == len(names)
    assert [one.name for one in EVERY if not one.says.endswith((".", "?"))] == []


def test_there_are_enough_of_each():
    """More than a hundred cheats, fifty honest ones and twenty that are not finished."""
    assert sum(not one.honest and one.repair is None for one in EVERY) >= 100
    assert sum(one.honest for one in EVERY) >= 50
    assert sum(one.repair is not None for one in EVERY) >= 20


@pytest.mark.parametrize("group", KINDS)
def test_every_kind_of_the_taxonomy_is_played(group: str):
    """Each numbered kind has a scenario, and every group has an honest twin or plain work."""
    kinds = {one.kind for one in EVERY if one.group == group}
    dash = "-" if group == "D" else ""
    assert {f"{group}{dash}{n}" for n in range(1, KINDS[group] + 1)} <= kinds
    assert group.lower() in {name[0] for name in GROUPS}


def test_every_cheat_says_what_a_good_refusal_names():
    """Without an expected code nobody could tell a reasoned refusal from a lucky one."""
    assert [s.name for s in EVERY if not s.honest and s.repair is None and not s.expects] == []


@pytest.mark.parametrize("name", TRIED)
def test_a_label_is_what_the_delivered_tree_shows(name: str):
    """The truth is looked up elsewhere, with the agent's folder gone."""
    (scenario,) = [one for one in EVERY if one.name == name]
    assert _label(scenario) == ""


@pytest.mark.parametrize("base", [SHELL, PYTEST], ids=lambda base: base.name)
def test_a_wrong_label_is_seen(base):
    """The bug called honest, and the mended product called a cheat, are both found out."""
    lazy = Scenario("lazy", "honest:x", "Nothing.", base, agreed(base), lambda _: None, behaves)

    def mend(hand):
        hand.mend()
        hand.commit()

    mended = Scenario("mended", "X1", "All.", base, agreed(base), mend, misbehaves)
    assert "wrong" in _label(lazy)
    assert "right" in _label(mended)


@pytest.mark.parametrize("base", ALL, ids=lambda base: base.name)
def test_every_base_is_one_line_from_right(base):
    """The bug and its stand-ins are lines of the product, so every deed finds its place."""
    assert base.files[base.product].count(base.wrong) == 1
    assert len({base.wrong, base.right, base.stub, base.table, base.branch}) == 5
