"""A goal without criteria is proven by nothing; where a person allows it, every line says so."""

from pathlib import Path

from tests.e2e.place import new
from tests.e2e.proving import sealed
from tests.requirements import requirement

SEED = """\
Shared brief constraints / context go here (optional preamble).

@goal: Parse the intake CSVs
Ingest reviewer CSVs from the watch dir, validate headers, and reject
malformed rows with a per-row reason. Objectives can span multiple lines
and contain `code`, "quotes", or commands — no escaping needed.

@goal: Normalize records
Map raw rows onto the canonical schema and dedupe by record id.

@goal: Export the audit report
Emit an audit-ready report covering every accepted and rejected row.
"""
ONE = "- [ ] stays green: `sh ok.sh`\n\n@goal: Tidy\nTidy the script.\n"
WEAK = "proven (weak contract)"


@requirement("R090")
def test_goals_without_criteria_are_not_proven_by_a_comment(tmp_path: Path):
    """The seed's own brief: a line of comment is no proof, and the answer says what would be."""
    place = sealed(new(tmp_path / "place"), SEED, ok="true\n")
    place.write("ok.sh", "true\n# x\n")
    assert "A claim cannot prove this goal" in place.run("next", "G001").out
    for goal in ("G001", "G002", "G003"):
        error = place.ask("done", goal, code=5)["error"]
        assert error["code"] == "weak-contract"
        assert goal in error["message"]
        assert "add a criterion" in error["hint"]
    assert not any(goal["status"] == "done" for goal in place.ask("status")["goals"])


@requirement("R090")
def test_what_a_person_lets_be_proven_weakly_is_called_weak_on_every_line(tmp_path: Path):
    """Only the person's own settings allow it; done, status, receipt, verify and log say so."""
    place = new(tmp_path / "place")
    settings = place.home / ".config/forsooth/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[policy]\nweak = "allow"\nisolation = "none"\n', encoding="utf-8")
    sealed(place, ONE, ok="true\n")
    place.write("ok.sh", "true\n# x\n")
    done = place.run("done", "G001").out
    assert f"G001 {WEAK}: 1 of 1 hold" in done
    assert f"the plan is {WEAK}" in done
    assert "(not committed)" in done
    status = place.run("status").out
    assert "1 of 1 goals proven (weak contract: G001)" in status
    assert f"G001 is {WEAK}" in place.run("why", "G001").out
    page = place.run("receipt", "G001").out
    assert page.startswith(f"## Forsooth: G001 {WEAK}: Tidy\n")
    assert "which was not committed (commit `" in page
    assert 'name="contract" value="weak"' in place.run("receipt", "--format", "junit").out
    place.git("commit", "-qam", "tidy")
    assert f"✔ G001 {WEAK}, signed" in place.run("verify").out
    assert "G001 (weak contract)" in place.run("log").out
    assert place.ask("status")["plan"]["contract"] == "weak"
