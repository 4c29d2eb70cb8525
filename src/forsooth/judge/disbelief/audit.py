"""Who ran the tests: whether the runner was itself, and came from the environment.

Honest plug-ins change a runner too, and a project may be one: only what was not so at the seal
counts.
"""

from __future__ import annotations

from collections.abc import Iterable

from forsooth.judge.checks.found import shown
from forsooth.judge.checks.trial import Flaw, Held
from forsooth.judge.reports.report import Report

_PLUGIN = " (plug-in)"


def audited(told: Report, known: Iterable[str]) -> Held | Flaw | None:
    """What a report says of its runner; `known` are the names that stood in the report at the seal.

    None when the runner tells nothing of itself.
    """
    allowed = frozenset(known)
    strange = [name for name in told.inside if name not in allowed]
    plugins = [name.removesuffix(_PLUGIN) for name in strange if name.endswith(_PLUGIN)]
    runners = [name for name in strange if not name.endswith(_PLUGIN)]
    if runners:
        return Flaw("runner-in-copy", f"the runner is taken from the work itself: {shown(runners)}")
    if plugins:
        says = f"a plug-in of the runner is taken from the work itself: {shown(plugins)}"
        return Flaw("plugin-in-copy", says)
    if patched := [name for name in told.patched if name not in allowed]:
        says = f"functions of the runner or clocks were replaced while it ran: {shown(patched)}"
        return Flaw("runner-patched", says)
    return Held("runner") if told.audited else None
