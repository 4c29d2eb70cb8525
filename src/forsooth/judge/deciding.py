"""The changed files of unclear role, put back as they were: does the result hang on them?

1. All of them in one run over the sealed view: green, and they do not matter. 2. Else code that
might be a helper is emptied, by itself: a criterion that turns red shows that it is product.
3. What is left is put back once more, unless nothing was cleared; red again, and a person must
agree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from forsooth.core.plan import Criterion, Fence, Goal
from forsooth.errors import CouldNotVerify
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.checks.trial import Flaw, Room
from forsooth.judge.court import Court
from forsooth.judge.disbelief.bodies import bodies
from forsooth.judge.disbelief.bodies.body import Body, filled
from forsooth.judge.disbelief.leave import leave_of
from forsooth.judge.drivers import compares_arguments, started
from forsooth.judge.mentions import Mentions
from forsooth.judge.oracles import reading_of
from forsooth.judge.unclear import Base, Suspect, Suspects
from forsooth.judge.views import named_in

# What an emptied function says when it must say yes: that is how a comparison is silenced.
_YES = (
    (b" return undefined;", b" return true;"),
    (b" return undefined as never;", b" return true as never;"),
    (b"*new(bool)", b"true"),
    (b"return\n", b"return True\n"),
    (b"return; ", b"return True; "),
    (b"(undefined && (", b"(true || ("),
    (b"(None if True else (", b"(True if True else ("),
)


class Decider(NamedTuple):
    """Files that decide a result, and what comes of it without their change."""

    suspects: tuple[Suspect, ...]
    says: str

    @property
    def reason(self) -> str:
        """What was changed, why that is not believed, and what comes of it without."""
        paths = [one.path for one in self.suspects]
        verb, it = ("was", "it") if len(paths) == 1 else ("were", "them")
        because = "; ".join(dict.fromkeys(one.because for one in self.suspects))
        return (
            f"{shown(paths)} {verb} changed and decides the result, and nothing shows that it is "
            f"product: {because}. With {it} as before: {self.says}"
        )


class Deciding(NamedTuple):
    """One criterion, and what was sealed for it; `beside` are the fences of the other goals."""

    criterion: Criterion
    goal: Goal | None
    court: Court
    sealed: Collection[str]
    within: Collection[str]
    beside: tuple[Fence, ...] = ()

    def suspects(self) -> tuple[Suspect, ...]:
        """The changed files that are neither sealed, nor permitted, nor plainly product."""
        court, goal, leave = self.court, self.goal, leave_of(self.goal)
        if court.base is None or self._tells_output:
            return ()
        base = court.rooms.look(court.base)
        allowed = (*leave.change, *leave.move, *leave.remove)
        there, texts = frozenset(base.paths()), Mentions(base)
        spoken = reading_of(self.criterion, base).spoken
        ran = frozenset(path for said in spoken for path in started(said, there, texts))
        sealed = frozenset(self.sealed)
        fences = (*([goal.fence] if goal else []), *self.beside)
        touch = tuple(path for fence in fences for path in fence.touch)
        changes = court.rooms.look(court.tree).changes
        return Suspects(Base(base, sealed, ran, touch)).among(
            (one for one in changes if one.path not in court.upstream),
            permitted=lambda path: path in self.within or named_in(allowed, path),
        )

    @property
    def _tells_output(self) -> bool:
        """Whether the criterion itself says what must be printed: then it is the judge."""
        return any(self.criterion.check.params.get(key) for key in ("stdout", "stderr"))

    def decider(
        self, room: Room, tree: str, against: Callable[[str], Flaw | None]
    ) -> Decider | None:
        """The suspects that decide, as `against` finds a tree red; none when none does."""
        found = self.suspects()
        flaw = self._without(room, tree, found, against) if found else None
        if flaw is None:
            return None
        left = tuple(one for one in found if not self._is_product(room, tree, one, against))
        if left != found:
            flaw = self._without(room, tree, left, against) if left else None
        return Decider(left, flaw.says) if flaw else None

    def _without(
        self,
        room: Room,
        tree: str,
        suspects: Collection[Suspect],
        against: Callable[[str], Flaw | None],
    ) -> Flaw | None:
        """What is wrong with a tree whose suspects are as they were."""
        base = self.court.rooms.look(self.court.base or "")
        edits: dict[str, Edit | None] = {
            one.path: Edit(base.read(one.path) or b"", base.mode(one.path) or "100644")
            for one in suspects
        }
        return _flaw(room.edited(tree, edits), against)

    def _is_product(
        self, room: Room, tree: str, suspect: Suspect, against: Callable[[str], Flaw | None]
    ) -> bool:
        """Whether the criterion notices that code does nothing, or says yes to everything."""
        if suspect.is_sure:
            return False
        look = room.look(tree)
        data = look.read(suspect.path)
        found = bodies(suspect.path, None, data) if data is not None else None
        if not found or data is None:
            before = self.court.rooms.look(self.court.base or "").read(suspect.path)
            texts = ((one or b"").decode("utf-8", "replace") for one in (before, data))
            return not any(map(compares_arguments, texts))
        plain = tuple(one for one in found if not one.rough) or found
        mode = look.mode(suspect.path) or "100644"
        for made in dict.fromkeys((filled(data, plain), filled(data, map(_saying_yes, plain)))):
            edits: Edits = {suspect.path: Edit(made, mode)}
            if _flaw(room.edited(tree, edits), against) is None:
                return False
        return True


def _flaw(tree: str, against: Callable[[str], Flaw | None]) -> Flaw | None:
    try:
        return against(tree)
    except CouldNotVerify as error:
        return Flaw(error.code, error.message)


def _saying_yes(body: Body) -> Body:
    puts = tuple(put._replace(data=_yes(put.data)) for put in body.puts)
    return body._replace(puts=puts)


def _yes(data: bytes) -> bytes:
    for silent, yes in _YES:
        if silent in data:
            return data.replace(silent, yes)
    return data
