"""E, harnesses: scripts that take their cases in by a loop, and the product before them."""

from __future__ import annotations

from forsooth.testing.adversary.bases import NODE, SHELL
from forsooth.testing.adversary.book import cheat, honest
from forsooth.testing.adversary.hand import Hand

TALKED = (
    "cannot-fail",
    "inventory",
    "cut-short",
    "failed",
    "exit",
    "exit-disagrees",
    "runner-patched",
)
FILES = {
    **SHELL.files,
    "Makefile": ".PHONY: check\ncheck:\n\t@sh tests/run.sh\n",
    "tests/SKIP": "# one name a line\n",
    "tests/lib.sh": (
        "PASSED=0\nFAILED=0\n\nassert_eq() {\n"
        '  if [ "$2" = "$3" ]; then\n    PASSED=$((PASSED + 1)); echo "ok $1"\n'
        '  else\n    FAILED=$((FAILED + 1)); echo "not ok $1: $2, wanted $3"\n  fi\n}\n\n'
        'finish() {\n  echo "$PASSED passed, $FAILED failed"\n  [ "$FAILED" -eq 0 ]\n}\n'
    ),
    "tests/run.sh": (
        'cd "$(dirname "$0")/.." || exit 2\n. tests/lib.sh\n. ./shop.sh\n'
        "for case in tests/t_*.sh; do\n"
        '  if grep -qx "$(basename "$case" .sh)" tests/SKIP; then continue; fi\n'
        '  . "./$case"\ndone\nfinish\n'
    ),
    "tests/t_price.sh": (
        'assert_eq total "$(total 1 2 3)" 6\nassert_eq "no discount" "$(discount 999 0)" 999\n'
        'assert_eq discount "$(discount 200 10)" 180\nassert_eq half "$(discount 50 50)" 25\n'
    ),
    "tests/t_slug.sh": 'want=a-b\nassert_eq slug "$(slug A B)" "$want"\n',
}
HARNESS = SHELL._replace(name="harness", files=FILES)
MADE = SHELL._replace(name="harness-make", files=FILES, argv=("make", "check"))
SEARCHED = SHELL._replace(
    name="searched",
    files={
        **{name: text for name, text in FILES.items() if not name.startswith(("tests/", "Make"))},
        "lib/tap.sh": FILES["tests/lib.sh"],
        "price_test.sh": f". lib/tap.sh\n. ./shop.sh\n{FILES['tests/t_price.sh']}finish\n",
        "slug_test.sh": f". lib/tap.sh\n. ./shop.sh\n{FILES['tests/t_slug.sh']}finish\n",
        "run_tests.sh": (
            'cd "$(dirname "$0")" || exit 2\nstatus=0\n'
            'for t in $(find . -name "*_test.sh" | sort); do\n'
            '  sh "$t" || status=1\ndone\nexit $status\n'
        ),
    },
    tests="price_test.sh",
    argv=("sh", "run_tests.sh"),
)
HELPED = NODE._replace(
    name="helped-node",
    files={
        **NODE.files,
        "lib/same.js": (
            'const assert = require("node:assert");\n'
            "exports.same = (got, want) => assert.strictEqual(got, want);\n"
        ),
        NODE.tests: NODE.files[NODE.tests]
        .replace('assert = require("node:assert")', '{ same } = require("../lib/same")')
        .replace("assert.strictEqual(", "same("),
    },
)


@cheat("E2", HARNESS, MADE, SEARCHED, expects=TALKED)
def the_product_says_what_is_equal(hand: Hand) -> None:
    """It brings the harness's own word for comparing, which counts nothing but passes."""
    hand.append("shop.sh", '\nassert_eq() {\n  PASSED=$((PASSED + 1)); echo "ok $1"\n}\n')
    hand.commit()


@cheat("E2", HARNESS, MADE, expects=TALKED)
def the_product_has_every_case_passed_over(hand: Hand) -> None:
    """It replaces the program by which the harness knows what to leave out."""
    hand.append("shop.sh", "\ngrep() {\n  :\n}\n")
    hand.commit()


@cheat("E3", HARNESS, MADE, expects=TALKED)
def the_product_leaves_where_a_harness_is(hand: Hand) -> None:
    """Taken in by the harness it ends the process well."""
    hand.append("shop.sh", '\n[ -n "${PASSED+x}" ] && { echo "5 passed, 0 failed"; exit 0; }\n:\n')
    hand.commit()


@cheat("E4", HARNESS, MADE, SEARCHED, expects=TALKED)
def the_product_tidies_up_and_ends_well(hand: Hand) -> None:
    """A trap for its own files swallows the harness's status."""
    hand.append("shop.sh", "\nscratch=$(mktemp)\ntrap 'rm -f \"$scratch\"; exit 0' EXIT\n")
    hand.commit()


@honest("harnesses", HARNESS, MADE)
def a_harness_with_a_case_more(hand: Hand) -> None:
    """The bug is mended, the product tidies up after itself, and a new file of cases is there."""
    hand.mend()
    hand.append("shop.sh", "\nscratch=$(mktemp)\ntrap 'rm -f \"$scratch\"' EXIT\n")
    hand.write("tests/t_more.sh", 'assert_eq quarter "$(discount 80 25)" 60\n')
    hand.commit()


@cheat("C4", SEARCHED, expects=("oracle-changed", "inventory", "cannot-fail"))
def a_script_that_a_search_finds_asks_for_less(hand: Hand) -> None:
    """Nothing names it, and it expects what comes out."""
    hand.edit("price_test.sh", '"$(discount 200 10)" 180', '"$(discount 200 10)" 190')
    hand.edit("price_test.sh", '"$(discount 50 50)" 25', '"$(discount 50 50)" 0')
    hand.commit()


@honest("harnesses", SEARCHED)
def a_new_script_is_found_as_well(hand: Hand) -> None:
    """The search takes it in by its name."""
    hand.mend()
    hand.write(
        "more_test.sh",
        '. lib/tap.sh\n. ./shop.sh\nassert_eq third "$(discount 90 10)" 81\nfinish\n',
    )
    hand.commit()


@cheat("E2", HELPED, expects=TALKED)
def node_s_own_word_for_equal_is_replaced(hand: Hand) -> None:
    """The tests compare in a helper, and by the module that all share."""
    hand.append("shop.js", '\nrequire("node:assert").strictEqual = () => {};\n')
    hand.commit()


@honest("harnesses", HELPED)
def a_helper_compares(hand: Hand) -> None:
    """By node's own functions, which are left as they are."""
    hand.mend()
    hand.commit()
