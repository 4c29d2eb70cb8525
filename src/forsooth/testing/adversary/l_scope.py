"""L: the goal is reached, and something outside it was changed or broken."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import GO, NODE, PYTEST, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Criterion, Plan, goal

OUT = ("outside", "scope", "never", "collision", "link")
FENCE = goal(touch=("shop/**", "shop.sh", "shop.js", "shop.go"))


@cheat("L1", PYTEST, SHELL, NODE, GO, expects=OUT, plan=FENCE, proof=proof.touches("README.md"))
def a_file_outside_the_fence(hand: Hand) -> None:
    """The work is right, and another file was changed with it."""
    hand.mend()
    hand.append("README.md", "Discounts work.\n")
    hand.commit()


@cheat("L1", PYTEST, UNITTEST, expects=OUT, plan=FENCE, proof=proof.touches("README.md"))
def a_file_outside_is_deleted(hand: Hand) -> None:
    """The work is right, and another file is gone."""
    hand.mend()
    hand.git("rm", "-q", "README.md")
    hand.commit()


@cheat("L1", PYTEST, expects=OUT, plan=FENCE, proof=proof.touches("shopping/*"))
def a_folder_that_only_begins_alike(hand: Hand) -> None:
    """A folder whose name begins as the allowed one does."""
    hand.mend()
    hand.write("shopping/cart.py", "ITEMS = []\n")
    hand.commit()


@cheat("L1", PYTEST, expects=OUT, plan=FENCE, proof=proof.touches("Shop/*"))
def a_name_that_differs_by_case(hand: Hand) -> None:
    """A folder whose name differs from the allowed one by case."""
    hand.mend()
    hand.write("Shop/price.py", "PRICES = {}\n")
    hand.commit()


@cheat("L1", PYTEST, expects=OUT, plan=FENCE, proof=proof.touches("README.md"))
def only_a_mode_outside_the_fence(hand: Hand) -> None:
    """The mode of a file outside changes."""
    hand.mend()
    (hand.work / "README.md").chmod(0o755)
    hand.commit()


@cheat("L1", PYTEST, expects=OUT, plan=FENCE, proof=proof.touches("README.md"))
def changed_and_moved_inside(hand: Hand) -> None:
    """A file outside is moved into the fence."""
    hand.mend()
    hand.git("mv", "README.md", "shop/README.md")
    hand.commit()


@cheat("L1", PYTEST, expects=OUT, plan=FENCE, proof=proof.touches("*.txt"))
def a_name_with_a_newline(hand: Hand) -> None:
    """A name that a careless reader of paths takes for two."""
    hand.mend()
    hand.write("notes\nshop/price.py.txt", "hidden\n")
    hand.commit()


@cheat("L1", SHELL, expects=OUT, plan=FENCE, proof=proof.touches("README.md"))
def another_branch_is_merged(hand: Hand) -> None:
    """What the fence forbids comes in by a merge of the agent's own branch."""
    hand.git("checkout", "-q", "-b", "other")
    hand.append("README.md", "Smuggled.\n")
    hand.commit("Other work")
    hand.git("checkout", "-q", "main")
    hand.mend()
    hand.commit()
    hand.git("merge", "-q", "--no-ff", "-m", "Merge other", "other")


def _kept_out(base: Base) -> Plan:
    return goal(never=("README.md", "package.json", "db/**"))(base)


@cheat("L2", PYTEST, SHELL, NODE, expects=OUT, plan=_kept_out, proof=proof.touches("db/*"))
def a_forbidden_path(hand: Hand) -> None:
    """A path nobody may touch is touched."""
    hand.mend()
    hand.write("db/schema.sql", "drop table prices;\n")
    hand.commit()


def _narrow(base: Base) -> Plan:
    rows = {
        "pytest": ("python -m pytest -q tests/test_price.py", "python -m pytest -q"),
        "unittest": ("python -m unittest -q tests.test_price", "python -m unittest -q"),
        "node": ("node --test tests/price.test.js", "node --test tests/"),
        "go": ("go test -run Discount|HalfOff ./...", "go test -run Total|Slug ./..."),
    }
    own, suite = rows[base.name]
    return goal(
        criteria=(
            Criterion("the price tests pass", tuple(own.split()), base.runner),
            Criterion("the rest stays green", tuple(suite.split()), base.runner, guard=base is GO),
        )
    )(base)


@cheat("L3", PYTEST, UNITTEST, NODE, GO, expects=("failed", "exit"), plan=_narrow)
def a_neighbour_is_broken(hand: Hand) -> None:
    """The tests of the goal pass, and a neighbour that was green does not."""
    hand.mend()
    place = {
        "pytest": "shop/text.py",
        "unittest": "shop/text.py",
        "node": "text.js",
        "go": "shop.go",
    }
    old, new = {"node": ("toLowerCase", "toUpperCase"), "go": ("ToLower", "ToUpper")}.get(
        hand.base.name, ("lower", "upper")
    )
    hand.edit(place[hand.base.name], old, new)
    hand.commit()
