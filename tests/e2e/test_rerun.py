"""Checks run again by whoever verifies: what agrees, what does not, and what cannot be told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from forsooth.core.instant import moment, written
from forsooth.core.plan import Plan
from forsooth.git.repository import locate
from forsooth.git.trees import listing, listing_digest
from forsooth.receipts import carry, dsse, keys, seal, statement
from tests.e2e.drill import cloned, pushed
from tests.e2e.place import Place, new
from tests.e2e.proving import BYE, HELLO, begun, claim, envelope, proven
from tests.requirements import requirement

AT = "2026-01-01T00:00:00.000Z"
SHY = {
    "greet": "echo hi\n",
    "part": 'test -z "$DEPLOY_TOKEN" && ! cat "$HOME/.secret" && echo hi\n',
}


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A branch whose plan is proven and pushed."""
    return pushed(tmp_path_factory.mktemp("rerun"))


def again(place: Place, share: str, code: int = 0, *argv: str) -> Any:
    """What a second run of some checks came to, asked by somebody without a key."""
    told = place.ask("verify", "--base", "origin/main", "--rerun", share, *argv, code=code)
    assert not (place.home / keys.PLACE).exists()
    return told


def ran(told: Any) -> dict[str, bool]:
    return {one["criterion"]: one["agrees"] for one in told["rerun"]["checks"]}


def minted(place: Place, subject: str = "plan", *, red: Any = None, plan_digest: str = "") -> None:
    """A receipt made to be about HEAD, and signed with the maker's own key unrun."""
    repo = locate(place.folder)
    said = statement.decoded(dsse.opened(envelope(place, subject)).payload)
    commit, tree = place.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    checks = tuple(one.but(red=red or one.red) for one in said.predicate.checks)
    at = written(moment(said.predicate.at) + timedelta(seconds=1))
    forged = said._replace(
        tree=tree,
        commit=commit,
        listing_sha256=listing_digest(listing(repo, tree)),
        predicate=said.predicate.but(
            checks=checks, at=at, plan_digest=plan_digest or said.predicate.plan_digest
        ),
    )
    data = dsse.sign(statement.encoded(forged), keys.judge(place.home))
    carry.add(repo, [carry.Receipt(tree, subject, data)], at=AT)


@requirement("R082", "R086")
def test_every_check_is_run_again_where_nobody_has_a_key(maker: Place):
    """On release all of them, in the judge's sandbox, with the base looked at anew."""
    reader = cloned(maker, "all", "-b", "work")
    told = again(reader, "all")
    assert ran(told) == {"G001.C1": True, "G002.C1": True}
    assert (told["rerun"]["able"], told["rerun"]["left"]) == (2, {})
    shown = reader.run("verify", "--base", "origin/main", "--rerun", "all").out
    assert "G001.C1" in shown
    assert "(2 of 2 that can be)" in shown
    assert "✔ all as the receipts say" in shown
    assert again(reader, "none")["rerun"] is None


@requirement("R082")
def test_the_receipt_and_the_seed_decide_which_are_run(maker: Place):
    """The same question has the same answer; who cannot know the seed cannot choose."""
    reader = cloned(maker, "share", "-b", "work")
    first = ran(again(reader, "20%"))
    assert len(first) == 1
    assert ran(again(reader, "50")) == first
    seeds = (ran(again(reader, "20%", 0, "--seed", seed)) for seed in "abcdefgh")
    assert any(one != first for one in seeds)


@requirement("R082")
def test_a_word_that_does_not_hold_voids_every_receipt_of_its_signer(tmp_path: Path):
    """The key is good and the work is not: only a run of one's own tells."""
    maker = pushed(tmp_path)
    maker.commit("part/say.sh", "echo nothing\n")
    minted(maker)
    maker.git("push", "-q", "origin", "work", carry.REFERENCE)
    reader = cloned(maker, "deceived", "-b", "work")
    assert again(reader, "none")["missing"] == []
    told = again(reader, "all", 1)
    assert ran(told) == {"G001.C1": True, "G002.C1": False}
    assert told["missing"] == ["G001", "G002", "plan"]
    void = {one["subject"]: [p["code"] for p in one["problems"]] for one in told["receipts"]}
    assert void == {"G001": ["not-reproduced"], "G002": [], "plan": ["not-reproduced"]}
    shown = reader.run("verify", "--base", "origin/main", "--rerun", "all", code=1).out
    assert "G002.C1 is said to pass; run again here it does not" in shown
    assert shown.endswith("next: forsooth done G001\n")


@requirement("R082")
def test_a_receipt_that_calls_a_guard_red_on_the_base_is_found_out(tmp_path: Path):
    """That a check holds is half of what is said; that the work made it hold is the other."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n- [ ] stays green: `sh part.sh`\n")
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    assert all(ran(place.ask("verify", "--rerun", "all")).values())
    minted(place, red="exit")
    told = place.ask("verify", "--rerun", "all", code=1)
    assert ran(told) == {"G001.C1": True, "G001.C2": False}
    (wrong,) = [one["differs"] for one in told["rerun"]["checks"] if one["differs"]]
    assert "said to fail on the base" in wrong


@requirement("R082")
def test_what_was_waived_or_is_hidden_is_named_and_not_run(tmp_path: Path):
    """A waiver is a word, and what is hidden lies with its maker: no run stands in for them."""
    place = new(tmp_path / "place")
    for name in ("greet", "part"):
        place.commit(f"{name}.sh", "echo hi\n")
    place.commit("BRIEF.md", f"@goal: Greet\n- [ ] {HELLO}\n- [ ] {BYE}\n")
    aside = tmp_path / "hidden.md"
    aside.write_text('@goal: Greet\n- [ ] `sh greet.sh now` exits 0, stdout has "good"\n')
    place.run("plan", "BRIEF.md", "--hidden", str(aside))
    place.run("seal", "--yes")
    place.commit("greet.sh", "echo good day\n")
    assert place.typed("waive", "G001.C2", "--reason", "nobody parts").code == 0
    claim(place, "G001")
    told = place.ask("verify", "--rerun", "all")
    assert ran(told) == {"G001.C1": True}
    assert told["rerun"]["left"] == {"G001.C2": "it was waived", "G001.C3": "it is hidden"}
    assert "G001.C2 is never run again: it was waived" in place.run("verify", "--rerun", "1").out


@requirement("R082")
def test_what_is_run_again_sees_no_secret(tmp_path: Path):
    """Neither the verifier's environment nor its home reaches the checks."""
    place = proven(begun(tmp_path, **SHY))
    place.commit("part.sh", SHY["part"].replace("hi", "bye"))
    claim(place, "G002")
    (place.home / ".secret").write_text("hush")
    asked = ("verify", "--rerun", "all", "--json")
    told = place.run(*asked, env={"DEPLOY_TOKEN": "hush"}).data
    assert ran(told) == {"G001.C1": True, "G002.C1": True}


@requirement("R082")
def test_nothing_runs_that_nobody_listed_has_sealed(maker: Place):
    """A stranger's plan is not run: its commands are anybody's."""
    reader = cloned(maker, "stranger", "-b", "work")
    failed = reader.ask("verify", "--rerun", "all", code=5)
    assert failed["error"]["code"] == "unknown-signer"
    assert "--base" in failed["error"]["hint"]


@requirement("R082")
def test_a_plan_under_one_s_own_plan_s_name_is_not_one_s_own(tmp_path: Path):
    """Another seal is carried with the same id: its commands are an agent's, and are not run."""
    place = proven(begun(tmp_path))
    repo = locate(place.folder)
    (kept,) = carry.read(repo).seals
    sealed = seal.confirmed(kept.data, now=AT).seal
    assert sealed
    trace = tmp_path / "ran"
    told = sealed.plan.plain()
    told["goals"][0]["criteria"][0]["check"]["with"]["argv"] = ["touch", str(trace)]
    plan = Plan.of(told)
    later = written(moment(sealed.at) + timedelta(seconds=1))
    other = sealed.but(plan=plan, plan_digest=plan.digest, at=later)
    data = seal.sign(other, keys.judge(place.home))
    carry.add(repo, [], at=AT, seals=[carry.Seal(plan.digest, data)])
    for subject in ("G001", "plan"):
        minted(place, subject, plan_digest=plan.digest)
    assert place.ask("verify")["missing"] == []
    failed = place.ask("verify", "--rerun", "all", code=5)
    assert failed["error"]["code"] == "untrusted"
    assert not trace.exists()


@requirement("R082")
def test_what_cannot_be_run_is_not_agreement(maker: Place):
    """Without the base's tree nothing can be judged: it cannot be told, and what to fetch."""
    reader = cloned(maker, "cut", "-b", "work", "--depth", "1")
    reader.git("fetch", "-q", "--depth", "1", "origin", "+main:refs/remotes/origin/main")
    told = again(reader, "all", 5)
    assert "error" in told or not any(ran(told).values())


@requirement("R082")
def test_where_nothing_is_proven_nothing_is_run(maker: Place):
    """A second run is held against a proof; without one there is nothing to hold it against."""
    reader = cloned(maker, "later", "-b", "work")
    reader.commit("part/more.sh", "echo\n")
    assert again(reader, "all", 1)["rerun"] is None
    shown = reader.run("verify", "--base", "origin/main", "--rerun", "all", code=1).out
    assert "nothing was run again" in shown


@requirement("R082")
@pytest.mark.parametrize("share", ["half", "101", "-1", "20%%"])
def test_a_share_that_is_none_is_a_mistake(maker: Place, share: str):
    """Never read as nothing, which would run no check at all."""
    failed = maker.ask("verify", f"--rerun={share}", code=2)
    assert failed["error"]["code"] == "bad-share"
    assert maker.run("verify", "plan.json", "--rerun", "all", code=2)
