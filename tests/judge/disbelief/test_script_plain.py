"""Expectations beside a script: in files it compares with, in files of cases, in its argv."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from forsooth.core.check import CommandParams
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.disbelief.script import Flip, Script, Tree, script_flips, scripted
from forsooth.judge.disbelief.scripts.expected import drawn
from forsooth.judge.disbelief.scripts.golden import golden
from forsooth.judge.disbelief.scripts.inline import inline
from tests.judge.checks.place import Tree as Look
from tests.judge.checks.place import written
from tests.judge.disbelief.ends import script_end
from tests.judge.disbelief.room import FolderRoom
from tests.tools import require

RIGHT = "add() { echo $(($1 + $2)); }\n"
WRONG = "add() { echo 0; }\n"
PRODUCT = {
    "add.sh": RIGHT,
    "add.js": "exports.add = (a, b) => a + b;\n",
    "calc.py": "def add(a, b):\n    return a + b\n",
    "bin/sum": '. ./add.sh\nwhile read -r a b; do add "$a" "$b"; done <"$1"\n',
}
GOLD = {"tests/g/one.in": "1 2\n3 4\n", "tests/g/one.out": "3\n7\n"}
LOOP = 'cd "$(dirname "$0")/.." || exit 2\nbad=0\nfor in in tests/g/*.in; do\n{}done\nexit $bad\n'


def doubted(
    files: Mapping[str, str],
    folder: Path,
    argv: tuple[str, ...],
    work: Mapping[str, str] | None = None,
    *,
    before: bool = False,
) -> list[Doubted]:
    """What comes of work on files that is green."""
    require(argv[0])
    base = {**PRODUCT, **files}
    root = written({**base, **(work or {})}, folder / "tree" / "repo").resolve()
    room = FolderRoom(root, CommandParams(argv=argv))
    assert room.bare(room.tree).exit == 0
    look = room.look(room.tree)
    side = frozenset(path for path in look.paths() if path.startswith("tests/"))
    asked = Script(argv, "", Tree(look, side), Look(base), "5eed1")

    def tried(order: Order) -> Trial:
        return room.tried(room.edited(room.tree, order.edits), order=order)

    return list(scripted(asked, tried, before=tried if before else None, was_green=before))


def codes(found: list[Doubted]) -> list[str]:
    return [one.code for one in found if isinstance(one, Flaw)]


SH = ("sh", "-c", '. ./add.sh; test "$(add 1 2)" = 3')
BASH = ("bash", "-euo", "pipefail", "-c", '. ./add.sh; [ "$(add 1 2)" = 3 ]; true')
ASKS = "import('./add.js').then(m => { if (m.default.add(1, 2) !== 3) process.exit(1) })"
JS = ("node", "-e", ASKS)
PY = ("python", "-B", "-c", "from calc import add; assert add(1, 2) == 3, 'sum'")
QUIT = {"calc.py": "import os\nos._exit(0)\n"}
TEXTS = {
    "sh": (SH, {"add.sh": WRONG + "test() { :; }\n"}),
    "bash": (BASH, {"add.sh": WRONG + "[() { :; }\n"}),
    "bash, at once": (BASH, {"add.sh": "exit 0\n"}),
    "python in sh": (("sh", "-c", f'cd . && python -c "{PY[-1]}"'), QUIT),
    "python in quotes": (
        (
            "sh",
            "-c",
            """python -c 'from calc import add; assert add("a", "b") == "ab"' || exit 1""",
        ),
        QUIT,
    ),
    "node in sh": (("bash", "-c", f'node -e "{ASKS}"'), {"add.js": "process.exit(0);\n"}),
    "python that is read": (
        ("bash", "-ec", "python3 - <<'E'\nfrom calc import add\nassert add(1, 2) == 3\nE\ntrue\n"),
        QUIT,
    ),
    "python that is read, in a list": (
        (
            "sh",
            "-c",
            "python3 - <<'E' || exit 1\nfrom calc import add\nassert add(1, 2) == 3\nE\n:\n",
        ),
        QUIT,
    ),
    "sh in sh": (("sh", "-c", f"sh -c '{SH[-1]}'"), {"add.sh": WRONG + "test() { :; }\n"}),
    "behind a wrapper": (("env", "A=1", *SH), {"add.sh": WRONG + "test() { :; }\n"}),
    "node": (JS, {"add.js": "if (!process.argv[1]) process.exit(0);\n"}),
    "python": (PY, QUIT),
    "python, equal to all": (
        PY,
        {"calc.py": "class A:\n    __eq__ = lambda *_: True\nadd = lambda a, b: A()\n"},
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_text_in_an_argv_must_fail_once_it_expects_something_else(case: str, tmp_path: Path):
    """The honest product fails by it, and one that is content with anything is refused."""
    argv, product = TEXTS[case]
    honest = doubted({}, tmp_path / "a", argv)
    assert Held("flip") in honest
    assert codes(honest) == []
    [flaw] = [one for one in doubted({}, tmp_path / "b", argv, product) if isinstance(one, Flaw)]
    assert flaw == Flaw("cannot-fail", "the command still passes with its one expectation changed")


def test_a_text_that_could_not_fail_on_the_base_is_nobodys_cheat(tmp_path: Path):
    """Where it was as hollow before, that is only told."""
    argv, product = TEXTS["sh"]
    found = doubted(product, tmp_path, argv, before=True)
    assert codes(found) == []
    assert Lacking("flip", "its script could not be made to fail on the base either") in found


@pytest.mark.parametrize(
    "argv",
    [
        ("sh", "-c", "test -e add.sh && test -e calc.py"),
        ("sh", "tests/run.sh"),
        ("node", "-p", "1"),
        ("sh", "-c", "python -c 'assert 1 + x == 3' | cat; true"),
        ("sh", "-c", 'python -c "assert f($n) == 3"'),
        ("sh", "-c", "python3 - <<E\nassert f($n) == 3\nE\n"),
        ("sh", "-c", "python3 tests/x.py <<'E'\nassert f() == 3\nE\n"),
        ("sh", "-c", "python3 - <<'E' || true\nassert f() == 3\nE\n"),
        ("python", "-c"),
        ("python", "-m", "json.tool", "-c"),
        ("sh", "-c", '[ -e /dev/odd ] || { echo SKIP; exit 0; }; [ "$(add 1 2)" = 3 ]'),
    ],
)
def test_a_text_in_which_nothing_is_surely_expected_is_no_flaw(argv: tuple[str, ...]):
    """Nor is an argv without one."""
    look = Look(PRODUCT)
    flips = [*script_flips(Script(argv, "", Tree(look, frozenset()), look, "5eed1"))]
    assert not any(isinstance(one, Flip) and one.sure for one in flips)


def test_only_the_text_of_an_argv_is_changed():
    """Words after it are its own, and what options say about it is not written into it."""
    own = inline(("bash", "-ec", "true", "name", "-c"), 0)
    assert own
    assert own.source == b"set -e\ntrue"
    assert own.saying(b"set -e\nfalse") == ("bash", "-ec", "false", "name", "-c")


def test_a_script_that_is_only_read_need_not_tell_how_it_ended(tmp_path: Path):
    """Before a pipe its status is lost, for honest work too."""
    argv = ("sh", "-c", "python tests/say.py | grep -qx 3")
    found = doubted({"tests/say.py": "print(3)\n"}, tmp_path, argv)
    assert codes(found) == []
    assert (
        Lacking("canary", "tests/say.py stands before a pipe, which drops its exit status") in found
    )
    assert Held("flip") in found


def test_a_script_that_is_read_may_fail_unheard(tmp_path: Path):
    """What it printed before is all that anybody wants."""
    say = "import sys; sys.path.insert(0, '.')\nfrom calc import add\nprint(3, flush=True)\n"
    files = {"tests/say.py": say + "assert add(1, 2) == 3\n"}
    found = doubted(files, tmp_path, ("sh", "-c", "python tests/say.py | cat | grep 3"))
    assert codes(found) == []
    assert Lacking("flip", "the exit status of tests/say.py is not used") in found


QUOTED = {
    """python -c 'assert f(1) == "a"'""": r"""python -c 'assert f(1) == '\''a{}'\'''""",
    """node -e "if (f() !== 'a') throw 1" """: """node -e "if (f() !== 'a{}') throw 1" """,
}


@pytest.mark.parametrize("text", QUOTED)
def test_a_text_in_quotes_stays_in_them(text: str):
    """What is expected instead is written as the quotes around it want it."""
    look = Look(PRODUCT)
    asked = Script(("sh", "-c", text), "", Tree(look, frozenset()), look, "5eed1")
    [flip] = script_flips(asked)
    assert isinstance(flip, Flip)
    assert flip.argv == ("sh", "-c", QUOTED[text].replace("{}", drawn("5eed1").word))


def test_a_helper_beside_a_script_may_end_it():
    """Also one that the seal does not hold: then nothing is said about its end."""
    files = {"tests/t/a.t": CASE.format(".sh"), "tests/tap.sh": TAP, "add.sh": RIGHT}
    assert script_end(["sh", "tests/t/a.t"], Look(files), ["tests/t/a.t"]) is None
    plain = {**files, "tests/tap.sh": TAP.replace("exit $failed", "[ $failed = 0 ]")}
    assert script_end(["sh", "tests/t/a.t"], Look(plain), ["tests/t/a.t"])


DIFF = {
    "in a condition": '  if sh bin/sum "$in" | diff -u "${in%.in}.out" - ; then :\n'
    "  else bad=1; fi\n",
    "in a list": '  want=${in%.in}.out\n  sh bin/sum "$in" | cmp -s - "$want" || bad=1\n',
    "turned round": '  name=$(basename "$in" .in)\n  sh bin/sum "$in" >"/tmp/$$"\n'
    '  if ! diff "tests/g/$name.out" "/tmp/$$"; then cat "tests/g/$name.out"; bad=1; fi\n',
    "by what it prints": '  sh bin/sum "$in" >"/tmp/$$"\n'
    '  [ -z "$(diff "/tmp/$$" "${in%.in}.out")" ] || bad=1\n',
    "which are sorted": '  sh bin/sum "$in" | sort >"/tmp/$$"\n'
    '  diff <(sort "${in%.in}.out") "/tmp/$$" || bad=1\n',
    "that a person may renew": '  if [ -n "$UPDATE" ]; then sh bin/sum "$in" >"${in%.in}.out"; fi\n'
    '  sh bin/sum "$in" | cmp - "${in%.in}.out" || bad=1\n',
}
READS = {"bin/sum": 'cat "${1%.in}.out"\n'}


@pytest.mark.parametrize("case", DIFF)
def test_files_of_what_is_expected_must_count(case: str, tmp_path: Path):
    """However they are compared: the honest fail by spoilt ones, whoever reads them does not."""
    files = {**GOLD, "tests/run.sh": LOOP.format(DIFF[case])}
    argv = ("bash", "tests/run.sh")
    honest = doubted(files, tmp_path / "a", argv)
    assert Held("flip") in honest
    assert codes(honest) == []
    assert codes(doubted(files, tmp_path / "b", argv, READS)) == ["cannot-fail"]


ASKED = {
    "at the end": "sh bin/sum tests/g/one.in | diff - tests/g/one.out",
    "in a list": "sh bin/sum tests/g/one.in | cmp -s tests/g/one.out - || exit 1; true",
    "of what two print": "diff <(sort tests/g/one.out) <(sh bin/sum tests/g/one.in | sort)",
}


@pytest.mark.parametrize("case", ASKED)
def test_files_that_a_text_in_an_argv_compares_with_must_count(case: str, tmp_path: Path):
    """Nobody but a person wrote the comparison, and the product must not talk it away."""
    argv = ("bash", "-c", f". ./add.sh; {ASKED[case]}")
    honest = doubted(GOLD, tmp_path / "a", argv)
    assert Held("flip") in honest
    assert not any(isinstance(one, Flaw) or one.what == "flip" for one in honest[:-1])
    shadow = {"add.sh": WRONG + "diff() { :; }\ncmp() { :; }\n"}
    for number, work in enumerate((READS, shadow)):
        found = doubted(GOLD, tmp_path / str(number), argv, work)
        assert codes(found) == ["cannot-fail"]
        assert "the command still passes" in str(found)


def test_a_comparison_in_an_argv_that_never_counts_refuses_no_work(tmp_path: Path):
    """Nobody asks how it ended."""
    argv = ("sh", "-c", f"{ASKED['at the end']}; true")
    found = doubted(GOLD, tmp_path, argv)
    assert Lacking("flip", "the exit status of the command is not used") in found
    assert codes(found) == []


RECIPE = "check:\n\t@mkdir -p build\n\t@sh bin/sum tests/g/one.in >build/one\n\t{}\n"
MADE = {
    "in a recipe": RECIPE.format("@cmp tests/g/one.out build/one"),
    "for each": "check: case-one\ncase-%:\n\t@sh bin/sum tests/g/$*.in | diff tests/g/$*.out -\n",
    "in a loop": "check:\n\tfor f in tests/g/*.in; do \\\n"
    "\t  sh bin/sum $$f | diff $${f%.in}.out - || exit 1; done\n",
    "in a script": "check:\n\tsh tests/run.sh\n",
    "with a way to renew": RECIPE.format("@cmp tests/g/one.out build/one")
    + "\nupdate:\n\tsh bin/sum tests/g/one.in >tests/g/one.out\n",
}
SAYS_SO = {"GNUmakefile": "check:\n\t@echo PASS one\n", "add.sh": WRONG}


@pytest.mark.parametrize("case", MADE)
def test_what_make_compares_must_count(case: str, tmp_path: Path):
    """Also where another makefile is put before the one that compared."""
    files = {**GOLD, "Makefile": MADE[case], "tests/run.sh": LOOP.format(DIFF["in a condition"])}
    argv = ("make", "check")
    honest = doubted(files, tmp_path / "a", argv)
    assert Held("flip") in honest
    assert codes(honest) == []
    assert codes(doubted(files, tmp_path / "b", argv, READS)) == ["cannot-fail"]
    assert codes(doubted(files, tmp_path / "c", argv, SAYS_SO)) == ["cannot-fail"]
    quiet = {"Makefile": MADE[case].replace("\t@", "\t").replace("\t", "\t-"), "add.sh": WRONG}
    if case != "in a loop":
        assert codes(doubted(files, tmp_path / "d", argv, quiet)) == ["cannot-fail"]


RUN = 'cd "$(dirname "$0")/.." || exit 2\n. ./add.sh\n[ "$(add 1 2)" = 3 ] || exit 1\n'


@pytest.mark.parametrize(("work", "refused"), [({"add.sh": WRONG}, True), ({}, False)])
def test_who_asked_for_a_script_on_the_base_must_still(work: dict, refused: bool, tmp_path: Path):
    """Work that holds as it was asked for then may ask otherwise now."""
    files = {"Makefile": "check:\n\tsh tests/run.sh\n", "tests/run.sh": RUN}
    work = {"Makefile": "check:\n\tsh -n tests/run.sh\n\t-sh tests/run.sh\n", **work}
    found = doubted(files, tmp_path, ("make", "check"), work)
    assert codes(found) == (["cannot-fail"] if refused else [])
    said = [one.why for one in found if isinstance(one, Lacking)]
    assert ("the exit status of tests/run.sh is not used" in said) != refused


NO_EXPECTATION = {
    "the file is what the product is given": 'f=tests/g/one.out\ncat "$f" | diff "$f" -\n',
    "the file is read by the product": "sh bin/sum tests/g/one.out | diff tests/g/one.out -\n",
    "the file is written": "echo 3 >tests/g/one.out\ncmp tests/g/one.out add.txt\n",
    "the folder is given": "cp -r tests/g copy\ndiff tests/g/one.out copy/one.out\n",
    "it lies elsewhere": 'tmp=$(mktemp -d)\ncd "$tmp"\ndiff "$tmp/one.out" other\n',
    "nothing is said of its name": 'diff "$1" "$2"\n',
    "it is another's": "diff add.sh other\n",
    "it is named like an option": "diff --label=tests/g/one.out a b\n",
}


@pytest.mark.parametrize("case", NO_EXPECTATION)
def test_a_file_that_may_be_no_expectation_is_left_alone(case: str):
    """Spoilt, what is compared with it may be spoilt alike."""
    look = Look({**GOLD, "tests/run.sh": NO_EXPECTATION[case]})
    assert golden(["tests/run.sh"], (), look, [*GOLD]).files == ()


IDLE = {
    "under another target": "check:\n\ttrue\n\ngolden:\n"
    "\tsh bin/sum tests/g/one.in | diff tests/g/one.out -\n",
    "and nobody asks": "check:\n\tsh bin/sum tests/g/one.in | diff tests/g/one.out - || true\n",
}


@pytest.mark.parametrize("case", IDLE)
def test_a_comparison_that_never_counted_refuses_no_work(case: str, tmp_path: Path):
    """It is seen to change nothing, whether it is right or wrong."""
    found = doubted({**GOLD, "Makefile": IDLE[case]}, tmp_path, ("make", "check"))
    assert codes(found) == []
    assert Lacking("flip", "the exit status of Makefile is not used") in found


HARNESS = 'cd "$(dirname "$0")/.." || exit 2\nbad=0\n{}\n[ "$bad" -eq 0 ]\n'
TAP = (
    'n=0 failed=0\nis() {\n  n=$((n + 1))\n  if [ "$1" = "$2" ]; then echo "ok $n"\n'
    '  else echo "not ok $n"; failed=1; fi\n}\ndone_testing() { exit $failed; }\n'
)
CASE = '. tests/tap{}\n. ./add.sh\nis "$(add 1 2)" 3 sum\ndone_testing\n'
TAKEN = {
    "by name": ('for t in tests/t/*.t; do sh "$t" || bad=1; done', ".sh", "tests/t/a.t"),
    "by a glob": (
        'for t in $(find tests/t -name "*.t"); do sh "$t" || bad=1; done',
        ".sh",
        "tests/t/a.t",
    ),
    "without an ending": (
        'for t in tests/t/case_*; do (. "./$t") || bad=1; done',
        ".sh",
        "tests/t/case_a",
    ),
    "with a helper without one": (
        'for t in tests/t/*.t; do sh "$t" || bad=1; done',
        "",
        "tests/t/a.t",
    ),
}


@pytest.mark.parametrize("case", TAKEN)
def test_cases_that_a_harness_takes_must_be_able_to_fail(case: str, tmp_path: Path):
    """Whatever they are called; what their helper does is read in the base."""
    loop, end, name = TAKEN[case]
    files = {
        "tests/harness.sh": HARNESS.format(loop),
        f"tests/tap{end}": TAP,
        name: CASE.format(end),
    }
    argv, work = ("sh", "tests/harness.sh"), TAP.replace('[ "$1" = "$2" ]', ":")
    honest = doubted(files, tmp_path / "a", argv)
    assert Held("flip") in honest
    assert codes(honest) == []
    assert not any(isinstance(one, Lacking) and one.what == "flip" for one in honest)
    cheat = doubted(files, tmp_path / "b", argv, {f"tests/tap{end}": work, "add.sh": WRONG})
    assert [one.says for one in cheat if isinstance(one, Flaw)] == [
        f"{name} still passes with its one expectation changed"
    ]


UNITS = (
    'cd "$(dirname "$0")/.." || exit 2\n. tests/assert.sh\n. ./add.sh\nfail=0\n'
    'for file in tests/test_*.sh; do . "./$file"; done\n'
    "for t in $(declare -F | awk '$3 ~ /^test_/ {print $3}'); do\n"
    '  if "$t"; then echo "PASS $t"; else fail=$((fail + 1)); fi\ndone\n(( fail == 0 ))\n'
)
EQUAL = 'assert_eq() {\n  if [[ "$1" != "$2" ]]; then echo "no $2" >&2; return 1; fi\n}\n'


@pytest.mark.parametrize(
    ("rest", "codes_"), [("", ["cannot-fail"]), ("; echo", []), ("; # so", ["cannot-fail"])]
)
def test_functions_that_a_harness_finds_must_be_able_to_fail(
    rest: str, codes_: list[str], tmp_path: Path
):
    """By what stands last in them: the status of all else is nobody's."""
    files = {
        "tests/runner.bash": UNITS,
        "tests/assert.sh": EQUAL,
        "tests/test_add.sh": f'test_sum() {{ assert_eq 3 "$(add 1 2)"{rest}\n}}\n',
    }
    argv, shadow = ("bash", "tests/runner.bash"), {"add.sh": WRONG + "assert_eq() { :; }\n"}
    honest = doubted(files, tmp_path / "a", argv)
    assert (Held("flip") in honest) == bool(codes_)
    assert codes(honest) == []
    assert codes(doubted(files, tmp_path / "b", argv, shadow)) == codes_
