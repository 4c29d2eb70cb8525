"""Text becomes a brief: a preamble, stories opened by `@goal` lines, and every defect at once.

Pure and total: any text gives a brief. It gives no ids; `compile` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from forsooth.core.brief import attributes as attribute
from forsooth.core.brief import body
from forsooth.core.brief.body import DELIMITER, Body, Item, Piece
from forsooth.core.brief.draft import Attributes, Defect, Draft, Terms, shown
from forsooth.core.brief.globs import covers
from forsooth.core.brief.markdown import Line, normalise, pieces
from forsooth.core.check import Check
from forsooth.core.plan import Fence
from forsooth.core.value import Value

_MOST_GLOBS = 200
# A heading names the brief; it asks for nothing, so it binds no goal.
_TITLE = re.compile(r"\A(?:#[ \t]+[^\n]*(?:\n(?:[ \t]*\n)*|$))+")
_TICKS = re.compile(r"`{3,}")


class Story(Value):
    """One goal as a person wrote it."""

    line: int
    title: str
    objective: str
    items: tuple[Item, ...] = ()
    attributes: Attributes = Attributes()

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """Every criterion of the story, in order."""
        return tuple(draft for item in self.items for draft in item.drafts)


class Brief(Value):
    """What a person wrote, read; `items` bind every story, and the plan as a whole."""

    preamble: str = ""
    items: tuple[Item, ...] = ()
    stories: tuple[Story, ...] = ()
    defects: tuple[Defect, ...] = ()

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """The preamble's drafts that belong to every goal: its fence."""
        return tuple(d for item in self.items for d in item.drafts if d.touch or d.never)

    @property
    def fence(self) -> Fence:
        """Where any goal's changes may go."""
        drafts = self.drafts
        return Fence(
            touch=tuple(dict.fromkeys(glob for draft in drafts for glob in draft.touch)),
            never=tuple(dict.fromkeys(glob for draft in drafts for glob in draft.never)),
        )

    @property
    def suite(self) -> Check | None:
        """What the whole plan keeps green, if the preamble says so."""
        return self.terms.suite

    @property
    def terms(self) -> Terms:
        """What is settled for the whole plan; the suite may also be a sentence."""
        said: dict[str, object] = {}
        for item in self.items:
            said |= {name: value for name, value in item.terms if value is not None}
            guards = [draft.check for draft in item.drafts if draft.guard]
            said |= {"suite": guards[0]} if guards else {}
        return Terms().but(**said)


def parse(text: str, *, lenient: bool = False) -> Brief:
    """Read a brief. `lenient` leaves items of no known shape in the prose, for foreign briefs."""
    source = normalise(text)
    split = _split(pieces(source.lines))
    opening = body.read(split.preamble, lenient=lenient)
    wrong = [*(_unreadable(line) for line in source.unreadable), *opening.defects]
    if not split.chapters:
        return _single(opening, wrong)
    told = [_story(chapter, lenient=lenient) for chapter in split.chapters]
    stories = tuple(one.story for one in told)
    wrong += [*_misplaced(opening.items), *_outside(opening, stories)]
    wrong += [defect for one in told for defect in one.defects]
    return Brief(
        preamble=_TITLE.sub("", opening.prose),
        items=opening.items,
        stories=stories,
        defects=_sorted(wrong),
    )


def unlined(brief: Brief) -> Brief:
    """The brief with every line number 0: what two texts that say the same have in common."""
    return brief.but(
        items=_unlined(brief.items),
        stories=tuple(story.but(line=0, items=_unlined(story.items)) for story in brief.stories),
        defects=tuple(defect.but(line=0) for defect in brief.defects),
    )


def render(brief: Brief) -> str:
    """Write a brief in its plainest form; reading it again gives the same brief.

    Items come before prose, because prose may end in a fence that is never closed.
    """
    opening = "\n".join(map(_written, brief.items))
    parts = [part for part in (opening, brief.preamble) if part]
    for story in brief.stories:
        opens = [f"@goal: {story.title}", *map(_written, story.items)]
        parts += ["\n".join(opens), *([story.objective] if story.objective != story.title else [])]
    return "\n\n".join(parts) + "\n"


def _unlined(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(
        item.but(line=0, drafts=tuple(draft.but(line=0) for draft in item.drafts)) for item in items
    )


def _written(item: Item) -> str:
    if item.form == "sentence":
        return f"- [ ] {item.text}"
    if item.form == "attribute":
        return item.text
    fence = "`" * max((len(run) + 1 for run in _TICKS.findall(item.text)), default=3)
    return f"{fence}{item.form}\n{item.text}\n{fence}"


class _Chapter(NamedTuple):
    opens: Line
    title: str
    rest: list[Piece]


class _Split(NamedTuple):
    preamble: list[Piece]
    chapters: list[_Chapter]


def _split(found: Iterable[Piece]) -> _Split:
    split = _Split([], [])
    for piece in found:
        opens = DELIMITER.fullmatch(piece.text) if isinstance(piece, Line) else None
        if isinstance(piece, Line) and opens:
            split.chapters.append(_Chapter(piece, (opens[1] or "").strip(), []))
        else:
            (split.chapters[-1].rest if split.chapters else split.preamble).append(piece)
    return split


class _Told(NamedTuple):
    story: Story
    defects: tuple[Defect, ...]


def _single(found: Body, wrong: list[Defect]) -> Brief:
    """With no delimiter anywhere the whole text is one goal."""
    title = found.title or next(_claims(found.items), "")
    if not title:
        says, fix = "This brief says nothing.", "@goal: Reject malformed rows"
        return Brief(
            defects=_sorted([*wrong, Defect(line=1, code="empty-brief", says=says, fix=fix)])
        )
    whole = tuple(item for item in found.items if item.terms != Terms())
    rest = found._replace(items=tuple(item for item in found.items if item not in whole))
    story, defects = _finished(rest, title=title, line=1)
    defects = (*defects, *_misplaced(whole))
    return Brief(items=whole, stories=(story,), defects=_sorted([*wrong, *defects]))


def _claims(items: Iterable[Item]) -> Iterator[str]:
    """What the items claim, a line each: a brief of nothing else still has a title."""
    for item in items:
        claims = [draft.says for draft in item.drafts]
        claims += [item.text] if item.form == "sentence" else []
        yield from (line.strip() for claim in claims for line in claim.split("\n") if line.strip())


def _story(chapter: _Chapter, *, lenient: bool) -> _Told:
    found = body.read(chapter.rest, lenient=lenient)
    line, title = chapter.opens.number, chapter.title or found.title
    told = _finished(found, title=title, line=line)
    wrong = [*found.defects, *told.defects, *_too_wide(found.items)]
    if not title:
        says, fix = "This goal has neither a title nor a text.", "@goal: Reject malformed rows"
        wrong.append(Defect(line=line, code="empty-goal", says=says, fix=fix))
    return _Told(told.story, tuple(wrong))


def _finished(found: Body, *, title: str, line: int) -> _Told:
    joined = attribute.joined([attribute.Row(item.line, item.attributes) for item in found.items])
    story = Story(
        line=line,
        title=title,
        objective=found.prose or title,
        items=found.items,
        attributes=joined.attributes,
    )
    return _Told(story, joined.defects)


def _misplaced(items: Iterable[Item]) -> Iterator[Defect]:
    """What stands in the preamble and cannot bind every goal, or contradicts what did so before."""
    settled: dict[str, int] = {}
    for item in items:
        said = _settles(item)
        plain = item.form in ("sentence", "attribute")
        fences = plain and any(d.touch or d.never for d in item.drafts)
        for what in said & settled.keys():
            says = f"The {what} is named twice: on line {settled[what]} and here."
            fix = f"delete this line, or line {settled[what]}"
            yield Defect(line=item.line, code="contradiction", says=says, fix=fix)
        is_wrong = item.form == "attribute" and item.attributes == Attributes()
        if not said and not fences and not is_wrong:
            says = "This stands before the first goal, and belongs to one."
            fix = "move it under an `@goal` line"
            yield Defect(line=item.line, code="in-preamble", says=says, fix=fix)
        settled = dict.fromkeys(said, item.line) | settled


def _settles(item: Item) -> set[str]:
    """What an item settles for the whole plan."""
    said = {name for name, value in item.terms if value is not None}
    guards = item.form == "sentence" and any(draft.guard for draft in item.drafts)
    return said | ({"suite"} if guards else set())


def _too_wide(items: Iterable[Item]) -> Iterator[Defect]:
    """What stands under one of several goals and is about the whole plan."""
    for item in items:
        if item.terms != Terms():
            says = "This is about the whole plan, and stands under one goal."
            fix = "move it above the first `@goal` line"
            yield Defect(line=item.line, code="in-goal", says=says, fix=fix)


def _outside(opening: Body, stories: Iterable[Story]) -> Iterator[Defect]:
    """What a goal lets change although the preamble does not."""
    outer = [glob for item in opening.items for draft in item.drafts for glob in draft.touch]
    if len(outer) > _MOST_GLOBS:
        says = f"The preamble names {len(outer)} globs; {_MOST_GLOBS} is the most."
        yield Defect(line=1, code="too-long", says=says, fix="- [ ] only src/** change")
        return
    for line, glob in ((at, glob) for story in stories if outer for at, glob in _touched(story)):
        if not any(covers(one, glob) for one in outer):
            says = f"`{shown(glob)}` is not within what the preamble lets change."
            fix = f"- [ ] only {', '.join(outer)} and {glob} change"
            yield Defect(line=line, code="outside-preamble", says=says, fix=fix)


class _Touched(NamedTuple):
    line: int
    glob: str


def _touched(story: Story) -> Iterator[_Touched]:
    for item in story.items:
        yield from (_Touched(item.line, glob) for glob in item.attributes.touch)
        yield from (_Touched(draft.line, glob) for draft in item.drafts for glob in draft.touch)


def _unreadable(line: int) -> Defect:
    says = "This line holds a character that is not text."
    return Defect(line=line, code="not-text", says=says, fix="delete the character shown as \ufffd")


def _sorted(defects: Iterable[Defect]) -> tuple[Defect, ...]:
    return tuple(sorted(defects, key=lambda defect: defect.line))
