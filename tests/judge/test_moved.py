"""A test that went with its subject is the same where only its own repository is named anew."""

from __future__ import annotations

import pytest

from forsooth.judge.moved import is_same

PATHS = {"shop/price.py", "count/count.go", "src/slug.js", "go.mod"}
MODULE = b"module example.com/tally\n\ngo 1.22\n"
GO = b'package count\n\nimport (\n\t"testing"\n\n\t"example.com/tally/count"\n)\nfunc TestA() {}\n'
TEXT = b"const want = `\npackage made\n`\n"
JS = b'import assert from "node:assert";\nimport { slug } from "../src/slug.js";\nslug(1);\n'
PY = b"import pytest\nfrom shop.price import total\nfrom . import x\n\nassert total([1]) == 1\n"


@pytest.mark.parametrize(
    ("path", "was", "now", "same"),
    [
        ("a.txt", b"a", b"a", True),
        ("a.txt", b"a", b"b", False),
        ("a_test.go", GO, GO.replace(b"package count", b"package tally"), True),
        ("a_test.go", GO, GO.replace(b"tally/count", b"tally/words"), True),
        ("a_test.go", GO, GO.replace(b'"testing"', b'"example.com/tally/testing"'), False),
        ("a_test.go", GO, GO.replace(b"{}", b"{ return }"), False),
        ("a_test.go", GO + TEXT, GO + TEXT.replace(b"made", b"told"), False),
        ("a.test.js", JS, JS.replace(b"../src", b"../../src"), True),
        ("a.test.js", JS, JS.replace(b"node:assert", b"./assert.js"), False),
        ("a.test.js", JS, JS.replace(b"slug(1)", b"slug(2)"), False),
        ("test_a.py", PY, PY.replace(b"shop.price", b"shop.money.price"), True),
        ("test_a.py", PY, PY.replace(b"from . import", b"from .. import"), True),
        ("test_a.py", PY, PY.replace(b"import pytest", b"import shop.pytest"), False),
        ("test_a.py", PY, PY.replace(b"== 1", b"== 2"), False),
    ],
)
def test_only_names_of_its_own_repository_may_differ(path, was, now, same):
    """What it takes from elsewhere, and what it does, may not."""
    assert is_same(path, was, now, paths=PATHS, module=MODULE) is same


def test_without_a_module_only_the_package_may_differ():
    """There is nothing to know its own paths by."""
    now = GO.replace(b"package count", b"package tally")
    assert is_same("a_test.go", GO, now, paths=(), module=b"")
    assert not is_same("a_test.go", GO, GO.replace(b"y/count", b"y/x"), paths=(), module=b"")
