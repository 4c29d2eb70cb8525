"""Choosing the sandbox: the best this machine has, tried out once, with reasons for what it lacks.

Never a silent step down: a floor that cannot be met is an error that names the remedy.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from forsooth.core.policy import TIERS, YOURS, Tier
from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox import cgroup, confine, host, remembered, root
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import Done, Job, Lack, Limits, Mode, Mount, Progress, Sandbox
from forsooth.judge.sandbox.landlock import Landlock
from forsooth.judge.sandbox.remembered import Remembered
from forsooth.judge.sandbox.strict import Strict

__all__ = ["Done", "Job", "Lack", "Limits", "Mode", "Mount", "Progress", "Sandbox", "available"]

SECONDS = 20.0


def available(*, floor: Tier = "none", kept: Path | None = None) -> Sandbox:
    """The best sandbox this machine has; an error when that is less than the floor.

    A trial of the strict one that went well is remembered in `kept`, where that is given.
    """
    best = _best(kept)
    if TIERS.index(best.tier) < TIERS.index(floor):
        wanted = next(lack for lack in best.lacks if lack.tier == floor)
        says = f"this machine has no {floor} sandbox: {wanted.why}"
        hint = f'{wanted.fix}, or accept less: isolation = "{best.tier}" under [policy] in {YOURS}'
        raise CouldNotVerify(says, hint=hint, code="sandbox:floor")
    return best


@cache
def _best(kept: Path | None) -> Sandbox:
    return choose((partial(_strict, kept), _landlock))


def choose(ways: tuple[Callable[[], Sandbox | Lack], ...]) -> Sandbox:
    """The first way that works, told of those before it that do not."""
    lacks: list[Lack] = []
    for way in ways:
        found = way()
        if isinstance(found, Lack):
            lacks.append(found)
            continue
        return _told(found, tuple(lacks))
    return _told(Bare(), tuple(lacks))


def _told(sandbox: Sandbox, lacks: tuple[Lack, ...]) -> Sandbox:
    sandbox.lacks = lacks
    return sandbox


def _strict(kept: Path | None = None) -> Sandbox | Lack:
    facts = host.survey() if sys.platform == "linux" else _elsewhere("strict")
    if isinstance(facts, Lack):
        return facts
    cgroup.sweep(cgroup.homes())
    before = remembered.known(kept, facts) if kept else None
    if kept and before is not None:
        facts = facts._replace(direct=before)
        return Remembered(facts, cgroup.homes(), folder=kept, tryout=tried)
    why: str | None = None
    for direct in dict.fromkeys((facts.direct, False)):  # root in a container may need the other
        strict = Strict(facts._replace(direct=direct), cgroup.homes())
        why = tried(strict)
        if why is None:
            if kept:
                remembered.keep(kept, facts, direct=direct)
            return strict
    if lack := host.unable(facts.programs["bwrap"]):
        return lack
    return Lack("strict", why or "", host.closed() or "allow user namespaces and overlays here")


def _landlock() -> Sandbox | Lack:
    version = confine.abi()
    if version < 1:
        return Lack("landlock", "the kernel has no Landlock", "use Linux 5.13 or newer with it on")
    landlock = Landlock(root.entries(), version)
    why = tried(landlock)
    return landlock if why is None else Lack("landlock", why, "see what the kernel log says")


def tried(sandbox: Sandbox) -> str | None:
    """Why a sandbox does not work here; none when it does."""
    with tempfile.TemporaryDirectory(prefix="forsooth-try-") as name:
        mounts = (Mount(Path(name).resolve(), "/srv/forsooth", "overlay"),)
        job = Job(("true",), "/srv/forsooth", mounts=mounts, limits=Limits(seconds=SECONDS))
        try:
            done = sandbox.run(job)
        except CouldNotVerify as error:
            return error.message
    if done.exit == 0:
        return None
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return "; ".join([*last, *[text for text in (done.why,) if text]]) or f"true said {done.exit}"


def _elsewhere(tier: Tier) -> Lack:
    return Lack(tier, "this is not Linux", "run the judge on Linux or in CI")
