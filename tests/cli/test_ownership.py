"""The command line believes no repository of another account, and follows no link in its state."""

from __future__ import annotations

import os

import pytest

from tests.cli.inside import Inside

STRANGER = 4711


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_account_is_refused_with_gits_own_remedy(planned: Inside):
    """Nothing in it is read or written until the user calls it safe."""
    os.chown(planned.place.folder / ".git", STRANGER, STRANGER)
    assert planned.codes("status", code=2) == ["dubious-ownership"]
    said = " ".join(planned("status", code=2).err.split())
    assert "dubious ownership: " in said
    assert f"git config --global --add safe.directory {planned.place.folder}" in said
    (planned.place.home / ".gitconfig").write_text(
        f"[safe]\n\tdirectory = {planned.place.folder}\n"
    )
    planned("status")


@pytest.mark.parametrize("name", ["bound/main", "hooks.log", "plans/{plan}/now.json"])
def test_a_link_in_the_state_is_refused_before_anything_is_written(
    planned: Inside, name: str, tmp_path
):
    """Planning again does not write over the file that a link leads to."""
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    (plan,) = planned.place.plans
    link = planned.place.state / name.format(plan=plan.name)
    link.unlink(missing_ok=True)
    link.symlink_to(victim)
    assert planned.codes("plan", "--text", "Do it.", "--new", code=5) == ["linked-state"]
    assert f"rm {link}" in " ".join(planned("status", code=5).err.split())
    assert victim.read_text() == "mine\n"
