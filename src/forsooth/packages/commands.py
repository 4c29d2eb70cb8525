"""What a person types after a slash, said once for every host.

The first line repeats what was typed: some hosts show the prompt hook only the text it became.
"""

from __future__ import annotations

from typing import NamedTuple

from forsooth.packages.kit import NAME, text


class Typed(NamedTuple):
    """One command."""

    name: str
    says: str
    takes: str = ""

    def body(self, arguments: str) -> str:
        """What the agent reads; `arguments` is how the host writes what was typed after it."""
        typed = f"/{NAME}:{self.name} {arguments if self.takes else ''}".rstrip()
        return f"{typed}\n\n{text(f'{self.name}.md')}"


COMMANDS = (
    Typed("go", "Turn a wish into goals with criteria, and work until they are proven", "[wish]"),
    Typed("status", "What is proven, what is missing, and the next command"),
    Typed("stop", "Let this session go; nothing is held any longer"),
)
