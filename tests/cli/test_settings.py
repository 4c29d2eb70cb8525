"""Policy comes from the user and from what is committed; a repository never loosens it."""

from __future__ import annotations

import sys

import pytest

from tests.cli.inside import Inside

FLOOR = {"isolation": "strict"} if sys.platform == "linux" else {}


def policy(inside: Inside) -> dict[str, object]:
    """What a seal pinned."""
    inside("plan", "--text", "@goal: Tidy\n- [ ] `make lint`\n")
    inside("seal", "--yes")
    return policy_event(inside)


def policy_event(inside: Inside) -> dict[str, object]:
    *_, event = inside("log", "--json").rows
    return event["data"].get("policy", {})


def user(inside: Inside, text: str) -> None:
    path = inside.place.home / ".config/forsooth/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_committed_settings_count_and_are_shown_before_the_seal(empty: Inside):
    """What a person confirms includes the policy it is held to."""
    empty.place.commit("forsooth.toml", '[policy]\nattempts = 2\nweak = "refuse"\n')
    assert policy(empty) == {"attempts": 2, "weak": "refuse"} | FLOOR


def test_settings_that_are_not_committed_do_not_count_and_it_says_so(empty: Inside):
    """An agent can write a file; that does not make it policy."""
    empty.place.write("forsooth.toml", "[policy]\nattempts = 900\n")
    empty("plan", "--text", "Do it.")
    said = empty("seal", "--yes").out
    assert "forsooth.toml is not the committed one; commit it for it to count" in said
    assert "policy: 5 attempts a goal, stuck after 3 failures" in said
    assert policy_event(empty) == FLOOR


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[policy]\nattempts = 0\n", "forsooth.toml: attempts: "),
        ("[policy]\ncolour = 1\n", "forsooth.toml: colour: there is no such key"),
        ("[policy\n", "forsooth.toml: "),
        ("policy = 3\n", "holds `tests = [globs]`, [policy], [environment] and [[signers]]"),
        (
            "[polcy]\nattempts = 2\n",
            "holds `tests = [globs]`, [policy], [environment] and [[signers]]",
        ),
        ("tests = 3\n", "holds `tests = [globs]`, [policy], [environment] and [[signers]]"),
        ("signers = 3\n", "holds `tests = [globs]`, [policy], [environment] and [[signers]]"),
        ('[[signers]]\nname = "ada"\n', "[[signers]] a signer has a name and a key"),
        ("signers = [3]\n", "holds `tests = [globs]`, [policy], [environment] and [[signers]]"),
    ],
)
def test_settings_that_cannot_be_understood_are_not_passed_over(empty: Inside, text, says):
    """A misspelt demand would otherwise be no demand."""
    empty.place.commit("forsooth.toml", text)
    assert says in empty("plan", "--text", "Do it.", code=2).err
    assert empty.codes("plan", "--text", "Do it.", code=2) == ["bad-settings"]
    assert empty.place.plans == []


def test_the_users_own_mistake_is_named_by_their_own_file(empty: Inside):
    """The message points at the file that is wrong."""
    user(empty, '[policy]\nisolation = "loose"\n')
    assert "config.toml: isolation: " in empty("plan", "--text", "Do it.", code=2).err


def test_a_repository_may_tighten_what_the_user_set_and_never_loosen_it(empty: Inside):
    """Limits take the lower value, protections the stricter one, and agents never gain a seal."""
    user(empty, '[policy]\nattempts = 3\nstuck = 2\nisolation = "landlock"\ntags = ["safe"]\n')
    loose = 'attempts = 99\nstuck = 1\nisolation = "none"\nweak = "refuse"\nagents_may_seal = true'
    empty.place.commit("forsooth.toml", f"[policy]\n{loose}\n")
    assert empty.codes("plan", "--text", "@goal: Tidy\n- [ ] a exists\n") == ["tag-missing"]
    tagged = "```criteria\n- {says: a, check: command, with: {argv: ['false']}, tags: [safe]}\n```"
    empty("plan", "--text", f"@goal: Tidy\n{tagged}\n")
    empty("seal", "--yes")
    *_, event = empty("log", "--json").rows
    assert event["data"]["policy"] == {
        "attempts": 3,
        "stuck": 1,
        "isolation": "landlock",
        "tags": ["safe"],
        "weak": "refuse",
    }


def test_a_refused_edit_of_a_plan_is_on_record(planned: Inside):
    """A draft that policy refuses leaves the plan as it was, and a line in the ledger."""
    planned.place.commit("forsooth.toml", '[policy]\ntags = ["adversarial"]\n')
    planned.place.write("BRIEF.md", "@goal: Tidy\n- [ ] a exists\n")
    assert planned.codes("plan", "BRIEF.md") == ["tag-missing"]
    *_, event = planned("log", "--json").rows
    assert event["data"] == {"command": "create", "codes": ["tag-missing"]}
