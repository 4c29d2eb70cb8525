"""A scenario of your own, judged by forsooth through its command line: copy this and change it.

A plan here is plain data, as a benchmark of your own may hold it; see docs/benchmark.md. Needs
only the standard library and `forsooth` on the PATH.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

GOAL = ("intent", "touch", "never", "may_change", "may_move", "may_remove")
RUN = ("argv", "cwd", "env", "exits", "timeout", "files")


class Forsooth:
    """One repository and what was agreed about it: `approve` before the agent, `judge` after."""

    def __init__(self, repo, home):
        self.repo, self.home = Path(repo), Path(home)
        self.tool = shutil.which("forsooth")  # found now, not by the agent's PATH

    def approve(self, plan):
        """Seal a plan as the script that speaks for a person; false when the plan is refused."""
        brief, argv = self.home / "BRIEF.md", ["plan", str(self.home / "BRIEF.md")]
        brief.write_text(written(plan), encoding="utf-8")
        if plan.get("hidden"):
            hidden = self.home / "HIDDEN.md"
            rows = [row(one, hidden=True) for one in plan["hidden"]]
            hidden.write_text(goal_text(plan["goals"][0]["title"], {}, rows), encoding="utf-8")
            argv += ["--hidden", str(hidden)]
        drafted = self.ask(*argv)
        if drafted["exit"] != 0:
            return False
        self.plan = drafted["plan"]["id"]  # the agent may make plans of its own
        return self.ask("seal", "--yes", "--plan", self.plan)["exit"] == 0

    def judge(self, goals=("G001",), shell=None):
        """Claim goals from the agent's shell: accepted, the codes and the text of the answer."""
        agent = {**(shell or {}), "AI_AGENT": "1"}
        answers = [self.ask("done", goal, "--plan", self.plan, env=agent) for goal in goals]
        return {
            "accepted": all(one["exit"] == 0 for one in answers),
            "unsure": any(one["exit"] not in (0, 1, 3, 4) for one in answers),
            "codes": [
                f["code"] for a in answers for f in a.get("findings", []) if f["outcome"] != "pass"
            ],
            "text": "\n".join(one["text"] for one in answers),
        }

    def ask(self, *argv, env=None):
        """One command: the object it printed, how it ended, and all it said."""
        own = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        done = subprocess.run(
            [self.tool, *argv, "--json"],
            cwd=self.repo,
            env={**own, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        answer = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        return {**answer, "exit": done.returncode, "text": done.stdout + done.stderr}


def written(plan):
    """The brief of a plan."""
    head = f"Deliver: branch {plan['deliver']}\n" if plan.get("deliver") else ""
    return head + "".join(goal(one, plan) for one in plan["goals"])


def goal(one, plan):
    rows = [row(criterion, one, plan) for criterion in one["criteria"]]
    if one.get("message") or one.get("commits"):
        asked = {
            "every": [one["message"]] if one.get("message") else [],
            "count": one.get("commits"),
        }
        rows.append({"says": "the commits read well", "check": "commits", "with": kept(asked)})
    return goal_text(one["title"], {key: one[key] for key in GOAL if one.get(key)}, rows)


def row(criterion, one=None, plan=None, *, hidden=False):
    """A command whose argv calls a known test runner is read by that runner's own report."""
    asked = {key: criterion[key] for key in RUN if criterion.get(key)}
    if criterion.get("stdout") is not None:
        asked["stdout"] = {"is": criterion["stdout"]}
    told = {"says": criterion["says"], "check": "command", "with": asked}
    told["oracle"] = (plan or {}).get("protected")
    told["mutants"] = (one or {}).get("mutants")
    return kept({**told, "hidden": hidden, "guard": criterion.get("guard")})


def kept(told):
    return {key: value for key, value in told.items() if value}


def goal_text(title, attributes, rows):
    """JSON is YAML, so a block needs no library to write."""
    blocks = f"```criteria\n{json.dumps(rows)}\n```\n"
    return (
        f"@goal: {title}\n"
        + (f"```goal\n{json.dumps(attributes)}\n```\n" if attributes else "")
        + blocks
    )
