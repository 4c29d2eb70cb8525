"""Why an environment could not be made, told from what an installer printed.

Every reason has a code, a remedy and the package to blame; none of them is a failed check.
"""

from __future__ import annotations

import re
from typing import Literal

from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox.job import Done

Why = Literal[
    "no-lock",
    "lock-stale",
    "pin-unavailable",
    "vcs-dependency",
    "tool-missing",
    "hash-mismatch",
    "conflict",
    "needs-build",
    "install-failed",
    "build-failed",
    "wheel-collision",
    "no-network",
    "needs-network",
    "timeout",
    "unreadable",
    "nothing-to-borrow",
    "not-borrowed",
]

# In order: the first that is found decides. A group named `package` says which one is to blame.
PATTERNS: tuple[tuple[Why, str], ...] = (
    ("vcs-dependency", r"build `(?P<package>[\w.-]+) @ git\+"),
    ("vcs-dependency", r"Git operation failed|unknown git error|failed to (?:clone|fetch) into"),
    ("needs-build", r"(?P<package>[\w.-]+)==\S+ has no usable wheels"),
    ("needs-build", r"Wheels are required for `(?P<package>[\w.-]+)`"),
    ("needs-build", r"Failed to (?:download and )?build `(?P<package>[\w.-]+)"),
    (
        "hash-mismatch",
        r"Hash mismatch for `(?P<package>[\w.-]+)|EINTEGRITY.*? (?P<npm>@?[\w./-]+)@",
    ),
    ("hash-mismatch", r"verifying (?P<package>\S+)@\S+: checksum mismatch|checksum for .* changed"),
    ("lock-stale", r"Missing: (?P<package>@?[\w./-]+)@\S+ from lock file"),
    ("lock-stale", r"are in sync|lockfile needs to be updated|lockfile would have been modified"),
    ("lock-stale", r"in the lockfile .* don't match|cannot update the lock file|OUTDATED_LOCKFILE"),
    ("lock-stale", r"updates to go\.mod needed|go\.mod is out of date"),
    ("no-lock", r"missing go\.sum entry for (?:module providing package )?(?P<package>\S+)"),
    ("pin-unavailable", r"there (?:is no version|are no versions) of (?P<package>[\w.-]+)"),
    ("pin-unavailable", r"Because (?P<package>[\w.-]+) was not found in the package registry"),
    ("pin-unavailable", r"No matching version found for (?P<package>@?[\w./-]+)@"),
    ("pin-unavailable", r"resource '(?P<package>@?[\w./-]+)@[^']*' could not be found"),
    ("pin-unavailable", r"select a version for the requirement `(?P<package>[\w-]+)"),
    ("pin-unavailable", r"no matching package named `(?P<package>[\w-]+)`"),
    ("pin-unavailable", r"Could not find artifact (?P<package>[\w.-]+:[\w.-]+)"),
    ("pin-unavailable", r"go: (?P<package>\S+)@v\S+: (?:reading|invalid version|unknown revision)"),
    ("conflict", r"you require (?P<package>[\w.-]+)\S* and .* which are incompatible"),
    ("conflict", r"While resolving: (?P<package>@?[\w./-]+)@"),
    ("conflict", r"No solution found|ERESOLVE|failed to select a version for `(?P<package>[\w-]+)"),
    ("tool-missing", r"requires (?P<package>go >= [\d.]+)|requires (?P<rust>rustc [\d.]+)"),
    ("tool-missing", r"EBADENGINE|release version (?P<package>\d+) not supported"),
    ("no-network", r"dns error|[Cc]ould(?: no|n')t resolve host|ENOTFOUND|EAI_AGAIN|no such host"),
    ("no-network", r"tcp connect error|Connection refused|error sending request"),
    ("no-network", r"UnknownHost|ECONNREFUSED|ENETUNREACH|[Nn]etwork is unreachable|timed out"),
)
OWN_STEPS = "name your own steps in forsooth.toml: environment.prepare"
# What package managers print about themselves when they fail.
HELP = re.compile(
    r"^npm (?:error|ERR!)\s*(?:$|Usage:|Options:|aliases:|Run \"npm help|Clean install|npm \S+$|\["
    r"|code |A complete log|.*debug-0\.log)|^(?:hint: )?(?:For more information|Usage:)"
    r"|^\[ERROR\]\s*(?:$|To see the full|Re-run Maven|For more information|\[Help)"
)
REMEDIES: dict[Why, str] = {
    "no-lock": "write the lock file with the project's own tool and commit it",
    "lock-stale": "bring the lock file up to date with the project's own tool and commit it",
    "pin-unavailable": "choose a version the registry still has and lock again",
    "vcs-dependency": f"depend on a release, or {OWN_STEPS}",
    "hash-mismatch": "lock again if the release was really replaced; else do not trust it",
    "conflict": "change the requirements that contradict each other and lock again",
    "tool-missing": "install the missing tool",
    "needs-build": 'allow it by name in forsooth.toml: environment.allow = ["{package}"]',
    "install-failed": "run the shown command by hand to see why",
    "build-failed": "run `python -m build` by hand to see why",
    "wheel-collision": "rename what collides, or leave it out of the wheel",
    "needs-network": (
        "depend on packages that bring what they need, or have it installed in the work tree: then "
        "it is copied at the seal"
    ),
    "no-network": "try again when the package registry can be reached",
    "timeout": "try again, or allow more in forsooth.toml: environment.seconds = 1800",
    "unreadable": "correct the file",
    "nothing-to-borrow": "install the dependencies in the work tree first",
    "not-borrowed": "have the environment copied again: forsooth seal --again",
}


def failure(why: Why, message: str, *, package: str = "", remedy: str = "") -> CouldNotVerify:
    """The error for one reason, with its remedy."""
    hint = remedy or REMEDIES[why].format(package=package or "NAME")
    return CouldNotVerify(message, hint=hint, code=f"environment:{why}")


def of_output(done: Done, argv: tuple[str, ...]) -> CouldNotVerify:
    """The reason an installer's step did not end well."""
    shown = " ".join((word.strip().splitlines() or [""])[0][:60] for word in argv[:4])
    if done.ended == "timeout":
        return failure("timeout", f"`{shown}` was not finished in time")
    output = plain_text(done.stderr) + "\n" + plain_text(done.stdout)
    why, package = classify(output)
    about = f" ({package})" if package else ""
    return failure(why, f"`{shown}` failed{about}: {excerpt(output)}", package=package)


def excerpt(output: str) -> str:
    r"""The lines that say why an installer failed; without a known one, the last that are no help.

    npm and others end with their usage, so that the last lines are the least useful ones.

    >>> excerpt("npm error code EUSAGE\nnpm error Missing: ms@2 from lock file\nnpm error Usage:")
    'npm error Missing: ms@2 from lock file'
    """
    lines = [line.strip() for line in output.splitlines()]
    lines = [line for line in lines if line.strip() and not HELP.search(line)]
    decided = [rows for _, pattern in PATTERNS if (rows := _matching(lines, pattern))]
    chosen = decided[0][:4] if decided else lines[-6:]
    return " / ".join(chosen)[-600:]


def _matching(lines: list[str], pattern: str) -> list[str]:
    return [line for line in lines if re.search(pattern, line)]


def classify(output: str) -> tuple[Why, str]:
    """The first known reason in an installer's output, and the package it names."""
    flat = re.sub(r"\s+", " ", output)
    for why, pattern in PATTERNS:
        if found := re.search(pattern, flat):
            return why, next((group for group in found.groups() if group), "")
    return "install-failed", ""


def plain_text(data: bytes) -> str:
    """Output without colours and without addresses that may carry a secret."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", data.decode("utf-8", errors="replace"))
    return re.sub(r"(\w+://)[^/\s@]*@", r"\1", text)
