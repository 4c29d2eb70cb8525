"""Findings kept for feedback: reused when check, environment and what it looks at are the same.

Never the ground of a receipt by itself; an error is never kept, since it may pass by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from forsooth import __version__
from forsooth.core.canonical import digest_of
from forsooth.core.ground import Baseline
from forsooth.core.plan import Criterion, Goal
from forsooth.core.verdict import Finding
from forsooth.judge.look import Looking
from forsooth.judge.neighbour import Neighbour


class Findings:
    """Kept findings, one small file each, named by everything they rest on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(
        self,
        criterion: Criterion,
        goal: Goal | None,
        *,
        tree: str,
        look: Looking,
        environment: str,
        tier: str,
        baseline: Baseline | None = None,
        beside: Iterable[Neighbour] = (),
    ) -> str:
        """What a finding rests on; without declared paths, on the whole tree and its history."""
        if criterion.paths:
            rests: object = look.contents(criterion.paths)
        else:
            rests = [tree, *(commit.id for commit in look.commits)]
        return digest_of(
            {
                "criterion": criterion.plain(),
                "goal": _bare(goal) if goal else {},
                "rests": rests,
                "environment": environment,
                "tier": tier,
                "ground": baseline.plain() if baseline else {},
                "beside": [[_bare(n.goal), n.tree, n.is_open, n.begun] for n in beside],
                "judge": __version__,
            }
        )

    def find(self, key: str) -> Finding | None:
        """The kept finding, marked as not looked at anew."""
        with suppress(OSError, ValidationError):
            kept = Finding.model_validate_json(self._path(key).read_bytes())
            return kept.but(cached=True)
        return None

    def keep(self, key: str, finding: Finding) -> None:
        """Keep a finding that would be the same again; a full disk is no reason to fail."""
        if finding.outcome not in ("pass", "fail"):
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = path.with_suffix(f".{os.getpid()}.new")
            fresh.write_text(finding.model_dump_json(exclude_defaults=True), encoding="utf-8")
            fresh.replace(path)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]


def _bare(goal: Goal) -> dict[str, Any]:
    """A goal without its criteria: its fence and its permissions."""
    return goal.but(criteria=(), entry=()).plain()
