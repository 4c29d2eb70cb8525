"""Detection over listings: pure, so every shape of repository is one row."""

from __future__ import annotations

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.detect import candidates, detect, options
from forsooth.judge.environment.tree import Tree, folder
from tests.judge.environment.listings import BUILD, PROJECT, ROWS, TEST, Row, py


def tree(files: dict[str, str]) -> Tree:
    return Tree(files, lambda path: files[path].encode())


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_listing_gives_its_recipe(row: Row):
    """Each shape of repository is understood the way a person would."""
    _, files, expected = row
    recipe = detect(tree(files))
    assert {name: getattr(recipe, name) for name in expected} == expected


def test_the_table_is_long_enough_to_mean_something():
    """Sixty shapes and more are looked at."""
    assert len(ROWS) >= 60


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_every_recipe_explains_itself_in_sentences(row: Row):
    """Doctor prints what was found as plain sentences."""
    recipe = detect(tree(row[1]))
    assert recipe.explains
    assert all(line.endswith(".") for line in recipe.explains)


def key(files: dict[str, str], subproject: str = "") -> str:
    return detect(tree(files), subproject=subproject).key


SAME = [
    ("a tool section", py(), py("[tool.ruff]\nline-length = 100\n")),
    (
        "the project's version",
        py(),
        {**py(), "pyproject.toml": PROJECT.replace('"1"', '"2"') + BUILD},
    ),
    ("a source file", py(), {**py(), "src/shop.py": "x = 1\n"}),
    (
        "a script of package.json",
        {"package.json": '{"scripts": {"test": "tape"}}'},
        {"package.json": '{"scripts": {"test": "tape", "lint": "eslint"}, "version": "2"}'},
    ),
    (
        "a profile of Cargo.toml",
        {"Cargo.toml": '[package]\nname = "a"\n[dependencies]\nb = "1"\n'},
        {
            "Cargo.toml": (
                '[package]\nname = "a"\nversion = "2"\n[dependencies]\nb = "1"\n[profile.dev]\n'
            )
        },
    ),
    (
        "a pom's description",
        {"pom.xml": "<project><artifactId>a</artifactId></project>"},
        {"pom.xml": "<project><artifactId>a</artifactId><description>x</description></project>"},
    ),
]
OTHER = [
    (
        "a dependency",
        py(),
        {**py(), "pyproject.toml": PROJECT.replace("click>=8", "click>=9") + BUILD},
    ),
    (
        "a test dependency",
        py('[dependency-groups]\ntest = ["a"]\n'),
        py('[dependency-groups]\ntest = ["b"]\n'),
    ),
    ("a lock", {**py(), "uv.lock": "a = 1"}, {**py(), "uv.lock": "a = 2"}),
    ("an included file", {"requirements.txt": "a\n", **TEST}, {"requirements.txt": "b\n", **TEST}),
    (
        "setup.py",
        {"setup.py": "setup(name='a')", **TEST},
        {"setup.py": "setup(name='a', x=1)", **TEST},
    ),
    (
        "a node dependency",
        {"package.json": '{"dependencies": {"a": "1"}}'},
        {"package.json": '{"dependencies": {"a": "2"}}'},
    ),
    (
        "npm settings",
        {"package.json": "{}", ".npmrc": "a=1"},
        {"package.json": "{}", ".npmrc": "a=2"},
    ),
    (
        "a member's dependency",
        {"package.json": '{"workspaces": ["p/*"]}', "p/a/package.json": "{}"},
        {
            "package.json": '{"workspaces": ["p/*"]}',
            "p/a/package.json": '{"dependencies": {"b": "1"}}',
        },
    ),
    ("go.sum", {"go.mod": "module m\n", "go.sum": "a"}, {"go.mod": "module m\n", "go.sum": "b"}),
    (
        "a crate for one platform",
        {"Cargo.toml": '[package]\n[target.x.dependencies]\na = "1"\n'},
        {"Cargo.toml": '[package]\n[target.x.dependencies]\na = "2"\n'},
    ),
    (
        "cargo's settings",
        {"Cargo.toml": "[package]\n", ".cargo/config.toml": "[build]\n"},
        {"Cargo.toml": "[package]\n", ".cargo/config.toml": "[net]\n"},
    ),
    (
        "a pom's dependency",
        {"pom.xml": "<project><dependencies><dependency/></dependencies></project>"},
        {"pom.xml": "<project><dependencies/></project>"},
    ),
]


@pytest.mark.parametrize(("what", "old", "new"), SAME, ids=[row[0] for row in SAME])
def test_the_key_stays_when_no_dependency_changes(what, old, new):
    """A new linter section must not rebuild an environment."""
    assert key(old) == key(new)


@pytest.mark.parametrize(("what", "old", "new"), OTHER, ids=[row[0] for row in OTHER])
def test_the_key_changes_with_a_dependency(what, old, new):
    """A layer never serves dependencies it was not built from."""
    assert key(old) != key(new)


MONOREPO = {
    "README.md": "",
    "package.json": '{"workspaces": ["web/*"]}',
    "package-lock.json": "{}",
    "web/app/package.json": '{"name": "app", "scripts": {"test": "vitest run"}}',
    "py/uv.lock": "version = 1",
    "py/pyproject.toml": '[tool.uv.workspace]\nmembers = ["*"]\n[project]\nname = "all"\n',
    "py/a/pyproject.toml": (
        '[project]\nname = "a"\ndependencies = ["b"]\n[tool.uv.sources]\nb = {workspace = true}\n'
        + BUILD
    ),
    "py/a/tests/test_a.py": "",
    "py/b/pyproject.toml": '[project]\nname = "b"\n' + BUILD,
    "svc/go.mod": "module svc\n",
    "svc/main.go": "",
    "svc/testdata/go.mod": "module fixture\n",
    "rust/Cargo.toml": '[workspace]\nmembers = ["x"]\n',
    "rust/Cargo.lock": "",
    "rust/x/Cargo.toml": '[package]\nname = "x"\n',
    "java/pom.xml": "<project><modules><module>m</module></modules></project>",
    "java/m/pom.xml": "<project><artifactId>m</artifactId></project>",
}


def test_sub_projects_of_a_monorepo_are_listed():
    """Every manifest is a place to judge, fixtures are not."""
    expected = ("", "java", "py", "rust", "svc", "java/m", "py/a", "py/b", "rust/x", "web/app")
    assert candidates(tree(MONOREPO)) == expected


def test_a_member_uses_the_lock_of_its_workspace():
    """A workspace keeps one lock for all its members."""
    files = tree(MONOREPO)
    assert detect(files, subproject="web/app").lock == "package-lock.json"
    assert detect(files, subproject="py/a").lock == "py/uv.lock"
    assert detect(files, subproject="rust/x").lock == "rust/Cargo.lock"


def test_a_member_installs_the_siblings_it_depends_on():
    """An import of a sibling must find the judged tree, not a release."""
    recipe = detect(tree(MONOREPO), subproject="py/a")
    assert [project.path for project in recipe.projects] == ["py/a", "py/b"]
    assert "py/b/pyproject.toml" in recipe.reads


def test_a_path_dependency_is_installed_too():
    """A path of uv or poetry names a project of the same tree."""
    files = {
        "a/pyproject.toml": PROJECT + BUILD + '[tool.uv.sources]\nb = {path = "../b"}\n',
        "b/pyproject.toml": (
            '[tool.poetry]\nname = "b"\n[tool.poetry.dependencies]\nc = {path = "../c"}\n' + BUILD
        ),
        "c/pyproject.toml": '[project]\nname = "c"\n' + BUILD,
    }
    recipe = detect(tree(files), subproject="a")
    assert [project.name for project in recipe.projects] == ["shop", "b", "c"]


def test_a_maven_module_is_tested_from_its_root():
    """Maven needs the whole build to make one module's neighbours, run from its folder."""
    recipe = detect(tree(MONOREPO), subproject="java/m")
    assert recipe.test_command == ("mvn", "-B", "-o", "test", "-f", "../pom.xml", "-pl", "m", "-am")


def test_versions_from_git_are_noticed():
    """Such a project cannot be built from a copy without its tags."""
    files = {"pyproject.toml": PROJECT + '[build-system]\nrequires = ["hatch-vcs>=0.4"]\n'}
    pdm = {"pyproject.toml": PROJECT + BUILD + '[tool.pdm.version]\nsource = "scm"\n'}
    assert detect(tree(files)).projects[0].build.version_from_git
    assert detect(tree(pdm)).projects[0].build.version_from_git


def test_every_ecosystem_of_a_folder_is_an_option():
    """Where two meet, both can be asked for."""
    files = tree({**py(), "package.json": "{}", "go.mod": "module m\n"})
    assert [recipe.kind for recipe in options(files)] == ["python", "node", "go"]


BROKEN = [
    ("pyproject.toml", "[project"),
    ("package.json", "{"),
    ("pom.xml", "<project>"),
    ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project/>'),
    ("Cargo.toml", "= 1"),
]


@pytest.mark.parametrize(("path", "body"), BROKEN)
def test_a_manifest_that_cannot_be_read_is_named(path, body):
    """Never guessed around: the file and what is wrong with it are said."""
    with pytest.raises(CouldNotVerify) as caught:
        detect(tree({path: body}))
    assert caught.value.code == "environment:unreadable"
    assert path in caught.value.message


def test_a_manifest_of_absurd_size_is_not_parsed():
    """A tree an agent wrote may not cost the judge its memory."""
    files = Tree(["package.json"], lambda path: b" " * (33 << 20))
    with pytest.raises(CouldNotVerify, match="larger than"):
        detect(files)


def test_foreign_shapes_do_not_trip_detection():
    """Manifests hold whatever somebody typed."""
    files = {
        "pyproject.toml": (
            '[project]\nname = 3\ndependencies = "x"\n[dependency-groups]\ntest = "no"\n'
        ),
        "setup.cfg": "no section\n",
        "package.json": '{"scripts": {"test": 3}, "workspaces": 4, "dependencies": []}',
    }
    assert detect(tree(files)).kind == "python"
    assert detect(tree({"package.json": "[]"})).kind == "node"


def test_a_folder_is_read_without_what_tools_leave_there(tmp_path):
    """Links and installed packages are not part of a tree."""
    for name in ("a.py", "node_modules/x/package.json", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link").symlink_to("a.py")
    files = folder(tmp_path)
    assert list(files) == ["a.py"]
    assert files["a.py"] == b"x"
    assert len(files) == 1
    with pytest.raises(KeyError):
        files["link"]


def test_contents_are_read_once_and_only_when_wanted():
    """A listing of a large tree costs no reading."""
    seen: list[str] = []
    files = Tree(["big.bin", "package.json"], lambda path: (seen.append(path), b"{}")[1])
    detect(files)
    assert seen == ["package.json"]


LOCKED = '[[package]]\nname = "six"\nversion = "1.0"\nfiles = [{hash = "sha256:a"}]\n'
POETRY = '[project]\nname = "%s"\nversion = "1"\ndependencies = ["six"]\n'
PACKAGE = '{"workspaces": ["a"]}'
GO = "module m\n\ngo 1.18\n\nrequire r v1.0.0\n\nreplace r => ./r\n"
FORKS = [
    (
        {"pyproject.toml": POETRY % "shop", "poetry.lock": LOCKED},
        {"pyproject.toml": POETRY % "six"},
    ),
    (
        {"pyproject.toml": POETRY % "shop", "uv.lock": LOCKED},
        {"pyproject.toml": POETRY % "shop" + '[tool.uv.workspace]\nmembers = ["a"]\n'},
    ),
    (
        {"package.json": PACKAGE, "a/package.json": '{"name": "a"}'},
        {"a/package.json": '{"name": "a", "bin": {"jest": "./build.js"}}'},
    ),
    (
        {"go.mod": GO, "go.sum": "", "r/go.mod": "module r\n\nrequire x v1.0.0\n"},
        {"r/go.mod": "module r\n"},
    ),
]


@pytest.mark.parametrize(("files", "changed"), FORKS)
def test_whatever_a_layer_is_filled_by_is_part_of_its_key(
    files: dict[str, str], changed: dict[str, str]
):
    """A fork with the same lock would else leave another layer, or half of one, for all."""
    assert key(files) == key(dict(files))
    assert key(files) != key({**files, **changed})


TWICE = "{include-group = 'g%d'}, {include-group = 'g%d'}"
GROUPS = "".join(f"g{n} = [{TWICE % (n + 1, n + 1)}]\n" for n in range(40))
EXTRAS = ",".join(f"e{n}" for n in range(20))
NESTED = "".join(f'e{n} = ["shop[{EXTRAS}]", "six"]\n' for n in range(20))
ENDLESS = [
    {"pyproject.toml": f"{PROJECT}[dependency-groups]\n{GROUPS}g40 = ['six']\n"},
    {"pyproject.toml": f"{PROJECT}[project.optional-dependencies]\n{NESTED}"},
    {"package.json": "{}", "yarn.lock": "a@b:\n" + "  \n" * 100_000},
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("files", ENDLESS, ids=["groups", "extras", "blank lines"])
def test_looking_ends_however_a_manifest_is_wound(files: dict[str, str]):
    """A repository is looked at before anybody trusts it."""
    assert detect(tree(files)).kind in ("python", "node")


@pytest.mark.parametrize("body", ["a = " + "[" * 100_000, "a = " + "1" * 5000 + "\n"])
def test_a_manifest_beyond_all_bounds_is_named(body: str):
    """Neither depth nor length ends in anything but a sentence."""
    with pytest.raises(CouldNotVerify, match=r"pyproject\.toml cannot be read"):
        detect(tree({"pyproject.toml": body}))
    with pytest.raises(CouldNotVerify, match=r"package\.json cannot be read"):
        detect(tree({"package.json": body.replace("a = ", '{"a": ')}))
