"""Whose key counts, and for which files: strangers, empty lists, and what no plan asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.receipts import carry
from tests.e2e.drill import cloned, pushed, signer
from tests.e2e.place import Place, new
from tests.e2e.proving import APART, apart, begun, claim, proven, sealed
from tests.receipts import openssh
from tests.requirements import requirement

EASY = "@goal: Greet\n- [ ] DONE.md exists\n"
DOCS = f"@goal: Greet\n{apart('greet', 'day')}"


def stranger(place: Place, name: str) -> Place:
    """A clone of somebody's repository, worked on from another home."""
    folder, home = place.folder.parent / name, place.folder.parent / f"{name}-home"
    home.mkdir()
    place.git("clone", "-q", str(place.folder), str(folder))
    return Place(folder, home)


def problems(told: dict, subject: str) -> list[str]:
    (receipt,) = [one for one in told["receipts"] if one["subject"] == subject]
    return [problem["code"] for problem in receipt["problems"]]


@requirement("R082")
def test_a_plan_sealed_and_proven_from_another_home_proves_nothing_here(tmp_path: Path):
    """The same title, an easier plan, a key of the agent's own: it is looked past."""
    place = begun(tmp_path)
    other = stranger(place, "agent")
    other.commit("EASY.md", EASY)
    other.run("plan", "EASY.md", "--new")
    other.run("seal", "--yes")
    other.commit("DONE.md", "done\n")
    claim(other, "G001")
    assert other.ask("verify")["missing"] == []
    place.git("fetch", "-q", str(other.folder), f"+{carry.REFERENCE}:{carry.REFERENCE}")
    place.git("pull", "-q", "--ff-only", str(other.folder), "main")
    failed = place.ask("verify", code=5)
    assert failed["error"]["code"] == "unknown-signer"
    assert "--base" in failed["error"]["hint"]
    proven(place)
    told = place.ask("verify")
    assert told["plan"] == place.ask("status")["plan"]["id"]
    assert {one["signer"] for one in told["receipts"] if one["holds"]} == {"this home"}


@requirement("R082")
def test_receipts_by_a_key_that_no_one_listed_are_unknown_and_readable(tmp_path: Path):
    """Whether or not a base is named: exit 5, and what they say can still be read."""
    maker = pushed(tmp_path)
    maker.git("checkout", "-q", "main")
    maker.git("rm", "-q", "forsooth.toml")
    maker.git("commit", "-qm", "no signers")
    maker.git("push", "-q", "origin", "main")
    reader = cloned(maker, "reader", "-b", "work")
    for base in ((), ("--base", "origin/main")):
        failed = reader.ask("verify", *base, "--rerun", "none", code=5)
        assert failed["error"]["code"] == "unknown-signer"
    assert "greet says day" in reader.run("receipt", "G001").out
    file = tmp_path / "plan.json"
    reader.run("receipt", "--format", "envelope", "--out", str(file))
    told = reader.ask("verify", str(file), code=5)
    assert [one["code"] for one in told["problems"]] == ["unknown-signer"]
    assert told["assurance"] is None


@requirement("R082")
def test_a_plan_sealed_with_the_person_s_own_ssh_key_counts_in_their_home(tmp_path: Path):
    """Without a list, this home's keys are the judge's and the one its git signs with."""
    place = new(tmp_path / "place")
    key = openssh.made(place.home)
    (place.home / ".gitconfig").write_text(
        f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {key}.pub\n", encoding="utf-8"
    )
    place.commit("greet.sh", "echo hi\n")
    place.commit("BRIEF.md", '@goal: Greet\n- [ ] `sh greet.sh` exits 0, stdout has "day"\n')
    place.run("plan", "BRIEF.md")
    assert place.typed("seal", answer="y").code == 0
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    assert place.ask("verify")["missing"] == []
    (place.home / ".gitconfig").unlink()
    assert place.ask("verify", code=5)["error"]["code"] == "unknown-signer"


@requirement("R082")
def test_a_plan_that_someone_else_sealed_again_proves_no_goal_of_the_person_s(tmp_path: Path):
    """Weakened and sealed without the listed key, it is no later version of what was sealed."""
    place = new(tmp_path / "place")
    key = openssh.made(place.home)
    settings = place.home / ".gitconfig"
    settings.write_text(f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {key}.pub\n")
    line = Path(f"{key}.pub").read_text(encoding="utf-8").strip()
    person = f'[[signers]]\nname = "grace"\nkey = "{line}"\nroles = ["person"]\n'
    place.commit("forsooth.toml", person + signer(place.home, '"judge"'))
    place.commit("greet/say.sh", "echo hi\n")
    place.commit("part/say.sh", "echo hi\n")
    place.git("branch", "base")
    place.commit("BRIEF.md", APART)
    place.run("plan", "BRIEF.md")
    assert place.typed("seal", answer="y").code == 0
    place.commit("greet/say.sh", "echo good day\n")
    claim(place, "G001")
    settings.unlink()
    place.commit("BRIEF.md", APART.replace("bye", "hum"))
    place.run("plan", "BRIEF.md")
    assert place.typed("seal", answer="y").code == 0
    place.commit("part/say.sh", "echo hum\n")
    claim(place, "G002")
    reader = stranger(place, "reader")
    reader.git("fetch", "-q", "origin", f"{carry.REFERENCE}:{carry.REFERENCE}")
    told = reader.ask("verify", "--base", "origin/base", code=1)
    assert told["missing"] == ["G002", "plan"]
    assert problems(told, "G001") == []
    assert problems(told, "G002") == problems(told, "plan") == ["older-plan"]


@pytest.fixture
def merged(tmp_path: Path) -> Place:
    """A repository whose main has a small plan that was proven, and merged."""
    place = new(tmp_path / "place")
    place.commit("forsooth.toml", signer(place.home))
    hub = place.folder.parent / "hub.git"
    place.git("init", "-q", "--bare", "-b", "main", str(hub))
    place.git("remote", "add", "origin", hub.as_uri())
    sealed(place, DOCS, greet__say="echo hi\n")
    place.commit("greet/say.sh", "echo good day\n")
    claim(place, "G001")
    place.git("push", "-q", "origin", "main", carry.REFERENCE)
    return place


@requirement("R082")
@pytest.mark.parametrize("share", ["none", "all"])
def test_a_branch_without_a_plan_is_not_covered_by_one_that_was_merged(merged: Place, share: str):
    """The old plan still stands and says nothing of files it never asked for, nor of its own."""
    reader = cloned(merged, f"pr-{share}")
    reader.git("checkout", "-q", "-b", "pr")
    reader.commit("src/door.py", "open = True\n")
    asked = ("verify", "--base", "origin/main", "--rerun", share)
    told = reader.ask(*asked, code=5)
    assert (told["missing"], told["uncovered"]) == ([], ["src/door.py"])
    shown = reader.run(*asked, code=5).out
    assert (
        "✘ not-covered: no goal proven for this branch asks for 1 changed file: src/door" in shown
    )
    assert "next: forsooth plan BRIEF.md" in shown
    assert reader.run("why", "not-covered").code == 0
    reader.git("checkout", "-q", "main")
    assert reader.ask(*asked)["uncovered"] == []


@requirement("R082")
def test_an_old_plan_s_fence_does_not_cover_a_new_branch(tmp_path: Path):
    """A goal that is proven at the base already is no permission for what comes after it."""
    place = new(tmp_path / "place")
    place.commit("forsooth.toml", signer(place.home))
    brief = f"@goal: Greet\nMay change: greet/**\n{apart('greet', 'day')}".replace(
        "paths: [greet/**]", "paths: [greet/say.sh]"
    )
    sealed(place, brief, greet__say="echo hi\n")
    place.commit("greet/say.sh", "echo good day\n")
    claim(place, "G001")
    place.git("checkout", "-q", "-b", "pr")
    place.commit("greet/more.sh", "echo more\n")
    told = place.ask("verify", "--base", "main", code=5)
    assert (told["missing"], told["uncovered"]) == ([], ["greet/more.sh"])


@requirement("R082")
def test_two_proven_plans_cover_a_branch_together(merged: Place):
    """Honest work in two plans, each with its brief, is covered; a file of neither is not."""
    merged.git("checkout", "-q", "-b", "pr")
    for name, word in (("part", "bye"), ("thank", "thanks")):
        merged.write(f"{name.upper()}.md", f"@goal: Say {word}\n{apart(name, word)}")
        merged.git("add", "-A")
        merged.git("commit", "-qm", name)
        merged.run("plan", f"{name.upper()}.md", "--new")
        merged.run("seal", "--yes")
        merged.commit(f"{name}/say.sh", f"echo {word}\n")
        claim(merged, "G001")
    told = merged.ask("verify", "--base", "main")
    assert (told["missing"], told["uncovered"]) == ([], [])
    merged.commit("PART.md", "another brief\n")
    assert merged.ask("verify", "--base", "main", code=5)["uncovered"] == ["PART.md"]


@requirement("R082")
def test_a_branch_that_took_in_its_base_stays_covered(merged: Place):
    """What the base did since is not the branch's, and the plan was sealed before that."""
    merged.git("checkout", "-q", "-b", "pr")
    sealed(merged, f"@goal: Part\n{apart('part', 'bye')}", part__say="echo hi\n")
    merged.commit("part/say.sh", "echo bye\n")
    claim(merged, "G001")
    merged.git("checkout", "-q", "main")
    merged.commit("elsewhere.txt", "theirs\n")
    merged.git("checkout", "-q", "pr")
    assert merged.ask("verify", "--base", "main")["uncovered"] == []
    merged.git("merge", "-q", "--no-edit", "main")
    assert merged.ask("verify", "--base", "main")["uncovered"] == []


@requirement("R082")
def test_a_plan_about_every_file_covers_what_its_receipt_is_about(tmp_path: Path):
    """Criteria without paths and without a fence ask for the tree as it is proven."""
    place = new(tmp_path / "place")
    place.commit("forsooth.toml", signer(place.home))
    place.git("checkout", "-q", "-b", "work")
    sealed(place, '@goal: Greet\n- [ ] `sh greet.sh` exits 0, stdout has "day"\n', greet="echo\n")
    place.commit("greet.sh", "echo good day\n")
    place.commit("help.txt", "help\n")
    claim(place, "G001")
    assert place.ask("verify", "--base", "main")["uncovered"] == []
