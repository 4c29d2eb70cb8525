"""What a plan will be held to: the user's settings and the repository's committed ones."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from forsooth.core.policy import Policy, combine
from forsooth.errors import UsageError
from forsooth.git import objects
from forsooth.git.repository import Repository

SETTINGS = "forsooth.toml"
FLAWS = {"string_too_short": "say something here", "extra_forbidden": "there is no such setting"}


class PolicyFound(NamedTuple):
    """A policy, and what about its source deserves a word."""

    policy: Policy
    warning: str = ""


def policy(repo: Repository, home: Path) -> PolicyFound:
    """The policy a seal would pin; an uncommitted file is named and does not count."""
    mine = home / ".config/forsooth/config.toml"
    user = _policy(mine.read_bytes(), str(mine)) if mine.is_file() else {}
    commit = objects.base(repo).commit
    committed = objects.file_at(repo, commit, SETTINGS) if commit else None
    here = repo.root / SETTINGS
    present = here.read_bytes() if here.is_file() else None
    warning = ""
    if present is not None and present != committed:
        warning = f"{SETTINGS} is not the committed one; commit it for it to count"
    return PolicyFound(combine(user, _policy(committed or b"", SETTINGS)), warning)


def _policy(data: bytes, name: str) -> dict[str, Any]:
    """The `[policy]` table of a settings file; what cannot be understood is never passed over."""
    try:
        tables = tomllib.loads(data.decode())
        table = tables.pop("policy", {})
        if tables or not isinstance(table, dict):
            raise UsageError(f"{name}: the one table is [policy]", code="bad-settings")
        Policy.of(table)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name}: {error}", code="bad-settings") from None
    except ValidationError as error:
        raise UsageError(f"{name}: {flaw(error)}", code="bad-settings") from None
    return cast("dict[str, Any]", table)


def flaw(error: ValidationError) -> str:
    """The first thing wrong with a value, and where."""
    row = error.errors()[0]
    says = FLAWS.get(row["type"], row["msg"])
    where = ".".join(map(str, row["loc"]))
    return f"{where}: {says}" if where else says
