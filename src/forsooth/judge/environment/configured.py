"""`[environment]` of forsooth.toml: a person's own way to prepare, in the place of detection."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from forsooth.errors import UsageError
from forsooth.judge.environment.detect import candidates, detect
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.tree import rows, words

KNOWN = {"prepare", "before", "reads", "keeps", "test", "allow", "seconds", "projects"}
Argv = tuple[str, ...]


def understood(
    settings: Mapping[str, Any], files: Mapping[str, bytes], *, subproject: str = ""
) -> Recipe:
    """How one sub-project is furnished: as detected, less what a person wrote."""
    found = detect(files, subproject=subproject)
    return configured(settings, files, detected=found) if settings else found


def named_projects(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The projects a person named; a test command of their own is the whole repository's."""
    named = tuple(path.strip("/") for path in words(settings.get("projects")))
    return named or (("",) if "test" in settings else ())


def projects(settings: Mapping[str, Any], files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The projects of a tree: those a person named, else those found."""
    return named_projects(settings) or candidates(files) or ("",)


def configured(
    settings: Mapping[str, Any], files: Mapping[str, bytes], *, detected: Recipe
) -> Recipe:
    """The recipe a person wrote; what they left out stays as it was detected."""
    unknown = sorted(set(settings) - KNOWN)
    if unknown:
        known = ", ".join(sorted(KNOWN))
        raise UsageError(
            f"[environment] has unknown keys: {', '.join(unknown)}", hint=f"use {known}"
        )
    test = argvs(settings.get("test"), "test")
    changes: dict[str, Any] = {"before": argvs(settings.get("before"), "before")}
    if test:
        changes |= {"test_command": test[0], "runner": _runner(test[0]) or detected.runner}
    if "prepare" not in settings:
        return detected.but(**changes)
    reads = words(settings.get("reads")) or detected.reads
    prepare = argvs(settings.get("prepare"), "prepare")
    content = {path: digest({"file": files[path]}) for path in reads if path in files}
    return detected.but(
        **changes,
        kind="custom",
        manager=detected.kind,
        prepare=prepare,
        reads=reads,
        keeps=words(settings.get("keeps")),
        key=digest({"custom": prepare, "keeps": words(settings.get("keeps")), "reads": content}),
        explains=(
            f"Prepared by `prepare` in forsooth.toml: {'; '.join(shlex.join(a) for a in prepare)}.",
        ),
        missing=tuple(
            f"{path} is named in `reads` but absent." for path in reads if path not in files
        ),
    )


def argvs(value: Any, name: str) -> tuple[Argv, ...]:
    """Commands out of foreign data: a string, a list of strings, or a list of word lists."""
    if value is None:
        return ()
    given: list[Any] = [value] if isinstance(value, str) else rows(value)
    found = [tuple(shlex.split(one)) if isinstance(one, str) else words(one) for one in given]
    if not found or not all(found):
        raise UsageError(
            f"environment.{name} is not a command", hint=f'environment.{name} = ["npm ci"]'
        )
    return tuple(found)


def _runner(argv: Argv) -> str | None:
    known = ("pytest", "unittest", "vitest", "jest", "mocha")
    return next((name for name in known if any(name in word for word in argv)), None)
