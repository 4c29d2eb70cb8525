"""How a judge is bound to the scenarios: two methods. Ours go through the command line.

A binding may look at the plan, the repository and the claim; the scenario's label never reaches it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from forsooth.testing.adversary.scenario import Claim, Criterion, Goal, Plan
from forsooth.testing.stage import AGENT, Repo

SECONDS = 600
FORSOOTH = (sys.executable, "-I", "-m", "forsooth")


class Ruling(NamedTuple):
    """What a judge said. `commit` is what it judged, so that a later change can be seen."""

    accepted: bool
    codes: tuple[str, ...] = ()
    text: str = ""
    seconds: float = 0.0
    commit: str = ""
    unsure: bool = False
    """The judge could not say: neither accepted nor refused for a reason."""


class Approval(NamedTuple):
    """A plan in force: its name, where its records lie, or why it was refused."""

    plan: Plan
    name: str = ""
    records: tuple[Path, ...] = ()
    tool: tuple[str, ...] = ()
    refusal: Ruling | None = None


class Binding(Protocol):
    """A judge, as the benchmark sees it."""

    def approve(self, plan: Plan, repo: Repo) -> Approval:
        """A person agrees to the plan, before the agent starts."""
        ...

    def judge(self, approval: Approval, repo: Repo, claim: Claim) -> Ruling:
        """The agent claims; `repo.environment` is what its shell exports."""
        ...


class Answer(NamedTuple):
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """The object it printed, if it printed one."""
        try:
            return cast("dict[str, Any]", json.loads(self.out))
        except ValueError:
            return {}


class Forsooth:
    """This tool, as a person and an agent call it."""

    def approve(self, plan: Plan, repo: Repo) -> Approval:
        """Plan and seal as a script that speaks for a person."""
        brief = repo.folder.parent / "BRIEF.md"
        brief.write_text(written(plan), encoding="utf-8")
        argv = ["plan", str(brief)]
        if plan.hidden:
            kept = repo.folder.parent.parent / "hidden.md"
            kept.write_text(unseen(plan), encoding="utf-8")
            argv += ["--hidden", str(kept)]
        started = time.monotonic()
        drafted = _asked(repo, *argv)
        if drafted.code:
            return Approval(plan, refusal=_ruling((drafted,), started))
        name = drafted.data["plan"]["id"]
        sealed = _asked(repo, "seal", "--yes", "--plan", name)
        records = tuple((repo.folder / ".git/forsooth/plans" / name).glob("ledger.jsonl"))
        refusal = _ruling((sealed,), started) if sealed.code else None
        return Approval(plan, name, records, FORSOOTH, refusal)

    def judge(self, approval: Approval, repo: Repo, claim: Claim) -> Ruling:
        """Claim every goal the agent calls done, in the agent's own shell."""
        started = time.monotonic()
        goals = claim.goals or tuple(f"G{n:03}" for n in range(1, len(approval.plan.goals) + 1))
        agent = Repo(repo.folder, {**repo.environment, **AGENT})
        told = tuple(_asked(agent, "done", goal, "--plan", approval.name) for goal in goals)
        return _ruling(told, started)


def _asked(repo: Repo, *argv: str) -> Answer:
    try:
        done = subprocess.run(
            (*FORSOOTH, *argv, "--json"),
            cwd=repo.folder,
            env=dict(repo.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(124, "", f"{argv[0]} took more than {SECONDS} s")
    return Answer(done.returncode, done.stdout, done.stderr)


REFUSED = (1, 3, 4)


def _ruling(told: tuple[Answer, ...], started: float) -> Ruling:
    codes = tuple(code for one in told for code in _codes(one.data))
    commits = {str(one.data.get("commit") or "") for one in told}
    return Ruling(
        all(one.code == 0 for one in told),
        codes,
        "\n".join(f"exit {one.code}\n{one.out}{one.err}" for one in told),
        time.monotonic() - started,
        commits.pop() if len(commits) == 1 else "",
        unsure=not any(one.code in REFUSED for one in told) and any(one.code for one in told),
    )


def _codes(data: Mapping[str, Any]) -> list[str]:
    """Every code in an answer: of findings that do not hold, and of refusals."""
    found: list[str] = []
    for key, value in data.items():
        if key == "code" and data.get("outcome") not in ("pass", "waived"):
            found.append(str(value))
        rows = cast("list[Any]", value) if isinstance(value, list) else [value]
        for row in rows:
            if isinstance(row, dict):
                found += _codes(cast("dict[str, Any]", row))
    return found


def written(plan: Plan) -> str:
    """The brief a person would write for a plan."""
    head = [f"Deliver: branch {plan.deliver}"] if plan.deliver != "worktree" else []
    head += [f"Upstream: {plan.upstream}"] if plan.upstream else []
    return "\n".join([*head, "", *(_goal(goal, plan) for goal in plan.goals)])


def _goal(goal: Goal, plan: Plan) -> str:
    freed = tuple(p for p in goal.touch if "*" not in p and _is_protected(p, plan.protected))
    lines: dict[str, Any] = {
        "intent": goal.intent,
        "touch": goal.touch,
        "never": goal.never,
        "may_change": (*goal.may_change, *freed),
        "may_move": goal.may_move,
        "may_remove": goal.may_remove,
        "expects": "no-change" if goal.no_change else None,
    }
    rows = [_row(criterion, goal, plan) for criterion in goal.criteria]
    if goal.messages or goal.commits is not None:
        asked: dict[str, Any] = {"every": goal.messages, "count": goal.commits}
        rows.append({"says": "the commits read well", "check": "commits", "with": _kept(asked)})
    return "\n".join(
        [
            f"@goal: {goal.title}",
            _block("goal", _kept(lines)),
            _block("criteria", rows),
            "",
        ]
    )


def _is_protected(path: str, globs: tuple[str, ...]) -> bool:
    return any(path.startswith(glob.partition("*")[0]) for glob in globs)


def _row(criterion: Criterion, goal: Goal, plan: Plan) -> dict[str, Any]:
    if not criterion.argv:
        return {"says": criterion.says, "check": "approval"}
    row: dict[str, Any] = {
        "says": criterion.says,
        "check": "tests" if criterion.runner else "command",
    }
    row["with"] = _with(criterion)
    row["oracle"] = plan.protected
    row["guard"] = criterion.guard
    row["paths"] = criterion.paths
    row["mutants"] = [mutant._asdict() for mutant in goal.mutants]
    return _kept(row)


def _with(criterion: Criterion) -> dict[str, Any]:
    told = criterion.stdout
    return _kept(
        {
            "argv": criterion.argv,
            "runner": criterion.runner,
            "exits": criterion.exits,
            "stdout": {"is": told} if told is not None else None,
            "cwd": criterion.cwd,
            "env": dict(criterion.env),
            "timeout": criterion.timeout,
        }
    )


def _kept(lines: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in lines.items() if value not in (None, "", (), [], {}, 0, False)
    }


def _block(name: str, data: Any) -> str:
    """JSON is YAML, and needs no library to write."""
    return f"```{name}\n{json.dumps(data, indent=1, ensure_ascii=False)}\n```"


def unseen(plan: Plan) -> str:
    """The criteria the agent is not shown, in the form of `plan --hidden`."""
    rows = [
        {"says": one.says, "check": "command", "with": _with(one), "hidden": True}
        for one in plan.hidden
    ]
    return "\n".join([f"@goal: {plan.goals[0].title}", _block("criteria", rows), ""])
