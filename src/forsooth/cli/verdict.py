"""A verdict on the screen: every finding, what it rests on, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forsooth.cli import show
from forsooth.core.instant import moment
from forsooth.core.status import shown_status
from forsooth.core.strength import NOT_CHECKED, lacking_phrase, proven, rests_on
from forsooth.core.verdict import Finding
from forsooth.project import Checked, Claimed, Issued, telling

EXITS = {"pass": 0, "fail": 1, "inconclusive": 5}
MARKS = {
    "pass": ("✔", "green"),
    "fail": ("✘", "red"),
    "error": ("?", "yellow"),
    "waived": ("!", "yellow"),
}
RESERVED = ("~", "yellow")
STYLES = {"pass": "green", "fail": "red"}
NAMED = 5


def row(finding: Finding) -> show.Line:
    """One finding as it comes in."""
    mark, style = RESERVED if finding.is_reserved else MARKS.get(finding.outcome, ("–", "dim"))
    again = " (as before)" if finding.cached else f" {finding.took / 1000:.1f}s"
    return (f"  {mark} {finding.criterion} {finding.reason or finding.code}{again}", style)


def rows(
    found: Checked | Claimed,
    *,
    claimed: bool = False,
    differs: Mapping[str, tuple[str, ...]] | None = None,
) -> list[show.Line]:
    """What holds, what does not and why, and what the proof rests on."""
    seen, actions = found.seen, found.actions
    verdict = seen.verdict
    told: list[show.Line] = []
    for finding in verdict.findings:
        if finding.outcome == "waived":
            told.append((f"WAIVED {finding.criterion}: {finding.reason}", "yellow"))
        elif finding.outcome != "pass":
            told.append(f"{finding.criterion} {finding.code}: {finding.reason}")
            told.append((f"    try: {actions[finding.criterion]}", "dim"))
            told += [(f"    note: {one}", "") for one in (differs or {}).get(finding.criterion, ())]
    passed = sum(f.outcome == "pass" for f in verdict.findings)
    total = len(verdict.findings)
    word = verdict.outcome
    if isinstance(found, Claimed) and found.issued:
        word = proven(weak=found.issued.statement.predicate.weak)
        word = f"is {word} already" if found.again else word
    style = STYLES.get(verdict.outcome, "yellow")
    told.append((f"{verdict.subject} {word}: {passed} of {total} hold", style))
    if claimed and verdict.outcome == "pass":
        told += _strength(verdict.findings)
    if not claimed:
        told.append(f"  not run by check: {', '.join(NOT_CHECKED)}; forsooth done runs them")
    told += show.unheard(found.unheard) if isinstance(found, Claimed) else []
    told += [(f"  for your eyes: {flag}", "yellow") for flag in telling.flags(seen)]
    told += [(f"  {f.criterion}: {f.reason}", "yellow") for f in verdict.findings if f.is_reserved]
    told.append(f"  {_where(found)}, sandbox {verdict.isolation}, {seen.recipe.kind} {seen.how}")
    told += _undelivered(found)
    if isinstance(found, Claimed):
        told += _receipts(found)
    return told


def _where(found: Checked | Claimed) -> str:
    """The tree that was judged, and the commit that holds it, if one does."""
    tree, commit = found.seen.verdict.tree[:12], telling.commit_of(found)
    return f"tree {tree} (commit {commit[:12]})" if commit else f"tree {tree} (not committed)"


def _receipts(found: Claimed) -> list[show.Line]:
    """What there is to show for it, and what it is worth."""
    if found.issued is None:
        return []
    subject = found.seen.verdict.subject
    lines: list[show.Line] = [f"  receipt: forsooth receipt {subject}"]
    if found.whole:
        word = proven(weak=found.whole.statement.predicate.weak)
        lines.append((f"the plan is {word}, and has a receipt of its own", "green"))
        lies = found.at.dirty and not found.uncommitted
        return [*lines, "", "next: git commit -a" if lies else "next: forsooth verify"]
    ready = _ready(found.issued)
    if found.absent and not ready:
        return [*lines, *_elsewhere(found)]
    return [*lines, "", f"next: forsooth next {ready}".rstrip()]


def _elsewhere(found: Claimed) -> list[show.Line]:
    """Goals whose proven work is to be merged before the plan can be judged as a whole."""
    lines: list[show.Line] = [(f"  {one.says}", "yellow") for one in found.absent]
    commits = [one.commit[:12] for one in found.absent if one.commit]
    again = f"forsooth done {found.seen.verdict.subject}"
    if len(commits) < len(found.absent):
        return [*lines, "", f"next: commit it there, git merge it here, then {again}"]
    return [*lines, "", f"next: git merge {' '.join(commits)}, then {again}"]


def _ready(issued: Issued) -> str:
    """The first goal that can be begun now, if there is one."""
    state = issued.outcome.state
    now = moment(state.at)
    ready = [id_ for id_, one in state.goals.items() if shown_status(state, one, now) == "ready"]
    return ready[0] if ready else ""


def _strength(findings: Iterable[Finding]) -> list[show.Line]:
    lines: list[show.Line] = []
    for finding in findings:
        if finding.held:
            lines.append(f"  {finding.criterion} {rests_on(finding.held)}")
        lines += [(f"    {lacking_phrase(lack)}", "dim") for lack in finding.lacking]
    return lines


def _undelivered(found: Checked | Claimed) -> list[show.Line]:
    lines: list[show.Line] = []
    if found.uncommitted:
        names = ", ".join(found.uncommitted[:NAMED])
        lines.append((f"  not committed, so not delivered: {names}", "yellow"))
        lines.append(("    try: git commit -a", "dim"))
    if found.at.untracked:
        lines.append(f"  not delivered: {', '.join(found.at.untracked[:NAMED])}")
    return lines
