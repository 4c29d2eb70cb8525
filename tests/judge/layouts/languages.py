"""Layouts of other languages, behind make and scripts: Perl, C, and tables and helpers in them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.judge.layouts.javascript import MODULE
from tests.judge.layouts.layout import Layout, Product, Tests, layout, leaning, package

PERL = Product(
    "lib/Sums.pm",
    "package Sums;\nuse strict;\nuse warnings;\n\nsub add { my ($a, $b) = @_; return $a - $b; }\n"
    "sub twice { my ($a) = @_; return $a * 2; }\n\n1;\n",
    "\n# sums\n",
    "$a - $b",
    "$a + $b",
)
C = Product(
    "sums.c",
    '#include "sums.h"\n\nint add(int a, int b) { return a - b; }\nint twice(int a) { return a * 2; }\n',
    "/* sums */\n",
)
HEADER = {"sums.h": "int add(int a, int b);\nint twice(int a);\n", ".gitignore": "*.o\nprueba\n"}


def perl() -> Iterator[Layout]:
    head = "use strict;\nuse warnings;\nuse lib 'lib';\nuse Sums;\nuse Test::More;\n\n"
    red = "is(Sums::add(2, 2), 4, 'adds');\n"
    tests = Tests(
        f"{head}{red}is(Sums::twice(3), 6, 'doubles');\ndone_testing();\n",
        edited=("2), 4", "2), 0"),
        skipped=(red, f"SKIP: {{ skip 'later', 1; {red.strip()} }}\n"),
        deleted=(red, ""),
        weakened=("is(Sums::add(2, 2), 4,", "ok(defined Sums::add(2, 2),"),
        more="is(Sums::add(5, 1), 6, 'adds more');\n",
        at="done_testing",
    )
    yield layout("perl · prove, t/", PERL, "t/sums.t", tests, "prove", needs="prove")
    yield layout(
        "perl · prove over a named folder",
        PERL,
        "comprueba/suma.t",
        tests,
        "make comprueba",
        beside={"Makefile": ".PHONY: comprueba\ncomprueba:\n\tprove comprueba/\n"},
        needs="prove",
    )
    red = "die 'suma' unless Sums::add(2, 2) == 4;\n"
    plain = Tests(
        "use strict;\nuse lib 'lib';\nuse Sums;\n\n"
        f"{red}die 'doble' unless Sums::twice(3) == 6;\nprint \"ok\\n\";\n",
        edited=("== 4", "== 0"),
        skipped=(red, f"# {red}"),
        deleted=(red, ""),
        weakened=("Sums::add(2, 2) == 4", "defined Sums::add(2, 2)"),
        more="die 'suma mas' unless Sums::add(5, 1) == 6;\n",
        at="print",
    )
    yield layout("perl · plain script", PERL, "revisa.pl", plain, "perl revisa.pl", needs="perl")


def c() -> Iterator[Layout]:
    red = "  assert(add(2, 2) == 4);\n"
    tests = Tests(
        '#include <assert.h>\n#include "sums.h"\n\n'
        f"int main(void) {{\n{red}  assert(twice(3) == 6);\n  return 0;\n}}\n",
        edited=("== 4", "== 0"),
        skipped=(red, f"#if 0\n{red}#endif\n"),
        deleted=(red, ""),
        weakened=("add(2, 2) == 4", "add(2, 2) < 1000"),
        more="  assert(add(5, 1) == 6);\n",
        at="  return 0",
    )
    build = "prueba: {0} sums.c sums.h\n\tcc -I. -o prueba {0} sums.c\n\n.PHONY: corre\ncorre: prueba\n\t./prueba\n"
    yield layout(
        "c · assert in main, behind make",
        C,
        "pruebas/suma.c",
        tests,
        "make corre",
        beside={**HEADER, "Makefile": build.format("pruebas/suma.c")},
        needs="cc",
    )
    helper = '#include <stdio.h>\n#include <stdlib.h>\n#include "igual.h"\n\nvoid igual(int sale, int va) {\n'
    helper += '  if (sale != va) {\n    fprintf(stderr, "%d\\n", sale);\n    exit(1);\n  }\n}\n'
    main = '#include "igual.h"\n#include "sums.h"\n\nint main(void) {\n'
    main += "  igual(add(2, 2), 4);\n  igual(twice(3), 6);\n  return 0;\n}\n"
    yield leaning(
        "c · assertion helper",
        C,
        {
            **HEADER,
            "igual.h": "void igual(int sale, int va);\n",
            "igual.c": helper,
            "suma.c": main,
            "Makefile": build.format("suma.c igual.c"),
        },
        "make corre",
        "igual.c",
        {
            "edited": ("sale != va", "sale != va && va != 4"),
            "weakened": ("sale != va", "sale > 1000"),
            "skipped": ("va) {\n", "va) {\n  return;\n"),
        },
        ("suma.c", "  return 0", "  igual(add(5, 1), 6);\n  return 0"),
        needs="cc",
    )


def modules() -> Iterator[Layout]:
    product = Product("src/sums.mjs", MODULE, "// sums\n")
    head = "import test from 'node:test';\nimport assert from 'node:assert';\n"
    head += "import { add } from './src/sums.mjs';\n"
    loop = "for (const [a, b, want] of filas) {\n"
    loop += "  test(`adds ${a} ${b}`, () => assert.strictEqual(add(a, b), want));\n}\n"
    rows = "  [2, 2, 4],\n  [5, 0, 5],\n"
    yield leaning(
        "table · module of values, node",
        product,
        {
            "sums.test.mjs": f"{head}import {{ filas }} from './src/filas.mjs';\n{loop}",
            "src/filas.mjs": f"export const filas = [\n{rows}];\n",
        },
        "node --test",
        "src/filas.mjs",
        {
            "edited": ("2, 2, 4", "2, 2, 0"),
            "deleted": ("  [2, 2, 4],\n", ""),
            "weakened": ("2, 2, 4", "0, 0, 0"),
        },
        ("src/filas.mjs", "  [5, 0, 5],\n", "  [5, 0, 5],\n  [5, 1, 6],\n"),
    )
    read = "import { readFileSync } from 'node:fs';\n"
    read += "const filas = readFileSync('casos/sumas.jsonl', 'utf8').trim().split('\\n').map(JSON.parse);\n"
    yield leaning(
        "table · lines of json, npm test",
        product,
        {
            "pruebas/suma.mjs": f"{head}{read}{loop}".replace("./src", "../src"),
            "casos/sumas.jsonl": "[2, 2, 4]\n[5, 0, 5]\n",
            **package("node --test pruebas/suma.mjs"),
        },
        "npm test",
        "casos/sumas.jsonl",
        {
            "edited": ("2, 2, 4", "2, 2, 0"),
            "deleted": ("[2, 2, 4]\n", ""),
            "weakened": ("2, 2, 4", "0, 0, 0"),
        },
        ("casos/sumas.jsonl", "", "[5, 1, 6]\n"),
    )


def layouts() -> Iterator[Layout]:
    for some in (perl, c, modules):
        yield from some()
