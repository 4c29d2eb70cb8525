"""Who did something, and through which channel they were heard."""

from __future__ import annotations

from typing import Literal

from forsooth.core.value import Value

ActorKind = Literal["human", "agent", "judge", "loop", "ci"]
Channel = Literal["terminal", "prompt", "elicitation", "unattended", "mcp"]


class Actor(Value):
    """One who acts. `unattended` means a script spoke for a person: recorded, and worth less."""

    kind: ActorKind
    name: str = ""
    channel: Channel | None = None
    session: str = ""

    @property
    def is_person(self) -> bool:
        """Whether a person was really heard: what counts as a person's own judgement."""
        return self.kind == "human" and self.channel in ("terminal", "prompt", "elicitation")

    def is_same(self, other: Actor) -> bool:
        """Whether both are one, whichever way each was heard."""
        mine, theirs = (self.kind, self.name), (other.kind, other.name)
        return mine == theirs and self.session == other.session

    @property
    def unheard(self) -> Actor:
        """The same one where nobody can tell that a person was heard: as if a script had spoken."""
        return self.but(channel="unattended") if self.is_person else self

    @property
    def speaks_for_person(self) -> bool:
        """Whether this is a person or a script that speaks for one: what an owner may order."""
        return self.kind == "human"


LOOP = Actor(kind="loop")
JUDGE = Actor(kind="judge")
