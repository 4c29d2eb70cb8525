"""The judge itself: every criterion, on a clean copy, reusing only what still rests on the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import compile as compiled
from forsooth.core.canonical import digest
from forsooth.core.plan import Base, Goal
from forsooth.core.verdict import Verdict
from forsooth.errors import CouldNotVerify
from forsooth.git.objects import base, tree_of
from forsooth.git.snapshot import snapshot
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.toolchain import Search
from forsooth.judge.judge import Asked, Case, Judge
from forsooth.judge.look import Looking
from forsooth.judge.sandbox.runner import answer
from forsooth.judge.sandbox.tiers import available
from tests.git.repos import Repo

SCRIPT = "#!/bin/sh\necho {}\n"


def a_goal(*sentences: str) -> Goal:
    text = "\n".join(("@goal: Say it", *(f"- [ ] {one}" for one in sentences)))
    return compiled(parse(text), plan_id="20260101-000000", digest="0" * 64).goals[0]


class Bench:
    """A repository with one script, and a judge for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = Repo(folder / "work")
        self.work.write("say.sh", SCRIPT.format("hello"), mode=0o755)
        self.work.commit("first")
        self.base = base(self.work.repo)
        self.kept: dict[str, bytes] = {}
        self.told: list[str] = []

    def judge(self, goal: Goal, *, tree: str = "", **fields) -> Verdict:
        layers = Layers(self.folder / "layers", search=Search("/usr/bin:/bin", self.folder, answer))
        judge = Judge(
            self.work.repo,
            cache=self.folder / "cache",
            sandbox=available(),
            layers=layers,
            keep=self.keep,
        )
        at = snapshot(self.work.repo)
        case = Case(
            subject=goal.id,
            tree=tree or at.tree,
            asked=tuple(Asked(criterion, goal) for criterion in goal.criteria),
            plan_digest="d" * 64,
            base=self.base,
            commit=at.commit,
            **fields,
        )
        with layers:
            return judge.judge(case, lambda finding: self.told.append(finding.criterion)).verdict

    def keep(self, data: bytes) -> str:
        name = digest(data)
        self.kept[name] = data
        return name


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path)


def outcomes(verdict: Verdict) -> list[tuple[str, str]]:
    return [(finding.outcome, finding.code) for finding in verdict.findings]


def test_every_criterion_is_judged_and_backed_by_evidence(bench: Bench):
    """One that fails does not hide the others, and each keeps bytes that show it."""
    goal = a_goal(
        '`./say.sh` exits 0, stdout has "hello"',
        '`./say.sh` exits 0, stdout has "goodbye"',
        "say.sh exists",
        "README.md exists",
    )
    verdict = bench.judge(goal)
    assert outcomes(verdict) == [
        ("pass", "pass"),
        ("fail", "output-lacks"),
        ("pass", "pass"),
        ("fail", "missing"),
    ]
    assert verdict.outcome == "fail"
    assert verdict.isolation == available().tier
    assert all(name in bench.kept for f in verdict.findings for name in f.evidence)
    assert sorted(bench.told) == [f"G001.C{n}" for n in range(1, 5)]


def test_what_is_delivered_is_judged_and_not_what_lies_elsewhere(bench: Bench):
    """A tree is judged as it was snapshotted, whatever the work tree has become since."""
    goal = a_goal('`./say.sh` exits 0, stdout has "done"')
    bench.work.write("say.sh", SCRIPT.format("done"), mode=0o755)
    mended = snapshot(bench.work.repo).tree
    bench.work.write("say.sh", SCRIPT.format("broken"), mode=0o755)
    assert bench.judge(goal, tree=mended).outcome == "pass"
    assert bench.judge(goal).outcome == "fail"


def test_one_run_leaves_nothing_for_the_next(bench: Bench):
    """What a check writes into the copy is gone before another looks."""
    goal = a_goal("`touch left && test -e left`", "`test ! -e left`")
    for _ in range(2):
        assert bench.judge(goal, fresh=True).outcome == "pass"


def test_a_finding_is_reused_until_what_it_rests_on_changes(bench: Bench):
    """The same tree is not looked at twice; another tree, or being asked to, is."""
    goal = a_goal('`./say.sh` exits 0, stdout has "hello"')
    assert [f.cached for f in bench.judge(goal).findings] == [False]
    assert [f.cached for f in bench.judge(goal).findings] == [True]
    assert [f.cached for f in bench.judge(goal, fresh=True).findings] == [False]
    bench.work.write("other.txt")
    assert [f.cached for f in bench.judge(goal).findings] == [False]


def test_declared_paths_narrow_what_a_finding_rests_on(bench: Bench):
    """A change elsewhere does not have it judged again; one inside does."""
    goal = a_goal('`./say.sh` exits 0, stdout has "hello"')
    goal = goal.but(criteria=tuple(c.but(paths=("say.sh",)) for c in goal.criteria))
    bench.judge(goal)
    bench.work.write("other.txt")
    assert [f.cached for f in bench.judge(goal).findings] == [True]
    bench.work.write("say.sh", SCRIPT.format("changed"), mode=0o755)
    assert outcomes(bench.judge(goal)) == [("fail", "output-lacks")]


def test_an_error_is_never_kept(bench: Bench):
    """What could not be evaluated may be evaluated tomorrow."""
    goal = a_goal("a person agrees: it reads well")
    for _ in range(2):
        verdict = bench.judge(goal)
        assert outcomes(verdict) == [("error", "awaiting-approval")]
        assert not verdict.findings[0].cached
    assert verdict.outcome == "inconclusive"


def test_an_environment_that_cannot_be_had_is_an_error_and_no_failure(bench: Bench, monkeypatch):
    """Without its dependencies a command is not run; what needs none is judged all the same."""

    def fails(*_, **__):
        raise CouldNotVerify("no such pin", hint="relax it", code="environment:pin-unavailable")

    monkeypatch.setattr(Layers, "of", fails)
    verdict = bench.judge(a_goal("`./say.sh`", "say.sh exists"))
    assert outcomes(verdict) == [("error", "environment:pin-unavailable"), ("pass", "pass")]
    assert verdict.outcome == "inconclusive"


def test_a_base_with_merged_upstream_shows_only_its_own_changes(bench: Bench):
    """What came with the branch that was merged is not the goal's doing."""
    work = bench.work
    work.git("switch", "-q", "-c", "upstream")
    work.write("theirs.txt")
    upstream = work.commit("theirs")
    work.git("switch", "-q", "main")
    work.write("ours.txt")
    work.commit("ours")
    work.git("merge", "-q", "--no-edit", "upstream")
    head = work.git("rev-parse", "HEAD")
    tree = tree_of(work.repo, head)
    look = Looking(work.repo, tree, base=bench.base, commit=head, upstream=upstream)
    assert [change.path for change in look.changes] == ["ours.txt"]
    assert "theirs" not in [commit.message.strip() for commit in look.commits]
    whole = Looking(work.repo, tree, base=bench.base, commit=head)
    assert [change.path for change in whole.changes] == ["ours.txt", "theirs.txt"]
    assert Looking(work.repo, tree, base=Base()).commits == ()
    assert look.mode("say.sh") == "100755"
    assert look.read("nowhere") is None
