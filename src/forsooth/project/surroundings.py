"""Remarks beside a failure: what the caller's shell has and the judge does not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forsooth.core.ids import SUITE
from forsooth.errors import ForsoothError
from forsooth.git.ignored import undelivered_files
from forsooth.git.trees import listing
from forsooth.project.judging import Checked, Judging

if TYPE_CHECKING:
    from forsooth.project.claiming import Claimed
    from forsooth.project.ranging import Ranged

NAMED = 5
LARGEST = 1 << 16


class Surroundings(Judging):
    """The difference between a shell and the judge, said only where something failed."""

    def differences(self, plan: str, found: Checked | Claimed) -> dict[str, tuple[str, ...]]:
        """For each criterion that fails or could not run, what may be the reason outside of it."""
        red = [f for f in found.seen.verdict.findings if f.outcome in ("fail", "error")]
        if not red:
            return {}
        state = self.state(plan)
        known = {c.id: c for one in state.live for c in (*one.goal.entry, *one.goal.criteria)}
        if state.plan and state.plan.kept_green:
            known[SUITE] = state.plan.kept_green
        remarks: dict[str, tuple[str, ...]] = {}
        for finding in red:
            criterion = known.get(finding.criterion)
            if criterion is None or not criterion.check.params.get("argv"):
                continue
            evidence = () if criterion.hidden else finding.evidence
            output = "\n".join((finding.reason, *self._printed(plan, evidence)))
            params = criterion.check.params
            remarks[finding.criterion] = self._beside(
                output, params, tree=found.at.tree, tools=found.seen.tools
            )
        return {criterion: rows for criterion, rows in remarks.items() if rows}

    def range_differences(self, found: Ranged) -> tuple[str, ...]:
        """The same for a comparison in which something is red or could not be run."""
        says = [
            row.says
            for one in found.projects
            for row in one.remarks
            if row.rank == "wrong" and row.code not in ("skipped", "deleted", "weakened")
        ]
        says += [one.trouble.message for one in found.projects if one.trouble]
        untrusted = all(one.trouble and one.trouble.code == "untrusted" for one in found.projects)
        if not says or untrusted:
            return ()
        argv = next((one.argv for one in found.projects if one.argv), ())
        return self._beside("\n".join(says), {"argv": argv}, tree=found.span.tree)

    def _printed(self, plan: str, evidence: Iterable[str]) -> list[str]:
        found: list[str] = []
        for digest in evidence:
            with suppress(ForsoothError, OSError):
                found.append(self.ledger(plan).blobs.get(digest)[:LARGEST].decode(errors="replace"))
        return found

    def _beside(
        self, output: str, params: Mapping[str, Any], *, tree: str, tools: Iterable[str] = ()
    ) -> tuple[str, ...]:
        from forsooth.judge.surroundings import (
            exported_names,
            missing_files,
            missing_programs,
            undelivered,
        )

        rows: list[str] = []
        names = exported_names(output, os.environ, given=params.get("env") or {})
        if names:
            listed = ", ".join(names[:NAMED])
            rows.append(f"set in this shell and not in the judge: {listed}")
        if wanted := missing_files(output):
            with suppress(ForsoothError):
                judged = frozenset(entry.path for entry in listing(self.repo, tree))
                every = undelivered_files(self.repo).items()
                others = {path: how for path, how in every if path not in judged}
                files = undelivered(wanted, others, root=str(self.repo.root))
                rows += [_left_out(path, others[path]) for path in files[:NAMED]]
        for program in missing_programs(output):
            if here := shutil.which(program):
                rows.append(f"`{program}` is {here} in this shell, and is not in the judge")
        rows += _elsewhere(next(iter(params["argv"]), ""), tools)
        return tuple(rows)


def _elsewhere(program: str, tools: Iterable[str]) -> list[str]:
    """Whether a shell and the judge mean different programs by one name; a shim means neither."""
    here = shutil.which(program) if program and "/" not in program else None
    inside = next((one for one in tools if Path(one).name.startswith(program)), "")
    if not here or not inside or "shims" in Path(here).parts:
        return []
    if Path(inside).resolve() == Path(here).resolve():
        return []
    return [f"`{program}` is {here} in this shell; the judge used {inside}"]


def _left_out(path: str, how: str) -> str:
    why = "ignored by git" if how == "ignored" else "not added to git"
    return f"{path} is in the work tree and not in the judge's copy: {why}"
