"""What is handed in is bounded: regular files of at most a mebibyte, settings in few levels."""

from __future__ import annotations

import os

import pytest

from tests.cli.inside import Inside


@pytest.mark.timeout(30)
def test_a_pipe_or_a_device_is_no_receipt_and_no_brief(empty: Inside):
    """Neither is waited on or read until memory is gone."""
    os.mkfifo(empty.place.folder / "pipe")
    for path in ("pipe", "/dev/zero"):
        assert empty.codes("verify", path, code=2) == ["no-receipt"]
        assert empty.codes("plan", path, code=2) == ["no-brief"]
    assert "pipe is not a regular file" in empty("verify", "pipe", code=2).err


def test_a_file_of_more_than_a_mebibyte_is_too_large(empty: Inside):
    """A receipt and a brief are small."""
    empty.place.write("large", "x" * ((1 << 20) + 1))
    assert empty.codes("verify", "large", code=2) == ["too-large"]
    assert empty.codes("plan", "large", code=2) == ["too-large"]
    assert "large is larger than 1 MiB" in empty("plan", "large", code=2).err


def test_a_brief_that_comes_as_text_is_bounded_as_well(empty: Inside):
    """As agents hand it over."""
    assert empty.codes("plan", "--text", "x" * ((1 << 20) + 1), code=2) == ["too-large"]
    assert empty.place.plans == []


@pytest.mark.parametrize("verb", [("doctor",), ("plan", "--text", "Do it.")])
@pytest.mark.parametrize(
    "text",
    [
        "environment = " + "{a = " * 3000 + "1" + "}" * 3000,
        "environment.a = " + "[" * 50 + "]" * 50,
        "# " + "x" * (1 << 18),
    ],
)
def test_settings_that_are_nested_or_large_beyond_reason_are_refused(empty: Inside, verb, text):
    """A plain message names the file, and nothing breaks."""
    empty.place.commit("forsooth.toml", f"{text}\n")
    assert empty.codes(*verb, code=2) == ["too-large"]
    assert "forsooth.toml is " in empty(*verb, code=2).err
