"""The trees of one judging, each furnished when something is to be run in it.

Layers and installed projects are kept until the end; a checkout is held only while a run needs it.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple, Self

from forsooth.core.check import CommandParams, TestsParams
from forsooth.core.plan import NO_BASE, Base, Criterion
from forsooth.errors import CouldNotVerify
from forsooth.git.edit import Put, edited
from forsooth.git.objects import time_of
from forsooth.git.reader import keeping
from forsooth.git.repository import Repository
from forsooth.git.trees import SUBMODULE
from forsooth.judge.abreast import Abreast
from forsooth.judge.called import called
from forsooth.judge.checks import command, tests
from forsooth.judge.checks.process import Ending
from forsooth.judge.checks.recipes.recipe import Edit, Edits, Order
from forsooth.judge.checks.trial import Trial
from forsooth.judge.copies import Copies, Copy
from forsooth.judge.environment.configured import configured
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.prepare.step import Checkout
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.tree import Tree, words
from forsooth.judge.look import Looking
from forsooth.judge.openat import temporary_folder
from forsooth.judge.place import Furnished
from forsooth.judge.sandbox.job import Limits, Sandbox

Params = CommandParams | TestsParams


class Furnishing(NamedTuple):
    """How trees are furnished: for which commands, and whether work may have begun.

    `live` while no agent has worked: only then may what is installed here be copied, and a run may
    fill the build caches that later ones start from. `sure` where a verdict is to be believed:
    a copy that somebody else changes is then noticed, wherever runs do not write in it themselves.
    `base` is the tree that work began at; its code alone prepares, and fills build caches.
    """

    settings: Mapping[str, Any] = {}
    subproject: str = ""
    argvs: tuple[tuple[str, ...], ...] = ()
    live: bool = False
    sure: bool = False
    criteria: tuple[Criterion, ...] = ()
    base: str = ""


class History(NamedTuple):
    """Where a judged tree comes from."""

    base: Base = NO_BASE
    commit: str | None = None
    upstream: str | None = None


class Rooms:
    """The furnished trees of one judging."""

    def __init__(
        self,
        repo: Repository,
        *,
        copies: Copies,
        layers: Layers,
        sandbox: Sandbox,
        history: History,
        furnishing: Furnishing,
        workers: int = 4,
    ) -> None:
        # without namespaces two runs meet in one network and one home
        self.runs = Abreast(workers if sandbox.overlays else 1)
        self.repo, self.copies, self.layers, self.sandbox = repo, copies, layers, sandbox
        self.history, self.furnishing = history, furnishing
        self._looks: dict[str, Looking] = {}
        self._recipes: dict[str, Recipe] = {}
        self._layers: dict[str, Layer | CouldNotVerify] = {}
        self._lock = threading.RLock()
        self._cold = threading.Lock()  # one base run at a time fills what the others start from
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(keeping(self.repo))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def root(self) -> str:
        """Where every run sees its tree: the repository's own path."""
        return str(self.repo.root)

    def look(self, tree: str) -> Looking:
        """A tree and its history as data."""
        with self._lock:
            if tree not in self._looks:
                base, commit, upstream = self.history
                self._looks[tree] = Looking(
                    self.repo, tree, base=base, commit=commit, upstream=upstream
                )
            return self._looks[tree]

    def recipe(self, tree: str) -> Recipe:
        """How a tree is furnished: detected, or as the committed settings say."""
        with self._lock:
            if tree not in self._recipes:
                look = self.look(tree)
                files = Tree(look.paths(), lambda path: look.read(path) or b"")
                found = detect(files, subproject=self.furnishing.subproject)
                settings = self.furnishing.settings
                self._recipes[tree] = (
                    configured(settings, files, detected=found) if settings else found
                )
            return self._recipes[tree]

    def layer(self, tree: str) -> Layer:
        """A tree's dependencies with its own project installed; made once, also when it fails."""
        with self._lock:
            if tree not in self._layers:
                try:
                    self._layers[tree] = self._furnished(tree)
                except CouldNotVerify as error:
                    self._layers[tree] = error
            found = self._layers[tree]
        if isinstance(found, CouldNotVerify):
            raise found
        return found

    def _furnished(self, tree: str) -> Layer:
        recipe, root = self.recipe(tree), self.root
        scratch = self._stack.enter_context(temporary_folder("forsooth-env-"))
        base = self.furnishing.base
        with ExitStack() as stack:
            copy = stack.enter_context(self._copy(tree, dress=self.history.commit))
            origin: Checkout | None = None
            if base not in {"", tree}:
                origin = cache(lambda: stack.enter_context(self._copy(base)).path)
            before = origin if self._asks_base(recipe) else None
            layer = self.layers.furnish(
                recipe,
                source=copy.path,
                root=root,
                sandbox=self.sandbox,
                argvs=self.furnishing.argvs,
                called=called(self.furnishing.criteria, self.look(tree)),
                live=self.furnishing.live,
                at=self._since(),
                seconds=_seconds(self.furnishing.settings),
                allow_scripts=words(self.furnishing.settings.get("allow")),
                base=base,
                base_source=before,
            )
            return install_project(
                self.layers,
                layer,
                copy=copy.path,
                root=root,
                into=scratch,
                sandbox=self.sandbox,
                source=before,
                origin=origin,
                extra=copy.lent,
                allow=words(self.furnishing.settings.get("allow")),
            )

    def _asks_base(self, recipe: Recipe) -> bool:
        """Whether preparing runs code of the repository that the base has as well."""
        if recipe.kind == "custom":
            return True
        if not recipe.projects:
            return False
        known = {one.path: one.build.key for one in self.recipe(self.furnishing.base).projects}
        return all(known.get(one.path) == one.build.key for one in recipe.projects)

    def _since(self) -> int | None:
        """When the plan began: what nobody locked is chosen as it was then."""
        commit = self.history.base.commit or self.history.commit
        return time_of(self.repo, commit) if commit else None

    @contextmanager
    def place(
        self,
        tree: str,
        *,
        like: str = "",
        watched: tuple[str, ...] = (),
        fixed: tuple[str, ...] = (),
    ) -> Generator[Furnished]:
        """A tree ready to run things in, furnished as another one is when that is named."""
        layer = self.layer(like or tree)
        with ExitStack() as stack:
            copy = stack.enter_context(self._copy(tree, dress=self.history.commit))
            if self.furnishing.live:
                if layer.warm and not self.layers.warm.is_warm(layer):
                    stack.enter_context(self._cold)
                layer = stack.enter_context(self.layers.filling(layer))
            else:
                layer = self.layers.warm.seen(layer)
            yield Furnished(
                copy,
                layer,
                root=self.root,
                sandbox=self.sandbox,
                limits=Limits(),
                compiled=self.is_compiled(like or tree),
                watched=watched,
                fixed=fixed,
            )

    def is_compiled(self, tree: str) -> bool:
        """Whether compiled files may lie in a tree, or in one made from it and from the base."""
        made_from = (tree, self.history.base.tree)
        return any(self.look(one).is_compiled for one in made_from if one)

    @contextmanager
    def bare(self, tree: str) -> Generator[Furnished]:
        """A tree without its dependencies, for what needs none."""
        with self._copy(tree) as copy:
            layer = Layer("", copy.path, self.recipe(tree).but(before=()), how="none")
            yield Furnished(copy, layer, root=self.root, sandbox=self.sandbox, limits=Limits())

    def _copy(self, tree: str, *, dress: str | None = None) -> AbstractContextManager[Copy]:
        over = self.sandbox.overlays
        sure = over and self.furnishing.sure
        return self.copies.at(tree, dress=dress, written=not over, sure=sure)

    def edited(self, tree: str, edits: Edits) -> str:
        """A tree that differs by these files."""
        puts = {path: edit and Put(edit.mode, edit.data) for path, edit in edits.items()}
        return edited(self.repo, tree, puts)


def _seconds(settings: Mapping[str, Any]) -> float | None:
    """How long installing may take, where a person said it."""
    given = settings.get("seconds")
    return float(given) if isinstance(given, int | float) and given > 0 else None


class Trying:
    """One criterion in those rooms; every tree is furnished as `like` is.

    `spent` is how many seconds its runs took; once `over` is set, none is begun. Of `watched` files
    a run tells whether it wrote them; `written` are those that any run wrote.
    """

    def __init__(
        self,
        rooms: Rooms,
        params: Params,
        *,
        like: str,
        seconds: float,
        over: threading.Event | None = None,
        watched: Iterable[str] = (),
    ) -> None:
        self.watched, self.written = frozenset(watched), set[str]()
        self.rooms, self.params, self.like, self.seconds = rooms, params, like, seconds
        self.over, self.spent = over or threading.Event(), 0.0

    def look(self, tree: str) -> Looking:
        """A tree as data."""
        return self.rooms.look(tree)

    def edited(self, tree: str, edits: Edits) -> str:
        """A tree that differs by these files."""
        return self.rooms.edited(tree, edits)

    def tried(self, tree: str, *, order: Order | None = None, fixed: tuple[str, ...] = ()) -> Trial:
        """Run the criterion at a tree; what cannot even be asked for is an error.

        `fixed` files of the tree can only be read in that run.
        """
        order = order or tests.order_of(self.params, self.look(tree))
        brought = {path: Edit(text.encode()) for path, text in self.params.files.items()}
        edits = {**brought, **(order.edits if order else {})}
        tree = self.edited(tree, edits) if edits else tree
        with self.rooms.runs.turn(), self._place(tree, fixed) as place:
            look, params = self.rooms.look(tree), self.params
            done = (
                tests.trial(params, place, look, seconds=self.seconds, order=order)
                if isinstance(params, TestsParams)
                else command.trial(params, place, look, seconds=self.seconds, order=order)
            )
        if isinstance(done, Ending):
            raise CouldNotVerify(done.reason, code=done.code)
        self.spent += done.ran.took
        self.written.update(done.ran.written or ())
        return done

    def _place(self, tree: str, fixed: tuple[str, ...]) -> AbstractContextManager[Furnished]:
        if self.over.is_set():
            raise CouldNotVerify("the answer is known without this run", code="over")
        look = self.rooms.look(tree)
        there = self.watched.intersection(look.paths()) if self.watched else ()
        watched = tuple(sorted(path for path in there if look.mode(path) != SUBMODULE))
        return self.rooms.place(tree, like=self.like, watched=watched, fixed=fixed)
