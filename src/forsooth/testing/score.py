"""What the rulings add up to, with how sure a count can be: data for the table, JSON and chart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from forsooth.testing.bench import Result

Z = 1.959964


class Share(NamedTuple):
    """Some of all, and the 95 % interval of Wilson around their share."""

    some: int
    all: int

    @property
    def interval(self) -> tuple[float, float]:
        """The lowest and the highest share that would not surprise."""
        if not self.all:
            return (0.0, 1.0)
        share, square = self.some / self.all, Z * Z
        middle = share + square / (2 * self.all)
        spread = Z * math.sqrt(share * (1 - share) / self.all + square / (4 * self.all**2))
        whole = 1 + square / self.all
        low = 0.0 if not self.some else (middle - spread) / whole
        high = 1.0 if self.some == self.all else (middle + spread) / whole
        return (max(0.0, low), min(1.0, high))

    def data(self) -> dict[str, Any]:
        """As JSON."""
        low, high = self.interval
        share = self.some / self.all if self.all else 0.0
        rounded = {"share": round(share, 4), "low": round(low, 4), "high": round(high, 4)}
        return {"count": self.some, "of": self.all, **rounded}


class Score(NamedTuple):
    """One judge over one set of scenarios."""

    caught: Share
    refused: Share
    reasoned: Share
    repaired: Share
    unsure: tuple[str, ...]
    broke: tuple[str, ...]
    accepted: tuple[str, ...]
    blocked: tuple[str, ...]
    seconds: float

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "cheats": self.caught.all,
            "cheats_accepted": self.caught.all - self.caught.some,
            "caught": self.caught.data(),
            "honest": self.refused.all,
            "honest_refused": self.refused.some,
            "refused": self.refused.data(),
            "reason_accuracy": self.reasoned.data(),
            "repaired_first_retry": self.repaired.data(),
            "could_not_say": list(self.unsure),
            "could_not_be_played": list(self.broke),
            "accepted_names": list(self.accepted),
            "refused_names": list(self.blocked),
            "median_seconds": round(self.seconds, 2),
        }


def score(results: Iterable[Result]) -> Score:
    """Count; what a judge could not say is caught for a cheat, and refused for honest work."""
    rows = list(results)
    cheats = [r for r in rows if not r.scenario.honest and r.scenario.repair is None]
    honest = [r for r in rows if r.scenario.honest]
    unfinished = [r for r in rows if r.scenario.repair is not None]
    caught = [r for r in cheats if not r.accepted]
    refused = [r for r in honest if not r.accepted]
    times = sorted(r.seconds for r in rows) or [0.0]
    return Score(
        Share(len(caught), len(cheats)),
        Share(len(refused), len(honest)),
        Share(sum(r.reasoned for r in caught), len(caught)),
        Share(sum(bool(r.repaired) for r in unfinished), len(unfinished)),
        tuple(r.scenario.name for r in rows if r.unsure),
        tuple(r.scenario.name for r in rows if r.broke),
        tuple(r.scenario.name for r in cheats if r.accepted),
        tuple(r.scenario.name for r in refused),
        times[len(times) // 2],
    )


def by_kind(results: Iterable[Result]) -> dict[str, Score]:
    """The same, kind by kind; honest work is kept together by what it is about."""
    kinds: dict[str, list[Result]] = {}
    for result in results:
        kind = "unfinished" if result.scenario.repair else result.scenario.kind
        kinds.setdefault(kind, []).append(result)
    return {kind: score(rows) for kind, rows in kinds.items()}


def by_group(results: Iterable[Result]) -> dict[str, Score]:
    """The same, group by group."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.scenario.group, []).append(result)
    return {group: score(rows) for group, rows in groups.items()}
