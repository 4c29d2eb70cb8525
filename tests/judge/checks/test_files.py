"""A manifest holds when every file is there, or not, with the text it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import compile as compiled
from forsooth.git.commit import Commit
from tests.judge.checks.place import Bench, Here, Said, Tree, ran, written
from tests.requirements import requirement

TREE = Tree(
    {
        "docs/guide.md": "# Guide\r\n## Errors\r\nnone\n",
        "src/a.py": "def parse(\n",
        "src/b/c.py": "x",
        "README.md": "",
        "pkg/__init__.py": "",
        ".keep": "",
        "blank.txt": " \n",
    },
    links={
        "latest": "docs",
        "gone": "docs/no.md",
        "out": "/etc/passwd",
        "up": "../x",
        "g": "README.md",
    },
)


def judged(**manifest: Any) -> tuple[str, ...]:
    finding = Bench(look=TREE).finds("files", **manifest)
    return finding.outcome, finding.code, finding.reason


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ({"expected_paths": ["docs/guide.md", "src/**/*.py", "src", "latest", "g"]}, "pass"),
        ({"expected_paths": ["docs/other.md"]}, "missing"),
        ({"expected_paths": ["README.md"]}, "missing"),
        ({"expected_paths": ["blank.txt"]}, "missing"),
        ({"expected_paths": ["pkg/__init__.py", ".keep", "*.md"]}, "missing"),
        ({"expected_paths": ["pkg/__init__.py", ".keep", "**/*.md"]}, "pass"),
        ({"expected_paths": ["gone"]}, "missing"),
        ({"expected_paths": ["out"]}, "missing"),
        ({"expected_paths": ["up"]}, "missing"),
        ({"forbidden_paths": ["src/legacy.py", "**/*.orig"]}, "pass"),
        ({"forbidden_paths": ["**/c.py"]}, "forbidden"),
        ({"forbidden_paths": ["gone"]}, "forbidden"),
        ({"expected_paths": ["src/**"], "min_file_count": 2}, "pass"),
        ({"expected_paths": ["src/**"], "min_file_count": 3}, "too-few"),
        ({"min_file_count": 9}, "pass"),
        ({"min_file_count": 10}, "too-few"),
        ({"must_contain": [{"path": "docs/guide.md", "text": "# Guide\n## Errors"}]}, "pass"),
        ({"must_contain": [{"path": "docs/guide.md", "text": "# Guide\r\n## Errors"}]}, "pass"),
        ({"must_contain": [{"path": "src/a.py", "text": "def parse("}]}, "pass"),
        ({"must_contain": [{"path": "src/**", "text": "x"}]}, "pass"),
        ({"must_contain": [{"path": "src/a.py", "text": "def parse.*"}]}, "lacks-text"),
        ({"must_contain": [{"path": "no.md", "text": "x"}]}, "missing"),
        ({"must_contain": [{"path": "g", "text": "README.md"}]}, "lacks-text"),
    ],
)
def test_each_part_of_a_manifest_is_looked_at(manifest: dict[str, Any], expected: str):
    """Text is literal, and a link is what it leads to, never its own words."""
    assert judged(**manifest)[:2] == ("pass" if expected == "pass" else "fail", expected)


def test_everything_wrong_is_said_at_once():
    """The first names the code, three are told and the rest are counted."""
    outcome, code, reason = judged(expected_paths=["a", "b", "c", "d"], forbidden_paths=["g"])
    assert (outcome, code) == ("fail", "missing")
    assert reason == "a is not there; b is not there; c is not there; and 2 more"
    assert judged(expected_paths=["a", "b", "c", "d"])[2].endswith("c is not there; and 1 more")
    assert judged(expected_paths=["a", "b", "c"])[2].endswith("c is not there")


@pytest.mark.parametrize(
    ("manifest", "seen"),
    [
        ({"expected_paths": ["src/a.py"]}, b"1 files\n100644 src/a.py\n"),
        ({"must_contain": [{"path": "g", "text": "x"}]}, b"1 files\n120000 g\n"),
        ({"min_file_count": 1}, b"12 files\n"),
    ],
)
def test_the_evidence_is_a_list_of_the_files_that_were_asked_for(manifest: Any, seen: bytes):
    """Of all of them where none is named."""
    bench = Bench(look=TREE)
    bench.finds("files", **manifest)
    (kept,) = bench.kept.values()
    assert kept.startswith(seen)


STEP = """@goal: Add the parser
It parses.
```criteria
manifest:
  expected_paths: [run.sh, "docs/*.md"]
  min_file_count: 3
  commit_message_pattern: "^feat\\\\(parser\\\\):"
  bash_syntax_check: [run.sh]
  forbidden_paths: [old.sh]
  must_contain:
    - {path: docs/a.md, pattern: "## Errors"}
```
"""
GOOD = {
    "run.sh": "if true; then echo; fi\n",
    "docs/a.md": "## Errors\n",
    "docs/b.md": "More.\n",
}
FEW = {name: GOOD[name] for name in ("run.sh", "docs/a.md")}


@requirement("R097")
@pytest.mark.parametrize(
    ("files", "message", "codes"),
    [
        (GOOD, "feat(parser): it", {"pass"}),
        (GOOD, "parser", {"pass", "commit-message"}),
        (FEW, "feat(parser): it", {"pass", "too-few"}),
        ({"docs/a.md": "## Errors\n"}, "feat(parser): it", {"pass", "missing"}),
        ({**GOOD, "run.sh": "if\n"}, "feat(parser): it", {"pass", "bash-syntax"}),
        ({**GOOD, "old.sh": ""}, "feat(parser): it", {"pass", "forbidden"}),
        ({**GOOD, "docs/a.md": "", "docs/b.md": ""}, "feat(parser): it", {"pass", "missing"}),
        ({**GOOD, "docs/a.md": "# A\n"}, "feat(parser): it", {"pass", "lacks-text"}),
        ({"run.sh": ""}, "feat(parser): it", {"pass", "missing"}),
    ],
)
def test_a_step_manifest_is_judged_field_by_field(
    files: dict[str, str], message: str, codes: set[str], tmp_path: Path
):
    """As it stands in a brief; each field alone can keep the step from passing."""
    brief = parse(STEP)
    assert not brief.defects
    plan = compiled(brief, plan_id="20260101-000000", digest="0" * 64, source="brief.md")
    look = Tree(files, commits=[Commit("a" * 40, "", (), message, 0, 0)])
    there = Bench(Here(written(files, tmp_path / "repo")), look)
    found = {there.judges(one).code for one in plan.goals[0].criteria}
    assert found - {"pass"} == codes - {"pass"}


def test_shell_is_read_inside_the_place_and_never_run(tmp_path: Path):
    """A script that would leave a mark leaves none, whatever it is called."""
    files = {"-x.sh": "touch mark\n", "a b;c.sh": "touch mark\n"}
    root = written(files, tmp_path / "repo")
    there = Bench(Here(root), Tree(files))
    assert there.outcome("files", bash_syntax_check=["*.sh"]) == ("pass", "pass")
    assert not (root / "mark").exists()
    assert there.place.asked[0][:2] == ("bash", "-c")


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (ran(127, stderr="bash: command not found"), ("error", "not-found")),
        (ran(None, ended="timeout"), ("error", "timeout")),
        (ran(1, stderr="./a.sh: line 2: syntax error"), ("fail", "bash-syntax")),
    ],
)
def test_a_shell_that_cannot_be_had_is_an_error(run: Any, expected: tuple[str, str]):
    """A file that was not parsed is neither right nor wrong."""
    there = Bench(Said(run), Tree({"a.sh": ""}))
    assert there.outcome("files", bash_syntax_check=["a.sh"]) == expected


def test_many_scripts_are_parsed_in_turns():
    """An argv has an end."""
    place = Said(ran(), ran(1, stderr="x"), ran())
    tree = Tree({f"{n}.sh": "" for n in range(1001)})
    assert Bench(place, tree).outcome("files", bash_syntax_check=["*.sh"]) == (
        "fail",
        "bash-syntax",
    )
    assert [len(argv) - 4 for argv in place.asked] == [500, 500, 1]
