"""What a branch did, on any repository: no plan, no set-up, and nothing claimed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from forsooth.errors import CouldNotVerify, Refused
from forsooth.project.judging import Judging
from forsooth.project.range_results import RangeResults
from forsooth.project.spans import Span, span
from forsooth.project.trusting import Trusting, Wish

if TYPE_CHECKING:
    from forsooth.judge.environment.monorepo import Concerned
    from forsooth.judge.range import Compared, Step

SHARED = frozenset(
    "pyproject.toml uv.lock package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml"
    " pnpm-workspace.yaml yarn.lock go.work go.work.sum Cargo.toml Cargo.lock pom.xml".split()
)


class Ranged(NamedTuple):
    """A branch, project by project, and what it was run in.

    `others` are projects that nothing changed for, and that were not run; `cached` where all of it
    was found before.
    """

    span: Span
    projects: tuple[Compared, ...]
    isolation: str
    others: tuple[str, ...] = ()
    cached: bool = False

    @property
    def outcome(self) -> str:
        """Wrong anywhere is a failure; what could not be run anywhere is not clean."""
        outcomes = {one.outcome for one in self.projects}
        return next((one for one in ("fail", "inconclusive") if one in outcomes), "clean")

    @property
    def code(self) -> str:
        """Why it is no pass: what is wrong, what could not be run, or that no criteria are."""
        codes = [one.code for one in self.projects if one.outcome == self.outcome]
        return next((code for code in codes if code != "weak-contract"), "weak-contract")


class Ranging(Judging, Trusting):
    """Two trees compared by their own suites."""

    def span(self, text: str = "", *, branch: str = "", pr: int = 0) -> Span:
        """What a person means by a range."""
        return span(self.repo, text, branch=branch, pr=pr)

    def ends(self, text: str = "") -> tuple[str, ...]:
        """The trees at both ends of a range; without one, what is delivered now."""
        found = self.span(text)
        return tuple(dict.fromkeys(tree for tree in (found.base.tree, found.tree) if tree))

    def asks(self, about: Span) -> tuple[Wish, ...]:
        """Every command of the repository's own that a comparison may run."""
        places = tuple(self.concerned(about).paths)
        trees = dict.fromkeys(tree for tree in (about.base.tree, about.tree) if tree)
        return tuple(
            dict.fromkeys(w for tree in trees for w in self.environment_of(tree, places=places))
        )

    def concerned(self, about: Span) -> Concerned:
        """The projects that the changes of a range concern, and the others."""
        from forsooth.judge.branch.around import is_prose
        from forsooth.judge.environment.configured import named_projects, understood
        from forsooth.judge.environment.detect import candidates
        from forsooth.judge.environment.monorepo import Concerned, concerned
        from forsooth.judge.environment.tree import Tree
        from forsooth.judge.look import Looking

        settings = self.settings(at=about.base.commit).environment
        look = Looking(self.repo, about.tree, base=about.base, commit=about.commit)
        files = Tree(look.paths(), lambda path: look.read(path) or b"")
        changed = [change.path for change in look.changes]
        named = named_projects(settings)
        if is_prose(look.changes, look):
            mine = {"": tuple(changed)} if changed else {}
            return Concerned(mine, mine)
        reads: dict[str, tuple[str, ...]] = {}
        if any(path.rpartition("/")[2] in SHARED for path in changed):
            for place in named or candidates(files):
                with suppress(CouldNotVerify):
                    reads[place] = understood(settings, files, subproject=place).reads
        return concerned(files, changed, named=named, reads=reads)

    def compare(
        self, about: Span, *, fresh: bool = False, tell: Callable[[Step], None] = lambda _: None
    ) -> Ranged:
        """Compare both ends, each project that is concerned by its own suite.

        Where the repository's commands are not trusted nothing is run, and what reading shows is
        all there is. A comparison made before is given again, unless it is to be made afresh.
        """
        whom = self.concerned(about)
        known = RangeResults(self.own_cache / "ranges")
        key = self._range_key(about)
        if not fresh and (found := known.find(key)):
            return Ranged(about, *found, others=whom.others, cached=True)
        barred = self._barred(about)
        projects, isolation = self._compared(about, whom, barred=barred, tell=tell)
        known.keep(key, projects, isolation)
        return Ranged(about, projects, isolation, whom.others)

    def _range_key(self, about: Span) -> dict[str, object]:
        settled = self.settings(at=about.base.commit)
        return {
            "trees": [about.base.tree, about.tree],
            "commits": [about.base.commit, about.commit],
            "environment": dict(settled.environment),
            "isolation": settled.policy.isolation,
            "path": os.environ.get("PATH", ""),
        }

    def _barred(self, about: Span) -> CouldNotVerify | None:
        """Why nothing may be run; none when every command is trusted."""
        words = about.text or about.base.commit or ""
        hint = f"forsooth trust {words}".rstrip()
        asked = self.asks(about)
        try:
            self.require((wish.argv for wish in asked), hint=hint)
        except Refused:
            before = self.trusted()
            missing = self.untrusted(dict.fromkeys(wish.argv for wish in asked))
            named = ", ".join(f"`{shlex.join(argv)}`" for argv in missing)
            changed = [f"{one} since it was trusted" for one in (before.changed if before else ())]
            says = "; ".join([*changed, *([f"not trusted to run here: {named}"] if named else [])])
            return CouldNotVerify(says, hint=hint, code="untrusted")
        return None

    def _compared(
        self,
        about: Span,
        whom: Concerned,
        *,
        barred: CouldNotVerify | None,
        tell: Callable[[Step], None],
    ) -> tuple[tuple[Compared, ...], str]:
        from forsooth.judge.copies import Copies
        from forsooth.judge.range import Comparison, Reach, warm
        from forsooth.judge.rooms import Furnishing, History, Rooms
        from forsooth.judge.sandbox.tiers import available

        settled = self.settings(at=about.base.commit)
        sandbox = available(floor=settled.policy.isolation, kept=self.cache)
        copies = Copies(self.repo, self.own_cache / "copies")
        history = History(about.base, about.commit)
        base = about.base.tree or about.tree
        found: list[Compared] = []
        with self._layers(online=settled.policy.prepare_network) as layers:

            def rooms(place: str) -> Rooms:
                return Rooms(
                    self.repo,
                    copies=copies,
                    layers=layers,
                    sandbox=sandbox,
                    history=history,
                    furnishing=Furnishing(settled.environment, place, base=base),
                )

            for place, paths in whom.paths.items():
                reach = Reach(frozenset(paths), frozenset(whom.own[place]))
                with rooms(place) as first, suppress(CouldNotVerify):
                    comparison = Comparison(first, base, about.tree, reach=reach)
                    if not barred and not comparison.is_prose:
                        warm(first, base)
                with rooms(place) as furnished:
                    comparison = Comparison(furnished, base, about.tree, reach=reach, tell=tell)
                    found.append(comparison.compared(barred=barred))
        return tuple(found), sandbox.tier
