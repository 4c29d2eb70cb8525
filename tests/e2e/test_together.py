"""Goals of one plan in one tree: what one was proven with is what the others are judged against."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.place import AGENT, Place, new
from tests.e2e.proving import claim, said
from tests.requirements import requirement

SLUG = "def slug(title):\n    return title.lower()\n"
TESTS = """\
import unittest

from slug import slug


class Slug(unittest.TestCase):
    def test_lower(self):
        self.assertEqual(slug("A B"), "{}")

    def test_empty(self):
        self.assertEqual(slug(""), "")
"""
LATIN = "import unittest\n\nfrom latin import latin\n\n\nclass Latin(unittest.TestCase):\n"
LATIN += '    def test_latin(self):\n        self.assertEqual(latin("e"), "E")\n'
BRIEF = """\
Suite: `python3 -m unittest`

@goal: Join words with dashes
May change: test_slug.py
- [ ] dashes: `python3 -c "from slug import slug; assert slug('A B') == 'a-b'"`

@goal: Latin letters
{after}- [ ] latin: `python3 -m unittest test_latin.py`
"""
DASHES = 'def slug(title):\n    return "-".join(title.lower().split(" "))\n'
UPPER = "def latin(letter):\n    return letter.upper()\n"


def begun(folder: Path, brief: str, **files: str) -> Place:
    """A repository with a sealed plan; `__` in a name stands for a slash, `_py` for its end."""
    place = new(folder / "place")
    for name, text in files.items():
        place.write(name.replace("__", "/").replace("_dot_", "."), text)
    place.write("BRIEF.md", brief)
    place.git("add", "-A")
    place.git("commit", "-qm", "begin")
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    return place


def slugs(folder: Path, after: str = "After: G001\n") -> Place:
    """Two goals over one suite, of which the first may change an expectation of it."""
    files = {"slug_dot_py": SLUG, "test_slug_dot_py": TESTS.format("a b")}
    return begun(folder, BRIEF.format(after=after), **files)


def dashes(place: Place) -> None:
    place.write("slug.py", DASHES)
    place.write("test_slug.py", TESTS.format("a-b"))


def latin(place: Place) -> None:
    place.write("latin.py", UPPER)
    place.write("test_latin.py", LATIN)


def codes(found: Any) -> dict[str, str]:
    return {one["criterion"]: one["code"] for one in found["findings"] if one["outcome"] != "pass"}


@requirement("D20")
def test_a_permission_that_was_used_and_proven_holds_for_the_other_goals(tmp_path: Path):
    """The second goal's suite is judged with the test that the first was allowed to change."""
    place = slugs(tmp_path)
    dashes(place)
    claim(place, "G001")
    latin(place)
    found = claim(place, "G002")
    assert found["plan_receipt"]
    place.git("add", "-A")
    place.git("commit", "-qm", "work")
    place.run("verify")
    claim(place, "G001")
    place.run("verify")
    place.run("check")
    place.run("check", "G002")


@requirement("D20")
def test_a_permission_of_one_goal_lets_no_other_change_the_file_again(tmp_path: Path):
    """What the first goal was proven with is frozen; the second may not edit it further."""
    place = slugs(tmp_path)
    dashes(place)
    claim(place, "G001")
    latin(place)
    place.write("slug.py", DASHES.replace("title.lower()", "title"))
    place.write("test_slug.py", TESTS.format("A-B"))
    found = claim(place, "G002", code=1)
    assert codes(found) == {"suite": "oracle-changed"}
    (action,) = [one["action"] for one in found["findings"] if one["action"]]
    assert "forsooth done G001" in action
    assert "Take back" not in action


@requirement("D20")
def test_goals_whose_work_lies_together_are_proven_in_any_order(tmp_path: Path):
    """Neither waits for the other, although neither is proven when the first is claimed."""
    place = slugs(tmp_path, after="")
    place.run("next", "G001", env=AGENT)
    dashes(place)
    latin(place)
    found = claim(place, "G002")
    assert any("G001, which is not proven yet" in flag for flag in found["flags"])
    token = place.ask("next", "G001", env=AGENT)["token"]
    done = place.run("done", "G001", "--token", token, env=AGENT)
    assert "the plan is proven" in done.out


AHEAD = BRIEF.format(after="").replace("May change", "After: G002\nMay change")
AHEAD += '\n@goal: Page\n- [ ] page.md contains "Slugs"\n'


def ahead(folder: Path, brief: str = AHEAD) -> Place:
    """All work in one tree, where the goal that may change a test waits for another."""
    files = {"slug_dot_py": SLUG, "test_slug_dot_py": TESTS.format("a b")}
    place = begun(folder, brief, **files)
    dashes(place)
    latin(place)
    place.write("page.md", "# Slugs\n")
    return place


@requirement("D20")
def test_work_that_the_plan_permits_a_goal_which_waits_refuses_no_other_goal(tmp_path: Path):
    """It is neither the first goal's nor anyone's offence; its own goal's claim judges it."""
    place = ahead(tmp_path)
    for goal in ("G002", "G003"):
        flags = claim(place, goal)["flags"]
        assert any("test_slug.py: as changed for G001, which is not proven" in f for f in flags)
    assert claim(place, "G001")["plan_receipt"]


SKIPPED = TESTS.format("a-b").replace(
    "    def test_e", "    @unittest.skip('later')\n    def test_e"
)
SOFT = TESTS.format("a-b").replace('assertEqual(slug(""), "")', 'assertIsNotNone(slug(""))')


@requirement("D20")
@pytest.mark.parametrize(
    ("tests", "goal", "code"), [(SKIPPED, "G002", "skipped"), (SOFT, "G001", "softened")]
)
def test_a_cheat_behind_the_permission_of_a_goal_which_waits_is_refused(
    tmp_path: Path, tests: str, goal: str, code: str
):
    """What exceeds the permission where it serves, what misuses it where it is claimed."""
    place = ahead(tmp_path)
    place.write("slug.py", DASHES.replace("return", "return 'none' if not title else"))
    place.write("test_slug.py", tests)
    if goal != "G002":
        claim(place, "G002")
    assert codes(claim(place, goal, code=1))["suite"] == code


@requirement("D20")
def test_a_permission_of_a_goal_which_waits_changes_nothing_that_another_is_proven_by(
    tmp_path: Path,
):
    """A criterion that was red is judged with the sealed test, and the refusal says whose it is."""
    brief = AHEAD.replace("test_latin.py", "test_slug.Slug.test_lower")
    files = {"slug_dot_py": SLUG, "test_slug_dot_py": TESTS.format("a-b")}
    place = begun(tmp_path, brief, **files)
    place.write("test_slug.py", TESTS.format("a b"))
    found = claim(place, "G002", code=1)
    assert codes(found)["G002.C1"] == "oracle-changed"
    actions = {one["criterion"]: one["action"] for one in found["findings"]}
    assert "G001 may change test_slug.py and waits for another goal" in actions["G002.C1"]


@requirement("D20")
@pytest.mark.parametrize("is_committed", [True, False])
def test_work_on_a_goal_which_waits_and_names_nothing_is_set_aside_and_brought_back(
    tmp_path: Path, *, is_committed: bool
):
    """Allowed paths hold against a goal that may go anywhere; the refusal prints what leads on."""
    brief = FENCED.replace("- [ ] greets", "After: G002\n- [ ] greets")
    place = begun(tmp_path, brief, greet_dot_sh="echo hi\n", site__say_dot_sh="echo hi\n")
    place.write("greet.sh", "echo good day\n")
    place.write("page.md", "# Page\n")
    place.write("site/say.sh", "echo bye\n")
    if is_committed:
        place.git("add", "-A")
        place.git("commit", "-qm", "work")
    found = claim(place, "G002", code=1)
    assert codes(found) == {"G002.C2": "outside"}
    (action,) = [one["action"] for one in found["findings"] if one["action"]]
    assert "G001 may change" in action
    assert "waits for another goal" in action
    *before, again, back = re.findall(r"`([^`]+)`", action)
    for command in before:
        subprocess.run(["sh", "-c", command], cwd=place.folder, check=True)
    assert again == "forsooth done G002"
    claim(place, "G002")
    subprocess.run(["sh", "-c", back], cwd=place.folder, check=True)
    assert (place.folder / "greet.sh").read_text() == "echo good day\n"
    assert (place.folder / "page.md").exists()
    assert claim(place, "G001")["plan_receipt"]


FENCED = """\
@goal: Greet
- [ ] greets: `sh greet.sh` exits 0, stdout has "day"

@goal: Site
- [ ] site: `sh site/say.sh` exits 0, stdout has "bye"
- [ ] only site/** change
"""


def fenced(folder: Path) -> Place:
    return begun(folder, FENCED, greet_dot_sh="echo hi\n", site__say_dot_sh="echo hi\n")


@requirement("D20")
def test_proven_work_of_a_goal_without_a_fence_is_outside_of_no_other_fence(tmp_path: Path):
    """Also a new file of it that git does not know yet."""
    place = fenced(tmp_path)
    place.write("words.sh", "echo good day\n")
    place.write("greet.sh", ". ./words.sh\n")
    claim(place, "G001")
    place.write("site/say.sh", "echo bye\n")
    assert claim(place, "G002")["plan_receipt"]


@requirement("D20")
def test_proven_work_that_another_goal_changed_again_is_outside_of_its_fence(tmp_path: Path):
    """And the refusal says whose it is."""
    place = fenced(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    place.write("site/say.sh", "echo bye\n")
    place.write("greet.sh", "echo good day, and more\n")
    found = claim(place, "G002", code=1)
    assert codes(found) == {"G002.C2": "outside"}
    (action,) = [one["action"] for one in found["findings"] if one["action"]]
    assert "G001" in action
    assert place.git("rev-parse", "--short=12", "HEAD") in action


@requirement("D20")
@pytest.mark.parametrize("is_begun", [True, False])
def test_work_without_a_fence_that_is_not_proven_yet_is_never_to_be_taken_back(
    tmp_path: Path, *, is_begun: bool
):
    """Begun, it is counted as that goal's; else it is to be claimed first."""
    place = fenced(tmp_path)
    place.write("greet.sh", "echo good day\n")
    place.write("site/say.sh", "echo bye\n")
    if is_begun:
        place.run("next", "G001", env=AGENT)
        assert claim(place, "G002")["flags"]
        return
    found = said(place, "G002").out
    assert "forsooth done G001" in found
    assert "Take back" not in found
    claim(place, "G001")
    assert claim(place, "G002")["plan_receipt"]


@requirement("D20")
def test_the_brief_and_our_settings_are_outside_of_no_fence(tmp_path: Path):
    """A brief that is put right and sealed again is no work of anyone."""
    place = fenced(tmp_path)
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    place.write("BRIEF.md", FENCED.replace("@goal: Site", "@goal: The site"))
    place.write("forsooth.toml", "# settings\n")
    place.run("plan", "BRIEF.md")
    place.typed("seal", answer="y")
    place.write("site/say.sh", "echo bye\n")
    assert claim(place, "G002")["plan_receipt"]


@requirement("D20")
def test_two_goals_that_may_not_touch_each_other_s_files_are_both_proven(tmp_path: Path):
    """What one must never touch and the other changed is the other's work."""
    brief = FENCED.replace("- [ ] only site/** change", "- [ ] never touch greet.sh")
    brief = brief.replace("\n@goal: Site", "- [ ] never touch site/**\n\n@goal: Site")
    place = begun(tmp_path, brief, greet_dot_sh="echo hi\n", site__say_dot_sh="echo hi\n")
    place.write("greet.sh", "echo good day\n")
    place.write("site/say.sh", "echo bye\n")
    said(place, "G001")
    claim(place, "G002")
    assert claim(place, "G001")["plan_receipt"]


@requirement("D20")
@pytest.mark.parametrize(
    ("tests", "code"),
    [("", "inventory"), (LATIN.replace('"E")', '"e")'), "oracle-changed")],
)
def test_new_tests_of_a_proven_goal_are_not_another_s_to_change(
    tmp_path: Path, tests: str, code: str
):
    """They are part of what the suite is judged by as soon as their goal is proven."""
    brief = BRIEF.format(after="").replace("May change: test_slug.py\n", "")
    files = {"slug_dot_py": SLUG, "test_slug_dot_py": TESTS.format("a b")}
    place = begun(tmp_path, brief.replace("slug('A B') == 'a-b'", "slug('A-B') == 'a_b'"), **files)
    latin(place)
    claim(place, "G002")
    place.write("slug.py", "def slug(title):\n    return title.lower().replace('-', '_')\n")
    if tests:
        place.write("latin.py", "def latin(letter):\n    return letter\n")
        place.write("test_latin.py", tests)
    else:
        (place.folder / "test_latin.py").unlink()
    found = claim(place, "G001", code=1)
    assert codes(found) == {"suite": code}


@requirement("D20")
def test_new_tests_that_lay_in_a_proven_tree_stay_the_goal_s_whose_criteria_run_them(
    tmp_path: Path,
):
    """Another goal's receipt freezes nothing of a goal that is still at work."""
    brief = BRIEF.format(after="").replace("May change: test_slug.py\n", "")
    brief = brief.replace("slug('A B') == 'a-b'", "slug('A-B') == 'a_b'")
    files = {"slug_dot_py": SLUG, "test_slug_dot_py": TESTS.format("a b")}
    place = begun(tmp_path, brief, **files)
    place.write("slug.py", "def slug(title):\n    return title.lower().replace('-', '_')\n")
    latin(place)
    claim(place, "G001")
    place.write("test_latin.py", LATIN.replace("def test_latin", "def test_upper"))
    assert claim(place, "G002")["plan_receipt"]


@requirement("D20")
def test_two_work_trees_of_one_plan_each_deliver_their_own_branch(tmp_path: Path):
    """Each proves its goal without the other's work; merged as it says, the plan is proven."""
    place = begun(tmp_path, FENCED, greet_dot_sh="echo hi\n", site__say_dot_sh="echo hi\n")
    other = place.linked("other")
    other.git("checkout", "-q", "-b", "site")
    place.commit("greet.sh", "echo good day\n")
    claim(place, "G001")
    other.run("next", "G002", env=AGENT)
    other.commit("site/say.sh", "echo bye\n")
    token = other.ask("next", "G002", env=AGENT)["token"]
    done = other.run("done", "G002", "--token", token, env=AGENT)
    assert place.statuses() == {"G001": "done", "G002": "done"}
    (after,) = [line for line in done.out.splitlines() if line.startswith("next: ")]
    merge, again = after.removeprefix("next: ").split(", then ")
    assert merge == f"git merge {place.git('rev-parse', '--short=12', 'main')}"
    assert again == "forsooth done G002"
    assert again in other.run("status").out
    other.git(*merge.split()[1:], "-q", "--no-edit")
    assert "the plan is proven" in other.run("done", "G002", env=AGENT).out
    other.run("verify")


@requirement("D20")
def test_proven_work_that_lies_in_another_work_tree_is_to_be_committed_there(tmp_path: Path):
    """It has no commit that could be merged, and the plan is not judged without it."""
    place = fenced(tmp_path)
    other = place.linked("other")
    place.write("greet.sh", "echo good day\n")
    claim(place, "G001")
    other.write("site/say.sh", "echo bye\n")
    found = claim(other, "G002")
    assert [(one["goal"], one["commit"]) for one in found["absent"]] == [("G001", None)]
    assert not found["plan_receipt"]
    assert place.statuses() == {"G001": "done", "G002": "done"}
