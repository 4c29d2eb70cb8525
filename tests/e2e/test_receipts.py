"""Receipts as others meet them: what verify says, how it exits, and what an agent may try."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forsooth.git.repository import locate
from forsooth.receipts import carry, dsse, keys
from tests.e2e.place import AGENT, Place
from tests.e2e.proving import BRIEF, BYE, HELLO, begun, claim, envelope, proven, said
from tests.receipts import openssh
from tests.requirements import requirement

AT = "2026-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A plan that is proven whole; tests leave it as it was."""
    return proven(begun(tmp_path_factory.mktemp("receipts")))


def held(place: Place, file: Path, code: int) -> list[str]:
    """The codes of what speaks against a receipt in a file."""
    return [one["code"] for one in place.ask("verify", str(file), code=code)["problems"]]


@requirement("R082", "R086")
def test_the_exit_code_says_proven_not_proven_not_believed_or_not_known(done: Place, tmp_path):
    """0, 1, 4 and 5, each with the one thing to do next where there is one."""
    assert done.run("verify").code == 0
    file = tmp_path / "plan.dsse.json"
    done.run("receipt", "--format", "envelope", "--out", str(file))
    assert held(done, file, 0) == []
    before = done.run("verify", str(file), "--head", "HEAD~1", code=1)
    assert "other-tree" in before.out
    told = done.run("verify", "--head", "HEAD~1", code=1).out
    assert "✔ G001 proven" in told
    assert "~ G002 proven at" in told
    assert told.endswith("next: forsooth done G002\n")
    file.write_bytes(file.read_bytes()[:-9])
    assert held(done, file, 4) == ["truncated"]
    assert done.ask("verify", str(tmp_path / "none"), code=2)["error"]["code"] == "no-receipt"
    fresh = Place(done.folder, done.home)
    fresh.git("clone", "-q", str(done.folder), str(tmp_path / "clone"))
    stranger = Place(tmp_path / "clone", done.home)
    failed = stranger.ask("verify", code=5)
    assert failed["error"]["code"] == "no-receipts"
    assert "git fetch origin" in failed["error"]["hint"]


@requirement("R082")
def test_a_receipt_reads_like_something_to_paste_into_a_pull_request(done: Place):
    """What passed, how it was run, what the word is worth; and the same for programs."""
    page = done.run("receipt", "G001").out
    assert page.startswith("## Forsooth: G001 proven: Greet\n")
    assert "The one check passed on tree" in page
    assert "**G001.C1** greet says day: `sh greet.sh` exits 0" in page
    assert done.run("receipt", "show", "G001").out == page
    assert done.ask("receipt", "show", "G001", "G002", code=2)["error"]["code"] == "bad-value"
    assert "Assurance **self**" in page
    said = done.ask("receipt", "G001")
    assert said["predicateType"] == "https://forsooth.dev/receipt/v1"
    assert json.loads(done.run("receipt", "--format", "sarif").out)["version"] == "2.1.0"
    assert "<testsuite" in done.run("receipt", "--format", "junit").out


@requirement("R082")
def test_a_receipt_filed_under_another_goal_proves_neither(tmp_path: Path):
    """The name it is carried under is the carrier's word; the receipt says what it is about."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    tree = claim(place, "G001")["tree"]
    data = envelope(place, "G001")
    repo = locate(place.folder)
    carry.add(repo, [carry.Receipt(tree, name, data) for name in ("G002", "plan")], at=AT)
    found = place.ask("verify", code=1)
    assert found["missing"] == ["G002", "plan"]
    wrong = {one["subject"]: one["problems"] for one in found["receipts"] if one["problems"]}
    assert {one[0]["code"] for one in wrong.values()} == {"other-goal"}


@requirement("R082")
def test_a_receipt_signed_by_a_key_of_the_agent_s_own_counts_for_nothing(
    done: Place, tmp_path: Path
):
    """The same statement, another key: it is on no list, and not this home's."""
    listed = keys.judge(done.home).public.text
    toml = f'[[signers]]\nname = "ada"\nkey = "{listed}"\nroles = ["judge", "person"]\n'
    done.git("checkout", "-q", "-b", "listed")
    done.commit("forsooth.toml", toml)
    done.git("checkout", "-q", "main")
    payload = dsse.opened(envelope(done)).payload
    file = tmp_path / "mine.json"
    file.write_bytes(dsse.sign(payload, keys.judge(tmp_path / "other")))
    for base in (("--base", "listed"), ()):
        said = done.ask("verify", str(file), *base, code=5)
        assert [one["code"] for one in said["problems"]] == ["unknown-signer"]
        assert said["assurance"] is None
        assert said["keys"] == [keys.judge(tmp_path / "other").public.id]


@requirement("R082")
def test_a_verdict_or_a_seal_is_no_receipt(done: Place, tmp_path: Path):
    """What the judge signed for another use is refused as that."""
    seals = carry.read(locate(done.folder)).seals
    file = tmp_path / "seal.json"
    file.write_bytes(seals[0].data)
    assert held(done, file, 4) == ["wrong-namespace"]


@requirement("R082")
def test_false_files_among_the_carried_receipts_are_shown_and_prove_nothing(tmp_path: Path):
    """Not named by their own digest, they are odd; with the receipts gone there is no proof."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    name = f"{'0' * 40}/G002/{'1' * 64}.dsse.json"
    blob = place.git("hash-object", "-w", "BRIEF.md")
    place.git("read-tree", "--index-output=.git/odd", carry.REFERENCE)
    place.git("read-tree", "HEAD")
    env = {"GIT_INDEX_FILE": ".git/odd"}
    place.run(
        *("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}"),
        prefix=("git",),
        env=env,
    )
    tree = place.run("write-tree", prefix=("git",), env=env).out.strip()
    commit = place.git("commit-tree", tree, "-m", "odd")
    place.git("update-ref", carry.REFERENCE, commit)
    found = place.ask("verify", code=1)
    assert found["odd"] == [name]
    assert f"{name} is carried and is no receipt" in place.run("verify", code=1).out
    place.git("update-ref", "-d", carry.REFERENCE)
    assert place.ask("verify", code=5)["error"]["code"] == "no-receipts"


@requirement("R082")
def test_somebody_else_s_newer_plan_hides_no_proof_and_can_be_asked_for(tmp_path: Path):
    """Two branches, two plans, one reference: the tree says which is meant, unless one is named."""
    place = proven(begun(tmp_path))
    first = place.ask("verify")["plan"]
    place.git("checkout", "-q", "-b", "other")
    place.commit("BRIEF.md", BRIEF.replace('"day"', '"night"').replace('"bye"', '"ciao"'))
    second = place.ask("plan", "BRIEF.md", "--new")["plan"]
    second = second["id"] if isinstance(second, dict) else second
    place.run("seal", "--yes")
    place.commit("greet.sh", "echo good night\n")
    place.run("done", "G001", env=AGENT)
    place.git("checkout", "-q", "main")
    assert place.ask("verify")["plan"] == first
    assert place.ask("verify", "--plan", second, code=1)["missing"]
    assert place.ask("verify", "--head", "other", code=1)["plan"] == second


@requirement("R082")
def test_a_person_may_put_a_signature_of_their_own_beside_the_judge_s(tmp_path: Path):
    """On request, with the key git signs with; whoever lists that key alone believes it."""
    place = proven(begun(tmp_path))
    first = envelope(place)
    refused = place.ask("receipt", "sign", code=3)
    assert [one["code"] for one in refused["error"]["reasons"]] == ["not-a-person"]
    assert "your git signs with no SSH key" in place.typed("receipt", "sign").out
    key = openssh.made(place.home)
    signing = f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {key}.pub\n"
    (place.home / ".gitconfig").write_text(signing)
    done = place.typed("receipt", "sign", env={"NO_COLOR": "1"})
    assert done.code == 0, done.out
    assert "plan is signed with your key" in done.out
    both = envelope(place)
    assert dsse.opened(both).payload == dsse.opened(first).payload
    assert [len(dsse.opened(data).signatures) for data in (first, both)] == [1, 2]
    place.git("checkout", "-q", "-b", "listed")
    line = openssh.half(key).line
    toml = f'[[signers]]\nname = "ada"\nkey = "{line}"\nroles = ["person"]\n'
    place.commit("forsooth.toml", toml)
    place.git("checkout", "-q", "main")
    file = tmp_path / "plan.json"
    file.write_bytes(both)
    assert place.ask("verify", str(file), "--base", "listed")["signer"] == "ada"
    file.write_bytes(first)
    told = place.ask("verify", str(file), "--base", "listed", code=5)
    assert [one["code"] for one in told["problems"]] == ["unknown-signer"]
    carried = place.ask("verify")["receipts"][-1]
    assert len(carried["keys"]) == 2
    assert "no receipt" in place.typed("receipt", "sign", "G009").out


@requirement("R083")
def test_status_tells_waivers_first_and_what_changed_since_the_proof(tmp_path: Path):
    """What was set aside cannot be missed, and a receipt that is about another tree says so."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n- [ ] {BYE}\n")
    place.commit("greet.sh", "echo good day\n")
    said(place, "G001")
    told = place.run("why").out
    assert "G001 was claimed and refused: G001.C2 " in told
    assert told.endswith("next: forsooth next G001\n")
    assert place.typed("waive", "G001.C2", "--reason", "nobody parts").code == 0
    claim(place, "G001")
    head, first, *_ = place.run("status").out.splitlines()
    assert head.endswith("1 of 1 goals proven")
    assert first == "  ⚠ WAIVED, not proven: G001.C2 by ada: nobody parts"
    place.write("greet.sh", "echo day\n")
    place.write("new.txt", "new\n")
    place.git("add", "new.txt")
    told = place.run("status").out
    assert "2 relevant files changed since: greet.sh, new.txt" in told
    assert told.endswith("next: forsooth done G001\n")
    (goal,) = place.ask("status")["goals"]
    assert goal["changed_since"] == ["greet.sh", "new.txt"]
    assert goal["waivers"]["G001.C2"]["by"] == "ada"
