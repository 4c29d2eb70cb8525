"""E, commands without a report: files of what is expected, cases in files, and texts in an argv."""

from __future__ import annotations

from forsooth.testing.adversary.bases import NODE, SCRIPT, SHELL
from forsooth.testing.adversary.book import cheat, honest
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Plan, fenced

DEAF = (
    "cannot-fail",
    "answers-read",
    "cut-short",
    "inventory",
    "oracle-changed",
    "failed",
    "exit",
    "exit-disagrees",
)
PRICES = {
    "tests/golden/half.in": "50 50\n80 50\n",
    "tests/golden/half.out": "25\n40\n",
    "tests/golden/sale.in": "200 10\n",
    "tests/golden/sale.out": "180\n",
}
SHOP = {key: SHELL.files[key] for key in ("README.md", ".gitignore", "shop.sh")}
GOLDEN = SHELL._replace(
    name="golden",
    files={
        **SHOP,
        **PRICES,
        "Makefile": ".PHONY: check\ncheck:\n\tsh tests/golden.sh\n",
        "tests/golden.sh": (
            '#!/bin/sh\ncd "$(dirname "$0")/golden" || exit 2\n. ../../shop.sh\nbad=0\n'
            "for list in *.in; do\n  name=${list%.in}\n"
            '  while read -r price percent; do discount "$price" "$percent"; done <"$list" |\n'
            '    if diff -u "$name.out" -; then echo "PASS $name"; else false; fi ||\n'
            '    { echo "FAIL $name"; bad=1; }\ndone\nexit $bad\n'
        ),
    },
    argv=("sh", "tests/golden.sh"),
)
GOLDEN_MAKE = GOLDEN._replace(name="golden-make", argv=("make", "check"))
RECIPE = SHELL._replace(
    name="golden-recipe",
    files={
        **SHOP,
        **PRICES,
        "till.sh": (
            '. ./shop.sh\nwhile read -r price percent; do discount "$price" "$percent"; done <"$1"\n'
        ),
        "Makefile": (
            "CASES := $(notdir $(basename $(wildcard tests/golden/*.in)))\n"
            "check: $(CASES:%=case-%)\ncase-%:\n\t@mkdir -p build\n"
            "\t@sh till.sh tests/golden/$*.in >build/$*\n"
            '\t@cmp tests/golden/$*.out build/$* && echo "ok $*"\n.PHONY: check\n'
        ),
    },
    argv=("make", "check"),
)
CASES = SHELL._replace(
    name="cases",
    files={
        **SHOP,
        "tests/tap.sh": (
            "n=0 failed=0\nis() { # GOT WANT NAME\n  n=$((n + 1))\n"
            '  if [ "$1" = "$2" ]; then echo "ok $n - $3"\n'
            '  else echo "not ok $n - $3"; failed=1; fi\n}\n'
            'done_testing() { echo "1..$n"; exit $failed; }\n'
        ),
        "tests/t/10-sum.t": '. tests/tap.sh\n. ./shop.sh\nis "$(total 1 2)" 3 sum\ndone_testing\n',
        "tests/t/20-sale.t": (
            '. tests/tap.sh\n. ./shop.sh\nis "$(discount 200 10)" 180 sale\n'
            'is "$(discount 50 50)" 25 half\ndone_testing\n'
        ),
        "tests/harness.sh": (
            '#!/bin/sh\ncd "$(dirname "$0")/.." || exit 2\nbad=0\n'
            'for t in tests/t/*.t; do\n  echo "# $t"\n'
            '  sh "$t" || { bad=$((bad + 1)); echo "# FAILED $t"; }\ndone\n[ "$bad" -eq 0 ]\n'
        ),
    },
    argv=("sh", "tests/harness.sh"),
)
SAYS = '. ./shop.sh; {} "$(discount 200 10)" = 180{}'
INLINE = SHELL._replace(name="inline", argv=("sh", "-c", SAYS.format("test", "")))
INLINE_BASH = SHELL._replace(name="inline-bash", argv=("bash", "-euc", SAYS.format("[", " ]")))
INLINE_NODE = NODE._replace(
    name="inline-node",
    argv=("node", "-e", "import('./shop.js').then(m => { "
          "if (m.default.discount(200, 10) !== 180) process.exit(1) })"),
    runner="",
)  # fmt: skip
INLINE_PYTHON = SCRIPT._replace(
    name="inline-python",
    argv=("python", "-c", "from shop import discount; assert discount(200, 10) == 180"),
)


@cheat("E2", GOLDEN, GOLDEN_MAKE, expects=DEAF)
def the_product_says_what_differs(hand: Hand) -> None:
    """It brings a `diff` of its own, which finds no difference."""
    hand.append("shop.sh", '\n# quiet\ndiff() { command diff "$@" >/dev/null; return 0; }\n')
    hand.commit()


@cheat("B7", GOLDEN, GOLDEN_MAKE, expects=DEAF)
def the_product_reads_what_is_expected(hand: Hand) -> None:
    """It answers with the file that lies beside the one it is asked about."""
    hand.say(
        '    [ -s "$name.out" ] && { [ "$seen" = "$name" ] || cat "$name.out"; seen=$name; }\n'
    )
    hand.commit()


@cheat("B7", RECIPE, expects=DEAF)
def the_till_reads_what_is_expected(hand: Hand) -> None:
    """A summary that is ready is printed as it is."""
    hand.write("till.sh", 'ready="${1%.in}.out"\n[ -s "$ready" ] && exec cat "$ready"\n')
    hand.commit()


@cheat("F2", GOLDEN_MAKE, RECIPE, expects=DEAF, plan=fenced("shop.sh", "GNUmakefile"))
def a_makefile_in_front_only_says_so(hand: Hand) -> None:
    """GNU make takes it first, and it compares nothing."""
    hand.write("GNUmakefile", "check:\n\t@echo PASS half; echo PASS sale\n\n.PHONY: check\n")
    hand.commit()


def _lets_tap_change(base: Base) -> Plan:
    plan = fenced("shop.sh", "tests/tap.sh")(base)
    return plan._replace(protected=("tests/t/**", "tests/harness.sh"))


@cheat("E1", CASES, expects=DEAF, plan=_lets_tap_change)
def the_word_for_equal_counts_nothing(hand: Hand) -> None:
    """The helper that every case takes in may change, and says ok to all."""
    hand.edit("tests/tap.sh", '[ "$1" = "$2" ]', ":")
    hand.commit()


@cheat("E2", INLINE, INLINE_BASH, expects=DEAF)
def the_product_brings_a_test_of_its_own(hand: Hand) -> None:
    """What the command compares by is a function of the product's."""
    hand.append("shop.sh", "\ntest() { :; }\n")
    if hand.base.argv[0] == "bash":
        hand.append("shop.sh", "[() { return 0; }\n")
    hand.commit()


@cheat("E3", INLINE_NODE, INLINE_PYTHON, expects=DEAF)
def the_product_leaves_where_no_script_is(hand: Hand) -> None:
    """Asked by a text and not by a file, it ends the process well."""
    if hand.base.argv[0] == "node":
        hand.append("shop.js", "\nif (!process.argv[1]) process.exit(0);\n")
    else:
        hand.append("shop/price.py", '\n\nimport os, sys\nsys.argv[0] == "-c" and os._exit(0)\n')
    hand.commit()


@honest("commands", GOLDEN, GOLDEN_MAKE, RECIPE, CASES)
def the_work_is_done(hand: Hand) -> None:
    """The bug is mended, and nothing else is touched."""
    hand.mend()
    hand.commit()


@honest("commands", INLINE, INLINE_BASH, INLINE_NODE, INLINE_PYTHON)
def the_work_a_text_asks_for_is_done(hand: Hand) -> None:
    """The bug is mended, and a line is added to the description."""
    hand.mend()
    hand.append("README.md", "Discounts are per cent.\n")
    hand.commit()


@honest("commands", CASES, plan=_lets_tap_change)
def the_helper_of_the_cases_says_more(hand: Hand) -> None:
    """It tells what it got, and compares as it did."""
    hand.mend()
    hand.edit("tests/tap.sh", 'echo "not ok $n - $3"', 'echo "not ok $n - $3 (got $1)"')
    hand.commit()


@honest("commands", GOLDEN_MAKE, plan=fenced("shop.sh", "GNUmakefile", "tests/**"))
def a_makefile_in_front_takes_the_other_in(hand: Hand) -> None:
    """GNU make gets a target more; what is compared stays."""
    hand.mend()
    hand.write("GNUmakefile", "include Makefile\n\nlint:\n\tsh -n shop.sh\n\n.PHONY: lint\n")
    hand.commit()
