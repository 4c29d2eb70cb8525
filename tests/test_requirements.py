"""The manifest of promises and the tests agree, both ways.

The tests are read, not run: the answer is the same in one process, in many, or for one file.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.requirements import DEFERRED, REQUIREMENTS, SOURCES, requirement

TESTS = Path(__file__).parent
# Where a test asks as a person, an agent or a host asks: by the command line, MCP or a hook.
INTERFACES = ("cli/", "e2e/", "hooks/", "hosts/", "mcp/", "packages/")
INSIDE = {  # kept by tests of the core alone, and why
    "R176": "no interface lets a test move the clock",
    "R177": "no interface lets a test move the clock",
    "D6": "no interface lets a test move the clock",
}


class Claim(NamedTuple):
    """One test and the promises it says it keeps."""

    where: str
    ids: tuple[str, ...]


def _ids(decorators: list[ast.expr]) -> list[str]:
    """Read the ids out of `@requirement(...)`, in source form when they are not literals."""
    found: list[str] = []
    for decorator in decorators:
        if not isinstance(decorator, ast.Call):
            continue
        if ast.unparse(decorator.func).rpartition(".")[2] != "requirement":
            continue
        for argument in decorator.args:
            literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            found.append(argument.value if literal else ast.unparse(argument))
    return found


def _claims(source: str, name: str) -> list[Claim]:
    """List every test in a file, with its own promises and those of its class."""
    claims: list[Claim] = []

    def walk(body: list[ast.stmt], inherited: list[str], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                walk(node.body, inherited + _ids(node.decorator_list), f"{prefix}::{node.name}")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own = _ids(node.decorator_list)
                if own or node.name.startswith("test_"):
                    claims.append(Claim(f"{prefix}::{node.name}", (*inherited, *own)))

    walk(ast.parse(source).body, [], name)
    return claims


def _all_claims() -> list[Claim]:
    return [
        claim
        for path in sorted(TESTS.rglob("*.py"))
        for claim in _claims(path.read_text("utf-8"), path.relative_to(TESTS).as_posix())
    ]


def _disagreements(claims: list[Claim], *, known: set[str], deferred: set[str]) -> list[str]:
    """Say every way in which manifest and tests differ."""
    keepers: dict[str, list[str]] = defaultdict(list)
    for claim in claims:
        for id in claim.ids:
            keepers[id].append(claim.where)
    said = [
        f"{id} is not in the manifest: {keepers[id][0]}" for id in sorted(keepers.keys() - known)
    ]
    said += [
        f"{id} has no test and no deferral" for id in sorted(known - deferred - keepers.keys())
    ]
    said += [
        f"{id} has a test, so delete its deferral: {keepers[id][0]}"
        for id in sorted(known & deferred & keepers.keys())
    ]
    said += [
        f"{claim.where} names no requirement"
        for claim in claims
        if claim.where.startswith("e2e/") and not claim.ids
    ]
    return said


def test_manifest_and_tests_agree():
    """Every promise has a test or a reason, never both, and every end-to-end test a promise."""
    said = _disagreements(_all_claims(), known=set(REQUIREMENTS), deferred=set(DEFERRED))
    assert not said, "\n" + "\n".join(said)


def test_every_promise_is_tested_where_somebody_can_reach_it():
    """A rule that holds inside and is wired to nothing keeps no promise."""
    reached = {
        id for claim in _all_claims() for id in claim.ids if claim.where.startswith(INTERFACES)
    }
    kept = {id for claim in _all_claims() for id in claim.ids}
    assert kept - reached == INSIDE.keys()


def test_manifest_is_complete_and_well_formed():
    """No id is missing, doubled or unsourced, and no deferral is about nothing."""
    ids = [f"R{n:03}" for n in range(1, 190)] + [f"D{n}" for n in range(1, 21)]
    assert list(REQUIREMENTS) == ids
    assert {entry.source for entry in REQUIREMENTS.values()} == set(SOURCES)
    assert all(entry.sentence.endswith(".") for entry in REQUIREMENTS.values())
    assert DEFERRED.keys() <= REQUIREMENTS.keys()
    assert all(DEFERRED.values())


def test_the_decorator_marks_a_test_for_pytest():
    """What the scan reads is also what pytest can select by."""

    @requirement(*["X1", "X2"])
    def keeps() -> None: ...

    (mark,) = keeps.pytestmark
    assert (mark.name, mark.args) == ("requirement", ("X1", "X2"))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("@requirement('Q1')\ndef test_a(): ...", []),
        ("@requirement('Q1')\nclass TestA:\n    def test_a(self): ...", []),
        ("@pytest.mark.requirement('Q1')\ndef test_a(): ...", []),
        ("def test_a(): ...", ["Q1 has no test and no deferral", "e2e/t.py::test_a names no"]),
        ("@requirement('Q1', 'Q9')\ndef test_a(): ...", ["Q9 is not in the manifest"]),
        ("@requirement('Q1', ID)\ndef test_a(): ...", ["ID is not in the manifest"]),
        ("@requirement('Q1', 'Q2')\ndef test_a(): ...", ["Q2 has a test, so delete its deferral"]),
    ],
)
def test_every_disagreement_is_noticed(source: str, says: list[str]):
    """The guard itself goes red for each way manifest and tests can part."""
    claims = _claims(source, "e2e/t.py")
    said = _disagreements(claims, known={"Q1", "Q2"}, deferred={"Q2"})
    assert len(said) == len(says)
    assert all(line.startswith(start) for line, start in zip(said, says, strict=True))
