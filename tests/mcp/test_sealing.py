"""A draft from an agent, and the person's word on it that the client relays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from forsooth.mcp.worker import ARGV
from tests.e2e.place import AGENT, Place
from tests.e2e.proving import lines
from tests.mcp.wire import NEW, OLD, Wire

BRIEF = '@goal: Greet\n- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'
PERSON = {"kind": "human", "name": "ada", "channel": "elicitation"}


class Person:
    """Somebody at the client, who sees a question and answers it."""

    def __init__(self, action: str, answer: str = "") -> None:
        self.seen: list[str] = []
        self._reply: dict[str, Any] = {"action": action}
        if answer:
            self._reply["content"] = {"answer": answer}

    def __call__(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        self.seen.append(message["params"]["message"])
        return self._reply


@pytest.fixture
def draft(place: Place) -> Place:
    place.commit("greet.sh", "echo hi\n")
    return place


@pytest.mark.parametrize("era", [OLD, NEW])
def test_a_person_who_is_asked_and_says_seal_seals_what_they_saw(draft: Place, era: str):
    """The question shows every command; the seal says it came by elicitation, and work begins.

    A program that marks its own servers as it marks its agent's shell can ask all the same.
    """
    person = Person("accept", "seal")
    env = {**AGENT, "AI_AGENT": "claude-code_2-1-325_harness"} if era == OLD else {}
    with Wire(draft, era=era, reply=person, env=env) as wire:
        told = wire.data("plan", brief=BRIEF, ask=True)
        assert (told["channel"], told["approved"]) == ("elicitation", "elicitation")
        assert wire.data("next")["token"]
    assert len(person.seen) == 1
    assert "`sh greet.sh` exits 0" in person.seen[0]
    assert "loosens" not in person.seen[0]
    assert "Its commands will be run" in person.seen[0]
    created, sealed, opened = lines(draft)
    assert (
        created["by"]
        == opened["by"]
        == {
            "kind": "agent",
            "name": "claude-code",
            "channel": "mcp",
        }
    )
    assert sealed["by"] == {"kind": "human", "name": "ada", "channel": "elicitation"}
    assert sealed["data"]["ground"]["baselines"]


@pytest.mark.parametrize(
    "person",
    [Person("decline"), Person("cancel"), Person("accept", "not yet"), Person("accept")],
    ids=["declined", "cancelled", "not yet", "no answer"],
)
def test_anything_but_the_word_leaves_a_draft(draft: Place, person: Person):
    """Closing a question is no seal, and neither is accepting an empty form."""
    with Wire(draft, reply=person) as wire:
        result = wire.call("plan", brief=BRIEF, ask=True)
        assert "did not seal it" in result["content"][0]["text"]
        assert wire.data("status")["plan"]["status"] == "draft"
    assert draft.kinds() == ["plan.created"]


def test_where_nobody_can_be_asked_the_agent_is_told_to_show_it(draft: Place):
    """A client that cannot ask, and a server that an agent's own shell started, never seal."""
    ask = "Show this to the person. They edit it, or type `seal`."
    with Wire(draft) as wire:
        assert wire.call("plan", brief=BRIEF, ask=True)["content"][0]["text"].endswith(ask)
    person = Person("accept", "seal")
    shell = {**AGENT, "AI_AGENT": "claude-code_2-1-325_agent"}
    with Wire(draft, reply=person, env=shell) as wire:
        assert wire.call("plan", brief=BRIEF, ask=True)["content"][0]["text"].endswith(ask)
        codes, text = wire.refused("plan", brief="@goal: Greet\n- [ ] nice\n- [ ] good\n", ask=True)
        assert codes == ["bad-brief"]
        assert "line 2" in text
        assert "line 3" in text
    assert person.seen == []
    assert draft.kinds() == ["plan.created"]


def test_a_person_s_answer_is_about_one_draft_alone(draft: Place):
    """In the newer era the reply comes with a second call, which cannot bring another brief."""
    person = Person("accept", "seal")
    other = BRIEF.replace("day", "hi")
    with Wire(draft, era=NEW, reply=person) as wire:
        asked = {"name": "plan", "arguments": {"brief": BRIEF, "ask": True}}
        result = wire.request("tools/call", asked)
        reply = {"seal": person(result["inputRequests"]["seal"])}
        swapped = {**asked, "arguments": {"brief": other, "ask": True}, "inputResponses": reply}
        state = {"requestState": result["requestState"]}
        assert "error" in wire.ask("tools/call", {**swapped, **state})
        assert "error" in wire.ask("tools/call", {**swapped, "requestState": "forged"})
        again = wire.request("tools/call", swapped)
        assert again["resultType"] == "input_required"
    assert "plan.sealed" not in draft.kinds()


def test_a_draft_that_would_replace_a_sealed_plan_is_shown_whole_and_with_what_it_loosens(
    draft: Place,
):
    """Whoever is asked sees every criterion that is left, and every one that is not."""
    person = Person("accept", "seal")
    more = f'{BRIEF}- [ ] it parts: `sh part.sh` exits 0, stdout has "bye"\n'
    with Wire(draft, reply=person) as wire:
        wire.data("plan", brief=more, ask=True)
        assert wire.data("plan", brief=BRIEF, ask=True)["approved"] == "elicitation"
    question = person.seen[-1]
    assert "G001.C1 greet says day" in question.partition("changes:")[0]
    assert "part.sh" in question.partition("changes:")[2]
    assert "← loosens" in question


def test_a_person_who_is_asked_sees_what_the_command_line_would_warn_of(draft: Place):
    """Goals that cannot both be proven, one that nothing proves, and that nothing is hidden."""
    brief = BRIEF + "\n@goal: Fail\n- [ ] `sh greet.sh` exits 3\n\n@goal: Tidy\nTidy it.\n"
    person = Person("accept", "later")
    with Wire(draft, reply=person) as wire:
        text = wire.call("plan", brief=brief, ask=True)["content"][0]["text"]
    shown = draft.run("seal", "--yes").out
    (question,) = person.seen
    for says in ("G001.C1 and G002.C1 cannot both hold", "G003 cannot be proven", "no hidden"):
        (line,) = [line for line in shown.splitlines() if says in line]
        assert line in question
        assert line in text


def test_a_draft_beside_the_plan_that_is_meant_is_sealed_by_its_name(draft: Place):
    """A typed `seal` would be about the other plan, so the person is told what to run."""
    with Wire(draft) as wire:
        wire.data("plan", brief=BRIEF)
        draft.run("seal", "--yes")
        asked: dict[str, Any] = {"new": True}
        for _ in range(2):  # a new draft, and the same once more
            told = wire.call("plan", brief=BRIEF.replace("Greet", "Part"), **asked)
            plan = told["structuredContent"]["plan"]["id"]
            asked, text = {"plan": plan}, told["content"][0]["text"]
            assert text.endswith(f"or run `forsooth seal --plan {plan}` in a terminal.")
            assert "type `seal`" not in text


@pytest.mark.parametrize(
    "env",
    [AGENT, {**AGENT, "AI_AGENT": "x_harness"}, {}],
    ids=["an agent's shell", "as if by the program around it", "unmarked"],
)
@pytest.mark.parametrize(
    "fields", [{"client": "x"}, {"actor": PERSON}], ids=["as now", "as before"]
)
def test_a_worker_takes_nobody_s_word_for_a_person_s(
    draft: Place, env: Mapping[str, str], fields: Mapping[str, Any]
):
    """Whoever starts it by hand is not the server that asked, and no field says who acts."""
    draft.run("plan", "--text", BRIEF, env=AGENT)
    (plan,) = draft.plans
    proposal = json.loads((plan / "now.json").read_text())["proposal"]
    asked = {
        "act": "seal",
        "given": {"plan": plan.name, "proposal": proposal},
        "folder": str(draft.folder),
        **fields,
    }
    with subprocess.Popen(
        [sys.executable, *ARGV[1:]],
        cwd=draft.folder,
        env=draft.environment(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(json.dumps(asked).encode() + b"\n")
        worker.stdin.flush()
        told = [one for one in map(json.loads, worker.stdout) if "says" not in one]
    assert all(one["failed"] for one in told)
    assert bool(told) is ("client" in fields)
    assert "plan.sealed" not in draft.kinds()
    for one in told:
        assert [row["code"] for row in one["data"]["error"]["reasons"]] == ["not-a-person"]
