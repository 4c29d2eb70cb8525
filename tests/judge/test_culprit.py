"""The commit that broke something is named, and none is named that may not be it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forsooth.git.history import commits
from forsooth.git.repository import locate
from forsooth.judge.culprit import Culprit, blamed, culprit
from tests.git.repos import Repo


@given(many=st.integers(1, 200), data=st.data())
def test_the_one_commit_is_found_in_few_runs(many: int, data: st.DataObject):
    """With every commit runnable, bisection ends at exactly the one that broke it."""
    bad = data.draw(st.integers(0, many - 1))
    names = [str(n) for n in range(many)]
    asked: list[str] = []

    def is_red(name: str) -> bool:
        asked.append(name)
        return int(name) >= bad

    found = culprit(names, is_red, most=64)
    assert found == Culprit((str(bad),), len(asked))
    assert found.is_sure
    assert len(asked) == len(set(asked)) <= many.bit_length()


@given(many=st.integers(1, 60), data=st.data())
def test_commits_that_cannot_be_run_never_lead_to_a_wrong_name(many: int, data: st.DataObject):
    """The broken one is always among those named; more than one only where none could tell."""
    bad = data.draw(st.integers(0, many - 1))
    dumb = data.draw(st.sets(st.integers(0, many - 1)))
    names = [str(n) for n in range(many)]

    def is_red(name: str) -> bool | None:
        return None if int(name) in dumb else int(name) >= bad

    found = culprit(names, is_red, most=1000)
    assert found
    assert str(bad) in found.commits
    assert all(int(one) in dumb for one in found.commits[:-1])


@given(many=st.integers(1, 400), most=st.integers(0, 8), data=st.data())
def test_no_more_runs_are_spent_than_allowed(many: int, most: int, data: st.DataObject):
    """What is left when the runs are spent still holds the answer."""
    bad = data.draw(st.integers(0, many - 1))
    found = culprit([str(n) for n in range(many)], lambda name: int(name) >= bad, most=most)
    assert found
    assert found.runs <= most
    assert str(bad) in found.commits


def test_time_ends_it_as_runs_do():
    """A slow suite is not run for ever."""
    ticks = iter(range(0, 1000, 40))
    found = culprit(
        [str(n) for n in range(64)], lambda _: True, seconds=100, clock=lambda: next(ticks)
    )
    assert found
    assert found.runs == 2


def test_nothing_since_the_last_pass_has_no_culprit():
    """Without a commit there is none to name."""
    assert culprit([], lambda _: True) is None


def test_a_culprit_is_told_with_its_subject_and_files(tmp_path):
    """The name alone helps nobody: what it says it did, and what it touched."""
    repo = Repo(tmp_path)
    base = repo.commit("start", a="1")
    repo.commit("add b", b="1")
    bad = repo.commit("break it\n\nat length", c="1", d__e="1")
    here = locate(tmp_path)
    known = commits(here, base, bad)
    found = culprit([one.id for one in known], lambda id_: id_ == bad)
    assert found
    told = blamed(here, found, known)
    assert told.says == f"broke in {bad[:7]} (break it)"
    assert told.files == ("c", "d/e")
    both = blamed(here, Culprit(tuple(one.id for one in known), 0), known)
    assert "one of 2 commits" in both.says
    assert both.files == ("b", "c", "d/e")
