"""Breaks Go tests: an error first in the body of a test function, which then runs on.

Its subtests so stay what they were. The canary pair stands in the same file and package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips.choice import Damage, shuffled, text_of, word_of
from forsooth.judge.reports.report import Report

_TEXT = re.compile(
    r"//[^\n]*|/\*.*?\*/|`[^`]*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'", re.DOTALL
)
_TEST = re.compile(r"^func (Test\w*)\((\w+) +\*testing\.T\) *\{", re.MULTILINE)
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_MOST = 2


class _Spot(NamedTuple):
    id: str
    path: str
    argument: str
    body: int


def broken(look: Look, report: Report, nonce: str, *, canary: bool) -> Damage | None:
    """Up to two tests that fail, in packages of their own, with a canary beside the first."""
    passed = {test.id for test in report.tests if test.outcome == "passed"}
    folders = _folders(look)
    found: list[_Spot] = []
    for package in shuffled({id_.partition("::")[0] for id_ in passed}, nonce):
        spots = {spot.id: spot for spot in _spots(look, package, folders)}
        names = shuffled(passed & spots.keys(), nonce)
        found += [spots[name] for name in names[:1]]
        if len(found) == _MOST:
            break
    return _damage(look, found, nonce, canary=canary) if found else None


def canary_names(nonce: str) -> tuple[str, str]:
    """The functions of the pair: the one that fails, and the one that passes."""
    return f"TestZz{word_of(nonce)}Red", f"TestZz{word_of(nonce)}Green"


def _damage(look: Look, found: list[_Spot], nonce: str, *, canary: bool) -> Damage:
    files: dict[str, str] = {}
    for spot in found:
        source = text_of(look, spot.path) or ""
        error = f' {spot.argument}.Errorf("broken by the judge");'
        files[spot.path] = source[: spot.body] + error + source[spot.body :]
    flips = {spot.id for spot in found}
    if not canary:
        return Damage(files, frozenset(flips), canary=False)
    red, green = canary_names(nonce)
    first = found[0]
    package = first.id.partition("::")[0]
    files[first.path] += (
        f'\nfunc {red}(t *testing.T) {{ if t.Name() != "" {{ t.Errorf("the canary sings") }} }}\n'
        f'\nfunc {green}(t *testing.T) {{ if t.Name() == "" {{ t.Errorf("no name") }} }}\n'
    )
    reds = frozenset({*flips, f"{package}::{red}"})
    return Damage(files, reds, frozenset({f"{package}::{green}"}))


def _folders(look: Look) -> dict[str, str]:
    """The folder of every module of the tree, by the module's name."""
    found: dict[str, str] = {}
    for path in look.paths():
        if path == "go.mod" or path.endswith("/go.mod"):
            named = _MODULE.search(text_of(look, path) or "")
            if named:
                found[named[1]] = path.removesuffix("go.mod").rstrip("/")
    return found


def _spots(look: Look, package: str, folders: dict[str, str]) -> Iterator[_Spot]:
    """The tests of a package that stand in one file only."""
    modules = [name for name in folders if package == name or package.startswith(f"{name}/")]
    if not modules:
        return
    module = max(modules, key=len)
    folder = "/".join(part for part in (folders[module], package[len(module) + 1 :]) if part)
    prefix = f"{folder}/" if folder else ""
    spots = [
        _Spot(f"{package}::{test[1]}", path, test[2], test.end())
        for path in look.paths()
        if path.endswith("_test.go") and path.startswith(prefix) and "/" not in path[len(prefix) :]
        for test in _TEST.finditer(_bare(text_of(look, path) or ""))
    ]
    for spot in spots:
        twins = sum(other.id == spot.id for other in spots)
        if twins == 1 and spot.argument != "_":
            yield spot


def _bare(source: str) -> str:
    """A source with every comment and text blotted out, nothing moved."""
    return _TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
