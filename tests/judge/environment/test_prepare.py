"""Preparing, step by step, with stand-ins for package managers: what is asked of them, and when."""

from __future__ import annotations

import fcntl
import json
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.disk import free, held
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.prepare import cargo, custom, go, maven, node
from forsooth.judge.environment.prepare import python as prepare_python
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.prepare.uv import uv
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import folder
from forsooth.judge.sandbox.bare import Bare
from tests.judge.environment.place import search

# Notes its arguments and surroundings, then does what a test put beside it.
STAND_IN = """#!/bin/sh
here=$(dirname "$0")
{{ echo "$(basename "$0") $*"; pwd; env | sort; echo; }} >> "$here/log"
test -f "$here/then.sh" && . "$here/then.sh"
exit 0
"""


class Shop:
    """A workshop whose tools are stand-ins."""

    def __init__(self, root: Path) -> None:
        self.bin = root / "bin"
        self.source = root / "source"
        self.folder = root / "layer"
        for path in (self.bin, self.source, self.folder):
            path.mkdir()
        self.root = root

    def write(self, **files: str) -> None:
        for name, body in files.items():
            path = self.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)

    def tool(self, name: str, *, then: str = "") -> Tool:
        path = self.bin / name
        path.write_text(STAND_IN.format())
        path.chmod(0o755)
        if then:
            (self.bin / "then.sh").write_text(then)
        return Tool(name, "1", path, self.bin)

    def open(self, **options) -> Workshop:
        return Workshop(
            folder=self.folder,
            source=self.source,
            sandbox=Bare(),
            search=search(str(self.bin)),
            downloads=self.root / "downloads",
            pins=self.root / "pins/key",
            **options,
        )

    def recipe(self, **options):
        return detect(folder(self.source), **options)

    @property
    def log(self) -> str:
        path = self.bin / "log"
        return path.read_text() if path.exists() else ""

    @property
    def commands(self) -> list[str]:
        names = {path.name for path in self.bin.iterdir()}
        return [line for line in self.log.splitlines() if line.split(" ")[0] in names]


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)


MANIFEST = '{"name": "x", "scripts": {"test": "tape"}, "devDependencies": {"a": "1"}}'
LOCK = '{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.0.0"}}}'


def test_npm_installs_from_the_lock_with_scripts_off(shop):
    """Manifests alone are there, so no code of the project can run."""
    shop.write(**{"package.json": MANIFEST, "package-lock.json": LOCK, "index.js": "x"})
    said = node.fill(shop.open(), shop.recipe(), (shop.tool("npm"),))
    assert shop.commands == ["npm ci --ignore-scripts --no-audit --no-fund --loglevel=error"]
    assert said["packages"] == {"a": ("1.0.0",)}
    assert (shop.folder / "tree/package.json").exists()
    assert not (shop.folder / "tree/index.js").exists()
    assert not (shop.folder / "home").exists()


def test_preparing_sees_neither_home_nor_secrets(shop, monkeypatch):
    """The environment is cleared; only registry settings pass."""
    monkeypatch.setenv("NPM_TOKEN", "secret")
    shop.write(**{"package.json": MANIFEST, "package-lock.json": LOCK})
    settings = {"HTTPS_PROXY": "http://proxy"}
    node.fill(shop.open(settings=settings), shop.recipe(), (shop.tool("npm"),))
    assert "secret" not in shop.log
    assert f"HOME={shop.folder}/home" in shop.log
    assert "HTTPS_PROXY=http://proxy" in shop.log
    assert "NPM_CONFIG_USERCONFIG=/dev/null" in shop.log


def test_scripts_of_packages_allowed_by_name_are_run(shop):
    """And of no others."""
    shop.write(**{"package.json": MANIFEST, "package-lock.json": LOCK})
    tools = (shop.tool("npm"),)
    node.fill(shop.open(allow=("esbuild",)), shop.recipe(), tools)
    assert shop.commands[1] == "npm rebuild esbuild"
    (shop.bin / "log").unlink()
    node.fill(shop.open(allow=("*",)), shop.recipe(), tools)
    assert shop.commands[1] == "npm rebuild"


def test_versions_chosen_without_a_lock_are_chosen_once(shop):
    """Building the same layer again gives the same packages."""
    shop.write(**{"package.json": MANIFEST})
    npm = shop.tool("npm", then=f"echo '{LOCK}' > package-lock.json\n")
    said = node.fill(shop.open(), shop.recipe(), (npm,))
    assert said["packages"] == {"a": ("1.0.0",)}
    (shop.bin / "then.sh").unlink()
    again = node.fill(shop.open(), shop.recipe(), (npm,))
    assert again["packages"] == {"a": ("1.0.0",)}
    assert shop.commands[1].startswith("npm install --ignore-scripts")


MANAGERS = [
    (
        {"pnpm-lock.yaml": "lockfileVersion: '6.0'\n"},
        "--package=pnpm@8 -- pnpm install --frozen-lockfile",
    ),
    ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "--package=pnpm@9 -- pnpm install"),
    (
        {"yarn.lock": "# yarn lockfile v1\n"},
        "--package=yarn@1.22.22 -- yarn install --frozen-lockfile",
    ),
    (
        {"yarn.lock": "__metadata:\n  version: 8\n"},
        "--package=@yarnpkg/cli-dist@4 -- yarn install --immutable",
    ),
    (
        {"yarn.lock": "", "package.json": '{"packageManager": "yarn@1.22.19+sha512.abc"}'},
        "--package=yarn@1.22.19 -- yarn",
    ),
    ({"package.json": '{"packageManager": "pnpm@9.1.0"}'}, "--package=pnpm@9.1.0 -- pnpm"),
]


@pytest.mark.parametrize(("files", "expected"), MANAGERS, ids=[row[1][:30] for row in MANAGERS])
def test_the_manager_is_the_one_that_reads_the_lock(shop, files, expected):
    """In the version the project names, else the one its lock was written for."""
    shop.write(**{"package.json": MANIFEST, **files})
    node.fill(shop.open(), shop.recipe(), (shop.tool("npm"),))
    assert expected in shop.commands[0]


def test_an_unknown_manager_is_named(shop):
    """Nothing is installed by guess."""
    shop.write(**{"package.json": MANIFEST, "bun.lock": ""})
    with pytest.raises(CouldNotVerify, match="bun") as caught:
        node.fill(shop.open(), shop.recipe(), (shop.tool("npm"),))
    assert caught.value.code == "environment:tool-missing"


def test_a_package_named_by_repository_is_refused_before_anything_runs(shop):
    """No registry has it, so no layer can promise it."""
    lock = '{"packages": {"node_modules/g": {"version": "1", "resolved": "git+ssh://x/y.git"}}}'
    shop.write(**{"package.json": MANIFEST, "package-lock.json": lock})
    with pytest.raises(CouldNotVerify, match=r"^g is named") as caught:
        node.fill(shop.open(), shop.recipe(), (shop.tool("npm"),))
    assert caught.value.code == "environment:vcs-dependency"
    assert shop.commands == []


def test_what_an_installer_says_becomes_the_reason(shop):
    """A code, a package and a remedy instead of a log."""
    shop.write(**{"package.json": MANIFEST, "package-lock.json": LOCK})
    npm = shop.tool("npm", then="echo 'No matching version found for a@9.' >&2; exit 1\n")
    with pytest.raises(CouldNotVerify, match=r"\(a\)") as caught:
        node.fill(shop.open(), shop.recipe(), (npm,))
    assert caught.value.code == "environment:pin-unavailable"


def test_go_downloads_from_its_manifests_alone(shop):
    """go.mod and go.sum are enough, and the toolchain stays the local one."""
    shop.write(
        **{
            "go.mod": "module m\nrequire a.b/c v1.0.0\n",
            "go.sum": "a.b/c v1.0.0 h1:x=\n",
            "m.go": "x",
        }
    )
    said = go.fill(shop.open(), shop.recipe(), (shop.tool("go"),))
    assert shop.commands == ["go env GOPROXY", "go mod download"]
    assert "GOTOOLCHAIN=local" in shop.log
    assert said["packages"] == {"a.b/c": ("v1.0.0",)}


def test_go_without_sums_downloads_nothing(shop):
    """Nothing unchecked comes in: packages that need a module fail as they do anywhere."""
    shop.write(**{"go.mod": "module m\nrequire a.b/c v1.0.0\n"})
    assert go.fill(shop.open(), shop.recipe(), (shop.tool("go"),))["packages"] == {}
    assert shop.commands == []


def test_a_go_module_without_requirements_downloads_nothing(shop):
    """Its layer is an empty module cache."""
    shop.write(**{"go.mod": "module m\n"})
    go.fill(shop.open(), shop.recipe(), (shop.tool("go"),))
    assert shop.commands == []
    assert go.environment(shop.folder, cache="/c")["GOPROXY"] == "off"


CRATE = '[package]\nname = "c"\nversion = "1.0.0"\n'
CRATES = '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+x"\n'


def test_cargo_fetches_what_the_lock_names(shop):
    """The registry's sources land in a home of the layer's own."""
    shop.write(**{"Cargo.toml": CRATE, "Cargo.lock": CRATES, "src/lib.rs": ""})
    said = cargo.fill(shop.open(), shop.recipe(), (shop.tool("cargo"),))
    assert shop.commands == ["cargo fetch --locked"]
    assert f"CARGO_HOME={shop.folder}/cargo" in shop.log
    assert said["packages"] == {"a": ("1.0.0",)}
    assert len(cargo.mounts(shop.folder, shop.recipe(), root="/r")) == 1


def test_cargo_without_a_lock_chooses_once(shop):
    """The lock made here is mounted where cargo looks for one."""
    shop.write(**{"Cargo.toml": CRATE})
    tool = shop.tool("cargo", then=f"test $1 = fetch || printf '{CRATES}' > Cargo.lock\n")
    cargo.fill(shop.open(), shop.recipe(), (tool,))
    assert [line.split()[1] for line in shop.commands] == ["generate-lockfile", "fetch"]
    assert cargo.mounts(shop.folder, shop.recipe(), root="/r")[1].target == "/r/Cargo.lock"
    cargo.fill(shop.open(), shop.recipe(), (tool,))
    assert [line.split()[1] for line in shop.commands][2:] == ["fetch"]


def test_a_crate_named_by_repository_is_refused(shop):
    """As for every other ecosystem."""
    shop.write(**{"Cargo.toml": CRATE, "Cargo.lock": CRATES.replace("registry", "git")})
    with pytest.raises(CouldNotVerify, match=r"^a is named"):
        cargo.fill(shop.open(), shop.recipe(), (shop.tool("cargo"),))


def test_maven_resolves_by_running_no_test(shop):
    """Everything a test run needs, and not one test with network."""
    shop.write(**{"pom.xml": "<project><artifactId>m</artifactId></project>"})
    place = f"{shop.folder}/m2/org/x/lib/1.0"
    mvn = shop.tool("mvn", then=f"mkdir -p {place}; touch {place}/lib-1.0.pom\n")
    java = Tool("java", "17", Path("/usr/bin/java"), Path("/usr"))
    opened = shop.open(settings={"MAVEN_MIRROR": "http://127.0.0.1:9/"})
    said = maven.fill(opened, shop.recipe(), (mvn, java))
    fetched, tried = shop.commands
    assert "dependency-plugin" in fetched
    assert " -o " in tried
    assert "-Dtest=*#forsoothSelectsNothing" in tried
    assert said["packages"] == {"org.x:lib": ("1.0",)}


def configured(shop, **changes):
    return shop.recipe().but(kind="custom", manager="", **changes)


def test_a_persons_own_commands_fill_a_layer(shop):
    """They run at the repository's own path; what they name is kept."""
    shop.write(**{"README.md": "x"})
    recipe = configured(
        shop, prepare=(("sh", "-c", "mkdir vendor; cp README.md vendor"),), keeps=("vendor",)
    )
    custom.fill(shop.open(), recipe, (), root="/srv/repo")
    assert (shop.folder / "kept/vendor/README.md").read_text() == "x"
    assert [mount.target for mount in custom.mounts(shop.folder, recipe, root="/r")] == [
        "/r/vendor"
    ]


def test_a_command_that_fails_without_a_network_says_whose_settings_give_one(shop):
    """It is the environment's failure; with a network it is what the command said."""
    shop.write(**{"README.md": "x"})
    recipe = configured(shop, prepare=(("false",),), keeps=())
    codes = []
    for online in (False, True):
        with pytest.raises(CouldNotVerify) as caught:
            custom.fill(shop.open(online=online), recipe, (), root="/srv/repo")
        codes.append((caught.value.code, "prepare_network = true" in caught.value.hint))
        shutil.rmtree(shop.folder / "work")
    assert codes == [("environment:needs-network", True), ("environment:install-failed", False)]


def test_a_folder_that_was_promised_and_not_made_is_an_error(shop):
    """Silence would judge without dependencies."""
    shop.write(**{"README.md": "x"})
    recipe = configured(shop, prepare=(("true",),), keeps=("vendor",))
    with pytest.raises(CouldNotVerify, match="made no vendor"):
        custom.fill(shop.open(), recipe, (), root="/srv/repo")


def test_python_packages_named_by_repository_are_refused(shop):
    """Before a resolver is even asked."""
    shop.write(**{"requirements.txt": "a @ git+https://h/x\n"})
    with pytest.raises(CouldNotVerify, match=r"^a is named") as caught:
        prepare_python.fill(shop.open(), shop.recipe(), (shop.tool("python"),))
    assert caught.value.code == "environment:vcs-dependency"


def test_a_missing_uv_is_named_with_its_remedy(shop, monkeypatch):
    """The one tool that is needed besides the interpreter."""
    monkeypatch.setattr(sys, "executable", str(shop.bin / "python"))
    with pytest.raises(CouldNotVerify) as caught:
        uv(shop.open(), "venv", tools=())
    assert (caught.value.code, caught.value.hint) == (
        "environment:tool-missing",
        "pip install uv",
    )


def test_uv_comes_with_the_program_itself():
    """A plain installation can build Python environments; no extra has to be known."""
    manifest = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    assert "uv" in {line.partition(">")[0] for line in manifest["dependencies"]}
    assert set(manifest["optional-dependencies"]) == {"mcp"}


def test_hashes_of_the_lock_stand_over_those_of_the_registry(shop):
    """A release that was replaced after locking is noticed."""
    lock = '[[package]]\nname = "a"\nversion = "1"\nfiles = [{hash = "sha256:mine"}]\n'
    shop.write(**{"poetry.lock": lock, "pyproject.toml": '[tool.poetry]\nname = "x"\n'})
    opened = shop.open()
    opened.folder.mkdir(exist_ok=True)
    pins = opened.folder / "pins.txt"
    pins.write_text("a==1 \\\n    --hash=sha256:theirs\nb==2 \\\n    --hash=sha256:kept\n")
    prepare_python._with_hashes(opened, shop.recipe(), pins)
    assert (
        pins.read_text() == "a==1 \\\n    --hash=sha256:mine\nb==2 \\\n    --hash=sha256:kept\n\n"
    )


def test_nothing_recognised_needs_no_layer(shop):
    """A tree of documents is judged as it is."""
    layers = Layers(shop.root / "cache", search=search())
    layer = layers.of(shop.recipe(), source=shop.source, root="/r", sandbox=Bare())
    assert (layer.how, layer.mounts) == ("none", ())


def test_the_key_of_a_layer_has_toolchain_and_allowed_scripts(shop):
    """Another interpreter or another permission is another layer."""
    shop.write(**{"package.json": MANIFEST})
    layers = Layers(shop.root / "cache", search=search())
    recipe = shop.recipe()
    one, two = (
        Tool("node", "18", Path("/a"), Path("/p")),
        Tool("node", "20", Path("/a"), Path("/p")),
    )
    keys = {
        layers.key(recipe, (one,), root="/r"),
        layers.key(recipe, (two,), root="/r"),
        layers.key(recipe, (one,), ("x",), root="/r"),
    }
    assert len(keys) == 3


def test_layers_of_every_kind_say_how_they_are_seen(shop):
    """Mounts and environment for each ecosystem, from one call."""
    tools = (Tool("x", "1", Path("/opt/x/bin/x"), Path("/opt/x")),)
    layers = Layers(shop.root / "cache", search=search())
    shop.write(**{"go/go.mod": "module m\n", "rs/Cargo.toml": CRATE, "js/package.json": MANIFEST})
    shop.write(**{"mv/pom.xml": "<project/>", "py/test_a.py": ""})
    found = {}
    for place in ("go", "rs", "js", "mv", "py"):
        recipe = shop.recipe(subproject=place)
        found[place] = layers._layer("k", recipe, tools, said={}, root="/r")
    assert found["go"].env["GOCACHE"] == found["go"].warm["go"]
    assert found["rs"].warm == {"target": "/r/rs/target"}
    assert found["js"].env["PATH"].startswith("/r/js/node_modules/.bin")
    assert "maven.repo.local" in found["mv"].env["MAVEN_OPTS"]
    assert found["py"].mounts[0].mode == "ro"
    spare = layers._layer("k", found["py"].recipe.but(kind="custom"), (), said={}, root="/r")
    assert spare.env == {}


def test_everything_kept_can_go_the_oldest_first_and_what_is_held_stays(shop):
    """Layers with their caches, downloads and pins are told apart, and bounded together."""
    layers = Layers(shop.root / "cache", search=search())
    for path in ("downloads/uv/a", "pins/k", "warm/k/o/go/b", "borrowed/x.json"):
        (layers.cache / path).parent.mkdir(parents=True, exist_ok=True)
        (layers.cache / path).write_bytes(b"x" * 9000)
    with layers:
        layers.store.obtain("k", lambda path: json.loads("{}"))
        with held(layers.cache / "downloads", fcntl.LOCK_SH):
            found = free(layers.parts(needs=lambda _: False), most=0)
        assert found.after == {**found.before, "pins": 0}
    assert set(found.before) == {"layers", "downloads", "pins"}
    found = free(layers.parts(needs=lambda _: False), most=0)
    assert (found.removed, set(found.after.values())) == (2, {0})
    assert not (layers.cache / "warm/k/o").exists()
    assert not (layers.cache / "borrowed/x.json").exists()
    assert not list((layers.cache / "downloads").iterdir())


def test_an_empty_folder_of_packages_hides_no_committed_one(tmp_path):
    """What an installer notes in it is no package."""
    recipe = Recipe(kind="node", keeps=("node_modules", "web/node_modules"))
    (tmp_path / "tree/node_modules").mkdir(parents=True)
    (tmp_path / "tree/node_modules/.package-lock.json").write_text("{}")
    (tmp_path / "tree/web/node_modules/a").mkdir(parents=True)
    (mount,) = node.mounts(tmp_path, recipe, root="/repo")
    assert mount.target == "/repo/web/node_modules"
