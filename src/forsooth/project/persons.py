"""Who acts: the one place where an actor becomes a person.

Nothing that a caller sends says who it is. A person is heard at a terminal, through a prompt that a
hook saw, or through a question that an agent's program relayed; each time the processes above this
one are looked at, and where an agent is among them the act is the agent's. When in doubt it is an
agent, who may do least. At assurance `self` this is evidence, not proof: see `hooks.lineage` for
what it does not see, and docs/verifying.md for keys that need a touch.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise

from forsooth.core.actor import Actor, Channel
from forsooth.hooks import lineage

SCRIPT = Actor(kind="agent", name="script")


def at_terminal() -> bool:
    """Whether a person can read a question and type an answer, at a terminal of this session.

    A terminal that was opened from outside of its session is another's.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) > 0
    except OSError:
        return False


def agent_present() -> str:
    """The agent above this process."""
    return lineage.agent_above()


def caller(*, yes: bool = False) -> Actor:
    """Who runs this command; `yes` says that a script speaks for a person, which no agent does."""
    agent = agent_present()
    if agent:
        return Actor(kind="agent", name=agent)
    if yes:
        return unattended()
    return _person("terminal") if at_terminal() else SCRIPT


def unattended() -> Actor:
    """A person for whom a script speaks; whether an agent's shell may is the policy's to say."""
    return _person("unattended")


def prompted(session: str) -> Actor:
    """Who typed into an agent's own program, where a hook saw it."""
    return _relayed("prompt", session)


def answered() -> Actor:
    """Who answered a question that our server asked through an agent's program.

    Only the server itself asks, and it starts the process that acts on the answer.
    """
    started_by = lineage.parent()
    words = [word.rpartition("/")[2] for word in started_by.argv] if started_by else []
    is_server = ("forsooth", "mcp") in pairwise(words)
    return _relayed("elicitation") if is_server else SCRIPT


def may_relay() -> bool:
    """Whether an agent's program started this process, and not an agent in its shell."""
    return not lineage.agent_shell_above()


def _relayed(channel: Channel, session: str = "") -> Actor:
    agent = lineage.agent_shell_above()
    return Actor(kind="agent", name=agent) if agent else _person(channel, session)


def _person(channel: Channel, session: str = "") -> Actor:
    return Actor(kind="human", name=os.environ.get("USER", ""), channel=channel, session=session)
