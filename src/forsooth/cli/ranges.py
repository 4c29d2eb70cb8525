"""What a branch did, told to a person: the worst first, each with what shows it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from forsooth.cli import show
from forsooth.cli.progress import RunProgress
from forsooth.cli.trust import confirmed
from forsooth.project import Project, Ranged, Span
from forsooth.project.persons import at_terminal

if TYPE_CHECKING:
    from forsooth.judge.branch.remarks import Remark
    from forsooth.judge.range import Compared

EXITS = {"clean": 0, "fail": 1, "inconclusive": 5}
MARKS = {"wrong": ("✘", "red"), "look": ("?", "yellow"), "note": ("·", "dim")}
MOST = 12
LONGEST = 160
NAMED = 3


def compared(
    project: Project, text: str, *, branch: str, pr: int, fresh: bool, as_json: bool
) -> int:
    """Compare and report; whoever can be asked whether commands may run is asked first, once."""
    from forsooth.judge.range import MOST_RUNS

    about = project.span(text, branch=branch, pr=pr)
    wishes = project.asks(about)
    missing = project.untrusted(dict.fromkeys(wish.argv for wish in wishes))
    asks = missing and at_terminal() and project.actor.is_person
    if asks and confirmed(project, wishes, missing):
        project.trust((wish.argv for wish in wishes), project.actor.channel)
    places = project.concerned(about).paths
    with RunProgress(places, quiet=as_json, most=MOST_RUNS) as progress:
        found = project.compare(about, fresh=fresh, tell=progress)
    differs = project.range_differences(found)
    if as_json:
        show.data({**described(found), "differs": list(differs)})
    else:
        show.lines([*rows(found), *(f"  note: {one}" for one in differs)])
    return EXITS[found.outcome]


def described(found: Ranged) -> dict[str, Any]:
    """A comparison as data."""
    return {
        "range": found.span.says,
        "base": found.span.base.plain(),
        "head": {"commit": found.span.commit, "tree": found.span.tree},
        "outcome": found.outcome,
        "code": found.code,
        "isolation": found.isolation,
        "projects": [_project(one, found.span) for one in found.projects],
        "not_run": list(found.others),
        "cached": found.cached,
        "untracked": list(found.span.untracked),
    }


def _project(one: Compared, span: Span) -> dict[str, Any]:
    trouble = one.trouble
    return {
        "path": one.project,
        "outcome": one.outcome,
        "code": one.code,
        "argv": list(one.argv),
        "tests": {"before": one.before, "after": one.after},
        "runs": one.runs,
        "remarks": [{**row._asdict(), "shows": shows(row, one, span)} for row in one.remarks],
        **({"trouble": trouble.message, "hint": trouble.hint} if trouble else {}),
    }


def rows(found: Ranged) -> list[show.Line]:
    """A comparison as lines."""
    told: list[show.Line] = [(_head(found), "bold")]
    if not found.projects:
        return [*told, "nothing changed"]
    for one in found.projects:
        if one.project or len(found.projects) > 1:
            told.append((f"{one.project or '.'}", "bold"))
            if not one.remarks and not one.trouble:
                told.append(("  · nothing wrong was found", "dim"))
        told += _remarks(one, found.span)
        if one.trouble:
            told.append((f"  ? not run: {one.trouble.message}  [{one.trouble.code}]", "yellow"))
            if one.trouble.hint:
                told.append((f"      try: {one.trouble.hint}", "dim"))
    if found.others:
        named = ", ".join(found.others)
        told.append((f"not run, as nothing there depends on what changed: {named}", "dim"))
    return [*told, *_verdict(found)]


def _head(found: Ranged) -> str:
    before, after = (sum(getattr(one, n) for one in found.projects) for n in ("before", "after"))
    counted = f"{before} test{'' if before == 1 else 's'} before, {after} after"
    tests = f": {counted}" if before or after else ""
    return f"{found.span.says}{tests}"


def _verdict(found: Ranged) -> Iterator[show.Line]:
    wrong = sum(one.rank == "wrong" for project in found.projects for one in project.remarks)
    looks = sum(one.rank == "look" for project in found.projects for one in project.remarks)
    eyes = f", {looks} to look at" if looks else ""
    if wrong:
        yield (f"fail: {wrong} wrong{eyes}", "red")
    elif found.outcome == "inconclusive":
        yield (f"inconclusive ({found.code}): not all of it could be run{eyes}", "yellow")
    else:
        says = "no criteria were stated, so this is not a proof"
        yield (f"clean: nothing wrong was found{eyes}; {says}", "green")
    for one in found.projects:
        argv = f"`{shlex.join(one.argv)}` " if one.argv else ""
        where = f"{one.project or '.'}: " if len(found.projects) > 1 else ""
        runs = f"{one.runs} runs, {one.took:.1f} s, sandbox {found.isolation}"
        yield (f"  {where}{argv}{runs}", "dim")
    if found.cached:
        yield ("  found before; run it again: forsooth check --fresh", "dim")


def _remarks(one: Compared, span: Span) -> Iterator[show.Line]:
    groups = _alike(row for row in one.remarks if row.rank != "note")
    commands = [shows(row, one, span) for row, _ in groups[:MOST]]
    for (row, count), command, after in zip(groups, commands, [*commands[1:], ""], strict=False):
        mark, style = MARKS[row.rank]
        cases = f" ({count} cases)" if count > 1 else ""
        says = f": {row.says}" if row.says else ""
        yield (f"  {mark} {row.code:<9} {_cut(row.subject + cases + says)}", style)
        if command != after:
            yield (f"      {command}", "dim")
    hidden = sum(count for _, count in groups[MOST:])
    if hidden > 0:
        yield (f"  … and {hidden} more: forsooth check {span.text} --json", "yellow")
    yield from _notes(row for row in one.remarks if row.rank == "note")


def _alike(rows: Iterable[Remark]) -> list[tuple[Remark, int]]:
    """One row for all cases of a test of which the same is said, and how many they are."""
    from forsooth.judge.reports.ids import base_of

    groups: dict[Remark, list[Remark]] = {}
    for row in rows:
        groups.setdefault(row._replace(subject=base_of(row.subject)), []).append(row)
    return [(alike if len(every) > 1 else every[0], len(every)) for alike, every in groups.items()]


def _notes(found: Iterable[Remark]) -> Iterator[show.Line]:
    """What is no trouble, one line a kind."""
    by_code: dict[tuple[str, str], list[str]] = {}
    for row in found:
        says = row.says if row.code in ("new", "prose") else ""
        by_code.setdefault((row.code, says), []).append(row.subject)
    for (code, says), subjects in by_code.items():
        if code == "prose":
            yield (f"  · {says}", "dim")
            continue
        told = _cut(", ".join(subjects[:NAMED]))
        more = f" and {len(subjects) - NAMED} more" if len(subjects) > NAMED else ""
        yield (f"  · {code:<9} {len(subjects)}{f', {says}' if says else ''}: {told}{more}", "dim")


def shows(row: Remark, one: Compared, span: Span) -> str:
    """A command that shows it."""
    if row.code in ("red", "flaky", "still-red", "threshold", "failed", "errors"):
        aims = "pytest" in one.argv and "::" in row.subject
        inside = f"cd {shlex.quote(one.project)} && " if one.project else ""
        return inside + shlex.join((*one.argv, row.subject) if aims else one.argv)
    ends = [(span.base.commit or "HEAD")[:12]]
    ends += [] if span.is_worktree else [(span.commit or "HEAD")[:12]]
    if row.path:
        return shlex.join(("git", "diff", *ends, "--", row.path))
    return shlex.join(("git", "diff", "--stat", *ends))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
