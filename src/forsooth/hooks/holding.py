"""Whether the end of a turn is held, and the sentence that holds it. No files and no clock.

A hold is for a session that was armed, in a turn that arming or our own words began, while there is
work an agent can do and something moved since the last hold. Everything else is let go.
"""

from __future__ import annotations

from forsooth.hooks.sessions import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from forsooth.hooks.hosts import Event
    from forsooth.hooks.sessions import Session

LONGEST = 400


def against(
    event: Event, session: Session, told: dict[str, Any], *, seen: list[int], now: float
) -> str:
    """Why this turn may end; empty when it is held."""
    limits = told["limits"]
    if event.mode == "plan":
        return "the person wants a plan, not work"
    if event.pending:
        return "something it started is still running"
    if event.cut_short:
        return "the turn was cut short"
    if told["status"] != "active" or told["stop"]:
        return "there is nothing an agent can do now"
    if session.holds >= limits["holds"]:
        return f"it was held {session.holds} times in this session"
    if session.in_a_row(seen) >= limits["holds_in_a_row"]:
        return f"it was held {session.row} times in a row"
    if session.last > instant(now - limits["cooldown"]):
        return "it was held a moment ago"
    if session.seen == seen:
        return "nothing moved since the last hold"
    return ""


def reason(session: Session, told: dict[str, Any], seen: list[int]) -> str:
    """What the agent is told: what is missing, the next command, and how this ends."""
    limits, nth = told["limits"], session.holds + 1
    is_last = nth >= limits["holds"] or session.in_a_row(seen) + 1 >= limits["holds_in_a_row"]
    last = " This is the last hold." if is_last else ""
    missing = cut(told["missing"] or told["why"], 150)
    goal = told["missing"].partition(".")[0] or "GOAL"
    return cut(
        f"Not proven yet (hold {nth} of {limits['holds']}). {missing}. "
        f"Next: `{cut(told['command'], 70)}`.{last} "
        f"If only a person can help: `forsooth block {goal} --needs human --why …`, then stop.",
        LONGEST,
    )


def cut(text: str, most: int) -> str:
    """Text within a limit."""
    return text if len(text) <= most else text[: most - 1] + "…"
