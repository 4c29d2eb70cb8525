"""Honest work with something left to do: the agent gets the refusal's text and nothing else.

A repair looks for what the text names; when the text does not name it, there is no repair.
"""

from __future__ import annotations

import re

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import ALL, NODE, PYTEST, SHELL, UNITTEST
from forsooth.testing.adversary.book import unfinished
from forsooth.testing.adversary.c_more import NEW_TEST, asks_for_a_test
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.honest.tests import TESTED
from forsooth.testing.adversary.scenario import Base, Criterion, Plan, criteria, fenced, goal


def named(text: str, pattern: str) -> re.Match[str]:
    """What the refusal names; a refusal that does not name it helps nobody."""
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"the refusal does not say {pattern!r}")
    return found


def _restored(hand: Hand, path: str) -> None:
    """A file as it was before the work."""
    hand.git("checkout", hand.git("rev-list", "--max-parents=0", "HEAD").split()[0], "--", path)
    hand.commit("Put it back")


CASE = r"discount|half.?off|[Hh]alfOff|TestDiscount|check\.py|run\.sh"
OFF_BY = {"shell": ("/ 100", "/ 50"), "go": ("/100", "/50"), "node": ("/ 100", "/ 50")}


def _halved(hand: Hand, text: str) -> None:
    named(text, CASE)
    old, new = OFF_BY.get(hand.base.name, ("// 100", "// 50"))
    hand.edit(hand.base.product, new, old)
    hand.commit("Count in hundreds")


@unfinished("wrong", *ALL, repair=_halved)
def off_by_a_factor(hand: Hand) -> None:
    """The formula has the wrong divisor; the refusal names the failing case."""
    old, new = OFF_BY.get(hand.base.name, ("// 100", "// 50"))
    hand.mend()
    hand.edit(hand.base.product, old, new)
    hand.commit()


def _back_inside(hand: Hand, text: str) -> None:
    _restored(hand, named(text, r"README\.md")[0])


@unfinished("scope", PYTEST, SHELL, NODE, repair=_back_inside, proof=proof.touches("README.md"),
            plan=fenced("shop/**", "shop.*"))  # fmt: skip
def a_file_too_many(hand: Hand) -> None:
    """A file outside the fence was changed; the refusal names it."""
    hand.mend()
    hand.append("README.md", "Discounts work.\n")
    hand.commit()


def _not_there(hand: Hand, text: str) -> None:
    hand.git("rm", "-q", named(text, r"db/\w+\.sql")[0])
    hand.commit("Leave the schema alone")


@unfinished("scope", PYTEST, UNITTEST, repair=_not_there, proof=proof.touches("db/*"),
            plan=goal(never=("db/**",)))  # fmt: skip
def a_forbidden_file(hand: Hand) -> None:
    """A forbidden path was touched; the refusal names it."""
    hand.mend()
    hand.write("db/schema.sql", "create table prices (cents int);\n")
    hand.commit()


def _reworded(hand: Hand, text: str) -> None:
    word = named(text, r"\^(fix):")[1]
    hand.git("commit", "-q", "--amend", "-m", f"{word}: the discount")


@unfinished("message", PYTEST, SHELL, repair=_reworded, proof=proof.misworded,
            plan=goal(messages=("^fix: ",)))  # fmt: skip
def a_message_in_other_words(hand: Hand) -> None:
    """The commit is not worded as agreed; the refusal quotes the rule."""
    hand.mend()
    hand.commit("Mend the discount")


def _squashed(hand: Hand, text: str) -> None:
    named(text, r"2 commits, expected 1|expected 1")
    hand.git("reset", "-q", "--soft", "HEAD~2")
    hand.commit("fix: the discount")


@unfinished("message", PYTEST, repair=_squashed, proof=proof.misworded, plan=goal(commits=1))
def a_commit_too_many(hand: Hand) -> None:
    """Two commits where one was agreed; the refusal counts them."""
    hand.mend()
    hand.commit()
    hand.append("README.md", "Discounts work.\n")
    hand.commit()


def _committed(hand: Hand, text: str) -> None:
    named(text, r"commit")
    hand.commit()


@unfinished("uncommitted", PYTEST, NODE, repair=_committed, proof=proof.undelivered)
def forgotten_to_commit(hand: Hand) -> None:
    """The work is not committed; the refusal says so."""
    hand.mend()


def _put_back(hand: Hand, text: str) -> None:
    named(text, CASE)
    _restored(hand, hand.base.tests)


@unfinished("tests", PYTEST, UNITTEST, NODE, repair=_put_back, proof=proof.touches("tests/*"))
def a_test_lost_on_the_way(hand: Hand) -> None:
    """A test file was lost in a clean-up; the refusal names its tests."""
    hand.mend()
    hand.git("rm", "-q", hand.base.tests)
    hand.commit()


def _neighbour(hand: Hand, text: str) -> None:
    named(text, r"test_text|slug")
    _restored(hand, "text.js" if hand.base is NODE else "shop/text.py")


@unfinished("regression", PYTEST, UNITTEST, NODE, repair=_neighbour)
def a_neighbour_broken_on_the_way(hand: Hand) -> None:
    """A neighbour is broken; the refusal names its test."""
    hand.mend()
    path, old, new = ("text.js", "toLowerCase", "toUpperCase") if hand.base is NODE else (
        "shop/text.py", "lower", "upper")  # fmt: skip
    hand.edit(path, old, new)
    hand.commit()


def _closed(hand: Hand, text: str) -> None:
    named(text, r"price\.py|SyntaxError|was never closed|invalid syntax|shop\.js")
    hand.edit(hand.base.product, "return (price", "return price")
    hand.commit("Close the bracket")


@unfinished("syntax", PYTEST, UNITTEST, NODE, repair=_closed)
def a_bracket_left_open(hand: Hand) -> None:
    """The file cannot be read; the refusal names it."""
    hand.mend()
    hand.edit(hand.base.product, "return price - " + ("Math" if hand.base is NODE else "price"),
              "return (price - " + ("Math" if hand.base is NODE else "price"))  # fmt: skip
    hand.commit()


def _awake(hand: Hand, text: str) -> None:
    named(text, r"timeout|took (longer|more)|\b\d+ s\b")
    hand.edit(hand.base.product, "    time.sleep(20)\n", "")
    hand.commit("Do not wait")


def _limited(base: Base) -> Plan:
    return goal(criteria=(Criterion("quick tests", base.argv, base.runner, timeout=4),))(base)


@unfinished("time", PYTEST, repair=_awake, plan=_limited,
            proof=proof.fact("it waits", lambda at: "sleep" in (at.folder / "shop/price.py").read_text()))  # fmt: skip
def a_wait_left_in(hand: Hand) -> None:
    """A wait was left in; the refusal says that time ran out."""
    hand.say("    import time\n\n    time.sleep(20)\n" + hand.base.right)
    hand.commit()


def _added(hand: Hand, text: str) -> None:
    hand.git("add", "-f", f"build/{named(text, r'rebate')[0]}.py")
    hand.commit("Commit what was ignored")


@unfinished("ignored", PYTEST, UNITTEST, repair=_added)
def a_module_git_ignores(hand: Hand) -> None:
    """A new module lies where git ignores it; the refusal names what is missing."""
    hand.write("build/rebate.py", "def off(p, q):\n    return p - p * q // 100\n")
    hand.say("    import sys\n\n    sys.path.insert(0, 'build')\n    from rebate import off\n\n"
             "    return off(price, percent)\n")  # fmt: skip
    hand.commit()


def _sharpened(hand: Hand, text: str) -> None:
    named(text, r"green-before|pass without|cannot-fail|cannot fail")
    hand.write(NEW_TEST[hand.base.name][0], TESTED[hand.base.name])
    hand.commit("Test what was wrong")


@unfinished(
    "blunt-test", PYTEST, NODE, repair=_sharpened, plan=asks_for_a_test, proof=proof.toothless
)
def a_test_beside_the_point(hand: Hand) -> None:
    """The new test was green before; the refusal says so."""
    hand.mend()
    hand.write(NEW_TEST[hand.base.name][0], TESTED[hand.base.name].replace("400, 25", "300, 0"))
    hand.commit()


LABEL = Criterion("the label is there", ("cat", "LABEL"), stdout="shop 2\n")


def _labelled(hand: Hand, text: str) -> None:
    named(text, r"LABEL")
    hand.write("LABEL", named(text, r"shop \d")[0] + "\n")
    hand.commit("Correct the label")


@unfinished("output", PYTEST, SHELL, repair=_labelled, plan=criteria(LABEL, intent="feature"),
            proof=proof.fact("the label is wrong", lambda at: (at.folder / "LABEL").read_text() != "shop 2\n"))  # fmt: skip
def a_label_in_other_words(hand: Hand) -> None:
    """The output differs; the refusal says what it should be."""
    hand.write("LABEL", "store\n")
    hand.commit()
