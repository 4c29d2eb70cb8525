"""A repository, a plan on its base, and a judge that looks at what was made of it."""

from __future__ import annotations

from pathlib import Path

from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import compile as compiled
from forsooth.core.canonical import digest
from forsooth.core.ground import Ground
from forsooth.core.ids import SUITE
from forsooth.core.plan import Base, Criterion, Plan
from forsooth.core.verdict import Finding, Verdict
from forsooth.git.snapshot import snapshot
from forsooth.judge.court import Asked, asked_of
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.toolchain import Search
from forsooth.judge.judge import Case, Judge
from forsooth.judge.neighbour import Neighbour
from forsooth.judge.sandbox.runner import answer
from forsooth.judge.sandbox.tiers import available
from tests.git.repos import Repo


class Court:
    """One repository before the judge."""

    def __init__(
        self, folder: Path, files: dict[str, str], brief: str, *, search: Search | None = None
    ) -> None:
        self.folder, self.work = folder, Repo(folder / "work")
        self._search = search or Search("/usr/bin:/bin", folder, answer)
        for name, text in files.items():
            self.work.write(name, text)
        self.work.commit("base")
        self.kept: dict[str, bytes] = {}
        self.plan: Plan = compiled(parse(brief), plan_id="20260101-000000", digest="0" * 64)
        at = snapshot(self.work.repo)
        self.base = Base(commit=at.commit, tree=at.tree)
        self.ground: Ground | None = None

    def judge(self) -> Judge:
        return Judge(
            self.work.repo,
            cache=self.folder / "cache",
            sandbox=available(),
            layers=Layers(self.folder / "layers", search=self._search),
            keep=self.keep,
            load=lambda name: self.kept[name],
        )

    def keep(self, data: bytes) -> str:
        name = digest(data)
        self.kept[name] = data
        return name

    @property
    def asked(self) -> tuple[Asked, ...]:
        rows = [
            *asked_of(self.plan.goals, (Neighbour(one, is_open=True) for one in self.plan.goals))
        ]
        if self.plan.suite:
            suite = Criterion(id=SUITE, says="suite", check=self.plan.suite, guard=True)
            rows.append(Asked(suite, self.plan.goals[0]))
        return tuple(rows)

    def case(self, tree: str, commit: str | None) -> Case:
        return Case("plan", tree, self.asked, "d" * 64, commit=commit)

    def sealed(self) -> Court:
        """Run everything on the base."""
        case = self.case(self.base.tree or "", self.base.commit)
        self.ground = self.judge().ground(case)
        return self

    def reds(self) -> dict[str, str | None]:
        assert self.ground
        return {one.criterion: one.red for one in self.ground.baselines}

    def verdict(self, *, full: bool = True) -> Verdict:
        """What is made of the work tree as it lies."""
        at = snapshot(self.work.repo)
        case = self.case(at.tree, at.commit)._replace(
            base=self.base, ground=self.ground, full=full, fresh=True
        )
        return self.judge().judge(case).verdict

    def found(self, *, full: bool = True) -> dict[str, Finding]:
        """Its findings, by criterion."""
        return {one.criterion: one for one in self.verdict(full=full).findings}

    def told(self, criterion: str = "G001.C1", *, full: bool = True) -> tuple[str, str]:
        one = self.found(full=full)[criterion]
        return one.outcome, one.code
