"""A look told again before anything is loaded: only where nothing it rests on has changed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from forsooth.cli import again
from tests.e2e.place import Place, place

__all__ = ["place"]

ANSWER = ("plan pass\n", "  ok\n", 0)
BRIEF = '@goal: Greet\n- [ ] greeting: `sh greet.sh` exits 0, stdout has "good day"\n'


class Kept:
    """A work tree with an answer kept for it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.root, self.ledger, self.tool = folder / "work", folder / "ledger", folder / "tool"
        for name in ("a.txt", "src/b.txt", "out/c.txt", ".git/HEAD"):
            self.write(f"work/{name}", folder=folder)
        for path in (self.ledger, self.tool):
            path.write_text("1")
        patch.setenv("HOME", str(folder / "home"))
        patch.chdir(self.root)
        self.patch = patch

    def write(self, name: str, *, folder: Path | None = None) -> None:
        path = (folder or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)

    def keep(self, *, later: float = 3.0, is_last: bool = True, subject: str = "") -> Kept:
        again.keep(
            subject,
            as_json=False,
            root=str(self.root),
            left=("out/",),
            others=(str(self.tool), str(self.root.parent / "none")),
            still=(str(self.ledger),),
            since=time.time_ns() + int(later * 1e9),
            answer=ANSWER,
            is_last=lambda: is_last,
        )
        return self


@pytest.fixture
def kept(tmp_path: Path, monkeypatch) -> Kept:
    return Kept(tmp_path, monkeypatch).keep()


def test_the_same_question_is_told_the_same(kept: Kept, capsys):
    """On both streams and with the same exit code; another question is another."""
    assert again.told([]) == 0
    assert capsys.readouterr() == ANSWER[:2]
    assert again.told(["G001"]) is None
    assert again.told(["--json"]) is None
    kept.keep(subject="G001")
    assert again.told(["G001"]) == 0
    assert again.told(["G001", "G002"]) is None
    assert again.told(["--fresh"]) is None


CHANGES: dict[str, Callable[[Kept], object]] = {
    "an edit": lambda kept: (kept.root / "a.txt").write_text("other"),
    "an edit of the same length": lambda kept: (kept.root / "a.txt").write_text("b.txt"),
    "a new file": lambda kept: kept.write("src/new.txt"),
    "a new folder": lambda kept: (kept.root / "src/new").mkdir(),
    "a file gone": lambda kept: (kept.root / "src/b.txt").unlink(),
    "a mode": lambda kept: (kept.root / "a.txt").chmod(0o755),
    "a link in its place": lambda kept: (
        (kept.root / "a.txt").unlink(),
        (kept.root / "a.txt").symlink_to("src/b.txt"),
    ),
    "a repository inside": lambda kept: kept.write("src/.git/HEAD"),
    "a ledger that went on": lambda kept: kept.ledger.write_text("12"),
    "a program replaced": lambda kept: kept.tool.write_text("2"),
    "a program that was not there": lambda kept: (kept.root.parent / "none").write_text(""),
    "another place": lambda kept: os.chdir(kept.root / "src"),
    "another PATH": lambda kept: kept.patch.setenv("PATH", "/bin"),
    "another plan": lambda kept: kept.patch.setenv("FORSOOTH_PLAN", "x"),
    "a version": lambda kept: kept.patch.setattr("forsooth.__version__", "99"),
    "a terminal": lambda kept: kept.patch.setattr(sys.stderr, "isatty", lambda: True),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_is_looked_at_anew(kept: Kept, change, monkeypatch):
    """Whatever the answer rests on: content, names, modes, ledger, programs and settings."""
    assert again.told([]) == 0
    monkeypatch.chdir(kept.root)
    change(kept)
    assert again.told([]) is None


def test_what_git_ignores_is_left_alone(kept: Kept):
    """A build that writes its own folder is no change of what is delivered."""
    kept.write("out/more/d.txt")
    assert again.told([]) == 0


def test_an_answer_is_not_kept_where_it_may_be_about_something_else(tmp_path: Path, monkeypatch):
    """A file as young as the question, or a ledger that others went on writing."""
    one = Kept(tmp_path, monkeypatch)
    one.keep(later=0)
    assert again.told([]) is None
    one.keep(is_last=False)
    assert again.told([]) is None
    one.write("src/.git/HEAD")
    one.keep()
    assert again.told([]) is None


def test_a_disk_that_knows_only_seconds_is_given_two(tmp_path: Path, monkeypatch):
    """There a change may keep its stamp for longer."""
    one = Kept(tmp_path, monkeypatch)
    whole = time.time_ns() // again.SECOND * again.SECOND
    monkeypatch.setattr(again, "_stamp", lambda _: (0, 0, 0, whole, 0))
    again.keep(
        "",
        as_json=False,
        root=str(one.root),
        left=(),
        others=(),
        still=(),
        since=whole + again.SECOND,
        answer=ANSWER,
        is_last=lambda: True,
    )
    assert again.told([]) is None


@pytest.mark.parametrize("spoil", [b"", b"[]", b"{}", b'{"root": 1, "left": [], "others": []}'])
def test_a_spoilt_answer_is_no_answer(kept: Kept, spoil: bytes):
    """What cannot be read is asked anew, without a word."""
    (path,) = (kept.root.parent / "home" / again.FOLDER).iterdir()
    path.write_bytes(spoil)
    assert again.told([]) is None


def test_answers_are_few_and_a_large_tree_has_none(kept: Kept, monkeypatch):
    """The oldest go; where looking would take long, nothing is kept."""
    for number in range(again.MOST + 3):
        kept.keep(subject=f"G{number}")
    assert len(list((kept.root.parent / "home" / again.FOLDER).iterdir())) == again.MOST
    monkeypatch.setattr(again, "LARGEST", 2)
    kept.keep(subject="G1000")
    assert again.told(["G1000"]) is None


def test_a_look_at_what_did_not_change_loads_nothing(place: Place):
    """The judge's answer is told again, said to be old, until something changes."""
    place.commit("greet.sh", "echo hi\n")
    place.commit("BRIEF.md", BRIEF)
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    slow, quick = place.run("check", code=1), _traced(place)
    assert (quick.stdout, quick.returncode) == (slow.out, 1)
    assert "✘ G001.C1" in quick.stderr
    assert "(as before)" in quick.stderr
    names = {line.rpartition("|")[2].strip() for line in quick.stderr.splitlines()}
    assert not names & {"click", "pydantic", "subprocess", "forsooth.project"}
    place.write("greet.sh", "echo good day\n")
    changed = _traced(place)
    assert "pydantic" in changed.stderr
    assert "1 of 1 hold" in changed.stdout


def _traced(place: Place) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "forsooth", "check"],
        cwd=place.folder,
        env=place.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
