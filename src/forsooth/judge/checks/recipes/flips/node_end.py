"""A node script changed so that to come to its own end is to exit with a status of the judge's.

Its end is where nothing is left to do, or where it calls `process.exit` itself. Whoever else ends
the process shows by leaving with another status.
"""

from __future__ import annotations

import re

from forsooth.judge.checks.recipes.flips.script_tokens import Token, UnclearError, tokens

_HANDLER = "() => {{ process.exitCode = process.exitCode || {status}; }}"
_LEAVES = re.compile(r"\b(?:exit|process)\b")
_BUILT_IN = re.compile(
    r"\.|/|node:(?!process)|(?:assert|fs|path|util|os|events|stream|url|http|child_process|crypto|module|vm"
    r"|buffer|timers|perf_hooks|worker_threads|querystring|zlib|net|readline)(?:/|$)"
)


def ended(source: str, status: int) -> str | None:
    """The script that exits with the status; none when others may end it on its behalf."""
    try:
        words = tokens(source)
    except (UnclearError, RecursionError):
        return None
    if _unclear(words):
        return None
    handler = _HANDLER.format(status=status)
    return f'{_marked(source, words, handler)}\n;process.on("beforeExit", {handler});\n'


def marked(source: str, status: int) -> str | None:
    """A helper of a script: to exit by itself counts as the script's own end."""
    if not _LEAVES.search(source):
        return source
    try:
        words = tokens(source)
    except (UnclearError, RecursionError):
        return None
    return None if _unclear(words) else _marked(source, words, _HANDLER.format(status=status))


def _unclear(words: list[Token]) -> bool:
    """Whether something else may exit for it: a package, or `process` under another name."""
    if any(not _BUILT_IN.match(name) for name in _asked_for(words)):
        return True
    return any(word.text != "." for _, word in _uses(words))


def _marked(source: str, words: list[Token], handler: str) -> str:
    made, at = "", 0
    for n, _ in _uses(words):
        if words[n + 2].text == "exit":
            end = f'(process.on("exit", {handler}), process)'
            made, at = made + source[at : words[n].start] + end, words[n].end
    return made + source[at:]


def _uses(words: list[Token]) -> list[tuple[int, Token]]:
    """Where the process is named, and the word behind it."""
    return [
        (n, words[n + 1])
        for n, word in enumerate(words[:-2])
        if (word.kind, word.text) == ("name", "process") and (n == 0 or words[n - 1].text != ".")
    ]


def _asked_for(words: list[Token]) -> list[str]:
    """The modules a script asks for by name."""
    asked: list[str] = []
    for n, word in enumerate(words):
        before = [one.text for one in words[max(0, n - 2) : n]]
        if word.kind == "text" and (
            before[-1:] in (["from"], ["import"]) or before in (["require", "("], ["import", "("])
        ):
            asked.append(word.text[1:-1])
    return asked
