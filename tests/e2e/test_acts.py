"""What only a person may say counts in the home where it was said; what was proven stays proven."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from typing import Any

from tests.e2e.place import GROUNDS, Place
from tests.e2e.proving import BRIEF, BYE, HELLO, append, begun, claim, lines, said
from tests.requirements import requirement

PERSON = {"kind": "human", "name": "ada", "channel": "terminal"}
WAIVE = ("waive", "G001.C2", "--reason", "not today")
BOTH = f"@goal: Greet\n- [ ] {HELLO}\n- [ ] {BYE}\n"


def elsewhere(place: Place) -> dict[str, str]:
    """The home of somebody else who can write to the repository."""
    home = place.home.parent / "elsewhere"
    home.mkdir(exist_ok=True)
    return {"HOME": str(home)}


def forge(place: Place, kind: str, data: dict[str, Any]) -> None:
    """Write down that a person did something."""
    last = lines(place)[-1]
    append(place, {"v": 1, "at": last["at"], "by": PERSON, "kind": kind, "data": data})


def half(tmp_path: Path) -> Place:
    """A goal of two criteria, one of which is met."""
    place = begun(tmp_path, BOTH)
    place.commit("greet.sh", "echo good day\n")
    return place


def unheard(told: dict[str, Any]) -> list[str]:
    return [one["says"] for one in told["unheard"]]


@requirement("R082")
def test_a_waiver_that_was_only_written_down_proves_nothing(tmp_path: Path):
    """The claim, the status and verify say that it does not count and what would."""
    place = half(tmp_path)
    waiver = {"by": "a person", "reason": "flaky"}
    forge(place, "waiver.granted", {"criterion": "G001.C2", "goal": "G001", "waiver": waiver})
    told = claim(place, "G001", 1)
    assert (told["outcome"], told["receipt"]) == ("fail", None)
    says = ["the waiver of G001.C2 was not given in this home, and does not count"]
    assert unheard(told) == unheard(place.ask("status")) == says
    assert told["unheard"][0]["code"] == "not-heard-here"
    for answer in (said(place, "G001"), place.run("status")):
        assert says[0] in answer.out
        assert 'try: forsooth waive G001.C2 --reason "…"' in answer.out
    assert place.typed(*WAIVE).code == 0
    told = claim(place, "G001")
    assert (told["outcome"], unheard(told)) == ("pass", [])
    assert unheard(place.ask("verify")) == unheard(place.ask("status")) == []


@requirement("R082")
def test_a_waiver_typed_in_another_home_counts_in_that_one_alone(tmp_path: Path):
    """At a terminal of its own an agent is no person of this home; commands there still work."""
    place = half(tmp_path)
    away = elsewhere(place)
    assert place.typed(*WAIVE, env=away).code == 0
    assert place.run("check", "G001", env=away, code=None).code in (1, 5)
    assert place.run("steer", "note", "seen", *GROUNDS, env=away).code == 0
    told = claim(place, "G001", 1)
    assert [one["outcome"] for one in told["findings"]] == ["pass", "fail"]
    assert len(unheard(told)) == len(unheard(place.ask("status"))) == 1
    assert place.typed(*WAIVE).code == 0
    assert unheard(place.ask("status")) == []
    assert claim(place, "G001")["outcome"] == "pass"


@requirement("R082")
def test_an_approval_that_was_only_written_down_approves_nothing(tmp_path: Path):
    """A person has yet to agree."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n- [ ] a person agrees: it reads well\n")
    place.commit("greet.sh", "echo good day\n")
    agreed = {"approves": True, "criterion": "G001.C2", "digest": "a" * 64, "goal": "G001"}
    forge(place, "evidence.added", {**agreed, "observed_by": "human"})
    told = claim(place, "G001", 5)
    assert [one["code"] for one in told["findings"]] == ["pass", "awaiting-approval"]
    says = "the approval of G001.C2 was not given in this home, and does not count"
    assert unheard(told) == [says]


@requirement("R082")
def test_a_goal_set_aside_by_a_written_person_keeps_the_plan_unproven(tmp_path: Path):
    """The other goal is proven, the plan is not; said here by a person, it is."""
    place = begun(tmp_path, BRIEF)
    place.run("block", "G001", "--needs", "human", "--why", "unclear")
    place.run("steer", "supersede", "G001", *GROUNDS)
    forge(place, "plan.amended", lines(place)[-1]["data"])
    place.commit("part.sh", "echo bye\n")
    told = claim(place, "G002")
    assert (told["receipt"] is None, told["plan_receipt"]) == (False, None)
    says = "that G001 may be set aside was not said in this home, and does not count"
    assert unheard(told) == unheard(place.ask("verify", code=1)) == [says]
    assert says in place.run("verify", code=1).out
    assert place.typed("steer", "supersede", "G001", *GROUNDS).code == 0
    told = claim(place, "G002")
    assert (told["again"], bool(told["plan_receipt"])) == (True, True)
    assert unheard(told) == []


@requirement("R082")
def test_a_plan_sealed_elsewhere_is_read_before_it_is_agreed_to(tmp_path: Path):
    """Also a seal that names this home: nobody gave it here. Sealed here, it goes on."""
    place = begun(tmp_path, BRIEF)
    place.commit("greet.sh", "echo good day\n")
    drafted, sealed = lines(place)[:2]
    forge(place, "plan.created", drafted["data"])
    forge(place, "plan.sealed", sealed["data"])
    (reason,) = claim(place, "G001", 3)["error"]["reasons"]
    assert reason["code"] == "other-home"
    assert "not sealed in this home" in reason["says"]
    assert reason["hint"].index("forsooth status") < reason["hint"].index("forsooth seal")
    assert unheard(place.ask("status")) == [reason["says"]]
    assert place.ask("plan", "BRIEF.md")["same"] is False
    assert place.typed("seal", answer="y").code == 0
    assert claim(place, "G001")["outcome"] == "pass"


@requirement("R082")
def test_a_goal_that_is_proven_is_told_again_and_not_judged_again(tmp_path: Path):
    """The same receipt, no new line; on another commit it is judged anew."""
    place = begun(tmp_path, BRIEF)
    place.commit("greet.sh", "echo good day\n")
    first = claim(place, "G001")
    count = len(lines(place))
    again = claim(place, "G001")
    assert (first["again"], again["again"]) == (False, True)
    same = ("outcome", "receipt", "findings", "tree", "environment")
    assert [again[name] for name in same] == [first[name] for name in same]
    assert "G001 is proven already: 1 of 1 hold" in said(place, "G001", 0).out
    assert len(lines(place)) == count
    place.commit("part.sh", "echo bye\n")
    assert claim(place, "G002")["plan_receipt"]
    assert claim(place, "G002")["plan_receipt"]
    place.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert claim(place, "G002")["again"] is False
    assert len(lines(place)) > count
    place.typed("stop")
    assert claim(place, "G002", 3)["error"]["code"] == "refused"


@requirement("R082")
def test_a_part_that_asks_nothing_is_refused_in_words(tmp_path: Path):
    """What a split left without a criterion cannot be proven, and the next command is said."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n")
    parts = ("--piece", "Prepare", "notes", "--piece", "Do", "it")
    place.run("steer", "split", "G001", *parts, *GROUNDS)
    place.commit("greet.sh", "echo good day\n")
    assert claim(place, "G003")["outcome"] == "pass"
    (reason,) = claim(place, "G002", 3)["error"]["reasons"]
    assert reason["code"] == "no-criteria"
    assert reason["hint"].startswith("forsooth block G002 --needs human")
    assert place.run("why", "no-criteria").code == 0


@requirement("R035")
def test_a_pipe_in_the_place_of_a_file_is_never_waited_for(tmp_path: Path):
    """The ledger is an error at once; what else is one is as good as missing."""
    place = begun(tmp_path, BRIEF)
    token = place.ask("next")["token"]
    for path in (place.ledger.parent / "tokens").iterdir():
        path.unlink()
        os.mkfifo(path)
    for name in ("now.json", "sealing.json", "judging", "G001.claim"):
        (place.ledger.parent / name).unlink(missing_ok=True)
        os.mkfifo(place.ledger.parent / name)
    assert place.ask("next")["token"] is None
    place.commit("greet.sh", "echo good day\n")
    place.run("done", "G001", "--token", token)
    place.ledger.unlink()
    os.mkfifo(place.ledger)
    for argv in (("status",), ("done", "G002"), ("next",)):
        assert "not a regular file" in place.run(*argv, code=None).err
        assert place.run(*argv, code=None).code in (2, 4, 5)


@requirement("R035")
def test_a_lock_somebody_holds_is_spoken_of(tmp_path: Path):
    """After two seconds; the command then goes on."""
    place = begun(tmp_path, BRIEF)
    with place.ledger.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        threading.Timer(4.0, fcntl.flock, (held, fcntl.LOCK_UN)).start()
        told = place.run("next")
    assert "forsooth: waiting for the ledger, which another process has locked" in told.err
