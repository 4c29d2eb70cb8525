"""`forsooth bench`: measure the judge against cheats and honest work."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from forsooth.cli import options, show
from forsooth.errors import UsageError
from forsooth.testing.adversary import GROUPS, scenarios
from forsooth.testing.adversary.scenario import Scenario
from forsooth.testing.baselines import BASELINES
from forsooth.testing.bench import Bench, Result
from forsooth.testing.binding import Forsooth
from forsooth.testing.chart import chart
from forsooth.testing.score import Score, by_group, by_kind, score

OURS = "forsooth"


@click.command()
@click.option(
    "--kind", default="", help="Run only this kind (C4, honest:links) or group (C, honest)."
)
@click.option("--only", default="", help="Run only scenarios whose name contains this text.")
@click.option(
    "--baselines", is_flag=True, help="Also measure common alternatives, such as running the tests."
)
@click.option(
    "--labels", is_flag=True, help="Prove that each scenario is labelled correctly; judge nothing."
)
@click.option("--list", "listed", is_flag=True, help="List the scenarios; run nothing.")
@click.option("--jobs", default=0, help="Number of parallel runs (default: number of processors).")
@click.option(
    "--chart", "picture", default="", metavar="FILE", help="Also write the results as an SVG chart."
)
@click.option("--details", is_flag=True, help="Print the judge's output where it was wrong.")
@options.as_json
def command(
    *,
    kind: str,
    only: str,
    baselines: bool,
    labels: bool,
    listed: bool,
    jobs: int,
    picture: str,
    details: bool,
    as_json: bool,
) -> int:
    """Run every scenario, cheats and honest work, against the installed judge.

    Leaves no files behind. Once the judge has a test runner, it needs no network.
    """
    chosen = _chosen(kind, only)
    if listed:
        return _listed(chosen, as_json=as_json)
    bench = Bench(environment=os.environ, jobs=jobs or os.cpu_count() or 1)
    if labels:
        return _labels(bench, chosen, as_json=as_json)
    judges = {OURS: Forsooth(), **(BASELINES if baselines else {})}
    played = {
        name: bench.run(chosen, judge, tell=lambda r, n=name: _told(r, n, details=details))
        for name, judge in judges.items()
    }
    scores = {name: score(results) for name, results in played.items()}
    if picture:
        Path(picture).write_text(chart(scores), encoding="utf-8")
    if as_json:
        show.data(_data(scores, played[OURS]))
    else:
        show.lines(_rows(scores, played[OURS]))
    ours = scores[OURS]
    return 1 if ours.accepted or ours.blocked or ours.broke else 0


def _chosen(kind: str, only: str) -> tuple[Scenario, ...]:
    found = tuple(
        one for one in scenarios() if kind in ("", one.kind, one.group) and only in one.name
    )
    if not found:
        raise UsageError("no scenario fits", hint="forsooth bench --list", code="no-scenario")
    return found


def _listed(chosen: tuple[Scenario, ...], *, as_json: bool) -> int:
    if as_json:
        told = ("name", "kind", "group", "honest", "says")
        show.data({"scenarios": [{key: getattr(one, key) for key in told} for one in chosen]})
    else:
        show.lines([f"{one.name:70} {one.says}" for one in chosen])
    return 0


def _labels(bench: Bench, chosen: tuple[Scenario, ...], *, as_json: bool) -> int:
    def tell(one: Scenario, wrong: str) -> None:
        if wrong:
            show.lines([(f"  ✘ {one.name}: {wrong}", "red")], to=sys.stderr)

    wrong = bench.labels(chosen, Forsooth(), tell=tell)
    if as_json:
        show.data({"labels": len(chosen), "wrong": wrong})
    else:
        show.lines([f"{len(chosen) - len(wrong)} of {len(chosen)} labels hold"])
    return 1 if wrong else 0


def _told(result: Result, judge: str, *, details: bool) -> None:
    if judge != OURS or result.good or result.repaired:
        return
    unsure = "could not be judged" if result.unsure else "refused"
    what = result.broke or ("accepted" if result.accepted else unsure)
    codes = f" ({', '.join(result.codes)})" if result.codes else ""
    rows: list[show.Line] = [(f"  ✘ {result.scenario.name}: {what}{codes}", "red")]
    rows += [f"      {line}" for line in result.text.splitlines()] if details else []
    show.lines(rows, to=sys.stderr)


def _data(scores: Mapping[str, Score], ours: list[Result]) -> dict[str, Any]:
    return {
        OURS: {**scores[OURS].data(), "kinds": len(by_kind(ours))},
        "baselines": {name: one.data() for name, one in scores.items() if name != OURS},
        "groups": {name: one.data() for name, one in by_group(ours).items()},
        "kinds": {name: one.data() for name, one in by_kind(ours).items()},
    }


def _rows(scores: Mapping[str, Score], ours: list[Result]) -> list[show.Line]:
    titles = {name[0].upper(): says for name, says in GROUPS.items()}
    rows: list[show.Line] = [(f"{'':30}{'cheats caught':>24}{'honest refused':>24}", "bold")]
    rows += [_row(f"{name} {titles.get(name, '')}", one) for name, one in by_group(ours).items()]
    rows.append("")
    rows += [_row(name, one) for name, one in scores.items()]
    found = scores[OURS]
    rows.append("")
    rows.append(f"reason named: {_share(found.reasoned)} of refusals")
    rows.append(f"repaired at the first retry, from the refusal alone: {_share(found.repaired)}")
    rows.append(f"half of all rulings within {found.seconds:.1f} s")
    return rows


def _row(name: str, found: Score) -> show.Line:
    return f"{name:30}{_share(found.caught):>24}{_share(found.refused):>24}"


def _share(share: Any) -> str:
    if not share.all:
        return "–"
    low, high = share.interval
    return f"{share.some}/{share.all} ({100 * low:.1f}–{100 * high:.1f} %)"
