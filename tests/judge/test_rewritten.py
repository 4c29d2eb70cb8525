"""A product that rewrites, while it runs, what it is judged by; and suites that only look so."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from forsooth.core.canonical import digest
from forsooth.judge.checker import Ran
from forsooth.judge.checks.process import Ending
from forsooth.judge.checks.trial import Flaw, Lacking, Trial
from forsooth.judge.court import Court as Bench
from forsooth.judge.ground import Record
from forsooth.judge.rewritten import MOST, Kept, is_said
from tests.judge.court import Court

RUN = "`python3 -m unittest -q tests.test_calc`"
BRIEF = f"@goal: Add\nIntent: fix\n- [ ] adds: {RUN}\n"
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = WRONG.replace("-", "+")
TEST = """\
import json
import unittest
from pathlib import Path

from calc import add

CASES = Path(__file__).parent / "cases.json"


class Adds(unittest.TestCase):
    def test_cases(self):
        for a, b, wanted in json.loads(CASES.read_text()):
            self.assertEqual(add(a, b), wanted)

    def test_nothing(self):
        self.assertEqual(add(2, 0), 2)
"""
FILES = {
    "calc.py": WRONG,
    "tests/__init__.py": "",
    "tests/test_calc.py": TEST,
    "tests/cases.json": "[[2, 3, 5]]\n",
}
FORGES = """
import json
from pathlib import Path

_at = Path(__file__).parent / "tests/cases.json"
_was = _at.read_text()
"""
WRITE = "_at.write_text(json.dumps([[a, b, add(a, b)] for a, b, _ in json.loads(_was)]))\n"
CHEATS = {
    "written when it is loaded": WRITE,
    "where it may be": f"import contextlib\nwith contextlib.suppress(OSError):\n    {WRITE}",
    "put back at the end, with its time": (
        f"import atexit, os\n_st = _at.stat()\n{WRITE}"
        "def _back():\n    _at.write_text(_was)\n"
        "    os.utime(_at, ns=(_st.st_atime_ns, _st.st_mtime_ns))\natexit.register(_back)\n"
    ),
    "its folder made anew": (
        "import shutil\n_dir = _at.parent\nshutil.copytree(_dir, '/tmp/t')\nshutil.rmtree(_dir)\n"
        f"shutil.copytree('/tmp/t', _dir)\n{WRITE}"
    ),
    "a link laid in its place": (
        f"_at.unlink()\n_at.symlink_to('/tmp/cases.json')\n_at = Path('/tmp/cases.json')\n{WRITE}"
    ),
}
DATABASE = """\
import sqlite3
import unittest
from pathlib import Path

from calc import add


class Adds(unittest.TestCase):
    def test_cases(self):
        with sqlite3.connect(Path(__file__).parent / "cases.db") as held:
            for a, b, wanted in held.execute("select * from cases"):
                self.assertEqual(add(a, b), wanted)
"""
PRINTS = """\
import unittest
from pathlib import Path

from calc import add

OUT = Path(__file__).parent / "out.txt"


class Adds(unittest.TestCase):
    def test_out(self):
        OUT.write_text(f"{add(2, 3)}\\n")
        self.assertEqual(OUT.read_text(), "5\\n")
"""


def court(folder: Path, files: dict[str, str | bytes], brief: str = BRIEF) -> Court:
    return Court(folder, FILES | files, brief).sealed()


def record(at: Court) -> Record:
    assert at.ground
    kept = at.ground.baselines[0].record
    assert kept
    return Record.loaded(at.kept[kept])


@pytest.mark.parametrize("how", CHEATS)
def test_a_product_that_writes_what_it_is_judged_by_is_refused(how: str, tmp_path: Path):
    """Whatever lies there once the run is over."""
    at = court(tmp_path, {})
    at.work.write("calc.py", WRONG + FORGES + CHEATS[how])
    found = at.found(full=False)["G001.C1"]
    assert (found.outcome, found.code) == ("fail", "oracle-rewritten"), found.reason
    assert "tests/cases.json" in found.reason
    assert "written while it was judged by" in found.reason


def test_a_claim_is_refused_for_it_as_a_look_is(tmp_path: Path):
    """Both begin with the same runs."""
    at = court(tmp_path, {})
    at.work.write("calc.py", WRONG + FORGES + WRITE)
    assert at.told() == ("fail", "oracle-rewritten")


def test_a_script_is_held_to_it_as_well(tmp_path: Path):
    """There is no report that could give it away."""
    files = {
        "lib.sh": "add() { echo $(($1 - $2)); }\n",
        "tests/expected": "5\n",
        "tests/run.sh": ". ./lib.sh\nadd 2 3 | diff - tests/expected\n",
    }
    at = court(tmp_path, files, "@goal: Add\nIntent: fix\n- [ ] adds: `sh tests/run.sh`\n")
    at.work.write("lib.sh", files["lib.sh"] + "add 2 3 >tests/expected\n")
    assert at.told(full=False) == ("fail", "oracle-rewritten")


def test_a_right_product_that_writes_in_vain_is_believed(tmp_path: Path):
    """With the file read-only it passes all the same, and that run counts."""
    at = court(tmp_path, {})
    at.work.write("calc.py", RIGHT + FORGES + CHEATS["where it may be"])
    assert at.told(full=False) == ("pass", "pass")


def test_who_may_not_write_one_file_does_not_gain_by_another(tmp_path: Path):
    """The run with a file read-only is watched as well."""
    listed = TEST.replace('"cases.json"', '"index.txt"').replace(
        "CASES.", "Path(CASES.read_text())."
    )
    at = court(tmp_path, {"tests/test_calc.py": listed, "tests/index.txt": "tests/cases.json"})
    turns = (
        f"_at.with_name('index.txt').write_text('/tmp/c')\n    _at = Path('/tmp/c')\n    {WRITE}"
    )
    at.work.write("calc.py", f"{WRONG}{FORGES}try:\n    {WRITE}except OSError:\n    {turns}")
    assert at.told(full=False) == ("fail", "oracle-rewritten")


NOWHERE = Bench(None, "tree", digest, str.encode)


class Room:
    """Gives one trial after another."""

    def __init__(self, *trials: Trial) -> None:
        self.trials, self.fixed, self.watched = list(trials), [], frozenset()

    def tried(self, tree: str, *, fixed: tuple[str, ...] = ()) -> Trial:
        self.fixed.append(fixed)
        return self.trials.pop(0)


def trial(*written: str, end: Ending | None = None) -> Trial:
    return Trial(Ran(0, None, "exit", b"", b"", 0.1, {}, written), None, end)


def test_a_run_that_ends_otherwise_read_only_is_refused_whatever_counts():
    """Red tests that were not known at the seal do not count, but they tell that it mattered."""
    kept = Kept(Record(None, ("a", "b")), None, NOWHERE)
    room = Room(trial("a"), trial(end=Ending(fail=True, code="failed", reason="1 failed")))
    _, flaw = kept.tried(room, "tree", lambda _: None)
    assert flaw == Flaw("oracle-rewritten", "a was written while it was judged by it; "
                        "read-only: 1 failed")  # fmt: skip
    assert room.fixed == [(), ("a",)]


def test_more_than_could_be_an_accident_is_refused_without_another_run():
    """So many places would make a run of their own kind."""
    names = tuple(f"f{number:03}" for number in range(MOST + 1))
    room = Room(trial(*names))
    _, flaw = Kept(Record(None, names), None, NOWHERE).tried(room, "tree", lambda _: None)
    assert flaw
    assert flaw.says == "f000, f001, f002 and 98 more were written while it was judged by them"


def test_where_nothing_can_be_seen_that_is_said():
    """Not knowing is not the same as nothing written."""
    kept = Kept(Record(None, ("a",)), None, NOWHERE)
    (lacking,) = kept.unseen(trial().ran._replace(written=None))
    assert lacking == Lacking("left-alone", "this machine cannot show what a run writes")
    assert [*kept.unseen(trial().ran)] == []


def test_a_database_that_is_only_read_is_no_rewriting(tmp_path: Path):
    """Databases are opened for writing by whoever asks them, here for the first time."""
    with sqlite3.connect(tmp_path / "cases.db") as held:
        held.execute("create table cases(a, b, wanted)")
        held.execute("insert into cases values(2, 3, 5)")
    files = {"tests/test_calc.py": DATABASE, "calc.py": ""}
    at = court(tmp_path, {**files, "tests/cases.db": (tmp_path / "cases.db").read_bytes()})
    assert record(at).written == ()
    at.work.write("calc.py", RIGHT)
    assert at.told(full=False) == ("pass", "pass")


def test_what_the_base_writes_itself_is_left_out_and_named(tmp_path: Path):
    """A suite may keep its own output in the repository."""
    name = 'name = "o" + "ut.txt"\nOUT = Path(__file__).parent / name\n'
    hides = PRINTS.replace('OUT = Path(__file__).parent / "out.txt"\n', name)
    at = court(tmp_path, {"tests/test_calc.py": hides, "tests/out.txt": "?\n"})
    assert record(at).written == ("tests/out.txt",)
    at.work.write("calc.py", RIGHT)
    found = at.found(full=False)["G001.C1"]
    assert found.outcome == "pass"
    assert "left-alone: runs of the base write tests/out.txt too" in found.lacking


def test_what_sealed_tests_write_once_there_is_work_is_left_out(tmp_path: Path):
    """On the base they could not be loaded, so nothing was seen to be written."""
    at = court(tmp_path, {"calc.py": "", "tests/test_calc.py": PRINTS, "tests/out.txt": "?\n"})
    assert record(at).written == ()
    at.work.write("calc.py", RIGHT)
    assert at.told(full=False) == ("pass", "pass")


def test_what_the_plan_lets_change_may_be_written(tmp_path: Path):
    """It could be delivered as it is written."""
    may = BRIEF.replace("Intent: fix\n", "Intent: fix\nMay change: tests/cases.json\n")
    at = court(tmp_path, {}, may)
    at.work.write("calc.py", RIGHT + FORGES + WRITE)
    assert at.told(full=False) == ("pass", "pass")


def test_a_record_that_was_kept_before_is_still_read():
    """Plans outlive the version that sealed them."""
    old = b'{"oracles":["a"],"patched":[],"tests":null,"withstands":[]}'
    assert Record.loaded(old) == Record(None, ("a",))


SAID = [
    "make report > ./tests/out.txt",
    "make report > $HERE/out.txt",
    "make report > ${HERE}/out.txt",
    'with open(HERE / "out.txt", "w") as file:',
    "(HERE / 'out.txt').write_text(got)",
    'OUT = HERE / "out.txt"\nOUT.write_bytes(got)',
    'OUT = "tests/out.txt"\nwith open(OUT, mode="wb") as file:',
    "fs.writeFileSync(path.join(__dirname, 'out.txt'), got);",
    'const out = path.join(__dirname, "out.txt");\nfs.writeFileSync(out, got);',
    'os.WriteFile("tests/out.txt", got, 0o644)',
    'out := filepath.Join("testdata", "out.txt")\nf, err := os.Create(out)',
    "./calc 2 3 > tests/out.txt",
    './calc 2 3 >"$here/out.txt"',
    'out=tests/out.txt\n./calc 2 3 | tee "$out"\n',
    "cp got tests/out.txt",
    "all: tests/out.txt\n\ntests/out.txt: make.py\n\tpython3 make.py >$@\n",
    "cc -o tests/out.txt main.c",
    "shutil.copy(got, HERE / 'out.txt')",
]
UNSAID = [
    "make report > build/out.txt\ndiff tests/out.txt build/out.txt",
    "Path('build/out.txt').write_text('a')",
    'wanted = (HERE / "out.txt").read_text()\n(tmp_path / "x").write_text("1")',
    'WANTED = open(HERE / "out.txt", encoding="utf-8").read()\nopen(tmp, "w").write(WANTED)',
    "const wanted = fs.readFileSync(path.join(__dirname, 'out.txt'));\nfs.writeFileSync(tmp, got);",
    'if len(open("out.txt").read()) > 3: pass',
    'LEAST = int((HERE / "out.txt").read_text())\nassert got > LEAST',
    "x" * 200_000 + " > tests/out.txt",
    "cp tests/out.txt /tmp/here",
    "all: tests/out.txt\n\tdiff got tests/out.txt",
    'with open(HERE / "out.txt") as file:',
    "diff tests/out.txt - >/dev/null",
    "./calc 2 3 > tests/other-out.txt",
    "shutil.copy(HERE / 'out.txt', tmp_path)",
]


@pytest.mark.parametrize("text", SAID)
def test_a_text_that_writes_a_file_is_known_by_its_look(text: str):
    """In the languages tests are written in, by name or by a variable that holds it."""
    assert is_said("tests/out.txt", [b"", text.encode()])


@pytest.mark.parametrize("text", UNSAID)
def test_a_text_that_only_reads_it_is_not(text: str):
    """Else whoever reads a file and writes another would free it."""
    assert not is_said("tests/out.txt", [text.encode()])
