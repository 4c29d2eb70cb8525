"""What a proof rests on, in the same words wherever it is shown."""

from typing import get_args

from forsooth.core.strength import (
    HELD,
    LACKING,
    HeldId,
    LackingId,
    entry,
    held_phrase,
    lacking_phrase,
    proven,
    rests_on,
)


def test_every_id_the_judge_can_emit_has_a_phrase_and_no_other_has():
    """The ids are typed, so the type check refuses one that is not among these."""
    assert set(HELD) == set(get_args(HeldId))
    assert set(LACKING) == set(get_args(LackingId))


def test_a_line_of_strength_reads_as_a_list_of_facts():
    """Figures are put in, and one of a thing is not several."""
    kept = [entry("red"), entry("sealed", (4,)), entry("repeated", (5,)), entry("mutants", (2, 2))]
    assert kept == ["red", "sealed 4", "repeated 5", "mutants 2/2"]
    assert rests_on(kept) == (
        "failed before the work · passes with the original tests (4 files) · "
        "5 identical runs · 2 of 2 mutants caught"
    )
    assert held_phrase("sealed 1") == "passes with the original tests (1 file)"
    assert held_phrase("kept 1") == "no test that passed before fails (1 test)"


def test_what_was_not_checked_is_a_fact_and_its_reason():
    """The reason stands behind the fact, where there is one."""
    told = "not checked for flakiness: one run takes 240 s"
    assert lacking_phrase("repeated: one run takes 240 s") == told
    assert lacking_phrase("repeated") == "not checked for flakiness"


def test_what_a_later_version_wrote_is_shown_as_it_is():
    """Neither an unknown id nor figures that do not fit are put into words."""
    for kept in ("newer", "newer 5", "repeated", "repeated 5/6", "red 5"):
        assert held_phrase(kept) == kept
    assert lacking_phrase("newer: why") == "newer: why"


def test_a_weak_contract_is_never_called_proven_alone():
    """The word says so itself, so that no line can leave it out."""
    assert (proven(weak=False), proven(weak=True)) == ("proven", "proven (weak contract)")
