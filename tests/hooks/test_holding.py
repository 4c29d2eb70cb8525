"""The stop discipline: who is held, when, how often, and who never is."""

from __future__ import annotations

import os

import pytest

from forsooth.core import command as do
from forsooth.hooks.board import Unreadable
from forsooth.hooks.holding import reason
from forsooth.hooks.hosts import HOSTS, spoken
from forsooth.hooks.sessions import Sessions
from tests.hooks.stage import NEXT, Stage, holding_lock
from tests.ledger.plans import PERSON, Book
from tests.requirements import requirement


@pytest.fixture
def armed(stage: Stage) -> Stage:
    """A session armed by a person's word, with work to do."""
    stage.sealed()
    stage.prompt("ulw please")
    return stage


@requirement("R181")
def test_a_false_done_is_refused_with_what_is_missing_and_the_next_command(armed):
    """The reason is short and can be acted on."""
    said = armed.stop()
    assert "G001.C1" in said
    assert "`forsooth next`" in said
    assert "`forsooth block G001 --needs human --why …`" in said
    assert len(said) <= 400


@requirement("R110")
def test_a_turn_that_ends_on_a_tool_call_is_held_until_it_is_reported(stage):
    """Work alone is no report; a blocker that needs a person is one."""
    book = stage.sealed()
    stage.prompt("ulw")
    stage.work()
    assert stage.stop()
    for goal in ("G001", "G002"):
        book.ask(do.Raise(goal=goal, needs="human", why="a key"))
    stage.work()
    assert stage.stop() == ""


def test_every_reason_differs_from_the_last(armed):
    """A model that is told the same twice does the same twice."""
    said = []
    for _ in range(6):
        said.append(armed.stop())
        armed.work()
    assert len(set(said)) == 6
    assert "hold 3 of 8" in said[2]
    assert "the last hold" in said[5]


def test_a_reason_stays_short_whatever_the_plan_says(stage):
    """A criterion of a thousand words leaves room for the next command."""
    stage.sealed(holds=1)
    stage.prompt("ulw")
    board = stage.board()
    board.read()
    session = stage.session()
    long = {"missing": "G001." + "x" * 999, "command": "y" * 999}
    said = reason(session, {**board.now, **long}, [1, 1])
    assert len(said) <= 400
    assert "yyy" in said


def test_a_plan_that_is_proven_or_paused_lets_go(armed):
    """Nothing that an agent can do is left."""
    Book(armed.plans).ask(do.Pause(), PERSON, id_="pause")
    assert armed.stop() == ""
    assert armed.log()[-1]["what"] == "let go"


@requirement("R043")
def test_what_needs_a_person_is_never_held(stage):
    """One goal blocked goes on with the other; both blocked lets go."""
    book = stage.sealed()
    stage.prompt("ulw")
    book.ask(do.Raise(goal="G001", needs="human", why="a key"))
    assert "G002" in stage.stop()
    book.ask(do.Raise(goal="G002", needs="time", why="the night"))
    stage.work()
    assert stage.stop() == ""


def test_an_obstacle_nobody_recorded_is_not_held_for_either(stage):
    """A goal that used all its attempts waits for a person, recorded or not."""
    book = stage.sealed(attempts=1)
    stage.prompt("ulw")
    for goal in ("G001", "G002"):
        book.judged(goal, "fail")
    assert stage.stop() == ""


@requirement("D8")
@pytest.mark.parametrize("flag", [True, False], ids=["flag set", "flag not set"])
def test_a_turn_is_held_again_only_when_something_moved_whatever_the_hosts_flag_says(stage, flag):
    """Talk alone ends the row; a tool that ran or a new event continues it, up to both limits."""
    book = stage.sealed(holds=4, holds_in_a_row=3)
    stage.prompt("ulw")
    assert stage.stop(stop_hook_active=flag)
    assert stage.stop(stop_hook_active=flag) == ""
    assert stage.log()[-1]["why"] == "nothing moved since the last hold"
    stage.work()
    assert stage.stop(stop_hook_active=flag)
    stage.work()
    assert stage.stop(stop_hook_active=flag)
    stage.work()
    assert stage.stop(stop_hook_active=flag) == ""
    assert stage.log()[-1]["why"] == "it was held 3 times in a row"
    book.ask(do.Note(text="tried"))
    assert stage.stop(stop_hook_active=flag)
    book.ask(do.Note(text="tried again"))
    assert stage.stop(stop_hook_active=flag) == ""
    assert stage.log()[-1]["why"] == "it was held 4 times in this session"


def test_a_person_who_arms_anew_is_served_though_nothing_moved(armed):
    """Their word begins again what the agent's silence ended; the row begins again too."""
    assert armed.stop()
    assert armed.stop() == ""
    armed.prompt("ulw, go on")
    assert armed.stop()
    assert armed.session().row == 1


def test_the_ledger_moving_counts_as_progress(stage):
    """A claim through another process is progress, though no tool was seen."""
    book = stage.sealed()
    stage.prompt("ulw")
    assert stage.stop()
    book.ask(do.Note(text="tried"))
    assert stage.stop()
    assert stage.stop() == ""


def test_what_the_ledger_records_begins_the_row_at_one(stage):
    """Three in a row are three, whatever was before them."""
    book = stage.sealed(holds=50, holds_in_a_row=3)
    stage.prompt("ulw")
    for _ in range(2):
        assert stage.stop()
        stage.work()
    book.ask(do.Note(text="tried"))
    held = []
    for _ in range(5):
        held.append(bool(stage.stop()))
        stage.work()
    assert held == [True, True, True, False, False]


@requirement("R183")
def test_a_session_is_held_eight_times_at_most(stage):
    """Progress between the holds does not change that, nor does arming anew."""
    book = stage.sealed()
    held = 0
    for n in range(20):
        stage.prompt("ulw")
        book.ask(do.Note(text=str(n)))
        held += bool(stage.stop())
    assert held == 8
    assert "held 8 times" in stage.log()[-1]["why"]


def test_a_session_is_held_six_times_in_a_row_at_most(armed):
    """Below the host's own limit; what the ledger records begins a new row."""
    held = 0
    for _ in range(20):
        armed.work()
        held += bool(armed.stop())
    assert held == 6
    Book(armed.plans).ask(do.Note(text="claimed"), id_="n1")
    assert armed.stop()


@requirement("R184")
def test_holds_are_three_seconds_apart(stage):
    """By default; an agent that comes back sooner is let go."""
    stage.sealed(cooldown=3)
    stage.prompt("ulw")
    assert stage.stop()
    stage.work()
    assert stage.stop() == ""
    stage.now += 3
    assert stage.stop()


@pytest.mark.parametrize(
    "sign",
    [
        {"background_tasks": [{"id": "b1", "status": "running"}]},
        {"background_tasks": ["b1"]},
        {"session_crons": [{"id": "c1"}]},
        {"permission_mode": "plan"},
        {"last_assistant_message": "API Error: 529 overloaded"},
        {"last_assistant_message": " Prompt is too long"},
        {"prompt_response": "[Request interrupted by user]"},
        {"stop_reason": "max_tokens"},
        {"stopReason": "user_abort"},
        {"error": "authentication_failed"},
    ],
)
def test_a_turn_that_had_to_end_or_waits_for_something_is_let_go(sign, armed):
    """Pending work, planning, no room left, an abort, a failed log-in."""
    assert armed.stop(**sign) == ""


def test_a_background_task_that_is_over_is_not_waited_for(armed):
    """Only what will wake the agent again counts."""
    assert armed.stop(background_tasks=[{"id": "b1", "status": "completed"}])


@pytest.mark.parametrize("name", ["judging", "sealing.json"])
def test_nobody_is_held_while_a_judge_or_a_seal_is_at_work(name, armed):
    """What is awaited will wake whoever waits."""
    with holding_lock(armed.place / name, program="forsooth"):
        assert armed.stop() == ""
    assert armed.stop()


@pytest.mark.skipif(not os.path.exists("/proc/locks"), reason="the kernel does not say who")  # noqa: PTH110
def test_a_lock_that_no_program_of_ours_holds_lets_nobody_go(armed):
    """Whoever is held may hold a lock as well: what counts is who judges."""
    with holding_lock(armed.place / "judging", program="sleeper"):
        assert armed.stop()


def test_a_human_prompt_always_wins(armed):
    """It opens a conversation, which is not held, until the agent takes up work in it."""
    armed.work()
    armed.prompt("what does the parser do?")
    assert armed.stop() == ""
    armed.work()
    assert armed.stop() == ""
    armed.ask("pre_tool", **NEXT)
    assert armed.stop()


def test_only_the_session_that_was_armed_is_held(armed):
    """Another one in the same repository, and one without a usable name, go free."""
    for other in ("s2", "", "../s1", ".hidden", "a" * 200, "s 1"):
        armed.work(other)
        assert armed.stop(other) == ""
    assert armed.stop("s1")


@pytest.mark.parametrize(
    "call",
    [
        NEXT,
        {"tool_name": "Bash", "tool_input": {"command": "cd x && /opt/bin/forsooth done G001"}},
        {"tool_name": "exec_command", "tool_input": {"cmd": "python -m forsooth next"}},
        {"tool_name": "mcp__plugin_forsooth_forsooth__next", "tool_input": {}},
        {"tool_name": "mcp__forsooth__done", "tool_input": {"goal": "G001"}},
        {"tool_name": "mcp_forsooth_next", "tool_input": {}},
        {"tool_name": "forsooth_done", "tool_input": {}},
    ],
)
def test_asking_for_work_or_claiming_it_arms_the_session(call, stage):
    """On a command line or through our tools, under every host's name for them."""
    stage.sealed()
    stage.prompt("please fix the parser")
    stage.ask("pre_tool", **call)
    assert stage.stop()


@pytest.mark.parametrize(
    "call",
    [
        {"tool_name": "Bash", "tool_input": {"command": "forsooth status"}},
        {"tool_name": "Bash", "tool_input": {"command": "echo forsooth"}},
        {"tool_name": "Bash", "tool_input": {"command": ["forsooth", "next"]}},
        {"tool_name": "Bash", "tool_input": "forsooth next"},
        {"tool_name": "mcp__forsooth__status", "tool_input": {}},
        {"tool_name": "mcp__other__next", "tool_input": {}},
        {**NEXT, "agent_id": "a1"},
    ],
)
def test_looking_arms_nobody_and_neither_does_a_worker(call, stage):
    """Reading the status is conversation, and agents that agents started hold no attempt."""
    stage.sealed()
    stage.ask("pre_tool", **call)
    assert stage.stop() == ""


def test_an_agent_that_another_agent_started_is_never_held(armed):
    """Whoever started it goes on with what it brought."""
    assert armed.ask("subagent_stop", agent_id="a1").refusal == ""


def test_a_call_that_was_refused_moves_nothing(armed):
    """It is no progress."""
    assert armed.stop()
    seal = {"tool_name": "Bash", "tool_input": {"command": "forsooth seal --yes; forsooth next"}}
    assert armed.ask("pre_tool", **seal).refusal
    assert armed.stop() == ""


@requirement("R185")
def test_a_typed_stop_ends_holding_until_a_person_arms_again(armed):
    """The agent's own asking for work does not undo it."""
    assert "nothing is held" in armed.prompt("/forsooth:stop")
    session = armed.session()
    assert (session.disabled, session.why) == (True, "a person typed stop")
    armed.ask("pre_tool", **NEXT)
    assert armed.stop() == ""
    armed.prompt("/forsooth:go on with it")
    assert armed.stop()


def test_a_hold_that_cannot_be_counted_is_not_made(armed):
    """Whoever cannot write cannot count, and then nobody is held."""
    folder = armed.state / "sessions"
    if os.geteuid() == 0:
        (folder / f"s1.json.{os.getpid()}.new").mkdir()
    else:
        folder.chmod(0o500)
    with pytest.raises(OSError, match=r"s1\.json|sessions"):
        armed.stop()


def test_a_session_let_go_meanwhile_is_not_held(armed, monkeypatch):
    """What was read before the lock is read again under it."""
    taken = Sessions.__enter__

    def late(self):
        monkeypatch.setattr(Sessions, "__enter__", taken)
        Sessions(str(armed.state)).release("plan")
        return taken(self)

    monkeypatch.setattr(Sessions, "__enter__", late)
    assert armed.stop() == ""
    assert armed.log()[-1]["why"] == "it was let go meanwhile"


def test_a_session_armed_before_there_was_a_plan_is_held_to_the_one_it_made(stage):
    """The wish came first; the plan it led to is what counts."""
    stage.prompt("ulw add an export")
    assert stage.stop() == ""
    stage.sealed()
    assert stage.stop()


@requirement("R186")
def test_state_that_cannot_be_read_lets_the_agent_stop(armed):
    """Whoever cannot tell does not hold."""
    armed.kept().write_text('{"v": 1, "ulw"')
    with pytest.raises(Unreadable):
        armed.stop()


@pytest.mark.parametrize("host", HOSTS)
def test_a_talking_agent_is_let_go_within_the_cap_on_every_host(host, stage):
    """Gemini hands the reason back as a prompt, which is our own continuation."""
    stage.host = host
    stage.sealed()
    stage.prompt("ulw")
    turns = 0
    while said := stage.stop(stop_hook_active=turns > 0):
        turns += 1
        assert spoken(host, "stop", stage.ask("compaction")).strip() == "{}"
        if host == "gemini":
            assert stage.prompt(said) == ""
        assert turns <= 6
    assert turns == 1


def test_a_continuation_through_gemini_s_prompt_is_still_held(stage):
    """Our own words do not open a conversation."""
    stage.host = "gemini"
    stage.sealed()
    stage.prompt("ulw")
    said = stage.stop()
    stage.prompt(f" {said}\n")
    stage.work()
    assert stage.stop()
    stage.prompt(f"why do you say: {said}")
    stage.work()
    assert stage.stop() == ""


def test_the_loop_s_own_steps_count_as_work(stage):
    """What waits for the judge or its receipt is not finished."""
    book = stage.sealed()
    stage.prompt("ulw")
    book.judged()
    assert stage.stop()
