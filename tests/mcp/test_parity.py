"""Every tool and its verb on the command line give the same answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from forsooth.mcp.tools import TOOLS
from tests.e2e.place import AGENT, GROUNDS, Place
from tests.e2e.proving import begun
from tests.mcp.wire import Wire

BRIEF = '@goal: Wave\n- [ ] it waves: `sh wave.sh` exits 0, stdout has "wave"\n'
SAID = {"evidence": GROUNDS[1], "rationale": GROUNDS[3]}
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "plan": ({"brief": BRIEF, "new": True}, ["plan", "--text", BRIEF, "--new"]),
    "plan, with defects": (
        {"brief": "@goal: X\n- [ ] nice\n"},
        ["plan", "--text", "@goal: X\n- [ ] nice\n"],
    ),
    "status": ({}, ["status"]),
    "done": ({"goal": "G001", "summary": "said so"}, ["done", "G001", "--summary", "said so"]),
    "next": ({}, ["next"]),
    "next, of a goal": ({"goal": "G002"}, ["next", "G002"]),
    "next, of none": ({"goal": "G009"}, ["next", "G009"]),
    "check": ({"goal": "G001"}, ["check", "G001"]),
    "check, of all": ({"fresh": True}, ["check", "--fresh"]),
    "done, unfounded": ({"goal": "G009"}, ["done", "G009"]),
    "block": (
        {"goal": "G001", "why": "no key", "needs": "human"},
        ["block", "G001", "--why", "no key", "--needs", "human"],
    ),
    "steer, note": ({"change": "note", "text": "hm", **SAID}, ["steer", "note", "hm", *GROUNDS]),
    "steer, add": (
        {"change": "add", "title": "T", "objective": "O", "after": ["G001"], **SAID},
        ["steer", "add", "--title", "T", "--objective", "O", "--after", "G001", *GROUNDS],
    ),
    "steer, split": (
        {
            "change": "split",
            "goal": "G002",
            "pieces": [{"title": t, "objective": t} for t in "ab"],
            **SAID,
        },
        ["steer", "split", "G002", "--piece", "a", "a", "--piece", "b", "b", *GROUNDS],
    ),
    "steer, reorder": (
        {"change": "reorder", "order": ["G002", "G001"], **SAID},
        ["steer", "reorder", "G002", "G001", *GROUNDS],
    ),
    "steer, reword": (
        {"change": "reword", "goal": "G002", "title": "Leave", **SAID},
        ["steer", "reword", "G002", "--title", "Leave", *GROUNDS],
    ),
    "steer, supersede": (
        {"change": "supersede", "goal": "G002", **SAID},
        ["steer", "supersede", "G002", *GROUNDS],
    ),
}
# What differs between two runs of one thing: times, durations, tokens and what is made of them.
VARIES = re.compile(r'"(took|token|receipt|plan_receipt)": [^,}\]]+|\d{8}-\d{6}|[0-9a-f]{16,64}')


def plain(data: Any) -> str:
    return VARIES.sub("*", json.dumps(data, sort_keys=True))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Wire, Place]]:
    """One repository twice: a client in the first, a shell in the second."""
    places = [begun(tmp_path_factory.mktemp(name)) for name in ("mcp", "cli")]
    for place in places:
        place.commit("greet.sh", "echo good day\n")
    with Wire(places[0]) as wire:
        yield wire, places[1]


def test_no_tool_is_left_out():
    """Whatever is offered is compared."""
    assert {case.partition(",")[0] for case in CASES} == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("case", CASES)
def test_a_tool_answers_what_its_verb_prints(pair: tuple[Wire, Place], case: str):
    """Also a refusal is the same, reason by reason; only what no two runs share may differ."""
    wire, place = pair
    given, argv = CASES[case]
    result = wire.call(case.partition(",")[0], **given)
    printed = place.run(*argv, "--json", code=None, env=AGENT)
    assert plain(result["structuredContent"]) == plain(printed.data)
    assert bool(result.get("isError")) == ("error" in printed.data)
    assert result["content"][0]["text"]
