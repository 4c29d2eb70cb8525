"""Comparisons that were made before: the same trees, settings and version again need no run.

Only what ran to its end is kept. A comparison that could not run, or in which a test passed once
and failed once, is made again when asked for.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forsooth import __version__
from forsooth.core.canonical import digest_of

if TYPE_CHECKING:
    from forsooth.judge.range import Compared

MOST = 64
FORMAT = 1


class RangeResults:
    """Comparisons of one repository, a small file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, about: dict[str, object]) -> tuple[tuple[Compared, ...], str] | None:
        """What was found about exactly this, and the sandbox it was run in."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            rows = json.loads(self._path(about).read_bytes())
            found = [_compared(one) for one in rows["projects"]]
            return tuple(found), str(rows["isolation"])
        return None

    def keep(
        self, about: dict[str, object], projects: tuple[Compared, ...], isolation: str
    ) -> None:
        """Keep what would be found again; a full disk is no reason to fail."""
        flaky = any(row.code == "flaky" for one in projects for row in one.remarks)
        if flaky or any(one.trouble for one in projects):
            return
        rows: dict[str, Any] = {"projects": [], "isolation": isolation}
        for one in projects:
            fields = one._asdict()
            fields.pop("trouble")
            rows["projects"].append(fields)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = self._path(about).with_suffix(f".{os.getpid()}.new")
            fresh.write_text(json.dumps(rows), encoding="utf-8")
            fresh.replace(self._path(about))
            for old in sorted(self._folder.iterdir(), key=os.path.getmtime)[:-MOST]:
                old.unlink(missing_ok=True)

    def _path(self, about: dict[str, object]) -> Path:
        return self._folder / digest_of({**about, "version": __version__, "format": FORMAT})


def _compared(fields: dict[str, Any]) -> Compared:
    from forsooth.judge.branch.remarks import Remark
    from forsooth.judge.range import Compared

    remarks = tuple(Remark(*row) for row in fields.pop("remarks"))
    return Compared(remarks=remarks, argv=tuple(fields.pop("argv")), **fields)
