"""What a refused claim looks like to a person: each reason once, with what to do about it."""

from __future__ import annotations

from tests.e2e.place import AGENT, Place
from tests.requirements import requirement

BRIEF = '@goal: A page\n- [ ] docs/page.md contains "## Errors"\n- [ ] README.md exists\n'
REASON = "docs/page.md"


@requirement("R050")
def test_a_reason_stands_once_on_a_screen_and_in_both_streams_of_a_script(place: Place):
    """A screen shows both streams as one; a script may keep only one of them."""
    place.commit("BRIEF.md", BRIEF)
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    place.commit("docs/page.md", "# A page\n")
    seen = place.typed("done", "G001", env={"NO_COLOR": "1"})
    assert seen.code == 1
    rows = [row for row in seen.out.splitlines() if "G001.C1" in row]
    assert len(rows) == 1, seen.out
    assert REASON in rows[0]
    assert "✔ G001.C2" in seen.out
    told = place.run("done", "G001", code=1, env=AGENT)
    assert REASON in told.out
    assert REASON in told.err
