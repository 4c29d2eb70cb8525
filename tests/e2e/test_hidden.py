"""Criteria that are kept from agents: judged like any other, and shown to nobody."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.place import AGENT, Place, new
from tests.e2e.proving import HELLO, claim, said
from tests.requirements import requirement

SECRET = "turquoise"
HIDDEN = (
    f'@goal: Greet\n- [ ] in any weather: `sh greet.sh {SECRET}` exits 0, stdout has "{SECRET}"\n'
)


def begun(folder: Path) -> Place:
    """A plan with one criterion that is shown and one that is not."""
    place = new(folder / "place")
    place.commit("greet.sh", "echo hi\n")
    place.commit("BRIEF.md", f"@goal: Greet\n- [ ] {HELLO}\n")
    aside = folder / "hidden.md"
    aside.write_text(HIDDEN, encoding="utf-8")
    place.run("plan", "BRIEF.md", "--hidden", str(aside))
    aside.unlink()
    place.run("seal", "--yes")
    return place


def everything_shown(place: Place) -> str:
    """All that the verbs an agent may call print, and all that is recorded of the plan."""
    verbs = (["status"], ["next"], ["log"], ["why", "G001"], ["check", "G001"], ["fsck"])
    told = [
        place.run(*verb, *more, code=None, env=AGENT)
        for verb in verbs
        for more in ((), ("--json",))
    ]
    (plan,) = place.plans
    kept = [path.read_text("utf-8") for path in plan.iterdir() if path.is_file()]
    assert any("hidden criterion" in text for text in kept)
    return "\n".join([*(f"{one.out}{one.err}" for one in told), *kept])


@requirement("R107")
def test_what_is_hidden_is_never_shown_and_still_decides(tmp_path: Path):
    """The visible criterion holds and the claim fails, with no word of why beyond that."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    failed = said(place, "G001")
    assert "G001.C1" not in failed.out
    assert "G001.C2 hidden: " in failed.out
    assert SECRET not in failed.out + failed.err
    assert SECRET not in str(claim(place, "G001", 1))
    assert SECRET not in everything_shown(place)
    place.commit("greet.sh", 'echo "good day $1"\n')
    token = place.ask("next", env=AGENT)["token"]
    passed = place.run("done", "G001", "--token", token, env=AGENT)
    for form in ("text", "statement", "junit", "sarif", "envelope"):
        assert SECRET not in place.run("receipt", "G001", "--format", form).out
    assert SECRET not in passed.out + passed.err + everything_shown(place)
    rows = place.ask("receipt", "G001")["predicate"]["checks"]
    assert [row["says"] for row in rows][1:] == ["hidden criterion"]
    assert place.run("verify").code == 0


@requirement("D9")
def test_a_hidden_criterion_that_was_changed_afterwards_is_not_run(tmp_path: Path):
    """What is kept must be what was sealed, or there is no verdict at all."""
    place = begun(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    (kept,) = (place.home / ".local/state/forsooth").rglob("*.hidden.json")
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_text(kept.read_text().replace(SECRET, "day"), encoding="utf-8")
    failed = place.ask("done", "G001", code=5, env=AGENT)
    assert failed["error"]["code"] == "hidden-lost"
