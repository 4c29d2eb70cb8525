"""What every code that Forsooth prints means, and what to type about it.

Three tables, one for each who prints: the gate's refusals (`core.why.EXPLAINED`), the judge's
findings (`judge.checks.actions.ACTIONS`, whose blanks are filled with words here), and everything
else, below. A test reads the codes out of the sources and asks for each.
"""

from __future__ import annotations

from collections.abc import Mapping

from forsooth.core.why import EXPLAINED, Answer, next_command

BLANKS = {
    "`{command}`": "the criterion's command",
    "{again}": "forsooth check GOAL",
    "{criterion}": "CRITERION",
    "{base}": "BASE",
    "{path}": "PATH",
}
_BRIEF = "`forsooth plan BRIEF.md` names the line and a form that works."
_GIT = "`git fsck` says more about the repository; `forsooth doctor` about this machine."
_KEY = "`forsooth verify` names the signers; `forsooth doctor` shows this machine's key."
_LEDGER = "`forsooth fsck` names the place; `forsooth fsck --recover` goes on from what is sound."
_RANGE = "`forsooth check RANGE` lists it with the test or file."
_LAYER = "`forsooth doctor` shows what the judge found to work with."

MEANINGS: Mapping[str, str] = {
    # how a command ended
    "error": "Something went wrong, as the message says. `forsooth doctor` looks at this machine.",
    "usage": "The command line was not understood. `forsooth status --help` shows options.",
    "refused": "The gate said no, with every reason. `forsooth why` says what comes next.",
    "unready": "A goal's entry criteria do not hold here. `forsooth why GOAL` names them.",
    "ledger": f"The ledger does not verify. {_LEDGER}",
    "tampered": f"A finished line of the ledger was changed, or the ledger cut back. {_LEDGER}",
    "unwritten": "A line may have been written. Repeat the command, or see `forsooth log`.",
    "could-not-verify": f"Something needed to decide is missing. {_LAYER}",
    "not-yet": "This version does not have that verb. `forsooth status` names one that helps.",
    "io": f"A file could not be read or written; the message names it. {_LAYER}",
    "worker": f"The process that does the work ended early. {_LAYER}",
    "no-terminal": "A person must answer at a terminal. Type `forsooth seal` in your own.",
    "read-only": "The repository cannot be written from here. Use the agent's MCP tool, or run "
    "`forsooth next` where .git is writable.",
    "bad-value": "A value does not fit; the message says which. `forsooth steer --help`.",
    "which-plan": "Several plans are live. `forsooth status --all` lists them; add --plan ID.",
    "no-plan": "There is no plan here yet. `forsooth plan --suggest` writes a first brief.",
    "unknown-subject": "Neither a goal, a criterion nor a code. `forsooth status` lists goals.",
    "other-branch": "It belongs to another branch than the one that is delivered. `git switch` to "
    "it, then `forsooth status`.",
    "edited": "A file was changed by hand after Forsooth wrote it, so it stays. `forsooth init "
    "--undo` lists what is left.",
    "no-identity": "git does not know who commits. Set user.name and user.email, then "
    "`forsooth done GOAL`.",
    "no-mcp": "The MCP extra is not installed. Install forsooth[mcp], then `forsooth mcp`.",
    "no-scenario": "No scenario fits. `forsooth bench --help` lists the kinds.",
    "bad-share": "A share is a number from 0 to 1. `forsooth verify --help`.",
    "bad-settings": "forsooth.toml has a line that does not fit; the message names it. Correct it, "
    "then `forsooth doctor`.",
    "locked": "Another process holds the ledger. Try again; `forsooth doctor` if it stays so.",
    # briefs
    "bad-brief": f"The brief has defects. {_BRIEF}",
    "no-brief": "No brief was given. `forsooth plan --suggest` writes a first one.",
    "ambiguous": f"A line can be read in two ways. {_BRIEF}",
    "bad-attribute": f"An attribute of a goal has a value it cannot have. {_BRIEF}",
    "bad-block": f"A `criteria` block is not well formed. {_BRIEF}",
    "bad-path": f"A path leaves the repository or is not one. {_BRIEF}",
    "contradiction": f"Two lines ask for opposite things. {_BRIEF}",
    "empty-block": f"A block has nothing in it. {_BRIEF}",
    "empty-brief": f"The brief has no goal. {_BRIEF}",
    "empty-command": f"A criterion has no command between its backticks. {_BRIEF}",
    "empty-goal": f"A goal has neither a title nor a text. {_BRIEF}",
    "empty-item": f"A criterion says nothing. {_BRIEF}",
    "in-goal": f"This line belongs above the first goal. {_BRIEF}",
    "in-preamble": f"A criterion must stand below its goal. {_BRIEF}",
    "not-text": f"The brief is not UTF-8 text. {_BRIEF}",
    "outside-preamble": f"This line is about the whole plan and stands in a goal. {_BRIEF}",
    "subjective": f"No run can decide this criterion. {_BRIEF}",
    "too-long": f"A line is longer than is read. {_BRIEF}",
    "unclosed-fence": f"A code block is opened and never closed. {_BRIEF}",
    "unclosed-quote": f"A quote or backtick is opened and never closed. {_BRIEF}",
    "unknown-shape": f"No check can be made of this sentence as it stands. {_BRIEF}",
    # git
    "bad-index": f"git's index cannot be read. {_GIT}",
    "bad-object": f"An object of the repository is damaged. {_GIT}",
    "bad-record": f"A record kept beside the plan cannot be read. {_LEDGER}",
    "bad-ref": f"A reference of the repository cannot be read. {_GIT}",
    "changing": "Files changed while they were read. Run `forsooth done GOAL` when all is quiet.",
    "forged-object": f"An object does not have the name it is stored under. {_GIT}",
    "git-failed": f"git ended with an error; the message quotes it. {_GIT}",
    "git-hangs": f"git did not answer in time. {_GIT}",
    "missing-lfs": "A large file is not here. `git lfs fetch`, then `forsooth done GOAL`.",
    "missing-objects": "The clone lacks objects. `git fetch` them, then `forsooth done GOAL`.",
    "not-a-commit": f"The name is not a commit. {_RANGE}",
    "not-a-file": "The path is not a file. `forsooth plan BRIEF.md` takes a file.",
    "not-committed": "There is no commit yet. `git commit`, then `forsooth plan BRIEF.md`.",
    "not-empty": "The folder is not empty. Choose another for `forsooth demo`.",
    "not-whole": f"A file could not be read to its end. {_GIT}",
    "reftable": "Repositories with reftable are not supported yet. `forsooth doctor` says so too.",
    "shallow": "The clone is shallow. `git fetch --unshallow`, then `forsooth check`.",
    "truncated": f"A file ends before its end. {_GIT}",
    "unborn": "There is no commit yet. `git commit`, then `forsooth plan BRIEF.md`.",
    "unknown-revision": f"No commit has this name here; fetch it. {_RANGE}",
    "unreadable": f"A file cannot be read. {_GIT}",
    "unrelated": f"The two commits have no common history. {_RANGE}",
    "dubious-ownership": "The repository belongs to another account. If you trust it, `git config "
    "--global --add safe.directory PATH`, then `forsooth status`.",
    "too-large": "Something is larger than is read before it is trusted; the message names it and "
    f"the limit. {_LAYER}",
    "unsafe-path": f"A path of the tree could leave the work tree. {_GIT}",
    # ledger
    "anchor-mismatch": f"The ledger is not the one this home knows. {_LEDGER}",
    "bad-hash": f"A line of the ledger does not have the hash it names. {_LEDGER}",
    "bad-seq": f"A line of the ledger has the wrong number. {_LEDGER}",
    "blob-altered": f"A record kept apart was changed. {_LEDGER}",
    "broken-chain": f"A line of the ledger does not name the line before it. {_LEDGER}",
    "not-canonical": f"A line of the ledger is not written as Forsooth writes it. {_LEDGER}",
    "poisoned": f"The ledger was found damaged before. {_LEDGER}",
    "rewound": f"The ledger is shorter than it was. {_LEDGER}",
    "linked-state": "A file of Forsooth's state is a link, and Forsooth makes none. See where it "
    "leads, remove it, then `forsooth fsck`.",
    # receipts
    "bad-envelope": f"This is not a receipt, or a damaged one. {_KEY}",
    "bad-key": f"A key cannot be read. {_KEY}",
    "bad-signature": f"A signature does not fit what it signs. {_KEY}",
    "bad-statement": f"A receipt does not say what a receipt must. {_KEY}",
    "expired-signer": f"The signer was listed until an earlier day. {_KEY}",
    "from-the-future": f"The receipt is dated later than now. {_KEY}",
    "isolation-below-floor": "It was judged with less isolation than the policy asks. `forsooth "
    "doctor` says what is missing.",
    "no-key": "There is no key to sign with. `forsooth init` makes one.",
    "no-receipt": "There is no such receipt. `forsooth status` shows what is proven.",
    "no-receipts": "No receipts are here. Fetch refs/forsooth/receipts, then `forsooth verify`.",
    "no-signature": f"The receipt is not signed. {_KEY}",
    "no-ssh": f"OpenSSH is not installed. {_LAYER}",
    "not-ancestor": "The work does not build on the plan's base. `git merge` it, then "
    "`forsooth done GOAL`.",
    "not-covered": "A changed file belongs to no goal that was proven for this branch. `forsooth "
    "plan BRIEF.md` with a goal that may change it, or leave the file as the base has it.",
    "not-passed": "The receipt is about a check that did not pass. `forsooth done GOAL` again.",
    "not-reproduced": "Run again, a check ended differently. `forsooth done GOAL` judges it again.",
    "not-yet-valid": f"The signer is listed from a later day on. {_KEY}",
    "older-plan": "The goal was proven under another version of the plan: one sealed earlier, "
    "or by someone who is not listed. `forsooth done GOAL` proves it under the one in force.",
    "open-key": "Others can read the key. Make it readable by you alone, then `forsooth verify`.",
    "other-goal": "The receipt is about another goal. `forsooth receipt GOAL` prints that one.",
    "other-ledger": f"The receipt belongs to another ledger than the one here. {_LEDGER}",
    "other-policy": "It was judged under another policy. `forsooth done GOAL` judges it again.",
    "other-tree": "The files are not those that were proven. `forsooth done GOAL` judges these.",
    "replayed": "Something changed after this receipt. `forsooth done GOAL` makes a new one.",
    "unknown-signer": "The key that signed is not listed in the base's forsooth.toml, and where "
    f"none is listed it is not this home's. {_KEY}",
    "untouched": f"A hardware key signed without being touched. {_KEY}",
    "wrong-namespace": f"The signature was made for something else. {_KEY}",
    "wrong-role": f"The signer is not listed for this. {_KEY}",
    # `check RANGE`
    "base": f"The base could not be run, so nothing can be compared. {_RANGE}",
    "ci": f"What the build server runs was changed. {_RANGE}",
    "deleted": f"A test is gone. {_RANGE}",
    "expects": f"A test expects something else than before. {_RANGE}",
    "green": f"A test that failed passes now. {_RANGE}",
    "new": f"A test is new. {_RANGE}",
    "new-skipped": f"A new test does not run. {_RANGE}",
    "no-suite": "No test suite was recognised. Name its command in forsooth.toml: `[environment] "
    'test = ["make", "test"]`, then `forsooth check`.',
    "package": f"A dependency was changed. {_RANGE}",
    "prose": f"Only words were changed. {_RANGE}",
    "red": f"A test fails that did not fail before, or is new. {_RANGE}",
    "removed": f"A test is gone together with what it tested. {_RANGE}",
    "runner": f"How tests are run was changed. {_RANGE}",
    "smell": f"Something a person should look at. {_RANGE}",
    "still-red": f"A test fails as it did before. {_RANGE}",
    "weakened": f"A test asserts less than before. {_RANGE}",
    # environment and sandbox
    "environment:build-failed": f"The project could not be built. {_LAYER}",
    "environment:conflict": f"The dependencies contradict each other. {_LAYER}",
    "environment:hash-mismatch": f"A package is not the one the lock names. {_LAYER}",
    "environment:install-failed": f"The installer ended with an error. {_LAYER}",
    "environment:lock-stale": "The lock file does not fit the manifest. Lock again (npm install, "
    f"uv lock, go mod tidy, cargo update -w) and commit it. {_LAYER}",
    "environment:needs-build": f"A package has no ready-made build for this machine. {_LAYER}",
    "environment:needs-network": "A command or an install script of the repository could not do "
    "without a network, and has none. `prepare` commands get one by your own settings alone: "
    f"`[policy] prepare_network = true` in ~/.config/forsooth/config.toml. {_LAYER}",
    "environment:no-lock": f"The dependencies are not locked. Commit a lock file. {_LAYER}",
    "environment:no-network": f"The package registry could not be reached. {_LAYER}",
    "environment:not-borrowed": f"The environment in use could not be copied. {_LAYER}",
    "environment:nothing-to-borrow": f"There is no environment to copy. {_LAYER}",
    "environment:pin-unavailable": f"A locked version is not in the registry. {_LAYER}",
    "environment:timeout": f"The installer did not end in time. {_LAYER}",
    "environment:tool-missing": f"A program that installs is not here. {_LAYER}",
    "environment:unreadable": f"A manifest or lock file cannot be read. {_LAYER}",
    "environment:vcs-dependency": f"A dependency is named by a repository or an address. {_LAYER}",
    "environment:wheel-collision": f"The project's files overwrite a dependency's. {_LAYER}",
    "over": f"The answer was known before this run was needed. {_LAYER}",
    "sandbox:floor": f"This machine cannot isolate as the policy asks. {_LAYER}",
    "sandbox:link": f"A link in the copy leads outside. {_LAYER}",
    "sandbox:lost": f"The sandbox ended without an answer. {_LAYER}",
    "sandbox:machine": f"This machine lacks what the sandbox needs. {_LAYER}",
    "sandbox:source": f"A path to mount leads outside the place it belongs to. {_LAYER}",
    "sandbox:start": f"The sandbox could not be started. {_LAYER}",
}


def explain(code: str) -> Answer | None:
    """What a code means; none when nothing prints it."""
    from forsooth.judge.checks.actions import ACTIONS

    says = EXPLAINED.get(code) or MEANINGS.get(code)
    if says is None and code in ACTIONS:
        says = ACTIONS[code]
        for blank, words in BLANKS.items():
            says = says.replace(blank, words)
        says = says.replace("{command}", "the criterion's command")
    return Answer(code, says, next_command(says)) if says else None
