"""A shell script changed so that to come to its own end is to exit with a status of the judge's.

The end compares by `[` and `test`: a subject that was sourced and redefines them, or `exit`, or
sets a trap that exits, shows. A script with an end that is not plainly seen is left alone.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"(?:^|(?<=[\s;]))#[^\n]*")
_OWN_LINE = re.compile(r"^[ \t]*exit(?:[ \t]+(?P<status>[^\s;&|]+))?[ \t]*;?[ \t]*$")
_LEAVES = re.compile(r"\bexit\b(?![ \t]+[1-9]\d*\b)|\bexec\b(?![ \t]+\d*[<>])|\bkill\b[^\n]*\$\$")
# Where a line that exits may be text, or end no more than a shell within the shell.
_ELSEWHERE = re.compile(r"<<-?[ \t]*[\"'\\]?\w|\([ \t]*$|\|[ \t]*while\b|\bdone[ \t]*\||\$\{?0\b")


def ended(source: str, status: int) -> str | None:
    """The script that exits with the status where it exits well, or comes to its end."""
    lines = source.split("\n")
    bare = [_COMMENT.sub("", line) for line in lines]
    own = [n for n, line in enumerate(bare) if _leaves_well(line)]
    last = max((n for n, line in enumerate(bare) if line.strip()), default=-1)
    if last < 0 or bare[last].rstrip().endswith("\\") or _unclear(bare, own, last):
        return None
    made = [f"{_end(status)}\n{line}" if n in own else line for n, line in enumerate(lines)]
    return "\n".join(made).rstrip("\n") + f"\n{_end(status)}\n"


def leaves(source: str) -> bool:
    """Whether a script that is sourced may end well the one that sources it."""
    bare = "\n".join(_COMMENT.sub("", line) for line in source.split("\n"))
    return _LEAVES.search(bare) is not None


def _unclear(bare: list[str], own: list[int], last: int) -> bool:
    """Whether it may leave well where nobody sees it, or a line that leaves may be only text."""
    others = "\n".join(line for n, line in enumerate(bare) if n not in own)
    if _LEAVES.search(others):
        return True
    within = [n for n in own if n != last]
    if within and any(_ELSEWHERE.search(line) for line in bare):
        return True
    before = ("\n".join(bare[:n]) for n in own)
    return any(text.count("'") % 2 or text.count('"') % 2 for text in before)


def _leaves_well(line: str) -> bool:
    found = _OWN_LINE.match(line)
    return found is not None and not re.fullmatch(r"[1-9]\d*", found["status"] or "0")


def _end(status: int) -> str:
    return f"if [ 1 = 2 ] || test 1 = 2; then :; else exit {status}; fi"
