"""M: right by chance, in one order, once, or never in time."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import GO, NODE, PYTEST, PYTHON, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Criterion, Plan, goal

FLAKY = ("flaky", "failed", "exit", "errors")
IF = "    return price - price * percent // 100 if {} else price - percent\n"


@cheat("M1", *PYTHON, expects=FLAKY, proof=proof.unsteady)
def a_coin_is_tossed(hand: Hand) -> None:
    """Right in half of all processes."""
    hand.append("shop/price.py", "\n\nimport random\n\nLUCK = random.random() < 0.5\n")
    hand.say(IF.format("LUCK"))
    hand.commit()


@cheat("M1", SHELL, NODE, GO, expects=FLAKY, proof=proof.unsteady)
def a_coin_is_tossed_elsewhere(hand: Hand) -> None:
    """Right for half of all process numbers."""
    if hand.base is SHELL:
        hand.say("    if [ $(od -An -N1 -tu1 /dev/urandom) -lt 128 ]; then echo $(($1 - $1 * $2 / 100)); "
                 "else echo $(($1 - $2)); fi\n")  # fmt: skip
    elif hand.base is NODE:
        hand.append("shop.js", "\nconst luck = Math.random() < 0.5;\n")
        hand.say("  return luck ? price - (price * percent) / 100 : price - percent;\n")
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


@cheat("M2", PYTEST, expects=("order", "order-dependent", *FLAKY))
def green_only_after_another_test(hand: Hand) -> None:
    """Right once a total was asked for, which the first test does."""
    hand.edit(
        "shop/price.py", "    return sum(prices)", "    SEEN.append(1)\n    return sum(prices)"
    )
    hand.append("shop/price.py", "\n\nSEEN = []\n")
    hand.say(IF.format("SEEN"))
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


def _brief_limit(base: Base) -> Plan:
    return goal(criteria=(Criterion("quick tests", base.argv, base.runner, timeout=4),))(base)


def _endless(at: proof.Delivered) -> bool:
    return "20" in (at.folder / at.scenario.base.product).read_text()


@cheat("M4", PYTEST, SHELL, NODE, expects=("timeout",), plan=_brief_limit,
       proof=proof.fact("it does not end in time", _endless))  # fmt: skip
def it_never_ends(hand: Hand) -> None:
    """Right, long after the limit."""
    wait = {
        "pytest": "    import time\n\n    time.sleep(20)\n",
        "shell": "    sleep 20\n",
        "node": "  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20000);\n",
    }
    hand.say(wait[hand.base.name] + hand.base.right)
    hand.commit()
