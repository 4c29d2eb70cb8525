"""What Node's installers see of a repository: manifests, settings and locks as we write them.

An installer has a network, so nothing that a repository says may choose where it goes or what it
starts. Three rules give that:

- Settings are an allow-list: how packages are laid out, never a proxy, a certificate, a program, a
  plug-in or a script. A registry counts only where the user's own settings name its host.
- Manifests lose their scripts and the version of the installer. A dependency that is not named by
  release, or by a path of the repository, is refused by name.
- In a lock, the address of each package becomes that of the user's registry: see `node_locks`.

Not seen: a package of the registry that itself depends on an address. Without a lock an installer
follows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.node_locks import DEPENDENCIES, LOCKS, refuse_elsewhere
from forsooth.judge.environment.prepare.step import Workshop, copied
from forsooth.judge.environment.tree import Table, at, table

# Keys of .npmrc, and in camel case of the two YAML files, that only say how packages are laid out.
LAYOUT = frozenset(
    """auto-install-peers dedupe-direct-deps dedupe-peer-dependents engine-strict hoist
    hoist-pattern hoist-workspace-packages ignore-workspace-root-check include
    inject-workspace-packages install-links install-strategy legacy-peer-deps
    link-workspace-packages node-linker omit optional package-lock peers-suffix-max-length
    prefer-dedupe prefer-workspace-packages public-hoist-pattern resolution-mode
    resolve-peers-from-workspace-root save-workspace-protocol shamefully-hoist
    shared-workspace-lockfile strict-peer-dependencies strict-peer-deps
    exclude-links-from-lockfile""".split()
)
YAML = frozenset(
    """catalog catalogs packages overrides package-extensions patched-dependencies
    peer-dependency-rules ignored-optional-dependencies supported-architectures
    compression-level nm-hoisting-limits nm-mode nm-self-references
    enable-transparent-workspaces default-semver-range-prefix""".split()
)
DROPPED = ("scripts", "packageManager", "devEngines", "publishConfig", "config", "gypfile")
DROPPED_OF_PNPM = ("configDependencies", "executionEnv", "requiredScripts")
WANTED = (*DEPENDENCIES, "overrides", "resolutions")
BLOCK = re.compile(r"""^(["']?)([A-Za-z][\w-]*)\1:(?=\s)""")


def hosts(settings: Mapping[str, str]) -> frozenset[str]:
    """The hosts that the user's own installer settings name."""
    words = (word for value in settings.values() for word in re.split(r"[\s,|]+", value))
    return frozenset(host for word in words if (host := urlsplit(word).netloc))


def write_all(
    shop: Workshop, reads: Iterable[str], tree: Path, *, registry: Callable[[], str]
) -> None:
    """Write what an installer may see of these files; `registry` is asked when a lock needs it."""
    known = hosts(shop.settings)
    for path in reads:
        origin = shop.source / path
        if not origin.is_file() or origin.is_symlink():
            continue
        name, body = PurePosixPath(path).name, origin.read_text(errors="replace")
        if name in WRITERS:
            seen = WRITERS[name](body, path)
        elif name == ".npmrc":
            seen = npmrc(body, known)
        elif name in LOCKS:
            seen = LOCKS[name](body, registry)
        else:
            is_patch = "patches" in PurePosixPath(path).parts[:-1]
            copied(shop.source, tree, [path] if is_patch else [])
            continue
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(seen)


def package_json(body: str, path: str) -> str:
    """A manifest without anything to run, all of whose dependencies a registry can give.

    >>> package_json('{"name": "a", "scripts": {"install": "sh x"}}', "package.json")
    '{"name": "a"}'
    """
    try:
        data: Table = table(json.loads(body))
    except (ValueError, RecursionError) as error:
        raise failure("unreadable", f"{path} cannot be read: {error}") from None
    for name in WANTED:
        refuse_elsewhere(data.get(name), "")
    kept = {key: value for key, value in data.items() if key not in DROPPED}
    if "pnpm" in kept:
        pnpm = at(kept, "pnpm")
        refuse_elsewhere(pnpm.get("overrides"), "")
        kept["pnpm"] = {key: pnpm[key] for key in pnpm if key not in DROPPED_OF_PNPM}
    return json.dumps(kept)


def npmrc(body: str, known: frozenset[str]) -> str:
    r"""The lines that say how packages are laid out, and registries on hosts the user has.

    >>> npmrc("legacy-peer-deps=true\nhttps-proxy=http://x\nregistry=http://x/", frozenset())
    'legacy-peer-deps=true\n'
    """
    kept: list[str] = []
    for line in body.splitlines():
        key, _, value = (part.strip() for part in line.partition("="))
        is_registry = key == "registry" or re.fullmatch(r"@[\w.~-]+:registry", key)
        if key.removesuffix("[]") in LAYOUT or (is_registry and urlsplit(value).netloc in known):
            kept.append(f"{key}={value}\n")
    return "".join(kept)


def _yaml(body: str, path: str) -> str:
    r"""The blocks of a YAML file whose keys are known; each begins at the left.

    A table may also be written with every key set in: whatever stands before the first key at the
    left is left out.

    >>> _yaml("  packages: []\n  plugins: [./evil.cjs]\nnodeLinker: pnp\n", ".yarnrc.yml")
    'nodeLinker: pnp\n'
    """
    del path
    blocks = re.split(r"^(?=[^\s#-])", body, flags=re.MULTILINE)
    keys = ((BLOCK.match(block), block) for block in blocks)
    return "".join(block for key, block in keys if key and _dashed(key[2]) in YAML | LAYOUT)


def _dashed(key: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"-{found[0].lower()}", key)


def _nothing(body: str, path: str) -> str:
    del body, path
    return ""


WRITERS: Mapping[str, Callable[[str, str], str]] = {
    "package.json": package_json,
    ".yarnrc": _nothing,
    ".yarnrc.yml": _yaml,
    "pnpm-workspace.yaml": _yaml,
}
