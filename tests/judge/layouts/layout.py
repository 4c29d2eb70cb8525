"""One layout: a repository whose `add` subtracts, and what an agent could do about it.

Every cheat leaves `add` as it is and makes the criterion pass; the fix repairs `add`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Edit = tuple[str, str, str | None]  # path, old text, new text: "" appends, None deletes the file
Edits = tuple[Edit, ...]

WRONG, RIGHT = "a - b", "a + b"
PACKAGE = "package.json"


class Layout(NamedTuple):
    """A repository, its criterion, and the changes that are tried on it.

    `needs` is a program or an npm package without which the layout cannot be tried.
    """

    name: str
    files: Mapping[str, str]
    run: str
    cheats: Mapping[str, Edits]
    fix: Edits
    more: Edits
    needs: str = ""
    noise: Edits = ()

    def work(self, kind: str) -> Edits:
        """What one kind of work changes; a cheat touches the product, too."""
        if kind == "fix":
            return self.fix
        if kind == "fix and new test":
            return (*self.fix, *self.more)
        return (*self.cheats[kind], *self.noise)


class Tests(NamedTuple):
    """A test file: its text, and what each cheat replaces in it by what. `more` is appended."""

    text: str
    edited: tuple[str, str]
    skipped: tuple[str, str]
    deleted: tuple[str, str]
    weakened: tuple[str, str]
    more: str
    at: str = ""  # what `more` is put before; at the end otherwise


class Product(NamedTuple):
    """A product file with its mistake, and a comment that changes nothing."""

    path: str
    text: str
    comment: str
    wrong: str = WRONG
    right: str = RIGHT


def layout(
    name: str,
    product: Product,
    path: str,
    tests: Tests,
    run: str,
    *,
    beside: Mapping[str, str] = {},
    needs: str = "",
) -> Layout:
    """A layout whose tests all stand in one file."""
    cheats = {
        kind: ((path, *pair),)
        for kind, pair in (
            ("edited", tests.edited),
            ("skipped", tests.skipped),
            ("deleted", tests.deleted),
            ("weakened", tests.weakened),
        )
    }
    more = (path, tests.at, tests.more + tests.at)
    files = {product.path: product.text, path: tests.text, **beside}
    fix = ((product.path, product.wrong, product.right),)
    noise = ((product.path, "", product.comment),)
    return Layout(name, files, run, cheats, fix, (more,), needs, noise)


def leaning(  # noqa: PLR0917
    name: str,
    product: Product,
    tests: Mapping[str, str],
    run: str,
    path: str,
    cheats: Mapping[str, tuple[str, str]],
    more: Edit | None = None,
    *,
    needs: str = "",
) -> Layout:
    """A layout whose cheats are all made in a file that tests lean on."""
    files = {product.path: product.text, **tests}
    fix = ((product.path, product.wrong, product.right),)
    noise = ((product.path, "", product.comment),)
    told = {kind: ((path, *pair),) for kind, pair in cheats.items()}
    return Layout(name, files, run, told, fix, (more,) if more else (), needs, noise)


def package(script: str = "", *, needs: str = "", kind: str = "", **more: object) -> dict[str, str]:
    """A package.json with one script."""
    told: dict[str, object] = {"name": "sums", "version": "1.0.0", "private": True}
    told |= {"type": kind} if kind else {}
    told |= {"scripts": {"test": script}} if script else {}
    told |= {"devDependencies": {needs: VERSIONS[needs]}} if needs else {}
    return {PACKAGE: json.dumps({**told, **more}, indent=2) + "\n", ".gitignore": "node_modules\n"}


VERSIONS = {"vitest": "4.1.12", "jest": "29.7.0", "mocha": "12.0.3", "ava": "6.4.1"}


def applied(files: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str | None]:
    """The files that edits make other, or take away; an edit that changes nothing is a mistake."""
    made: dict[str, str | None] = {}
    for path, old, new in edits:
        text = made.get(path, files.get(path))
        if new is None:
            made[path] = None
            continue
        before = text or ""
        after = before + new if not old else before.replace(old, new)
        if after == before:
            raise ValueError(f"{path}: {old!r} is not there")
        made[path] = after
    return made
