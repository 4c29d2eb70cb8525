"""Receipts made in one clone, verified in another through a bare remote: a pull request."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from forsooth.git.repository import locate
from forsooth.receipts import carry, keys
from tests.e2e.drill import cloned, pushed, signer
from tests.e2e.place import FORSOOTH, Answer, Place
from tests.requirements import requirement

ROOT = Path(__file__).parents[2]


def verified(place: Place, code: int, *argv: str) -> Any:
    found = place.ask("verify", "--base", "origin/main", *argv, code=code)
    assert not (place.home / keys.PLACE).exists()
    return found


def standing(found: Any) -> dict[str, bool]:
    return {one["subject"]: one["holds"] for one in found["receipts"]}


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A branch whose plan is proven and pushed."""
    return pushed(tmp_path_factory.mktemp("drill"))


@requirement("R082", "R086")
@pytest.mark.parametrize(
    "argv", [(), ("--depth", "1", "--no-single-branch")], ids=["whole", "shallow"]
)
def test_what_one_clone_proved_another_verifies(maker: Place, argv: tuple[str, ...]):
    """No key, no ledger, no agent: the signers of the base branch, and one commit, are enough."""
    name = "shallow" if argv else "whole"
    reader = cloned(maker, name, "-b", "work", *argv)
    found = verified(reader, 0)
    assert found["missing"] == []
    assert found["receipts"][-1]["subject"] == "plan"
    assert {one["signer"] for one in found["receipts"] if one["holds"]} == {"ada"}
    assert {one["assurance"] for one in found["receipts"]} == {"self"}
    assert "signed by ada" in reader.run("verify", "--base", "origin/main").out


@requirement("R083", "R085")
def test_a_later_commit_makes_exactly_the_right_receipts_stale(maker: Place):
    """What nobody declared leaves all fresh; one folder takes its own goal and the plan along."""
    reader = cloned(maker, "later", "-b", "work")
    reader.commit("notes.md", "nothing of it\n")
    found = verified(reader, 5)
    assert standing(found) == {"G001": True, "G002": True, "plan": True}
    assert found["uncovered"] == ["notes.md"]
    reader.commit("part/more.sh", "echo\n")
    found = verified(reader, 1)
    assert standing(found) == {"G001": True, "G002": False, "plan": False}
    assert {tuple(one["stale"]) for one in found["receipts"] if one["stale"]} == {("part/more.sh",)}
    assert found["missing"] == ["G002", "plan"]
    told = reader.run("verify", "--base", "origin/main", code=1).out
    assert "~ G002 proven at" in told
    assert "1 relevant file changed since: part/more.sh" in told
    assert standing(verified(reader, 0, "--head", "HEAD~2"))["plan"]


@requirement("R085")
def test_a_shallow_clone_says_when_it_cannot_tell_what_changed(maker: Place):
    """The tree a receipt is about is not there: neither proven nor not, and what to fetch."""
    reader = cloned(maker, "cut", "-b", "work")
    reader.commit("part/more.sh", "echo\n")
    reader.git("push", "-q", "origin", "HEAD:refs/heads/later")
    cut = cloned(maker, "cut-later", "-b", "later", "--depth", "1", "--no-single-branch")
    maker.git("push", "-q", "origin", ":refs/heads/later")
    cut.git("update-ref", "-d", "refs/remotes/origin/work")
    alone = cloned_alone(cut, maker.home)
    told = alone.run("verify", code=5).out
    assert "? plan proven at" in told
    assert told.endswith("next: git fetch --unshallow\n")


def cloned_alone(cut: Place, home: Path) -> Place:
    """The maker's own clone of one commit of a shallow clone: nothing else is in it."""
    folder = cut.folder.parent / "alone"
    cut.git("clone", "-q", "--depth", "1", cut.folder.as_uri(), str(folder))
    alone = Place(folder, home)
    alone.git("fetch", "-q", "--depth", "1", "origin", "refs/forsooth/*:refs/forsooth/*")
    return alone


@requirement("R082")
def test_a_squash_to_the_same_tree_stays_proven(maker: Place):
    """The tree is what is proven, however many commits lead to it."""
    reader = cloned(maker, "squash", "-b", "work")
    reader.git("checkout", "-q", "-b", "squashed", "work~2")
    reader.git("merge", "-q", "--squash", "work")
    reader.git("commit", "-qm", "all at once")
    assert standing(verified(reader, 0))["plan"]


@requirement("R082")
def test_signers_listed_by_the_work_itself_are_ignored(maker: Place):
    """The base says who may sign: a key that the branch lists is nobody's."""
    reader = cloned(maker, "selfmade", "-b", "work")
    reader.commit("forsooth.toml", signer(maker.folder.parent / "elsewhere"))
    found = verified(reader, 5)
    assert standing(found) == {"G001": True, "G002": True, "plan": True}
    assert found["uncovered"] == ["forsooth.toml"]
    failed = reader.ask("verify", "--base", "HEAD", code=5)
    assert failed["error"]["code"] == "unknown-signer"
    assert reader.ask("verify", "--base", "HEAD~1", "--head", "HEAD~1")["missing"] == []


@requirement("R082")
def test_only_a_person_listed_on_the_base_seals(maker: Place):
    """A key that may judge alone has sealed nothing that counts."""
    reader = cloned(maker, "judge", "-b", "work")
    reader.commit("forsooth.toml", signer(maker.home, '"judge"'))
    failed = reader.ask("verify", "--base", "HEAD", code=4)
    assert failed["error"]["code"] == "wrong-role"


def action(place: Place, **inputs: str) -> Answer:
    """The step of the action, run by bash as CI runs it; its summary is what it prints last."""
    step = (ROOT / "action.yml").read_text(encoding="utf-8").split("      run: |\n")[1]
    files = {name: place.home / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    env = {name: str(path) for name, path in files.items()} | {
        "RUNNER_TEMP": str(place.home),
        "GITHUB_ACTION_PATH": str(ROOT),
        "FORSOOTH": " ".join(FORSOOTH),
        "BASE": "origin/main",
        "HEAD": "HEAD",
        "PLAN": "",
        "RERUN": "none",
        "SEED": "1",
    }
    bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")  # GitHub's `shell: bash`
    done = place.run(textwrap.dedent(step), prefix=bash, env=env | inputs, code=None)
    summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    assert f"code={done.code}\n" in files["GITHUB_OUTPUT"].read_text(encoding="utf-8")
    return done._replace(out=summary)


@requirement("R082")
def test_the_action_ends_as_verify_ends_and_writes_a_summary(maker: Place):
    """In a shallow clone to which nobody has fetched the receipts."""
    reader = cloned(maker, "action", "-b", "work", "--depth", "1")
    reader.git("update-ref", "-d", carry.REFERENCE)
    done = action(reader)
    assert done.code == 0, done
    assert "plan" in done.out.splitlines()[0]
    assert done.out.splitlines()[0].endswith(" proven")
    assert "| plan | ✔ proven | ada |" in done.out
    reader.commit("part/more.sh", "echo\n")
    failed = action(reader)
    assert failed.code in (1, 5)
    assert " not proven" in failed.out
    assert action(reader, PLAN="20000101-000000").code == 5


@requirement("R082")
def test_the_action_runs_a_share_of_the_checks_again(maker: Place):
    """It fetches the history that judging needs, and the summary says what was run."""
    reader = cloned(maker, "again", "-b", "work", "--depth", "1")
    done = action(reader, RERUN="all")
    assert done.code == 0, done
    assert "2 of 2 checks run again here" in done.out
    assert "as the receipts say: " in done.out


@requirement("R082")
def test_what_two_clones_proved_is_shared_by_both(maker: Place):
    """The remote took another's receipts first: verify takes them in, and its push is accepted."""
    late, early = cloned(maker, "late", "-b", "work"), cloned(maker, "early", "-b", "work")
    for place, tree in ((late, "1" * 40), (early, "2" * 40)):
        more = carry.Receipt(tree, "G001", tree.encode())
        carry.add(locate(place.folder), [more], at="2026-01-01T00:00:00.000Z")
    early.git(*carry.pushing()[1:])
    late.git("fetch", "-q", "origin", carry.fetching())
    told = late.ask("verify", "--base", "origin/main")
    assert told["push"] == " ".join(carry.pushing())
    late.git(*carry.pushing()[1:])
    found = carry.read(locate(late.folder)).receipts
    assert {"1" * 40, "2" * 40} <= {one.tree for one in found}
