"""The demo: real commands, a false claim refused, a true one proven, nothing left."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path

import pytest

from forsooth.testing.demo import PYTHON, SHELL, Demo, Scene
from tests.e2e.place import AGENT, FORSOOTH, Place
from tests.requirements import requirement

SECONDS = 20
VERBS = ("plan", "seal", "done")


def played(folder: Path, scene: Scene) -> tuple[list[tuple[str, int]], str]:
    """How each step of a telling ended, and everything that was told."""
    told: list[str] = []
    demo = Demo(folder, environment=os.environ, tell=lambda text, _: told.append(text))
    steps = [(" ".join(step.argv), step.code) for step in demo.played(scene, VERBS)]
    return steps, "\n".join(told)


@requirement("D16")
@pytest.mark.parametrize("scene", [PYTHON, SHELL], ids=["python", "shell"])
def test_a_false_claim_is_refused_and_the_true_one_proven(tmp_path: Path, scene: Scene):
    """The refusal names the sealed test that was changed, in the tool's own words."""
    steps, told = played(tmp_path, scene)
    assert steps == [
        ("forsooth plan BRIEF.md", 0),
        ("forsooth seal --yes", 0),
        ("forsooth done G001", 1),
        ("forsooth done G001", 0),
    ]
    assert f"oracle-changed: passes only with {scene.cheat.path} as changed" in told
    assert "G001 proven: 2 of 2 hold" in told


@requirement("D16")
def test_a_story_that_goes_wrong_ends_there_and_says_so(tmp_path: Path):
    """A cheat that the judge let through would be the last step told."""
    honest = PYTHON._replace(cheat=PYTHON.repair, repair=PYTHON.cheat)
    steps, _ = played(tmp_path, honest)
    assert steps[-1] == ("forsooth done G001", 0)
    assert len(steps) == 3


@requirement("D16")
def test_the_demo_costs_seconds_and_leaves_nothing(place: Place):
    """From an agent's shell too: it touches no repository but its own, and no home."""
    temporary = place.home.parent / "tmp"
    temporary.mkdir()
    before = sorted(place.folder.rglob("*"))
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [*FORSOOTH, "demo", "--json"],
        cwd=place.folder,
        env=place.environment({**AGENT, "TMPDIR": str(temporary)}),
        capture_output=True,
        check=False,
    )
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(ran.stdout)
    assert said["ok"]
    assert [step["code"] for step in said["steps"]][2:4] == [1, 0]
    assert all(step["seconds"] > 0 for step in said["steps"])
    assert ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime < SECONDS
    assert list(temporary.iterdir()) == []
    assert list(place.home.iterdir()) == []
    assert sorted(place.folder.rglob("*")) == before


@requirement("D16")
def test_a_demo_that_is_ended_halfway_leaves_nothing_either(place: Place):
    """The end is asked for while the judge is at work."""
    temporary = place.home.parent / "tmp"
    temporary.mkdir()
    with subprocess.Popen(
        [*FORSOOTH, "demo"],
        env=place.environment({"TMPDIR": str(temporary)}),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        told = process.stdout or ()
        assert any(line.startswith("on the base") for line in told)
        process.terminate()
    assert process.returncode == 143
    assert list(temporary.iterdir()) == []
