"""What a plan will be held to: the user's settings and the repository's committed ones."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from forsooth.core.flaw import flaw
from forsooth.core.policy import Policy, Tier, combine
from forsooth.errors import UsageError
from forsooth.git import objects
from forsooth.git.repository import Repository

SETTINGS = "forsooth.toml"
USER = ".config/forsooth/config.toml"
LARGEST, DEEPEST = 1 << 18, 16  # of a settings file: bytes, and tables or lists in one another
# A sandbox that confines files and network exists on Linux alone; elsewhere a person is asked.
FLOOR: Tier = "strict" if sys.platform == "linux" else "none"


class Settings(NamedTuple):
    """What is in force, and what about its source deserves a word."""

    policy: Policy
    environment: Mapping[str, Any]
    warning: str = ""
    signers: Sequence[Mapping[str, Any]] = ()


def settings(
    repo: Repository, home: Path, *, at: str | None = None, floor: Tier = FLOOR
) -> Settings:
    """What a seal would pin; an uncommitted file is named and does not count.

    `at` is the commit whose file counts, HEAD's unless one is named. `floor` is the isolation that
    is asked for where the user's own settings name none.
    """
    mine = home / USER
    user = _tables(mine.read_bytes(), str(mine)) if mine.is_file() else _NONE
    if user.signers:
        says = f"{mine}: signers are listed in the {SETTINGS} of a repository"
        raise UsageError(says, code="bad-settings")
    commit = at or objects.base(repo).commit
    committed = objects.file_at(repo, commit, SETTINGS) if commit else None
    here = repo.root / SETTINGS
    present = here.read_bytes() if here.is_file() else None
    warning = ""
    if at is None and present is not None and present != committed:
        warning = f"{SETTINGS} is not the committed one; commit it for it to count"
    theirs = _tables(committed or b"", SETTINGS)
    if theirs.signers:
        from forsooth.receipts import signers

        signers.of(theirs)  # refused here, or every receipt would be refused later
    policy = combine(user.policy, theirs.policy, floor=floor)
    return Settings(policy, theirs.environment, warning, theirs.signers)


class Tables(NamedTuple):
    """The tables of a settings file."""

    policy: dict[str, Any]
    environment: dict[str, Any]
    signers: list[dict[str, Any]]


_NONE = Tables({}, {}, [])


def _tables(data: bytes, name: str) -> Tables:
    """The tables of a settings file; what cannot be understood is never passed over."""
    if len(data) > LARGEST:
        says = f"{name} is larger than {LARGEST >> 10} KiB, the most that is read"
        raise UsageError(says, code="too-large")
    try:
        tables = tomllib.loads(data.decode())
        if not _is_shallow(tables):
            raise RecursionError
        tests = tables.pop("tests", [])  # read from the base by the judge
        found = Tables(*(tables.pop(name, none) for name, none in _NONE._asdict().items()))
        every = [*found[:2], *(found.signers if _is_list(found.signers) else [None])]
        is_globs = _is_list(tests) and all(isinstance(one, str) for one in tests)
        if tables or not is_globs or not all(map(_is_table, every)):
            says = f"{name} holds `tests = [globs]`, [policy], [environment] and [[signers]]"
            raise UsageError(says, code="bad-settings")
        Policy.of(found.policy)
    except RecursionError:
        says = f"{name} is nested deeper than {DEEPEST} levels"
        raise UsageError(says, code="too-large") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name}: {error}", code="bad-settings") from None
    except ValidationError as error:
        raise UsageError(f"{name}: {flaw(error)}", code="bad-settings") from None
    return found


def _is_shallow(value: Any) -> bool:
    """Whether tables and lists are nested no deeper than anybody writes them."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _held(outer)]
    return not any(_held(one) for one in level)


def _held(value: Any) -> list[Any]:
    """What is directly inside a table or a list."""
    if _is_table(value):
        return list(value.values())
    return list(value) if _is_list(value) else []


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)
