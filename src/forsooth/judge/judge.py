"""The judge: every criterion, on a clean copy the agent cannot reach, from git and runs alone.

It takes no one's word: not the claim, not the transcript, not the agent's own environment. It
records what it could not do as `error`, and an error is never a pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.core.plan import NO_BASE, Base, Criterion, Goal
from forsooth.core.verdict import Finding, Verdict
from forsooth.errors import CouldNotVerify
from forsooth.git.repository import Repository
from forsooth.judge import checks
from forsooth.judge.cache import Findings
from forsooth.judge.checker import Context
from forsooth.judge.copies import Copies, Copy
from forsooth.judge.environment.configured import configured
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.tree import Tree
from forsooth.judge.look import Looking
from forsooth.judge.place import Furnished
from forsooth.judge.sandbox.job import Limits, Sandbox

RUNS = ("command", "tests", "files")
SECONDS = 600.0


class Asked(NamedTuple):
    """One criterion and the goal whose fence and changes it is about."""

    criterion: Criterion
    goal: Goal | None = None


class Case(NamedTuple):
    """What is to be judged: a tree, where it came from, and every criterion about it."""

    subject: str
    tree: str
    asked: tuple[Asked, ...]
    plan_digest: str
    base: Base = NO_BASE
    commit: str | None = None
    upstream: str | None = None
    attempt: str | None = None
    subproject: str = ""
    settings: Mapping[str, Any] = {}
    fresh: bool = False


class Seen(NamedTuple):
    """A verdict, and what it was reached with."""

    verdict: Verdict
    recipe: Recipe
    how: str
    notes: tuple[str, ...]


Progress = Callable[[Finding], None]


class Judge:
    """One repository's judge: its copies, layers and kept findings."""

    def __init__(
        self,
        repo: Repository,
        *,
        cache: Path,
        sandbox: Sandbox,
        layers: Layers,
        keep: Callable[[bytes], str],
        workers: int = 2,
    ) -> None:
        self.repo, self.sandbox, self.layers, self.keep = repo, sandbox, layers, keep
        self.copies = Copies(repo, cache / "copies")
        self.findings = Findings(cache / "findings")
        self.workers = workers

    def look(self, case: Case) -> Looking:
        """The case's tree and history as data."""
        return Looking(
            self.repo, case.tree, base=case.base, commit=case.commit, upstream=case.upstream
        )

    def recipe(self, case: Case, look: Looking) -> Recipe:
        """How the tree is furnished: detected, or as the committed settings say."""
        files = Tree(look.paths(), lambda path: look.read(path) or b"")
        found = detect(files, subproject=case.subproject)
        return configured(case.settings, files, detected=found) if case.settings else found

    def judge(self, case: Case, progress: Progress = lambda _: None) -> Seen:
        """Reach a verdict.

        1. Look at tree and history; say how the tree is furnished.
        2. Take what was found before where nothing it rests on has changed.
        3. Copy: a clean checkout, held while it is used.
        4. Furnish: the layer of dependencies, and the project installed anew.
        5. Run every criterion that is left, side by side, each in a layer of its own.
        6. Keep the findings and combine them.
        """
        look = self.look(case)  # 1
        recipe = self.recipe(case, look)
        kept = {} if case.fresh else self._kept(case, recipe, look)  # 2
        for finding in kept.values():
            progress(finding)
        left = [one for one in case.asked if one.criterion.id not in kept]
        found, how, notes = self._examined(case, recipe, look, left, progress)
        findings = kept | {finding.criterion: finding for finding in found}
        self._remember(case, recipe, look, found)  # 6
        verdict = Verdict(
            subject=case.subject,
            tree=case.tree,
            plan_digest=case.plan_digest,
            findings=tuple(findings[one.criterion.id] for one in case.asked),
            isolation=self.sandbox.tier,
            commit=case.commit,
            attempt=case.attempt,
        )
        return Seen(verdict, recipe, how, notes)

    def _kept(self, case: Case, recipe: Recipe, look: Looking) -> dict[str, Finding]:
        found = {
            one.criterion.id: self.findings.find(self._key(case, one, recipe, look))
            for one in case.asked
        }
        return {id_: finding for id_, finding in found.items() if finding is not None}

    def _key(self, case: Case, one: Asked, recipe: Recipe, look: Looking) -> str:
        return self.findings.key(
            one.criterion,
            one.goal,
            tree=case.tree,
            look=look,
            environment=recipe.key,
            tier=self.sandbox.tier,
        )

    def _remember(
        self, case: Case, recipe: Recipe, look: Looking, found: Iterable[Finding]
    ) -> None:
        asked = {one.criterion.id: one for one in case.asked}
        for finding in found:
            self.findings.keep(self._key(case, asked[finding.criterion], recipe, look), finding)

    def _examined(
        self, case: Case, recipe: Recipe, look: Looking, left: list[Asked], progress: Progress
    ) -> tuple[list[Finding], str, tuple[str, ...]]:
        if not left:
            return [], "none", ()
        with ExitStack() as stack:
            copy = stack.enter_context(self.copies.at(case.tree, dress=case.commit))  # 3
            layer, trouble = self._furnish(stack, recipe, copy, left)  # 4
            place = Furnished(
                copy, layer, root=str(self.repo.root), sandbox=self.sandbox, limits=Limits()
            )

            def examine(one: Asked) -> Finding:
                ctx = Context(one.criterion, one.goal, place, look, self.keep, SECONDS)
                needs_layer = one.criterion.check.kind in ("command", "tests")
                finding = (
                    checks.unevaluated(ctx, trouble)
                    if trouble is not None and needs_layer
                    else checks.judged(ctx)
                )
                progress(finding)
                return finding

            with ThreadPoolExecutor(max_workers=self.workers) as pool:  # 5
                return list(pool.map(examine, left)), layer.how, layer.notes

    def _furnish(
        self, stack: ExitStack, recipe: Recipe, copy: Copy, left: list[Asked]
    ) -> tuple[Layer, CouldNotVerify | None]:
        """The layer, or an empty one and why; what cannot be furnished is an error, not a fail."""
        bare = Layer(recipe.key, copy.path, recipe, how="none")
        if not any(one.criterion.check.kind in RUNS for one in left):
            return bare, None
        root = str(self.repo.root)
        try:
            layer = self.layers.of(recipe, source=copy.path, root=root, sandbox=self.sandbox)
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forsooth-env-")))
            layer = install_project(
                self.layers,
                layer,
                copy=copy.path,
                root=root,
                into=scratch,
                sandbox=self.sandbox,
                extra=copy.lent,
            )
        except CouldNotVerify as error:
            return bare, error
        return layer, None
