"""A trial that went well is not made again, and whatever is written of it lowers nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox import host, remembered, tiers
from forsooth.judge.sandbox.job import Job, Lack
from forsooth.judge.sandbox.remembered import NAME, Remembered, about, keep, known


@pytest.fixture
def facts() -> host.Host:
    found = host.survey()
    assert not isinstance(found, Lack)
    return found


@pytest.fixture
def trials(monkeypatch) -> list[str]:
    """One entry for each trial."""
    real, seen = tiers.tried, []

    def tried(sandbox):
        seen.append(sandbox.tier)
        return real(sandbox)

    monkeypatch.setattr(tiers, "tried", tried)
    return seen


def test_a_second_process_does_not_try_again(tmp_path: Path, trials):
    """The sandbox it gets is the same, and runs."""
    first = tiers._strict(tmp_path / "new")
    assert trials == ["strict"]
    second = tiers._strict(tmp_path / "new")
    assert trials == ["strict"]
    assert isinstance(second, Remembered)
    assert not isinstance(first, Lack)
    assert (second.tier, second.notes) == (first.tier, first.notes)
    assert second.run(Job(("true",), "/")).exit == 0
    assert second.run(Job(("no-such-program",), "/")).ended == "error"
    assert trials == ["strict"]


def test_a_command_that_is_not_there_has_the_sandbox_tried_once(tmp_path: Path, trials):
    """It starts, so the fault is the command's."""
    tiers._strict(tmp_path)
    second = tiers._strict(tmp_path)
    assert not isinstance(second, Lack)
    for _ in range(2):
        assert second.run(Job(("no-such-program",), "/")).ended == "error"
    assert trials == ["strict", "strict"]


def test_one_that_no_longer_starts_is_an_error_and_forgotten(tmp_path: Path, facts):
    """Never a lesser tier without a word; the next command looks for itself."""
    keep(tmp_path, facts, direct=facts.direct)
    broken = facts._replace(programs=facts.programs | {"bwrap": "/bin/false"})
    lost = Remembered(broken, folder=tmp_path, tryout=tiers.tried)
    with pytest.raises(CouldNotVerify, match="no longer starts") as caught:
        lost.run(Job(("true",), "/"))
    assert caught.value.code == "sandbox:lost"
    assert known(tmp_path, facts) is None


@pytest.mark.parametrize(
    "written", [b"", b"[]", b'{"about": 1}', b'{"about": "x", "direct": true}']
)
def test_what_cannot_be_read_is_tried_out(tmp_path: Path, facts, written: bytes):
    """So is what was found out elsewhere."""
    (tmp_path / NAME).write_bytes(written)
    assert known(tmp_path, facts) is None
    keep(tmp_path, facts, direct=True)
    assert known(tmp_path, facts) is True
    rows = json.loads((tmp_path / NAME).read_bytes())
    (tmp_path / NAME).write_text(json.dumps({**rows, "direct": "yes"}))
    assert known(tmp_path, facts) is None


def test_a_trial_rests_on_programs_account_and_kernel(tmp_path: Path, facts, monkeypatch):
    """Another of any of them, or a machine started anew, and it is made again."""
    seen = {about(facts), about(facts._replace(uid=facts.uid + 1)), about(facts._replace(ip=""))}
    other = tmp_path / "bwrap"
    other.write_text("")
    seen.add(about(facts._replace(programs=facts.programs | {"bwrap": str(other)})))
    other.chmod(0o755)
    seen.add(about(facts._replace(programs=facts.programs | {"bwrap": str(other)})))
    monkeypatch.setattr(remembered, "SYSTEM", tmp_path)
    seen.add(about(facts))
    (tmp_path / "kernel/random").mkdir(parents=True)
    (tmp_path / "kernel/random/boot_id").write_text("1")
    seen.add(about(facts))
    monkeypatch.setattr(remembered, "SPACES", ("none",))
    seen.add(about(facts))
    assert len(seen) == 8


def test_a_folder_that_takes_nothing_is_no_reason_to_fail(tmp_path: Path, facts):
    """It is tried each time."""
    (tmp_path / "file").write_text("")
    keep(tmp_path / "file", facts, direct=True)
    assert known(tmp_path / "file", facts) is None
