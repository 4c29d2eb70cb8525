"""Real packages give the same result for each test in the judge as in a plain checkout."""

from __future__ import annotations

import os
import subprocess

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.tree import folder
from tests.judge.environment.place import BACKEND, project, python, ran, search
from tests.judge.environment.real import UV, commit, compare, fetch
from tests.tools import needs

pytestmark = pytest.mark.registry
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>
<artifactId>tiny</artifactId>
<version>1</version><properties><maven.compiler.source>17</maven.compiler.source>
<maven.compiler.target>17</maven.compiler.target></properties><dependencies><dependency>
<groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope>
</dependency></dependencies></project>"""


slow = pytest.mark.skipif(not os.environ.get("FORSOOTH_SLOW"), reason="set FORSOOTH_SLOW=1")
PACKAGES = [
    pytest.param("python", "itsdangerous==2.2.0", 297, id="itsdangerous"),
    pytest.param("python", "pluggy==1.7.0", 219, id="pluggy, the runner's own dependency"),
    pytest.param(
        "python", "markupsafe==3.0.3", 60, id="markupsafe, a compiled extension", marks=slow
    ),
    pytest.param("node", "concat-map@0.0.1", 3, id="concat-map", marks=needs("npm")),
    pytest.param("go", "github.com/kr/pretty@v0.3.1", 5, id="kr/pretty", marks=[needs("go"), slow]),
    pytest.param("cargo", "memoffset@0.9.1", 5, id="memoffset", marks=needs("cargo")),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kind", "name", "least"), PACKAGES)
def test_a_real_package_behaves_as_in_a_plain_checkout(tmp_path, sandbox, kind, name, least):
    """With no configuration, offline, test by test."""
    root = fetch(kind, name, tmp_path / "fetched")
    found = compare(root, cache=tmp_path / "cache", sandbox=sandbox)
    assert found.recipe.kind == kind
    assert len(found.plain) >= least, found.output
    assert found.different == [], found.output


@needs("go")
def test_a_go_module_finds_its_dependencies_offline(tmp_path, sandbox):
    """Every package of the graph resolves from the layer alone, and none outside it."""
    root = fetch("go", "github.com/kr/pretty@v0.3.1", tmp_path / "fetched")
    with Layers(tmp_path / "cache", search=search()) as layers:
        recipe = detect(folder(root))
        layer = layers.of(recipe, source=root, root=str(root), sandbox=sandbox)
        argv = ("go", "list", "-deps", "-test", "-f", "{{.Dir}}", "./...")
        done = ran(sandbox, layer, argv, copy=root, root=str(root))
    places = [line for line in done.stdout.decode().splitlines() if "/mod/" in line]
    assert done.exit == 0, done.stderr
    assert any("kr/text" in place for place in places)


@needs("mvn", "javac")
@slow
@pytest.mark.timeout(900)
def test_a_maven_project_behaves_as_in_a_plain_checkout(tmp_path, sandbox):
    """Plug-ins that are chosen while tests start are there offline, too."""
    root = tmp_path / "repo"
    for path, body in {
        "pom.xml": POM,
        "src/main/java/A.java": "public class A { static int two() { return 2; } }",
        "src/test/java/ATest.java": (
            "public class ATest { @org.junit.Test public void two() "
            "{ org.junit.Assert.assertEquals(2, A.two()); } }"
        ),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(body)
    commit(root)
    found = compare(root, cache=tmp_path / "cache", sandbox=sandbox)
    assert found.judged == {"run": "1", "failures": "0"}, found.output


def made(tmp_path, sandbox, **files: str):
    for name, body in {"test_a.py": "def test(): pass\n", **files}.items():
        (tmp_path / "repo").mkdir(exist_ok=True)
        (tmp_path / "repo" / name).write_text(body)
    root = tmp_path / "repo"
    layers = Layers(tmp_path / "cache", search=search())
    with layers:
        recipe = detect(folder(root))
        return layers, layers.of(recipe, source=root, root=str(root), sandbox=sandbox)


def test_versions_chosen_once_are_chosen_again(tmp_path, sandbox):
    """After clearing the cache the same layer comes back, not a newer one."""
    layers, layer = made(tmp_path, sandbox, **{"requirements.txt": "six\n"})
    pins = layers.cache / "pins" / layer.key
    pins.write_text("six==1.15.0\n")
    assert layers.store.drop(layer.key)
    _, again = made(tmp_path, sandbox)
    assert again.packages == {"six": ("1.15.0",)}


def test_a_poetry_lock_gives_versions_and_hashes(tmp_path, sandbox):
    """Names from the tables, versions and bytes from the lock."""
    lock = (
        '[[package]]\nname = "six"\nversion = "1.16.0"\nfiles = [{file = "x", hash = '
        '"sha256:8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254"}]\n'
    )
    manifest = (
        '[tool.poetry]\nname = "x"\npackage-mode = false\n'
        '[tool.poetry.dependencies]\npython = ">=3.8"\nsix = "^1.15"\n'
    )
    _, layer = made(tmp_path, sandbox, **{"poetry.lock": lock, "pyproject.toml": manifest})
    assert layer.packages["six"] == ("1.16.0",)
    with pytest.raises(CouldNotVerify) as caught:
        made(tmp_path, sandbox, **{"poetry.lock": lock.replace("8abb", "0000")})
    assert caught.value.code == "environment:hash-mismatch"


def test_hashed_requirements_are_installed_as_they_stand(tmp_path, sandbox):
    """A requirement file with hashes is a lock."""
    line = (
        "six==1.16.0 --hash=sha256:8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254"
    )
    _, layer = made(
        tmp_path, sandbox, **{"requirements.txt": line + "\n", "test_a.py": "", "tox.ini": ""}
    )
    assert "six" in layer.packages


def test_a_lock_that_lacks_the_runner_is_added_to(tmp_path, sandbox):
    """uv.lock decides versions; what tests need beyond it is resolved under those."""
    manifest = '[project]\nname = "x"\nversion = "1"\ndependencies = ["iniconfig<2"]\n'
    root = tmp_path / "repo"
    root.mkdir()
    (root / "pyproject.toml").write_text(manifest + 'requires-python = ">=3.9"\n')
    subprocess.run([UV, "lock", "--quiet"], cwd=root, check=True)
    _, layer = made(tmp_path, sandbox)
    assert layer.packages["iniconfig"][0].startswith("1.")
    assert "pytest" in layer.packages


def test_dependencies_only_the_backend_knows_are_asked_for(tmp_path, sandbox):
    """A setup.py computes its list while preparing, in a sandbox."""
    body = "from setuptools import setup\nsetup(name='x', version='1', install_requires=['s'+'ix'])"
    _, layer = made(tmp_path, sandbox, **{"setup.py": body})
    assert {"six", "pytest"} <= set(layer.packages)
    assert "x" not in layer.packages


def test_a_backend_may_ask_for_more_and_gets_the_same_again(tmp_path, sandbox):
    """What a hook answers joins the build layer, and stays with it after clearing."""
    backend = BACKEND.replace("return []", "return ['six']")
    root = project(tmp_path / "repo", backend=backend)
    one = detect(folder(root)).projects[0]
    layers = Layers(tmp_path / "cache", search=search())
    for _ in range(2):
        with layers:
            env = layers.build_layer(
                one, python(), source=lambda: root, root=str(root), sandbox=sandbox
            )
            assert list(env.glob("lib/*/site-packages/six.py"))
        layers.store.gc(0)
    assert not env.exists()


MISSES = [
    ("docopt==0.6.2\n", "needs-build", "docopt"),
    ("six==99.1\n", "pin-unavailable", "six"),
    ("six>=2,<1\n", "conflict", "six"),
]


@pytest.mark.parametrize(("body", "why", "package"), MISSES, ids=[row[1] for row in MISSES])
def test_what_a_registry_cannot_give_is_named(tmp_path, sandbox, body, why, package):
    """A code, the package and a remedy; never a relaxed set."""
    with pytest.raises(CouldNotVerify, match=package) as caught:
        made(tmp_path, sandbox, **{"requirements.txt": body})
    assert caught.value.code == f"environment:{why}"


def test_a_package_allowed_by_name_may_be_built(tmp_path, sandbox):
    """Only the one that was named."""
    root = tmp_path / "repo"
    root.mkdir()
    (root / "requirements.txt").write_text("docopt==0.6.2\n")
    (root / "test_a.py").write_text("")
    with Layers(tmp_path / "cache", search=search()) as layers:
        recipe = detect(folder(root))
        layer = layers.of(
            recipe, source=root, root=str(root), sandbox=sandbox, allow_scripts=("docopt",)
        )
    assert layer.packages["docopt"] == ("0.6.2",)
