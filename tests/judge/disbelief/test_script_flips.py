"""Scripts that are made to expect something else: the honest fail by it, the hollow do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.check import CommandParams
from forsooth.judge.checker import Ran
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.disbelief.script import Flip, Script, Tree, can_fail, script_flips, scripted
from forsooth.judge.disbelief.scripts.expected import Helper, chosen, drawn
from tests.judge.checks.place import Tree as Look
from tests.judge.checks.place import written
from tests.judge.disbelief.room import FolderRoom
from tests.tools import require

PRODUCT = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "add.sh": "add() { echo $(($1 + $2)); }\n",
    "add.js": "exports.add = (a, b) => a + b;\n",
    "lib/assert.sh": (
        'fails=0\nsame() { # name got want\n  if [ "$2" = "$3" ]; then echo "ok $1"\n'
        '  else echo "not ok $1"; fails=$((fails + 1)); fi\n}\nfinish() { [ "$fails" -eq 0 ]; }\n'
    ),
    "lib/expect.js": (
        "const assert = require('assert');\n"
        "exports.same = (got, want) => assert.deepStrictEqual(got, want);\n"
    ),
    "package.json": '{"scripts": {"test": "node tests/run.js"}}\n',
    "Makefile": "test:\n\tsh tests/run.sh\n",
}
PY = "import sys; sys.path.insert(0, '.')\nfrom calc import add\n"
SH = "#!/bin/bash\n. ./add.sh\n"
JS = "const assert = require('assert');\nconst { add } = require('../add.js');\n"

PYTHON = {
    "asserts": PY + "assert add(1, 2) == 3, 'sum'\n",
    "asserts a text within": PY + "assert '3' in str(add(1, 2))\n",
    "asserts how a text begins": PY + "assert str(add(1, 2)).startswith('3')\n",
    "compares a table": PY
    + "CASES = [(1, 2, 3), (2, 2, 4)]\nbad = 0\nfor a, b, want in CASES:\n"
    + "    if add(a, b) != want:\n        print('FAIL')\n        bad += 1\nsys.exit(bad > 0)\n",
    "compares a table of objects": PY
    + "for case in [{'in': (1, 2), 'out': 3}]:\n    assert add(*case['in']) == case['out']\n",
    "counts both ways": PY
    + "passed = failed = 0\nif add(1, 2) == 3:\n    passed += 1\nelse:\n    failed += 1\n"
    + "sys.exit(1 if failed else 0)\n",
    "has a helper": PY
    + "def check(name, got, want):\n    if got != want:\n        print(name)\n"
    + "        sys.exit(1)\n\ncheck('sum', add(1, 2), 3)\n",
    "has a helper for what is true": PY
    + "def check(name, got, want):\n    if got != want:\n        sys.exit(1)\n\n"
    + "check('sum', add(1, 2) == 3, True)\n",
    "has a main": PY
    + "def main():\n    want = 3\n    if add(1, 2) != want:\n        return 1\n    return 0\n\n"
    + "if __name__ == '__main__':\n    sys.exit(main())\n",
    "calls what is named like a test": PY
    + "def test_sum():\n    assert add(1, 2) == 3\n\n"
    + "for name, one in list(globals().items()):\n    if name.startswith('test'):\n        one()\n",
    "exits with a comparison": PY + "sys.exit(0 if add(1, 2) == 3 else 1)\n",
    "exits with an inequality": PY + "sys.exit(add(1, 2) != 3)\n",
    "asserts what is None": PY + "assert [].sort() is None\nassert add(1, 2) == 3\n",
    "lets a failure count": PY
    + "failures = []\ntry:\n    assert add(1, 2) == 3\nexcept AssertionError as error:\n"
    + "    failures.append(error)\nsys.exit(len(failures))\n",
    "is not ASCII": PY + "assert add('ä', 'ö') == 'äö', 'Ümlaut'\nassert add('ß', '') == 'ß'\n",
    "compares by many lines": PY
    + "assert add([1], [2]) == [\n    1,\n    2,\n], (\n    'sum'\n)\n",
    "compares large numbers": PY + "assert add(1e300, 0) == 1e300\n",
    "is unittest": PY
    + "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
    + "        self.assertEqual(add(1, 2), 3)\nunittest.main()\n",
}
SHELL = {
    "tests in a list": SH + '[ "$(add 1 2)" = 3 ] || exit 1\n',
    "tests in two brackets": SH + "got=$(add 1 2)\n[[ $got == 3 ]] || { echo no; exit 1; }\n",
    "tests by number": SH + 'test "$(add 1 2)" -eq 3 || exit 1\n',
    "tests for another": SH + 'if [ "$(add 1 2)" != "3" ]; then\n  exit 1\nfi\n',
    "counts": SH
    + 'bad=0\nif [ "$(add 1 2)" = "3" ]; then echo ok; else bad=$((bad + 1)); fi\nexit $bad\n',
    "stops at the first failure": SH + 'set -eu\n[ "$(add 1 2)" = "3" ]\necho ok\n',
    "looks for a text": SH + "set -e\nadd 1 2 | grep -q '^3$'\necho ok\n",
    "fails by a function": SH
    + 'fail() { echo "$1"; exit 1; }\n[ "$(add 1 2)" = "3" ] || fail sum\n',
    "has a library": SH + '. lib/assert.sh\nsame sum "$(add 1 2)" 3\nfinish\n',
    "has a helper": SH
    + 'check() {\n  local want=$2 got=$3\n  [ "$got" = "$want" ] && return\n  exit 1\n}\n'
    + 'check sum 3 "$(add 1 2)"\n',
    "compares what it keeps": SH
    + '. lib/assert.sh\nwant=3\ngot=$(add 1 2)\nsame sum "$got" "$want"\nfinish\n',
    "goes over a table": SH
    + 'while read -r a b want; do\n  [ "$(add "$a" "$b")" = "$want" ] || exit 1\n'
    + "done <<EOF\n1 2 3\n2 2 4\nEOF\n",
    "has a pattern": SH + '[[ "$(add 1 2)" =~ ^3$ ]] || exit 1\n',
    "ends with a test": SH + '[ "$(add 1 2)" = "3" ]\n',
}
NODE = {
    "asserts": JS + "assert.strictEqual(add(1, 2), 3);\n",
    "asserts what is deep": JS + "assert.deepEqual([add(1, 2)], [3], 'sum');\n",
    "asserts a truth": JS + "assert(add(1, 2) === 3);\nassert.ok(add(1, 1) === 2, 'two');\n",
    "asserts a pattern": JS + "assert.match(String(add(1, 2)), /^3$/);\n",
    "throws": JS + "if (add(1, 2) !== 3) {\n  throw new Error('sum');\n}\n",
    "counts": JS
    + "let bad = 0;\nif (add(1, 2) === 3) console.log('ok');\nelse bad++;\nprocess.exit(bad);\n",
    "goes over a table": JS
    + "for (const [a, b, want] of [[1, 2, 3]]) {\n  try {\n"
    + "    assert.deepStrictEqual(add(a, b), want);\n  } catch (error) {\n"
    + "    process.exitCode = 1;\n  }\n}\n",
    "has a helper": JS
    + "function check(name, got, want) {\n  if (got !== want) {\n    console.log(name);\n"
    + "    process.exit(1);\n  }\n}\ncheck('sum', add(1, 2), 3);\n",
    "has a helper for what is true": JS
    + "const check = (got, want) => {\n  if (got !== want) process.exit(1);\n};\n"
    + "check(add(1, 2) === 3, true);\n",
    "has a library": JS + "const { same } = require('../lib/expect.js');\nsame(add(1, 2), 3);\n",
    "waits": JS + "(async () => {\n  assert.equal(await add(1, 2), 3);\n})();\n",
    "is not ASCII": JS + "// Ünder\nassert.equal(add('ä', 'ö'), 'äö');\n",
}
GREEN = Trial(Ran(0, None, "exit", b"", b"", 0.1, {}), None, None)
RUN = {".py": "python tests/run.py", ".sh": "bash tests/run.sh", ".js": "node tests/run.js"}
HONEST = {
    **{f"{how}, in Python": (".py", text) for how, text in PYTHON.items()},
    **{f"{how}, in shell": (".sh", text) for how, text in SHELL.items()},
    **{f"{how}, in node": (".js", text) for how, text in NODE.items()},
}


def doubted(
    files: dict[str, str], folder: Path, command: str, *, before: bool = False
) -> list[Doubted]:
    """What comes of a script whose bare command is green, seen against the product at its best."""
    argv = tuple(command.split())
    require(argv[0])
    base = {**PRODUCT, **{name: text for name, text in files.items() if name.startswith("tests/")}}
    root = written({**base, **files}, folder / "tree" / "repo").resolve()
    room = FolderRoom(root, CommandParams(argv=argv))
    assert room.bare(room.tree).exit == 0
    look = room.look(room.tree)
    side = frozenset(path for path in look.paths() if path.startswith("tests/"))
    asked = Script(argv, "", Tree(look, side), Look(base), "5eed1")

    def tried(order: Order) -> Trial:
        return room.tried(room.edited(room.tree, order.edits), order=order)

    return list(scripted(asked, tried, before=tried if before else None, was_green=before))


def flip(text: str, name: str = "tests/run.py", command: str = "") -> Flip | str:
    """A script that expects something else."""
    look = Look({**PRODUCT, name: text})
    argv = (command or RUN[name[name.rindex(".") :]]).split()
    return next(script_flips(Script(argv, "", Tree(look, frozenset({name})), look, "5eed1")))


@pytest.mark.parametrize("case", HONEST)
def test_an_honest_script_fails_once_it_expects_something_else(case: str, tmp_path: Path):
    """However it compares, and for sure: a script like it that passes still is refused."""
    end, text = HONEST[case]
    assert Held("flip") in doubted({f"tests/run{end}": text}, tmp_path, RUN[end])
    made = flip(text, f"tests/run{end}")
    assert isinstance(made, Flip)
    assert made.sure


def test_a_part_of_a_condition_decides_only_where_it_can():
    """Of several that must all be met before a script fails, one says nothing by itself."""
    both = "if 'x' not in str(add(1, 2)) and not ready():\n    sys.exit(1)\n"
    either = "if add(1, 2) != 3 or not ready():\n    sys.exit(1)\n"
    ready = "def ready():\n    return True\n"
    assert [
        one.sure
        for one in map(flip, (PY + ready + both, PY + ready + either))
        if not isinstance(one, str)
    ] == [False, True]


CHEATS = {
    "exits well whatever happens": (
        ".py",
        PYTHON["compares a table"],
        {"calc.py": "import sys\nleave = sys.exit\nsys.exit = lambda _=0: leave(0)\n"
         "def add(a, b): return 0\n"},
    ),
    "is equal to everything": (
        ".py",
        PYTHON["asserts"],
        {"calc.py": "class Any:\n    def __eq__(self, other): return True\n"
         "def add(a, b): return Any()\n"},
    ),
    "reaches into the script": (
        ".py",
        PYTHON["compares a table"],
        {"calc.py": "import sys\nclass Zero(int):\n    def __iadd__(self, other): return self\n"
         "def add(a, b):\n    sys.modules['__main__'].bad = Zero(0)\n"},
    ),
    "runs a softer copy": (
        ".py",
        PYTHON["has a main"],
        {"calc.py": "import sys\ndef add(a, b): return 0\nmain = sys.modules['__main__']\n"
         "if not hasattr(sys, 'again'):\n    sys.again = 1\n"
         "    text = open(main.__file__).read().replace('add(1, 2) != want', 'False')\n"
         "    exec(compile(text, main.__file__, 'exec'), main.__dict__)\n"},
    ),
    "redefines the assertion": (
        ".sh",
        SH.replace("./add.sh", "lib/assert.sh; . ./add.sh") + 'same sum "$(add 1 2)" 3\nfinish\n',
        {"add.sh": 'add() { :; }\nsame() { echo "ok $1"; }\n'},
        ),
    "weakens the library": (
        ".sh",
        SHELL["has a library"],
        {"lib/assert.sh": "same() { echo ok; }\nfinish() { :; }\n", "add.sh": "add() { :; }\n"},
    ),
    "redefines the test": (
        ".sh",
        SHELL["tests by number"],
        {"add.sh": "test() { return 0; }\nadd() { echo 0; }\n"},
    ),
    "takes the assertion out of node": (
        ".js",
        NODE["goes over a table"],
        {"add.js": "require('assert').deepStrictEqual = () => {};\nexports.add = () => 0;\n"},
    ),
    "weakens a helper of node": (
        ".js",
        NODE["has a library"],
        {"lib/expect.js": "exports.same = () => {};\n", "add.js": "exports.add = () => 0;\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CHEATS)
def test_a_script_that_passes_whatever_it_expects_is_a_flaw(case: str, tmp_path: Path):
    """The bare command says that all is well, and says so too when nothing can be."""
    end, text, product = CHEATS[case]
    seen = doubted({f"tests/run{end}": text, **product}, tmp_path, RUN[end])
    assert [one.code for one in seen if isinstance(one, Flaw)][-1:] == ["cannot-fail"]


def test_a_script_behind_make_or_npm_is_changed_too():
    """What they come to is one script."""
    behind_npm = flip(NODE["asserts"], "tests/run.js", "npm test")
    behind_make = flip(SHELL["tests in a list"], "tests/run.sh", "make test")
    assert isinstance(behind_npm, Flip)
    assert isinstance(behind_make, Flip)


def test_a_script_that_could_not_fail_on_the_base_is_nobodys_cheat(tmp_path: Path):
    """A guard was green before the work; where it was as hollow then, that is only told."""
    end, text, product = CHEATS["weakens a helper of node"]
    files = {f"tests/run{end}": text, **product}
    assert isinstance(doubted(files, tmp_path / "a", RUN[end])[-1], Flaw)
    assert isinstance(doubted(files, tmp_path / "b", RUN[end], before=True)[-1], Lacking)


ALONE = {
    "a setting": ("tests/run.sh", SH + 'if [ "$LEVEL" != 3 ]; then\n  verbose=1\nfi\n'),
    "a setting, in Python": ("tests/run.py", PY + "if add(1, 2) != 3:\n    more = True\n"),
    "a question": (
        "tests/run.py",
        PY + "def is_sum(n):\n    if n != 3:\n        return False\n    return True\n"
        "if is_sum(add(1, 2)):\n    print('sum')\n",
    ),
    "the first of two may fail": (
        "tests/run.sh",
        SH + 'set -e\n[ "$(add 1 2)" = 4 ] && echo four\ntrue\n',
    ),
    "a listener": (
        "tests/run.js",
        JS + "process.on('message', (m) => { if (m !== 'x') console.log(m); });\n",
    ),
    "nothing is compared": ("tests/run.py", PY + "add(1, 2)\nprint('ok')\n"),
    "another encoding": ("tests/run.py", "# coding: latin-1\n" + PYTHON["asserts"]),
    "only what is not so": ("tests/run.py", PY + "assert add(1, 2) != 4\n"),
    "the arguments are counted": (
        "tests/run.py",
        PY + "if len(sys.argv) != 1:\n    sys.exit(2)\n",
    ),
    "what it says is no assertion": (
        "tests/run.sh",
        SH + 'check() { echo "checking $1 $2"; }\ncheck sum "$(add 1 2)"\n',
    ),
    "nobody knows the function": ("tests/run.sh", SH + 'expect_sum "$(add 1 2)" 3\n'),
    "the failures are counted": ("tests/run.sh", SH + 'fails=0\n[ "$fails" -eq 0 ]\n'),
    "a shell nobody can read": ("tests/run.sh", SH + 'if [ "$(add 1 2)" = 3 ; then\n'),
    "nothing comes of it": ("tests/run.sh", SH + '[ "$(add 1 2)" = 3 ] && echo right\necho\n'),
    "node nobody can read": ("tests/run.js", JS + "assert.equal(add(1, 2), 3));\n"),
    "the console says it": ("tests/run.js", JS + "console.assert(add(1, 2) === 3);\n"),
    "it must throw": ("tests/run.js", JS + "assert.throws(() => add(1n, 2), 'mixed');\n"),
}


@pytest.mark.parametrize("case", ALONE)
def test_a_script_in_which_nothing_is_plain_is_left_alone(case: str):
    """Better no doubt than a wrong one."""
    name, text = ALONE[case]
    assert isinstance(flip(text, name), str)


UNSURE = {
    "passed over": (
        "tests/run.sh",
        SH + '[ -e /dev/odd ] || { echo SKIP; exit 0; }\n[ "$(add 1 2)" = 3 ] || exit 1\n',
    ),
    "passed over, in Python": (
        "tests/run.py",
        PY + "if not sys.stdin:\n    print('skipped')\n    sys.exit()\nassert add(1, 2) == 3\n",
    ),
    "on another system": ("tests/run.py", PY + "if add(1, 1) > 5:\n    assert add(1, 2) == 3\n"),
    "never called": ("tests/run.py", PY + "def unused():\n    assert add(1, 2) == 3\n"),
    "caught": (
        "tests/run.py",
        PY + "try:\n    assert add(1, 2) == 3\nexcept AssertionError:\n    print('odd')\n",
    ),
    "under a condition": (
        "tests/run.sh",
        SH + '. lib/assert.sh\nif [ -n "$MORE" ]; then\n  same sum "$(add 1 2)" 3\nfi\ntrue\n',
    ),
    "caught, in node": (
        "tests/run.js",
        JS + "try { assert.equal(add(1, 2), 3); } catch (e) { console.log(e); }\n",
    ),
    "in a shell within": (
        "tests/run.sh",
        SH + '(\n  [ "$(add 1 2)" = 3 ] || exit 1\n)\necho ok\n',
    ),
    "behind a pipe": (
        "tests/run.sh",
        SH + 'echo 3 | while read -r n; do\n  [ "$n" = 3 ] || exit 1\ndone\necho ok\n',
    ),
    "only heard": (
        "tests/run.js",
        JS + "process.on('message', (m) => { assert.equal(m, 'x'); });\n",
    ),
    "never called under a name, in node": (
        "tests/run.js",
        JS + "const unused = () => { assert.equal(add(1, 2), 3); };\n",
    ),
    "never called, in node": (
        "tests/run.js",
        JS + "function unused() { assert.equal(add(1, 2), 3); }\n",
    ),
}


@pytest.mark.parametrize("case", UNSURE)
def test_what_may_not_be_come_by_is_no_flaw(case: str):
    """It may be green for a reason of its own."""
    name, text = UNSURE[case]
    made = flip(text, name)
    assert isinstance(made, Flip)
    assert isinstance(can_fail(made, GREEN), Lacking)
    assert isinstance(can_fail(made._replace(sure=True), GREEN), Flaw)


def test_a_run_that_does_not_end_or_is_to_fail_tells_nothing():
    """Neither shows whether a comparison was made."""
    made = flip(PYTHON["asserts"])
    assert isinstance(made, Flip)
    late = GREEN._replace(ran=GREEN.ran._replace(exit=None, ended="timeout"))
    wanted = GREEN._replace(ran=GREEN.ran._replace(exit=1))
    assert isinstance(can_fail(made, late), Lacking)
    assert isinstance(can_fail(made, wanted), Lacking)


def test_the_script_that_is_named_is_changed_and_not_those_it_runs():
    """What it runs may be run under a condition."""
    text = SHELL["tests in a list"] + "python tests/other.py\n"
    look = Look({"tests/run.sh": text, "tests/other.py": PYTHON["asserts"]})
    tree = Tree(look, frozenset(look.paths()))
    [made] = script_flips(Script(["sh", "tests/run.sh"], "", tree, look, "5eed1"))
    assert isinstance(made, Flip)
    assert list(made.edits) == ["tests/run.sh"]


def test_only_what_is_expected_is_changed():
    """The product is given what it was given before, and labels stay."""
    made = flip(SHELL["has a library"], "tests/run.sh")
    assert isinstance(made, Flip)
    edit = made.edits["tests/run.sh"]
    assert edit
    assert b'same sum "$(add 1 2)" ' in edit.data
    other = flip(PYTHON["compares a table"])
    assert isinstance(other, Flip)
    edit = other.edits["tests/run.py"]
    assert edit
    assert edit.data.count(b"(1, 2, ") == 1
    assert b"(1, 2, 3)" not in edit.data


@pytest.mark.parametrize("end", [".py", ".js"])
def test_an_assertion_of_the_script_is_changed_where_it_is_called_and_nowhere_else(end: str):
    """Changed twice, a value could come back to what it was."""
    made = flip((PYTHON if end == ".py" else NODE)["has a helper"], f"tests/run{end}")
    assert isinstance(made, Flip)
    assert made.many == 1


@pytest.mark.parametrize(
    "value", [True, False, None, 0, 3, -1, 2.5, 1e300, "", "a\n", b"a", (), {}]
)
def test_another_value_is_another_also_when_it_is_drawn_twice(value: object):
    """What is true does not become false, and then true again."""
    values = drawn("5eed1")
    once = values.other(value)
    assert value not in (once, values.other(once))
    assert values.other([value]) != [value]
    assert values.other({"a": value}) != {"a": value}


KNOWN = Helper("", frozenset({1, 2}))
ARGUMENTS = {
    "a label first, or last": (None, "lxx", [1]),
    "the one that is written out": (None, "lx", [0]),
    "what is called so": (None, "wx", [0]),
    "the last": (None, "xx", [1]),
    "nothing, in one": (None, "l", []),
    "nothing, in two that are written out": (None, "ll", []),
    "what is compared": (KNOWN, "lxl", [2]),
    "what is compared and called so": (KNOWN, "lwx", [1]),
    "nothing, where both are written out": (KNOWN, "xll", []),
    "nothing, where nothing is seen to be compared": (Helper(""), "xl", []),
    "the only one": (Helper("", frozenset({0})), "xl", [0]),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_one_side_of_what_an_assertion_compares_is_changed(case: str):
    """Both sides changed alike would be equal again; a label changes nothing."""
    known, args, wanted = ARGUMENTS[case]
    literal, named = [one == "l" for one in args], [one == "w" for one in args]
    assert list(chosen(literal, named, known)) == wanted


def test_another_nonce_draws_other_values():
    """Nobody can know beforehand what will be expected."""
    look = Look({"tests/run.py": PYTHON["asserts"]})
    tree = Tree(look, frozenset({"tests/run.py"}))
    argv = RUN[".py"].split()
    one, other = ([*script_flips(Script(argv, "", tree, look, nonce))] for nonce in ("a", "b"))
    assert one != other


MANY = "check:\n\tpython3 tests/run.py\n\t{}python3 tests/more.py\n\tsh tests/last.sh\n"
QUIET = {"calc.py": "import sys\nsys.exit = lambda _=0: None\ndef add(a, b): return 0\n"}
COUNTS = "from calc import add\nimport sys\nsys.exit(add(1, 2) != 3)\n"


@pytest.mark.parametrize(("how", "refused"), [("", True), ("-", False)])
def test_of_several_scripts_each_must_be_able_to_fail(how: str, refused: bool, tmp_path: Path):
    """Unless nobody asks how it ended."""
    files = {
        "Makefile": MANY.format(how),
        "tests/run.py": "import sys\nsys.exit(1 != 1)\n",
        "tests/more.py": "import sys\nsys.path.insert(0, '.')\n" + COUNTS,
        "tests/last.sh": "true\n",
        **QUIET,
    }
    found = doubted(files, tmp_path, "make check")
    assert any(isinstance(one, Flaw) and "tests/more.py" in one.says for one in found) == refused
    said = [one.why for one in found if isinstance(one, Lacking)]
    assert any("is not used" in why for why in said) != refused


def test_what_an_honest_makefile_runs_can_fail_script_by_script(tmp_path: Path):
    """Each is broken alone."""
    script = "import sys\nsys.path.insert(0, '.')\nfrom calc import add\nassert add(1, 2) == 3\n"
    names = [f"tests/run{number}.py" for number in range(6)]
    recipe = "".join(f"\tpython3 {name}\n" for name in names)
    files = {"Makefile": f"check:\n{recipe}", **dict.fromkeys(names, script)}
    found = doubted(files, tmp_path, "make check")
    assert found.count(Held("flip")) == 4
    assert Lacking("flip", "not tried with tests/run4.py, tests/run5.py") in found


@pytest.mark.parametrize("program", ["$(PY)", "${PY} -B", "$$PY", "$(PYTHON)"])
def test_a_makefile_may_name_its_interpreter_elsewhere(program: str, tmp_path: Path):
    """The script is known by what the variable is set to, else by its ending."""
    sets = "define PYTHON\npython3\nendef\nRUN = python3\nexport PY := $(RUN)\n"
    files = {
        "Makefile": f"{sets}check:\n\t{program} tests/more.py\n",
        "tests/more.py": "import sys\nsys.path.insert(0, '.')\n" + COUNTS,
        **QUIET,
    }
    found = doubted(files, tmp_path, "make check")
    assert any(isinstance(one, Flaw) and "tests/more.py" in one.says for one in found)


EXAMPLES = "Adding:\n\n    >>> from calc import add\n    >>> add(1,\n    ...     2)\n    3\n"
DEAF = {
    "calc.py": "import sys\nrunner = sys.modules['__main__'].DocTestRunner\n"
    "setattr(runner, '_DocTestRunner__record_outcome', lambda *_: None)\n"
    "runner.report_failure = lambda *_: None\ndef add(a, b): return 0\n"
}


@pytest.mark.parametrize(("product", "is_flaw"), [({}, False), (DEAF, True)])
def test_examples_in_a_text_must_be_able_to_fail(product: dict, is_flaw: bool, tmp_path: Path):
    """What they are to print is another, for every one of them."""
    found = doubted(
        {"tests/use.md": EXAMPLES, **product}, tmp_path, "python -m doctest tests/use.md"
    )
    assert any(isinstance(one, Flaw) and one.code == "cannot-fail" for one in found) == is_flaw
    assert (Held("flip") in found) != is_flaw


def test_another_module_is_not_asked_for_examples():
    """Only doctest reads them."""
    look = Look({"tests/use.md": EXAMPLES})
    tree = Tree(look, frozenset({"tests/use.md"}))
    asked = Script(["python", "-m", "json", "tests/use.md"], "", tree, look, "5eed1")
    assert not any(isinstance(one, Flip) for one in script_flips(asked))
