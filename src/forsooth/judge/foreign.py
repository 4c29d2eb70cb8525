"""What no plan means by leave to change a path: links out of the tree, and make turned deaf."""

from __future__ import annotations

import re
from collections.abc import Iterable

from forsooth.git.trees import SUBMODULE
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw
from forsooth.judge.court import Court

_MAKEFILE = re.compile(r"(?:.*/)?(?:GNUmakefile|[Mm]akefile(?:\.\w+)?|[^/]+\.mk)")
_DEAF = re.compile(
    rb"^(?:(?:override|export)\s+)*(?:SHELL|\.SHELLFLAGS|MAKEFLAGS)\s*[:?+!]{0,3}=.*"
    rb"|^\.(?:IGNORE|POSIX|ONESHELL)\s*:.*",
    re.MULTILINE,
)


def foreign(court: Court, *, allowed: Iterable[str]) -> Flaw | None:
    """The first such change, unless the plan lets that very path change."""
    let, after = tuple(allowed), court.rooms.look(court.tree)
    before = court.rooms.look(court.base) if court.base else None
    for change in after.changes:
        if any_matches(let, change.path):
            continue
        if change.new_mode == SUBMODULE:
            says = f"{change.path} is only a link to commit {change.new_id[:12]} of another"
            return Flaw("submodule", f"{says} repository, and its files are not delivered")
        if _MAKEFILE.fullmatch(change.path):
            was, now = (
                set(_DEAF.findall(look.read(change.path) or b"")) if look else set[bytes]()
                for look in (before, after)
            )
            if new := sorted(now - was):
                said = new[0].decode("utf-8", "replace").strip()
                return Flaw("oracle-changed", f"{change.path} changes how make runs: `{said}`")
    return None
