"""New tests that cannot tell the work from none are refused; honest ones of any style are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking
from forsooth.judge.disbelief.counterfactual import Limit, all_new, counterfactual, over_base
from forsooth.judge.reports.report import Report, a_test
from tests.judge.disbelief.delivery import Delivery, delivery, is_test
from tests.tools import require

pytestmark = pytest.mark.heavy

PYTEST = "python -m pytest -q -p no:cacheprovider"
BASE = {"shop.py": "def total(prices):\n    return 0\n", "tests/test_old.py": ""}


def doubted(made: Delivery, **more) -> Doubted:
    return counterfactual(
        made.room,
        base=made.base,
        delivered=made.delivered,
        changes=made.changes,
        test_side=is_test,
        report=made.report,
        **more,
    )


def of_python(place: Path, work: dict[str, str], base: dict[str, str] = BASE) -> Doubted:
    return doubted(delivery(place, base, work, PYTEST, "pytest"))


NEW = """def price(x):
    return x * 2


class Cart:
    def __init__(self):
        self.things = []

    def add(self, thing):
        self.things.append(thing)
        return self
"""

TAUTOLOGIES = {
    "asserts nothing of the result": "from new import price\ndef test_a():\n    price(2)\n",
    "asserts a mock": (
        "from unittest.mock import Mock\nimport new\n"
        "def test_a(monkeypatch):\n"
        "    double = Mock(return_value=4)\n    monkeypatch.setattr(new, 'price', double)\n"
        "    assert new.price(2) == 4\n"
    ),
    "asserts that it is there": "import new\ndef test_a():\n    assert callable(new.price)\n",
    "asserts a type": "import new\ndef test_a():\n    assert isinstance(new.Cart(), new.Cart)\n",
    "never awaits": (
        "import new\nasync def check():\n    assert new.price(2) == 5\n"
        "def test_a():\n    coroutine = check()\n    coroutine.close()\n"
    ),
    "swallows": (
        "import new\ndef test_a():\n    try:\n        assert new.price(2) == 5\n"
        "    except Exception:\n        assert True\n    except AssertionError:\n        pass\n"
    ),
    "compares with itself": "import new\ndef test_a():\n    assert new.price(2) == new.price(2)\n",
    "imports inside": "def test_a():\n    from new import price\n    assert price\n",
    "returns early": "import new\ndef test_a():\n    return\n    assert new.price(2) == 4\n",
}


@pytest.mark.parametrize("kind", TAUTOLOGIES)
def test_a_new_test_that_would_pass_over_hollow_work_cannot_fail(place: Path, kind: str):
    """C9, C12 and their kin: green with the work, and green with every new body empty."""
    got = of_python(place, {"new.py": NEW, "tests/test_new.py": TAUTOLOGIES[kind]})
    assert isinstance(got, Flaw), got
    assert got.code == "cannot-fail"


MISSED = {"of a module": "shop", "of an object": "shop.Till()"}


@pytest.mark.parametrize("kind", MISSED)
def test_a_name_that_a_mock_misses_over_the_old_sources_shows_nothing(place: Path, kind: str):
    """The same test is green with every new body empty."""
    till = "class Till:\n    pass\n"
    more = "    def price(self, x):\n        return 0\n\n\ndef price(x):\n    return 0\n"
    patch = f"mock.patch.object({MISSED[kind]}, 'price', return_value=4)"
    test = f"from unittest import mock\nimport shop\ndef test_a():\n    with {patch} as price:\n"
    test += "        assert price(2) == 4\n"
    base = {**BASE, "shop.py": BASE["shop.py"] + "\n\n" + till}
    work = {"shop.py": base["shop.py"].replace("    pass\n", more), "tests/test_new.py": test}
    made = delivery(place, base, work, PYTEST, "pytest")
    got = doubted(made)
    assert isinstance(got, Flaw), got
    assert got.code == "cannot-fail"


def test_a_new_test_that_passes_over_the_old_sources_was_green_before(place: Path):
    """C10: a regression test that passes on code that was never mended."""
    test = "from shop import total\ndef test_total():\n    assert total([]) == 0\n"
    work = {"shop.py": "def total(prices):\n    return sum(prices)\n", "tests/test_new.py": test}
    got = of_python(place, work)
    assert got == Flaw("green-before", "the tests that are run pass without the work")


def test_a_new_test_that_fails_over_the_old_sources_holds_in_one_run(place: Path):
    """The common honest case costs one run."""
    test = "from shop import total\ndef test_total():\n    assert total([1, 2]) == 3\n"
    work = {"shop.py": "def total(prices):\n    return sum(prices)\n", "tests/test_new.py": test}
    made = delivery(place, BASE, work, PYTEST, "pytest")
    assert doubted(made, limit=Limit(runs=1)) == Held("counterfactual")


HONEST = {
    "a pure function": (
        "def price(x):\n    return x * 2\n",
        "from new import price\ndef test_a():\n    assert price(2) == 4\n",
    ),
    "a class": (
        NEW,
        "from new import Cart\ndef test_a():\n    assert Cart().add(1).things == [1]\n",
    ),
    "only a constructor": (
        "class Point:\n    def __init__(self, x):\n        self.x = abs(x)\n",
        "from new import Point\ndef test_a():\n    assert Point(-2).x == 2\n",
    ),
    "an exception": (
        "def strict(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x\n",
        (
            "import pytest\nfrom new import strict\n"
            "def test_a():\n    with pytest.raises(ValueError, match='neg'):\n        strict(-1)\n"
        ),
    ),
    "a program by its output": (
        (
            "import sys\ndef main():\n    print('hello', *sys.argv[1:])\n"
            "if __name__ == '__main__':\n    main()\n"
        ),
        (
            "import subprocess, sys\ndef test_a():\n"
            "    argv = [sys.executable, 'new.py', 'x']\n"
            "    out = subprocess.run(argv, capture_output=True, text=True)\n"
            "    assert out.stdout == 'hello x\\n'\n"
        ),
    ),
    "a script without functions": (
        "import sys\nprint('hello', *sys.argv[1:])\n",
        (
            "import subprocess, sys\ndef test_a():\n"
            "    out = subprocess.run([sys.executable, 'new.py'], capture_output=True, text=True)\n"
            "    assert 'hello' in out.stdout\n"
        ),
    ),
    "a file written": (
        "def save(path, text):\n    path.write_text(text.upper())\n",
        (
            "from new import save\ndef test_a(tmp_path):\n"
            "    save(tmp_path / 'x', 'a')\n    assert (tmp_path / 'x').read_text() == 'A'\n"
        ),
    ),
    "a mock used honestly": (
        "def notify(client, name):\n    client.send(name.title())\n",
        (
            "from unittest.mock import Mock\nfrom new import notify\ndef test_a():\n"
            "    client = Mock()\n    notify(client, 'ann')\n"
            "    client.send.assert_called_once_with('Ann')\n"
        ),
    ),
    "asynchronous code": (
        "async def double(x):\n    return x * 2\n",
        (
            "import asyncio\nfrom new import double\n"
            "def test_a():\n    assert asyncio.run(double(2)) == 4\n"
        ),
    ),
    "parameters": (
        "def price(x):\n    return x * 2\n",
        (
            "import pytest\nfrom new import price\n@pytest.mark.parametrize('x', [1, 2])\n"
            "def test_a(x):\n    assert price(x) == x + x\n"
        ),
    ),
    "a generator": (
        "def pairs(n):\n    for x in range(n):\n        yield x, x\n",
        "from new import pairs\ndef test_a():\n    assert list(pairs(2)) == [(0, 0), (1, 1)]\n",
    ),
    "a context manager": (
        "import contextlib\n@contextlib.contextmanager\ndef opened():\n    yield 3\n",
        "from new import opened\ndef test_a():\n    with opened() as x:\n        assert x == 3\n",
    ),
    "a fixture over the work": (
        "def make():\n    return {'a': 1}\n",
        (
            "import pytest\nfrom new import make\n@pytest.fixture\ndef made():\n"
            "    return make()['a']\ndef test_a(made):\n    assert made == 1\n"
        ),
    ),
    "constants beside an untested function": (
        "RETRIES = 3\ndef unused():\n    return 1\n",
        "import new\ndef test_a():\n    assert new.RETRIES == 3\n",
    ),
    "a data class": (
        (
            "from dataclasses import dataclass\n@dataclass\nclass Config:\n    retries: int = 3\n"
            "    def unused(self):\n        return 1\n"
        ),
        "from new import Config\ndef test_a():\n    assert Config().retries == 3\n",
    ),
    "a function used on import": (
        (
            "def table():\n    return {'a': 1}\nTABLE = table()\nFIRST = TABLE['a']\n"
            "def first(x):\n    return FIRST + x\n"
        ),
        "from new import first\ndef test_a():\n    assert first(1) == 2\n",
    ),
    "a decorator": (
        (
            "def twice(f):\n    def inner(*a):\n        return f(f(*a))\n    return inner\n"
            "@twice\ndef bump(x):\n    return x + 1\n"
        ),
        "from new import bump\ndef test_a():\n    assert bump(1) == 3\n",
    ),
    "a lambda": (
        "double = lambda x: x * 2\n",
        "from new import double\ndef test_a():\n    assert double(2) == 4\n",
    ),
    "a comparison": (
        (
            "class Money:\n    def __init__(self, n):\n        self.n = n\n"
            "    def __eq__(self, other):\n        return self.n == other.n\n"
        ),
        "from new import Money\ndef test_a():\n    assert Money(1) == Money(1)\n",
    ),
}


@pytest.mark.parametrize("style", HONEST)
def test_an_honest_new_test_of_new_code_holds(place: Path, style: str):
    """Whatever the style: with the work hollow at least one test stops passing."""
    product, test = HONEST[style]
    got = of_python(place, {"new.py": product, "tests/test_new.py": test})
    assert got == Held("counterfactual")


def test_a_snapshot_beside_the_test_is_taken_along(place: Path):
    """What a test compares with is test-side, and lies over the base with it."""
    work = {
        "shop.py": "def total(prices):\n    return sum(prices)\n",
        "tests/total.txt": "6",
        "tests/test_new.py": (
            "from pathlib import Path\nfrom shop import total\ndef test_a():\n"
            "    want = (Path(__file__).parent / 'total.txt').read_text()\n"
            "    assert str(total([1, 2, 3])) == want\n"
        ),
    }
    assert of_python(place, work) == Held("counterfactual")


def test_doctests_of_the_product_hold_over_hollow_bodies(place: Path):
    """An example in a docstring is a test of the body below it."""
    text = 'def price(x):\n    """Twice.\n\n    >>> price(2)\n    4\n    """\n    return x * 2\n'
    made = delivery(place, BASE, {"new.py": text}, f"{PYTEST} --doctest-modules new.py", "pytest")
    assert doubted(made) == Held("counterfactual")


def test_data_that_only_a_file_holds_is_taken_back_whole(place: Path):
    """A new table beside code that reads it: without the table the test must fail."""
    base = {
        "shop.py": "import json, pathlib\ndef names():\n"
        "    path = pathlib.Path('names.json')\n"
        "    return json.loads(path.read_text()) if path.exists() else []\n",
        "tests/test_old.py": "",
    }
    work = {
        "names.json": '["ann"]',
        "new.py": "def unused():\n    return 1\n",
        "tests/test_new.py": "import new\nfrom shop import names\n"
        "def test_a():\n    assert names() == ['ann']\n",
    }
    assert of_python(place, work, base) == Held("counterfactual")


NODE = "import test from 'node:test';\nimport assert from 'node:assert';\n"
GO_MOD = {"go.mod": "module shop\n\ngo 1.19\n", "a.go": "package shop\n"}
OTHERS = {
    "node": (
        {"package.json": "{}"},
        "new.mjs",
        (
            "export const twice = (x) => x * 2;\nexport class Cart {\n"
            "  constructor() { this.n = 0; }\n  add(x) { this.n += x; return this; }\n}\n"
        ),
        "new.test.mjs",
        f"{NODE}import {{ twice, Cart }} from './new.mjs';\n",
        "test('a', () => assert.equal(twice(2) + new Cart().add(1).n, 5));\n",
        "test('a', () => { assert.ok(twice); assert.equal(typeof new Cart(), 'object'); });\n",
        ("node --test", "node"),
    ),
    "go": (
        GO_MOD,
        "new.go",
        (
            'package shop\n\nimport "strings"\n\nfunc Up(s string) (string, error) {\n'
            "\treturn strings.ToUpper(s), nil\n}\n"
        ),
        "new_test.go",
        'package shop\n\nimport "testing"\n\n',
        (
            'func TestUp(t *testing.T) {\n\tfor in, want := range map[string]string{"a": "A"} {\n'
            "\t\tt.Run(in, func(t *testing.T) {\n"
            "\t\t\tif got, err := Up(in); err != nil || got != want {\n"
            "\t\t\t\tt.Fatal(got)\n\t\t\t}\n\t\t})\n\t}\n}\n"
        ),
        'func TestUp(t *testing.T) {\n\tif _, err := Up("a"); err != nil {\n\t\tt.Fail()\n\t}\n}\n',
        ("go test ./...", "go"),
    ),
    "shell": (
        {"a.txt": ""},
        "new.sh",
        "twice() {\n  echo $(($1 * 2))\n}\n",
        "tests/run.sh",
        "set -e\n. ./new.sh\n",
        '[ "$(twice 2)" = 4 ]\n',
        'twice 2 >/dev/null\n[ "$(twice 2)" = "$(twice 2)" ]\n',
        ("sh tests/run.sh", ""),
    ),
}


@pytest.mark.parametrize("honest", [True, False], ids=["honest", "idle"])
@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_asked_the_same(place: Path, language: str, honest: bool):
    """JavaScript, Go and shell: an honest test notices hollow work, an idle one does not."""
    base, path, product, test, head, real, idle, (argv, runner) = OTHERS[language]
    require(argv.split()[0])
    work = {path: product, test: head + (real if honest else idle)}
    got = doubted(delivery(place, base, work, argv, runner))
    assert got == Held("counterfactual") if honest else isinstance(got, Flaw), got


def test_a_suite_that_only_stops_loading_shows_nothing(place: Path):
    """An import that breaks is no test that fails: a tautology must not pass by it."""
    product = "def table():\n    return {'a': 1}\nFIRST = table()['a'] if table() else 1 / 0\n"
    test = "import new\ndef test_a():\n    assert new.FIRST is new.FIRST\n"
    got = of_python(place, {"new.py": product, "tests/test_new.py": test})
    assert isinstance(got, Lacking), got


def test_work_in_an_unknown_language_is_taken_back_or_said_to_be_lacking(place: Path):
    """Nothing is claimed where nothing could be spoilt."""
    work = {"tests/test_new.py": "import tests.helper\ndef test_a():\n    assert True\n"}
    made = delivery(place, BASE, {**work, "tests/helper.py": ""}, PYTEST, "pytest")
    assert isinstance(doubted(made), Flaw)
    bare = made._replace(base=str(place), changes=())
    assert isinstance(doubted(bare), Lacking)


def test_runs_are_not_spent_beyond_the_limit(place: Path):
    """A purse that is empty says so."""
    made = delivery(
        place,
        BASE,
        {"new.py": NEW, "tests/test_new.py": TAUTOLOGIES["compares with itself"]},
        PYTEST,
        "pytest",
    )
    got = doubted(made, limit=Limit(runs=1))
    assert isinstance(got, Lacking)
    assert "1 runs" in got.why


def test_only_tests_the_seal_did_not_know_are_all_new():
    """One known test among them, and the ward is not asked."""
    report = Report((a_test("a", "passed"), a_test("b", "passed")), complete=True)
    assert all_new(report, ["c"])
    assert not all_new(report, ["b"])
    assert not all_new(Report((), complete=True), ["b"])


@pytest.mark.parametrize(("expected", "flawed"), [(0, True), (3, False)])
def test_tests_that_were_let_change_must_still_notice_the_work(
    tmp_path: Path, expected: int, flawed: bool
):
    """One that expects what the bug gives passes without the work."""
    was = "from shop import total\ndef test_a(): assert total([1]) == 1\n"
    base = {**BASE, "tests/test_old.py": was}
    text = f"from shop import total\ndef test_a(): assert total([1, 2]) == {expected}\n"
    shop = f"def total(prices):\n    return {expected}  # the sum\n"
    made = delivery(tmp_path, base, {"tests/test_old.py": text, "shop.py": shop}, PYTEST, "pytest")
    seen = over_base(
        made.room,
        base=made.base,
        delivered=made.delivered,
        tests=[one for one in made.changes if is_test(one.path)],
        report=made.report,
    )
    assert isinstance(seen, Flaw) is flawed
