"""What a scripted model is asked and what it answers, in one form for every wire."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# How Claude Code asks, with tools, for what the user may type next and for a summary.
ASIDE = ("[SUGGESTION MODE", "CRITICAL: Respond with TEXT ONLY.")


class Call(NamedTuple):
    """One tool call the model makes; `space` is the namespace some wires put tools in."""

    name: str
    input: dict[str, Any]
    space: str = ""


@dataclass(frozen=True)
class Turn:
    """One answer: words, calls, and how many tokens it pretends the request had."""

    say: str = ""
    calls: tuple[Call, ...] = ()
    tokens: int = 10


@dataclass(frozen=True)
class Message:
    """One message of the conversation so far."""

    role: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """One request to the model."""

    wire: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]

    @property
    def aside(self) -> bool:
        """Whether this is no step of the work: a title, a summary, a suggestion."""
        users = [one.text for one in self.messages if one.role == "user" and one.text]
        return not self.tools or bool(users and any(words in users[-1] for words in ASIDE))

    @property
    def text(self) -> str:
        """All that the model can read, oldest first."""
        rows = [self.system]
        for one in self.messages:
            rows += [one.text, *one.results]
        return "\n".join(rows)

    @property
    def results(self) -> tuple[str, ...]:
        """What every tool call so far came back with."""
        return tuple(text for one in self.messages for text in one.results)

    @property
    def latest(self) -> str:
        """What came after the model's own last words."""
        rows: list[str] = []
        for one in reversed(self.messages):
            if one.role == "assistant":
                break
            rows += [*reversed(one.results), one.text]
        return "\n".join(reversed(rows))


Answer = Turn | Callable[[Asked], Turn]
DONE = Turn("Done.")
PAUSE = 0.3


@dataclass
class Script:
    """The answers in order; when they run out the model says that it is done.

    Requests aside from the work take none of them: `aside` answers those. Nor does a request that
    comes before the host has a tool named by `needs`: then the model passes the time.
    """

    turns: list[Answer]
    aside: Answer = Turn("ok")
    needs: str = ""
    asked: list[Asked] = field(default_factory=list)
    asides: list[Asked] = field(default_factory=list)

    def then(self, turns: Iterable[Answer]) -> None:
        """What comes from the next request on, however many there were."""
        self.turns += [DONE] * (len(self.asked) - len(self.turns))
        self.turns[len(self.asked) :] = turns

    def answer(self, asked: Asked) -> Turn:
        if asked.aside:
            self.asides.append(asked)
            return given(self.aside, asked)
        if not any(self.needs in tool for tool in asked.tools):
            time.sleep(PAUSE)
            return Turn("", (Call("pass_the_time", {}),))
        turn = self.turns[len(self.asked)] if len(self.asked) < len(self.turns) else DONE
        self.asked.append(asked)
        return given(turn, asked)


def given(answer: Answer, asked: Asked) -> Turn:
    return answer if isinstance(answer, Turn) else answer(asked)
