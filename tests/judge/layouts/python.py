"""Layouts of Python: pytest and unittest by default and custom names, doctests and own tests."""

from __future__ import annotations

from collections.abc import Iterator

from tests.judge.layouts.layout import Layout, Product, Tests, layout

SUMS = "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n"
COMMENT = "\n\n# sums\n"
IMPORT = "from sums import add, twice\n"


def sums(path: str = "sums.py") -> Product:
    return Product(path, SUMS, COMMENT)


def functions(head: str = IMPORT, name: str = "test") -> Tests:
    red = f"def {name}_adds():\n    assert add(2, 2) == 4\n"
    return Tests(
        f"{head}\n\n{red}\n\ndef {name}_doubles():\n    assert twice(3) == 6\n",
        edited=("== 4", "== 0"),
        skipped=(red, f"import pytest\n\n\n@pytest.mark.skip\n{red}"),
        deleted=(red, ""),
        weakened=("assert add(2, 2) == 4", "assert add(2, 2) is not None"),
        more=f"\n\ndef {name}_adds_more():\n    assert add(5, 1) == 6\n",
    )


def case(head: str = IMPORT) -> Tests:
    red = "    def test_adds(self):\n        self.assertEqual(add(2, 2), 4)\n"
    text = f"import unittest\n\n{head}\n\nclass Sums(unittest.TestCase):\n{red}\n"
    return Tests(
        text + "    def test_doubles(self):\n        self.assertEqual(twice(3), 6)\n",
        edited=("2), 4)", "2), 0)"),
        skipped=(red, f"    @unittest.skip('later')\n{red}"),
        deleted=(red, ""),
        weakened=("assertEqual(add(2, 2), 4)", "assertIsNotNone(add(2, 2))"),
        more="\n    def test_adds_more(self):\n        self.assertEqual(add(5, 1), 6)\n",
    )


def of_pytest() -> Iterator[Layout]:
    ini = "[pytest]\n"
    where = "pythonpath = .\n"

    def one(
        name: str, path: str, settings: str, run: str = "pytest -q", word: str = "test"
    ) -> Layout:
        beside = {"pytest.ini": ini + where + settings}
        return layout(f"pytest · {name}", sums(), path, functions(name=word), run, beside=beside)

    yield one("beside the source", "test_sums.py", "")
    yield one("folder pruebas/", "pruebas/test_suma.py", "")
    yield one("python_files check_*", "lib/check_sums.py", "python_files = check_*.py\n")
    yield one("python_files *_spec", "spec/sums_spec.py", "python_files = *_spec.py\n")
    yield one(
        "python_files, python_functions",
        "comprobaciones/suma.py",
        "python_files = comprobaciones/*.py\npython_functions = comprueba_*\n",
        word="comprueba",
    )
    yield one("named file", "essais/somme.py", "", "pytest -q essais/somme.py")
    yield layout(
        "pytest · make, pyproject python_files",
        sums(),
        "prove/somma.py",
        functions(),
        "make verifica",
        beside={
            "Makefile": "verifica:\n\tpython3 -m pytest -q prove\n",
            "pyproject.toml": "[tool.pytest.ini_options]\npython_files = ['*.py']\n"
            "pythonpath = ['.']\n",
        },
    )
    for file, section in (("setup.cfg", "tool:pytest"), ("tox.ini", "pytest")):
        yield layout(
            f"pytest · {file} python_files",
            sums(),
            "verif/somme.py",
            functions(),
            "pytest -q",
            beside={file: f"[{section}]\npython_files = verif/*.py\npythonpath = .\n"},
        )
    held = functions(head="")
    yield layout(
        "pytest · in the product file",
        sums(),
        "sums.py",
        held._replace(text=SUMS + held.text),
        "pytest -q sums.py",
    )


def of_unittest() -> Iterator[Layout]:
    def one(name: str, path: str, run: str, package: str = "") -> Layout:
        files = {f"{package}/__init__.py": ""} if package else {}
        return layout(f"unittest · {name}", sums(), path, case(), run, beside=files)

    run = "python3 -m unittest"
    yield one("discover", "test_sums.py", run)
    yield one(
        "discover -p *_spec.py",
        "pkg/sums_spec.py",
        f"{run} discover -p '*_spec.py' -s pkg -t .",
        package="pkg",
    )
    yield one("discover -p check_*.py, unquoted", "check_sums.py", f"{run} discover -p check_*.py")
    yield one(
        "discover -s pruebas -p *.py",
        "pruebas/suma.py",
        f"{run} discover -s pruebas -p '*.py' -t .",
        package="pruebas",
    )
    yield one("named module", "essais/somme.py", f"{run} essais.somme", package="essais")
    yield one("named file", "revisions/suma.py", f"{run} revisions/suma.py", package="revisions")
    held = case(head="")
    yield layout(
        "unittest · in the product file",
        sums(),
        "sums.py",
        held._replace(text=SUMS + held.text),
        f"{run} sums",
    )


def examples(head: str = "", more: str = "") -> Tests:
    red = "    >>> add(2, 2)\n    4\n"
    doc = f'    """Sum.\n\n{red}    """\n'
    text = f"{head}def add(a, b):\n{doc}    return a - b\n\n\n"
    text += 'def twice(a):\n    """Double.\n\n    >>> twice(3)\n    6\n    """\n    return a * 2\n'
    return Tests(
        text + more,
        edited=("    4\n", "    0\n"),
        skipped=(">>> add(2, 2)", ">>> add(2, 2)  # doctest: +SKIP"),
        deleted=(red, ""),
        weakened=(">>> add(2, 2)\n    4\n", ">>> add(2, 2) is None\n    False\n"),
        more="    >>> add(5, 1)\n    6\n",
        at='    """\n    return a - b' if not more else "",
    )


def of_doctest() -> Iterator[Layout]:
    def one(name: str, run: str, tests: Tests, path: str = "sums.py", **beside: str) -> Layout:
        product = Product(path, SUMS, COMMENT)
        made = layout(f"doctest · {name}", product, path, tests, run, beside=beside)
        more = ((path, '    4\n    """\n', '    4\n    >>> add(5, 1)\n    6\n    """\n'),)
        return made._replace(more=more)

    yield one("python -m doctest", "python3 -m doctest sums.py", examples())
    yield one("pytest --doctest-modules", "pytest -q --doctest-modules sums.py", examples())
    run = "\n\nif __name__ == '__main__':\n    import doctest, sys\n\n"
    run += "    sys.exit(bool(doctest.testmod().failed))\n"
    yield one("the file runs its own", "python3 sums.py", examples(more=run))
    red = "    assert add(2, 2) == 4\n"
    own = f"{SUMS}\n\nif __name__ == '__main__':\n{red}    assert twice(3) == 6\n    print('ok')\n"
    tests = Tests(
        own,
        edited=("== 4", "== 0"),
        skipped=(red, f"    #{red}"),
        deleted=(red, ""),
        weakened=("add(2, 2) == 4", "add(2, 2) is not None"),
        more="",
    )
    made = layout("script · product that tests itself", sums(), "sums.py", tests, "python3 sums.py")
    yield made._replace(
        more=(("sums.py", "    print('ok')", "    assert add(5, 1) == 6\n    print('ok')"),)
    )


def layouts() -> Iterator[Layout]:
    for some in (of_pytest, of_unittest, of_doctest):
        yield from some()
