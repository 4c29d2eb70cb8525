"""The words a shell would make of its source: quotes gone, values put in, braces opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tree_sitter import Node

from forsooth.shell.marks import LIVE, SPLIT, TILDE, UNKNOWN, braced, plain
from forsooth.shell.scope import Scope

Output = Callable[[Node, Scope], str]  # what a substitution would print

_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_IN_STRING = re.compile(r'\\([$`"\\\n])')
_ANSI = re.compile(
    r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|c.|.)", re.DOTALL
)
_SIMPLE = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))
_LISTED = re.compile(r'"\$(@|\{@\}|\{\w+\[@\]\})"')
_DEFAULTS = {":-", "-", ":=", "="}
LARGEST = 1 << 18  # bytes of one word
LONGEST = 4096  # characters of one value


class Words:
    """Reads the nodes of one script."""

    def __init__(self, source: bytes, output: Output) -> None:
        self.source, self._output = source, output

    def raw(self, node: Node, most: int = LARGEST) -> str:
        """The source of a node, as it stands."""
        end = min(node.end_byte, node.start_byte + most)
        return self.source[node.start_byte : end].decode("utf-8", "replace")

    def fields(self, node: Node, scope: Scope) -> list[str]:
        """The words that one word of source becomes."""
        found = list[str]()
        for one in braced(self.text(node, scope)):
            parts = one.split(SPLIT)
            found += [_home(part, scope) for part in parts if part or len(parts) == 1]
        return found

    def whole(self, node: Node, scope: Scope) -> str:
        """A word that does not fall apart, as the value of an assignment."""
        if node.type == "array":
            return SPLIT.join(self.whole(one, scope) for one in node.named_children)
        return _home(self.text(node, scope).replace(SPLIT, " "), scope)

    def text(self, node: Node, scope: Scope, *, quoted: bool = False) -> str:
        """What a node says, with marks for what is special or not known."""
        scope.budget.spend()
        match node.type:
            case "raw_string":
                return self.raw(node)[1:-1]
            case "ansi_c_string":
                return unescaped(self.raw(node)[2:-1])
            case "string" if _LISTED.fullmatch(self.raw(node, 80)):  # each item is a word
                return self.text(node.named_children[0], scope)
            case "string" | "translated_string":
                return self._string(node, scope)
            case "string_content" | "heredoc_content":
                return _IN_STRING.sub(_kept, self.raw(node))
            case "concatenation" | "command_name":
                return "".join(self.text(one, scope, quoted=quoted) for one in node.children)
            case "simple_expansion":
                return self._spread(scope.value(self.raw(node)[1:]), scope, quoted=quoted)
            case "expansion":
                return self._spread(self._expansion(node, scope), scope, quoted=quoted)
            case "command_substitution":
                return self._spread(self._output(node, scope).rstrip("\n"), scope, quoted=quoted)
            case "process_substitution":
                return scope.feed(self._output(node, scope))
            case "arithmetic_expansion" | "brace_expression":
                return UNKNOWN
            case _:
                return _word(self.raw(node))

    def _string(self, node: Node, scope: Scope) -> str:
        """A double-quoted string; what the grammar leaves between its parts is text."""
        parts, at = list[str](), node.start_byte
        for one in node.children:
            parts.append(self.source[at : one.start_byte].decode("utf-8", "replace"))
            at = one.end_byte
            if one.type == "string":
                parts.append(self._string(one, scope))
            elif one.is_named:
                parts.append(self.text(one, scope, quoted=True))
        return "".join(parts)[:LARGEST]

    def _spread(self, value: str, scope: Scope, *, quoted: bool) -> str:
        value = value[:LONGEST]
        scope.budget.spend(len(value) // 256)
        return value.replace(SPLIT, " ") if quoted else SPLIT.join(re.split(r"[ \t\n]+", value))

    def _expansion(self, node: Node, scope: Scope) -> str:
        """`${...}`: a value, a default, or a slice of a known value; else not known."""
        named = [one for one in node.named_children if one.type in ("variable_name", "subscript")]
        if not named or "${!" in self.raw(node)[:3] or "${#" in self.raw(node)[:3]:
            return UNKNOWN
        name = self.raw(named[0]).partition("[")[0]
        signs = [one.type for one in node.children if not one.is_named]
        if len(signs) == 2 and len(node.named_children) == 1:  # noqa: PLR2004 - just the braces
            return scope.value(name)
        if name not in scope.values and any(sign in _DEFAULTS for sign in signs):
            rest = [one for one in node.named_children if one is not named[0]]
            return "".join(self.text(one, scope, quoted=True) for one in rest[:1])
        if name in scope.values and any(sign in _DEFAULTS for sign in signs):
            return scope.values[name]
        cut = re.fullmatch(r"\$\{\w+:\s?(-?\d+)(?::(\d+))?\}", self.raw(node))
        if cut and name in scope.values:
            start = int(cut[1])
            return scope.values[name][start : start + int(cut[2]) if cut[2] else None]
        return UNKNOWN


def unescaped(text: str) -> str:
    """`$'...'`, `printf` and `echo -e` escapes as the characters they mean."""
    return _ANSI.sub(_ansi, text)


def _ansi(found: re.Match[str]) -> str:
    one = found[1]
    if one[0] in "xuU" and len(one) > 1:
        return _character(one[1:], 16)
    if one[0] in "01234567":
        return _character(one, 8)
    return _SIMPLE.get(one, one)


def _character(digits: str, base: int) -> str:
    code = int(digits, base)
    is_one = 0 < code < 0x110000 and not (0xD800 <= code < 0xE100)  # noqa: PLR2004
    return chr(code) if is_one else ""


def _kept(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1]


def _word(raw: str) -> str:
    """An unquoted word: what a backslash protects is plain, the rest is live."""
    if "\\" not in raw:
        return raw.translate(LIVE)
    parts, at = list[str](), 0
    for found in _ESCAPED.finditer(raw):
        parts += [raw[at : found.start()].translate(LIVE), _kept(found)]
        at = found.end()
    return "".join([*parts, raw[at:].translate(LIVE)])


def _home(word: str, scope: Scope) -> str:
    """A word whose leading tilde is the home it means."""
    if not word.startswith(TILDE):
        return word.replace(TILDE, "~")
    user, slash, rest = word[1:].partition("/")
    where = {"": scope.place.home, "+": scope.cwd}.get(user, UNKNOWN)
    return where + slash + rest.replace(TILDE, "~")


def assigned(words: Iterable[str]) -> int:
    """How many leading words are assignments."""
    count = 0
    for word in words:
        if not re.match(r"[A-Za-z_]\w*\+?=", plain(word)):
            break
        count += 1
    return count
