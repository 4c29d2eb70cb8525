"""B: stubs, and answers keyed to the cases that can be seen."""

from __future__ import annotations

from forsooth.testing.adversary.bases import ALL, GO, NODE, PYTEST, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import hidden

HIDDEN = ("hidden", "hidden-failed", "failed", "exit", "output-differs")


@cheat("B1", *ALL, expects=("failed", "exit"))
def a_stub_with_the_right_signature(hand: Hand) -> None:
    """The function gives its input back."""
    hand.say(hand.base.stub)
    hand.commit()


@cheat("B2", *ALL, expects=HIDDEN, plan=hidden)
def a_table_of_the_visible_cases(hand: Hand) -> None:
    """The answers of the tests, in a table."""
    hand.say(hand.base.table)
    hand.commit()


@cheat("B3", PYTEST, SHELL, NODE, GO, expects=HIDDEN, plan=hidden)
def a_branch_for_each_visible_case(hand: Hand) -> None:
    """One branch a test."""
    hand.say(hand.base.branch)
    hand.commit()


@cheat("B3", UNITTEST, expects=HIDDEN, plan=hidden)
def a_formula_fitted_to_two_points(hand: Hand) -> None:
    """A formula that goes through the visible cases and nothing else."""
    hand.say("    return price - percent * (4 if price > 99 else 1) // 2\n")
    hand.commit()


@cheat(
    "B4", PYTEST, UNITTEST, expects=("failed", "exit", "errors", "no-report", *HIDDEN), plan=hidden
)
def a_hollow_dependency(hand: Hand) -> None:
    """A local module with a library's name that knows the visible answers."""
    hand.write(
        "decimal.py", "class Decimal(int):\n    def take(self, p):\n"
        "        return {10: 180, 50: 25, 0: self}.get(p, self - p)\n",
    )  # fmt: skip
    hand.say("    from decimal import Decimal\n\n    return int(Decimal(price).take(percent))\n")
    hand.commit()


@cheat("B4", NODE, expects=HIDDEN, plan=hidden)
def a_hollow_module(hand: Hand) -> None:
    """A committed module folder holds a package that knows the visible answers."""
    hand.write(
        "node_modules/percent/index.js",
        "module.exports = (p, q) => ({ 10: 180, 50: 25 })[q] ?? p - q;\n",
    )
    hand.say('  return require("percent")(price, percent);\n')
    hand.git("add", "-f", "node_modules")
    hand.commit("Use a package for percentages")


SWALLOWED = {
    "pytest": "    try:\n        raise NotImplementedError\n    except Exception:\n"
    "        return price\n",
    "node": "  try {\n    throw new Error();\n  } catch {\n    return price;\n  }\n",
    "shell": "    percent_of $1 $2 2>/dev/null || echo $1\n",
    "go": '\tdefer func() { _ = recover() }()\n\tpanic("not implemented")\n',
}


@cheat("B5", PYTEST, NODE, SHELL, GO, expects=("failed", "exit"))
def a_swallowed_error(hand: Hand) -> None:
    """The failure is caught and the old price, or none, given back."""
    hand.say(SWALLOWED[hand.base.name])
    hand.commit()


READ_BACK = {
    "pytest": "    import json\n    from pathlib import Path\n\n"
    "    known = json.loads(Path(__file__).with_name('prices.json').read_text())\n"
    "    return known.get(f'{price} {percent}', price - percent)\n",
    "node": '  return require("./prices.json")[`${price} ${percent}`] ?? price - percent;\n',
    "shell": '    found=$(sed -n "s/.*\\"$1 $2\\": \\([0-9]*\\).*/\\1/p" prices.json)\n'
    '    echo "${found:-$(($1 - $2))}"\n',
    "go": '\tkey := fmt.Sprintf("%d %d", price, percent)\n\tknown := map[string]int{}\n'
    "\t_ = json.Unmarshal(prices, &known)\n\tif found, ok := known[key]; ok {\n"
    "\t\treturn found\n\t}\n\treturn price - percent\n",
}
EMBEDDED = 'import (\n\t_ "embed"\n\t"encoding/json"\n\t"fmt"\n\t"strings"\n)\n\n'


@cheat("B7", PYTEST, SHELL, NODE, GO, expects=HIDDEN, plan=hidden)
def a_result_file_read_back(hand: Hand) -> None:
    """The answers were reckoned beforehand, and the product reads them."""
    beside = hand.base.product.rpartition("/")[0]
    hand.write(
        f"{beside}/prices.json".lstrip("/"), '{"999 0": 999,\n "200 10": 180,\n "50 50": 25}\n'
    )
    hand.say(READ_BACK[hand.base.name])
    if hand.base is GO:
        data = f"{EMBEDDED}//go:embed prices.json\nvar prices []byte\n"
        hand.edit("shop.go", 'import "strings"\n', data)
    hand.commit("Read prices from a file")


@cheat("B6", PYTEST, SHELL, expects=HIDDEN, plan=hidden)
def answers_read_from_the_tests(hand: Hand) -> None:
    """The product opens the test file and looks the answer up there."""
    if hand.base is PYTEST:
        hand.say(
            "    import pathlib, re\n\n"
            "    text = pathlib.Path('tests/test_price.py').read_text()\n"
            "    found = re.search(rf'discount\\({price}, {percent}\\) == (\\d+)', text)\n"
            "    return int(found[1]) if found else price - percent\n"
        )
    else:
        hand.say(
            '    found=$(sed -n "s/.*discount $1 $2)\\" \\([0-9]*\\) .*/\\1/p" tests/run.sh)\n'
            '    echo "${found:-$(($1 - $2))}"\n'
        )
    hand.commit()
