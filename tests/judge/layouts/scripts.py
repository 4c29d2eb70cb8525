"""Layouts of plain scripts behind make and npm, of case tables, and of assertion helpers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.judge.layouts.javascript import COMMON
from tests.judge.layouts.layout import Layout, Product, Tests, layout, leaning, package
from tests.judge.layouts.python import SUMS

JS = Product("lib/sums.js", COMMON, "// sums\n")
PY = Product("sums.py", SUMS, "\n\n# sums\n")
SH = Product(
    "sums.sh",
    "add() { echo $(($1 - $2)); }\ntwice() { echo $(($1 * 2)); }\n",
    "# sums\n",
    "$1 - $2",
    "$1 + $2",
)


def plain_node(where: str) -> Tests:
    red = "prueba('suma', add(2, 2), 4);\n"
    text = f"const {{ add, twice }} = require('{where}');\nlet mal = 0;\n"
    text += "function prueba(nombre, sale, va) {\n  if (sale !== va) { console.error(nombre, sale); mal += 1; }\n}\n"
    return Tests(
        f"{text}{red}prueba('doble', twice(3), 6);\nprocess.exit(mal ? 1 : 0);\n",
        edited=("2), 4)", "2), 0)"),
        skipped=(red, f"// {red}"),
        deleted=(red, ""),
        weakened=("add(2, 2), 4", "typeof add(2, 2), 'number'"),
        more="prueba('suma mas', add(5, 1), 6);\n",
        at="prueba('doble'",
    )


def plain_python(head: str = "from sums import add, twice\n") -> Tests:
    red = "assert add(2, 2) == 4\n"
    return Tests(
        f"{head}\n{red}assert twice(3) == 6\nprint('ok')\n",
        edited=("== 4", "== 0"),
        skipped=(red, f"# {red}"),
        deleted=(red, ""),
        weakened=("add(2, 2) == 4", "add(2, 2) is not None"),
        more="assert add(5, 1) == 6\n",
        at="assert twice",
    )


def plain_shell(where: str) -> Tests:
    red = '[ "$(add 2 2)" = 4 ] || fallo=1\n'
    return Tests(
        f'. {where}\nfallo=0\n{red}[ "$(twice 3)" = 6 ] || fallo=1\nexit $fallo\n',
        edited=("= 4 ]", "= 0 ]"),
        skipped=(red, f"# {red}"),
        deleted=(red, ""),
        weakened=('"$(add 2 2)" = 4', '-n "$(add 2 2)"'),
        more='[ "$(add 5 1)" = 6 ] || fallo=1\n',
        at='[ "$(twice',
    )


UP = "import sys\n\nsys.path.insert(0, '.')\nfrom sums import add, twice\n"


def scripts() -> Iterator[Layout]:
    yield layout(
        "script · node revisa.js", JS, "revisa.js", plain_node("./lib/sums.js"), "node revisa.js"
    )
    yield layout(
        "script · npm test, tools/prueft.js",
        JS,
        "tools/prueft.js",
        plain_node("../lib/sums.js"),
        "npm test",
        beside=package("node tools/prueft.js"),
    )
    yield layout(
        "script · npm run, essais/",
        JS,
        "essais/somme.js",
        plain_node("../lib/sums.js"),
        "npm run essai",
        beside=package(scripts={"essai": "node essais/somme.js"}),
    )
    yield layout(
        "script · make, pruebas/suma.js",
        JS,
        "pruebas/suma.js",
        plain_node("../lib/sums.js"),
        "make",
        beside={"Makefile": "all:\n\tnode pruebas/suma.js\n"},
    )
    yield layout("script · python3 rivedi.py", PY, "rivedi.py", plain_python(), "python3 rivedi.py")
    yield layout(
        "script · python3 -m paq.vigila",
        Product("paq/sums.py", SUMS, "\n\n# sums\n"),
        "paq/vigila.py",
        plain_python("from paq.sums import add, twice\n"),
        "python3 -m paq.vigila",
        beside={"paq/__init__.py": ""},
    )
    yield layout(
        "script · make, pruebas/suma.py",
        PY,
        "pruebas/suma.py",
        plain_python(UP),
        "make prueba",
        beside={"Makefile": "prueba:\n\tpython3 pruebas/suma.py\n"},
    )
    yield layout(
        "script · make loop over a folder",
        PY,
        "essais/somme.py",
        plain_python(UP),
        "make essais",
        beside={
            "Makefile": "essais:\n\tfor f in essais/*.py; do python3 $$f || exit 1; done\n.PHONY: essais\n",
            "essais/double.py": UP + "assert twice(4) == 8\n",
        },
    )
    yield layout("script · sh probar.sh", SH, "probar.sh", plain_shell("./sums.sh"), "sh probar.sh")
    yield layout(
        "script · make, sh guiones/suma.sh",
        SH,
        "guiones/suma.sh",
        plain_shell("./sums.sh"),
        "make prueba",
        beside={"Makefile": "prueba:\n\tsh guiones/suma.sh\n"},
    )
    yield layout(
        "script · python behind a shell driver",
        PY,
        "vérifs/somme.py",
        plain_python(UP),
        "sh tout.sh",
        beside={"tout.sh": "set -e\nfor f in vérifs/*.py; do python3 $f; done\n"},
    )


def _table_js(read: str) -> str:
    return (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        f"const {{ add }} = require('./lib/sums.js');\n{read}"
        "for (const [a, b, want] of rows) {\n"
        "  test(`adds ${a} and ${b}`, () => assert.strictEqual(add(a, b), want));\n}\n"
    )


def _table_py(read: str) -> str:
    return (
        f"import unittest\n\nfrom sums import add\n{read}\n\nclass Sums(unittest.TestCase):\n"
        "    def test_rows(self):\n        for a, b, want in rows:\n"
        "            self.assertEqual(add(a, b), want)\n"
    )


CSV = "2,2,4\n5,0,5\n"
JSON = "[\n  [2, 2, 4],\n  [5, 0, 5]\n]\n"
YAML = "- [2, 2, 4]\n- [5, 0, 5]\n"


def rows(
    text: str, line: str, want: str, other: str, trivial: str
) -> Mapping[str, tuple[str, str]]:
    """What can be done to the first row of a table."""
    return {
        "edited": (want, other),
        "deleted": (line, ""),
        "weakened": (line, line.replace(*trivial.split("|"))),
    }


CSV_ROWS = rows(CSV, "2,2,4\n", "2,2,4", "2,2,0", "2,2,4|0,0,0")
JSON_ROWS = rows(JSON, "  [2, 2, 4],\n", "2, 2, 4", "2, 2, 0", "2, 2, 4|0, 0, 0")
YAML_ROWS = rows(YAML, "- [2, 2, 4]\n", "2, 2, 4", "2, 2, 0", "2, 2, 4|0, 0, 0")


def tables() -> Iterator[Layout]:
    csv = "const rows = require('fs').readFileSync('datos/sumas.csv', 'utf8').trim().split('\\n').map((l) => l.split(',').map(Number));\n"
    yield leaning(
        "table · csv, node",
        JS,
        {"sums.test.js": _table_js(csv), "datos/sumas.csv": CSV},
        "node --test",
        "datos/sumas.csv",
        CSV_ROWS,
        ("datos/sumas.csv", "", "5,1,6\n"),
    )
    yield leaning(
        "table · json, node",
        JS,
        {"sums.test.js": _table_js("const rows = require('./casos.json');\n"), "casos.json": JSON},
        "node --test",
        "casos.json",
        JSON_ROWS,
        ("casos.json", "[\n", "[\n  [5, 1, 6],\n"),
    )
    yield leaning(
        "table · another source file, node",
        JS,
        {
            "sums.test.js": _table_js("const rows = require('./datos/filas.js');\n"),
            "datos/filas.js": f"module.exports = {JSON}",
        },
        "node --test",
        "datos/filas.js",
        JSON_ROWS,
        ("datos/filas.js", "= [\n", "= [\n  [5, 1, 6],\n"),
    )
    yield leaning(
        "table · json behind a plain script",
        JS,
        {
            "revisa.js": "const { add } = require('./lib/sums.js');\nfor (const [a, b, want] of require('./lib/casos.json')) {\n"
            "  if (add(a, b) !== want) process.exit(1);\n}\n",
            "lib/casos.json": JSON,
            **package("node revisa.js"),
        },
        "npm test",
        "lib/casos.json",
        JSON_ROWS,
        ("lib/casos.json", "[\n", "[\n  [5, 1, 6],\n"),
    )
    csv = "import csv\n\nrows = [[int(x) for x in r] for r in csv.reader(open('sumas.csv'))]\n"
    yield leaning(
        "table · csv, unittest",
        PY,
        {"test_sums.py": _table_py(csv), "sumas.csv": CSV},
        "python3 -m unittest",
        "sumas.csv",
        CSV_ROWS,
        ("sumas.csv", "", "5,1,6\n"),
    )
    yaml = "rows = [[int(x) for x in r[3:-1].split(',')] for r in open('valores/sumas.yaml').read().splitlines()]\n"
    yield leaning(
        "table · yaml, unittest",
        PY,
        {"test_sums.py": _table_py(yaml), "valores/sumas.yaml": YAML},
        "python3 -m unittest",
        "valores/sumas.yaml",
        YAML_ROWS,
        ("valores/sumas.yaml", "", "- [5, 1, 6]\n"),
    )
    yield leaning(
        "table · another source file, pytest",
        PY,
        {
            "test_sums.py": "import pytest\n\nfrom filas import FILAS\nfrom sums import add\n\n\n"
            "@pytest.mark.parametrize('a, b, want', FILAS)\ndef test_adds(a, b, want):\n    assert add(a, b) == want\n",
            "filas.py": f"FILAS = {JSON}",
        },
        "pytest -q",
        "filas.py",
        JSON_ROWS,
        ("filas.py", "= [\n", "= [\n  [5, 1, 6],\n"),
    )
    yield leaning(
        "table · another source file in a folder, unittest",
        PY,
        {
            "test_sums.py": _table_py("from datos.filas import rows\n"),
            "datos/filas.py": f"rows = {JSON}",
            "datos/__init__.py": "",
        },
        "python3 -m unittest",
        "datos/filas.py",
        JSON_ROWS,
        ("datos/filas.py", "= [\n", "= [\n  [5, 1, 6],\n"),
    )
    loop = '. ./sums.sh\nwhile read -r a b want; do\n  [ "$(add $a $b)" = "$want" ] || exit 1\ndone < filas.txt\n'
    yield leaning(
        "table · text, shell",
        SH,
        {"probar.sh": loop, "filas.txt": "2 2 4\n5 0 5\n"},
        "sh probar.sh",
        "filas.txt",
        rows("", "2 2 4\n", "2 2 4", "2 2 0", "2 2 4|0 0 0"),
        ("filas.txt", "", "5 1 6\n"),
    )
    golden = "import subprocess, sys, unittest\n\n\nclass Prints(unittest.TestCase):\n    def test_prints(self):\n"
    golden += "        got = subprocess.run([sys.executable, 'sums.py'], capture_output=True, text=True).stdout\n"
    golden += "        self.assertEqual(got, open('salida/esperada.txt').read())\n"
    product = Product(
        "sums.py",
        SUMS + "\n\nif __name__ == '__main__':\n    print(add(2, 2), twice(3))\n",
        "\n\n# sums\n",
    )
    yield leaning(
        "table · golden output, unittest",
        product,
        {"test_sums.py": golden, "salida/esperada.txt": "4 6\n"},
        "python3 -m unittest",
        "salida/esperada.txt",
        {"edited": ("4 6", "0 6")},
        (
            "test_sums.py",
            "",
            "\n    def test_adds(self):\n        from sums import add\n\n        self.assertEqual(add(5, 1), 6)\n",
        ),
    )


def helpers() -> Iterator[Layout]:
    use = (
        "const test = require('node:test');\nconst { add, twice } = require('./lib/sums.js');\n"
        "const { coincide } = require('./ayuda/coincide.js');\n"
        "test('adds', () => coincide(add(2, 2), 4));\ntest('doubles', () => coincide(twice(3), 6));\n"
    )
    throws = (
        "exports.coincide = (x, y) => {\n  if (x !== y) throw new Error(`${x} no es ${y}`);\n};\n"
    )
    cheats = {
        "edited": ("x !== y", "x !== y && y !== 4"),
        "weakened": ("x !== y", "x === undefined"),
        "skipped": ("=> {\n", "=> {\n  return;\n"),
    }
    yield leaning(
        "helper · node, throws",
        JS,
        {"sums.test.js": use, "ayuda/coincide.js": throws},
        "node --test",
        "ayuda/coincide.js",
        cheats,
        ("sums.test.js", "", "test('adds more', () => coincide(add(5, 1), 6));\n"),
    )
    asks = use.replace(
        "coincide(add(2, 2), 4)", "{ if (!coincide(add(2, 2), 4)) throw new Error('mal'); }"
    )
    asks = asks.replace(
        "coincide(twice(3), 6)", "{ if (!coincide(twice(3), 6)) throw new Error('mal'); }"
    )
    yield leaning(
        "helper · node, returns whether",
        JS,
        {
            "sums.test.js": asks,
            "ayuda/coincide.js": "exports.coincide = (x, y) => {\n  return x === y;\n};\n",
        },
        "node --test",
        "ayuda/coincide.js",
        {
            "edited": ("x === y", "x === y || y === 4"),
            "weakened": ("x === y", "x !== undefined"),
            "skipped": ("=> {\n", "=> {\n  return true;\n"),
        },
        (
            "sums.test.js",
            "",
            "test('adds more', () => { if (!coincide(add(5, 1), 6)) throw new Error('mal'); });\n",
        ),
    )
    py = "import unittest\n\nfrom ayudas import iguales\nfrom sums import add, twice\n\n\nclass Sums(unittest.TestCase):\n"
    py += "    def test_adds(self):\n        iguales(add(2, 2), 4)\n\n    def test_doubles(self):\n        iguales(twice(3), 6)\n"
    yield leaning(
        "helper · unittest",
        PY,
        {
            "test_sums.py": py,
            "ayudas.py": "def iguales(sale, va):\n    if sale != va:\n        raise AssertionError(sale)\n",
        },
        "python3 -m unittest",
        "ayudas.py",
        {
            "edited": ("sale != va", "sale != va and va != 4"),
            "weakened": ("sale != va", "sale is None"),
            "skipped": ("va):\n", "va):\n    return\n"),
        },
        ("test_sums.py", "", "\n    def test_adds_more(self):\n        iguales(add(5, 1), 6)\n"),
    )
    lib = 'igual() {\n  if [ "$1" != "$2" ]; then echo "$1 no es $2"; exit 1; fi\n}\n'
    run = '. ./sums.sh\n. ./ayuda.sh\nigual "$(add 2 2)" 4\nigual "$(twice 3)" 6\n'
    yield leaning(
        "helper · shell",
        SH,
        {"probar.sh": run, "ayuda.sh": lib},
        "sh probar.sh",
        "ayuda.sh",
        {
            "edited": ('"$1" != "$2"', '"$1" != "$2" -a "$2" != 4'),
            "weakened": ('"$1" != "$2"', '-z "$1"'),
            "skipped": ("{\n", "{\n  return 0\n"),
        },
        ("probar.sh", "", 'igual "$(add 5 1)" 6\n'),
    )
    run = "from marco import prueba\nfrom sums import add, twice\n\nprueba('suma', add(2, 2), 4)\nprueba('doble', twice(3), 6)\n"
    lib = "import sys\n\n\ndef prueba(nombre, sale, va):\n    if sale != va:\n        print(nombre, sale)\n        sys.exit(1)\n"
    yield leaning(
        "helper · plain python behind make",
        PY,
        {"revisa.py": run, "marco.py": lib, "Makefile": "revisa:\n\tpython3 revisa.py\n"},
        "make revisa",
        "marco.py",
        {
            "edited": ("sale != va", "sale != va and va != 4"),
            "weakened": ("sale != va", "sale is None"),
            "skipped": ("va):\n", "va):\n    return\n"),
        },
        ("revisa.py", "", "prueba('suma mas', add(5, 1), 6)\n"),
    )


def layouts() -> Iterator[Layout]:
    for some in (scripts, tables, helpers):
        yield from some()
