"""Every command of the corpus gets the verdict it stands under, and the rates are what we say."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.requirements import requirement
from tests.shell.corpus import Case, cases, rule

CASES = cases()
COMMANDS = {
    *("delete-outside", "delete-unseen", "delete-strict", "world-writable", "pipe-to-shell"),
    *("eval", "format-disk", "block-device", "power", "fork-bomb", "crontab", "kill-all"),
}
FILES = {"git-hooks", "secrets", "env", "start-file", "agent-settings"}


def _wrong(found: list[Case]) -> list[tuple[str, str, str]]:
    return [(one.command, one.rule, got) for one in found if (got := rule(one)) != one.rule]


@requirement("R117")
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_refused_command_is_missed(name):
    """Wrapped, quoted, substituted, piped or encoded, a refused command is found."""
    found = [one for one in CASES if one.rule == name]
    assert len(found) >= 7
    assert _wrong(found) == []


@requirement("R118")
@pytest.mark.parametrize("name", sorted(FILES))
def test_no_write_to_a_refused_target_is_missed(name):
    """Redirected, copied, moved, linked, edited or removed, the target is the same."""
    found = [one for one in CASES if one.rule == name]
    assert len(found) >= 17
    assert _wrong(found) == []


@requirement("R113")
def test_a_write_outside_the_fence_is_found():
    """So is one to what is never to be touched, to an oracle, and to our own state."""
    found = [one for one in CASES if one.rule in ("fence", "never", "oracle", "state")]
    assert len(found) >= 40
    assert _wrong(found) == []


def test_what_only_a_person_may_say_is_refused_to_agents():
    """Sealing, trusting and waiving are refused however they are spelled, and so are hooks."""
    found = [one for one in CASES if one.rule in ("person-only", "hook-only")]
    assert len(found) >= 25
    assert _wrong(found) == []


def test_no_harmless_command_is_refused():
    """Near misses: the words without the deed, the deed inside the work tree, the file read."""
    found = [one for one in CASES if not one.rule]
    assert len(found) >= 300
    assert _wrong(found) == []


def test_the_corpus_is_as_large_as_we_say(record_property):
    """No command stands in it twice; the rates are recorded with the test's report."""
    sizes = Counter(bool(one.rule) for one in CASES)
    misses = sum(bool(one.rule) and not rule(one) for one in CASES)
    denials = sum(not one.rule and bool(rule(one)) for one in CASES)
    record_property("missed", f"{misses} of {sizes[True]} refused")
    record_property("denied", f"{denials} of {sizes[False]} harmless")
    assert len({(one.command, one.held) for one in CASES}) == len(CASES) >= 900
    assert (misses, denials) == (0, 0)
