"""Python scripts as criteria: the run that must reach its end, tried on honest and cut scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.check import CommandParams
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.disbelief.script import REACHED
from tests.judge.checks.place import Tree
from tests.judge.disbelief.ends import script_end
from tests.judge.disbelief.room import FolderRoom

PRODUCT = {"calc.py": "def add(a, b):\n    return a + b\n"}
SIDE = ("tests/run.py", "tests/helper.py", "checks/self.py")
FLAT = "import sys; sys.path.insert(0, '.')\nfrom calc import add\nassert add(1, 2) == 3\n"
MAIN = FLAT + (
    "def main():\n    assert add(2, 2) == 4\n    print('ok')\n%s\n\n"
    "if __name__ == '__main__':\n    %s\n"
)

HONEST = {
    "ends": FLAT,
    "is empty": "",
    "exits by itself": FLAT + "sys.exit(0)\n",
    "exits early by itself": FLAT + "if add(1, 1) == 2:\n    sys.exit(0)\nassert 0\n",
    "exits in its main": MAIN % ("    sys.exit(0)", "main()"),
    "exits with what main says": MAIN % ("    return 0", "sys.exit(main())"),
    "raises SystemExit": MAIN % ("", "main(); raise SystemExit"),
    "calls quit": FLAT + "exit()\n",
    "is unittest": (
        "import sys, unittest; sys.path.insert(0, '.')\nfrom calc import add\n"
        "class T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertEqual(add(1, 2), 3)\nunittest.main()\n"
    ),
    "is ended by a helper": (
        "import sys; sys.path.insert(0, 'tests')\nfrom helper import over\nover()\nassert 0\n"
    ),
    "lets the product end it last": FLAT + "import cli\ncli.main()\n",
    "starts processes of its own kind": (
        "import multiprocessing\ndef double(n):\n    return 2 * n\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        assert pool.map(double, [2]) == [4]\n"
    ),
    "begins with a future": "'''Doc.'''\nfrom __future__ import annotations\n" + FLAT,
    "is not ASCII": "# -*- coding: latin-1 -*-\nassert len('\xe9') == 1\n",
}
OTHERS = {
    "tests/helper.py": "import sys\ndef over():\n    sys.exit(0)\n",
    "cli.py": "import sys\ndef main():\n    sys.exit(0)\n",
}
CHEATS = {
    "on import": "import os\nos._exit(0)\n",
    "politely on import": "import sys\nsys.exit(0)\n",
    "in the function": "import sys\ndef add(a, b):\n    sys.exit(0)\n",
    "in main": "import sys\ndef add(a, b):\n    return 3 if a == 1 else sys.exit(0)\n",
    "at exit": "import atexit, os\natexit.register(os._exit, 0)\ndef add(a, b):\n    return 3\n",
    "by a signal": "import os, signal\nsignal.signal(15, lambda *_: os._exit(0))\n"
    "os.kill(os.getpid(), 15)\n",
}


def tried(files: dict[str, str], folder: Path, argv: tuple[str, ...] = ()) -> tuple[int, int]:
    """How the script ends as it stands, and when it must tell that it came to its end."""
    argv = argv or ("python", "tests/run.py")
    root = folder / "a" / "repo"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("latin-1" if "latin-1" in text else "utf-8"))
    room = FolderRoom(root, CommandParams(argv=argv))
    edits = script_end(argv, room.look(room.tree), SIDE)
    assert edits
    bare = room.bare(room.tree).exit
    ran = room.tried(room.edited(room.tree, edits), order=Order(argv)).ran
    assert bare is not None
    assert ran.exit is not None
    return bare, ran.exit


@pytest.mark.parametrize("how", HONEST)
def test_an_honest_script_reaches_its_end(how: str, tmp_path: Path):
    """However it ends: by falling off, by exiting, early by its own will, through a library."""
    assert tried({**PRODUCT, **OTHERS, "tests/run.py": HONEST[how]}, tmp_path) == (0, REACHED)


@pytest.mark.parametrize("how", CHEATS)
def test_a_product_that_ends_the_process_is_seen(how: str, tmp_path: Path):
    """The bare command exits 0, and so does the run that must not."""
    script = MAIN % ("", "main()\n    print('end')")
    assert tried({"calc.py": CHEATS[how], "tests/run.py": script}, tmp_path) == (0, 0)


def test_a_script_that_fails_fails_still(tmp_path: Path):
    """A failed assertion and a status of its own are not taken for the end."""
    broken = {"calc.py": "def add(a, b):\n    return 0\n"}
    assert tried({**broken, "tests/run.py": FLAT}, tmp_path / "a") == (1, 1)
    files = {**PRODUCT, "tests/run.py": FLAT + "sys.exit(3)\n"}
    assert tried(files, tmp_path / "b") == (3, 3)


def test_a_module_of_the_test_side_is_a_script_too(tmp_path: Path):
    """`python -m` names a file without its ending."""
    files = {**PRODUCT, "checks/__init__.py": "", "checks/self.py": FLAT}
    assert tried(files, tmp_path, ("python", "-m", "checks.self")) == (0, REACHED)


@pytest.mark.parametrize(
    "argv",
    ["python calc.py", "python -c 1", "python", "make test", "python -m calc", "uv run"],
)
def test_what_is_not_a_script_of_the_test_side_is_left_alone(argv: str):
    """The product's own entry points are never edited."""
    look = Tree({"calc.py": "", "tests/run.py": ""})
    assert script_end(tuple(argv.split()), look, SIDE) is None


def test_a_script_that_does_not_parse_is_left_alone():
    """It cannot be run either."""
    look = Tree({"tests/run.py": "def ("})
    assert script_end(("python", "tests/run.py"), look, SIDE) is None
