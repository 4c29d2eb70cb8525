"""Shell and node scripts as criteria: the run that must reach its end, honest and cut short."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.check import CommandParams
from forsooth.judge.checks.recipes.flips import node_end, shell_end
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.disbelief.script import REACHED
from tests.judge.checks.place import Tree, written
from tests.judge.disbelief.ends import script_end
from tests.judge.disbelief.room import FolderRoom
from tests.tools import require

SHELL = {"add.sh": "add() { echo $(($1 + $2)); }\n"}
NODE = {"add.js": "exports.add = (a, b) => a + b;\n"}
SIDE = ("tests/run.sh", "tests/run.js", "tests/lib.sh", "tests/helper.js")
SH = '#!/bin/sh\n. ./add.sh\n[ "$(add 1 2)" = 3 ] || exit 1\n'
JS = "const assert = require('assert');\nconst { add } = require('../add.js');\n"

HONEST = {
    "ends": ("sh tests/run.sh", SH),
    "ends in a comment": ("sh tests/run.sh", SH + "# done"),
    "exits by itself": ("sh tests/run.sh", SH + "exit 0\n"),
    "exits with what failed": ("bash tests/run.sh", SH + "failed=0\nexit $failed\n"),
    "exits from a branch": (
        "bash -e tests/run.sh",
        SH + "if true; then\n  echo ok\n  exit 0\nfi\nexit 1\n",
    ),
    "is started by its name": ("tests/run.sh", SH),
    "cleans up": ("sh tests/run.sh", SH + "trap 'rm -f made' EXIT\n"),
    "ends, in node": ("node tests/run.js", JS + "assert.equal(add(1, 2), 3);\n"),
    "ends late, in node": (
        "node tests/run.js",
        JS + "(async () => { await 1; assert.equal(add(1, 2), 3); })();\n",
    ),
    "exits by itself, in node": (
        "node tests/run.js",
        JS + "function main() { assert.equal(add(1, 2), 3); process.exit(0); }\nmain();\n",
    ),
    "is ended by a helper, in node": (
        "node tests/run.js",
        JS + "assert.equal(add(1, 2), 3);\nrequire('./helper.js').over();\n",
    ),
}
OTHERS = {"tests/helper.js": "exports.over = () => process.exit(0);\n"}
CHEATS = {
    "exits when sourced": ("sh tests/run.sh", {"add.sh": "exit 0\n"}),
    "exits when called": ("bash tests/run.sh", {"add.sh": "add() { kill -9 $$; }\nexit 0\n"}),
    "redefines the comparison": (
        "bash tests/run.sh",
        {"add.sh": 'eval "function [ { return 0; }"\nadd() { :; }\n'},
    ),
    "redefines test as well": (
        "bash tests/run.sh",
        {"add.sh": 'eval "function [ { return 0; }"\ntest() { return 0; }\nadd() { :; }\n'},
    ),
    "redefines exit": ("bash tests/run.sh", {"add.sh": "exit() { builtin exit 0; }\n"}),
    "traps the end": ("sh tests/run.sh", {"add.sh": "trap 'exit 0' EXIT\n"}),
    "exits on load, in node": ("node tests/run.js", {"add.js": "process.exit(0);\n"}),
    "exits when called, in node": (
        "node tests/run.js",
        {"add.js": "exports.add = () => process.exit(0);\n"},
    ),
    "forces the status, in node": (
        "node tests/run.js",
        {"add.js": "process.on('exit', () => process.reallyExit(0));\n"},
    ),
}


def status(files: dict[str, str], folder: Path, command: str) -> tuple[int | None, int | None]:
    """How the bare command exits, and how it does when reaching the end must show."""
    argv = command.split()
    if "/" not in argv[0]:
        require(argv[0])
    root = written(files, folder / "tree" / "repo").resolve()
    room = FolderRoom(root, CommandParams(argv=tuple(argv)))
    look = room.look(room.tree)
    edits = script_end(argv, look, [path for path in look.paths() if path in SIDE])
    assert edits
    mode = {path: edit._replace(mode="100755") for path, edit in edits.items() if edit}
    tried = room.tried(room.edited(room.tree, mode), order=Order(tuple(argv)))
    return room.bare(room.tree).exit, tried.ran.exit


@pytest.mark.parametrize("case", HONEST)
def test_an_honest_script_is_seen_to_reach_its_end(case: str, tmp_path: Path):
    """However it ends, as long as it does so itself."""
    command, text = HONEST[case]
    name = "tests/run.js" if "node" in command else "tests/run.sh"
    files = {**SHELL, **NODE, **OTHERS, name: text}
    assert status(files, tmp_path, command) == (0, REACHED)


@pytest.mark.parametrize("case", CHEATS)
def test_a_product_that_cuts_a_script_short_is_seen(case: str, tmp_path: Path):
    """The bare command says that all is well, and the end is never reached."""
    command, product = CHEATS[case]
    late = "setTimeout(() => assert.equal(add(1, 2), 3), 1);\n"
    files = {**SHELL, **NODE, "tests/run.sh": SH, "tests/run.js": JS + late, **product}
    bare, doubted = status(files, tmp_path, command)
    assert bare == 0
    assert doubted != REACHED


UNSEEN = {
    "an exit in a list": SH + "true && exit 0\nexit 1\n",
    "another program in its place": SH + "exec true\n",
    "an exit in a text": SH + "cat > made.sh <<EOF\nexit 0\nEOF\necho\n",
    "an exit of a shell within": SH + "(\n  exit 0\n)\necho\n",
    "a line that goes on": SH + "echo a \\\n",
    "nothing": "\n",
}


@pytest.mark.parametrize("case", UNSEEN)
def test_a_shell_script_with_an_end_out_of_sight_is_left_alone(case: str):
    """Better no doubt than a wrong one."""
    assert shell_end.ended(UNSEEN[case], REACHED) is None


def test_a_helper_that_exits_keeps_a_shell_script_from_doubt():
    """It may well be the script's own way to end."""
    for said in (". tests/lib.sh\n", 'for t in tests/t_*; do . "./$t"; done\n'):
        files = {"tests/run.sh": SH + said, "tests/lib.sh": "exit 0\n"}
        assert script_end(["sh", "tests/run.sh"], Tree(files), files) is None


@pytest.mark.parametrize(
    "text",
    [
        "require('tape')('a', (t) => t.end());\n",
        "const { exit } = process; exit(0);\n",
        "import { exit } from 'node:process'; exit(0);\n",
        "const a = 1 } / 2;\n",
    ],
)
def test_a_node_script_that_others_may_end_is_left_alone(text: str):
    """A package, or the process under another name, may exit where nobody sees it."""
    assert node_end.ended(text, REACHED) is None
