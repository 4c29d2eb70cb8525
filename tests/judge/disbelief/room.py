"""A room of plain folders: a tree's name is its folder, an edited tree is a copy beside it.

Nothing is confined. Each tree has a parent of its own, where the two folders of the judge lie.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from forsooth.core.check import CommandParams, TestsParams
from forsooth.judge.checker import Ran
from forsooth.judge.checks import command, tests
from forsooth.judge.checks.process import Ending
from forsooth.judge.checks.recipes.recipe import Edits, Order
from forsooth.judge.checks.trial import Trial
from tests.judge.checks.place import Here, Tree

BIN = str(Path(sys.executable).parent)
SECONDS = 100.0
LEFT_OUT = ("node_modules", "__pycache__", ".pytest_cache", ".git", "target")


class FolderRoom:
    """Implements `Room` for one criterion."""

    def __init__(
        self, folder: Path, params: TestsParams | CommandParams, *, path: str = BIN
    ) -> None:
        self.tree = str(folder)
        self.params = params
        self.path = path

    def look(self, tree: str) -> Tree:
        root = Path(tree)
        files: dict[str, str | bytes] = {}
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root)
            if path.is_file() and not {*name.parts} & {*LEFT_OUT}:
                files[name.as_posix()] = path.read_bytes()
        return Tree(files)

    def edited(self, tree: str, edits: Edits) -> str:
        parent = Path(tempfile.mkdtemp(prefix="tree-", dir=Path(tree).parent.parent))
        root = parent / Path(tree).name
        stale = shutil.ignore_patterns("__pycache__", ".pytest_cache")
        shutil.copytree(tree, root, symlinks=True, ignore=stale)
        for name, edit in edits.items():
            path = root / name
            if edit is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(edit.data)
            path.chmod(0o755 if edit.mode == "100755" else 0o644)
        return str(root)

    def tried(self, tree: str, *, order: Order | None = None) -> Trial:
        place, look, seconds = Here(Path(tree), path=self.path), self.look(tree), SECONDS
        if isinstance(self.params, TestsParams):
            got = tests.trial(self.params, place, look, seconds=seconds, order=order)
        else:
            got = command.trial(self.params, place, look, seconds=seconds, order=order)
        if isinstance(got, Ending):
            return Trial(Ran(None, None, "error", b"", b"", 0.0, {}), None, got)
        return got

    def bare(self, tree: str) -> Ran:
        """The argv as a person would run it, with nothing beside it."""
        argv, env, cwd = self.params.argv, self.params.env, self.params.cwd
        return Here(Path(tree), path=self.path).run(argv, seconds=SECONDS, cwd=cwd, env=env)
