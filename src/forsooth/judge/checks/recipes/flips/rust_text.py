"""Rust with every comment and text blotted out, nothing moved, so that braces are only braces."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    r"//[^\n]*|(?P<comment>/\*)|\bb?r(?P<hashes>#*)\""
    r"|\"(?:\\.|[^\"\\])*\"|'(?:\\[^\n']*\\?'|[^\\'\n]{1,4}')",
    re.DOTALL,
)
_NESTED = re.compile(r"/\*|\*/")
_BRACE = re.compile(r"[{}]")
_INK = re.compile(r"[^\n]")


def bare(source: str) -> str:
    """A source with nothing in it but code."""
    made, at = "", 0
    while hidden := _HIDDEN.search(source, at):
        end = hidden.end()
        if hidden["comment"]:
            end = _after_comment(source, end)
        elif hidden["hashes"] is not None:
            close = source.find('"' + hidden["hashes"], end)
            end = len(source) if close < 0 else close + 1 + len(hidden["hashes"])
        made += source[at : hidden.start()] + _INK.sub(" ", source[hidden.start() : end])
        at = end
    return made + source[at:]


def closing(plain: str, at: int) -> int | None:
    """The place after the brace that closes the one that opens here; none when none does."""
    depth = 0
    for brace in _BRACE.finditer(plain, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return None


def _after_comment(source: str, at: int) -> int:
    """Where a comment ends that may hold others."""
    depth = 1
    for mark in _NESTED.finditer(source, at):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return len(source)
