"""docs/verifying.md says what an agent may try: every row is tried by tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.receipts.collection import DOCS

TESTS = Path(__file__).parents[1]
CLAIMING, FAKES = "e2e/test_claiming.py", "e2e/test_fakes.py"
TRIED: dict[str, tuple[str, ...]] = {
    "A1": (
        "e2e/test_damage.py::test_a_flipped_byte_closes_every_gate_until_a_recovery",
        "e2e/test_damage.py::test_a_rewound_ledger_is_noticed_by_what_was_acknowledged",
        "e2e/test_acts.py::test_a_waiver_that_was_only_written_down_proves_nothing",
        "e2e/test_acts.py::test_a_waiver_typed_in_another_home_counts_in_that_one_alone",
        "e2e/test_acts.py::test_a_plan_sealed_elsewhere_is_read_before_it_is_agreed_to",
    ),
    "A2": (
        "e2e/test_attacks.py::test_a_ledger_made_anew_is_not_the_one_its_receipts_name",
        "e2e/test_attacks.py::test_a_ledger_cut_short_with_its_anchor_lacks_the_lines_its_receipts_name",
    ),
    "A3": (
        f"{CLAIMING}::test_lines_written_by_hand_complete_nothing",
        f"{CLAIMING}::test_what_another_key_signed_completes_nothing",
    ),
    "A4": (
        "e2e/test_planning.py::test_a_script_seals_only_by_saying_so_and_an_agent_not_at_all",
        "e2e/test_pull_request.py::test_only_a_person_listed_on_the_base_seals",
        "e2e/test_pull_request.py::test_signers_listed_by_the_work_itself_are_ignored",
        "e2e/test_steering.py::test_steering_moves_criteria_and_never_loses_or_proves_one",
    ),
    "A5": (
        f"{FAKES}::test_each_fake_is_refused_with_its_reason_and_a_command_to_type",
        "judge/test_rewritten.py::test_a_product_that_writes_what_it_is_judged_by_is_refused",
    ),
    "A6": (f"{FAKES}::test_each_fake_is_refused_with_its_reason_and_a_command_to_type",),
    "A7": (
        "judge/sandbox/test_probes.py::test_a_way_out_is_closed",
        "receipts/test_verify.py::test_checks_that_ran_below_the_floor_are_refused",
        "e2e/test_rerun.py::test_what_is_run_again_sees_no_secret",
    ),
    "A8": (
        "git/test_traps.py::test_all_traps_together_stay_silent",
        "judge/test_reach.py::test_a_package_patched_in_the_live_environment_is_not_seen",
        "judge/test_reach.py::test_planted_bytecode_in_the_work_tree_is_not_run",
    ),
    "A9": (
        "e2e/test_rerun.py::test_a_word_that_does_not_hold_voids_every_receipt_of_its_signer",
        "receipts/test_verify.py::test_assurance_is_what_the_list_says_of_the_key",
    ),
    "A10": (
        "e2e/test_receipts.py::test_the_exit_code_says_proven_not_proven_not_believed_or_not_known",
    ),
    "A11": ("e2e/test_attacks.py::test_a_link_to_what_lies_outside_leads_nowhere",),
    "A12": (
        "judge/sandbox/test_runner.py::test_a_flood_is_cut_and_ended",
        "judge/sandbox/test_runner.py::test_a_fork_bomb_is_ended_where_no_group_counts_it",
    ),
    "A13": (
        "e2e/test_attacks.py::test_words_in_the_output_of_a_check_persuade_and_move_nobody",
        "receipts/test_views.py::test_text_from_a_plan_is_quoted_and_never_markup",
    ),
    "A14": (
        "receipts/test_verify.py::test_a_receipt_for_something_else_is_refused_with_its_own_code",
        "receipts/test_verify.py::test_a_key_that_ran_out_cannot_date_a_receipt_back",
    ),
    "A15": (
        f"{CLAIMING}::test_an_old_receipt_shown_again_completes_nothing",
        "receipts/test_verify.py::test_a_receipt_for_something_else_is_refused_with_its_own_code",
    ),
}


def rows() -> dict[str, list[str]]:
    page = (DOCS / "verifying.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (A\d+) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    return {name: rest for name, *rest in found}


@cache
def module(path: str) -> tuple[str, frozenset[str]]:
    """The text of a test module and the tests in it."""
    text = (TESTS / path).read_text(encoding="utf-8")
    body = ast.parse(text).body
    return text, frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


def test_the_table_has_every_attack_once_and_in_order():
    """Fifteen ways, and nobody left one out of the page or out of the tests."""
    assert list(rows()) == list(TRIED) == [f"A{number}" for number in range(1, 16)]


@pytest.mark.parametrize("attack", TRIED)
def test_every_row_is_tried_and_its_codes_are_met(attack: str):
    """The tests are there, and each code that the row promises stands in one of them."""
    texts: list[str] = []
    for name in TRIED[attack]:
        path, _, test = name.partition("::")
        text, tests = module(path)
        assert test in tests, name
        texts.append(text)
    codes = re.findall(r"`([a-z]+(?:-[a-z]+)*)`", rows()[attack][1])
    assert [code for code in codes if not any(code in text for text in texts)] == []
