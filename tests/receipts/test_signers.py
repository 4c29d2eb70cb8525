"""Who may sign: read from settings, strictly."""

import tomllib
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest

from forsooth.errors import UsageError
from forsooth.receipts import signers
from tests.receipts.made import key


class Listing(NamedTuple):
    signers: list[dict[str, Any]]


def of(text: str) -> tuple[signers.Signer, ...]:
    return signers.of(Listing(tomllib.loads(text).get("signers", [])))


def table(**fields: str) -> str:
    rows = {"name": '"ci"', "key": f'"{key().public.text}"', "roles": '["ci"]'} | fields
    return "[[signers]]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items() if v)


def test_signers_are_read_with_roles_and_days():
    """A day begins when it begins and ends when it is over; an OpenSSH line is a key too."""
    line = f'"{key(2).public.line} ada@host"'
    first, second = of(
        table(**{"from": "2026-01-01", "until": '"2026-02-01"'})
        + table(name='"ada"', key=line, roles='["person", "judge"]', until="2026-02-01T00:00:00Z")
    )
    assert (first.name, first.key, first.roles) == ("ci", key().public, ("ci",))
    assert first.since == datetime(2026, 1, 1, tzinfo=UTC)
    assert first.until == datetime(2026, 2, 1, 23, 59, 59, tzinfo=UTC)
    assert (second.key, second.roles) == (key(2).public, ("person", "judge"))
    assert (second.since, second.until) == (None, datetime(2026, 2, 1, tzinfo=UTC))


def test_an_instant_keeps_its_zone():
    """Noon in one place is not noon in another."""
    (found,) = of(table(until='"2026-02-01T12:00:00+02:00"'))
    assert found.until
    assert found.until.utcoffset() == timedelta(hours=2)


def test_settings_without_signers_list_nobody():
    """Then a receipt is worth its own word."""
    assert of("") == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": '""'},
        {"name": "3"},
        {"key": ""},
        {"key": "3"},
        {"key": '"nothing"'},
        {"roles": ""},
        {"roles": "[]"},
        {"roles": '"ci"'},
        {"roles": '["king"]'},
        {"roles": "[[]]"},
        {"colour": '"red"'},
        {"from": '"soon"'},
        {"from": "2026-01-01T00:00:00"},
        {"until": "3"},
        {"from": "2026-01-02", "until": "2026-01-01"},
    ],
)
def test_a_table_that_cannot_be_understood_is_never_passed_over(fields: dict):
    """A misspelt limit would otherwise be no limit."""
    with pytest.raises(UsageError) as caught:
        of(table(**fields))
    assert caught.value.code in ("bad-settings", "bad-key")
