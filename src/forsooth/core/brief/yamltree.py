"""YAML 1.2 as data, each value with its line, and nothing that can surprise.

No aliases, anchors, tags or merge keys, no floats or dates, no second document: each is refused
where it stands, before it is expanded, so a hostile text costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias, cast

from forsooth.core.brief.draft import Defect, shown
from forsooth.core.canonical import LARGEST

MOST_CHARACTERS = 32_000
MOST_ITEMS = 200
DEEPEST = 20
MOST_BRACKETS = 100

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_RADIX = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?|[-+]?\.(?i:inf)|\.(?i:nan)"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t][0-9 \t:.Zz+-]*)?")
_BRACKETS = {"[": 1, "{": 1, "]": -1, "}": -1}
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")

Scalar: TypeAlias = "str | int | bool | None"


class Node(NamedTuple):
    """A value and the line it begins on."""

    line: int
    value: Scalar | list[Node] | dict[str, Node]

    def plain(self) -> Any:
        """The value without its lines."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def find(self, way: Sequence[int | str]) -> Node:
        """The node at the end of a way through keys and indices, or the last one on it."""
        node = self
        for step in way:
            if isinstance(node.value, dict) and step in node.value:
                node = node.value[str(step)]
            elif isinstance(node.value, list) and isinstance(step, int):
                node = node.value[step]
            else:
                break
        return node


class Refused(ValueError):
    """The text is not the YAML a brief may hold."""

    def __init__(self, code: str, says: str, *, fix: str, line: int = 1) -> None:
        super().__init__(says)
        self.defect = Defect(line=line, code=code, says=says, fix=fix)


def read(text: str, line: int) -> Node:
    """The one document in a text whose first line is `line`; raises `Refused` at the first flaw."""
    if len(text) > MOST_CHARACTERS:
        raise Refused(
            "too-long",
            f"This block has {len(text)} characters; {MOST_CHARACTERS} is the most.",
            fix="split the block in two",
            line=line,
        )
    if _steep(text):
        raise Refused(
            "unplain-yaml",
            f"A block may not hold more than {DEEPEST} levels.",
            fix="nest the values less deeply",
            line=line,
        )
    return _Builder(_events(text, line), line).document()


def _steep(text: str) -> bool:
    """Whether brackets pile up so high that the scanner's work would grow with their square."""
    if text.count("[") + text.count("{") <= MOST_BRACKETS:
        return False
    steps = (_BRACKETS[char] for char in text if char in _BRACKETS)
    return max(accumulate(steps)) > MOST_BRACKETS


def _events(text: str, line: int) -> Iterator[Any]:
    # Imported here: most briefs hold no block, and this import costs more than reading one.
    from ruamel.yaml import YAML  # noqa: PLC0415

    class Plain(YAML):
        """Looks for no plug-ins: the original searches the disk for code to import."""

        def official_plug_ins(self) -> list[str]:
            return []

    try:
        yield from cast("Any", Plain(typ="safe", pure=True)).parse(text)
    except Exception as error:  # noqa: BLE001  (on hostile text the parser also fails assertions)
        mark = getattr(error, "problem_mark", None)
        raise Refused(
            "bad-yaml",
            f"This is not YAML: {_problem(error)}.",
            fix="quote any text that holds `: `, `#`, a quote or a bracket",
            line=line + (mark.line if mark else 0),
        ) from None


def _problem(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0] or "unreadable"
    return shown(_UNREADABLE.sub("\ufffd", str(problem)), 120)


class _Builder:
    """Builds the tree from parse events, so that nothing is expanded or converted unseen."""

    def __init__(self, events: Iterator[Any], line: int) -> None:
        self._events = events
        self._line = line

    def document(self) -> Node:
        next(self._events)  # the stream's start
        event = next(self._events)
        if type(event).__name__ == "StreamEndEvent":
            return Node(self._line, None)
        if event.version or event.tags:
            raise self._refuse(event, "a directive", "delete the line that begins with %")
        node = self._node(next(self._events), 0)
        next(self._events)  # the document's end
        event = next(self._events)
        if type(event).__name__ != "StreamEndEvent":
            raise self._refuse(event, "a second document", "delete the line `---`")
        return node

    def _node(self, event: Any, depth: int) -> Node:
        kind = type(event).__name__
        if kind == "AliasEvent":
            raise self._refuse(event, "an alias (`*name`)", "write the value out again")
        if event.anchor is not None:
            raise self._refuse(event, "an anchor (`&name`)", "delete the anchor")
        if event.tag is not None:
            raise self._refuse(event, "a tag (`!name`)", "delete the tag; quote the value for text")
        if kind == "ScalarEvent":
            return Node(self._at(event), self._scalar(event))
        if depth == DEEPEST:
            raise self._refuse(event, f"more than {DEEPEST} levels", "nest the values less deeply")
        if kind == "SequenceStartEvent":
            return Node(self._at(event), self._sequence(depth))
        return Node(self._at(event), self._mapping(depth))

    def _sequence(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            if len(found) == MOST_ITEMS:
                raise self._refuse(event, f"more than {MOST_ITEMS} items", "split the list in two")
            found.append(self._node(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            if len(found) == MOST_ITEMS:
                raise self._refuse(event, f"more than {MOST_ITEMS} keys", "split the mapping")
            key = self._key(event, depth)
            if key in found:
                raise self._refuse(event, f"the key `{shown(key)}` twice", "keep one of the two")
            found[key] = self._node(next(self._events), depth + 1)
        return found

    def _key(self, event: Any, depth: int) -> str:
        key = self._node(event, depth + 1).value
        if key == "<<":
            raise self._refuse(event, "a merge key (`<<`)", "write the keys out")
        if not isinstance(key, str) or not key.isascii():
            raise self._refuse(event, "a key that is not plain text", "quote it, in ASCII")
        return key

    def _scalar(self, event: Any) -> Scalar:
        text = str(event.value)
        if _UNREADABLE.search(text):
            raise self._refuse(event, "a character no program can take", "delete the escape")
        if not event.implicit[0]:
            return text
        if text in _NULL:
            return None
        if text in _BOOLS:
            return _BOOLS[text]
        if _INTEGER.fullmatch(text):
            return self._integer(event, text, 10)
        if _RADIX.fullmatch(text):
            return self._integer(event, text[2:], 8 if text[1] == "o" else 16)
        if _FLOAT.fullmatch(text) or _DATE.fullmatch(text):
            what = f"`{shown(text)}`, which is neither text nor a whole number"
            raise self._refuse(event, what, f"quote it: '{shown(text)}'")
        return text

    def _integer(self, event: Any, digits: str, base: int) -> int:
        # No number that fits has more digits than this, and Python refuses to read a very long one.
        value = int(digits, base) if len(digits) < MOST_ITEMS else LARGEST + 1
        if abs(value) > LARGEST:
            raise self._refuse(event, "a number too large for every reader", "quote it, as text")
        return value

    def _at(self, event: Any) -> int:
        return self._line + event.start_mark.line

    def _refuse(self, event: Any, what: str, fix: str) -> Refused:
        return Refused(
            "unplain-yaml", f"A block may not hold {what}.", fix=fix, line=self._at(event)
        )
