"""What to do about each code a check gives: one sentence, with the command that shows it again."""

from __future__ import annotations

import re
from collections.abc import Mapping

from forsooth.core.assignment import shown
from forsooth.core.ids import SUITE
from forsooth.core.plan import Criterion

# The file a reason is about, as the checks word it.
_PATH = re.compile(r"(?:passes only with |^)([^\s,]+)(?:,| as | and | is | was | changes | \()")

ACTIONS: Mapping[str, str] = {
    # any check that runs something
    "exit": "Run `{command}` and mend what makes it exit so.",
    "signal": "Run `{command}` and find what kills the process.",
    "timeout": "Run `{command}`, find what hangs, or ask for a longer `timeout`.",
    "memory": "Run `{command}` and bring its use of memory down.",
    "output": "Run `{command}` and make it print less.",
    "not-run": "Run `forsooth doctor` to see why `{command}` cannot be started here.",
    "not-found": "Run `forsooth doctor` and add the missing program to the environment.",
    "bad-cwd": "Change `cwd` in the brief to a folder of the repository, then `forsooth plan`.",
    "output-lacks": "Run `{command}` and make it print what the criterion asks for.",
    "output-has": "Run `{command}` and remove what the criterion forbids from its output.",
    "output-differs": "Run `{command}` and make its output exactly what the criterion says.",
    # tests
    "failed": "Run `{command}` and mend the first failing test it names.",
    "errors": "Run `{command}` and mend what keeps the first named test from running.",
    "collection": "Run `{command}` and mend the error that keeps the tests from being built.",
    "threshold": "Run `{command}` and look past the green tests: a threshold or teardown fails.",
    "exit-disagrees": "Run `{command}`, then remove what turns its failures into exit 0.",
    "no-tests": "Run `{command}` and name tests that exist and are not skipped.",
    "no-report": "Run `{command}` and see that the named runner itself is started.",
    "report-truncated": "Run `{command}` and remove what ends the runner before its own end.",
    "report-unreadable": "Run `{command}` and remove what else writes into the runner's report.",
    "unknown-runner": "Name a known runner in the brief, or `junit:PATTERN`, then `forsooth plan`.",
    "runner-hidden": "Write the runner's own command in the brief, then `forsooth plan`.",
    # what a green run must survive
    "oracle-changed": "Take back what `git diff {base} -- {path}` shows, a new file as a whole, "
    "and mend the code, or ask a person for `May change: {path}` in the brief.",
    "unclear-file": "Revert it (`git checkout {base} -- {path}`) and fix the code, or ask a person "
    "to permit it: `May change: {path}` in the brief, or `forsooth agree {criterion}`.",
    "oracle-rewritten": "Remove what writes the files that are named while the work runs, then "
    "`{again}`: the work may only read what it is judged by.",
    "inventory": "Bring back the tests that are named, or ask for `May remove:` in the brief.",
    "skipped": "Let the tests that are named run and pass, then `{again}`; a skip is not a pass.",
    "softened": "Let the test that is named compare again, then `{again}`; a changed test may "
    "expect something else, not less.",
    "canary": "Run `{command}` and remove what turns a failing test green: one that had to fail "
    "was told as passed.",
    "flip": "Run `{command}` and remove what turns a failing test green: one broken on purpose "
    "did not fail.",
    "runner-patched": "Remove what changes the test runner's own functions, then `{again}`.",
    "runner-in-copy": "Remove the files that stand in for the test runner, then `{again}`.",
    "plugin-in-copy": "Remove the plug-in that the work adds to the test runner, then `{again}`.",
    "green-before": "Let `{command}` fail without the work: its tests pass on the base. Where the "
    "goal is tests for what works, ask a person for `mutants` that they must notice.",
    "cannot-fail": "Let `{command}` look at results: it passes whatever comes out.",
    "answers-read": "Let the product work out what it answers, then `{again}`: it reads that from "
    "the files that are named, with which it is compared.",
    "submodule": "Commit the files themselves, or ask for `May change: {path}` in the brief.",
    "toolchain-changed": "Install the tool that is named anew as it was, or ask a person for "
    "`forsooth seal --again`.",
    "shadowed": "Remove {path} and build it where it is needed, or ask for `May change: {path}` in "
    "the brief.",
    "flaky": "Run `{command}` several times and mend what makes it end differently.",
    "cut-short": "Run `{command}` to its own end: the code under test ends the process early.",
    "hidden": "Go through the objective again, then `{again}`: what is not shown does not hold.",
    "hidden-lost": "Ask a person to give the hidden checks again, with `forsooth plan --hidden`.",
    "blob-missing": "Run `forsooth fsck`: a record the seal kept is not there any more.",
    # files
    "missing": "Write the file that is named, then `{again}`.",
    "forbidden": "Remove the file that is named, then `{again}`.",
    "too-few": "Add the files that are asked for, then `{again}`.",
    "lacks-text": "Put the text into the file that is named, then `{again}`.",
    "bash-syntax": "Run `bash -n` on the file that is named and mend its syntax.",
    # commits
    "commit-count": "Look at `git log` and make the number of commits what is asked.",
    "commit-message": "Look at `git log` and word the commits as the pattern asks.",
    # scope
    "never": "Take back what `git diff {base} -- {path}` shows, then `{again}`.",
    "outside": "Take back what `git diff {base} -- {path}` shows, or ask for a wider fence.",
    "link": "Replace the link by a file, or let it lead inside the fence, then `{again}`.",
    "collision": "Rename the file so that its name differs by more than case, then `{again}`.",
    "no-fence": "Ask for the fence of a goal, as in `forsooth check G001`.",
    # approval
    "awaiting-approval": "Ask a person to look and to type, in their own terminal: `forsooth agree "
    "{criterion}`.",
    # every kind
    "unknown-kind": "Run `forsooth plan` again: the brief names a check that is not there.",
    "bad-check": "Run `forsooth plan` again: the brief gives a check what it cannot take.",
}


def path_of(reason: str) -> str:
    """The first file that a reason is about; empty when it names none."""
    named = _PATH.search(reason)
    return named[1] if named else ""


def action(code: str, criterion: Criterion, *, reason: str = "", base: str | None = None) -> str:
    """The suggested action for a code; empty when all is well or the code is not ours."""
    if code not in ACTIONS:
        return ""
    goal = criterion.id.partition(".")[0]
    again = "forsooth check" if criterion.id == SUITE else f"forsooth check {goal}"
    filled = {
        "{command}": shown(criterion.check) or again,
        "{again}": again,
        "{criterion}": criterion.id,
        "{base}": base[:12] if base else "HEAD",
        "{path}": path_of(reason) or "PATH",
    }
    said = ACTIONS[code]
    for blank, words in filled.items():
        said = said.replace(blank, words)
    return said
