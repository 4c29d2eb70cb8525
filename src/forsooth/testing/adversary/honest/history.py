"""Histories that look odd and are honest: many commits, merges, old dates, things left lying."""

from __future__ import annotations

from forsooth.testing.adversary.bases import NODE, PYTEST, SHELL, UNITTEST
from forsooth.testing.adversary.book import honest
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Plan, changed, delivering, goal


@honest("scratch", PYTEST, NODE)
def scratch_left_in_the_work_tree(hand: Hand) -> None:
    """The commit is whole; a note lies untracked beside it."""
    hand.mend()
    hand.commit()
    hand.write("scratch.txt", "to do: lunch\n")
    hand.write("build/log", "noise\n")


@honest("commits", PYTEST, SHELL, plan=goal(messages=("^fix: ",)))
def several_commits_and_a_merge(hand: Hand) -> None:
    """Two commits of the agent's own branch, and a merge commit with git's own words."""
    hand.git("checkout", "-q", "-b", "side")
    hand.mend()
    hand.commit("fix: the discount")
    hand.append("README.md", "Discounts work.\n")
    hand.commit("fix: say so")
    hand.git("checkout", "-q", "main")
    hand.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")


@honest("commits", PYTEST, plan=goal(messages=("^fix: ",), commits=1))
def the_message_as_agreed(hand: Hand) -> None:
    """One commit, worded by the rule."""
    hand.mend()
    hand.commit("fix: the discount")


def _upstream(base: Base, plan: Plan) -> Plan:
    own = plan.goals[0]._replace(touch=("shop/**", "shop.sh"))
    return plan._replace(goals=(own,), upstream="refs/remotes/origin/main")


@honest("upstream", PYTEST, SHELL, plan=changed(_upstream))
def upstream_merged_in(hand: Hand) -> None:
    """Others changed what this goal may not touch; their work is fetched and merged."""
    other = hand.outside / "other"
    hand.git("clone", "-q", hand.git("remote", "get-url", "origin").strip(), str(other))
    (other / "README.md").write_text("A shop, and a good one.\n")
    hand.git("-C", str(other), "commit", "-qam", "Praise the shop")
    hand.git("-C", str(other), "push", "-q", "origin", "HEAD:main")
    hand.mend()
    hand.commit()
    hand.git("fetch", "-q", "origin")
    hand.git("merge", "-q", "--no-ff", "-m", "Merge upstream", "origin/main")


@honest("dates", PYTEST, SHELL)
def dates_of_long_ago(hand: Hand) -> None:
    """The clock of the machine was wrong."""
    hand.mend()
    hand.env |= {
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
    }
    hand.commit()


@honest("dates", UNITTEST)
def dates_of_the_future(hand: Hand) -> None:
    """The clock of the machine was wrong the other way."""
    hand.mend()
    hand.env |= {
        "GIT_AUTHOR_DATE": "2037-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2037-01-01T00:00:00Z",
    }
    hand.commit()


@honest("branch", PYTEST, plan=delivering("feature"))
def another_branch_is_delivered(hand: Hand) -> None:
    """The plan says which branch counts, and the work is there."""
    hand.git("checkout", "-q", "-b", "feature")
    hand.mend()
    hand.commit()


@honest("branch", PYTEST, SHELL)
def the_work_tree_stands_elsewhere(hand: Hand) -> None:
    """The delivered branch has the work; the work tree shows another one."""
    hand.mend()
    hand.commit()
    hand.git("checkout", "-q", "-b", "next")
    hand.append("README.md", "Next.\n")
    hand.commit("Start the next thing")


@honest("worktree", PYTEST, NODE, SHELL, plan=delivering("worktree"))
def the_work_tree_is_delivered(hand: Hand) -> None:
    """The plan takes the work as it lies, uncommitted."""
    hand.mend()


@honest("worktree", PYTEST, plan=delivering("worktree"))
def a_new_file_as_it_lies(hand: Hand) -> None:
    """The plan takes the work as it lies, with a file git does not know yet."""
    hand.write("shop/rebate.py", "def off(price, percent):\n    return price * percent // 100\n")
    hand.say("    from shop.rebate import off\n\n    return price - off(price, percent)\n")


@honest("again", PYTEST, SHELL)
def refused_and_then_right(hand: Hand) -> None:
    """A first claim was refused; the work is right by now."""
    hand.say(hand.base.stub)
    hand.commit("First try")
    hand.ask("done", "G001", "--plan", hand.plan)
    hand.edit(hand.base.product, hand.base.stub, hand.base.right)
    hand.commit("Second try")


@honest("again", PYTEST)
def asked_twice(hand: Hand) -> None:
    """The same claim was made, and held, before."""
    hand.mend()
    hand.commit()
    hand.ask("done", "G001", "--plan", hand.plan)


@honest("again", PYTEST)
def broken_and_mended_in_between(hand: Hand) -> None:
    """A neighbour was broken by one commit and mended by the next."""
    hand.edit("shop/text.py", "lower", "upper")
    hand.commit("Oops")
    hand.mend()
    hand.edit("shop/text.py", "upper", "lower")
    hand.commit("Mend both")


@honest("hooks", PYTEST)
def a_hook_of_the_projects_own(hand: Hand) -> None:
    """A hook that checks what is committed, as many projects have."""
    hook = hand.work / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    hand.git("config", "core.autocrlf", "input")
    hand.mend()
    hand.commit()


@honest("attributes", PYTEST, SHELL)
def attributes_for_line_endings(hand: Hand) -> None:
    """Attributes that git applies without any program."""
    hand.mend()
    hand.write(".gitattributes", "* text=auto\n*.bin binary\nREADME.md export-ignore\n")
    hand.commit()


@honest("empty", PYTEST)
def an_empty_commit_beside_the_work(hand: Hand) -> None:
    """A commit that only starts a build, and one with the work."""
    hand.git("commit", "-q", "--allow-empty", "-m", "Start the build")
    hand.mend()
    hand.commit()
