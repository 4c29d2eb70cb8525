"""Layouts of JavaScript: Node's own runner, Jest, vitest, mocha and AVA."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.judge.layouts.layout import Layout, Product, Tests, layout, package

COMMON = "exports.add = (a, b) => a - b;\nexports.twice = (a) => a * 2;\n"
MODULE = COMMON.replace("exports.", "export const ")
COMMENT = "// sums\n"
BAR = "export default { test: { include: [%s] } };\n"


def common(path: str) -> Product:
    return Product(path, COMMON, COMMENT)


def module(path: str) -> Product:
    return Product(path, MODULE, COMMENT)


def two(head: str, word: str, equal: str, *, given: str = "", true: str = "") -> Tests:
    """Two tests, one of them red; `equal` is an assertion of two values."""
    red = equal % ("add(2, 2)", "4")
    weak = true or equal.replace("%s, %s", "typeof %s, %s")
    weak = weak % ("add(2, 2)", "'number'") if not true else true % "add(2, 2)"
    line = f"{word}('adds', ({given}) => {{ {red}; }});\n"
    return Tests(
        head + line + f"{word}('doubles', ({given}) => {{ {equal % ('twice(3)', '6')}; }});\n",
        edited=(red, equal % ("add(2, 2)", "0")),
        skipped=(f"{word}('adds'", f"{word}.skip('adds'"),
        deleted=(line, ""),
        weakened=(red, weak),
        more=f"{word}('adds more', ({given}) => {{ {equal % ('add(5, 1)', '6')}; }});\n",
    )


def node(where: str) -> Tests:
    head = "const test = require('node:test');\nconst assert = require('node:assert');\n"
    head += f"const {{ add, twice }} = require('{where}');\n"
    return two(head, "test", "assert.strictEqual(%s, %s)")


def jest(where: str) -> Tests:
    head = f"const {{ add, twice }} = require('{where}');\n"
    return two(head, "test", "expect(%s).toBe(%s)", true="expect(%s).toBeDefined()")


def vitest(where: str) -> Tests:
    head = "import { expect, test } from 'vitest';\n"
    head += f"import {{ add, twice }} from '{where}';\n"
    return two(head, "test", "expect(%s).toBe(%s)", true="expect(%s).toBeDefined()")


def mocha(where: str) -> Tests:
    head = "const assert = require('node:assert');\n"
    head += f"const {{ add, twice }} = require('{where}');\n"
    return two(head, "it", "assert.strictEqual(%s, %s)")


def ava(where: str) -> Tests:
    head = f"import test from 'ava';\nimport {{ add, twice }} from '{where}';\n"
    return two(head, "test", "t.is(%s, %s)", given="t")


def of_node() -> Iterator[Layout]:
    for path, where in (
        ("src/add/add.test.js", "./index.js"),
        ("src/add/test.js", "./index.js"),
        ("src/add/add-test.js", "./index.js"),
        ("src/add/add_test.js", "./index.js"),
        ("src/add/test-add.js", "./index.js"),
        ("test/sums.js", "../src/add/index.js"),
        ("test.js", "./src/add/index.js"),
    ):
        yield layout(f"node · {path}", common("src/add/index.js"), path, node(where), "node --test")
    lib = common("lib/sums.js")
    yield layout(
        "node · named folder pruebas/",
        lib,
        "pruebas/suma.js",
        node("../lib/sums.js"),
        "node --test pruebas/suma.js",
    )
    yield layout(
        "node · npm test, essais/",
        lib,
        "essais/somme.js",
        node("../lib/sums.js"),
        "npm test",
        beside=package("node --test essais/somme.js"),
    )
    yield layout(
        "node · npm test, beside the source",
        lib,
        "lib/sums-test.js",
        node("./sums.js"),
        "npm test",
        beside=package("node --test lib/", main="lib/sums.js"),
    )
    yield layout(
        "node · make, テスト/",
        lib,
        "テスト/足し算.js",
        node("../lib/sums.js"),
        "make check",
        beside={"Makefile": "check:\n\tnode --test テスト/足し算.js\n"},
    )


def of_jest() -> Iterator[Layout]:
    def one(name: str, path: str, where: str, run: str = "npx jest", **settings: object) -> Layout:
        beside = package("jest", needs="jest", **({"jest": settings} if settings else {}))
        return layout(
            f"jest · {name}",
            common("src/sums.js"),
            path,
            jest(where),
            run,
            beside=beside,
            needs="jest",
        )

    yield one("default, *.test.js", "src/sums.test.js", "./sums.js")
    yield one("default, spec.js", "src/spec.js", "./sums.js")
    yield one("default, __tests__", "src/__tests__/sums.js", "../sums.js", "npm test")
    yield one("default, test.js", "src/test.js", "./sums.js", "npm test")
    yield one(
        "testMatch", "pruebas/suma.js", "../src/sums.js", "npm test", testMatch=["**/pruebas/*.js"]
    )
    yield one("testRegex", "src/sums.check.js", "./sums.js", testRegex="\\.check\\.js$")
    made = one("jest.config.js", "essais/somme.js", "../src/sums.js", "npm test")
    config = "module.exports = { testMatch: ['<rootDir>/essais/**/*.js'] };\n"
    yield made._replace(files={**made.files, "jest.config.js": config})


def of_vitest() -> Iterator[Layout]:
    def one(
        name: str, path: str, where: str, include: str = "", run: str = "npx vitest run"
    ) -> Layout:
        beside = package("vitest run", needs="vitest", kind="module")
        if include:
            beside["vitest.config.js"] = BAR % json.dumps(include)
        return layout(
            f"vitest · {name}",
            module("src/sums.js"),
            path,
            vitest(where),
            run,
            beside=beside,
            needs="vitest",
        )

    yield one("default, *.spec.js", "src/sums.spec.js", "./sums.js")
    yield one("default, __tests__", "src/__tests__/a.test.js", "../sums.js", run="npm test")
    yield one("include src/**/test.js", "src/sums/test.js", "../sums.js", "src/**/test.js")
    yield one("include checks", "src/sums.prova.js", "./sums.js", "**/*.prova.js", "npm test")
    block = "if (import.meta.vitest) {\n  const { test, expect } = import.meta.vitest;\n"
    held = vitest("")
    text = MODULE + block + held.text.split("\n", 2)[2] + "}\n"
    config = "export default { test: { includeSource: ['src/*.js'] } };\n"
    beside = package("vitest run", needs="vitest", kind="module") | {"vitest.config.js": config}
    inside = held._replace(text=text, more="  " + held.more, at="}\n")
    made = layout(
        "vitest · in the product file",
        module("src/sums.js"),
        "src/sums.js",
        inside,
        "npm test",
        beside=beside,
        needs="vitest",
    )
    last = (("src/sums.js", "6); });\n}\n", "6); });\n" + held.more + "}\n"),)
    yield made._replace(more=last)


def of_mocha() -> Iterator[Layout]:
    def one(name: str, path: str, where: str, run: str = "npx mocha", **beside: str) -> Layout:
        files = package("mocha", needs="mocha") | {
            key.replace("__", "."): text for key, text in beside.items()
        }
        return layout(
            f"mocha · {name}",
            common("src/sums.js"),
            path,
            mocha(where),
            run,
            beside=files,
            needs="mocha",
        )

    yield one("default, test/", "test/sums.js", "../src/sums.js")
    yield one("named file", "src/sums.checks.js", "./sums.js", "npx mocha src/sums.checks.js")
    yield one(
        ".mocharc.json spec",
        "pruebas/suma.js",
        "../src/sums.js",
        "npm test",
        __mocharc__json=json.dumps({"spec": "pruebas/**/*.js"}),
    )
    yield one(
        ".mocharc.yml spec",
        "src/sums.spek.js",
        "./sums.js",
        "npm test",
        __mocharc__yml="spec:\n  - 'src/**/*.spek.js'\n",
    )


def of_ava() -> Iterator[Layout]:
    def one(name: str, path: str, where: str, run: str = "npx ava", **settings: object) -> Layout:
        more: dict[str, object] = {"ava": settings} if settings else {}
        beside = package("ava", needs="ava", kind="module", **more)
        return layout(
            f"ava · {name}",
            module("src/sums.js"),
            path,
            ava(where),
            run,
            beside=beside,
            needs="ava",
        )

    yield one("default, test.js", "test.js", "./src/sums.js")
    yield one("default, src/test.js", "src/test.js", "./sums.js", "npm test")
    yield one("default, *.test.js", "src/sums.test.js", "./sums.js", "npm test")
    yield one("files", "essais/somme.js", "../src/sums.js", "npm test", files=["essais/*.js"])


def layouts() -> Iterator[Layout]:
    for some in (of_node, of_jest, of_vitest, of_mocha, of_ava):
        yield from some()
