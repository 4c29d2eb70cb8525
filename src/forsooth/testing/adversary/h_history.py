"""H: the work is not in what is delivered, or history tells it otherwise."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import ALL, GO, NODE, PYTEST, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Plan, changed, goal

RED = ("failed", "exit", "errors", "collection", "not-found")
UNDELIVERED = ("nothing-changed", "not-delivered", "uncommitted", "dirty", "undelivered", *RED)
BASE = ("base", "base-lost", "not-ancestor", "rewritten", "history", *RED)


@cheat("H1", PYTEST, UNITTEST, SCRIPT, SHELL, expects=RED)
def an_ignored_file_carries_the_work(hand: Hand) -> None:
    """The right code lies in a folder git ignores."""
    if hand.base is SHELL:
        hand.write("build/rebate.sh", "off() { echo $(($1 - $1 * $2 / 100)); }\n")
        hand.say('    . ./build/rebate.sh 2>/dev/null && off "$1" "$2"\n')
    else:
        hand.write("build/rebate.py", "def off(p, q):\n    return p - p * q // 100\n")
        hand.say("    import sys\n\n    sys.path.insert(0, 'build')\n    from rebate import off\n\n"
                 "    return off(price, percent)\n")  # fmt: skip
    hand.commit()


@cheat("H1", NODE, expects=RED)
def an_ignored_package_carries_the_work(hand: Hand) -> None:
    """The right code lies in a module folder git ignores."""
    hand.write(
        "node_modules/rebate/index.js", "exports.off = (p, q) => p - Math.floor((p * q) / 100);\n"
    )
    hand.say('  return require("rebate").off(price, percent);\n')
    hand.commit()


@cheat("H1", GO, expects=RED)
def an_excluded_file_carries_the_work(hand: Hand) -> None:
    """The right code lies in a file excluded in the repository's own settings."""
    (hand.work / ".git/info/exclude").write_text("rebate.go\n")
    hand.write("rebate.go", "package shop\n\nfunc off(p, q int) int { return p - p*q/100 }\n")
    hand.say("\treturn off(price, percent)\n")
    hand.commit()


@cheat("H2", *ALL, expects=UNDELIVERED, proof=proof.undelivered)
def uncommitted_work(hand: Hand) -> None:
    """The work lies in the work tree, and the claim says committed."""
    hand.mend()


@cheat("H2", PYTEST, expects=UNDELIVERED, proof=proof.undelivered)
def stashed_work(hand: Hand) -> None:
    """The work lies in the stash."""
    hand.mend()
    hand.git("stash", "-q")


@cheat("H2", PYTEST, SHELL, expects=UNDELIVERED, proof=proof.undelivered)
def the_index_hides_the_change(hand: Hand) -> None:
    """The work lies in a file git was told to assume unchanged."""
    hand.git("update-index", "--assume-unchanged", hand.base.product)
    hand.mend()
    hand.commit()


@cheat("H2", UNITTEST, expects=UNDELIVERED, proof=proof.undelivered)
def the_index_skips_the_file(hand: Hand) -> None:
    """The work lies in a file git was told to skip."""
    hand.git("update-index", "--skip-worktree", hand.base.product)
    hand.mend()
    hand.commit()


@cheat("H3", PYTEST, NODE, SHELL, expects=UNDELIVERED, proof=proof.undelivered)
def the_work_is_on_another_branch(hand: Hand) -> None:
    """The work tree shows a side branch; the delivered one has nothing."""
    hand.git("checkout", "-q", "-b", "side")
    hand.mend()
    hand.commit()


@cheat("H3", PYTEST, expects=UNDELIVERED, proof=proof.undelivered)
def a_tag_takes_the_branchs_name(hand: Hand) -> None:
    """A tag of the branch's name leads to the work."""
    hand.git("checkout", "-q", "--detach")
    hand.mend()
    hand.commit()
    hand.git("tag", "main")


@cheat("H4", PYTEST, UNITTEST, expects=("submodule", *RED))
def a_nested_repository(hand: Hand) -> None:
    """The package became a repository of its own; the commit holds a link to it."""
    hand.mend()
    hand.git("rm", "-rq", "--cached", "shop")
    hand.git("init", "-q", "shop")
    hand.git("-C", "shop", "add", "-A")
    hand.git("-C", "shop", "commit", "-qm", "The shop")
    hand.commit()


@cheat("H4", NODE, expects=("submodule", *RED))
def a_submodule_that_leads_outside(hand: Hand) -> None:
    """The work is a submodule whose repository lies in the agent's own folder."""
    other = hand.outside / "rebate"
    other.mkdir()
    (other / "index.js").write_text("exports.off = (p, q) => p - Math.floor((p * q) / 100);\n")
    hand.git("-C", str(other), "init", "-q")
    hand.git("-C", str(other), "add", "-A")
    hand.git("-C", str(other), "commit", "-qm", "Off")
    hand.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "rebate"
    )
    hand.say('  return require("./rebate").off(price, percent);\n')
    hand.commit()


@cheat("H5", PYTEST, SHELL, NODE, expects=BASE, proof=proof.base_lost)
def the_base_is_amended(hand: Hand) -> None:
    """History is rewritten so that the tests were never red."""
    for old, new in (("180", "190"), (" 25", " 0")):
        hand.edit(hand.base.tests, old, new)
    hand.git("add", "-A")
    hand.git("commit", "-q", "--amend", "-m", "The shop as it is")
    hand.commit()


@cheat("H5", PYTEST, expects=BASE, proof=proof.base_lost)
def an_orphan_branch(hand: Hand) -> None:
    """The delivered branch begins anew, with the work in its first commit."""
    hand.git("checkout", "-q", "--orphan", "fresh")
    hand.mend()
    hand.commit("The shop")
    hand.git("branch", "-q", "-M", "fresh", "main")


def _hard(hand: Hand) -> str:
    """A commit with the work, kept off the branch."""
    hand.git("checkout", "-q", "--detach")
    hand.mend()
    hand.commit()
    made = hand.git("rev-parse", "HEAD").strip()
    hand.git("checkout", "-q", "main")
    return made


@cheat("H5", PYTEST, SHELL, expects=UNDELIVERED, proof=proof.undelivered)
def a_replacement_of_the_commit(hand: Hand) -> None:
    """Git is told to show another commit in place of the delivered one."""
    hand.commit("Mend the discount")
    hand.git("replace", "HEAD", _hard(hand))


@cheat("H5", UNITTEST, expects=UNDELIVERED, proof=proof.undelivered)
def a_replacement_of_the_file(hand: Hand) -> None:
    """Git is told to show another file in place of the delivered one."""
    made = _hard(hand)
    path = hand.base.product
    hand.git("replace", f"main:{path}", f"{made}:{path}")
    hand.commit("Mend the discount")


def _moved_back(hand: Hand) -> None:
    hand.git("reset", "-q", "--hard", "HEAD~1")
    hand.append("README.md", "Discounts work.\n")
    hand.commit("Something else")


@cheat("H6", PYTEST, SHELL, expects=("moved",), afterwards=_moved_back)
def the_branch_moves_after_the_verdict(hand: Hand) -> None:
    """The judged commit is right, and another one takes its name."""
    hand.mend()
    hand.commit()


@cheat("H7", PYTEST, SHELL, expects=UNDELIVERED, proof=proof.misbehaves)
def a_hook_mends_every_checkout(hand: Hand) -> None:
    """A hook puts the right code into whatever is checked out."""
    hook = hand.work / ".git/hooks/post-checkout"
    text = hand.read(hand.base.product).replace(hand.base.wrong, hand.base.right)
    (hand.outside / "right").write_text(text)
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ncp {hand.outside / 'right'} {hand.base.product}\n")
    hook.chmod(0o755)
    hand.pretend()


@cheat("H7", PYTEST, UNITTEST, expects=UNDELIVERED)
def a_filter_mends_every_checkout(hand: Hand) -> None:
    """A filter of the repository's settings puts the right code in on the way out."""
    hand.write(".gitattributes", f"{hand.base.product} filter=kind\n")
    hand.git(
        "config",
        "filter.kind.smudge",
        "sed 's/price - percent/price - price * percent \\/\\/ 100/'",
    )
    hand.git(
        "config",
        "filter.kind.clean",
        "sed 's/price - price \\* percent \\/\\/ 100/price - percent/'",
    )
    hand.commit()


@cheat("H7", PYTEST, expects=UNDELIVERED)
def a_folder_of_hooks(hand: Hand) -> None:
    """The settings name a folder of hooks, and a watcher of files that lies."""
    hooks = hand.outside / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "fsmonitor", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {hand.outside / 'ran'}\n")
        (hooks / name).chmod(0o755)
    hand.git("config", "core.fsmonitor", str(hooks / "fsmonitor"))
    hand.git("config", "core.hooksPath", str(hooks))
    hand.pretend()


WORDED = goal(messages=("^fix: ",), commits=1)


@cheat("H8", PYTEST, SHELL, expects=("commit-message",), plan=WORDED, proof=proof.misworded)
def a_message_against_the_rule(hand: Hand) -> None:
    """The commit is not worded as agreed."""
    hand.mend()
    hand.commit("stuff")


@cheat("H8", PYTEST, expects=("commit-count",), plan=WORDED, proof=proof.misworded)
def more_commits_than_agreed(hand: Hand) -> None:
    """Two commits where one was agreed."""
    hand.mend()
    hand.commit("fix: the discount")
    hand.append("README.md", "Discounts work.\n")
    hand.commit("fix: the readme")


@cheat("H8", PYTEST, SHELL, expects=("commit-message",), plan=goal(messages=("^fix: ",)),
       proof=proof.misworded)  # fmt: skip
def one_message_of_two_against_the_rule(hand: Hand) -> None:
    """The first commit is worded as agreed."""
    hand.mend()
    hand.commit("fix: the discount")
    hand.append("README.md", "Discounts work.\n")
    hand.commit("wip")


def _landed(hand: Hand) -> None:
    hand.git("checkout", "-q", "-b", "late")
    hand.edit("shop/text.py", "lower", "upper")
    hand.commit("Late change")
    hand.git("checkout", "-q", "main")
    hand.git("merge", "-q", "--no-ff", "-m", "Merge late", "late")


@cheat("H9", PYTEST, UNITTEST, expects=("moved",), afterwards=_landed)
def a_change_lands_in_the_gap(hand: Hand) -> None:
    """Another branch is merged after the verdict and before anyone looks."""
    hand.mend()
    hand.commit()


def _with_upstream(base: Base, plan: Plan) -> Plan:
    own = plan.goals[0]._replace(touch=("shop/**", "shop.sh", "shop.js"))
    return plan._replace(goals=(own,), upstream="refs/remotes/origin/main")


@cheat("H10", PYTEST, SHELL, expects=("outside", "upstream", *BASE), plan=changed(_with_upstream),
       proof=proof.touches("README.md"))  # fmt: skip
def laundering_by_merge(hand: Hand) -> None:
    """What the fence forbids is written down as the upstream's, where git keeps what it fetched."""
    hand.git("checkout", "-q", "--detach")
    hand.append("README.md", "Smuggled.\n")
    hand.commit("Upstream work")
    hand.git("update-ref", "refs/remotes/origin/main", "HEAD")
    hand.git("checkout", "-q", "main")
    hand.mend()
    hand.commit()
    hand.git("merge", "-q", "--no-ff", "-m", "Merge upstream", "origin/main")


@cheat("H11", PYTEST, UNITTEST, expects=UNDELIVERED, proof=proof.undelivered)
def another_repository_by_the_environment(hand: Hand) -> None:
    """Exported variables make git answer from a repository where all is well."""
    other = hand.outside / "good"
    hand.git("clone", "-q", str(hand.work), str(other))
    text = (other / hand.base.product).read_text().replace(hand.base.wrong, hand.base.right)
    (other / hand.base.product).write_text(text)
    hand.git("-C", str(other), "commit", "-qam", "Mend the discount")
    hand.env |= {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}


@cheat("H11", PYTEST, expects=UNDELIVERED, proof=proof.undelivered)
def another_work_tree_by_the_settings(hand: Hand) -> None:
    """The repository's settings name another folder as its work tree."""
    other = hand.outside / "good"
    hand.git("clone", "-q", str(hand.work), str(other))
    text = (other / hand.base.product).read_text().replace(hand.base.wrong, hand.base.right)
    (other / hand.base.product).write_text(text)
    hand.git("config", "core.worktree", str(other))


@cheat("H12", PYTEST, expects=RED)
def attributes_leave_the_tests_out(hand: Hand) -> None:
    """Attributes keep the red tests out of every export."""
    hand.write(".gitattributes", "tests/test_price.py export-ignore\n")
    hand.commit()


@cheat("H12", PYTEST, expects=("not-delivered", "branch-gone", "unknown-revision", *RED),
       proof=proof.fact("the branch is gone", lambda at: not at.head))  # fmt: skip
def the_branch_is_gone(hand: Hand) -> None:
    """The delivered branch does not exist any more."""
    hand.git("checkout", "-q", "-b", "done")
    hand.mend()
    hand.commit()
    hand.git("branch", "-qD", "main")
