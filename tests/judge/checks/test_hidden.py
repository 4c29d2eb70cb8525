"""A check that is kept elsewhere says nothing here."""

from __future__ import annotations

from pathlib import Path

from forsooth.core.check import Check
from forsooth.core.plan import NO_BASE, Criterion
from forsooth.git.objects import base
from forsooth.judge import checks
from forsooth.judge.checker import Context, Nowhere
from forsooth.judge.look import Looking
from tests.git.repos import Repo


def test_what_is_not_here_is_an_error_and_never_a_pass(tmp_path: Path):
    """Whoever calls the judge puts the real check in its place first."""
    work = Repo(tmp_path)
    work.write("a")
    work.commit()
    check = Check(kind="hidden", params={"digest": "a" * 64})
    criterion = Criterion(id="G001.C1", says="secret", check=check, hidden=True)
    look = Looking(work.repo, base(work.repo).tree or "", base=NO_BASE)
    ctx = Context(criterion, None, Nowhere("/"), look, lambda _: "a" * 64, 1.0)
    found = checks.judged(ctx)
    assert (found.outcome, found.code) == ("error", "hidden-lost")
