"""What sessions are told when they begin and after a prompt, and how a typed seal is passed on."""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import sys
import time
from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.core.outline import draft_text
from forsooth.core.verdict import Finding
from forsooth.hooks.board import Unreadable
from forsooth.hooks.hosts import Event
from forsooth.hooks.sessions import SECONDS, TRIES, Session, Sessions
from tests.hooks.stage import EDIT, NEXT, Stage
from tests.ledger.plans import DIGEST, JUDGE, PERSON, TREE, a_plan
from tests.requirements import requirement

ARTICLE = "G001.C1"


@pytest.mark.parametrize("source", ["startup", "resume", "compact"])
def test_the_plan_comes_back_when_a_session_begins_resumes_or_was_compacted(source, stage: Stage):
    """The goal, what is missing and the next command, the same every time."""
    stage.sealed()
    told = stage.ask("session_start", source=source).context
    assert "0 of 2 goals proven" in told
    assert "Goal G001: goal 1." in told
    assert ARTICLE in told
    assert "Next: forsooth next" in told
    assert len(told) <= 600
    assert told == stage.ask("session_start", source="compact").context


@requirement("R156")
def test_the_last_ten_checks_come_back_after_a_compaction(stage: Stage):
    """Every check leaves a crumb; older ones are gone."""
    book = stage.sealed(attempts=50, stuck=50)
    for _ in range(4):
        book.judged("G001", "fail")
        book.judged("G002", "fail")
    for n in range(3):
        finding = Finding(criterion="G002.C1", outcome="pass", code="pass", evidence=(DIGEST,))
        book.ask(do.Record(finding=finding, tree=TREE), JUDGE, id_=f"look-{n}")
    told = stage.ask("session_start", source="compact").context
    crumbs = told.partition("Last checks: ")[2].rstrip(".").split(", ")
    assert len(crumbs) == 10
    assert crumbs[0] == "G002.C1 fail"
    assert crumbs[-3:] == ["G002.C1 pass"] * 3


def test_a_plan_that_is_over_and_a_repository_without_one_say_nothing(stage: Stage):
    """What is finished is not carried along."""
    assert stage.ask("session_start").context == ""
    stage.sealed().ask(do.Drop(), PERSON)
    assert stage.ask("session_start").context == ""


def test_a_session_that_was_armed_stays_so_when_it_resumes(stage: Stage):
    """Its holds are counted on."""
    stage.sealed()
    stage.prompt("ulw")
    stage.stop()
    stage.ask("session_start", source="resume")
    assert stage.session().holds == 1


@requirement("R180")
def test_a_prompt_without_a_word_for_us_is_answered_with_nothing(stage: Stage):
    """And nothing is written for a session that was never armed."""
    stage.sealed()
    assert stage.prompt("what does the parser do?") == ""
    assert stage.session() is None


@requirement("R179")
def test_a_keyword_arms_the_session_and_tells_the_agent_where_the_plan_stands(stage: Stage):
    """With how it ends."""
    stage.sealed()
    told = stage.prompt("ulw")
    assert "done means proven" in told
    assert "Next: forsooth next" in told
    assert "/forsooth:stop" in told
    assert stage.session().armed


def test_a_keyword_without_a_plan_says_how_to_come_by_one(stage: Stage):
    """The agent proposes, the person seals; a finished plan is as none."""
    told = stage.prompt("ultrawork: add an export")
    assert "`plan`" in told
    assert "type `seal`" in told
    stage.sealed().ask(do.Drop(), PERSON)
    assert "There is no plan" in stage.prompt("/forsooth:go add an export")


def test_a_keyword_beside_a_draft_asks_for_the_person_s_seal(stage: Stage):
    """And a paused plan says who resumes it."""
    book = stage.draft()
    assert "type `seal`" in stage.prompt("ulw")
    book.ask(do.Seal(digest=a_plan(2).digest), PERSON)
    book.ask(do.Pause(), PERSON)
    assert stage.prompt("ulw").endswith("Next: forsooth resume")


RECORDER = """\
#!{python}
import json, os, sys
told = {{"argv": sys.argv[1:], "cwd": os.getcwd(), "leads": os.getsid(0) == os.getpid()}}
print(json.dumps(told))
"""


def children() -> set[int]:
    """The processes that this one started and has not waited for."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(child) for path in lists for child in path.read_text().split()}


@pytest.fixture
def started(tmp_path, monkeypatch):
    """An interpreter that only says how it was called; none when nobody called it."""
    recorder = tmp_path / "python"
    recorder.write_text(RECORDER.format(python=sys.executable))
    recorder.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(recorder))
    monkeypatch.chdir(tmp_path)

    known = children()  # of other tests in this process

    def said(stage: Stage) -> dict[str, object] | None:
        mine = children() - known
        for child in mine:
            os.waitpid(child, 0)
        if not mine:
            return None
        return json.loads((stage.state / "sessions/s1.sealing").read_text())

    return said


def seal(stage: Stage, prompt: str = "seal") -> str:
    """What the person is shown for a prompt that seals nothing yet."""
    return stage.ask("prompt", prompt=prompt).refusal


def named(shown: str) -> str:
    """The words that a person is told to type for what they were shown."""
    return shown.rpartition("type: ")[2]


def test_a_typed_seal_shows_the_draft_and_the_name_that_a_second_one_gives(stage: Stage, started):
    """The person reads the draft itself, not what an agent says of it; nothing is sealed yet."""
    stage.draft()
    shown = seal(stage)
    assert draft_text(a_plan(2), None) in shown
    says = "Nothing is sealed yet. To seal exactly this plan, type: seal [0-9a-f]{8}"
    assert re.search(f"{says}$", shown)
    assert started(stage) is None
    assert not stage.session().armed


def test_a_name_seals_only_the_draft_that_was_shown_in_that_session(stage: Stage, started):
    """Another draft, another session, another or no whole name: what waits now is shown instead."""
    book = stage.draft()
    assert "was not shown here before" in seal(stage, f"seal {a_plan(2).digest[:8]}")
    assert "was not shown here before" in seal(stage, named(seal(stage))[:-1])
    words = named(seal(stage))
    assert stage.ask("prompt", session="s2", prompt=words).refusal
    book.ask(do.Create(plan=a_plan(3)))
    shown = seal(stage, words)
    assert draft_text(a_plan(3), None) in shown
    assert started(stage) is None
    assert "is being sealed" in stage.prompt(f"/forsooth:{named(shown)}")


def test_a_text_that_was_put_in_the_drafts_place_while_it_was_shown_seals_nothing(
    stage: Stage, started
):
    """What the person read is not the draft, and what waits when they type its name is not that."""
    stage.draft()
    now = stage.place / "now.json"
    true = now.read_text()
    kept = json.loads(true)
    now.write_text(json.dumps({**kept, "draft": f"{kept['draft']} and nothing else"}))
    words = named(seal(stage))
    now.write_text(true)
    assert "was not shown here before" in seal(stage, words)
    assert started(stage) is None


def test_a_draft_too_long_to_be_shown_is_sealed_in_a_terminal(stage: Stage, started):
    """What the person cannot see whole they cannot approve there."""
    goals = tuple(goal.but(title=f"{goal.title} {'x' * 9000}") for goal in a_plan(2).goals)
    stage.draft().ask(do.Create(plan=a_plan(2).but(goals=goals)))
    assert "`forsooth seal` in a terminal" in seal(stage)
    assert "`forsooth seal` in a terminal" in seal(stage, "seal 0000")
    assert started(stage) is None


def test_a_typed_seal_leaves_an_approval_of_exactly_that_draft(stage: Stage, started):
    """For its owner alone, and the program that seals is started apart from the host."""
    stage.draft()
    assert "is being sealed" in stage.prompt(named(seal(stage)))
    path = stage.state / "sessions/s1.approval.json"
    told = json.loads(path.read_text())
    assert (told["plan"], told["proposal"]) == ("plan", a_plan(2).digest)
    assert told["shown"] == draft_text(a_plan(2), None)
    assert len(told["nonce"]) == 32
    assert told["at"].endswith("Z")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert started(stage) == {
        "argv": ["-I", "-m", "forsooth", "seal", "--approved", "s1"],
        "cwd": str(stage.folder),
        "leads": True,
    }
    assert stage.session().armed


def test_the_word_seal_is_talk_where_nothing_waits_for_one(stage: Stage, started):
    """A sealed plan, or none: it opens a conversation like any other prompt."""
    assert stage.prompt("seal") == ""
    stage.sealed()
    stage.prompt("ulw")
    assert stage.prompt("seal") == ""
    assert stage.stop() == ""
    assert started(stage) is None


@pytest.mark.parametrize(
    "payload",
    [
        {"prompt": "seal", "agent_id": "a1"},
        {"prompt": "<task-notification>\n<result>ulw</result>\n</task-notification>"},
    ],
)
def test_a_prompt_that_no_person_typed_is_nobody_s_word(stage: Stage, started, payload):
    """Hosts also prompt agents that agents started, and tell of tasks that are over."""
    stage.draft()
    stage.ask("prompt", **payload)
    assert started(stage) is None
    assert stage.session() is None


@pytest.mark.parametrize(
    "payload",
    [
        {"prompt": "look around", "agent_id": "a1"},
        {"prompt": "<task-notification>\n<result>found</result>\n</task-notification>"},
    ],
)
def test_a_prompt_that_no_person_typed_opens_no_conversation(stage: Stage, payload):
    """The turn is held as it was: an agent cannot let itself go by starting another."""
    stage.sealed()
    stage.prompt("ulw")
    stage.ask("prompt", **payload)
    assert stage.stop()


def test_a_seal_is_read_behind_our_own_context(stage: Stage, started):
    """Gemini puts what a session was told at its start in front of the first prompt."""
    stage.draft()
    assert "type: seal " in seal(stage, "<hook_context>a plan</hook_context>\n\nseal")
    assert started


def test_a_keyword_is_read_between_the_quotes_of_a_host(stage: Stage):
    """`opencode run` puts a prompt of several words between quotes."""
    stage.sealed()
    assert stage.prompt('"ulw go"') == "", "a quotation elsewhere"
    stage.host = "opencode"
    assert "done means proven" in stage.prompt('"ulw go"')


@pytest.mark.parametrize(
    "call",
    [
        ("CronCreate", {"cron": "* * * * *", "prompt": "Seal"}),
        ("ScheduleWakeup", {"delaySeconds": 60, "prompt": "/forsooth:stop"}),
        ("task", {"subagent_type": "general", "description": "go on", "prompt": "seal"}),
        ("multi_agent_v1send_input", {"target": "t", "items": [{"text": "\nforsooth seal"}]}),
    ],
)
def test_a_model_may_not_have_its_host_type_a_person_s_word(stage: Stage, call):
    """A prompt that comes later, or into the running turn, looks as if it was typed."""
    stage.draft()
    name, given = call
    assert "only the person" in stage.ask("pre_tool", tool_name=name, tool_input=given).refusal
    harmless = {**given, "prompt": "look again", "items": []}
    assert stage.ask("pre_tool", tool_name=name, tool_input=harmless).refusal == ""


def test_fences_hold_while_the_answers_cannot_be_read(stage: Stage):
    """What is never allowed does not depend on a plan; the rest is let through."""
    stage.sealed()
    stage.prompt("ulw")
    (stage.place / "now.json").write_text("{")
    ours = {"file_path": str(stage.place / "ledger.jsonl")}
    assert stage.ask("pre_tool", tool_name="Write", tool_input=ours).refusal
    assert stage.ask("pre_tool", **EDIT).refusal == ""


def test_nothing_is_fenced_without_a_plan(stage: Stage):
    """And nobody is armed by a call there."""
    ours = {"file_path": str(stage.state / "plans/x/ledger.jsonl")}
    assert stage.ask("pre_tool", tool_name="Write", tool_input=ours).refusal == ""
    assert stage.ask("pre_tool", **NEXT).refusal == ""
    assert stage.session() is None


@pytest.mark.parametrize("name", ["post_tool", "subagent_stop", "compaction", "end"])
def test_other_events_are_answered_with_nothing(name, stage: Stage):
    """Nothing is asked of them."""
    stage.sealed()
    stage.prompt("ulw")
    answer = stage.ask(name)
    assert (answer.context, answer.refusal) == ("", "")


def test_unreadable_answers_are_an_error_where_they_are_needed(stage: Stage):
    """The way in makes of it that the agent goes on, and a line in the log."""
    stage.sealed()
    (stage.place / "now.json").write_text("{")
    with pytest.raises(Unreadable):
        stage.ask("session_start")


def test_a_person_s_word_ends_the_hold_before_anything_can_fail(stage: Stage):
    """A seal that finds the plan unreadable is an error, and a conversation all the same."""
    stage.sealed()
    stage.prompt("ulw")
    whole = (stage.place / "now.json").read_bytes()
    (stage.place / "now.json").write_text("{")
    with pytest.raises(Unreadable):
        stage.prompt("seal")
    (stage.place / "now.json").write_bytes(whole)
    assert stage.stop() == ""


def test_a_person_s_word_takes_the_lock_but_waits_for_nobody(stage: Stage, monkeypatch):
    """It changes the session alone where that is possible, and in any case."""
    stage.sealed()
    taken: list[bool] = []
    save = Sessions.save

    def watched(sessions: Sessions, name: str, session: Session) -> None:
        with (stage.state / "sessions/.lock").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                taken.append(False)
            except BlockingIOError:
                taken.append(True)
        save(sessions, name, session)

    monkeypatch.setattr(Sessions, "save", watched)
    stage.prompt("ulw")
    stage.prompt("what now?")
    assert taken == [True, True]
    with Sessions(str(stage.state)):
        began = time.monotonic()
        stage.prompt("ulw")
        stage.prompt("/forsooth:stop")
        assert time.monotonic() - began < TRIES * SECONDS
    assert stage.session().disabled


def test_an_event_holds_what_fences_ask_for():
    """The tool, what it is given, and where."""
    event = Event("codex", "pre_tool", {**EDIT, "cwd": "/x"})
    assert (event.tool, event.input, event.cwd) == ("Edit", {"file_path": "src/a.py"}, "/x")
