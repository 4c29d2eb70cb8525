"""The last looks, kept whole: the same tree, plan and tools again need no judge to be asked.

Feedback only. A claim is never answered from here, and an error is never kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from forsooth import __version__
from forsooth.core.canonical import digest_of
from forsooth.core.verdict import Verdict
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.seen import Seen

MOST = 64


class Memo:
    """Looks of one repository, a small file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, about: dict[str, object]) -> Seen | None:
        """The look at exactly this, every finding marked as not made anew."""
        with suppress(OSError, ValueError, KeyError, TypeError, ValidationError):
            rows = json.loads(self._path(about).read_bytes())
            if rows["tools"] != _stamps(rows["tools"]):
                return None
            verdict = Verdict.model_validate_json(rows["verdict"])
            again = tuple(finding.but(cached=True) for finding in verdict.findings)
            recipe = Recipe.model_validate_json(rows["recipe"])
            how, notes = rows["how"], tuple(rows["notes"])
            tools = tuple(rows["tools"])
            return Seen(verdict.but(findings=again), recipe, how, notes, tools)
        return None

    def keep(self, about: dict[str, object], seen: Seen) -> None:
        """Keep a look that would be the same again; a full disk is no reason to fail."""
        if seen.verdict.outcome == "inconclusive":
            return
        rows = {
            "verdict": seen.verdict.model_dump_json(exclude_defaults=True),
            "recipe": seen.recipe.model_dump_json(),
            "how": seen.how,
            "notes": seen.notes,
            "tools": _stamps(dict.fromkeys(seen.tools)),
        }
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = self._path(about).with_suffix(f".{os.getpid()}.new")
            fresh.write_text(json.dumps(rows), encoding="utf-8")
            fresh.replace(self._path(about))
            for old in sorted(self._folder.iterdir(), key=os.path.getmtime)[:-MOST]:
                old.unlink(missing_ok=True)

    def _path(self, about: dict[str, object]) -> Path:
        return self._folder / digest_of({**about, "judge": __version__})


def _stamps(tools: Mapping[str, object]) -> dict[str, object]:
    """How each program lies on disk; one that was replaced is another."""
    found: dict[str, object] = {}
    for name in tools:
        with suppress(OSError):
            seen = Path(name).stat()
            found[name] = [seen.st_size, seen.st_mtime_ns, seen.st_ino]
    return found
