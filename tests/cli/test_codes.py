"""Every code the product can print is one that `why` explains, in a plan and outside of one."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

import forsooth
from forsooth.cli.main import VERBS
from forsooth.core.why import EXPLAINED
from forsooth.judge.checks.actions import ACTIONS
from forsooth.judge.environment.failure import Why
from forsooth.project.codes import MEANINGS, explain
from tests.e2e.place import Place
from tests.requirements import requirement

SOURCES = Path(forsooth.__file__).parent
PLACES = {"Reason": 0, "Problem": 0, "Flaw": 0, "Wrong": 0, "Remark": 1, "_defect": 1, "found": 2}
CODE = re.compile(r"[a-z]+(?:-[a-z]+)*(?::[a-z]+(?:-[a-z]+)*)?")
NO_CODES = {"pass", "assertion", "exit-only"}  # how something went, never what is wrong with it
COMMAND = re.compile(r"`forsooth ([a-z]+)")


def written(path: Path) -> set[str]:
    """Every code written down in one file, where a code is expected."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            values += [word.value for word in node.keywords if word.arg == "code"]
            values += node.args[PLACES[name] :][:1] if name in PLACES else []
            values += node.args[2:3] if name == "Problem" else []
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "(code, says)":
            values += node.value.elts[:1] if isinstance(node.value, ast.Tuple) else []
        elif isinstance(node, ast.ClassDef):
            rows = [row for row in node.body if isinstance(row, ast.Assign)]
            values += [row.value for row in rows if ast.unparse(row.targets[0]) == "code"]
        found |= {v.value for v in values if isinstance(v, ast.Constant) and v.value}
    return {code for code in found if isinstance(code, str) and CODE.fullmatch(code)}


def printed() -> set[str]:
    """Every code of the product, without the benchmark's own."""
    files = [path for path in SOURCES.rglob("*.py") if "testing" not in path.parts]
    codes = {code for path in files for code in written(path)}
    return (codes | ACTIONS.keys() | {f"environment:{why}" for why in get_args(Why)}) - NO_CODES


def test_every_code_has_a_meaning_and_no_meaning_is_of_a_code_nobody_prints():
    """Read out of the source, both ways."""
    known = EXPLAINED.keys() | ACTIONS.keys() | MEANINGS.keys()
    assert printed() - known == set()
    assert MEANINGS.keys() - printed() == set()


@pytest.mark.parametrize("code", sorted(printed()))
def test_an_explanation_is_a_sentence_and_names_only_verbs_that_exist(code: str):
    """Nobody is sent to a command that is not there."""
    answer = explain(code)
    assert answer
    assert answer.says.endswith((".", "`"))
    assert "{" not in answer.says
    assert set(COMMAND.findall(answer.says)) <= VERBS.keys()
    assert answer.command.split()[1] in VERBS


@requirement("D9")
@pytest.mark.parametrize("code", ["oracle-changed", "outside", "environment:lock-stale"])
def test_a_code_is_explained_outside_any_plan_and_repository(place: Place, code: str):
    """Whoever reads a build server's log need not have the plan."""
    said = place.ask("why", code)
    assert said["about"] == code
    place.folder = place.home
    assert place.ask("why", code) == said
