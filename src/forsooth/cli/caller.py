"""Who is calling: a person at a terminal, a script that speaks for one, or an agent.

When in doubt it is an agent, who may do least.
"""

from __future__ import annotations

import os
import sys

from forsooth.core.actor import Actor
from forsooth.project.marks import agent_present


def at_terminal() -> bool:
    """Whether a person can read a question and type an answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def caller(*, yes: bool = False) -> Actor:
    """The actor of this process; `yes` says that a script speaks for a person, never an agent's."""
    agent = agent_present()
    if agent:
        return Actor(kind="agent", name=agent)
    if yes:
        return unattended()
    if at_terminal():
        return Actor(kind="human", name=os.environ.get("USER", ""), channel="terminal")
    return Actor(kind="agent", name="script")


def prompted(session: str) -> Actor:
    """A person who typed into an agent's own program, where a hook saw it."""
    name = os.environ.get("USER", "")
    return Actor(kind="human", name=name, channel="prompt", session=session)


def unattended() -> Actor:
    """A person for whom a script speaks."""
    return Actor(kind="human", name=os.environ.get("USER", ""), channel="unattended")
