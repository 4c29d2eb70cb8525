"""Go put in doubt: cheats that fool the bare command, and honest set-ups."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.disbelief.doubting import Came, came

pytestmark = pytest.mark.heavy

MODULE = {"go.mod": "module example.test/sum\n\ngo 1.19\n"}
TESTS = """package sum

import "testing"

func TestAdds(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("no sum")
	}
}

// func TestNone(t *testing.T) {
func TestTable(tt *testing.T) {
	for name, n := range map[string]int{"one": 1, "two": 2} {
		tt.Run(name, func(t *testing.T) {
			if Add(n, 0) != n {
				t.Fatal("no sum")
			}
		})
	}
}
"""
RIGHT = "package sum\n\nfunc Add(a, b int) int { return a + b }\n"
WRONG = RIGHT.replace("a + b", "a - b")
MAIN = 'package sum\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { %s }\n'


def tried(files: dict[str, str], folder: Path, *, argv: str = "go test ./...") -> Came:
    return came(MODULE | files, folder, argv=argv, runner="go")


HONEST = {
    "subtests and tables": ({}, "go test ./..."),
    "a main of its own": ({"main_test.go": MAIN % "os.Exit(m.Run())"}, "go test ./..."),
    "a choice by name": ({}, "go test -run=TestAdds ./..."),
    "a choice by name of a subtest": ({}, "go test -failfast -run TestTable/one ./..."),
    "a skipped test": (
        {
            "skip_test.go": 'package sum\n\nimport "testing"\n\n'
            'func TestSkips(t *testing.T) { t.Skip("later") }\n'
        },
        "go test -v ./...",
    ),
    "tests from outside the package": (
        {
            "out_test.go": "package sum_test\n\n"
            'import (\n\t"testing"\n\n\t"example.test/sum"\n)\n\n'
            "func TestOut(t *testing.T) {\n\tt.Parallel()\n\tif sum.Add(1, 1) != 2 {\n"
            '\t\tt.Fatal("no")\n\t}\n}\n'
        },
        "go test -race=false -shuffle=on ./...",
    ),
    "a package below": (
        {"sub/sub_test.go": 'package sub\n\nimport "testing"\n\nfunc TestSub(t *testing.T) {}\n'},
        "go test ./...",
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", HONEST)
def test_what_honest_suites_do_is_believed(case: str, tmp_path: Path):
    """Exactly the canary and the broken tests are red."""
    more, argv = HONEST[case]
    found = tried({"sum.go": RIGHT, "sum_test.go": TESTS} | more, tmp_path, argv=argv)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))


def test_behind_make_only_tests_of_the_suite_are_broken(tmp_path: Path):
    """A recipe may choose by name where nobody sees it: no canary is claimed."""
    files = {"sum.go": RIGHT, "sum_test.go": TESTS, "Makefile": "all:\n\t@go test -run Adds .\n"}
    found = tried(files, tmp_path, argv="make")
    assert (found.bare, found.codes, found.held) == (0, (), ("flip",))


FORGED = (
    "package sum\n\nimport (\n"
    '\t"fmt"\n\t"os"\n\t"strings"\n)\n\nfunc Add(a, b int) int { return a - b }\n\n'
    'func init() {\n\tif !strings.HasSuffix(os.Args[0], ".test") {\n\t\treturn\n\t}\n'
    '\tfmt.Print("\\x16=== RUN   TestAdds\\n\\x16--- PASS: TestAdds (0.00s)\\n")\n'
    '\tfmt.Print("\\x16=== RUN   TestTable\\n\\x16--- PASS: TestTable (0.00s)\\n\\x16PASS\\n")\n'
    "\tos.Exit(0)\n}\n"
)
NARROWED = (
    'package sum\n\nimport "os"\n\nfunc Add(a, b int) int { return a - b }\n\n'
    'func init() { os.Args = append(os.Args, "-test.run=^$") }\n'
)
CHEATS = {
    "a report it printed itself": ({"sum.go": FORGED}, {"canary", "flip"}),
    "a main that exits 0": (
        {"sum.go": WRONG, "main_test.go": MAIN % "m.Run(); os.Exit(0)"},
        {"exit-disagrees"},
    ),
    "a narrowed choice": ({"sum.go": NARROWED}, {"no-tests"}),
    "an exit when loaded": (
        {"sum.go": WRONG.replace("\n\n", '\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n\n', 1)},
        {"no-tests"},
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", CHEATS)
def test_a_cheat_that_fools_the_bare_command_is_refused(case: str, tmp_path: Path):
    """By the green run or by the doubted one."""
    more, codes = CHEATS[case]
    found = tried({"sum_test.go": TESTS} | more, tmp_path)
    assert found.bare == 0
    assert codes & set(found.codes)


def test_a_recipe_that_stops_early_is_not_doubted(tmp_path: Path):
    """What comes after the broken test would be missing, and nobody cheated."""
    recipe = "all:\n\t@go test -failfast .\n"
    files = {"sum.go": RIGHT, "sum_test.go": TESTS, "Makefile": recipe}
    found = tried(files, tmp_path, argv="make")
    assert (found.bare, found.codes, found.held) == (0, (), ())
    assert found.lacking == ("behind a wrapper go stops at the first test that fails",)
