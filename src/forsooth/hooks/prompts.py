"""What a person's prompt means to us: a command typed by hand, a keyword, or talk.

These words are a person's: a prompt to an agent's agent is not read, and a call by which a model
would have its host deliver one of them is fenced.
"""

from __future__ import annotations

SEAL, STOP, GO, TALK = "seal", "stop", "go", "talk"
KEYWORDS = "ulw ultrawork"
AROUND = ".,;:!?()"
SHORT, LONG = 4, 64  # hexadecimal digits that are read as a name
NAMED = 8  # those of the name that a person is shown
_COMMAND = "/forsooth:"
_TAG = "<command-name>"


def meaning(prompt: str, keywords: str = KEYWORDS) -> str:
    """One of seal, stop, go and talk."""
    said = prompt.strip()
    low, typed = said.lower(), _typed(said.lower())
    if _sealed(low) is not None:
        return SEAL
    if low == f"forsooth {STOP}" or typed == STOP:
        return STOP
    if low.startswith(f"forsooth {GO} ") or typed == GO:
        return GO
    words = {word.strip(AROUND) for word in said.split()}
    return TALK if words.isdisjoint(keywords.split()) else GO


def name_given(prompt: str) -> str:
    """The name of what was shown that a typed `seal` gives; empty where it gives none."""
    return _sealed(prompt.strip().lower()) or ""


def _sealed(said: str) -> str | None:
    """What follows `seal` in a prompt that is nothing else; none where it is no seal."""
    for word in (f"forsooth {SEAL}", f"{_COMMAND}{SEAL}", SEAL):
        if said == word:
            return ""
        name = said[len(word) :].strip() if said.startswith(f"{word} ") else ""
        if SHORT <= len(name) <= LONG and not name.strip("0123456789abcdef"):
            return name
    return None


def _typed(said: str) -> str:
    """The name of our command that a prompt begins with, as typed or as a host tags it."""
    said = said.removeprefix(_TAG)
    if not said.startswith(_COMMAND):
        return ""
    first = said.split(maxsplit=1)[0].partition("<")[0]
    return first.removeprefix(_COMMAND)
