"""Explicit, evidenced changes to a plan. An agent's may add proof and never take any away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from forsooth.core.actor import Actor
from forsooth.core.check import Check, Text
from forsooth.core.ids import CriterionId, GoalId, criterion_id
from forsooth.core.plan import ANYWHERE, Criterion, Fence, Goal
from forsooth.core.value import Value


class Grounded(Value):
    """A change must say what was seen and why it follows."""

    evidence: Text
    rationale: Text

    @model_serializer(mode="wrap")
    def _named(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The kind is always written, although it is a default: a reader goes by it."""
        return {"kind": vars(self)["kind"], **write(self)}


class Add(Grounded):
    """A new goal, under the original constraints."""

    kind: Literal["add"] = "add"
    title: Text
    objective: Text
    criteria: tuple[Criterion, ...] = ()
    depends_on: tuple[GoalId, ...] = ()


class Piece(Value):
    """One goal of a split. Criteria that no piece names go to the last one."""

    title: Text
    objective: Text
    criteria: tuple[CriterionId, ...] = ()


class Split(Grounded):
    """One pending goal becomes several; its criteria are shared out among them."""

    kind: Literal["split"] = "split"
    goal: GoalId
    pieces: Annotated[tuple[Piece, ...], Field(min_length=2)]


class Reorder(Grounded):
    """Pending goals change places among themselves."""

    kind: Literal["reorder"] = "reorder"
    order: Annotated[tuple[GoalId, ...], Field(min_length=2)]


class Reword(Grounded):
    """A pending goal is said better."""

    kind: Literal["reword"] = "reword"
    goal: GoalId
    title: str = ""
    objective: str = ""


class Supersede(Grounded):
    """A blocked or expired goal is set aside; a person must confirm an agent's."""

    kind: Literal["supersede"] = "supersede"
    goal: GoalId


Amendment = Annotated[Add | Split | Reorder | Reword | Supersede, Field(discriminator="kind")]


def made(
    change: Amendment,
    goal: Goal | None,
    *,
    ids: Sequence[str],
    by: Actor,
    fence: Fence = ANYWHERE,
) -> tuple[Goal, ...] | None:
    """The goals a change makes under these ids; none at all when they are too few or too many.

    `fence` is what the preamble lets any goal change.
    """
    if len(ids) != births(change):
        return None
    if isinstance(change, Add):
        return (_added(change, ids[0], by=by, fence=fence),)
    return share_out(goal, change, ids=ids) if goal and isinstance(change, Split) else ()


def births(change: Amendment) -> int:
    """How many goals a change makes."""
    if isinstance(change, Add):
        return 1
    return len(change.pieces) if isinstance(change, Split) else 0


def _added(add: Add, id_: str, *, by: Actor, fence: Fence) -> Goal:
    author = "person" if by.speaks_for_person else "agent"
    criteria = tuple(
        criterion.but(id=criterion_id(id_, number), by=author)
        for number, criterion in enumerate(add.criteria, 1)
    )
    held = criterion_id(id_, len(criteria) + 1)
    return Goal(
        id=id_,
        title=add.title,
        objective=add.objective,
        depends_on=add.depends_on,
        fence=fence,
        criteria=(*criteria, *keeping(fence, held)),
        by=author,
        origin="steering",
    )


def keeping(fence: Fence, id_: str) -> tuple[Criterion, ...]:
    """The criterion under that id that holds a goal to the preamble's fence, if there is one."""
    says = fence.says
    return (Criterion(id=id_, says=says, check=Check(kind="scope")),) if says else ()


def share_out(goal: Goal, split: Split, *, ids: Iterable[str]) -> tuple[Goal, ...]:
    """The goals a split makes: fence and permissions inherited, every criterion kept once."""
    named = {criterion for piece in split.pieces for criterion in piece.criteria}
    last = len(split.pieces) - 1
    return tuple(
        goal.but(
            id=id_,
            title=piece.title,
            objective=piece.objective,
            entry=goal.entry if index == 0 else (),
            criteria=tuple(
                criterion
                for criterion in goal.criteria
                if criterion.id in piece.criteria or (index == last and criterion.id not in named)
            ),
            by="agent",
            origin="steering",
        )
        for index, (id_, piece) in enumerate(zip(ids, split.pieces, strict=False))
    )


def reordered(present: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """Put the named ids, in their new order, into the places they held together."""
    wanted = iter(order)
    chosen = set(order)
    return tuple(next(wanted) if id_ in chosen else id_ for id_ in present)
