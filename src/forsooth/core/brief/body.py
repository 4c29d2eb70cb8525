"""The text under one `@goal` line, sorted into prose, kept as written, and items that are not.

Prose never changes here: whatever is not wholly an item stays, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from forsooth.core.brief import attributes as attribute
from forsooth.core.brief import fenced, shapes, terms
from forsooth.core.brief.draft import Attributes, Defect, Draft, Terms
from forsooth.core.brief.markdown import Block, Line
from forsooth.core.value import Value

DELIMITER = re.compile(r"@goal(?:[: \t](.*))?")

_ITEM = re.compile(r"([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]{1,4}\[[ xX]\](?:[ \t](.*))?")
_CONTINUES = re.compile(r"(?: {2}|\t)[ \t]*\S")
_HEADING = re.compile(r"\A#{1,6}(?:[ \t]+|\Z)")
_LOOSE = ("sentence", "attribute")
_SHALLOW = ("", " ", "  ", "   ")

Piece = Line | Block


class Item(Value):
    """A part of a story that is not prose: as written, and what it was read as."""

    line: int
    form: Literal["sentence", "attribute", "criteria", "goal"]
    text: str
    drafts: tuple[Draft, ...] = ()
    attributes: Attributes = Attributes()
    terms: Terms = Terms()


class Body(NamedTuple):
    """The prose, its first line as a title, the items, and what is wrong with them."""

    prose: str
    title: str
    items: tuple[Item, ...]
    defects: tuple[Defect, ...]


class _Taken(NamedTuple):
    """What was read from the next pieces: an item, or prose when there is none."""

    pieces: int = 1
    item: Item | None = None
    defects: tuple[Defect, ...] = ()


def read(found: Sequence[Piece], *, lenient: bool = False) -> Body:
    """Sort pieces; `lenient` leaves in the prose what a foreign brief may mean otherwise."""
    prose: list[Piece] = []
    items: list[Item] = []
    defects: list[Defect] = []
    at, listed = 0, False
    while at < len(found):
        taken = _take(found, at, listed=listed, lenient=lenient)
        if lenient and taken.defects and taken.item and taken.item.form in _LOOSE:
            taken = _Taken(taken.pieces)
        prose += () if taken.item else found[at : at + taken.pieces]
        items += [taken.item] if taken.item else []
        defects += taken.defects
        listed = taken.item is not None and taken.item.form == "sentence"
        at += taken.pieces
    return Body(_text(prose), _title(prose), tuple(items), tuple(defects))


def _take(found: Sequence[Piece], at: int, *, listed: bool, lenient: bool) -> _Taken:
    piece = found[at]
    if isinstance(piece, Block):
        return _block(piece)
    if taken := _line(piece, lenient=lenient):
        return taken
    opens = _ITEM.fullmatch(piece.text)
    if opens and (listed or opens[1] in _SHALLOW):
        return _sentence(found, at, opens[2] or "")
    return _Taken()


def _line(piece: Line, *, lenient: bool) -> _Taken | None:
    text, line = piece.text.rstrip(), piece.number
    if told := attribute.told(text, line):
        item = Item(line=line, form="attribute", text=text, drafts=told.drafts)
        return _Taken(1, item.but(attributes=told.attributes), told.defects)
    if not lenient and (agreed := terms.agreed(text, line)):
        item = Item(line=line, form="attribute", text=text, terms=agreed.terms)
        return _Taken(1, item, agreed.defects)
    return None


def _sentence(found: Sequence[Piece], at: int, first: str) -> _Taken:
    parts, line = [first.strip()], found[at].number
    while at + len(parts) < len(found) and (more := _continued(found[at + len(parts)])):
        parts.append(more)
    text = " ".join(parts).strip()
    draft = shapes.draft(text, line)
    if isinstance(draft, Defect):
        return _Taken(len(parts), Item(line=line, form="sentence", text=text), (draft,))
    return _Taken(len(parts), Item(line=line, form="sentence", text=text, drafts=(draft,)))


def _continued(piece: Piece) -> str:
    """What a piece adds to the item before it."""
    if isinstance(piece, Block) or _ITEM.fullmatch(piece.text):
        return ""
    return piece.text.strip() if _CONTINUES.match(piece.text) else ""


def _block(block: Block) -> _Taken:
    word = block.info.partition(" ")[0]
    if word not in ("criteria", "goal"):
        return _Taken(1, None, _hidden(block))
    text, line = "\n".join(block.body), block.number
    if not block.closed:
        says = f"The {word} block opened on line {line} is never closed."
        defect = Defect(line=line, code="unclosed-fence", says=says, fix=block.fence)
        return _Taken(1, Item(line=line, form=word, text=text), (defect,))
    if word == "goal":
        attributes, wrong = fenced.goal(text, line + 1)
        return _Taken(1, Item(line=line, form=word, text=text, attributes=attributes), wrong)
    drafts, wrong = fenced.criteria(text, line + 1)
    return _Taken(1, Item(line=line, form=word, text=text, drafts=drafts), wrong)


def _hidden(block: Block) -> tuple[Defect, ...]:
    """An unclosed fence is harmless until it swallows a goal or a criterion."""
    for at, line in enumerate(() if block.closed else block.body, block.number + 1):
        if DELIMITER.fullmatch(line) or _ITEM.fullmatch(line):
            what = "goal" if line.startswith("@") else "criterion"
            says = (
                f"The code fence opened on line {block.number} is never closed, "
                f"so the {what} on line {at} is part of it."
            )
            fix = f"close it with {block.fence} before line {at}"
            return (Defect(line=block.number, code="unclosed-fence", says=says, fix=fix),)
    return ()


def _text(prose: Sequence[Piece]) -> str:
    """The prose as written, without the blank lines around it."""
    lines: list[str] = []
    for piece in prose:
        lines += [piece.text] if isinstance(piece, Line) else piece.source
    kept = [at for at, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[kept[0] : kept[-1] + 1]) if kept else ""


def _title(prose: Sequence[Piece]) -> str:
    """The first line of prose that says something, else the first line of code."""
    lines = (piece.text.strip() for piece in prose if isinstance(piece, Line))
    code = (line.strip() for piece in prose if isinstance(piece, Block) for line in piece.body)
    marks = (line.strip() for line in _text(prose).split("\n"))
    heads = (_HEADING.sub("", line).strip() for line in lines)
    return next((line for some in (heads, code, marks) for line in some if line), "")
