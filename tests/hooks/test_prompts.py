"""What a typed prompt means."""

from __future__ import annotations

import pytest

from forsooth.hooks.prompts import meaning
from tests.requirements import requirement


@requirement("R179")
@pytest.mark.parametrize(
    ("prompt", "meant"),
    [
        ("ulw fix it", "go"),
        ("please, ultrawork.", "go"),
        ("fix it (ulw)", "go"),
        ("fix\nulw\nit", "go"),
        ("/forsooth:go", "go"),
        ("/forsooth:go Add CSV export", "go"),
        ("/Forsooth:Go now\n\nFollow the skill", "go"),
        ("<command-name>/forsooth:go</command-name>\nAdd it", "go"),
        ("forsooth go add it", "go"),
        ("seal", "seal"),
        (" SEAL\n", "seal"),
        ("forsooth seal", "seal"),
        ("/forsooth:seal", "seal"),
        ("seal 5fec", "seal"),
        ("Forsooth seal 5FECEB66", "seal"),
        ("/forsooth:seal 5fec", "seal"),
        ("seal 5fe", "talk"),
        ("seal 5fec now", "talk"),
        ("seal the deal", "talk"),
        ("/forsooth:stop", "stop"),
        ("/forsooth:stop\n\nThe person has stopped", "stop"),
        ("forsooth stop", "stop"),
        ("bulwark", "talk"),
        ("read src/ulw/main.py and ulw.py", "talk"),
        ("what does `ulw` do?", "talk"),
        ("ultraworking", "talk"),
        ("seal it", "talk"),
        ("/forsooth:seal it", "talk"),
        ("should I seal?", "talk"),
        ("what does /forsooth:stop do?", "talk"),
        ("/forsooth:status", "talk"),
        ("/forsooth:", "talk"),
        ("/forsooth: go", "talk"),
        ("", "talk"),
    ],
)
def test_commands_and_keywords_are_told_from_talk(prompt, meant):
    """A keyword is a word of its own; a seal is the whole prompt."""
    assert meaning(prompt) == meant


def test_the_keywords_are_the_person_s_to_choose():
    """Others then mean nothing."""
    assert meaning("ship this", "ship") == "go"
    assert meaning("ulw this", "ship") == "talk"
