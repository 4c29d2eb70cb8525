"""A person types `seal` to an agent: a hook leaves their approval, and this command uses it up."""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from forsooth.core.instant import written
from tests.e2e.place import AGENT, FORSOOTH, Place
from tests.e2e.proving import lines
from tests.requirements import requirement

BRIEF = '@goal: Greet\n- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'
SESSION = "0f3c-11"
HOOK = {**AGENT, "AI_AGENT": "claude-code_2-1-325_harness"}


@pytest.fixture
def draft(place: Place) -> Place:
    """A plan that an agent proposed and nobody sealed."""
    place.commit("greet.sh", "echo hi\n")
    place.run("plan", "--text", BRIEF, env=AGENT)
    return place


def leave(place: Place, **changes: Any) -> dict[str, str]:
    """Leave an approval as the hook does; without a change it fits the draft."""
    (plan,) = place.plans
    now = json.loads((plan / "now.json").read_text())
    told = {name: now[key] for name, key in (("proposal", "proposal"), ("shown", "draft"))}
    told |= {"nonce": "abc", "plan": plan.name, "at": written(datetime.now(UTC)), **changes}
    folder = place.state / "sessions"
    folder.mkdir(exist_ok=True)
    path = folder / f"{SESSION}.approval.json"
    path.write_text(json.dumps(told))
    path.chmod(0o600)
    return told


def codes(
    place: Place, session: str = SESSION, code: int = 3, env: Mapping[str, str] = HOOK
) -> list[str]:
    error = place.ask("seal", "--approved", session, code=code, env=env)["error"]
    return [reason["code"] for reason in error.get("reasons", [error])]


@requirement("R125")
def test_a_typed_seal_seals_the_draft_that_was_waiting(draft: Place):
    """Also among the marks of an agent's program, which runs the hook; the seal says how."""
    leave(draft)
    told = draft.ask("seal", "--approved", SESSION, env=HOOK)
    assert (told["channel"], told["approved"]) == ("prompt", "prompt")
    person = {"kind": "human", "name": "ada", "channel": "prompt", "session": SESSION}
    sealed = lines(draft)[-1]
    assert sealed["by"] == person
    assert [one["red"] for one in sealed["data"]["ground"]["baselines"]] == ["exit"]
    assert draft.ask("status")["plan"]["sealed"] == "prompt"
    draft.write("greet.sh", "echo good day\n")
    assert draft.ask("done", "G001", env=AGENT)["receipt"]


@requirement("R125")
def test_no_approval_no_seal(draft: Place):
    """An agent that types the command by itself has nothing to show, in whatever session."""
    assert codes(draft) == ["no-approval"]
    assert codes(draft, "../../x") == ["no-approval"]
    assert draft.kinds() == ["plan.created"]


@requirement("R125")
def test_an_approval_that_an_agent_s_shell_brings_is_not_a_person_s(draft: Place):
    """The file may be forged by whoever owns the account: the shells above are looked at."""
    leave(draft)
    assert codes(draft, env=AGENT) == ["not-a-person"]
    script = ("sh", "-c", 'env -u CLAUDECODE "$@"; exit $?', "-", *FORSOOTH)
    told = draft.run("seal", "--approved", SESSION, "--json", code=3, env=AGENT, prefix=script)
    assert [one["code"] for one in told.data["error"]["reasons"]] == ["not-a-person"]
    assert draft.kinds() == ["plan.created"]


@requirement("R125")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"at": written(datetime.now(UTC) - timedelta(minutes=11))}, "approval-stale"),
        ({"at": written(datetime.now(UTC) + timedelta(minutes=11))}, "approval-stale"),
        ({"proposal": "0" * 64}, "draft-changed"),
        ({"shown": "  G001 Greet politely"}, "draft-changed"),
        ({"at": "yesterday"}, "no-approval"),
        ({"nonce": ""}, "no-approval"),
        ({"plan": 7}, "no-approval"),
    ],
    ids=[
        "old",
        "ahead of its time",
        "another draft",
        "another text",
        "no time",
        "no nonce",
        "none",
    ],
)
def test_an_approval_that_does_not_fit_seals_nothing(draft: Place, changes: dict, code: str):
    """It is about one draft and the next ten minutes."""
    leave(draft, **changes)
    assert codes(draft) == [code]
    assert "plan.sealed" not in draft.kinds()


@requirement("R125")
def test_an_approval_serves_once(draft: Place):
    """Put back, it is known; the next draft wants a word of its own."""
    told = leave(draft)
    draft.run("seal", "--approved", SESSION, env=HOOK)
    draft.run("plan", "--text", BRIEF.replace("Greet", "Greet well"), env=AGENT)
    fresh = leave(draft, nonce=told["nonce"])
    assert codes(draft) == ["no-approval"]
    leave(draft, **{**fresh, "nonce": "def"})
    assert draft.ask("seal", "--approved", SESSION)["channel"] == "prompt"


@requirement("R125")
def test_a_file_that_others_could_have_written_is_no_approval(draft: Place):
    """Neither is a link to one."""
    leave(draft)
    path = draft.state / "sessions" / f"{SESSION}.approval.json"
    path.chmod(0o666)
    assert codes(draft) == ["no-approval"]
    path.chmod(0o600)
    path.rename(draft.home / "kept")
    path.symlink_to(draft.home / "kept")
    assert codes(draft, code=5) == ["linked-state"]


@requirement("R125")
def test_while_it_is_sealed_others_are_told_and_afterwards_what_went_wrong(place: Place):
    """Whoever asks meanwhile waits; a plan that proves nothing is refused where all can read it."""
    place.commit("greet.sh", "echo good day\n")
    place.run("plan", "--text", BRIEF, env=AGENT)
    (plan,) = place.plans
    with (plan / "sealing.json").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert place.ask("status")["next"]["says"].endswith("it is being sealed")
        told = place.ask("next", code=10, env=AGENT)["next"]
        assert told["command"] == "forsooth status"
        assert "it is being sealed" in place.run("status").out
    assert "waits" in place.ask("status")["next"]["says"]
    leave(place)
    assert codes(place) == ["vacuous"]
    told = place.ask("status")["next"]
    assert "could not be sealed: G001 is a feature, and every criterion already" in told["says"]
    assert told["command"].startswith("add a criterion to G001")
    place.run("plan", "--text", BRIEF.replace("day", "night"), env=AGENT)
    assert "could not be sealed" not in place.run("status").out


@requirement("R125")
def test_a_person_who_approved_another_draft_is_told(draft: Place):
    """Whatever was drafted since; and so is one whose word came too late."""
    told = leave(draft)
    draft.run("plan", "--text", BRIEF.replace("Greet", "Greet well"), env=AGENT)
    leave(draft, proposal=told["proposal"])
    assert codes(draft) == ["draft-changed"]
    says = "could not be sealed: the draft is not the one that was approved"
    assert says in draft.ask("status")["next"]["says"]
    assert draft.ask("next", code=10, env=AGENT)["next"]["command"].startswith("type `seal`")
    leave(draft, nonce="def", at=written(datetime.now(UTC) - timedelta(minutes=11)))
    assert codes(draft) == ["approval-stale"]
    assert "too old to be used" in draft.ask("status")["next"]["says"]
    leave(draft, nonce="ghi")
    assert draft.ask("seal", "--approved", SESSION)["channel"] == "prompt"
    assert "could not be sealed" not in draft.run("status").out


@requirement("R125")
def test_a_key_that_cannot_ask_for_its_passphrase_does_not_stop_a_typed_seal(draft: Place):
    """Away from a terminal the judge's key signs; at one, the person's own is asked for."""
    key = draft.home / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", key], check=True)
    settings = f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {key}\n"
    (draft.home / ".gitconfig").write_text(settings)
    leave(draft)
    assert draft.ask("seal", "--approved", SESSION)["channel"] == "prompt"
