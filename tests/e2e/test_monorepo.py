"""`check RANGE` and `seal` in repositories of several packages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.monorepos import KINDS, make
from tests.e2e.place import Place
from tests.requirements import requirement
from tests.tools import needs

needed = [pytest.param(kind, marks=needs(one.needs)) for kind, one in KINDS.items()]


def swap(place: Place, path: str, old: str, new: str) -> None:
    text = (place.folder / path).read_text()
    assert old in text
    place.commit(path, text.replace(old, new))


def by_path(found: Any) -> dict[str, list[tuple[str, str]]]:
    return {
        one["path"]: [(row["rank"], row["code"]) for row in one["remarks"]]
        for one in found["projects"]
    }


@requirement("D14")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", needed)
def test_a_break_that_only_a_dependent_notices_is_found(place: Place, kind: str):
    """The package that changed is green, and the one that uses it is not."""
    repo = make(place, kind)
    swap(place, repo.product, " EUR", " USD")
    found = place.run("check", "main..HEAD", "--json", code=1, seconds=240).data
    assert by_path(found) == {repo.core: [], repo.api: [("wrong", "red")]}
    assert found["not_run"] == []
    swap(place, repo.test, " EUR", " USD")
    followed = place.run("check", "main..HEAD", "--json", seconds=240).data
    assert by_path(followed) == {repo.core: [], repo.api: [("look", "expects")]}


@requirement("D14")
def test_packages_that_nothing_changed_for_are_named_as_not_run(place: Place):
    """A dependency is not tested again for what is built on it, and doctor names them all."""
    repo = make(place, "python by path")
    swap(place, "api/src/mono_api/__init__.py", "return label", "return  label")
    found = place.ask("check", "main..HEAD")
    assert by_path(found) == {repo.api: []}
    assert found["not_run"] == [repo.core]
    said = place.run("check", "main..HEAD").out
    assert "not run, as nothing there depends on what changed: core" in said
    assert "api (mono-api), depends on core" in place.run("doctor").out


@requirement("D14")
@pytest.mark.parametrize("kind", [one for one in KINDS if one.startswith("uv")])
def test_a_uv_workspace_is_sealed_with_its_lock_and_its_members(place: Place, kind: str):
    """The suite is as green as by hand: members come from the tree, not from a registry."""
    make(place, kind)
    suite = "python -m unittest discover -s packages/api/tests"
    brief = f"@goal: Show more\n- [ ] stays green: `{suite}`\n- [ ] packages/api/more.txt exists\n"
    place.write("BRIEF.md", brief)
    place.run("plan", "BRIEF.md")
    said = place.run("seal", "--yes").out
    assert "G001.C1 passes today" in said
