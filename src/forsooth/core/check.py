"""How a claim is proven: a kind and its parameters. Data, never code.

The parameters of every built-in kind are here, so that a plan can be read and refused without
loading anything that runs; `judge/checks/` holds what each kind does.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from forsooth.core.flaw import words
from forsooth.core.value import Value

Where = Literal["judge", "workspace"]
Text = Annotated[str, Field(min_length=1)]
Argv = Annotated[tuple[str, ...], Field(min_length=1)]


class Check(Value):
    """One way of proving, by kind. `where` is the workspace only for entry and process facts."""

    kind: Text
    params: dict[str, Any] = Field(default_factory=dict, alias="with")
    where: Where = "judge"

    model_config = {"populate_by_name": True, "serialize_by_alias": True}


class Params(Value):
    """The parameters of one kind of check."""


class Stream(Params):
    """What must, or must not, be in one output of a command."""

    has: tuple[Text, ...] = ()
    lacks: tuple[Text, ...] = ()
    equals: str | None = Field(default=None, alias="is")

    model_config = {"populate_by_name": True, "serialize_by_alias": True}


class CommandParams(Params):
    """Run an argv and look at its exit status and output; `files` are put into the copy first."""

    argv: Argv
    exits: Annotated[int, Field(ge=0, le=255)] = 0
    stdout: Stream | None = None
    stderr: Stream | None = None
    cwd: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    timeout: Annotated[int, Field(gt=0)] | None = None
    files: dict[str, str] = Field(default_factory=dict)


class TestsParams(Params):
    """Run a test suite whose runner's report can be read; `files` are put into the copy first."""

    argv: Argv
    runner: Text
    cwd: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    timeout: Annotated[int, Field(gt=0)] | None = None
    files: dict[str, str] = Field(default_factory=dict)


class Contains(Params):
    """A text a file must hold."""

    path: Text
    text: Text


class FilesParams(Params):
    """Look at files alone: there, not there, enough of them, holding this, parsing as shell."""

    expected_paths: tuple[Text, ...] = ()
    forbidden_paths: tuple[Text, ...] = ()
    must_contain: tuple[Contains, ...] = ()
    min_file_count: Annotated[int, Field(ge=0)] | None = None
    bash_syntax_check: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> FilesParams:
        if not self.plain():
            raise ValueError("name at least one path")
        return self


class CommitsParams(Params):
    """Look at the messages and number of the commits in the goal's range, merges aside.

    `patterns` need a commit each, in their order; `every` holds for each commit.
    """

    patterns: tuple[Text, ...] = ()
    every: tuple[Text, ...] = ()
    count: Annotated[int, Field(ge=0)] | None = None

    @field_validator("patterns", "every")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # about sets of a future syntax
                    re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
        return patterns


class ScopeParams(Params):
    """Nothing outside the goal's fence has changed. The fence itself is the goal's."""


class HiddenParams(Params):
    """A check that is kept elsewhere; only its salted digest is told."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ApprovalParams(Params):
    """A person agrees."""


KINDS: Mapping[str, type[Params]] = {
    "command": CommandParams,
    "tests": TestsParams,
    "files": FilesParams,
    "commits": CommitsParams,
    "scope": ScopeParams,
    "approval": ApprovalParams,
    "hidden": HiddenParams,
}


def defects(check: Check, kinds: Mapping[str, type[Params]] = KINDS) -> tuple[str, ...]:
    """Everything wrong with a check's kind and parameters; empty means it is well formed."""
    params = kinds.get(check.kind)
    if params is None:
        return (f"no check is called {check.kind!r}; there are {', '.join(sorted(kinds))}",)
    try:
        params.of(check.params)
    except ValidationError as error:
        return tuple(
            f"{check.kind}: {'.'.join(map(str, row['loc'])) or 'parameters'}: {words(row)}"
            for row in error.errors()
        )
    return ()
