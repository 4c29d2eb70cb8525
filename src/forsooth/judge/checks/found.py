"""How a check says what it saw: one line, and bytes that show it.

Text of a run is data: quoted, and kept only after secrets are taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from forsooth.core.assignment import quoted
from forsooth.core.verdict import Finding, Outcome
from forsooth.judge.checker import Context, Ran
from forsooth.judge.checks.redact import redacted

_NAMED = 3
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# For choosing what to quote, never for deciding anything.
_WRAPPING = re.compile(r"g?make(?:\[\d+\])?: |npm (?:ERR!|error)|error Command failed")
_TELLS = re.compile(r"error|fail|not ok|required|threshold|cannot|not found|panic", re.IGNORECASE)


def found(
    ctx: Context,
    outcome: Outcome,
    code: str,
    reason: str = "",
    *,
    evidence: Iterable[bytes] = (),
    took: float = 0.0,
) -> Finding:
    """A finding about the criterion; its reason is its evidence when there is no other."""
    plain = _COLOUR.sub("", reason).encode("utf-8", "replace")
    line = quoted(redacted(plain).decode("utf-8", "replace"))
    kept = [data for data in evidence if data] or [f"{code}: {line}\n".encode()]
    digests = dict.fromkeys(ctx.keep(redacted(data)) for data in kept)
    return Finding(
        criterion=ctx.criterion.id,
        outcome=outcome,
        code=code,
        reason=line,
        evidence=tuple(digests),
        took=max(0, round(took * 1000)),
    )


def shown(names: Iterable[str], cap: int = 80) -> str:
    """The first few names, and how many more there are."""
    every = list(names)
    told = ", ".join(quoted(name, cap) for name in every[:_NAMED])
    more = len(every) - _NAMED
    return f"{told} and {more} more" if more > 0 else told


def outputs(ran: Ran, argv: Iterable[str]) -> list[bytes]:
    """What shows how a run went: how it ended, what it printed, what it wrote for the judge."""
    how = f"exit {ran.exit}" if ran.exit is not None else f"signal {ran.signal}"
    ended = how if ran.ended == "exit" else ran.ended
    head = " ".join(quoted(word, 200) for word in argv)
    summary = f"$ {head}\n{ended}\n".encode("utf-8", "replace")
    return [summary, ran.stdout, ran.stderr, *(ran.out[name] for name in sorted(ran.out))]


def last_line(ran: Ran) -> str:
    """The line of a run that tells most: the last about an error, or else simply the last.

    What make and npm say of a command that failed is told only where nothing else was said.
    """
    streams = [_lines(stream) for stream in (ran.stderr, ran.stdout)]
    plain = [[line for line in lines if not _WRAPPING.match(line)] for lines in streams]
    streams = plain if any(plain) else streams
    telling = [line for lines in streams for line in lines[::-1] if _TELLS.search(line)]
    last = [lines[-1] for lines in streams if lines]
    return quoted((telling or last or [""])[0], 160)


def _lines(stream: bytes) -> list[str]:
    text = _COLOUR.sub("", stream[-4000:].decode("utf-8", "replace"))
    return [line for line in text.splitlines() if line.strip()]
