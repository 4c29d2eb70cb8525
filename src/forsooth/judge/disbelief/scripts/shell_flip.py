"""What a shell script expects, changed in its own source: tests, `grep`, `diff` and assertions.

Only where the failing of a command is seen to end the script badly; what the parser does not
understand to the last byte is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forsooth.judge.disbelief.scripts import node_flip, python_flip
from forsooth.judge.disbelief.scripts.expected import (
    Change,
    Drawn,
    Helper,
    Helpers,
    asserts,
    branch,
    chosen,
    fails,
    is_count,
    is_wanted,
)
from forsooth.judge.disbelief.scripts.inline import inline, language_of
from forsooth.shell.nodes import below, is_heavy, parsed

if TYPE_CHECKING:
    from tree_sitter import Node

_SETS_E = re.compile(rb"^(?:#![^\n]*\s-\w*e|\s*set\s+-\w*e)|^\s*set\s+-o\s+errexit", re.MULTILINE)
_ABOUT_THE_RUN = re.compile(
    rb"\$#|\$\{?[0@*]|\$\{?(?:BASH|EUID|OSTYPE|CI\b)|uname|command -v|\bid -"
)
_EQUAL = {b"=": True, b"==": True, b"-eq": True, b"=~": True, b"!=": False, b"-ne": False}
_VALUES = frozenset(
    "word string raw_string number simple_expansion expansion concatenation command_substitution "
    "extglob_pattern regex ansi_c_string".split()
)
_MADE = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
_GREP = frozenset({b"grep", b"egrep", b"fgrep"})
_TESTED = re.compile(r"(?:\[\[?|\btest)\s[^\n;&|]*?\s(?:==?|!=|-eq|-ne)\s[^\n;&|]*")
_KEPT = re.compile(r"\b(\w+)=\"?\$\{?(\d)\b")
_ARGUMENT = re.compile(r"\$\{?(\d)\b")
_SEQUENCES = frozenset({"compound_statement", "do_group", "subshell"})
_LOOPS = frozenset("for_statement while_statement c_style_for_statement".split())


def changes(source: bytes, drawn: Drawn, helpers: Helpers) -> list[Change]:
    """Every expectation that is found, with another value; none where the parser is at a loss."""
    if is_heavy(source.decode("utf-8", "replace")):
        return []
    root = parsed(source)
    if root.has_error:
        return []
    script = _Script(root, source, drawn, helpers)
    script.read()
    return list(script.found.values())


def functions(source: bytes) -> dict[str, Helper]:
    """The functions of a script, and which of their arguments they compare."""
    if is_heavy(source.decode("utf-8", "replace")):
        return {}
    return {
        _named(node): _helper(_text(node))
        for node in below(parsed(source))
        if node.type == "function_definition"
    }


def _helper(body: str) -> Helper:
    tests = " ".join(_TESTED.findall(body))
    kept = {number for name, number in _KEPT.findall(body) if re.search(rf"\$\{{?{name}\b", tests)}
    found = {int(number) for number in (*_ARGUMENT.findall(tests), *kept)}
    return Helper(body.partition("{")[2], frozenset(n - 1 for n in found if n))


class _Script:
    def __init__(self, root: Node, source: bytes, drawn: Drawn, helpers: Helpers) -> None:
        self.root, self.source, self.drawn, self._helpers = root, source, drawn, helpers
        self.found: dict[tuple[int, int], Change] = {}
        self._own = functions(source)
        self._defined = {
            _named(node): node for node in below(root) if node.type == "function_definition"
        }
        strict = _SETS_E.search(source) is not None
        self._strict = strict and re.search(rb"\bset\s+\+\w*e", source) is None
        self._inside = False

    def read(self) -> None:
        """The script, then the functions it calls; an assertion is changed where it is called."""
        last = [one for one in self.root.named_children if one.type != "comment"][-1:]
        for node in self.root.named_children:
            self._statement(node, sure=True, last=node in last)
        left = dict(self._defined)
        called = self._called(self.root)
        self._inside = True
        while names := [name for name in left if name in called]:
            for name in names:
                body = left.pop(name)
                called |= self._called(body)
                if not asserts(name, self._own[name], returns=True):
                    for part in body.named_children[1:]:
                        self._statement(part, sure=True)

    def _called(self, node: Node) -> set[str]:
        """Commands that are run without a condition."""
        found: set[str] = set()
        left = list(node.named_children)
        while left:
            one = left.pop()
            if one.type == "command" and one.named_children:
                found.add(_text(one.named_children[0]))
            if one.type not in ("function_definition", "if_statement", "case_statement"):
                left += one.named_children
        return found

    def _statement(self, node: Node, *, sure: bool, last: bool = False) -> None:
        """A command on its own; one before `&&` may fail also where others may not."""
        if self._strict and not last and node.type == "list" and node.children[1].type == "&&":
            node = node.children[-1]
        self._node(node, sure=sure, counts=True if last or self._strict else None)

    def _node(self, node: Node, *, sure: bool, counts: bool | None) -> None:
        """One statement; `counts` is whether it must succeed, must fail, or may do either."""
        kind = node.type
        if kind in _SEQUENCES and not self._is_arithmetic(node):
            sure = sure and (kind != "subshell" or counts is True)
            for one in node.named_children:
                self._statement(one, sure=sure)
        elif kind == "redirected_statement" and node.named_children:
            self._node(node.named_children[0], sure=sure, counts=counts)
            self._given(node, sure=sure, counts=counts)
        elif kind in _LOOPS:
            for one in node.named_children:
                if one.type == "do_group":
                    self._node(one, sure=sure, counts=counts)
        elif kind == "list":
            self._list(node, sure=sure, counts=counts)
        elif kind == "if_statement":
            self._if(node, sure=sure)
        elif kind == "negated_command" and node.named_children:
            inside = None if counts is None else not counts
            self._node(node.named_children[-1], sure=sure, counts=inside)
        elif kind == "pipeline" and node.named_children:
            last = node.named_children[-1]
            sure = sure and (counts is True or last.type == "command")
            self._node(last, sure=sure, counts=counts)
        elif kind == "test_command" and counts is not None:
            self._test(node, sure=sure, counts=counts)
        elif kind == "command":
            self._command(node, sure=sure, counts=counts)

    def _is_arithmetic(self, node: Node) -> bool:
        return bool(node.children) and node.children[0].type == "(("

    def _list(self, node: Node, *, sure: bool, counts: bool | None) -> None:
        left, sign, right = node.children[0], node.children[1].type, node.children[-1]
        if sign == "||" and self._fails(right):
            self._node(left, sure=sure, counts=True)
        elif sign == "&&" and self._fails(right) and counts is not True:
            self._node(left, sure=sure, counts=False)
        elif sign == "&&":
            self._node(left, sure=sure, counts=counts)
            self._node(right, sure=sure, counts=counts)

    def _fails(self, node: Node) -> bool:
        """Whether code fails, also by a function of the script that does."""
        text = _text(node)
        own = self._own.get(text.split()[0]) if text.split() else None
        return fails(text, returns=self._strict) or (own is not None and fails(own.body))

    def _if(self, node: Node, *, sure: bool) -> None:
        words = [one.type for one in node.children]
        at = words.index("then") if "then" in words else 0
        conditions = [one for one in node.children[1:at] if one.is_named]
        then = [one for one in node.children[at + 1 :] if one.is_named]
        other = [one for one in then if one.type in ("else_clause", "elif_clause")]
        then = [one for one in then if one not in other]
        which = branch(self._spelled(then), self._spelled(other), returns=self._strict)
        if which and len(conditions) == 1:
            self._node(conditions[0], sure=sure, counts=which == "else")
        for one in then:
            self._node(one, sure=False, counts=None)

    def _spelled(self, nodes: list[Node]) -> str:
        """Code with the functions it calls spelled out."""
        said = [_text(node) for node in nodes]
        names = {name for node in nodes for name in self._called(node)}
        names |= {_text(node).split()[0] for node in nodes if _text(node).split()}
        return "\n".join([*said, *(self._own[name].body for name in names if name in self._own)])

    def _test(self, node: Node, *, sure: bool, counts: bool) -> None:
        said = self.source[node.start_byte : node.end_byte]
        inside = [one for one in node.named_children if one.type == "binary_expression"]
        if len(inside) != 1 or re.search(rb"\s-[ao]\s|&&|\|\|", said):
            return
        sides = [one for one in inside[0].children if one.type in _VALUES]
        signs = [one for one in inside[0].children if one not in sides]
        if len(sides) == 2 and len(signs) == 1:  # noqa: PLR2004
            self._compared(sides[0], _bytes(signs[0]), sides[1], sure=sure, counts=counts)

    def _compared(self, left: Node, sign: bytes, right: Node, *, sure: bool, counts: bool) -> None:
        said = _bytes(left) + b" " + _bytes(right)
        if _EQUAL.get(sign) is not counts or _ABOUT_THE_RUN.search(said):
            return
        if re.search(rb"\$\{?\d", said) and not self._inside:
            return  # what the script was called with
        if any(is_count(name) for name in re.findall(r"\w+", said.decode("utf-8", "replace"))):
            return
        first = _is_literal(left) and not _is_literal(right)
        one, other = (left, right) if first else (right, left)
        if not _is_literal(other):
            self._put(one, sure=sure, number=sign in (b"-eq", b"-ne"))

    def _command(self, node: Node, *, sure: bool, counts: bool | None) -> None:
        words = [one for one in node.named_children if one.type in ("command_name", *_VALUES)]
        if not words or words[0].type != "command_name":
            return
        name, args = _bytes(words[0]), words[1:]
        is_own = name.decode("utf-8", "replace") in self._own
        if name == b"test" and not is_own and len(args) == 3 and counts is not None:  # noqa: PLR2004
            self._compared(args[0], _bytes(args[1]), args[2], sure=sure, counts=counts)
        elif name in _GREP and counts is True:
            self._grep(args, sure=sure)
        elif counts is True and (own := inline(tuple(_text(one) for one in words), 0)):
            self._quoted(words[own.at], own.language, sure=sure)
        else:
            self._assertion(name.decode("utf-8", "replace"), args, sure=sure)

    def _quoted(self, node: Node, language: str, *, sure: bool) -> None:
        """A text of another language as one word, where quotes are all that the shell takes off."""
        said, mark = _bytes(node), _bytes(node)[:1]
        is_plain = node.type == "raw_string" or not re.search(rb"[\\`$]", said)
        if node.type in ("raw_string", "string") and is_plain:
            for one in self._inner(said[1:-1], language):
                text = one.text.replace(b"'", b"'\\''")
                if mark == b'"':
                    text = re.sub(rb'([\\`$"])', rb"\\\1", one.text)
                self._within(node.start_byte + 1, one._replace(text=text), sure=sure)

    def _given(self, node: Node, *, sure: bool, counts: bool | None) -> None:
        """A text of another language that a program is given to read, after `<<`."""
        command, *rest = node.named_children
        here = [one for one in rest if one.type == "heredoc_redirect"]
        words = [_bytes(one) for one in command.named_children]
        if command.type != "command" or len(here) != 1 or [w for w in words[1:] if w != b"-"]:
            return
        parts = {one.type: one for one in here[0].named_children}
        start, body = parts.pop("heredoc_start", None), parts.pop("heredoc_body", None)
        parts.pop("heredoc_end", None)
        if parts:  # what follows on the line of the `<<` stands inside of it
            signs = [one.type for one in here[0].children]
            counts = True if "||" in signs and all(map(self._fails, parts.values())) else None
        language = language_of(_text(command).split()[0])
        if start and body and counts is True and _bytes(start)[:1] in (b"'", b'"', b"\\"):
            for one in self._inner(_bytes(body), language):
                self._within(body.start_byte, one, sure=sure)

    def _inner(self, source: bytes, language: str) -> list[Change]:
        """What a text of another language expects, with another value."""
        if language == "node":
            return node_flip.changes(source, self.drawn, self._helpers)
        if language == "shell":
            return changes(source, self.drawn, self._helpers)
        return python_flip.changes_in(source, self.drawn, self._helpers) if language else []

    def _within(self, at: int, change: Change, *, sure: bool) -> None:
        start, end, text, is_sure = change
        self.found[at + start, at + end] = Change(at + start, at + end, text, sure and is_sure)

    def _grep(self, args: list[Node], *, sure: bool) -> None:
        options = [_bytes(one) for one in args if _bytes(one).startswith(b"-")]
        if any(re.match(rb"-\w*[vLcf]|--(?!quiet|silent)", one) for one in options):
            return
        words = [one for one in args if not _bytes(one).startswith(b"-")]
        if words and _is_literal(words[0]) and b"|" not in _bytes(words[0]):
            self._put(words[0], sure=sure)

    def _assertion(self, name: str, args: list[Node], *, sure: bool) -> None:
        known = self._own.get(name) or self._helpers(name)
        if known is None or not asserts(name, known, returns=self._strict):
            return
        literal = [_is_literal(one) for one in args]
        wanted = [is_wanted(_text(one)) for one in args]
        for n in chosen(literal, wanted, known):
            self._put(args[n], sure=sure)

    def _put(self, node: Node, *, sure: bool, number: bool = False) -> None:
        start, end = node.start_byte, node.end_byte
        text = self._other(self.source[start:end], node, number=number)
        self.found[start, end] = Change(start, end, text, sure=sure)

    def _other(self, said: bytes, node: Node, *, number: bool) -> bytes:
        word = (str(self.drawn.number) if number else self.drawn.word).encode()
        if re.fullmatch(rb"-?\d{1,9}", said):
            return str(self.drawn.other(int(said))).encode()
        if quoted := re.fullmatch(rb"(['\"])(-?\d{1,9})\1", said):
            return quoted[1] + str(self.drawn.other(int(quoted[2]))).encode() + quoted[1]
        if node.type in ("regex", "extglob_pattern"):
            return re.sub(rb"([^$*)\s]*)([$*)]*)$", lambda m: m[1] + word + m[2], said, count=1)
        if said[-1:] in (b'"', b"'") and not _is_made(node):
            inside, mark = said[:-1], said[-1:]
            tail = b"$" if inside.endswith(b"$") and not number else b""
            return inside.removesuffix(tail) + word + tail + mark
        if node.type == "word" and not said.endswith((b"$", b"\\")):
            return said + word
        return said + b'"' + word + b'"'  # a name before it must not grow longer


def _named(function: Node) -> str:
    return _text(function.named_children[0]) if function.named_children else ""


def _bytes(node: Node) -> bytes:
    return node.text or b""


def _text(node: Node) -> str:
    return _bytes(node).decode("utf-8", "replace")


def _is_made(node: Node) -> bool:
    """Whether a word gets its value only when the script runs."""
    return any(one.type in _MADE for one in below(node))


def _is_literal(node: Node) -> bool:
    return not _is_made(node)
