"""What lies there when the verdict is given must be what was judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.actor import Actor
from forsooth.errors import Refused
from forsooth.project import Project
from tests.e2e.proving import begun


def test_work_that_changes_while_it_is_judged_is_not_what_was_proven(tmp_path: Path):
    """Other files may; the same claim is made again, and then stands."""
    place = begun(tmp_path)
    place.write("greet.sh", "echo good day\n")
    project = Project(place.folder, actor=Actor(kind="agent"), environment=place.environment())
    plan = place.ask("status")["plan"]["id"]

    def back(_: object) -> None:
        place.write("greet.sh", "echo hi\n")

    with pytest.raises(Refused) as refused:
        project.claim(plan, "G001", progress=back)
    [reason] = refused.value.reasons
    assert (reason.code, reason.says) == ("moved", "changed while it was judged: greet.sh")
    assert "receipt.issued" not in place.kinds()
    place.write("greet.sh", "echo good day\n")
    claimed = project.claim(plan, "G001", progress=lambda _: place.write("more.txt", "more\n"))
    assert claimed.issued
