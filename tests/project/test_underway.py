"""What is left to read of a seal that no terminal showed."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from forsooth.project import underway


def test_a_seal_that_the_system_stopped_is_told(tmp_path: Path):
    """A full disk is no refusal, and nobody watches a process without a terminal."""
    state = cast("Any", SimpleNamespace(proposal=SimpleNamespace(digest="abc")))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "ledger.jsonl")
    with pytest.raises(OSError, match="No space"), underway.under_way(tmp_path, proposal="abc"):
        raise full
    told = underway.told(tmp_path, state)
    assert told
    assert told.says.endswith("could not be sealed: ledger.jsonl: No space left on device")
    assert told.command == "forsooth seal"
