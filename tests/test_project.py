"""The composition root: one method a use case, with a clock that is passed in."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta

import pytest

from forsooth.core.actor import Actor
from forsooth.core.amendment import Split
from forsooth.errors import Refused, UsageError
from forsooth.project import Approval, BadBrief, Project, Sealing
from tests.e2e.place import BRIEF, Place, first_commit, place

__all__ = ["first_commit", "place"]

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Clock:
    """A time that moves only when told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project(place: Place, clock: Clock) -> Project:
    """A person at a terminal."""
    person = Actor(kind="human", name="ada", channel="terminal")
    return Project(place.folder, actor=person, environment={"HOME": str(place.home)}, clock=clock)


@pytest.fixture
def plan(project: Project) -> str:
    """A sealed plan."""
    id_ = project.draft(BRIEF).plan.id
    project.seal(id_, project.sealing(id_), agent_present=False)
    return id_


def test_a_plan_is_named_by_the_time_it_was_made(project: Project):
    """Two of the same second get two names."""
    names = [project.draft(BRIEF, fresh=True).plan.id for _ in range(3)]
    assert names == ["20260301-090000", "20260301-090000-2", "20260301-090000-3"]
    assert [one.id for one in project.plans()] == names


def test_the_same_brief_again_is_a_new_draft_of_the_same_plan(project: Project):
    """Known by its file; another file is another plan."""
    first = project.draft(BRIEF, source="BRIEF.md")
    again = project.draft(BRIEF + "\n@goal: More\n", source="BRIEF.md")
    other = project.draft(BRIEF, source="OTHER.md")
    assert (again.plan.id, again.is_new) == (first.plan.id, False)
    assert [change.says for change in again.changes] == ["G004 More"]
    assert other.plan.id != first.plan.id
    assert project.which() == other.plan.id
    assert project.draft(BRIEF, source="BRIEF.md").plan.id == first.plan.id


def test_a_plan_is_named_by_any_beginning_that_fits_only_one(project: Project, plan: str):
    """Ids are long and people type little."""
    assert project.which("2026") == plan
    with pytest.raises(UsageError, match="no plan is called 1999"):
        project.which("1999")


def test_a_draft_with_defects_leaves_everything_as_it_was(project: Project, plan: str):
    """Every defect is told, and no event is written."""
    before = project.state(plan)
    with pytest.raises(BadBrief) as error:
        project.draft("@goal: A\nAfter: G009\n- [ ] be nice\n", plan=plan)
    assert [defect.code for defect in error.value.defects] == ["unknown-goal", "subjective"]
    assert project.state(plan) == before


def test_the_base_is_pinned_when_the_plan_is_sealed(project: Project, place: Place):
    """Not when it was drafted: what is confirmed is what is there."""
    id_ = project.draft(BRIEF).plan.id
    commit = place.commit("later.txt", "later\n")
    shown = project.sealing(id_)
    project.seal(id_, shown, agent_present=False)
    assert shown.plan.base.commit == commit
    assert project.state(id_).definition == shown.plan


def test_a_draft_made_while_somebody_reads_is_not_the_one_they_seal(project: Project):
    """What was shown is what is sealed, or nothing is."""
    id_ = project.draft(BRIEF).plan.id
    shown = project.sealing(id_)
    project.draft(BRIEF + "\n@goal: Sneaked in\n", plan=id_)
    with pytest.raises(Refused, match="not the one that was shown"):
        project.seal(id_, shown, agent_present=False)


def test_an_obstacle_until_a_time_lifts_by_itself(project: Project, plan: str, clock: Clock):
    """Time alone changes what is next."""
    until = "2026-03-01T10:00:00Z"
    for goal in ("G001", "G003"):
        project.block(plan, goal, needs="time", why="the embargo", kind="waiting", until=until)
    assert project.hand_out(plan).assignment is None
    clock.now += timedelta(hours=1)
    handed = project.hand_out(plan)
    assert handed.assignment
    assert handed.assignment.goal == "G001"


def test_the_token_of_an_attempt_is_kept_from_other_users(
    project: Project, plan: str, place: Place
):
    """The ledger has only its digest."""
    handed = project.hand_out(plan)
    (path,) = (place.state / "plans" / plan / "tokens").iterdir()
    assert path.read_text() == handed.token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert handed.token not in (place.state / "plans" / plan / "ledger.jsonl").read_text()
    assert project.hand_out(plan).token == handed.token


def test_proposed_criteria_are_sentences_and_marked_as_an_agents(project: Project):
    """The same shapes as in a brief, and the same refusals."""
    (made,) = project.criteria(["docs/a.md exists"])
    assert (made.by, made.check.kind) == ("agent", "files")
    with pytest.raises(BadBrief, match="--criterion: 1 defect"):
        project.criteria(["it feels right"])


def test_a_change_that_is_half_said_is_a_usage_error(project: Project):
    """The message names the member, and the hint the command to look at."""
    told = {"goal": "G001", "pieces": [], "evidence": "e", "rationale": "r"}
    with pytest.raises(UsageError, match="pieces: ") as error:
        project.amendment(Split, told)
    assert error.value.hint == "forsooth steer split --help"


def test_clearing_what_is_not_blocked_is_refused_with_its_name(project: Project, plan: str):
    """Also for a goal that is not there."""
    with pytest.raises(Refused, match="G001 has no open blocker"):
        project.unblock(plan, "G001")
    with pytest.raises(Refused, match="the plan has no goal G042"):
        project.unblock(plan, "G042")


def test_a_damaged_plan_is_listed_and_recovered_alone(project: Project, plan: str, place: Place):
    """Recovery of one ledger leaves every other as it is."""
    other = project.draft("Another.", fresh=True).plan.id
    path = place.state / "plans" / plan / "ledger.jsonl"
    path.write_bytes(path.read_bytes().replace(b"human", b"robot", 1))
    untouched = (place.state / "plans" / other / "ledger.jsonl").read_bytes()
    assert [one.status for one in project.plans()] == ["damaged", "draft"]
    assert project.locate_plan(plan) == plan
    assert project.fsck(plan).problem
    assert project.recover(plan)
    assert project.fsck(plan).problem is None
    assert (place.state / "plans" / other / "ledger.jsonl").read_bytes() == untouched


def test_two_plans_of_one_second_are_two(project: Project, monkeypatch):
    """Whoever comes second takes another name, and nobody's draft is lost."""
    first = project.draft("@goal: one\n- [ ] `true`\n", fresh=True).plan
    names = iter((first.id, f"{first.id}-2"))
    monkeypatch.setattr(project, "_new_id", lambda: next(names))
    second = project.draft("@goal: two\n- [ ] `true`\n", fresh=True).plan
    assert (first.id, second.id) == (first.id, f"{first.id}-2")
    assert project.state(first.id).proposal == first


def test_a_draft_made_while_an_approval_is_looked_at_is_not_sealed(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    """What is compared with the approval is what would be sealed, read once."""
    made = project.draft(BRIEF)
    read = project.sealing

    def late(plan: str) -> Sealing:
        project.draft(BRIEF + "\n@goal: More\n", plan=plan)
        return read(plan)

    monkeypatch.setattr(project, "sealing", late)
    with pytest.raises(Refused) as refused:
        project.approve(Approval(made.plan.id, made.plan.digest))
    assert [one.code for one in refused.value.reasons] == ["draft-changed"]
    assert not project.state(made.plan.id).sealed
