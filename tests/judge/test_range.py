"""What two trees and their runs say about a branch, without running anything."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git.trees import Change
from forsooth.judge.branch.around import around, is_prose, packages
from forsooth.judge.branch.pairing import Texts, paired
from forsooth.judge.branch.remarks import Branch, Remark, Runs, is_place, remarks
from forsooth.judge.branch.shape import loss, shapes
from forsooth.judge.checker import Ran
from forsooth.judge.checks.process import Ending
from forsooth.judge.checks.trial import Trial
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.range import Compared, endings, steady, suite
from forsooth.judge.reports.report import Report
from forsooth.judge.reports.report import Test as Ended

HEAD = "import pytest\nimport stats\n\n\n"


class Files:
    """A tree in memory, as data."""

    changes: tuple[Change, ...] = ()
    commits = ()

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def paths(self) -> tuple[str, ...]:
        return tuple(self.files)

    def read(self, path: str) -> bytes | None:
        text = self.files.get(path)
        return None if text is None else text.encode()

    def mode(self, path: str) -> str | None:
        return "100644" if path in self.files else None


def of(body: str) -> str:
    return HEAD + "def test_a():\n" + "".join(f"    {line}\n" for line in body.splitlines())


def lost(old: str, new: str) -> str | None:
    was, now = (shapes("test_x.py", of(one).encode())["test_a"] for one in (old, new))
    found = loss(was, now)
    return found.says if found else None


WEAKER = (
    ("assert stats.f() == 3", "assert stats.f() is not None"),
    ("assert stats.f() == 3", "assert stats.f() == 3 or True"),
    ("assert stats.f() == 3", "assert stats.f() == stats.f()"),
    ("assert stats.f() == 3\nassert stats.g() == 4", "assert stats.f() == 3"),
    ("assert stats.f() == 3", "return\nassert stats.f() == 3"),
    ("assert stats.f() == 3", "if False:\n    assert stats.f() == 3"),
    ("assert stats.f() == 3", "try:\n    assert stats.f() == 3\nexcept Exception:\n    pass"),
    (
        "with pytest.raises(ValueError):\n    stats.f()",
        "with pytest.raises(Exception):\n    stats.f()",
    ),
    (
        "with pytest.raises(ValueError):\n    stats.f()",
        "try:\n    stats.f()\nexcept ValueError:\n    pass",
    ),
    (
        "assert stats.f() == pytest.approx(3, abs=0.1)",
        "assert stats.f() == pytest.approx(3, abs=9)",
    ),
    ("self.assertEqual(stats.f(), 3)", "self.assertTrue(stats.f())"),
)
AS_STRONG = (
    ("assert stats.f() == 3", "assert stats.f() == 3  # three"),
    ("assert stats.f() == 3", "value = stats.f()\nassert value == 3"),
    ("assert stats.f() == True", "assert stats.f()"),
    ("self.assertEqual(stats.f(), 3)", "assert stats.f() == 3"),
    ("self.assertEqual(stats.f(), None)", "self.assertIsNone(stats.f())"),
    ("assert stats.f() == 1\nassert stats.g() == 2", "assert (stats.f(), stats.g()) == (1, 2)"),
    ("assert stats.f() == 1 and stats.g() == 2", "assert stats.f() == 1\nassert stats.g() == 2"),
    (
        "with pytest.raises(ValueError):\n    stats.f()",
        "with self.assertRaises(ValueError):\n    stats.f()",
    ),
    ("assert stats.f(1, 2) == 3", "assert stats.f(1) == 3"),
    (
        "try:\n    stats.f()\nexcept ValueError as e:\n    assert str(e) == 'x'",
        "try:\n    stats.f()\nexcept ValueError as e:\n    assert str(e) == 'y'",
    ),
)


@pytest.mark.parametrize(("old", "new"), WEAKER)
def test_a_text_that_asserts_less_is_noticed(old: str, new: str):
    """Removed, loosened, unreachable, swallowed or always true: it is worth less than it was."""
    assert lost(old, new)


@pytest.mark.parametrize(("old", "new"), AS_STRONG)
def test_a_text_that_asserts_as_much_in_other_words_is_left_alone(old: str, new: str):
    """Layout, names, another library's words and assertions joined or parted lose nothing."""
    assert lost(old, new) is None


def test_assertions_in_a_helper_of_the_file_count():
    """A test that was tidied into helpers asserts what they do."""
    whole = of("assert stats.f() == 3\nassert stats.g() == 4")
    helper = "def check():\n    assert stats.f() == 3\n    assert stats.g() == 4\n\n\n"
    tidy = f"{HEAD}{helper}def test_a():\n    check()\n"
    was, now = (shapes("test_x.py", text.encode())["test_a"] for text in (whole, tidy))
    assert loss(was, now) is None
    assert loss(now, was) is None


@pytest.mark.parametrize(
    ("path", "name", "old", "new"),
    [
        (
            "x_test.go",
            "TestA",
            'func TestA(t *testing.T) {\n\tif f() != 3 {\n\t\tt.Errorf("no")\n\t}\n}\n',
            "func TestA(t *testing.T) {\n\tf()\n}\n",
        ),
        (
            "x_test.go",
            "TestA",
            "func TestA(t *testing.T) {\n\trequire.Equal(t, 3, f())\n}\n",
            "func TestA(t *testing.T) {\n\trequire.NotNil(t, f())\n}\n",
        ),
        (
            "x.test.js",
            "adds",
            "test('adds', () => { expect(f()).toBe(3) })",
            "test('adds', () => { expect(f()).toBeTruthy() })",
        ),
        (
            "x.test.ts",
            "adds",
            "it('adds', () => { expect(f()).toEqual(3) })",
            "it('adds', () => { f() })",
        ),
        (
            "a.rs",
            "adds",
            "#[test]\nfn adds() { assert_eq!(f(), 3); }",
            "#[test]\nfn adds() { assert!(f() > 0); }",
        ),
    ],
)
def test_other_languages_are_read_by_their_words(path: str, name: str, old: str, new: str):
    """Coarser, and enough to see an assertion go."""
    was, now = (shapes(path, text.encode())[name] for text in (old, new))
    assert loss(was, now)
    assert loss(was, was) is None
    assert loss(now, was) is None


@pytest.mark.parametrize(
    ("body", "idle"),
    [
        ("assert True", True),
        ("x = [1]\nassert len(x) == 1", True),
        ("pass", True),
        ("assert stats.f()", False),
        ("import stats\nassert stats", False),
        ("exec(open('x').read())", False),
    ],
)
def test_a_test_that_touches_nothing_is_told_apart(body: str, idle: bool):
    """Nothing outside it could ever make it fail."""
    assert shapes("test_x.py", of(body).encode())["test_a"].idle is idle


def report(**tests: str) -> Report:
    rows = [(name.replace("__", "::"), outcome) for name, outcome in tests.items()]
    return Report(tuple(Ended(f"t.py::{n}", o, f"why {n}") for n, o in rows), complete=True)


def told(runs: Runs, old: str = "", new: str = "") -> dict[str, str]:
    """What is said of each test: rank and code."""
    before, after = (Texts(Files({"t.py": text}), ["t.py"]) for text in (old, new))
    pairs = paired(
        [t.id for t in runs.before.tests], [t.id for t in runs.after.tests], old=before, new=after
    )
    branch = Branch(runs, pairs, before, after, frozenset({"t.py"} if new else ()))
    return {r.subject.removeprefix("t.py::"): f"{r.rank} {r.code}" for r in remarks(branch)}


def test_outcomes_then_and_now_decide_what_is_said():
    """Red, skipped, mended, still red, flaky: each is its own thing."""
    before = report(a="passed", b="passed", c="failed", d="failed", e="passed", f="skipped")
    after = report(a="failed", b="skipped", c="passed", d="failed", e="failed", f="skipped")
    again = report(a="failed", e="passed")
    assert told(Runs(before, after, again=again)) == {
        "a": "wrong red",
        "b": "wrong skipped",
        "c": "note green",
        "d": "look still-red",
        "e": "look flaky",
    }


def test_tests_with_parameters_are_counted_not_named():
    """Other values in as many cases are no loss; fewer cases are."""
    before = report(**{"a[1]": "passed", "a[2]": "passed", "b[1]": "passed", "b[2]": "passed"})
    after = report(**{"a[3]": "passed", "a[4]": "passed", "b[1]": "passed"})
    assert told(Runs(before, after)) == {"b": "wrong deleted"}
    parted = report(c="passed"), report(**{"c[1]": "passed", "c[2]": "passed"})
    assert told(Runs(*parted)) == {"c[2]": "note new"}


def test_an_old_test_over_the_new_product_tells_loosening_from_a_changed_mind():
    """Green over both products: loosened. Red over the old one: both changed together."""
    ran = report(a="passed", b="passed", c="passed")
    old_over_new = report(a="failed", b="failed", c="failed")
    gone = old_over_new.tests[2]._replace(reason="AttributeError: module 's' has no attribute 'x'")
    old_over_new = old_over_new._replace(tests=(*old_over_new.tests[:2], gone))
    new_over_old = report(a="passed", b="failed", c="passed")
    assert told(Runs(ran, ran, old_over_new, new_over_old)) == {
        "a": "wrong weakened",
        "b": "look expects",
    }


def test_of_new_tests_one_must_notice_the_work():
    """All blind is vacuous; one that sees is enough for the rest to be notes."""
    before, after = report(), report(a="passed", b="passed")
    blind = report(a="passed", b="passed")
    runs = Runs(before, after, new_over_old=blind, stubbed=blind)
    assert set(told(runs).values()) == {"wrong vacuous"}
    assert set(told(runs._replace(stubbed=report(a="failed", b="passed"))).values()) == {"note new"}
    assert set(told(runs._replace(stubbed=None)).values()) == {"note new"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", "no longer run, though it is still there"),
        (of("pass"), of("pass"), "no longer run, though it is still there"),
        (of("pass"), HEAD, "taken out of its file"),
        (of("pass"), "", "gone with its file"),
    ],
)
def test_how_a_test_went_is_told(old: str, new: str, says: str):
    """Deselected, taken out, or gone with everything around it."""
    texts = [Texts(Files({"t.py": text} if text else {}), ["t.py"]) for text in (old, new)]
    pairs = paired(["t.py::test_a"], [], old=texts[0], new=texts[1])
    runs = Runs(report(test_a="passed"), report())
    paths = frozenset({"t.py"} if new else ())
    (found,) = remarks(Branch(runs, pairs, texts[0], texts[1], paths))
    assert (found.code, found.says) == ("deleted", says)


@pytest.mark.parametrize(("after", "says"), [("skipped", "ran before"), ("", "no longer run")])
def test_a_test_left_out_that_would_fail_is_told_with_how_it_fails(after: str, says: str):
    """That is why it was left out: nothing else about it matters as much."""
    now = report(test_a=after) if after else report()
    texts = Texts(Files({"t.py": of("pass")}), ["t.py"])
    ids = [["t.py::test_a"], ["t.py::test_a"] if after else []]
    pairs = paired(*ids, old=texts, new=texts)
    for crossed, ends in (("failed", "; as it was it fails: why test_a"), ("passed", "")):
        runs = Runs(report(test_a="passed"), now, old_over_new=report(test_a=crossed))
        (found,) = remarks(Branch(runs, pairs, texts, texts, frozenset({"t.py"})))
        assert found.says.startswith(says)
        assert ("; as it was" in found.says) is bool(ends)
        assert found.says.endswith(ends)


def test_a_file_that_cannot_be_loaded_is_red_not_gone():
    """Its tests did not go anywhere."""
    place = Ended("t.py", "error", "SyntaxError")
    assert is_place(place)
    runs = Runs(report(a="passed"), Report((place,), complete=True))
    assert told(runs)["a"] == "wrong red"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("conftest.py", "runner"),
        ("sub/pytest.ini", "runner"),
        ("vitest.config.ts", "runner"),
        (".github/workflows/x.yml", "ci"),
        (".gitlab-ci.yml", "ci"),
        ("src/a.py", ""),
    ],
)
def test_what_lies_around_tests_is_known_by_its_name(path: str, code: str):
    """What tells the runner or the build server what to do."""
    change = Change(path, "M", "100644", "100644", "a", "b")
    look = Files({path: "x"})
    assert [one.code for one in around([change], look, look)] == ([code] if code else [])


def test_settings_inside_a_shared_file_are_told_from_the_rest_of_it():
    """A version or a linter's table is nobody's test settings."""
    change = Change("pyproject.toml", "M", "100644", "100644", "a", "b")
    was = Files({"pyproject.toml": "[project]\nname = 'a'\n[tool.pytest.ini_options]\nx = 1\n"})
    bumped = Files({"pyproject.toml": "[project]\nname = 'b'\n[tool.pytest.ini_options]\nx = 1\n"})
    looser = Files({"pyproject.toml": "[project]\nname = 'a'\n[tool.pytest.ini_options]\nx = 2\n"})
    assert not list(around([change], was, bumped))
    assert [one.code for one in around([change], was, looser)] == ["runner"]


def test_words_are_not_prose_where_tests_read_them():
    """A README that doctest collects is run like any test."""
    change = Change("README.md", "M", "100644", "100644", "a", "b")
    assert is_prose([change], Files({"README.md": ""}))
    assert not is_prose(
        [change], Files({"README.md": "", "pytest.ini": "[pytest]\naddopts = --doctest-glob=*.md"})
    )
    assert not is_prose([change._replace(path="a.py")], Files({}))


def test_packages_are_named_and_the_rest_counted():
    """A long list is cut, and says by how much."""
    lines = [f"+ p{n} 1" for n in range(12)]
    found = [one.subject for one in packages(lines)]
    assert found == [*lines[:8], "and 4 more packages"]


def test_nothing_wrong_is_never_a_pass():
    """Without a plan the best there is is clean, and what did not run is not even that."""
    assert Compared("", ()).outcome == "clean"
    assert Compared("", ()).code == "weak-contract"
    unrun = Compared("", (), trouble=CouldNotVerify("no", code="no-suite"))
    assert (unrun.outcome, unrun.code) == ("inconclusive", "no-suite")
    bad = Compared("", (Remark("wrong", "red", "a"),))
    assert (bad.outcome, bad.code) == ("fail", "red")


def test_a_red_test_of_a_runner_that_tells_no_file_is_still_a_test():
    """Only what stands for a whole file is a place."""
    assert not is_place(Ended("tests.test_a.TestA.test_b", "failed"))
    assert is_place(Ended("unittest.loader._FailedTest.tests.test_a", "error"))
    assert is_place(Ended("tests/test_a.py", "error"))


def test_a_suite_is_run_to_its_end():
    """One file that cannot be loaded must not hide the rest."""
    argv = ("python", "-m", "pytest", "-x")
    params = suite(Recipe(kind="python", test_command=argv, runner="pytest"), cwd="sub")
    assert params.argv == (*argv, "--continue-on-collection-errors", "--maxfail=0")
    other = suite(Recipe(kind="none", test_command=("make", "test"), runner="odd"), cwd="")
    assert other.argv == ("make", "test")


def ran(told: Report | None = None, end: Ending | None = None) -> Trial:
    return Trial(Ran(0, None, "exit", b"", b"", 0.1, {}), told, end)


RED = Ending(fail=True, code="threshold", reason="coverage")
NOT = Ending(fail=False, code="no-report", reason="nothing came")
NONE = Ending(fail=False, code="no-tests", reason="none")


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        (ran(report()), ran(report()), []),
        (ran(), ran(), ["note exit-only"]),
        (ran(report()), ran(report(), RED), ["wrong threshold"]),
        (ran(report(), RED), ran(report(), RED), ["look threshold"]),
        (ran(report()), ran(None, NOT), ["wrong no-report"]),
        (ran(None, NOT), ran(report()), ["look base"]),
        (ran(None, NONE), ran(report()), []),
        (ran(report()), ran(None, NONE), ["wrong no-tests"]),
        (ran(report()), ran(report(a="failed"), RED), []),
    ],
)
def test_how_a_whole_run_ends_counts_where_no_test_tells(was: Trial, now: Trial, says: list[str]):
    """Against how the base ended: what was so before is nobody's doing here."""
    assert [f"{one.rank} {one.code}" for one in endings(was, now)] == says


def test_what_could_not_be_run_at_either_end_is_no_failure():
    """Nothing can be told, and that is what is told."""
    with pytest.raises(CouldNotVerify):
        list(endings(ran(None, NOT), ran(None, NOT)))


def test_only_what_fails_twice_accuses_a_changed_test():
    """A test that fails by luck over the new product says nothing of who changed it."""
    first, again = report(a="failed", b="failed", c="passed"), report(a="passed", b="failed")
    found = steady(first, again)
    assert found
    assert [test.outcome for test in found.tests] == ["passed", "failed", "passed"]
    assert steady(first, None) == first
    assert steady(None, first) is None
