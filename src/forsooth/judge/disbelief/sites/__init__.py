"""Places of changed code where one small thing can be put wrong, and what it is put to.

Only places that are certain: a token the language's own grammar or a plain scan tells apart.
"""

from __future__ import annotations

from forsooth.judge.disbelief.bodies import language
from forsooth.judge.disbelief.sites import python, scanned
from forsooth.judge.disbelief.sites.site import Site, changed

__all__ = ["Site", "literals", "sites"]


def sites(path: str, before: bytes | None, now: bytes) -> tuple[Site, ...]:
    """Every mutant of the lines that differ, the most telling first; none if unsure."""
    spoken = language(path, now)
    if spoken is None:
        return ()
    found = python.sites(now) if spoken.name == "python" else scanned.sites(spoken.name, now)
    lines = changed(before, now)
    return tuple(sorted(site for site in found if site.line in lines))


def literals(path: str, before: bytes | None, now: bytes) -> tuple[Site, ...]:
    """The plain values among them."""
    return tuple(site for site in sites(path, before, now) if site.value)
