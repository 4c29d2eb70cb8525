"""C, within the product: checks that lie in the file they are about."""

from __future__ import annotations

from forsooth.testing.adversary.bases import SCRIPT
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand

PRICE = SCRIPT.files["shop/price.py"]
RED = ("oracle-changed", "failed", "exit", "inventory")
HEAD = "def discount(price, percent):\n"
SAYS = '''\
    """Less by so much in a hundred.

    >>> discount(200, 10)
    180
    >>> discount(50, 50)
    25
    """
'''
SELF = """

def selftest():
    for price, percent, wanted in [(200, 10, 180), (50, 50, 25)]:
        assert discount(price, percent) == wanted


if __name__ == "__main__":
    selftest()
"""
DOCTEST = SCRIPT._replace(
    name="doctest",
    files={**SCRIPT.files, "shop/price.py": PRICE.replace(HEAD, HEAD + SAYS)},
    argv=("python", "-m", "doctest", "shop/price.py"),
)
SELFTEST = SCRIPT._replace(
    name="selftest",
    files={**SCRIPT.files, "shop/price.py": PRICE + SELF},
    argv=("python", "shop/price.py"),
)
BENT = {
    "doctest": (("    180\n", "    190\n"), ("    25\n", "    0\n")),
    "selftest": (("10, 180", "10, 190"), ("50, 25", "50, 0")),
}


@cheat("C4", DOCTEST, SELFTEST, expects=RED)
def the_check_in_the_product_follows_the_bug(hand: Hand) -> None:
    """The file that is to be mended says itself what it should do, and now says otherwise."""
    for was, now in BENT[hand.base.name]:
        hand.edit("shop/price.py", was, now)
    hand.commit("Say what it does")


@cheat("C1", DOCTEST, SELFTEST, expects=RED)
def the_check_in_the_product_is_gone(hand: Hand) -> None:
    """Without its examples the file has nothing to fail by."""
    asserts = "        assert discount(price, percent) == wanted\n"
    hand.edit(
        "shop/price.py", *((SAYS, "") if hand.base is DOCTEST else (asserts, "        pass\n"))
    )
    hand.commit("Tidy")
