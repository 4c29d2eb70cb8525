"""Nothing of a repository runs before a person has seen the commands and allowed them."""

from __future__ import annotations

import json
import stat

import pytest

from forsooth.core.actor import Actor
from forsooth.errors import Refused
from forsooth.project import Project, Untrusted
from tests.e2e.place import AGENT, Place
from tests.requirements import requirement

SUITE = ("python", "-m", "pytest", "-q")
PERSON = Actor(kind="human", name="ada", channel="terminal")


def project(place: Place, actor: Actor = PERSON) -> Project:
    return Project(place.folder, actor=actor, environment={"HOME": str(place.home)})


def settled(place: Place, body: str) -> None:
    place.commit("forsooth.toml", f"[environment]\n{body}\n")


@requirement("D13")
def test_nothing_is_allowed_before_somebody_says_so(place: Place):
    """A command that was never shown is refused, by name, with what to type."""
    with pytest.raises(Untrusted) as refused:
        project(place).require([SUITE])
    assert refused.value.code == "untrusted"
    assert refused.value.argvs == (SUITE,)
    (reason,) = refused.value.reasons
    assert "python -m pytest -q" in reason.says
    assert reason.hint == "forsooth trust"
    project(place).trust([SUITE], "terminal")
    project(place).require([SUITE])


@requirement("D5")
@pytest.mark.parametrize("argv", [("./odd-tool", "--x"), ("perl", "-e", "1"), ("make", "deploy")])
def test_no_program_is_allowed_or_refused_by_its_name(place: Place, argv: tuple[str, ...]):
    """What may run is what a person allowed for this repository, whatever it is called."""
    with pytest.raises(Untrusted):
        project(place).require([argv])
    project(place).trust([argv], "terminal")
    project(place).require([argv])


@requirement("D13")
def test_a_command_that_came_later_is_asked_about_again(place: Place):
    """What was allowed stays allowed; only the new one is named."""
    here = project(place)
    here.trust([SUITE], "terminal")
    with pytest.raises(Untrusted) as refused:
        here.require([SUITE, ("make", "all")])
    assert refused.value.argvs == (("make", "all"),)
    here.trust([("make", "all")], "unattended")
    here.require([SUITE, ("make", "all")])


@requirement("D13")
def test_settings_that_changed_allow_nothing_until_they_were_seen(place: Place):
    """What runs before a suite is part of what was allowed, and the difference is told."""
    settled(place, 'before = ["./service start"]')
    here = project(place)
    here.trust([SUITE], "terminal")
    settled(place, 'before = ["./other start"]')
    with pytest.raises(Untrusted) as refused:
        here.require([SUITE])
    assert "./other start" in refused.value.reasons[0].says
    here.trust([SUITE], "terminal")
    here.require([SUITE])


@requirement("D13")
def test_policy_alone_asks_nobody_again(place: Place):
    """A table from which nothing is run is no reason to ask."""
    here = project(place)
    here.trust([SUITE], "terminal")
    place.commit("forsooth.toml", "[policy]\nattempts = 2\n")
    here.require([SUITE])


@requirement("D13")
def test_the_word_is_bound_to_the_place_and_lies_outside_it(place: Place, tmp_path):
    """A copy of the repository is another one; nothing of the record is in the repository."""
    project(place).trust([SUITE], "terminal")
    (record,) = (place.home / ".local/state/forsooth/trust").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    other = tmp_path / "other"
    place.git("clone", "-q", str(place.folder), str(other))
    with pytest.raises(Untrusted):
        project(Place(other, place.home)).require([SUITE])
    moved = json.loads(record.read_text())
    theirs = project(Place(other, place.home))
    record.with_name(f"{theirs.place}.json").write_text(json.dumps(moved))
    with pytest.raises(Untrusted):
        theirs.require([SUITE])


@requirement("D13")
@pytest.mark.parametrize("spoiled", ["{", "[]", '{"path": 1}', ""])
def test_a_record_that_cannot_be_believed_allows_nothing(place: Place, spoiled: str):
    """Torn, foreign, or writable by others: it is as if there were none."""
    here = project(place)
    here.trust([SUITE], "terminal")
    (record,) = (place.home / ".local/state/forsooth/trust").iterdir()
    whole = record.read_text()
    record.write_text(spoiled)
    assert here.trusted() is None
    record.write_text(whole)
    assert here.trusted() is not None
    record.chmod(0o666)
    assert here.trusted() is None


@requirement("D13")
@pytest.mark.parametrize("kind", ["agent", "judge", "loop", "ci"])
def test_only_a_person_allows(place: Place, kind):
    """Whoever wrote the commands may not be the one to allow them."""
    with pytest.raises(Refused) as refused:
        project(place, Actor(kind=kind)).trust([SUITE], "terminal")
    assert [reason.code for reason in refused.value.reasons] == ["not-a-person"]


@requirement("D13")
def test_the_verb_lists_every_command_and_asks(place: Place):
    """Prepare, before, the suite and the criteria of a plan, each with what it is for."""
    settled(place, 'before = ["./service start"]\ntest = ["sh test.sh"]\nprepare = ["make deps"]')
    place.run("plan", "--text", "- [ ] it greets: `sh greet.sh` exits 0")
    assert place.typed("trust", answer="n").code == 13
    assert place.ask("trust", "--list") == {"trust": None}
    said = place.typed("trust", answer="y")
    for line in ("make deps", "./service start", "sh test.sh", "G001.C1", "sh greet.sh"):
        assert line in said.out
    listed = place.ask("trust", "--list")["trust"]
    assert ["sh", "greet.sh"] in listed["argvs"]
    assert listed["channel"] == "terminal"
    assert "nothing new" in place.run("trust").out
    assert place.ask("trust", "--revoke") == {"revoked": True}
    assert place.ask("trust", "--list") == {"trust": None}


@requirement("D13")
def test_a_script_says_so_and_an_agent_is_refused(place: Place):
    """Without a terminal somebody must say `--yes`; an agent's shell says it for nobody."""
    settled(place, 'test = ["sh test.sh"]')
    assert place.ask("trust", code=2)["error"]["code"] == "no-terminal"
    for argv in (("trust", "--yes"), ("trust",)):
        refused = place.ask(*argv, code=3, env=AGENT)["error"]
        assert [row["code"] for row in refused["reasons"]] == ["not-a-person"]
    assert place.ask("trust", "--yes")["trusted"]
    assert place.ask("trust", "--list")["trust"]["channel"] == "unattended"
