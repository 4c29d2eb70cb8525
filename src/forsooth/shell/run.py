"""Goes through a parsed script in order, as a shell would.

Numbers of steps and depth are bounded; running out of them raises `Exhausted`.
"""

from __future__ import annotations

import re
from collections import Counter

from tree_sitter import Node

from forsooth.shell.marks import LOCAL, SPLIT, UNKNOWN, plain
from forsooth.shell.nodes import (
    below,
    bytes_of,
    called,
    calls,
    holds,
    multiplies,
    parsed,
)
from forsooth.shell.options import base
from forsooth.shell.printed import printed
from forsooth.shell.rules import refusal
from forsooth.shell.scope import DEEPEST, Body, Exhausted, Scope
from forsooth.shell.unwrap import Argv, started
from forsooth.shell.walk import Walk
from forsooth.shell.words import LONGEST, Words

_EXPANSIONS = frozenset({"simple_expansion", "expansion", "command_substitution"})
_PARTS = frozenset({"command_substitution", "process_substitution"})
_COMPOUND = frozenset({"program", "list", "compound_statement", "subshell", "do_group"})
_QUIET = frozenset({"string_content", "word", "raw_string", "comment", "heredoc_end"})
_LOOPS = 16  # values of a `for` that are gone through


def run(walk: Walk, text: str, scope: Scope) -> None:
    """Go through a script, and tell the walk what it does."""
    source = bytes_of(text)
    Run(walk, source).node(parsed(source), scope)


class Run:
    """The walk through the tree of one script."""

    def __init__(self, walk: Walk, source: bytes) -> None:
        self.walk, self.source = walk, source
        self.words = Words(source, self.output)
        self._names: Counter[str] | None = None

    def node(self, node: Node, scope: Scope, depth: int = 0) -> None:
        """Go through one node."""
        scope.budget.spend()
        if depth > DEEPEST * 3:
            raise Exhausted
        match node.type:
            case "command":
                self._command(node, scope)
            case "command_name" | "concatenation" if self._is_braced(node):
                self._braces(node, scope)
            case "pipeline":
                self._pipeline(node, scope, depth)
            case "redirected_statement":
                self._redirected(node, scope, depth)
            case "command_substitution" if self._is_quoted(node):
                inside = self.words.raw(node)[1:-1].replace("\\`", "`")
                self.walk.script(inside, scope.inner())
            case "subshell" | "command_substitution" | "process_substitution":
                self._children(node, scope.inner(), depth)
            case "variable_assignment":
                self._assignment(node, scope)
                self._children(node, scope, depth)
            case "function_definition":
                self._function(node, scope, depth)
            case "test_command" if node.children[-1].is_missing:
                self._lost(node, scope)
            case "for_statement":
                self._loop(node, scope, depth)
            case "program":
                self._bombs("$0", node)
                self._children(node, scope, depth)
            case kind if kind not in _QUIET:
                self._children(node, scope, depth)
            case _:
                pass

    def _children(self, node: Node, scope: Scope, depth: int) -> None:
        for one in node.children:
            if one.is_named:
                self.node(one, scope, depth + 1)

    def _command(self, node: Node, scope: Scope) -> None:
        """A simple command: its words, its input, and what is inside them."""
        inner = scope.beside()
        argv = self._argv(node, inner)
        for one in node.named_children:
            if one.type == "herestring_redirect":
                inner.stdin = self._given(one, inner)
            elif one.type == "file_redirect":
                self.opened(one, inner)
        self.substitutions(node, scope)
        if not argv:
            return
        body = inner.functions.get(plain(argv[0]))
        if body and inner.depth < DEEPEST:
            called = inner.inner()
            called.functions.pop(plain(argv[0]))
            called.values |= {str(at): word for at, word in enumerate(argv)}
            called.values |= {"@": SPLIT.join(argv[1:]), "*": " ".join(argv[1:])}
            Run(self.walk, body.source).node(body.node, called)
            return
        args = [one for one in node.named_children if one.type != "command_name"]
        self.walk.call(argv, inner, expands=any(holds(one, _EXPANSIONS) for one in args))
        scope.cwd = inner.cwd

    def _lost(self, node: Node, scope: Scope) -> None:
        """A test whose end the grammar did not see: what stands after it is a script."""
        rest = self.words.raw(node).partition("]]")[2]
        self.walk.script(rest.lstrip(" \t;&|"), scope.inner())

    def _is_quoted(self, node: Node) -> bool:
        """Backticks inside backticks, which the grammar reads as words."""
        return self.words.raw(node, 1) == "`" and "\\`" in self.words.raw(node)

    def _is_braced(self, node: Node) -> bool:
        """Whether a brace that the grammar made no sense of stands right before a word."""
        at, parent = node.start_byte, node.parent
        return self.source[at - 1 : at] == b"{" and parent is not None and parent.type == "ERROR"

    def _braces(self, node: Node, scope: Scope) -> None:
        """`{rm,-rf,/}` where a command begins: words to a shell, an error to the grammar."""
        said = self.words.raw(node)
        if said.endswith("}") and "," in said:
            self.walk.call(said[:-1].split(","), scope, expands=False)

    def _argv(self, node: Node, scope: Scope) -> list[str]:
        found = list[str]()
        for one in node.named_children:
            if one.type == "variable_assignment":
                self._assignment(one, scope)
            elif not one.type.endswith("_redirect"):
                found += self.words.fields(one, scope)
        return [word for word in found if word] if found[:1] == [""] else found

    def substitutions(self, node: Node, scope: Scope, depth: int = 0) -> None:
        """Commands inside words run too."""
        scope.budget.spend()
        for one in node.named_children if depth < DEEPEST else ():
            if one.type in _PARTS:
                self.node(one, scope, depth)
            elif one.child_count:
                self.substitutions(one, scope, depth + 1)

    def _pipeline(self, node: Node, scope: Scope, depth: int, given: str | None = None) -> None:
        """Each stage reads what the one before it prints."""
        stdin = scope.stdin if given is None else given
        for one in node.named_children:
            inner = scope.inner()
            inner.stdin = stdin
            self.node(one, inner, depth + 1)
            stdin = self.output(one, inner)

    def _redirected(self, node: Node, scope: Scope, depth: int) -> None:
        """A statement with its input and its outputs; a here-document may hold more statements."""
        inner, later = scope.beside(), list[Node]()
        body = node.named_children[0] if node.named_children else node
        files = [one for one in node.named_children if one.type == "file_redirect"]
        for one in node.named_children:
            if one.type == "heredoc_redirect":
                later += self.document(one, inner, depth)
            elif one.type == "herestring_redirect":
                inner.stdin = self._given(one, inner)
        files += [one for one in later if one.type == "file_redirect"]
        # The grammar hangs a redirection on the whole of `a && b > f`; a shell does so on `b`.
        for one in files if body.type != "list" else ():
            self.opened(one, inner)
        if not body.type.endswith("_redirect"):
            self.node(body, inner, depth + 1)
        for one in files if body.type == "list" else ():
            self.opened(one, inner)
        said = self.output(body, inner) if files else ""
        for one in files:
            scope.budget.spend(8)
            fed = scope.beside()
            fed.stdin = said if ">(" in self.words.raw(one) else scope.stdin
            self.substitutions(one, fed)
            for word in self.words.fields(one.named_children[-1], inner)[:1]:
                scope.feeds[word] = said  # it may be run by a later command
        for one in later:
            if one.type == "file_redirect":
                continue
            if one.type == "pipeline" and one.children and one.children[0].type in ("|", "|&"):
                self._pipeline(one, scope, depth, given=self.output(body, inner))
            else:
                self.node(one, scope, depth + 1)
        scope.cwd = inner.cwd

    def document(self, node: Node, scope: Scope, depth: int) -> list[Node]:
        """Take a here-document as input; give back the statements that share its line."""
        scope.stdin = self._text(node)
        start = next((one for one in node.named_children if one.type == "heredoc_start"), None)
        if start and not re.search(r"['\"\\]", self.words.raw(start)):
            scope.stdin = self._expanded(scope.stdin, scope, depth)
        return [one for one in node.named_children if not one.type.startswith("heredoc_")]

    def _text(self, node: Node) -> str:
        """The lines between a here-document's two marks; the grammar may lose the first of them."""
        by_type = {one.type: one for one in node.named_children}
        start, end = by_type.get("heredoc_start"), by_type.get("heredoc_end")
        body = by_type.get("heredoc_body")
        if not start:
            return UNKNOWN
        line = self.source.find(b"\n", start.end_byte) + 1
        stop = end.start_byte if end else body.end_byte if body else len(self.source)
        begin = min(line, body.start_byte) if body else line
        return self.source[begin:stop].decode("utf-8", "replace")

    def _expanded(self, text: str, scope: Scope, depth: int) -> str:
        """A here-document with values put in, and the commands inside it gone through."""
        if "$" not in text and "`" not in text:
            return text
        source = (': "' + text.replace('"', '\\"') + '"').encode("utf-8", "replace")
        inside = Run(self.walk, source)
        root = parsed(source)
        inside.substitutions(root, scope, depth)
        strings = [one for one in below(root) if one.type == "string"]
        return inside.words.text(strings[0], scope) if strings else text

    def _given(self, node: Node, scope: Scope) -> str:
        return "".join(self.words.whole(one, scope) for one in node.named_children[-1:])

    def opened(self, node: Node, scope: Scope) -> None:
        """`> file` writes it; `< file` reads what is there, or another command's output."""
        signs = [one.type for one in node.children if not one.is_named]
        words = [one for one in node.named_children if one.type != "file_descriptor"]
        sign = signs[0] if signs else ""
        for one in words[:1]:
            for word in self.words.fields(one, scope)[:1]:
                if sign == "<":
                    scope.stdin = scope.feeds.get(word, LOCAL)
                elif ">" in sign and not (sign == ">&" and re.fullmatch(r"\d+-?|-", word)):
                    self.walk.wrote("write", word, scope)

    def _assignment(self, node: Node, scope: Scope) -> None:
        parts = node.named_children
        name = self.words.raw(parts[0]).partition("[")[0] if parts else ""
        value = self.words.whole(parts[1], scope) if len(parts) > 1 else ""
        if any(one.type == "+=" for one in node.children):
            value = scope.value(name) + value if name in scope.values else UNKNOWN
        scope.values[name] = value[:LONGEST]

    def _function(self, node: Node, scope: Scope, depth: int) -> None:
        """Keep the body for its calls; one that is never called here is gone through once."""
        parts = node.named_children
        name = self.words.raw(parts[0]) if parts else ""
        self._bombs(name, node)
        if parts[1:]:
            if self._called(node)[name] <= calls(node, name):
                self.node(parts[-1], scope.inner(), depth + 1)
            scope.functions[name] = Body(parts[-1], self.source)

    def _called(self, node: Node) -> Counter[str]:
        """How often each name is called in the whole script."""
        if self._names is None:
            while node.parent:
                node = node.parent
            self._names = Counter(map(called, below(node)))
        return self._names

    def _bombs(self, name: str, node: Node) -> None:
        """A function, or a script, that starts itself twice without end."""
        if name.encode() not in self.source:
            return
        count = calls(node, name)
        if count > 1 and any(multiplies(one, name) for one in below(node)):
            self.walk.add(refusal("fork-bomb"))

    def _loop(self, node: Node, scope: Scope, depth: int) -> None:
        """Go through the body once for each value."""
        name = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        rest = [one for one in node.named_children if one not in (name, body)]
        values = [word for one in rest for word in self.words.fields(one, scope)]
        for one in rest:
            self.substitutions(one, scope)
        for value in (values or [scope.value("@")])[:_LOOPS]:
            if name:
                scope.values[self.words.raw(name)] = value
            if body:
                self.node(body, scope, depth + 1)

    def output(self, node: Node, scope: Scope) -> str:
        """What a statement prints, as far as that is known."""
        scope.budget.spend()
        match node.type:
            case "command":
                inner = scope.beside()
                argv = self._argv(node, inner)
                for one in node.named_children:
                    if one.type == "herestring_redirect":
                        inner.stdin = self._given(one, inner)
                return _printed(argv, inner) if argv else ""
            case "pipeline":
                said, inner = scope.stdin, scope.inner()
                for one in node.named_children:
                    inner.stdin = said
                    said = self.output(one, inner)
                return said or ""
            case "redirected_statement":
                return self._redirected_output(node, scope)
            case "variable_assignment":
                self._assignment(node, scope)
                return ""
            case "command_substitution" | "process_substitution" | "subshell":
                inner = scope.inner()
                return "\n".join(self.output(one, inner) for one in node.named_children)
            case kind if kind in _COMPOUND:
                return "\n".join(self.output(one, scope) for one in node.named_children)
            case "file_redirect":
                return LOCAL
            case "comment":
                return ""
            case _:
                return UNKNOWN

    def _redirected_output(self, node: Node, scope: Scope) -> str:
        inner = scope.inner()
        if not node.named_children:
            return UNKNOWN
        quiet = Run(Walk(run), self.source)
        for one in node.named_children[1:]:
            if one.type == "heredoc_redirect":
                later = quiet.document(one, inner, 0)
                pipes = [one for one in later if one.type == "pipeline"]
                if pipes:
                    inner.stdin = self.output(node.named_children[0], inner)
                    return self.output(pipes[0], inner)
            elif one.type == "herestring_redirect":
                inner.stdin = self._given(one, inner)
            elif one.type == "file_redirect":
                quiet.opened(one, inner)
        return self.output(node.named_children[0], inner)


def _printed(argv: list[str], scope: Scope) -> str:
    """What a command prints, through its wrappers."""
    for _ in range(8):
        inner = [one for one in started(argv, scope) if isinstance(one, Argv)]
        if not inner or base(argv[0]) in ("find", "command"):
            break
        argv = inner[0].words
    return printed(argv, scope.stdin, scope)
