"""`a person agrees: …`: who may agree, to what, and how the work goes on from there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.place import AGENT, Place, new
from tests.e2e.proving import begun, claim, lines, sealed
from tests.requirements import requirement

PAGE = """\
@goal: A greeting
- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"
- [ ] a person agrees: the greeting is friendly

@goal: A farewell
- [ ] part says bye: `sh part.sh` exits 0, stdout has "bye"
"""
TASTE = PAGE.partition("\n@goal: A farewell")[0]


@pytest.fixture
def waiting(tmp_path: Path) -> Place:
    """A goal whose only open criterion is a person's to decide, claimed by an agent."""
    place = begun(tmp_path, TASTE)
    place.write("greet.sh", "echo good day\n")
    told = claim(place, "G001", code=5)
    (open_,) = [one for one in told["findings"] if one["outcome"] != "pass"]
    assert open_["code"] == "awaiting-approval"
    assert "forsooth agree G001.C2" in open_["action"]
    return place


def next_command(text: str) -> list[str]:
    """The words of the printed next command."""
    (line,) = [row for row in text.splitlines() if row.startswith("next: ")]
    return line.removeprefix("next: forsooth ").split()


@requirement("D17")
def test_what_waits_for_a_person_is_shown_with_the_command_that_ends_the_wait(waiting: Place):
    """In `status`, as text and as data, in `why` and in `next`."""
    told = waiting.ask("status")
    (goal,) = told["goals"]
    assert (goal["status"], goal["awaiting"]) == ("waiting", ["G001.C2"])
    assert told["next"]["command"] == "forsooth agree G001.C2"
    shown = waiting.run("status").out
    assert "waits for a person to agree: forsooth agree G001.C2" in shown
    assert waiting.ask("next", code=10, env=AGENT)["next"]["command"] == "forsooth agree G001.C2"
    assert waiting.ask("why", "G001")["command"] == "forsooth agree G001.C2"


@requirement("D17")
def test_a_person_agrees_and_the_printed_commands_prove_the_goal(waiting: Place):
    """No circle: one agreement, one claim, one receipt, which says who agreed and to what."""
    agreed = waiting.typed("agree", "G001.C2", "--reason", "read it aloud")
    assert agreed.code == 0
    assert "AGREED G001.C2: a person agrees: the greeting is friendly" in agreed.out
    assert "greet.sh" in agreed.out
    *_, added, cleared = lines(waiting)
    assert (added["kind"], cleared["kind"]) == ("evidence.added", "blocker.cleared")
    assert added["by"]["channel"] == "terminal"
    assert added["data"]["tree"] == waiting.ask("check")["tree"]
    proven = waiting.run(*next_command(agreed.out), env=AGENT)
    assert "the plan is proven" in proven.out
    assert waiting.ask("status")["goals"][0]["awaiting"] == []
    assert "agreed by ada" in waiting.run("receipt", "G001").out


@requirement("D17")
@pytest.mark.parametrize("env", [AGENT, {}], ids=["an agent", "a script"])
def test_only_a_person_agrees(waiting: Place, env: dict[str, str]):
    """An agent is told in a sentence whom to ask and what they type; nothing is recorded."""
    error = waiting.ask("agree", "G001.C2", code=3, env=env)["error"]
    assert error["message"] == "only a person at a terminal may agree to G001.C2"
    assert error["reasons"][0]["hint"].endswith("forsooth agree G001.C2")
    assert waiting.kinds()[-1] == "command.refused"
    assert waiting.typed("agree", "G001.C2", env=AGENT).code == 3
    assert "evidence.added" not in waiting.kinds()


@requirement("D17")
def test_an_agreement_ends_with_what_it_was_about(waiting: Place):
    """Changed afterwards, the work is shown to the person again; taken back, the yes stands."""
    waiting.typed("agree", "G001.C2")
    waiting.write("greet.sh", "echo good day, you fool\n")
    (open_,) = [f for f in claim(waiting, "G001", code=5)["findings"] if f["outcome"] != "pass"]
    assert open_["reason"] == "ada agreed to an earlier version; changed since: greet.sh"
    assert waiting.ask("status")["next"]["command"] == "forsooth agree G001.C2"
    waiting.write("greet.sh", "echo good day\n")
    assert waiting.typed("unblock", "G001").code == 0
    assert claim(waiting, "G001")["receipt"]


@requirement("D17")
def test_another_goals_work_outside_the_allowed_paths_leaves_an_agreement(tmp_path: Path):
    """What the agreement is about is what its goal may change."""
    fenced = "- [ ] only greet.sh changes\n"
    mine = PAGE.replace("- [ ] a person", f"{fenced}- [ ] a person")
    place = begun(tmp_path, mine + "- [ ] only part.sh changes\n")
    place.write("greet.sh", "echo good day\n")
    claim(place, "G001", code=5)
    place.typed("agree", "G001.C3")
    claim(place, "G001")
    place.write("part.sh", "echo bye\n")
    assert claim(place, "G002")["plan_receipt"]


@requirement("D17")
def test_without_allowed_paths_the_whole_plan_asks_again_and_says_so(tmp_path: Path):
    """The plan is proven at its last tree; the command for it is printed, and works."""
    place = begun(tmp_path, PAGE)
    place.write("greet.sh", "echo good day\n")
    claim(place, "G001", code=5)
    place.typed("agree", "G001.C2")
    claim(place, "G001")
    place.write("part.sh", "echo bye\n")
    assert claim(place, "G002")["plan_receipt"] is None
    assert place.ask("next", code=10, env=AGENT)["next"]["command"] == "forsooth agree G001.C2"
    agreed = place.typed("agree", "G001.C2")
    assert place.ask("next", env=AGENT)["next"]["command"].startswith("forsooth done G00")
    told: Any = place.ask(*next_command(agreed.out), env=AGENT)
    assert told["plan_receipt"]
    assert place.ask("status")["plan"]["status"] == "done"


@requirement("D17")
def test_what_a_run_decides_no_agreement_replaces(waiting: Place):
    """And what no goal has cannot be agreed to."""
    said = waiting.typed("agree", "G001.C1")
    assert (said.code, "no agreement is asked for" in said.out) == (3, True)
    assert "no goal has a criterion G009.C1" in waiting.typed("agree", "G009.C1").out


ROWS = "rows = [\n    [2, 2, 5],\n    [5, 0, 5],\n]\n"
SUMS = {
    "sums.py": "def add(a, b):\n    return a - b\n",
    "datos/__init__.py": "",
    "datos/filas.py": ROWS,
    "test_sums.py": """\
import unittest

from datos.filas import rows
from sums import add


class Sums(unittest.TestCase):
    def test_rows(self):
        for a, b, want in rows:
            self.assertEqual(add(a, b), want)
""",
}


@requirement("D17")
def test_a_person_agrees_to_a_deciding_file_of_unclear_role_and_the_receipt_names_it(
    tmp_path: Path,
):
    """One agreement ends the wait; the file changed once more asks again."""
    place = new(tmp_path / "place")
    for name, text in SUMS.items():
        place.write(name, text)
    sealed(place, "@goal: Add\nIntent: fix\n- [ ] sums are right: `python3 -m unittest`\n")
    place.write("sums.py", SUMS["sums.py"].replace("-", "+"))
    place.write("datos/filas.py", ROWS.replace("2, 2, 5", "2, 2, 4"))
    (open_,) = [f for f in claim(place, "G001", code=5)["findings"] if f["outcome"] != "pass"]
    assert (open_["outcome"], open_["code"]) == ("error", "unclear-file")
    assert "datos/filas.py" in open_["reason"]
    assert "forsooth agree G001.C1" in open_["action"]
    assert place.ask("status")["next"]["command"] == "forsooth agree G001.C1"
    assert place.ask("agree", "G001.C1", code=3, env=AGENT)["error"]
    agreed = place.typed("agree", "G001.C1", "--reason", "2 + 2 is 4")
    assert "datos/filas.py" in agreed.out
    place.run(*next_command(agreed.out), env=AGENT)
    shown = place.run("receipt", "G001").out
    assert "a person agreed to changed files of unclear role (1)" in shown
    assert re.search(r"agreed: .*datos/filas\.py", shown)
    place.write("datos/filas.py", "rows = []\n")
    (again,) = [f for f in claim(place, "G001", code=5)["findings"] if f["outcome"] != "pass"]
    assert again["code"] == "unclear-file"
