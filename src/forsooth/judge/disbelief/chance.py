"""Whether new lines name a source of chance: then a run is seen more often to be believed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from forsooth.git.trees import Change
from forsooth.judge.checker import Look
from forsooth.judge.disbelief.sites.site import touched
from forsooth.judge.disbelief.smells import CODE

_SOURCES = re.compile(
    r"(?i:random|\brand(?:int|range|s?\b)|shuf(?:fle)?\b|uuid|\bsecrets\b|\bpid\b|getpid)"
    r"|\brand\.|\$\$|(?<![.\w])(?:hash|id|set|frozenset)\("
    r"|(?i:\b(?:time|date(?:time)?)\b.{0,12}\bnow\b)|\bnew Date\(\)|\$\(date\b|`date\b"
    r"|\btime(?:_ns)?\(\)|monotonic|perf_counter|performance\.now|hrtime"
    r"|(?i:sleep|setTimeout|setImmediate|thread)|Promise\.(?:race|any)|\bgo func\b|\bselect \{"
)


def is_chancy(changes: Iterable[Change], look: Look, before: Look | None) -> bool:
    """Whether a change of code, tests too, leans on what may differ from run to run."""
    code = (one for one in changes if CODE.search(one.path))
    return any(
        _SOURCES.search(line) for file in touched(code, look, before) for _, line in file.new()
    )
