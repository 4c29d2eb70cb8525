"""What a plan will be held to: the user's settings and the repository's committed ones."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from forsooth.core.policy import Policy, combine
from forsooth.errors import UsageError
from forsooth.git import objects
from forsooth.git.repository import Repository

SETTINGS = "forsooth.toml"
FLAWS = {"string_too_short": "say something here", "extra_forbidden": "there is no such setting"}


class Settings(NamedTuple):
    """What is in force, and what about its source deserves a word."""

    policy: Policy
    environment: Mapping[str, Any]
    warning: str = ""


def settings(repo: Repository, home: Path) -> Settings:
    """What a seal would pin; an uncommitted file is named and does not count."""
    mine = home / ".config/forsooth/config.toml"
    user = _tables(mine.read_bytes(), str(mine)) if mine.is_file() else Tables({}, {})
    commit = objects.base(repo).commit
    committed = objects.file_at(repo, commit, SETTINGS) if commit else None
    here = repo.root / SETTINGS
    present = here.read_bytes() if here.is_file() else None
    warning = ""
    if present is not None and present != committed:
        warning = f"{SETTINGS} is not the committed one; commit it for it to count"
    theirs = _tables(committed or b"", SETTINGS)
    return Settings(combine(user.policy, theirs.policy), theirs.environment, warning)


class Tables(NamedTuple):
    """The two tables of a settings file."""

    policy: dict[str, Any]
    environment: dict[str, Any]


def _tables(data: bytes, name: str) -> Tables:
    """The tables of a settings file; what cannot be understood is never passed over."""
    try:
        tables = tomllib.loads(data.decode())
        found = [tables.pop(table, {}) for table in Tables._fields]
        if tables or not all(isinstance(table, dict) for table in found):
            says = f"{name}: the tables are [policy] and [environment]"
            raise UsageError(says, code="bad-settings")
        Policy.of(found[0])
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name}: {error}", code="bad-settings") from None
    except ValidationError as error:
        raise UsageError(f"{name}: {flaw(error)}", code="bad-settings") from None
    return Tables(*cast("list[dict[str, Any]]", found))


def flaw(error: ValidationError) -> str:
    """The first thing wrong with a value, and where."""
    row = error.errors()[0]
    says = FLAWS.get(row["type"], row["msg"])
    where = ".".join(map(str, row["loc"]))
    return f"{where}: {says}" if where else says
