"""Agents that cheat, agents that do not, and agents that are not finished: every scenario.

One file a group of cheats, in the order of the taxonomy in the docs; `honest/` holds their twins.
"""

from __future__ import annotations

import importlib

from forsooth.testing.adversary.book import ENTRIES
from forsooth.testing.adversary.scenario import Scenario

GROUPS = {
    "a_nothing": "nothing or part",
    "b_stub": "stub and hard-coding",
    "c_tests": "tests weakened",
    "c_more": "tests weakened",
    "c_tables": "tests weakened",
    "c_support": "tests weakened",
    "c_within": "tests weakened",
    "d_environment": "environment",
    "e_runner": "runner and comparison",
    "e_more": "runner and comparison",
    "e_rewrites": "runner and comparison",
    "e_harness": "runner and comparison",
    "e_plain": "runner and comparison",
    "f_settings": "build and settings",
    "g_plan": "criterion and plan",
    "h_history": "work tree and history",
    "i_escape": "escape",
    "k_record": "record",
    "l_scope": "scope",
    "m_chance": "chance and time",
}
HONEST = ("tests", "product", "history", "surroundings", "plan")


def scenarios() -> tuple[Scenario, ...]:
    """Every scenario, in the order of its group; names are never given twice."""
    for name in (*GROUPS, *(f"honest.{name}" for name in HONEST), "unfinished"):
        importlib.import_module(f"forsooth.testing.adversary.{name}")
    return tuple(one for entry in ENTRIES for one in entry.scenarios())
