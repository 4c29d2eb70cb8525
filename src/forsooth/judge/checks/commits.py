"""Looks at the goal's own commits: their messages, in order, and their number.

Merges are git's own words and are left out.
"""

from __future__ import annotations

import re
import warnings

from forsooth.core.assignment import quoted
from forsooth.core.check import CommitsParams
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context
from forsooth.judge.checks.found import found

_LONGEST = 16_384
_MERGE = 2  # parents
_SHOWN = 100


def run(params: CommitsParams, ctx: Context) -> Finding:
    """Each pattern needs a commit of its own, each after the one before; some are for every one."""
    commits = [one for one in ctx.look.commits if len(one.parents) < _MERGE]
    messages = [commit.message[:_LONGEST] for commit in commits]
    seen = [f"{c.id} {quoted(c.message)}" for c in commits]
    evidence = ["\n".join([f"{len(seen)} commits", *seen, ""]).encode("utf-8", "replace")]
    if params.count is not None and len(commits) != params.count:
        reason = f"{len(commits)} commits, expected {params.count}"
        return found(ctx, "fail", "commit-count", reason, evidence=evidence)
    for pattern in params.every:
        other = next((one for one in messages if not _matches(pattern, one)), None)
        if other is not None:
            says = f"“{quoted(_subject(other), 80)}” does not match “{_asked(pattern)}”"
            return found(ctx, "fail", "commit-message", says, evidence=evidence)
    asked = params.patterns if messages else (*params.patterns, *params.every)
    left = _unmatched(asked, messages)
    if not left:
        return found(ctx, "pass", "pass", f"{len(commits)} commits", evidence=evidence)
    late = " after the ones before it" if left != asked else ""
    last = f"; the last says “{quoted(_subject(messages[-1]), 80)}”" if messages else ""
    reason = f"no commit matches “{_asked(left[0])}”{late}{last}"
    return found(ctx, "fail", "commit-message", reason, evidence=evidence)


def _unmatched(patterns: tuple[str, ...], messages: list[str]) -> tuple[str, ...]:
    """The patterns from the first on that no later commit matches."""
    rest = iter(messages)
    for at, pattern in enumerate(patterns):
        if not any(_matches(pattern, message) for message in rest):
            return patterns[at:]
    return ()


def _matches(pattern: str, message: str) -> bool:
    """Whether a pattern is found in the subject, or else in the whole message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about sets of a future syntax
        found_in = re.compile(pattern).search
    return bool(found_in(_subject(message)) or found_in(message))


def _asked(pattern: str) -> str:
    """A pattern as one line; spaces count in it, also at its end."""
    flat = "".join(c if c.isprintable() else " " for c in pattern)
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"


def _subject(message: str) -> str:
    return message.partition("\n")[0].rstrip("\r")
