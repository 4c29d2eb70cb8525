"""Where a claim looks for programs and packages: where the seal did, whatever the shell says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from forsooth.core.actor import Actor
from forsooth.core.ground import Ground
from forsooth.project import Project


def test_a_claim_asks_the_registries_of_the_seal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An index of the agent's own could hand out any package under a good name."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setenv("UV_INDEX_URL", "http://agent/simple")
    monkeypatch.setenv("PATH", "/agent/bin:/usr/bin:/bin")
    project = Project(tmp_path, actor=Actor(kind="agent"))
    sealed = {"UV_INDEX_URL": "http://office/simple"}
    ground = Ground(tree="0" * 40, path="/usr/bin", registries=sealed)
    with project._layers(ground=ground) as claimed, project._layers() as looked:
        assert (claimed.settings, claimed.search.path) == (sealed, "/usr/bin")
        assert looked.settings["UV_INDEX_URL"] == "http://agent/simple"
        assert looked.search.path.startswith("/agent/bin")
