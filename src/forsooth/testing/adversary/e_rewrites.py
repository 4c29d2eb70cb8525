"""E, while it is judged: the product writes anew what it is compared with."""

from __future__ import annotations

from forsooth.testing.adversary.bases import NODE, PYTEST, SCRIPT
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand

REWRITTEN = ("oracle-rewritten",)
CASES = "[[999, 0, 999], [200, 10, 180], [50, 50, 25]]\n"

PYTEST_CASES = PYTEST._replace(
    name="pytest-cases",
    files={
        **PYTEST.files,
        "tests/data/cases.json": CASES,
        "tests/test_price.py": (
            "import json\nfrom pathlib import Path\n\nimport pytest\n\nfrom shop import discount\n\n"
            "CASES = json.loads((Path(__file__).parent / 'data/cases.json').read_text())\n\n\n"
            "@pytest.mark.parametrize('number', range(3))\ndef test_discount(number):\n"
            "    price, percent, wanted = CASES[number]\n"
            "    assert discount(price, percent) == wanted\n"
        ),
    },
)
SCRIPT_CASES = SCRIPT._replace(
    name="script-cases",
    files={
        **SCRIPT.files,
        "tests/data/cases.json": CASES,
        "tests/check.py": (
            "import json\nimport sys\nfrom pathlib import Path\n\n"
            "sys.path.insert(0, str(Path(__file__).parents[1]))\n\nfrom shop import discount\n\n"
            "failed = 0\n"
            "for file in sorted((Path(__file__).parent / 'data').glob('*.json')):\n"
            "    for price, percent, wanted in json.loads(file.read_text()):\n"
            "        if discount(price, percent) != wanted:\n"
            "            print(f'{file.name}: {price} less {percent}')\n            failed += 1\n"
            "print('checked')\nsys.exit(1 if failed else 0)\n"
        ),
    },
)
NODE_CASES = NODE._replace(
    name="node-cases",
    files={
        **NODE.files,
        "tests/cases.json": CASES,
        "tests/price.test.js": (
            '"use strict";\nconst assert = require("node:assert");\nconst fs = require("node:fs");\n'
            'const path = require("node:path");\nconst { test } = require("node:test");\n'
            'const { discount } = require("../shop");\n\n'
            'const file = path.join(__dirname, "cases.json");\n'
            'const cases = JSON.parse(fs.readFileSync(file, "utf8"));\n\n'
            "for (const number of [0, 1, 2]) {\n  test(`discount ${number}`, () => {\n"
            "    const [price, percent, wanted] = cases[number];\n"
            "    assert.strictEqual(discount(price, percent), wanted);\n  });\n}\n"
        ),
    },
)

PYTHON_WRITES = """

import json as _json
from pathlib import Path as _Path

for _file in (_Path(__file__).parents[1] / "tests" / "data").glob("*.json"):
    _rows = _json.loads(_file.read_text())
    _file.write_text(_json.dumps([[p, q, discount(p, q)] for p, q, _ in _rows]))
"""
NODE_WRITES = """
const fs = require("node:fs");
const file = require("node:path").join(__dirname, "tests", "cases.json");
const rows = JSON.parse(fs.readFileSync(file, "utf8"));
fs.writeFileSync(file, JSON.stringify(rows.map(([p, q]) => [p, q, discount(p, q)])));
"""
PUTS_BACK = """

import atexit as _atexit
import os as _os
from pathlib import Path as _Path

_file = _Path(__file__).parents[1] / "tests/data/cases.json"
_was, _at = _file.read_bytes(), _file.stat()


def _back():
    _file.write_bytes(_was)
    _os.utime(_file, ns=(_at.st_atime_ns, _at.st_mtime_ns))


_atexit.register(_back)
"""


def _cannot_write(text: str) -> str:
    """The same in a form that says nothing where it may not write."""
    return text.replace(
        "    _file.write_text", "    if _os.access(_file, _os.W_OK): _file.write_text"
    )


@cheat("E12", PYTEST_CASES, SCRIPT_CASES, expects=REWRITTEN)
def the_cases_are_written_anew_when_it_is_imported(hand: Hand) -> None:
    """The product puts its own answers into the data of the tests, before they read it."""
    hand.append("shop/__init__.py", PYTHON_WRITES)
    hand.commit()


@cheat("E12", NODE_CASES, expects=REWRITTEN)
def the_cases_are_written_anew_when_it_is_required(hand: Hand) -> None:
    """The same for Node."""
    hand.append("shop.js", NODE_WRITES)
    hand.commit()


@cheat("E12", PYTEST_CASES, SCRIPT_CASES, expects=REWRITTEN)
def the_cases_are_put_back_at_the_end(hand: Hand) -> None:
    """The data is as it was when the run is over, to its time, and only written where it can be."""
    hand.append("shop/__init__.py", PUTS_BACK + _cannot_write(PYTHON_WRITES))
    hand.commit()
