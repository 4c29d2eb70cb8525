"""A claim ends in a receipt or in every reason why not; nothing else completes a goal."""

from __future__ import annotations

from pathlib import Path

from forsooth.core.canonical import encode
from forsooth.receipts import dsse, keys, statement
from tests.e2e.place import AGENT, Place
from tests.e2e.proving import (
    APART,
    BRIEF,
    BYE,
    HELLO,
    append,
    begun,
    claim,
    envelope,
    keep,
    lines,
    proven,
    said,
)
from tests.requirements import requirement

STEER = ("--evidence", "the log of run 7", "--rationale", "it follows")


def last(place: Place, kind: str) -> dict:
    return [event for event in lines(place) if event["kind"] == kind][-1]


@requirement("R033", "R082", "R086")
def test_each_goal_gets_a_receipt_and_the_last_one_brings_the_plan_s(tmp_path: Path):
    """A claim names the goal that comes next; only the last one says that all is proven."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    first = said(place, "G001", 0).out
    assert "receipt: forsooth receipt G001" in first
    assert first.endswith("next: forsooth next G002\n")
    assert place.ask("receipt", code=2)["error"]["code"] == "no-receipt"
    assert place.ask("status")["plan"]["status"] == "active"
    place.commit("part.sh", "echo bye\n")
    told = claim(place, "G002")
    assert told["receipt"]
    assert told["plan_receipt"]
    assert place.ask("status")["plan"]["status"] == "done"
    checks = place.ask("receipt")["predicate"]["checks"]
    assert {row["criterion"] for row in checks} == {"G001.C1", "G002.C1"}
    assert place.kinds()[-2:] == ["verdict.given", "receipt.issued"]


@requirement("R082")
def test_lines_written_by_hand_complete_nothing(tmp_path: Path):
    """Well chained, well formed, and unsigned: neither a verdict nor a receipt counts."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    verdict, receipt = last(place, "verdict.given"), last(place, "receipt.issued")
    for event, inner in ((verdict, "verdict"), (receipt, "receipt")):
        event["data"][inner]["subject"] = "G002"
        event["data"][inner].pop("attempt", None)
    verdict["data"]["verdict"]["findings"][0]["criterion"] = "G002.C1"
    append(place, verdict)
    receipt["data"]["receipt"]["verdict"] = lines(place)[-1]["seq"]
    append(place, receipt)
    assert place.statuses() == {"G001": "done", "G002": "ready"}
    assert place.ask("verify", code=1)["missing"] == ["G002", "plan"]


@requirement("R082", "R083")
def test_an_old_receipt_shown_again_completes_nothing(tmp_path: Path):
    """The signature is good and the line a copy: what made it stale came later, so it stays so."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    place.typed("block", "G001", "--needs", "agent", "--why", "not yet")
    place.run("unblock", "G001", env=AGENT)
    assert place.statuses()["G001"] == "ready"
    append(place, last(place, "verdict.given"))
    append(place, last(place, "receipt.issued"))
    assert place.statuses()["G001"] == "ready"
    (row,) = [one for one in place.ask("verify", code=1)["receipts"] if one["subject"] == "G001"]
    assert [one["code"] for one in row["problems"]] == ["replayed"]


@requirement("R082")
def test_what_another_key_signed_completes_nothing(tmp_path: Path):
    """The same words under a key of the agent's own: the judge's key alone counts."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    place.typed("block", "G001", "--needs", "agent", "--why", "not yet")
    place.run("unblock", "G001", env=AGENT)
    other = keys.judge(tmp_path / "other")
    verdict, receipt = last(place, "verdict.given"), last(place, "receipt.issued")
    signed = dsse.sign(encode(verdict["data"]["verdict"]), other, kind=dsse.VERDICT)
    verdict["data"]["envelope"] = keep(place, signed)
    append(place, verdict)
    seq = lines(place)[-1]["seq"]
    said_ = statement.decoded(dsse.opened(envelope(place, "G001")).payload)
    judged = said_.predicate.verdict.but(seq=seq)
    fresh = said_._replace(predicate=said_.predicate.but(verdict=judged))
    receipt["data"]["receipt"]["verdict"] = seq
    receipt["data"]["receipt"]["envelope"] = keep(place, dsse.sign(statement.encoded(fresh), other))
    append(place, receipt)
    assert place.statuses()["G001"] == "ready"


@requirement("R083", "R084", "R085")
def test_only_what_concerns_a_goal_makes_its_receipt_stale(tmp_path: Path):
    """Notes and other goals leave it fresh; a goal added stales the plan's; a blocker its own."""
    place = proven(begun(tmp_path))
    place.run("steer", "note", "looked again", *STEER, env=AGENT)
    assert place.ask("status")["plan"]["status"] == "done"
    place.run("steer", "add", "--title", "More", "--objective", "more", *STEER, env=AGENT)
    assert place.statuses() == {"G001": "done", "G002": "done", "G003": "ready"}
    assert place.ask("status")["plan"]["status"] == "active"
    place.run("block", "G003", "--needs", "human", "--why", "which?", env=AGENT)
    assert place.statuses()["G001"] == "done"
    place.run("block", "G001", "--needs", "human", "--why", "which?", code=3, env=AGENT)
    assert place.statuses()["G001"] == "done"
    place.typed("block", "G001", "--needs", "human", "--why", "which?")
    assert place.statuses() == {"G001": "waiting", "G002": "done", "G003": "waiting"}
    place.typed("unblock", "G001")
    assert place.statuses()["G001"] == "ready"


@requirement("R083")
def test_a_proven_goal_is_proven_anew_at_another_tree_and_a_failure_takes_it_back(tmp_path: Path):
    """Claiming it again needs no attempt; at the same commit it is told again."""
    place = proven(begun(tmp_path))
    assert "G002 is proven already" in said(place, "G002", 0).out
    place.commit("greet.sh", "echo fine day\n")
    again = claim(place, "G002")
    assert again["outcome"] == "pass"
    assert again["plan_receipt"]
    assert place.run("verify").code == 0
    place.commit("greet.sh", "echo\n")
    assert claim(place, "G001", 1)["findings"][0]["code"] == "output-lacks"
    assert place.statuses() == {"G001": "ready", "G002": "done"}
    assert place.ask("status")["plan"]["status"] == "active"


@requirement("R082")
def test_a_waiver_is_a_person_s_and_stands_large(tmp_path: Path):
    """An agent is refused; at a terminal it holds, and claim, receipt and verify all say so."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n- [ ] {BYE}\n")
    place.commit("greet.sh", "echo good day\n")
    assert claim(place, "G001", 1)["outcome"] == "fail"
    waive = ("waive", "G001.C2", "--reason", "the door is shut")
    for env in (AGENT, {}):
        failed = place.ask(*waive, code=3, env=env)
        assert failed["error"]["reasons"][0]["code"] == "not-a-person"
    assert "WAIVED G001.C2: the door is shut" in place.typed(*waive).out
    told = said(place, "G001", 0).out
    assert "WAIVED G001.C2" in told
    assert "1 of 2 hold" in told
    shown = place.run("receipt", "G001").out
    assert shown.index("1 WAIVED, not proven") < shown.index("1 of 2 checks passed")
    assert "by ada: the door is shut" in shown
    assert "WITHOUT G001.C2: waived" in place.run("verify").out


def replanned(place: Place, brief: str) -> dict:
    """The edited brief, planned and sealed at a terminal; what the new line says."""
    place.commit("BRIEF.md", brief)
    place.run("plan", "BRIEF.md", env=AGENT)
    assert "[sealed-already]" in place.run("seal", "--yes", code=3).err
    done = place.typed("seal", answer="y")
    assert done.code == 0, done.out
    return last(place, "plan.sealed")["data"]


@requirement("R083")
def test_planning_again_proves_only_what_changed_on_the_base_it_began_with(tmp_path: Path):
    """A goal that is as it was keeps its receipt, also for who verifies, and is not run again."""
    place = begun(tmp_path)
    before = last(place, "plan.sealed")["data"]
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    after = replanned(place, BRIEF.replace('"bye"', '"bye bye"'))
    assert after["base"] == before["base"]
    assert after["ground"]["baselines"][0] == before["ground"]["baselines"][0]
    assert after["ground"]["baselines"][1]["criterion"] == "G002.C2"
    assert place.statuses() == {"G001": "done", "G002": "ready"}
    place.commit("part.sh", "echo bye bye\n")
    claim(place, "G002")
    assert place.ask("verify")["missing"] == []


@requirement("R083")
def test_a_goal_that_was_sealed_anew_with_another_criterion_has_to_be_proven_again(tmp_path: Path):
    """Its receipt is of an older plan, at the very tree it was made for."""
    place = begun(tmp_path)
    place.write("greet.sh", "echo good day\n")
    place.commit("part.sh", "echo bye\n")
    place.git("commit", "-qam", "both")
    claim(place, "G001")
    replanned(place, BRIEF.replace('"day"', '"good day"'))
    assert place.statuses() == {"G001": "ready", "G002": "ready"}
    claim(place, "G002")
    rows = {one["subject"]: one for one in place.ask("verify", code=1)["receipts"]}
    assert "older-plan" in [one["code"] for one in rows["G001"]["problems"]]
    assert rows["G002"]["holds"]


@requirement("R151")
def test_a_look_is_told_again_only_while_the_declared_paths_are_unchanged(tmp_path: Path):
    """A claim runs everything all the same; without declared paths any change asks anew."""
    brief = f"{APART}\n@goal: All\n- [ ] `sh all.sh`\n"
    place = begun(tmp_path, brief, greet__say="echo\n", part__say="echo\n", all="exit 1\n")

    def again() -> list[bool]:
        return [row.get("cached", False) for row in place.ask("check", code=1)["findings"]]

    assert again() == [False, False, False]
    place.commit("part/say.sh", "echo bye\n")
    assert again() == [True, False, False]
    assert again() == [True, True, True]
    assert [row.get("cached", False) for row in claim(place, "G002")["findings"]] == [False]


@requirement("R113")
def test_the_work_may_not_bring_commands_that_run_before_its_checks(tmp_path: Path):
    """How a tree is furnished is the base's to say; a `before` the agent commits is not run."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n")
    mend = f'[["sed", "-i", "s/hi/good day/", "{place.folder}/greet.sh"]]'
    place.commit("forsooth.toml", f"[environment]\nbefore = {mend}\n")
    place.commit("greet.sh", "echo hi there\n")
    assert claim(place, "G001", 1)["outcome"] == "fail"
    place.commit("greet.sh", "echo good day\n")
    assert claim(place, "G001")["outcome"] == "pass"


@requirement("R086")
def test_what_was_waived_in_one_goal_stays_waived_in_the_plan_s_receipt(tmp_path: Path):
    """The last goal's claim runs the others' criteria again, and a person's word still counts."""
    brief = f'@goal: Greet\n- [ ] {HELLO}\n- [ ] `sh greet.sh` stdout has "never"\n'
    place = begun(tmp_path, f"{brief}\n@goal: Part\n- [ ] {BYE}\n")
    place.typed("waive", "G001.C2", "--reason", "not today")
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    place.commit("part.sh", "echo bye\n")
    assert claim(place, "G002")["plan_receipt"]
