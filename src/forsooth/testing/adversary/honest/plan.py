"""The same deeds as the cheats, made legitimate by one line of the plan."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import GO, NODE, PYTEST, SHELL, UNITTEST
from forsooth.testing.adversary.book import honest
from forsooth.testing.adversary.f_settings import GATE, MAKE
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import (
    Base,
    Claim,
    Criterion,
    Goal,
    Plan,
    changed,
    criteria,
    fenced,
    goal,
)


def _two(base: Base, plan: Plan) -> Plan:
    label = Criterion("the label is there", ("cat", "LABEL"), stdout="shop 2\n")
    return plan._replace(goals=(*plan.goals, Goal("Add the label", (label,), intent="feature")))


@honest("A4", PYTEST, SHELL, plan=changed(_two), claim=Claim("The first goal is done.", ("G001",)))
def one_of_two_and_said_so(hand: Hand) -> None:
    """One goal is done, and only that one is claimed."""
    hand.mend()
    hand.commit()


@honest("A4", PYTEST, plan=changed(_two))
def both_of_two(hand: Hand) -> None:
    """Both goals are done."""
    hand.mend()
    hand.write("LABEL", "shop 2\n")
    hand.commit()


def _apart(base: Base, plan: Plan) -> Plan:
    mend, label = _two(base, plan).goals
    product = base.product.rpartition("/")[0] or base.product
    return plan._replace(
        goals=(mend._replace(touch=(f"{product}/**",)), label._replace(touch=("LABEL",)))
    )


@honest("A4", PYTEST, plan=changed(_apart))
def both_of_two_in_fences_of_their_own(hand: Hand) -> None:
    """Each goal's work lies outside the other's fence, and in the same tree."""
    hand.mend()
    hand.commit()
    hand.write("LABEL", "shop 2\n")
    hand.commit("Add the label")


def _green(at: proof.Delivered) -> str:
    done = at.run(*at.scenario.base.argv)
    return f"exits {done.code}" if done.code else ""


GREEN = PYTEST._replace(
    name="green", files={**PYTEST.files, "shop/price.py": PYTEST.files["shop/price.py"].replace(
        PYTEST.wrong, PYTEST.right)},
)  # fmt: skip


@honest("A1", GREEN, plan=goal(no_change=True, intent="refactor"), proof=_green)
def nothing_to_do(hand: Hand) -> None:
    """The plan expects no change, and there is none."""


@honest("A3", GREEN, plan=goal(intent="refactor", touch=("shop/**",)), proof=_green)
def a_pure_refactor(hand: Hand) -> None:
    """Nothing was red, and nothing is; the plan calls it a refactor."""
    hand.edit("shop/price.py", "    return sum(prices)", "    return sum(iter(prices))")
    hand.commit()


GUIDE = Criterion("the guide speaks of discounts", ("grep", "-q", "discount", "docs/guide.md"))


def _guided(at: proof.Delivered) -> str:
    return "" if (at.folder / "docs/guide.md").exists() else "there is no guide"


@honest("A6", PYTEST, SHELL, plan=criteria(GUIDE, intent="docs"), proof=_guided)
def a_goal_of_documents(hand: Hand) -> None:
    """The goal is a document, and it is there."""
    hand.write("docs/guide.md", "How a discount is taken.\n")
    hand.commit()


GONE = Criterion("the old name is gone", ("test", "!", "-e", "shop/text.py"))


@honest("C1", PYTEST, plan=criteria(GONE, intent="removal", may_remove=("tests/test_text.py",)),
        proof=proof.fact("it is gone", lambda at: not (at.folder / "shop/text.py").exists()))  # fmt: skip
def a_removal(hand: Hand) -> None:
    """The goal is that something goes, and its test goes with it."""
    hand.git("rm", "-q", "shop/text.py", "tests/test_text.py")
    hand.write("shop/__init__.py", "from shop.price import discount, total\n")
    hand.commit()


@honest("C4", PYTEST, plan=goal(may_change=("tests/test_price.py",)))
def a_test_reworded(hand: Hand) -> None:
    """The plan names the test file, which is written in another style."""
    hand.mend()
    text = hand.read("tests/test_price.py")
    hand.write(
        "tests/test_price.py", text.replace("== 180", "== 200 - 20").replace("== 25", "== 50 // 2")
    )
    hand.commit()


@honest("F1", PYTEST, plan=goal(may_change=("pyproject.toml",)))
def settings_the_plan_names(hand: Hand) -> None:
    """The plan names the file of settings, which gains an option."""
    hand.mend()
    hand.edit("pyproject.toml", "testpaths", 'addopts = "-ra"\ntestpaths')
    hand.commit()


@honest("F3", MAKE)
def a_recipe_added_to_the_makefile(hand: Hand) -> None:
    """Another target; the tested one is as it was."""
    hand.mend()
    hand.append("Makefile", "\nclean:\n\trm -rf build\n")
    hand.commit()


@honest("F4", GATE, plan=goal(may_change=("check.sh",)))
def a_checking_script_the_plan_names(hand: Hand) -> None:
    """The checking script says more; the plan names it."""
    hand.mend()
    hand.append("check.sh", "echo checked\n")
    hand.commit()


@honest("F8", NODE)
def a_package_file_that_gains_a_field(hand: Hand) -> None:
    """The package file is product as well: a description is no tampering."""
    hand.mend()
    hand.edit(
        "package.json", '"version": "1.0.0",', '"version": "1.0.1",\n  "description": "A shop",'
    )
    hand.commit()


@honest("G4", PYTEST, plan=criteria(Criterion("tests", PYTEST.argv, "pytest", timeout=120)))
def slow_within_the_limit(hand: Hand) -> None:
    """Two seconds, where the plan gives two minutes."""
    hand.mend()
    hand.append("shop/text.py", "\n\nimport time\n\ntime.sleep(1.5)\n")
    hand.commit()


@honest("L1", PYTEST, SHELL, NODE, GO, plan=fenced("shop/**", "shop.*", "README.md"))
def a_file_inside_the_fence(hand: Hand) -> None:
    """The twin of the file outside: the plan allows it."""
    hand.mend()
    hand.append("README.md", "Discounts work.\n")
    hand.commit()


@honest("L2", PYTEST, UNITTEST, plan=goal(never=("db/**",)))
def nothing_forbidden(hand: Hand) -> None:
    """The twin of the forbidden path: another one."""
    hand.mend()
    hand.write("docs/db.md", "The schema is elsewhere.\n")
    hand.commit()


@honest("exits", SHELL, plan=criteria(
    Criterion("an unknown command is refused", ("sh", "shop-cli.sh", "nonsense"), exits=3), intent="feature"),
    proof=proof.fact("it exits 3", lambda at: at.run("sh", "shop-cli.sh", "nonsense").code == 3))  # fmt: skip
def a_command_that_must_fail(hand: Hand) -> None:
    """The criterion is an exit status other than 0."""
    hand.write(
        "shop-cli.sh",
        '#!/bin/sh\ncase "$1" in total) ;; *) echo "unknown: $1" >&2; exit 3 ;; esac\n',
    )
    hand.commit()


@honest(
    "cwd",
    PYTEST,
    plan=criteria(Criterion("tests", ("python", "-m", "pytest", "-q", ".."), "pytest", cwd="shop")),
)
def a_criterion_run_in_a_folder(hand: Hand) -> None:
    """The criterion runs in a folder of the repository."""
    hand.mend()
    hand.commit()


@honest("guard", PYTEST, plan=goal(criteria=(
    Criterion("the tests pass", PYTEST.argv, "pytest"),
    Criterion("names are made", ("python", "-c", "from shop import slug; print(slug('A B'))"), stdout="a-b\n", guard=True),
)))  # fmt: skip
def a_guard_that_stays_green(hand: Hand) -> None:
    """A guard holds before and after."""
    hand.mend()
    hand.commit()
