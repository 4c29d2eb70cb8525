"""Whom a change concerns in a repository of several projects."""

from __future__ import annotations

import doctest
from collections.abc import Mapping

import pytest

from forsooth.judge import surroundings
from forsooth.judge.branch import skips
from forsooth.judge.environment import failure, monorepo
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.monorepo import Concerned, concerned, links
from forsooth.judge.environment.tree import Tree

BUILD = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'


def tree(files: Mapping[str, str]) -> Tree:
    return Tree(files, lambda path: files[path].encode())


def py(name: str, *needs: str, more: str = "") -> str:
    return f'[project]\nname = "{name}"\ndependencies = {list(needs)}\n{BUILD}{more}'


PYTHON = {
    "core/pyproject.toml": py("mono-core", "idna"),
    "core/tests/test_core.py": "",
    "api/pyproject.toml": py("mono-api", "mono-core[fast]>=1"),
    "web/pyproject.toml": py("web", "mono-api"),
    "aside/pyproject.toml": py("aside"),
}
NODE = {
    "package.json": '{"workspaces": ["packages/*"], "scripts": {"test": "jest"}}',
    "package-lock.json": "{}",
    "packages/core/package.json": '{"name": "@m/core"}',
    "packages/api/package.json": '{"name": "@m/api", "devDependencies": {"@m/core": "*"}}',
    "packages/web/package.json": '{"name": "web", "dependencies": {"x": "file:../api"}}',
    "packages/aside/package.json": '{"name": "aside"}',
}
GO = {
    "go.work": "go 1.21\nuse (\n\t./core\n\t./api\n\t./web\n\t./aside\n)\n",
    "core/go.mod": "module example.org/core\n",
    "api/go.mod": "module example.org/api\nrequire example.org/core v0.0.0\n",
    "web/go.mod": "module example.org/web\n",
    "web/web.go": 'package web\n\nimport (\n\t"fmt"\n\tx "example.org/api/sub"\n)\n',
    "aside/go.mod": "module example.org/aside\n",
}
CARGO = {
    "Cargo.toml": (
        '[workspace]\nmembers = ["*"]\n[workspace.dependencies]\ncore_x = {path = "core"}\n'
    ),
    "core/Cargo.toml": '[package]\nname = "core_y"\n',
    "api/Cargo.toml": '[package]\nname = "api"\n[dependencies]\ncore_x = {workspace = true}\n',
    "web/Cargo.toml": (
        '[package]\nname = "web"\n'
        '[target.x.dev-dependencies]\nb = {package = "api", path = "../api"}\n'
    ),
    "aside/Cargo.toml": '[package]\nname = "aside"\n',
}
MAVEN = {
    "pom.xml": "<project><artifactId>all</artifactId></project>",
    "core/pom.xml": "<project><artifactId>core</artifactId></project>",
    "api/pom.xml": (
        "<project><artifactId>api</artifactId><dependencies><dependency>"
        "<artifactId>core</artifactId></dependency></dependencies></project>"
    ),
    "web/pom.xml": (
        "<project><artifactId>web</artifactId><dependencies><dependency>"
        "<artifactId>api</artifactId></dependency></dependencies></project>"
    ),
    "aside/pom.xml": "<project><artifactId>aside</artifactId></project>",
}
KINDS = {"python": PYTHON, "node": NODE, "go": GO, "cargo": CARGO, "maven": MAVEN}


def whom(files: Mapping[str, str], *changed: str, **given) -> Concerned:
    return concerned(tree({**files, **dict.fromkeys(changed, "")}), changed, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_depends_on_what_changed_is_concerned_however_far(kind):
    """And whoever does not is named as not run; what only holds the others together is neither."""
    head = "packages/" if kind == "node" else ""
    found = whom(KINDS[kind], f"{head}core/thing.x")
    assert set(found.paths) == {f"{head}{name}" for name in ("core", "api", "web")}
    assert found.others == (f"{head}aside",)
    assert found.paths[f"{head}web"] == (f"{head}core/thing.x",)
    assert found.own[f"{head}web"] == ()


def test_a_change_in_a_dependent_concerns_nothing_below_it():
    """Dependencies are one-way."""
    found = whom(PYTHON, "web/x.py")
    assert set(found.paths) == {"web"}
    assert set(found.others) == {"aside", "api", "core"}


def test_a_project_is_judged_with_the_changes_of_what_it_depends_on():
    """A changed expectation is only understood with the change that it follows."""
    found = whom(PYTHON, "core/x.py", "api/tests/test_api.py", "aside/y.py")
    assert found.paths["api"] == ("core/x.py", "api/tests/test_api.py")
    assert found.own["api"] == ("api/tests/test_api.py",)
    assert found.paths["core"] == ("core/x.py",)


def test_what_is_nobodys_is_read_once_and_may_concern_everybody():
    """A file outside every project is told with the first; alone it is everybody's."""
    found = whom(PYTHON, "core/x.py", "shared.txt")
    first = next(iter(found.own))
    assert [place for place, paths in found.own.items() if "shared.txt" in paths] == [first]
    assert all("shared.txt" in paths for paths in found.paths.values())
    assert set(whom(PYTHON, "shared.txt").paths) == {"core", "api", "web", "aside"}


def test_whoever_reads_a_changed_lock_is_concerned():
    """A lock above them all decides what they run with."""
    reads = {"packages/api": ("package-lock.json",), "": ("package-lock.json",)}
    found = whom(NODE, "package-lock.json", reads=reads)
    assert "packages/api" in found.paths
    assert "" not in found.paths
    assert "package-lock.json" in found.paths["packages/api"]


def test_a_project_around_others_is_concerned_when_it_has_tests_of_its_own():
    """Its tests may reach whatever lies in it."""
    files = {**NODE, "test/all.test.js": ""}
    assert "" in whom(files, "packages/aside/x.js").paths
    assert "" not in whom(NODE, "packages/aside/x.js").paths


def test_only_named_projects_are_run_where_a_person_named_some():
    """Their word stands over detection."""
    found = whom(PYTHON, "core/x.py", named=("core", "aside"))
    assert (set(found.paths), found.others) == ({"core"}, ("aside",))


def test_a_manifest_that_cannot_be_read_hides_nobody_else():
    """It is told where the project is run."""
    found = whom({**PYTHON, "bad/pyproject.toml": "[project"}, "core/x.py")
    assert "api" in found.paths
    assert links(tree({"bad/package.json": "{"}), "bad").name == ""


def test_what_a_local_project_needs_is_needed_by_whoever_depends_on_it():
    """No index can be asked for it, extras included."""
    core = py("mono-core", "idna", more='[project.optional-dependencies]\nfast = ["ujson"]\n')
    files = {
        "core/pyproject.toml": core,
        "api/pyproject.toml": py("mono-api", "mono-core[fast]", "attrs"),
        "api/tests/test_api.py": "",
        "job/requirements.txt": "-e ../core\n",
        "job/test_job.py": "def test(): pass\n",
    }
    recipe = detect(tree(files), subproject="api")
    assert [one.path for one in recipe.projects] == ["api", "core"]
    assert set(recipe.wants) == {"attrs", "idna", "ujson", "pytest"}
    recipe = detect(tree(files), subproject="job")
    assert [one.path for one in recipe.projects] == ["core"]
    assert set(recipe.wants) == {"idna", "pytest"}


def test_the_root_of_a_workspace_installs_its_members():
    """As uv does for a root that is no project; those excluded stay out."""
    files = {
        "pyproject.toml": '[tool.uv.workspace]\nmembers = ["p/*"]\nexclude = ["p/old"]\n',
        "uv.lock": "version = 1\n",
        **{f"p/{name}/pyproject.toml": py(name) for name in ("a", "b", "old")},
        "p/a/tests/test_a.py": "",
    }
    recipe = detect(tree(files))
    assert [one.path for one in recipe.projects] == ["p/a", "p/b"]


@pytest.mark.parametrize("module", [monorepo, skips, failure, surroundings])
def test_the_examples_of_a_module_hold(module):
    """What a heuristic's docstring shows is what it does."""
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(module).attempted
