"""The tokens of attempts: kept beside the plan under the name the ledger knows them by."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from forsooth.core.actor import Actor
from forsooth.core.state import Try
from forsooth.errors import Unwritten
from forsooth.ledger.disk import REAL


def keep_token(folder: Path, name: str, token: str) -> Path:
    """Keep a token of a plan, durably."""
    path = folder / "tokens" / name
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        with path.open("w", encoding="utf-8") as file:
            file.write(token)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        says = f"{path.parent}: {error.strerror}; nothing was written"
        raise Unwritten(says) from error
    return path


def token_of(folder: Path, attempt: Try) -> str:
    """The token of an attempt; empty when it has none or it is lost."""
    with suppress(OSError, ValueError):
        return REAL.read(folder / "tokens" / (attempt.token or "")).decode()
    return ""


def may_see(actor: Actor, attempt: Try) -> bool:
    """Whether the token may be shown: to whoever opened the attempt, and to a person."""
    return actor.is_same(attempt.by) or actor.is_person
