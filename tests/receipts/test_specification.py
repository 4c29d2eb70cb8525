"""docs/reference/receipt.md says what the code does: every code, every field."""

import re
from pathlib import Path

import pytest

from forsooth.receipts import dsse, problem, seal, statement
from forsooth.receipts.signers import ROLES
from tests.receipts.collection import DOCS

PAGE = (DOCS / "reference" / "receipt.md").read_text()
SOURCES = Path(problem.__file__).parent
NOT_REFUSALS = {"bad-settings", "bad-key", "no-key", "open-key", "no-signature", "no-ssh"}
NOT_REFUSALS |= {"unsafe-path", "locked", "untrusted"}
MORE = ("covering", "rerunning")


def codes() -> set[str]:
    paths = [*SOURCES.glob("*.py"), *(SOURCES.parent / "project" / f"{n}.py" for n in MORE)]
    text = "".join(path.read_text() for path in paths)
    told = re.findall(r'code="([a-z-]+)"|Problem\(\s*"([a-z-]+)"', text)
    return {one or other for one, other in told} - NOT_REFUSALS


def test_every_refusal_is_in_the_specification():
    """A code that a script may meet is one that its author can look up."""
    assert len(codes()) > 15
    refusals = PAGE.partition("## Refusals")[2].partition("## What an agent")[0]
    listed = set(re.findall(r"`([a-z-]+)`", refusals)) - {"keyid"}
    assert listed == codes()


@pytest.mark.parametrize(
    "part",
    [
        statement.Predicate,
        statement.Proof,
        statement.Sealed,
        statement.Start,
        statement.Environment,
        statement.Place,
        statement.Judged,
        statement.Cost,
        statement.Waived,
        seal.Seal,
    ],
)
def test_every_field_is_in_the_specification(part: type[statement.Part]):
    """Whoever writes another reader finds each member there."""
    named = set(re.findall(r"`([a-z0-9_]+)`", PAGE))
    assert set(part.model_fields) <= named


def test_every_type_and_role_is_in_the_specification():
    """The constants two implementations must share."""
    for word in (statement.STATEMENT, statement.PREDICATE, *dsse.NAMESPACES, *ROLES):
        assert word in PAGE
    assert all(namespace in PAGE for namespace in dsse.NAMESPACES.values())
