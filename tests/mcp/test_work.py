"""Long work: told as it goes, never in the way of other calls, and ended when nobody wants it."""

from __future__ import annotations

import os
import signal

import pytest

from tests.e2e.place import Place
from tests.e2e.proving import begun
from tests.mcp.wire import OLD, Wire
from tests.processes import running, until

SLEEP = ("sleep", str(1000 + os.getpid()))
SLOW = '@goal: Greet\n- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A goal whose check would take minutes, and an attempt at it."""
    place = begun(tmp_path_factory.mktemp("slow"), SLOW, greet="echo hi\n")
    place.commit("greet.sh", f"{' '.join(SLEEP)}\necho good day\n")
    return place


def is_slow() -> bool:
    """Whether the slow script of this very test process still runs."""
    return bool(running(*SLEEP))


def test_other_calls_are_answered_meanwhile_and_a_cancelled_claim_ends_and_can_be_made_again(
    slow: Place,
):
    """The loop is never blocked; cancelling ends the very processes; the goal is no dead end."""
    with Wire(slow) as wire:
        token = wire.data("next")["token"]
        claim = {"name": "done", "arguments": {"goal": "G001", "token": token}}
        id_ = wire.post("tools/call", claim)
        until(is_slow)
        assert wire.data("status")["plan"]["status"] == "active"
        wire.send({"method": "notifications/cancelled", "params": {"requestId": id_}})
        until(lambda: not is_slow(), seconds=15)
        slow.commit("greet.sh", "echo good day\n")
        while "error" in (answer := wire.ask("tools/call", claim)):
            assert answer["id"] == id_  # the cancelled request may still be answered
        assert answer["result"]["structuredContent"]["outcome"] == "pass"
    assert slow.kinds().count("attempt.submitted") == 2


def test_a_server_that_is_killed_takes_its_work_with_it(slow: Place):
    """A client that is gone wants nothing any more."""
    slow.commit("greet.sh", f"{' '.join(SLEEP)}\necho a good day\n")
    wire = Wire(slow)
    wire.post("tools/call", {"name": "check", "arguments": {"goal": "G001"}})
    until(is_slow)
    os.kill(wire.process.pid, signal.SIGKILL)
    until(lambda: not is_slow(), seconds=15)
    wire.close()


def test_what_the_judge_finds_is_told_as_it_finds_it(sealed: Place):
    """Progress comes against the client's own token, one step a finding."""
    with Wire(sealed, era=OLD) as wire:
        assert wire.data("check")["outcome"] == "fail"
        steps = [row["params"] for row in wire.told if row["method"] == "notifications/progress"]
    assert [step["progress"] for step in steps] == [1, 2]
    assert {step["progressToken"] for step in steps} == {"p"}
    assert {step["message"] for step in steps} == {"G001.C1 fail", "G002.C1 fail"}
