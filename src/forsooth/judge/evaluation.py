"""One criterion of any kind, evaluated: what runs something is proven, other kinds are looked at.

What cannot be evaluated is an error, never a pass. Of a hidden criterion nothing is told but
whether it holds.
"""

from __future__ import annotations

from forsooth.core.canonical import digest
from forsooth.core.strength import entry
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify
from forsooth.judge import checks
from forsooth.judge.checker import Context, Nowhere
from forsooth.judge.court import Asked, Court
from forsooth.judge.proof import LONGEST, Proving


def proven(asked: Asked, court: Court) -> Finding:
    """What one criterion comes to; of a hidden one, no more than whether it holds."""
    if not asked.criterion.hidden:
        return _proven(asked, court)
    finding = _proven(asked, court._replace(keep=digest))  # what it printed is kept nowhere
    held = (*finding.held, entry("hidden")) if finding.outcome == "pass" else ()
    says = {"pass": "holds", "fail": "does not hold"}.get(finding.outcome, "could not be run")
    reason = f"a criterion that is not shown {says}"
    kept = (court.keep(f"{finding.code}: {reason}\n".encode()),)
    code = "hidden" if finding.outcome == "fail" else finding.code
    return finding.but(code=code, reason=reason, evidence=kept, held=held, lacking=(), flags=())


def _proven(asked: Asked, court: Court) -> Finding:
    """What cannot be evaluated is an error, never a pass."""
    criterion, goal = asked.criterion, asked.goal
    look = court.rooms.look(court.tree)
    nowhere = Nowhere(court.rooms.root)
    consent = court.consents.get(criterion.id)
    shared = (court.keep, LONGEST, asked.beside, consent, court.own)
    ctx = Context(criterion, goal, nowhere, look, *shared)
    try:
        match criterion.check.kind:
            case "command" | "tests":
                return Proving(asked, court, ctx).finding()
            case "files":
                with court.rooms.bare(court.tree) as place:
                    return checks.judged(ctx._replace(place=place))
            case _:
                return checks.judged(ctx)
    except CouldNotVerify as error:
        return checks.unevaluated(ctx, error)
