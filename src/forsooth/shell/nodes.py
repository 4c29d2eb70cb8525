"""The tree of a script: parsing it, and questions about its nodes alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from tree_sitter import Language, Node, Parser

_OFTEN = 800
_CONTINUED = re.compile(r"^([^#\n]*\w)\\\n(?=\w)", re.MULTILINE)


def _grammar() -> object:
    """The grammar alone: opening its package would take longer than reading most commands."""
    package = PathFinder.find_spec("tree_sitter_bash")
    inside = package.submodule_search_locations if package else None
    found = PathFinder.find_spec("tree_sitter_bash._binding", inside)
    if found is None or found.loader is None:
        import tree_sitter_bash  # noqa: PLC0415

        return tree_sitter_bash.language()
    return _loaded(found).language()


def _loaded(spec: ModuleSpec) -> Any:
    loader: Any = spec.loader
    module = loader.create_module(spec)
    loader.exec_module(module)
    return module


_PARSER = Parser(Language(_grammar()))


def is_heavy(text: str) -> bool:
    """Whether the parser's time would grow with the square of what is written so often."""
    lines = text.split("\n")
    pipes = max(line.count("|") for line in lines), sum(line.endswith("|") for line in lines)
    return max(*pipes, text.count("=("), 4 * text.count("<<")) > _OFTEN


def bytes_of(text: str) -> bytes:
    """A script as the parser takes it; a word that goes on in the next line is made whole."""
    return _CONTINUED.sub(r"\1", text).encode("utf-8", "replace")


def parsed(source: bytes) -> Node:
    """The root of a script's tree."""
    return _PARSER.parse(source).root_node


def below(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    left = [node]
    while left:
        one = left.pop()
        yield one
        left += one.named_children


def holds(node: Node, kinds: frozenset[str]) -> bool:
    """Whether a node of some kinds is in it."""
    return any(one.type in kinds for one in below(node))


def called(node: Node) -> str:
    """The name of the command that a node is; empty when it is none."""
    if node.type != "command" or not node.named_children:
        return ""
    said = (node.named_children[0].text or b"").decode("utf-8", "replace").strip("\"'")
    return said.removeprefix("./")


def calls(node: Node, name: str) -> int:
    """How often a name is called in it."""
    return sum((called(one) == name) for one in below(node))


def multiplies(node: Node, name: str) -> bool:
    """A pipe of itself into itself, or itself left running in the background."""
    if node.type == "pipeline":
        return sum((called(one) == name) for one in node.named_children) > 1
    after = node.next_sibling
    return called(node) == name and after is not None and after.type == "&"
