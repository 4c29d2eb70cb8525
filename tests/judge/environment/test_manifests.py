"""What installers see of a repository: allow-listed settings, manifests without scripts, locks
whose addresses are the user's registry.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.prepare import cargo, go, maven, node
from forsooth.judge.environment.prepare.manifests import hosts, npmrc, package_json, write_all
from forsooth.judge.environment.prepare.resolve import refuse_sources
from forsooth.judge.environment.prepare.step import Workshop, registry_settings
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import folder
from forsooth.judge.sandbox.bare import Bare
from tests.judge.environment.place import search

OURS = "https://registry.example/npm/"
SETTINGS = {"NPM_CONFIG_REGISTRY": OURS}


def shop_of(tmp_path: Path, files: dict[str, str], **options) -> Workshop:
    for name, body in files.items():
        (tmp_path / "repo" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "repo" / name).write_text(body)
    (tmp_path / "layer/work").mkdir(parents=True)
    place = {"folder": tmp_path / "layer", "source": tmp_path / "repo"}
    place |= {"sandbox": Bare(), "search": search(), "downloads": tmp_path / "downloads"}
    return Workshop(**place, **options)


def seen(tmp_path: Path, files: dict[str, str]) -> dict[str, str]:
    """What an installer would see of these files."""
    tree = tmp_path / "tree"
    tree.mkdir()
    shop = shop_of(tmp_path, files, settings=SETTINGS)
    write_all(shop, files, tree, registry=lambda: OURS)
    return {str(p.relative_to(tree)): p.read_text() for p in tree.rglob("*") if p.is_file()}


REFUSED_SETTINGS = """
https-proxy=http://evil.example
proxy = http://evil.example
strict-ssl=false
cafile=./evil.pem
script-shell=./evil.sh
node-options=--require ./evil.js
git=./evil.sh
pnpmfile=patches/evil.cjs
registry=https://evil.example/
@scope:registry=https://evil.example/
//evil.example/:_authToken=x
cache=./mine
"""


def test_of_npms_settings_only_layout_and_known_registries_count():
    """A proxy, a certificate, a program or a foreign registry in a repository is not used."""
    kept = f"legacy-peer-deps = true\npublic-hoist-pattern[]=*types*\n@own:registry={OURS}\n"
    kept += REFUSED_SETTINGS
    assert npmrc(kept, hosts(SETTINGS)) == (
        f"legacy-peer-deps=true\npublic-hoist-pattern[]=*types*\n@own:registry={OURS}\n"
    )


def test_other_settings_keep_only_blocks_that_are_known(tmp_path: Path):
    """Plug-ins, releases and hooks of the repository are not even copied; patches are data."""
    found = seen(
        tmp_path,
        {
            ".yarnrc": 'yarn-path ".yarn/releases/evil.cjs"\n',
            ".yarnrc.yml": "yarnPath: .yarn/releases/evil.cjs\nnodeLinker: pnp\nplugins:\n  - x\n",
            ".yarn/releases/evil.cjs": "x",
            ".yarn/plugins/evil.cjs": "x",
            ".yarn/patches/a.patch": "x",
            "pnpm-workspace.yaml": "packages:\n  - a\nconfigDependencies:\n  evil: 1\n",
            "patches/a.patch": "x",
        },
    )
    assert found == {
        ".yarnrc": "",
        ".yarnrc.yml": "nodeLinker: pnp\n",
        ".yarn/patches/a.patch": "x",
        "pnpm-workspace.yaml": "packages:\n  - a\n",
        "patches/a.patch": "x",
    }


def test_a_table_that_is_set_in_hides_no_setting(tmp_path: Path):
    """YAML lets every key of a table be set in: what a first key allows is not all below it."""
    body = "  packages:\n    - a\n  plugins:\n    - path: patches/evil.cjs\nnodeLinker: pnp\n"
    names = (".yarnrc.yml", "pnpm-workspace.yaml")
    assert seen(tmp_path, dict.fromkeys(names, body)) == dict.fromkeys(names, "nodeLinker: pnp\n")


def test_a_manifest_loses_what_could_run():
    """Scripts, the manager's own version, and what pnpm would fetch for itself."""
    body = {
        "name": "x",
        "scripts": {"postinstall": "evil"},
        "packageManager": "pnpm@https://evil.example/x.tgz",
        "pnpm": {"overrides": {"a": "1"}, "configDependencies": {"evil": "1"}},
        "dependencies": {"a": "^1 || ~2", "b": "npm:c@1", "d": "workspace:*", "e": "file:../e"},
    }
    kept = json.loads(package_json(json.dumps(body), "package.json"))
    assert kept == {
        "name": "x",
        "pnpm": {"overrides": {"a": "1"}},
        "dependencies": body["dependencies"],
    }


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/x.tgz",
        "git+ssh://git@evil.example/x.git",
        "github:evil/x",
        "evil/x#main",
        "exec:./evil.js",
        "patch:x@https%3A%2F%2Fevil.example%2Fx.tgz#./p",
        "patch:x@git%40evil.example%3Ax#./p",
        "git@evil.example:x/y.git",
        " evil/x",
        "evil/x~1",
        "npm:x@http:evil.example",
        "file://evil.example/x",
    ],
)
def test_a_dependency_from_elsewhere_is_refused_by_name(wanted: str):
    """Nothing is asked of an address that a repository names."""
    for key in ("devDependencies", "peerDependencies", "overrides"):
        with pytest.raises(CouldNotVerify, match="x is named by an address") as caught:
            package_json(json.dumps({key: {"x": wanted}}), "package.json")
        assert caught.value.code == "environment:vcs-dependency"


def npm_lock(url: str) -> str:
    entry = {"version": "1.0.0", "resolved": url, "integrity": "sha512-x"}
    return json.dumps({"packages": {"": {}, "node_modules/@s/x": entry}})


def old_lock(url: str) -> str:
    return json.dumps({"dependencies": {"@s/x": {"version": "1.0.0", "resolved": url}}})


def yarn_lock(url: str) -> str:
    return f'# yarn lockfile v1\n\n"@s/x@^1":\n  version "1.0.0"\n  resolved "{url}"\n'


LOCKS = {
    "package-lock.json": npm_lock,
    "npm-shrinkwrap.json": old_lock,
    "yarn.lock": yarn_lock,
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_says_which_bytes_and_not_where_from(tmp_path: Path, name: str):
    """An address in a registry's layout becomes the user's registry's; any other is refused."""
    body = LOCKS[name]("https://evil.example/some/@s/x/-/x-1.0.0.tgz")
    found = seen(tmp_path, {name: body})[name]
    assert "evil.example" not in found
    assert f"{OURS}@s/x/-/x-1.0.0.tgz" in found


@pytest.mark.parametrize("name", LOCKS)
def test_an_address_in_a_lock_that_is_no_registrys_is_refused(tmp_path: Path, name: str):
    """Nothing is fetched from it, and so nothing is told to it."""
    with pytest.raises(CouldNotVerify, match="@s/x is named by an address"):
        seen(tmp_path, {name: LOCKS[name]("https://evil.example/exfil?secret=1")})


def test_an_older_lock_that_names_an_address_as_version_is_refused(tmp_path: Path):
    """The first generation of npm's locks has addresses there."""
    lock = json.dumps({"dependencies": {"x": {"version": "https://evil.example/x.tgz"}}})
    with pytest.raises(CouldNotVerify, match="x is named by an address"):
        seen(tmp_path, {"package-lock.json": lock})


BERRY = '__metadata:\n  version: 8\n\n"x@{0}":\n  version: 1.0.0\n  resolution: "x@{0}"\n'


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/x.tgz",
        "exec:./evil.js",
        "npm:1.0.0::__archiveUrl=https%3A%2F%2Fevil.example",
        "patch:x@https%3A%2F%2Fevil.example#p",
    ],
)
def test_newer_yarn_locks_are_held_to_the_registry(tmp_path: Path, wanted: str):
    """Its resolutions may name programs and archives; those are refused, others stay."""
    with pytest.raises(CouldNotVerify, match="x is named by an address"):
        seen(tmp_path, {"yarn.lock": BERRY.format(wanted)})
    honest = BERRY.format("npm:1.0.0")
    (tmp_path / "again").mkdir()
    assert seen(tmp_path / "again", {"yarn.lock": honest}) == {"yarn.lock": honest}


def test_pnpm_locks_keep_digests_alone(tmp_path: Path):
    """A tarball's address beside a digest goes; without a digest it is refused."""
    entry = "packages:\n\n  x@1.0.0:\n    resolution: {%s}\n"
    body = entry % "integrity: sha512-abc==, tarball: https://evil.example/x.tgz"
    found = seen(tmp_path, {"pnpm-lock.yaml": body})["pnpm-lock.yaml"]
    assert found == entry % "integrity: sha512-abc=="
    for number, other in enumerate(("tarball: https://evil.example/x.tgz", "commit: a, repo: b")):
        (tmp_path / str(number)).mkdir()
        with pytest.raises(CouldNotVerify, match="by an address"):
            seen(tmp_path / str(number), {"pnpm-lock.yaml": entry % other})
    (tmp_path / "local").mkdir()
    local = entry % "directory: ../x, type: directory"
    assert seen(tmp_path / "local", {"pnpm-lock.yaml": local}) == {"pnpm-lock.yaml": local}


def packages(place: str, **entry: object) -> str:
    return json.dumps({"packages": {"": {}, place: entry}})


EVIL = "http://evil.example/x.tgz"
CLASSIC = '# yarn lockfile v1\n\nx@^1:\n  version "1.0.0"\n'
NEWER = '__metadata:\n  version: 8\n\n"x@npm:^1":\n  version: 1.0.0\n'
PNPM = "packages:\n\n  x@1.0.0:\n"
HIDDEN = [
    ("package-lock.json", packages("node_modules/x", version=EVIL)),
    ("package-lock.json", packages("node_modules/x", dependencies={"y": EVIL})),
    ("package-lock.json", packages("node_modules/x", link=1, resolved=EVIL)),
    ("package-lock.json", packages("node_modules/../../../../downloads/npm", version="1.0.0")),
    ("package-lock.json", packages("/cache/node_modules/x", version="1.0.0")),
    ("package-lock.json", json.dumps({"dependencies": {"x": {"requires": {"y": EVIL}}}})),
    ("package-lock.json", json.dumps({"dependencies": {"../../x": {"version": "1.0.0"}}})),
    ("yarn.lock", f'{CLASSIC}  "resolved" "{EVIL}"\n'),
    ("yarn.lock", f'{CLASSIC}  resolved "https://r/x/-/x-1.0.0.tgz"\n  resolved "{EVIL}"\n'),
    ("yarn.lock", f'{CLASSIC}  dependencies:\n    y "{EVIL}"\n'),
    ("yarn.lock", f"{NEWER}  resolution: x@{EVIL}\n"),
    ("yarn.lock", f"{NEWER}  'resolution': \"x@{EVIL}\"\n"),
    ("yarn.lock", f'{NEWER}  "\\x72esolution": "x@{EVIL}"\n'),
    ("yarn.lock", f'{NEWER}  dependencies:\n    y: "{EVIL}"\n'),
    ("yarn.lock", f'__metadata:\n  version: 8\n"x@npm:^1":\n    resolution: "x@{EVIL}"\n'),
    ("yarn.lock", f'  __metadata:\n    version: 8\n  "x@npm:^1":\n    resolution: "x@{EVIL}"\n'),
    ("pnpm-lock.yaml", f"{PNPM}    'resolution': {{tarball: {EVIL}}}\n"),
    ("pnpm-lock.yaml", f'{PNPM}    "resolution": {{tarball: {EVIL}}}\n'),
    ("pnpm-lock.yaml", f"{PNPM}    resolution: {{tarball: {EVIL}, directory: x}}\n"),
    ("pnpm-lock.yaml", f"{PNPM}    resolution: &a {{tarball: {EVIL}}}\n"),
    ("pnpm-lock.yaml", f"packages: {{x@1.0.0: {{'resolution': {{tarball: {EVIL}}}}}}}\n"),
]


@pytest.mark.parametrize(("name", "body"), HIDDEN)
def test_a_lock_hides_no_address_in_another_spelling(tmp_path: Path, name: str, body: str):
    """A line that its own tool would write otherwise is refused, and so is a place outside."""
    with pytest.raises(CouldNotVerify) as caught:
        seen(tmp_path, {name: body})
    assert caught.value.code in {"environment:vcs-dependency", "environment:unreadable"}


def test_locks_as_their_tools_write_them_are_understood(tmp_path: Path):
    """Aliases, long keys, patches, texts of several lines and folders of the repository."""
    classic = (
        '# yarn lockfile v1\n\n\n"@s/x@^1", "@s/x@~1.2":\n  version "1.2.0"\n'
        f'  resolved "{OURS}@s/x/-/x-1.2.0.tgz#abc"\n  integrity sha512-a+b/c==\n'
        '  dependencies:\n    "@s/y" ">= 1 < 3"\n    z "npm:@s/z@^1"\n\n'
        f'"z@npm:@s/z@^1":\n  version "1.0.0"\n  resolved "{OURS}@s/z/-/z-1.0.0.tgz"\n'
    )
    newer = (
        '# made\n\n__metadata:\n  version: 8\n\n? "x@npm:^1, x@npm:~1"\n:\n  version: 1.0.0\n'
        '  resolution: "x@npm:1.0.0"\n  dependencies:\n    y: "npm:^1"\n  peerDependencies:\n'
        '    z: ">= 1 || 2.x"\n  bin:\n    x: ./bin/x.js\n  checksum: 10c0/ab\n'
        '  languageName: node\n  linkType: hard\n\n"f@patch:f@npm%3A2#optional!builtin<a/f>":\n'
        '  version: 2.0.0\n  resolution: "f@patch:f@npm%3A2#optional!builtin<a/f>::version=2&h=1"\n'
        '\n"v@virtual:ab#npm:1":\n  version: 1.0.0\n  resolution: "v@virtual:ab#npm:1"\n'
    )
    pnpm = (
        "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      '@s/x':\n"
        "        specifier: ^1\n        version: 1.0.0(y@1.0.0)\n\n  a: {}\n\npackages:\n\n"
        "  '@s/x@1.0.0':\n    resolution: {integrity: sha512-a==}\n    engines: {node: '>=8'}\n"
        '    cpu: [x64]\n    deprecated: |-\n      A text:\n      "of" lines\n    hasBin: true\n'
    )
    for number, (name, body) in enumerate(
        (("yarn.lock", classic), ("yarn.lock", newer), ("pnpm-lock.yaml", pnpm))
    ):
        (tmp_path / str(number)).mkdir()
        assert seen(tmp_path / str(number), {name: body}) == {name: body}


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
@pytest.mark.parametrize("body", ["{", "[" * 100_000])
def test_a_manifest_that_is_no_json_is_named(tmp_path: Path, name: str, body: str):
    """It is the repository's to correct."""
    with pytest.raises(CouldNotVerify, match=name) as caught:
        seen(tmp_path, {name: body})
    assert caught.value.code == "environment:unreadable"


@pytest.mark.parametrize(
    "line", ["a @ https://evil.example/a.whl", "a @ file:///etc", "https://evil.example/a.whl"]
)
def test_python_packages_named_by_address_are_refused(line: str):
    """As for every other ecosystem."""
    with pytest.raises(CouldNotVerify, match="by address, not by release"):
        refuse_sources([line])


@pytest.mark.parametrize(
    "line",
    [
        "-e ./answer",
        "--editable=./answer",
        "--index-url=http://evil.example/simple",
        "--no-binary=six",
        "six\n--index-url=http://evil.example/simple",
        "six \\",
        "six ; os_name == 'a' --no-binary=six",
        "./six",
        "evil/six",
        "six-1.0-py3-none-any.whl",
        "six @ file:six",
    ],
)
def test_a_line_that_is_no_release_never_reaches_an_installer(line: str):
    """A path, an option or a second line would choose hosts, or have code built."""
    with pytest.raises(CouldNotVerify, match="not by release") as caught:
        refuse_sources(["six", line])
    assert caught.value.code == "environment:vcs-dependency"


@pytest.mark.parametrize(
    "line",
    [
        "zope.interface",
        "six[a, b-c] ~= 1.0 ; python_version<'3.8' and extra == \"x\"",
        "six (>=1!1.0rc1,<2.*)",
        "six===1+local \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd",
    ],
)
def test_a_release_is_understood_however_it_is_written(line: str):
    """What real manifests and pin files hold is not refused."""
    refuse_sources([line])


CRATE = '[package]\nname = "c"\nversion = "1.0.0"\n'
PROGRAMS = """
[build]
rustc = "./evil.sh"
rustc-wrapper = "./evil.sh"
[registry]
global-credential-providers = ["cargo:token-from-stdout ./evil.sh"]
[http]
proxy = "http://evil.example"
[source.crates-io]
replace-with = "vendored"
registry = "https://evil.example/index"
[source.vendored]
directory = "vendor"
[registries.evil]
index = "https://evil.example/index"
[registries.own]
index = "sparse+https://registry.example/index"
"""


def test_of_cargos_settings_only_vendored_folders_and_known_registries_count(tmp_path: Path):
    """They may name programs that cargo starts and hosts that it asks."""
    files = {"Cargo.toml": CRATE, ".cargo/config.toml": PROGRAMS, "sub/.cargo/config": PROGRAMS}
    shop = shop_of(tmp_path, files, settings={"X": "https://registry.example/"})
    cargo._keep_settings(shop, tmp_path / "repo")
    body = (tmp_path / "repo/.cargo/config.toml").read_text()
    assert "evil" not in body
    assert 'replace-with = "vendored"' in body
    assert 'directory = "vendor"' in body
    assert "https://registry.example/index" in body
    assert not (tmp_path / "repo/sub/.cargo/config").exists()


@pytest.mark.parametrize("key", ["git", "registry-index"])
@pytest.mark.parametrize(
    "table", ["dependencies.a", "patch.crates-io.a", "target.'x'.dependencies.a"]
)
def test_a_crate_named_by_address_is_refused_wherever_it_is_named(
    tmp_path: Path, key: str, table: str
):
    """Also in the manifest of a folder that another one leads to."""
    inner = f'{CRATE}[{table}]\n{key} = "https://evil.example/"\n'
    outer = f'{CRATE}[dependencies]\nb = {{ path = "b" }}\n'
    shop = shop_of(tmp_path, {"Cargo.toml": outer, "b/Cargo.toml": inner})
    with pytest.raises(CouldNotVerify, match="a is named by an address"):
        cargo._refuse_elsewhere(shop.source, ["Cargo.toml"])


def test_go_is_never_told_to_ask_a_modules_own_host(tmp_path: Path):
    """A name of a module begins with a host, and a repository chooses it."""
    shop = shop_of(tmp_path, {}, settings={"GOPROXY": "https://a.example|https://b.example,direct"})
    assert go._proxies(shop, ()) == "https://a.example,https://b.example"
    assert go._proxies(shop._replace(settings={"GOPROXY": "direct"}), ()) == "off"


def test_hosts_of_a_persons_own_settings_are_read_without_their_secrets(tmp_path: Path):
    """npm's, go's and Maven's files in the home say where to ask; a password stays there."""
    files = {
        ".npmrc": f"registry={OURS}\n@s:registry={OURS}s\n//x/:_authToken=secret\n",
        ".config/go/env": "GOPROXY=https://go.example\nGOPRIVATE=https://u:secret@x\nCC=evil\n",
        ".m2/settings.xml": "<settings><!-- <mirror><url>no</url></mirror> --><mirrors><mirror>"
        "<url> https://maven.example/ </url></mirror></mirrors></settings>",
    }
    for name, body in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(body)
    mine = {"GOPROXY": "https://mine.example", "HTTP_PROXY": "me:secret@proxy.example:3128"}
    assert registry_settings(mine, tmp_path) == {
        "NPM_CONFIG_REGISTRY": OURS,
        "npm_config_@s:registry": f"{OURS}s",
        "GOPROXY": "https://mine.example",
        "MAVEN_MIRROR": "https://maven.example/",
    }


def test_mavens_one_repository_is_the_machines_own(tmp_path: Path):
    """A mirror of its settings that is not there to block; without any word there is no guess."""
    home = tmp_path / "maven"
    tool = Tool("mvn", "3", home / "bin/mvn", home)
    shop = shop_of(tmp_path, {})
    (home / "conf").mkdir(parents=True)
    with pytest.raises(CouldNotVerify, match="does not say"):
        maven._central(shop, tool)
    blocked = "<mirror><url>http://0.0.0.0/</url><blocked>true</blocked></mirror>"
    mirror = "<mirror><url>https://maven.example/</url></mirror>"
    (home / "conf/settings.xml").write_text(f"<settings>{blocked}{mirror}</settings>")
    assert maven._central(shop, tool) == "https://maven.example/"


def test_an_install_script_that_needs_a_network_says_so(tmp_path: Path):
    """It is no failure of the work."""
    npm = tmp_path / "bin/npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\ntest $1 != rebuild\n")
    npm.chmod(0o755)
    files = {"package.json": "{}", "package-lock.json": '{"packages": {}}'}
    shop = shop_of(tmp_path, files, allow=("x",))
    (tmp_path / "layer/work").rmdir()
    with pytest.raises(CouldNotVerify, match="has no network while it runs") as caught:
        node.fill(shop, detect(folder(shop.source)), (Tool("node", "1", npm, npm.parent),))
    assert caught.value.code == "environment:needs-network"


HASHED = {
    "package-lock.json": (
        '{"packages": {"node_modules/a": {"version": "1"%s}}}',
        ', "integrity": "x"',
    ),
    "pnpm-lock.yaml": ("packages:\n\n  a@1.0.0:\n    resolution: {%s}\n", "integrity: sha512-x"),
    "yarn.lock": ('a@^1:\n  version "1.0.0"\n%s', "  integrity sha512-x\n"),
    "Cargo.lock": (
        '[[package]]\nname = "a"\nversion = "1"\nsource = "registry+x"\n%s',
        'checksum = "x"\n',
    ),
}


@pytest.mark.parametrize("name", HASHED)
def test_a_layer_is_shared_only_where_a_lock_has_every_digest(tmp_path: Path, name: str):
    """Without digests, or with install scripts, two repositories have two."""
    body, digest = HASHED[name]
    manifest = {"Cargo.toml": CRATE} if name == "Cargo.lock" else {"package.json": "{}"}
    layers = Layers(tmp_path, search=search())

    def keys(filled: str, allow: tuple[str, ...] = ()) -> int:
        files = {**manifest, name: body % filled}
        recipe = detect({path: text.encode() for path, text in files.items()})
        return len({layers.key(recipe, (), allow, root=root) for root in ("/a", "/b")})

    assert (keys(digest), keys(""), keys(digest, ("x",))) == (1, 2, 2)
