"""What a branch did, on any repository: no plan, no set-up, and nothing claimed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.project.judging import Judging
from forsooth.project.spans import Span, span
from forsooth.project.trusting import Trusting, Wish

if TYPE_CHECKING:
    from forsooth.judge.range import Compared


class Ranged(NamedTuple):
    """A branch, sub-project by sub-project, and what it was run in."""

    span: Span
    projects: tuple[Compared, ...]
    isolation: str

    @property
    def outcome(self) -> str:
        """Wrong anywhere is a failure; nothing wrong still proves nothing."""
        return "fail" if any(one.outcome == "fail" for one in self.projects) else "inconclusive"

    @property
    def code(self) -> str:
        """Why it is no pass: what is wrong, what could not be run, or that nobody said enough."""
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
        """Every command a comparison may run."""
        trees = dict.fromkeys(tree for tree in (about.base.tree, about.tree) if tree)
        return tuple(dict.fromkeys(w for tree in trees for w in self.environment_of(tree)))

    def compare(self, about: Span, *, tell: Callable[[str], None] = lambda _: None) -> Ranged:
        """Compare both ends, each touched sub-project by its own suite; trusted commands only."""
        from forsooth.judge.copies import Copies
        from forsooth.judge.environment.configured import projects
        from forsooth.judge.environment.tree import Tree
        from forsooth.judge.range import Comparison, warm
        from forsooth.judge.rooms import Furnishing, History, Rooms
        from forsooth.judge.sandbox.tiers import available

        settled = self.settings(at=about.base.commit)
        self.require((wish.argv for wish in self.asks(about)), hint=f"forsooth trust {about.text}")
        sandbox = available(floor=settled.policy.isolation, kept=self.cache)
        copies = Copies(self.repo, self.own_cache / "copies")
        history = History(about.base, about.commit)
        found: list[Compared] = []
        with self._layers() as layers:

            def rooms(place: str) -> Rooms:
                return Rooms(
                    self.repo,
                    copies=copies,
                    layers=layers,
                    sandbox=sandbox,
                    history=history,
                    furnishing=Furnishing(settled.environment, place),
                )

            look = rooms("").look(about.tree)
            files = Tree(look.paths(), lambda path: look.read(path) or b"")
            changed = [change.path for change in look.changes]
            for place in projects(settled.environment, files, changed) if changed else ():
                base = about.base.tree or about.tree
                with rooms(place) as first, suppress(CouldNotVerify):
                    if not Comparison(first, base, about.tree).is_prose:
                        warm(first, base)
                with rooms(place) as furnished:
                    found.append(Comparison(furnished, base, about.tree, tell=tell).compared())
        return Ranged(about, tuple(found), sandbox.tier)
