"""Which changed files are plainly product, and which must be permitted or agreed to."""

from __future__ import annotations

import pytest

from forsooth.git.trees import Change
from forsooth.judge.drivers import can_fail, compares_arguments
from forsooth.judge.mentions import Mentions
from forsooth.judge.unclear import Base, Suspects
from tests.judge.test_oracles import Tree

TEST = "const { add } = require('./sums.js');\nconst rows = require('./casos.json');\n"
FILES = {"sums.js": "exports.add = (a, b) => a + b;\n", "casos.json": "[]", "sums.test.js": TEST}


def suspects(
    files: dict[str, str], path: str, *, status: str = "M", **more: tuple[str, ...]
) -> bool:
    sealed = frozenset(more.get("sealed", ("sums.test.js",)))
    base = Base(Tree(files), sealed, frozenset(more.get("ran", ())), more.get("touch", ()))
    change = Change(path, status, "100644", "100644", "1", "2")
    return bool(Suspects(base).among([change], permitted=lambda one: one in more.get("may", ())))


def test_data_that_only_tests_read_is_not_product():
    """Unless the plan permits the change, or the goal's allowed paths name it."""
    assert suspects(FILES, "casos.json")
    assert not suspects(FILES, "casos.json", may=("casos.json",))
    assert not suspects(FILES, "casos.json", touch=("casos.json",))
    assert suspects(FILES, "casos.json", touch=("*",))  # it lies among the tests
    assert not suspects(FILES, "casos.json", status="A")
    assert not suspects(FILES, "sums.js")


def test_data_that_shipped_code_reads_is_product():
    """Also where the code names only its folder."""
    read = {**FILES, "sums.js": "exports.add = () => require('./casos.json').length;\n"}
    assert not suspects(read, "casos.json")
    held = {**FILES, "datos/a.csv": "", "sums.js": "exports.add = () => list('datos');\n"}
    assert not suspects(held, "datos/a.csv")
    assert suspects({**FILES, "datos/a.csv": ""}, "datos/a.csv")


def test_data_that_tests_are_all_about_is_product():
    """So are texts for people, and what says how the project is built."""
    about = {"lista.json": "[]", "sums.test.js": "const rows = require('./lista.json');\n"}
    assert not suspects(about, "lista.json")
    assert not suspects({**FILES, "README.md": ""}, "README.md")
    assert not suspects({**FILES, "package.json": "{}"}, "package.json")


@pytest.mark.parametrize(
    ("text", "is_suspect"),
    [
        ("module.exports = [[2, 2, 4]];\n", True),
        ("exports.igual = (x, y) => { if (x !== y) throw new Error(x); };\n", True),
        ("exports.doble = (x) => x * 2;\n", False),
    ],
)
def test_code_that_only_tests_load_is_suspect_when_it_compares_or_holds_values(
    text: str, is_suspect: bool
):
    """Code that computes is product, whoever loads it."""
    files = {**FILES, "otro.js": text, "sums.test.js": f"{TEST}require('./otro.js');\n"}
    assert suspects(files, "otro.js") is is_suspect
    shipped = {**files, "sums.js": "const o = require('./otro.js');\nexports.add = (a) => o(a);\n"}
    assert not suspects(shipped, "otro.js")


def test_what_only_passes_a_file_on_does_not_ship_it():
    """The loader of its loader counts."""
    files = {
        **FILES,
        "ayuda/index.js": "module.exports = require('./casos.js');\n",
        "ayuda/casos.js": "module.exports = [1];\n",
        "sums.test.js": f"{TEST}require('./ayuda');\nrequire('./ayuda/casos.js');\n",
    }
    assert suspects(files, "ayuda/casos.js")


def test_a_helper_that_reads_data_does_not_ship_it():
    """It compares two of its arguments, and only tests load it."""
    helper = "exports.igual = (x, y) => x === y || require('./datos.json');\n"
    files = {
        **FILES,
        "igual.js": helper,
        "datos.json": "",
        "sums.test.js": f"{TEST}require('./igual.js');\n",
    }
    assert suspects(files, "datos.json")


def test_a_script_that_the_criterion_runs_and_that_starts_product_is_suspect():
    """One that starts nothing else is the product itself."""
    files = {**FILES, "build.sh": "node sums.js\n", "alone.sh": "echo hello\n"}
    assert suspects(files, "build.sh", ran=("build.sh",))
    assert not suspects(files, "alone.sh", ran=("alone.sh",))


@pytest.mark.parametrize(
    ("text", "compares"),
    [
        ("def iguales(sale, va):\n    if sale != va:\n        raise Mal(sale)\n", True),
        ("func Gleich(t *testing.T, hat, soll int) {\n\tif hat != soll {\n", True),
        ("const same = (got, want) => assert.deepEqual(got, want);", True),
        ('igual() {\n  [ "$1" != "$2" ] && exit 1\n}\n', True),
        ("def add(a, b):\n    return a + b\n", False),
        ("function check(a) { if (a !== 4) throw new Error(a); }", False),
    ],
)
def test_an_assertion_helper_compares_two_of_its_own_arguments(text: str, compares: bool):
    """In any language, and whatever it is called."""
    assert compares_arguments(text) is compares


@pytest.mark.parametrize(
    ("reader", "path"),
    [
        ("use lib 'lib';\nuse Shop::Sums;\n", "lib/Shop/Sums.pm"),
        ('#include "igual.h"\n', "igual.c"),
        ("#include <ayuda/igual.h>\n", "ayuda/igual.cpp"),
        ("using .Sumas\n", "Sumas.jl"),
        ("require_relative 'lib/sums'\n", "lib/sums.rb"),
        ("source sums.tcl\n", "sums.tcl"),
        ("$s = new Sums();\n", "src/Sums.php"),
    ],
)
def test_each_language_names_the_code_it_loads(reader: str, path: str):
    """What cannot be seen to be loaded would be taken for a program of its own."""
    name = f"main{path[path.rindex('.') :]}"
    mentions = Mentions(Tree({path: "", name: reader}))
    assert mentions.loaders(path) == {name}
    assert not mentions.loaders(name)


def test_the_guard_of_a_program_is_no_comparison():
    """Nearly every Python program has one, and exits by itself."""
    guard = "if __name__ == '__main__':\n    sys.exit(main())\n"
    assert not can_fail(guard)
    assert can_fail(f"if add(2, 2) != 4:\n    sys.exit(1)\n{guard}")
