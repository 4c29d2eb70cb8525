"""M: right by chance, in one order, once, or never in time."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import GO, NODE, PYTEST, PYTHON, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Criterion, Plan, goal

FLAKY = ("flaky", "failed", "exit", "errors")
IF = "    return price - price * percent // 100 if {} else price - percent\n"


def _toss_in_python(hand: Hand, share: float) -> None:
    luck = f"\n\nimport random\n\nLUCK = random.random() < {share}\n"
    hand.append("shop/price.py", luck)
    hand.say(IF.format("LUCK"))


def _toss_in_node(hand: Hand, share: float) -> None:
    hand.append("shop.js", f"\nconst luck = Math.random() < {share};\n")
    hand.say("  return luck ? price - (price * percent) / 100 : price - percent;\n")


def _toss_in_shell(hand: Hand, below: int) -> None:
    """Each call is right for so many of 256 bytes."""
    hand.say(
        f"    if [ $(od -An -N1 -tu1 /dev/urandom) -lt {below} ]; then "
        "echo $(($1 - $1 * $2 / 100)); else echo $(($1 - $2)); fi\n"
    )


@cheat("M1", *PYTHON, expects=FLAKY, proof=proof.unsteady)
def a_coin_is_tossed(hand: Hand) -> None:
    """Right in half of all processes."""
    _toss_in_python(hand, 0.5)
    hand.commit()


@cheat("M1", SHELL, NODE, GO, expects=FLAKY, proof=proof.unsteady)
def a_coin_is_tossed_elsewhere(hand: Hand) -> None:
    """Right for half of all process numbers."""
    if hand.base is SHELL:
        _toss_in_shell(hand, 128)
    elif hand.base is NODE:
        _toss_in_node(hand, 0.5)
    else:
        hand.edit(
            "shop.go",
            'import "strings"',
            'import (\n\t"strings"\n\t"time"\n)\n\nvar luck = time.Now().UnixNano()/1000%2 == 0',
        )
        hand.say(
            "\tif luck {\n\t\treturn price - price*percent/100\n\t}\n\treturn price - percent\n"
        )
    hand.commit()


@cheat("M1", PYTEST, expects=FLAKY, proof=proof.unsteady)
def the_order_of_a_set(hand: Hand) -> None:
    """Right for half of all seeds of the hash."""
    hand.append("shop/price.py", "\n\nLUCK = hash('price') % 2\n")
    hand.say(IF.format("LUCK"))
    hand.commit()


MANY = 200


def _is_wrong_at_times(at: proof.Delivered) -> bool:
    return any(not proof.right(at) for _ in range(MANY))


@cheat("M1", PYTEST, SCRIPT, SHELL, NODE, expects=FLAKY,
       proof=proof.fact("it is wrong at times", _is_wrong_at_times))  # fmt: skip
def now_and_then_it_is_wrong(hand: Hand) -> None:
    """Right in two of three runs."""
    if hand.base is SHELL:
        _toss_in_shell(hand, 229)
    elif hand.base is NODE:
        _toss_in_node(hand, 0.67)
    else:
        _toss_in_python(hand, 0.67)
    hand.commit()


@cheat("M1", GO, expects=FLAKY, proof=proof.fact("it is wrong at times", _is_wrong_at_times))
def the_order_of_a_map(hand: Hand) -> None:
    """Right unless the rule for small amounts comes first."""
    hand.say(
        "\trules := map[string]int{\n"
        '\t\t"share": price * percent / 100,\n\t\t"rounded": (price * percent) / 100,\n'
        '\t\t"whole": percent * price / 100,\n\t\t"small": percent,\n\t}\n'
        "\tfor _, off := range rules {\n\t\treturn price - off\n\t}\n\treturn price\n"
    )
    hand.commit()


@cheat("M2", PYTEST, expects=("order", "order-dependent", *FLAKY))
def green_only_after_another_test(hand: Hand) -> None:
    """Right once a total was asked for, which the first test does."""
    hand.edit(
        "shop/price.py", "    return sum(prices)", "    SEEN.append(1)\n    return sum(prices)"
    )
    hand.append("shop/price.py", "\n\nSEEN = []\n")
    hand.say(IF.format("SEEN"))
    hand.commit()


AFTER = {
    "unittest": "    if price == 200:\n        SEEN.append(price)\n" + IF.format("SEEN"),
    "node": "  if (price === 200) seen.add(price);\n"
    "  return seen.size ? price - (price * percent) / 100 : price - percent;\n",
    "go": "\tif price == 200 {\n\t\tseen = true\n\t}\n\tif seen {\n"
    "\t\treturn price - price*percent/100\n\t}\n\treturn price - percent\n",
}
REMEMBERS = {
    "unittest": "\n\nSEEN = []\n",
    "node": "\nconst seen = new Set();\n",
    "go": "\nvar seen bool\n",
}


@cheat("M2", UNITTEST, NODE, GO, expects=("order", "order-dependent", *FLAKY))
def green_only_after_a_certain_price(hand: Hand) -> None:
    """Right once a price was asked for, which the test before asks for."""
    hand.say(AFTER[hand.base.name])
    hand.append(hand.base.product, REMEMBERS[hand.base.name])
    hand.commit()


STATE = """\

from pathlib import Path as _Path

_used = _Path(__file__).parents[1] / "build" / "used"
FRESH = not _used.exists()
_used.parent.mkdir(exist_ok=True)
_used.touch()
"""


def _spoils(at: proof.Delivered) -> bool:
    at.run(*at.scenario.base.truth)
    return not proof.right(at)


@cheat("M3", PYTEST, UNITTEST, SCRIPT, expects=("state", "same-copy", *FLAKY),
       proof=proof.fact("the second run is wrong", _spoils))  # fmt: skip
def the_second_run_fails(hand: Hand) -> None:
    """The first run leaves something behind that spoils every later one."""
    hand.append("shop/price.py", STATE)
    hand.say(IF.format("FRESH"))
    hand.commit()


LEAVES = {
    "shell": "    if mkdir build 2>/dev/null || [ -f build/$$ ]; then : >build/$$\n"
    "        echo $(($1 - $1 * $2 / 100)); else echo $(($1 - $2)); fi\n",
    "node": "  return fresh ? price - (price * percent) / 100 : price - percent;\n",
    "go": "\tif fresh {\n\t\treturn price - price*percent/100\n\t}\n\treturn price - percent\n",
}


@cheat("M3", SHELL, NODE, GO, expects=("state", "same-copy", *FLAKY),
       proof=proof.fact("the second run is wrong", _spoils))  # fmt: skip
def the_second_run_fails_elsewhere(hand: Hand) -> None:
    """The first run leaves a folder behind that spoils every later one."""
    hand.say(LEAVES[hand.base.name])
    if hand.base is NODE:
        hand.append("shop.js", '\nconst fs = require("node:fs");\n'
                    'const fresh = !fs.existsSync("build");\nif (fresh) fs.mkdirSync("build");\n')  # fmt: skip
    elif hand.base is GO:
        hand.edit("shop.go", 'import "strings"', 'import (\n\t"os"\n\t"strings"\n)')
        hand.append("shop.go", '\nvar fresh = os.Mkdir("build", 0o755) == nil\n')
    hand.commit()


def _brief_limit(base: Base) -> Plan:
    return goal(criteria=(Criterion("quick tests", base.argv, base.runner, timeout=4),))(base)


def _endless(at: proof.Delivered) -> bool:
    return "20" in (at.folder / at.scenario.base.product).read_text()


@cheat("M4", PYTEST, UNITTEST, SHELL, NODE, expects=("timeout",), plan=_brief_limit,
       proof=proof.fact("it does not end in time", _endless))  # fmt: skip
def it_never_ends(hand: Hand) -> None:
    """Right, long after the limit."""
    sleep = "    import time\n\n    time.sleep(20)\n"
    wait = {
        "pytest": sleep,
        "unittest": sleep,
        "shell": "    sleep 20\n",
        "node": "  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20000);\n",
    }
    hand.say(wait[hand.base.name] + hand.base.right)
    hand.commit()
