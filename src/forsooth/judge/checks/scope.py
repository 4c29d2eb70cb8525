"""Looks at every change of the goal: inside its fence, and never where it must not go.

1. `never` counts first, however a name is spelt. 2. `touch` is taken letter by letter. 3. What is
another goal's work is no offence: as it was proven, under way, or where its fence says it goes.
4. A link must lead to where a change may go. 5. A name that another file system takes for one
outside is outside. Both ends of a rename are changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from forsooth.core.assignment import quoted
from forsooth.core.brief.globs import covers
from forsooth.core.check import ScopeParams
from forsooth.core.plan import Fence
from forsooth.core.verdict import Finding
from forsooth.git.trees import Change
from forsooth.judge.checker import Context, Look
from forsooth.judge.checks.found import found
from forsooth.judge.checks.globs import any_matches, folded, matches
from forsooth.judge.checks.links import LINK, followed
from forsooth.judge.neighbour import Neighbour

_SUBMODULE = "160000"
_ORDER = ("never", "outside", "link", "collision")
_FENCED = ("never", "outside")
_NAMED = 3


class _Offence(NamedTuple):
    code: str
    says: str


def run(params: ScopeParams, ctx: Context) -> Finding:
    """Every change against the fence; the first offenders are named."""
    del params
    if ctx.goal is None:
        return found(ctx, "error", "no-fence", "there is no goal whose fence could hold")
    changes = ctx.look.changes
    evidence = [_listed(changes)]
    offences, flags, others = list[_Offence](), list[str](), 0
    for change, offence in _offences(ctx.goal.fence, ctx.look):
        if owner := _under_way(offence, change, ctx.beside):
            says = f"counted as work on {owner}, which is not proven yet"
            flags.append(f"{quoted(change.path, 100)}: {says}")
            others += 1
        elif _is_explained(offence, change, ctx.beside, ctx.own):
            others += 1
        else:
            offences.append(offence)
    if not offences:
        own = len(changes) - others
        many = "1 change, inside" if own == 1 else f"{own} changes, all inside"
        many += f"; {others} of other goals" if others else ""
        return found(ctx, "pass", "pass", many, evidence=evidence).but(flags=tuple(flags))
    offences.sort(key=lambda offence: _ORDER.index(offence.code))
    told = "; ".join(offence.says for offence in offences[:_NAMED])
    more = f"; and {len(offences) - _NAMED} more" if len(offences) > _NAMED else ""
    return found(ctx, "fail", offences[0].code, told + more, evidence=evidence)


def _offences(fence: Fence, look: Look) -> Iterator[tuple[Change, _Offence]]:
    others = _by_folded_name(look)
    for change in look.changes:
        bad = _fenced_out(fence, change)
        if bad is None and change.new_mode == LINK:
            bad = _link(fence, look, change.path)
        if bad is None and change.status != "D":
            bad = _collision(fence, change.path, others)
        if bad:
            yield change, bad


def _under_way(offence: _Offence, change: Change, beside: Iterable[Neighbour]) -> str | None:
    """The goal that was begun, is not proven, and may change this path."""
    if offence.code not in _FENCED:
        return None
    open_ = (one for one in beside if one.begun and not _has(one, change))
    return next((one.goal.id for one in open_ if not _fenced_out(one.goal.fence, change)), None)


def _is_explained(
    offence: _Offence, change: Change, beside: Iterable[Neighbour], own: Collection[str]
) -> bool:
    """Whether a change is no work of the goal: nobody's, accepted, or where another is to go.

    What another goal was proven with is frozen: changed again, it is that goal's no more.
    """
    if offence.code not in _FENCED:
        return False
    if offence.code == "outside" and _both_in(own, change):
        return True
    for one in beside:
        if _fenced_out(one.goal.fence, change):
            continue
        is_named = offence.code == "outside" and one.goal.fence.touch and one.is_open
        if is_named or _has(one, change):
            return True
    return False


def _has(one: Neighbour, change: Change) -> bool:
    """Whether a change is as a goal was proven with."""
    return one.tree is not None and _both_in(one.same, change)


def _both_in(paths: Collection[str], change: Change) -> bool:
    return all(path in paths for path in filter(None, (change.path, change.renamed_from)))


def _fenced_out(fence: Fence, change: Change) -> _Offence | None:
    for path in filter(None, (change.path, change.renamed_from)):
        if glob := _barred(fence, path, change):
            says = f"{_named(change, path)} is in {quoted(glob, 80)}, never to be touched"
            return _Offence("never", says)
        if not _allowed(fence, path, change):
            near = _nearly(fence, path)
            return _Offence("outside", f"{_named(change, path)} is outside the fence{near}")
    return None


def _barred(fence: Fence, path: str, change: Change) -> str | None:
    """The first glob that keeps a path out, as any file system would read it."""
    whole = _is_submodule(change)
    for glob in fence.never:
        if matches(glob, path) or matches(folded(glob), folded(path)):
            return glob
        if whole and (folded(glob) + "/").startswith(folded(path) + "/"):
            return glob
    return None


def _allowed(fence: Fence, path: str, change: Change) -> bool:
    if not fence.touch or any_matches(fence.touch, path):
        return True
    return _is_submodule(change) and any(covers(glob, f"{path}/**") for glob in fence.touch)


def _is_submodule(change: Change) -> bool:
    return _SUBMODULE in (change.old_mode, change.new_mode)


def _nearly(fence: Fence, path: str) -> str:
    near = [glob for glob in fence.touch if matches(folded(glob), folded(path))]
    return f" (only by case or accents is it in {quoted(near[0], 60)})" if near else ""


def _link(fence: Fence, look: Look, path: str) -> _Offence | None:
    led = followed(look, path)
    if led.out:
        says = f"{quoted(path, 100)} links out of the repository to {quoted(led.path, 80)}"
        return _Offence("link", says)
    if _open(fence, led.path):
        return None
    says = f"{quoted(path, 100)} links to {quoted(led.path, 80)}, outside the fence"
    return _Offence("link", says)


def _open(fence: Fence, path: str) -> bool:
    """Whether a change at a path would be allowed."""
    if any(matches(folded(glob), folded(path)) for glob in fence.never):
        return False
    if not fence.touch or any_matches(fence.touch, path):
        return True
    return any(covers(glob, f"{path}/**") for glob in fence.touch)


def _by_folded_name(look: Look) -> dict[str, list[str]]:
    """Every path under the name it has where case and composition do not count."""
    names: dict[str, list[str]] = {}
    for path in look.paths():
        names.setdefault(folded(path), []).append(path)
    return names


def _collision(fence: Fence, path: str, others: dict[str, list[str]]) -> _Offence | None:
    for other in others.get(folded(path), ()):
        if other != path and not _open(fence, other):
            says = f"{quoted(path, 100)} is {quoted(other, 100)} where case does not count"
            return _Offence("collision", f"{says}, outside the fence")
    return None


def _named(change: Change, path: str) -> str:
    """A path and, where it is not plain content, what changed about it."""
    name = quoted(path, 100)
    if path == change.renamed_from:
        return f"{name} (moved to {quoted(change.path, 100)})"
    if _is_submodule(change):
        return f"{name} (submodule)"
    if change.status in ("M", "T") and change.old_mode != change.new_mode:
        return f"{name} (mode {change.old_mode} to {change.new_mode})"
    return f"{name} (deleted)" if change.status == "D" else name


def _listed(changes: tuple[Change, ...]) -> bytes:
    rows = [
        f"{c.status} {c.old_mode} {c.new_mode} {quoted(c.renamed_from)} {quoted(c.path)}"
        for c in changes
    ]
    return "\n".join([f"{len(rows)} changes", *rows, ""]).encode("utf-8", "replace")
