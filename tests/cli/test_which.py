"""Which plan is meant is said, bound or the only one; it is never guessed."""

from __future__ import annotations

import pytest

from tests.cli.inside import Inside
from tests.e2e.place import Place

OTHER = "@goal: Write the manual\n- [ ] docs/manual.md exists\n"


@pytest.fixture
def two(planned: Inside) -> tuple[Inside, Place, list[str]]:
    """Two live plans: the main work tree is bound to one, a linked one to the other."""
    linked = planned.place.linked("second")
    planned.enter(linked)
    planned("plan", "--new", "--text", OTHER)
    planned.enter(planned.place)
    return planned, linked, [path.name for path in planned.place.plans]


def test_work_trees_share_their_plans_and_keep_their_own_binding(two):
    """State lies under the common git dir; each work tree means the plan it was given."""
    inside, linked, (first, second) = two
    assert inside.ask("status")["plan"]["id"] == first
    inside.enter(linked)
    assert inside.ask("status")["plan"]["id"] == second
    (linked.folder / "deep").mkdir()
    inside.enter(Place(linked.folder / "deep", linked.home))
    assert inside.ask("status")["plan"]["id"] == second
    listed = inside.ask("status", "--all")["plans"]
    assert [one["id"] for one in listed] == [first, second]
    assert not (linked.folder / "forsooth").exists()


def test_a_third_work_tree_must_say_which(two):
    """Exit 2 with the list of live plans, and a command that shows one of them."""
    inside, _, (first, second) = two
    inside.enter(inside.place.linked("third"))
    for verb in ("status", "next", "seal", "log", "stop"):
        failed = inside(verb, code=2)
        assert f"{first} (BRIEF.md, active), {second} (no file, draft)" in failed.err
        assert f"try: forsooth status --plan {second}" in failed.err
    assert inside.codes("status", code=2) == ["which-plan"]


def test_an_option_wins_over_the_environment_and_that_over_the_binding(two):
    """Named by --plan, then FORSOOTH_PLAN, then the work tree."""
    inside, _, (first, second) = two
    assert inside.ask("status", FORSOOTH_PLAN=second)["plan"]["id"] == second
    told = inside.ask("status", "--plan", first, FORSOOTH_PLAN=second)
    assert told["plan"]["id"] == first
    assert inside.codes("status", code=2, FORSOOTH_PLAN="20200101-000000") == ["which-plan"]
    assert "fits several plans" in inside("status", "--plan", "2", code=2).err


def test_a_work_tree_called_main_is_not_the_main_one(two):
    """Git lets a linked work tree have any name."""
    inside, _, (first, second) = two
    inside.enter(inside.place.linked("main"))
    inside("status", code=2)
    inside("plan", "--text", OTHER, "--plan", second)
    assert inside.ask("status")["plan"]["id"] == second
    inside.enter(inside.place)
    assert inside.ask("status")["plan"]["id"] == first


def test_a_plan_given_up_is_no_longer_meant(two):
    """The other live one takes its place; with none left the last one is still shown."""
    inside, _, (first, second) = two
    inside("stop", "--for-good", "--yes")
    assert inside.ask("status")["plan"]["id"] == second
    inside("stop", "--for-good", "--yes")
    told = inside.ask("status")["plan"]
    assert (told["id"], told["status"]) == (first, "dropped")
    assert inside.codes("resume", "--yes") == ["dropped"]


def test_damage_to_one_plan_does_not_stop_another(two):
    """The bound plan goes on; the list names the damaged one; unbound, nobody guesses past it."""
    inside, linked, (first, second) = two
    path = inside.place.state / "plans" / second / "ledger.jsonl"
    path.write_bytes(path.read_bytes().replace(b"manual", b"annual", 1))
    assert inside.ask("next")["plan"] == first
    listed = inside.ask("status", "--all")["plans"]
    assert [one["status"] for one in listed] == ["active", "damaged"]
    inside.enter(inside.place.linked("third"))
    assert f"{second} (no file, damaged)" in inside("next", code=2).err
    inside.enter(linked)
    assert inside.codes("next", code=4) == ["tampered"]
    inside("fsck", code=4)
    inside("fsck", "--recover", "--yes")


def test_a_folder_whose_first_event_never_came_is_no_plan(planned: Inside):
    """A crash between making the folder and the first append confuses nobody."""
    (planned.place.state / "plans" / "20200101-000000").mkdir()
    (planned.place.state / "bound" / "main").unlink()
    assert planned.ask("status")["plan"]["status"] == "active"
