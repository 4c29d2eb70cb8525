"""What Node's installers see of a repository: manifests, settings and locks as we write them.

An installer has a network, so nothing that a repository says may choose where it goes or what it
starts. Three rules give that:

- Settings are an allow-list: how packages are laid out, never a proxy, a certificate, a program, a
  plug-in or a script. A registry counts only where the user's own settings name its host.
- Manifests lose their scripts and the version of the installer. A dependency that is named by an
  address, a repository or a program is refused by name.
- In a lock, the address of each package becomes that of the user's registry. Its digest stays, so
  a lock can still say which bytes are meant, and no longer where they come from.

Not seen: a package of the registry that itself depends on an address. Without a lock an installer
follows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from forsooth.judge.environment.failure import failure
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
WANTED = ("dependencies", "devDependencies", "optionalDependencies", "overrides", "resolutions")
ELSEWHERE = re.compile(
    r"^(?!(?:file|link|portal|workspace|npm|catalog|patch):)(?:[\w+.-]+:|[\w.-]+/[\w.-]+(?:#|$))"
    r"|://|%3[Aa]%2[Ff]|\b(?:exec|git|ssh)(?::|%3[Aa])"
)
YARN_ENTRY = re.compile(
    r'(?P<head>^"?(?P<name>(?:@[^/@"\s]+/)?[^@"\s]+)@[^\n]*:\n(?:[ ]+[^\n]*\n)*?[ ]+resolved ")'
    r'(?P<url>[^"\n]+)"',
    re.MULTILINE,
)
BERRY = re.compile(r'^\s+resolution: "((?:@[^/@"]+/)?[^@"]+)@([^"]*)"', re.MULTILINE)
BERRY_KNOWN = re.compile(r"^(?:npm|workspace|patch|link|portal|file|virtual):")
PNPM_RESOLUTION = re.compile(r"resolution: \{([^}]*)\}")


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
    except ValueError as error:
        raise failure("unreadable", f"{path} cannot be read: {error}") from None
    for name in WANTED:
        _refuse_elsewhere(data.get(name), "")
    kept = {key: value for key, value in data.items() if key not in DROPPED}
    if "pnpm" in kept:
        pnpm = at(kept, "pnpm")
        _refuse_elsewhere(pnpm.get("overrides"), "")
        kept["pnpm"] = {key: pnpm[key] for key in pnpm if key not in DROPPED_OF_PNPM}
    return json.dumps(kept)


def _refuse_elsewhere(given: Any, name: str) -> None:
    """Refuse what no registry has; tables of overrides may be nested."""
    if isinstance(given, str) and ELSEWHERE.search(given):
        raise _elsewhere(name)
    for key, value in table(given).items():
        _refuse_elsewhere(value, key)


def _elsewhere(name: str) -> Exception:
    says = f"{name} is named by an address or a program, not by release"
    return failure("vcs-dependency", says, package=name)


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
    """The blocks of a YAML file whose keys are known; each begins at the left."""
    del path
    blocks = re.split(r"^(?=[^\s#-])", body, flags=re.MULTILINE)
    return "".join(block for block in blocks if _dashed(block.partition(":")[0]) in YAML | LAYOUT)


def _dashed(key: str) -> str:
    plain = key.strip().strip("'\"")
    return re.sub(r"[A-Z]", lambda found: f"-{found[0].lower()}", plain)


def _nothing(body: str, path: str) -> str:
    del body, path
    return ""


def _npm_lock(body: str, registry: Callable[[], str]) -> str:
    """A lock whose packages come from the user's registry, by digest as before."""
    try:
        data: Table = table(json.loads(body))
    except ValueError as error:
        raise failure("unreadable", f"package-lock.json cannot be read: {error}") from None
    for place, row in at(data, "packages").items():
        entry = table(row)
        if place and "resolved" in entry and not entry.get("link"):
            name = str(entry.get("name") or place.rpartition("node_modules/")[2])
            entry["resolved"] = _at_registry(name, str(entry["resolved"]), registry)
    _nested(at(data, "dependencies"), registry)
    return json.dumps(data)


def _nested(entries: Table, registry: Callable[[], str]) -> None:
    for name, row in entries.items():
        entry = table(row)
        version = str(entry.get("version", ""))
        if "resolved" in entry:
            real = re.match(r"npm:(@?[^@]+)@", version)
            entry["resolved"] = _at_registry(
                real[1] if real else name, str(entry["resolved"]), registry
            )
        elif ELSEWHERE.search(version):
            raise _elsewhere(name)
        _nested(at(entry, "dependencies"), registry)


def _at_registry(name: str, url: str, registry: Callable[[], str]) -> str:
    """A package's address at the user's registry; an address that is no registry's is refused."""
    found = re.search(rf"://[^?#]*/{re.escape(name)}/-/([\w.+~-]+\.tgz)(#\w+)?$", url)
    if found is None:
        raise _elsewhere(name)
    return f"{registry().rstrip('/')}/{name}/-/{found[1]}{found[2] or ''}"


def _yarn_lock(body: str, registry: Callable[[], str]) -> str:
    if "__metadata:" in body:
        for name, wanted in BERRY.findall(body):
            if not BERRY_KNOWN.match(wanted) or "__archiveUrl" in wanted:
                raise _elsewhere(name)
            if wanted.startswith(("patch:", "virtual:")) and ELSEWHERE.search(wanted[6:]):
                raise _elsewhere(name)
        return body
    named = re.compile(r'^"?[^\n]*?@npm:((?:@[^/@"\s]+/)?[^@"\s,]+)@')

    def at_registry(found: re.Match[str]) -> str:
        alias = named.match(found["head"])
        name = alias[1] if alias else found["name"]
        return f'{found["head"]}{_at_registry(name, found["url"], registry)}"'

    return YARN_ENTRY.sub(at_registry, body)


def _pnpm_lock(body: str, registry: Callable[[], str]) -> str:
    del registry

    def by_digest(found: re.Match[str]) -> str:
        inner = found[1]
        is_local = "directory:" in inner and "type: git" not in inner
        integrity = re.search(r"integrity: [\w+/=-]+", inner)
        if integrity is None and not is_local:
            raise _elsewhere(f"a package with `{inner[:60]}`")
        return f"resolution: {{{inner if is_local or integrity is None else integrity[0]}}}"

    if re.search(r"^\s+resolution:\s*$|^\s+(?:tarball|repo):", body, re.MULTILINE):
        raise _elsewhere("a package of pnpm-lock.yaml")
    return PNPM_RESOLUTION.sub(by_digest, body)


WRITERS: Mapping[str, Callable[[str, str], str]] = {
    "package.json": package_json,
    ".yarnrc": _nothing,
    ".yarnrc.yml": _yaml,
    "pnpm-workspace.yaml": _yaml,
}
LOCKS: Mapping[str, Callable[[str, Callable[[], str]], str]] = {
    "package-lock.json": _npm_lock,
    "npm-shrinkwrap.json": _npm_lock,
    "yarn.lock": _yarn_lock,
    "pnpm-lock.yaml": _pnpm_lock,
}
