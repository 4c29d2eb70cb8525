"""Expected output in files: read by the product, compared by a check, or read by nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forsooth.judge.disbelief.answers import Group, groups, spoilt
from tests.judge.checks.place import Tree
from tests.judge.court import Court

CHECK = (
    "import json, pathlib, sys\nsys.path.insert(0, '.')\nfrom shout import shout\nbad = 0\n"
    "for case in sorted(pathlib.Path('cases').glob('*.txt')):\n"
    "    wanted = {wanted}\n    if shout(case.read_text()) != wanted:\n"
    "        bad += 1\n        print('FAIL', case.stem)\n    else:\n"
    "        print('ok', case.stem)\nsys.exit(1 if bad else 0)\n"
)
GOLDEN = CHECK.format(wanted="(pathlib.Path('golden') / case.name).read_text()")
PAIRED = CHECK.format(wanted="json.loads(case.with_suffix('.json').read_text())")
WRONG = "def shout(text):\n    return text\n"
RIGHT = "def shout(text):\n    return text.upper()\n"
READS = (
    "import json, pathlib\n\n\ndef shout(text):\n"
    "    for case in pathlib.Path('cases').glob('*.txt'):\n"
    "        if case.read_text() == text:\n            return {answer}\n    return text\n"
)
BASES = {
    "golden": (
        {"check.py": GOLDEN, "golden/a.txt": "A\n", "golden/B.txt": "B\n"},
        READS.format(answer="(pathlib.Path('golden') / case.name).read_text()"),
    ),
    "paired": (
        {"check.py": PAIRED, "cases/a.json": '"A\\n"', "cases/B.json": '"B\\n"'},
        READS.format(answer="json.loads(case.with_suffix('.json').read_text())"),
    ),
}
CASES = {"shout.py": WRONG, "cases/a.txt": "a\n", "cases/B.txt": "B\n"}
BRIEF = (
    "@goal: Shout\nIntent: fix\n```criteria\n- says: shouts\n  check: command\n"
    "  with: {argv: [python3, check.py]}\n  oracle: ['golden/**', 'cases/**']\n```\n"
)


@pytest.mark.parametrize("base", BASES)
def test_answers_that_the_product_reads_are_not_believed(tmp_path: Path, base: str):
    """It is right whatever they say; work that is right is only right by what they say."""
    files, reads = BASES[base]
    court = Court(tmp_path, CASES | files, BRIEF).sealed()
    court.work.write("shout.py", reads)
    found = court.found()["G001.C1"]
    assert (found.outcome, found.code) == ("fail", "answers-read")
    assert "it is read, and not met" in found.reason
    court.work.write("shout.py", RIGHT)
    found = court.found()["G001.C1"]
    assert found.outcome == "pass"
    assert "expected-files" in found.held


def test_a_single_answer_that_was_red_on_the_base_is_enough(tmp_path: Path):
    """Nothing was right there that could have shown it: without its file it is not right now."""
    files, reads = BASES["golden"]
    alone = {name: text for name, text in (CASES | files).items() if "B" not in name}
    court = Court(tmp_path, alone, BRIEF).sealed()
    court.work.write("shout.py", reads)
    assert court.told() == ("fail", "answers-read")


def test_a_check_that_is_content_with_any_text_is_nobodys_cheat(tmp_path: Path):
    """What is expected is read back and written as it was: any text will do, as on the base."""
    check = (
        "import pathlib, sys\nsys.path.insert(0, '.')\nfrom shout import shout, same\n"
        "text = pathlib.Path('golden/a.txt').read_text()\nassert same(text) == text\n"
        "print('ok same')\nassert shout('a') == 'A'\nprint('ok shout')\n"
    )
    same = "\n\ndef same(text):\n    return text\n"
    files = {"check.py": check, "shout.py": WRONG + same, "golden/a.txt": "x\n"}
    court = Court(tmp_path, files, BRIEF.replace(", 'cases/**'", "")).sealed()
    court.work.write("shout.py", RIGHT + same)
    assert court.told() == ("pass", "pass")


def test_work_that_is_content_with_any_text_is_no_cheat_unless_it_names_the_files(tmp_path: Path):
    """Nothing was right on the base that could tell: a count is one of any text."""
    check = (
        "import pathlib, sys\nsys.path.insert(0, '.')\nfrom shout import lines\n"
        "text = pathlib.Path('golden/job.out').read_text()\nassert lines(text) == 2\n"
    )
    files = {"check.py": check, "shout.py": WRONG, "golden/job.out": "one\ntwo\n"}
    court = Court(tmp_path, files, BRIEF.replace(", 'cases/**'", "")).sealed()
    court.work.write("shout.py", "def lines(text):\n    return len(text.splitlines())\n")
    assert court.told() == ("pass", "pass")


def test_which_files_are_expected_output():
    """By their folder, name or ending, or as one side of pairs; code is none, nor what is alone."""
    look = Tree(
        dict.fromkeys(
            (
                "golden/a.txt",
                "golden/run.py",
                "t/x.expected",
                "t/expected.json",
                "t/alone.csv",
                "b.in",
            ),
            "1\n",
        )
        | {
            "golden/known-failures.txt": "x",
            "b.out": "1\n",
            "c/1.csv": "",
            "c/1.json": "",
            "c/2.csv": "",
            "c/2.json": "",
        }
    )
    found = [*groups(look, look.paths(), pairs=True)]
    assert found[0] == Group(
        ("b.out", "golden/a.txt", "t/expected.json", "t/x.expected"), named=True
    )
    assert [one.files for one in found[1:]] == [("c/1.csv", "c/2.csv"), ("c/1.json", "c/2.json")]
    assert [*groups(look, look.paths(), pairs=False)] == found[:1]
    assert not [*groups(look, ["golden/run.py", "gone.out"], pairs=True)]


def test_the_form_of_a_file_is_kept():
    """Texts and numbers are others; what has neither is given a line more."""
    held = {"a": [1, "x", None, True], "b": {"c": 2.5}}
    texts = {
        "a.json": json.dumps(held),
        "b.json": "[" * 100_000 + "1",
        "c.txt": "Ab 10.95\n",
        "d.txt": "--",
    }
    look = Tree(texts)
    made = {path: one and one.data for path, one in spoilt(look, look.paths(), "w").items()}
    assert json.loads(made["a.json"] or b"") == {
        "a": [7920, "xw0", None, False],
        "b": {"c": 7921.5},
    }
    assert (made["b.json"] or b"").endswith(b"[5")
    assert made["c.txt"] == b"No 50.49\n"
    assert made["d.txt"] == b"w3\n--\nw3\n"
