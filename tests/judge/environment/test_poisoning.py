"""What one repository's code leaves, no other repository's run reads: every layer and cache.

In each row, code of repository A writes a mark into every folder and file it can see, at the moment
preparing or judging runs it. Repository B is a fork: the same manifests and locks, and so the same
keys. Afterwards B looks for the mark in all that it can see.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import shlex
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.configured import configured
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.prepare import maven, node
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import folder
from forsooth.judge.sandbox.job import Mount
from forsooth.judge.sandbox.tiers import available
from tests.judge.environment.place import BACKEND, MANIFEST, project, ran, search
from tests.judge.sandbox.account import doing, uid_of
from tests.tools import needs

pytestmark = pytest.mark.requires_strict
codecs.lookup("cp437")  # zip files need it; another account cannot read this Python's library
MARK = "written-by-repository-A"
WANTED = f"=={sys.version_info[0]}.{sys.version_info[1]}.*"
BASE = "the tree both begin at"


class Listener:
    """A service of the host that must hear from nobody."""

    def __init__(self) -> None:
        self.heard = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._server.accept()[0].close()
                self.heard += 1

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    one = Listener()
    yield one
    one.close()


def poison(cache: Path, port: int = 9) -> str:
    """A command that marks all it can write below a folder, and calls a service of the host."""
    folders = f"find {cache} -type d; find / -maxdepth 2 -type d"
    each = "2>/dev/null | while read -r one; do"
    tries = (
        f"{{ {folders}; }} {each} (echo {MARK} >$one/poison) 2>/dev/null; done",
        f"find {cache} -type f {each} (echo {MARK} >>$one) 2>/dev/null; done",
        f"(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null",
    )
    return f"bash -c {shlex.quote('; '.join((*tries, 'true')))}"


def sees_mark(held: Layers, layer: Layer, root: Path) -> str:
    """What a run of a repository finds of the mark."""
    look = f"grep -rlsI --devices=skip {MARK} {held.cache} {root} /tmp /var/tmp || :"
    done = ran(available(), layer, ("sh", "-c", look), copy=root, root=str(root))
    return done.stdout.decode()


def mark_in(folder_: Path) -> list[str]:
    """Files below a folder that hold the mark."""
    found = (path for path in folder_.rglob("*") if path.is_file() and not path.is_symlink())
    return [str(path) for path in found if MARK.encode() in path.read_bytes()]


@pytest.fixture
def home(place: Path, account: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of the account that judges, with an installer it can run."""
    (place / "bin").mkdir()
    shutil.copy(Path(sys.executable).parent / "uv", place / "bin/uv")
    monkeypatch.setenv("PATH", f"{place / 'bin'}:{os.environ['PATH']}")
    for path in (place, *place.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account))
    return place


def written(root: Path, files: dict[str, str]) -> Path:
    for name, body in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(body)
    return root


COMPILED = {
    "go": {"go.mod": "module till\n\ngo 1.18\n", "till.go": "package till\n"},
    "cargo": {
        "Cargo.toml": '[package]\nname = "till"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "till"\nversion = "0.1.0"\n',
        "src/lib.rs": "",
    },
}


@pytest.mark.parametrize(
    "kind", [pytest.param("go", marks=needs("go")), pytest.param("cargo", marks=needs("cargo"))]
)
@pytest.mark.timeout(600)
def test_a_build_cache_is_seen_by_its_own_repository_alone(tmp_path: Path, kind: str):
    """A base run of A fills it with what it likes; a fork with the same lock starts without."""
    ours, fork = (written(tmp_path / name, COMPILED[kind]) for name in ("a", "b"))
    with Layers(tmp_path / "cache", search=search()) as held:

        def layer(root: Path, base: str = BASE) -> Layer:
            recipe = detect(folder(root))
            return held.furnish(recipe, source=root, root=str(root), sandbox=available(), base=base)

        first = layer(ours)
        with held.filling(first) as base:
            place = next(iter(first.warm.values()))
            argv = ("sh", "-c", f"{poison(tmp_path / 'cache')}; echo {MARK} >{place}/result")
            ran(available(), base, argv, copy=ours, root=str(ours))
        assert held.warm.is_warm(first)
        assert MARK in sees_mark(held, layer(ours), ours) or mark_in(held.cache)
        assert sees_mark(held, layer(fork), fork) == ""
        assert sees_mark(held, layer(ours, "another base"), ours) == ""
        assert layer(fork).key == first.key  # it is the cache that differs


def test_a_build_backend_reaches_no_other_repository_and_no_host(
    home: Path, account: str, listener: Listener
):
    """Asked for requirements and metadata, and building: it leaves nothing and hears nothing."""
    call = f"\nimport os\nos.system({poison(home / 'cache', listener.port)!r})\n"
    manifest = MANIFEST.replace('version = "1.0"', 'dynamic = ["version", "dependencies"]')

    def prepared() -> tuple[str, list[str], list[str]]:
        wheel = f"{BACKEND}\nbuild_wheel = build_editable\n"
        hostile = project(home / "a", backend=call + wheel)
        honest = project(home / "b", backend=wheel)
        for root in (hostile, honest):
            (root / "pyproject.toml").write_text(manifest)
        seen, sources = "", []
        with Layers(home / "cache", search=search()) as held:
            for root in (hostile, honest):
                recipe = detect(folder(root)).but(wants=(), interpreter=WANTED, metadata=True)
                sandbox = available()
                layer = held.of(recipe, source=root, root=str(root), sandbox=sandbox)
                into = home / f"run-{root.name}"
                into.mkdir()
                layer = install_project(
                    held, layer, copy=root, root=str(root), into=into, sandbox=sandbox
                )
                seen = sees_mark(held, layer, root)
                sources = [str(mount.source) for mount in layer.mounts if mount.source]
        return seen, mark_in(home / "cache"), sources

    seen, marked, _ = doing(account, prepared)
    assert (seen, marked, listener.heard) == ("", [], 0)


# A backend that leaves a project beside its answer, and asks for that one as what it requires.
ASKS_FOR_ITSELF = """
import sys
def get_requires_for_build_editable(settings=None):
    with open(sys.argv[3] + "/pyproject.toml", "w") as file:
        file.write("[project]\\nname = 'evil'\\ndynamic = ['version']\\n[build-system]\\n"
                   "requires = []\\nbuild-backend = 'evil'\\nbackend-path = ['.']\\n")
    with open(sys.argv[3] + "/evil.py", "w") as file:
        file.write({evil!r})
    return ["-e ./answer", "--no-binary=evil"]
"""


def test_a_backend_has_no_installer_build_what_it_left(
    home: Path, account: str, listener: Listener
):
    """Its answer names releases or is refused: an editable would be built with a network."""
    evil = f"import os\nos.system({poison(home / 'cache', listener.port)!r})\n"

    def prepared() -> tuple[str, list[str]]:
        hook = BACKEND.replace("def get_requires", "def unused")
        root = project(home / "a", backend=hook + ASKS_FOR_ITSELF.format(evil=evil))
        with Layers(home / "cache", search=search()) as held:
            recipe = detect(folder(root)).but(wants=(), interpreter=WANTED)
            sandbox = available()
            layer = held.of(recipe, source=root, root=str(root), sandbox=sandbox)
            (home / "run").mkdir()
            with pytest.raises(CouldNotVerify) as caught:
                install_project(
                    held, layer, copy=root, root=str(root), into=home / "run", sandbox=sandbox
                )
        return caught.value.message, mark_in(home / "cache/downloads")

    message, marked = doing(account, prepared)
    assert (marked, listener.heard) == ([], 0)
    assert "not by release" in message


@pytest.mark.parametrize("online", [False, True])
def test_prepare_has_a_network_only_by_the_users_settings(
    home: Path, account: str, listener: Listener, online: bool
):
    """And whatever it writes besides what it keeps is gone."""
    command = poison(home / "cache", listener.port)

    def prepared() -> tuple[str, list[str]]:
        roots = [written(home / name, {"setup.sh": f"{command}\nmkdir kept\n"}) for name in "ab"]
        (roots[1] / "setup.sh").write_text("mkdir kept\n")
        settings = {"prepare": "sh setup.sh", "keeps": ["kept"], "reads": []}
        seen = ""
        with Layers(home / "cache", search=search(), online=online) as held:
            for root in roots:
                recipe = configured(settings, folder(root), detected=detect(folder(root)))
                layer = held.of(recipe, source=root, root=str(root), sandbox=available())
                seen = sees_mark(held, layer, root)
        return seen, [path for path in mark_in(home / "cache") if "/kept/" not in path]

    seen, marked = doing(account, prepared)
    assert (seen, marked) == ("", [])
    assert bool(listener.heard) is online


def test_what_prepare_kept_is_its_own_repositorys_and_bases(home: Path, account: str):
    """A lock beside it fixes nothing: a command of forsooth.toml leaves what it likes."""
    lock = {"package.json": '{"name": "x"}', "package-lock.json": EMPTY_LOCK}
    settings = {"prepare": "sh setup.sh", "keeps": ["node_modules"]}

    def prepared() -> list[str]:
        seen: list[str] = []
        with Layers(home / "cache", search=search()) as held:
            for name, base in (("a", "one"), ("b", "one"), ("a", "two"), ("a", "one")):
                script = f"mkdir -p node_modules; echo {name} {base} >node_modules/whose\n"
                root = written(home / name, {**lock, "setup.sh": script})
                recipe = configured(settings, folder(root), detected=detect(folder(root)))
                layer = held.of(recipe, source=root, root=str(root), sandbox=available(), base=base)
                seen.append((layer.folder / "kept/node_modules/whose").read_text().strip())
        return seen

    assert doing(account, prepared) == ["a one", "b one", "a two", "a one"]


def test_a_changed_script_is_not_run_and_changed_input_ends_the_network(
    home: Path, account: str, listener: Listener
):
    """`prepare` is the base's: what was delivered is read at most, and never with a network."""
    call = f"bash -c '(exec 3<>/dev/tcp/127.0.0.1/{listener.port}) 2>/dev/null || :'"
    base = {"setup.sh": f"mkdir kept; cp list.txt kept; {call}\n", "list.txt": "old"}
    work = {"setup.sh": "mkdir kept; echo delivered >kept/script\n", "list.txt": "new"}

    def prepared() -> dict[str, str]:
        before, after = written(home / "base", base), written(home / "work", work)
        settings = {
            "prepare": "sh setup.sh",
            "keeps": ["kept"],
            "reads": ["setup.sh", "list.txt"],
        }
        recipe = configured(settings, folder(after), detected=detect(folder(after)))
        with Layers(home / "cache", search=search(), online=True) as held:
            layer = held.of(
                recipe,
                source=after,
                root=str(after),
                sandbox=available(),
                base=BASE,
                base_source=lambda: before,
            )
            kept = layer.folder / "kept/kept"
            return {path.name: path.read_text() for path in kept.iterdir()}

    assert doing(account, prepared) == {"list.txt": "new"}
    assert listener.heard == 0


def shop_in(root: Path, tools: Path, **options) -> Workshop:
    (root / "layer").mkdir(parents=True)
    return Workshop(
        folder=root / "layer",
        source=root / "repo",
        sandbox=available(),
        search=search(f"{tools}:{os.environ['PATH']}"),
        downloads=root / "downloads",
        **options,
    )


@needs("cargo")
def test_cargo_asks_no_repository_however_a_workspace_names_it(tmp_path: Path, listener: Listener):
    """A pattern may match a manifest that ours does not; there is no way for git to anywhere."""
    crate = '[package]\nname = "b"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
    root = written(
        tmp_path / "repo",
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/**/b"]\nresolver = "2"\n',
            "crates/b/Cargo.toml": f'{crate}x = {{git = "http://127.0.0.1:{listener.port}/x"}}\n',
            "crates/b/src/lib.rs": "",
        },
    )
    with Layers(tmp_path / "cache", search=search()) as held, pytest.raises(CouldNotVerify):
        held.of(detect(folder(root)), source=root, root=str(root), sandbox=available())
    assert listener.heard == 0


EMPTY_LOCK = '{"name": "x", "lockfileVersion": 3, "packages": {"": {"name": "x"}}}'


@needs("npm")
@pytest.mark.timeout(300)
def test_npm_obeys_neither_scripts_nor_settings_of_a_repository(tmp_path: Path, listener: Listener):
    """Its own scripts do not run, and its proxy, shell and start files are not used."""
    command = poison(tmp_path / "downloads", listener.port)
    proxy = f"http://127.0.0.1:{listener.port}"
    names = ("preinstall", "install", "postinstall", "prepare", "dependencies")
    manifest = {"name": "x", "scripts": dict.fromkeys(names, command)}
    written(
        tmp_path / "repo",
        {
            "package.json": json.dumps(manifest),
            "package-lock.json": EMPTY_LOCK,
            "evil.js": f"require('child_process').execSync({json.dumps(command)})",
            ".npmrc": f"https-proxy={proxy}\nproxy={proxy}\nstrict-ssl=false\nregistry={proxy}/\n"
            f"ignore-scripts=false\nscript-shell={tmp_path}/repo/evil\n"
            f"node-options=--require={tmp_path}/repo/evil.js\ncache={tmp_path}/mine\n",
        },
    )
    recipe = detect(folder(tmp_path / "repo"))
    with Layers(tmp_path / "cache", search=search()) as held:
        tools = held.tools(recipe)
    shop = shop_in(tmp_path, tmp_path, allow=("*",))
    node.fill(shop, recipe, tools)
    assert (mark_in(tmp_path / "downloads"), mark_in(tmp_path / "layer")) == ([], [])
    assert listener.heard == 0
    assert (tmp_path / "layer/tree/.npmrc").read_text() == ""


MANAGED = {
    "pnpm": {
        "pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
        ".pnpmfile.cjs": "EVIL",
        "patches/evil.cjs": "EVIL",
        ".npmrc": "pnpmfile=patches/evil.cjs\nglobal-pnpmfile=patches/evil.cjs\n",
        "pnpm-workspace.yaml": "pnpmfile: patches/evil.cjs\npackages:\n  - a\n",
    },
    "yarn": {
        "yarn.lock": "# yarn lockfile v1\n",
        ".yarnrc": 'yarn-path ".yarn/releases/evil.cjs"\n',
        ".yarn/releases/evil.cjs": "EVIL",
    },
    "berry": {
        "package.json": '{"name": "x", "packageManager": "yarn@4.9.1"}',
        "yarn.lock": '# This file is generated by running "yarn install" inside your project.\n'
        "# Manual changes might be lost - proceed with caution!\n\n"
        '__metadata:\n  version: 8\n  cacheKey: 10c0\n\n"x@workspace:.":\n'
        '  version: 0.0.0-use.local\n  resolution: "x@workspace:."\n'
        "  languageName: unknown\n  linkType: soft\n",
        ".yarnrc.yml": "yarnPath: .yarn/releases/evil.cjs\nplugins:\n  - .yarn/plugins/evil.cjs\n"
        "enableScripts: true\nhttpsProxy: PROXY\n",
        ".yarn/releases/evil.cjs": "EVIL",
        ".yarn/plugins/evil.cjs": "EVIL",
    },
}


@needs("npm")
@pytest.mark.registry
@pytest.mark.timeout(300)
@pytest.mark.parametrize("manager", MANAGED)
def test_no_package_manager_runs_code_of_a_repository(
    tmp_path: Path, manager: str, listener: Listener
):
    """Its own release of the manager, plug-ins and hooks: none is started with a network."""
    command = poison(tmp_path / "downloads", listener.port)
    evil = f"require('child_process').execSync({json.dumps(command)}); module.exports = {{}}"
    proxy = f"http://127.0.0.1:{listener.port}"
    files = {"package.json": '{"name": "x", "scripts": {"postinstall": "exit 1"}}'}
    files |= MANAGED[manager]
    root = written(
        tmp_path / "repo",
        {name: body.replace("EVIL", evil).replace("PROXY", proxy) for name, body in files.items()},
    )
    recipe = detect(folder(root))
    with Layers(tmp_path / "cache", search=search()) as held:
        tools = held.tools(recipe)
    node.fill(shop_in(tmp_path, tmp_path), recipe, tools)
    assert mark_in(tmp_path / "downloads") == []
    assert listener.heard == 0


# A Maven that says what it sees: its arguments, its files, its network and the shared downloads.
MAVEN = """#!/bin/bash
{{ echo "argv $*"
  find . -type f | sort
  (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo NETWORK
  test -d {downloads} && echo DOWNLOADS
  (echo {mark} >{layer}/m2/poison) 2>/dev/null
}} >&2
case "$*" in *go-offline*|*:get*) exit 0;; esac
echo "offline mode and the artifact g:late:jar:1.0 has not been downloaded"
exit 1
"""


def test_maven_runs_a_repositorys_code_without_a_network(tmp_path: Path, listener: Listener):
    """The pom alone is there while fetching; its plug-ins and `.mvn` only while offline."""
    pom = (
        "<project><artifactId>m</artifactId><build><extensions><x/></extensions></build></project>"
    )
    written(
        tmp_path / "repo",
        {"pom.xml": pom, ".mvn/jvm.config": "-javaagent:evil.jar", "A.java": "class A {}"},
    )
    layer = tmp_path / "layer"
    body = MAVEN.format(
        port=listener.port, downloads=tmp_path / "downloads", layer=layer, mark=MARK
    )
    written(tmp_path / "maven", {"bin/mvn": body})
    (tmp_path / "maven/bin/mvn").chmod(0o755)
    mount = Tool("mvn", "1", tmp_path / "maven/bin/mvn", tmp_path / "maven")
    mvn = mount._replace(mounts=(Mount(tmp_path / "maven", str(tmp_path / "maven"), "ro"),))
    java = Tool("java", "17", Path("/usr/bin/java"), Path("/usr"))
    steps: list[tuple[str, str]] = []
    shop = shop_in(tmp_path, tmp_path / "maven/bin", settings={"MAVEN_MIRROR": "http://x.invalid/"})

    class Noting:
        """The real sandbox, with each answer noted."""

        tier, overlays, lacks, notes = "strict", True, (), ()

        def run(self, job, *, progress=None):
            done = available().run(job, progress=progress)
            steps.append((job.network, (done.stdout + done.stderr).decode()))
            return done

    with pytest.raises(CouldNotVerify):
        maven.fill(shop._replace(sandbox=Noting()), detect(folder(tmp_path / "repo")), (mvn, java))
    fetches = [said for network, said in steps if network == "host"]
    tries = [said for network, said in steps if network == "none"]
    assert any(":get -Dartifact=g:late:1.0:jar" in said for said in fetches)
    for said in fetches:
        assert "jvm.config" not in said
        assert "A.java" not in said
        assert "DOWNLOADS" not in said
    for said in tries:
        assert "A.java" in said
        assert "NETWORK" not in said
        assert "DOWNLOADS" not in said
    assert len(tries) > 1
