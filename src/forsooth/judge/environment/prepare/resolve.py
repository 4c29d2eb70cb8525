"""Choosing Python versions and installing exactly those: shared by test and build layers.

Only wheels are installed, so that no package's code runs while there is a network. A package that
exists only as source, and that is allowed by name, is fetched as a file and built offline.
"""

from __future__ import annotations

import re
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import view
from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.backend import Source, ask
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.prepare.uv import uv
from forsooth.judge.environment.recipe import Build
from forsooth.judge.environment.requirement import is_release, is_url, is_vcs, named, pinned, plain
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import at, rows, table, words
from forsooth.judge.openat import remove

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:==|@)\s*([^\s;\\]+)", re.MULTILINE)
MOST_SOURCES = 20
# Ours, and run with a network: one file of an index, which must have the digest the index gave.
DOWNLOAD = """
import hashlib, sys, urllib.request
url, digest, path = sys.argv[1:]
with urllib.request.urlopen(url, timeout=60) as answer:
    data = answer.read()
if hashlib.sha256(data).hexdigest() != digest:
    sys.exit("Hash mismatch for `" + path.rpartition("/")[2] + "`")
with open(path, "wb") as file:
    file.write(data)
"""


class Manifest(NamedTuple):
    """A pyproject.toml of ours that states what a backend answered, and which extras are wanted."""

    path: Path
    name: str
    extras: tuple[str, ...] = ()


def versions(body: str) -> dict[str, tuple[str, ...]]:
    """Name and version of every pin."""
    return {plain(name): (version,) for name, version in PIN.findall(body)}


def blocks(body: str) -> list[str]:
    """A pin file by package: each with the lines of hashes that follow it."""
    return [block for block in re.split(r"\n(?=\S)", body) if block.strip()]


def refuse_sources(lines: Iterable[str]) -> None:
    """Refuse every line that is not a package by release: no registry of the user has it, or it is
    an option that tells the installer what to do.
    """
    for line in lines:
        if not is_release(line):
            package = named(line) or repr(line.strip()[:80])
            by = "repository" if is_vcs(line) else "address" if is_url(line) else "a path or option"
            says = f"{package} is named by {by}, not by release"
            raise failure("vcs-dependency", says, package=package)


def resolve(
    shop: Workshop,
    wants: Iterable[str],
    *,
    limits: Iterable[str] = (),
    pins: Path,
    python: Tool,
    manifest: Manifest | None = None,
) -> None:
    """Write the versions that satisfy these wishes, with hashes."""
    wishes = tuple(wants)
    refuse_sources(wishes)
    wanted, limited = pins.with_suffix(".in"), pins.with_suffix(".limits")
    shop.write(wanted, ("\n".join(wishes) + "\n").encode())
    shop.write(limited, ("\n".join(line for line in limits if _limits(line)) + "\n").encode())
    asked = (str(wanted), *_manifest_words(manifest))
    where = ("--python", str(python.program), "-c", str(limited))
    options = ("--no-header", "--no-annotate", "--generate-hashes", "--only-binary", ":all:")

    def choose(*when: str) -> None:
        built = _built(shop)
        links = ("--find-links", str(_wheels(shop))) if built else ()
        words_ = (*options, *links, *where, *when, "-o", str(pins), *asked)
        uv(shop, "pip", "compile", *words_, tools=(python,))

    def choose_then() -> None:
        if shop.at is not None:
            # an index that does not say when a release came has none before any time
            with suppress(CouldNotVerify):
                choose("--exclude-newer", datetime.fromtimestamp(shop.at, UTC).isoformat())
                return
        choose()

    _with_sources(shop, choose_then, (*where, *asked), python=python)


def _manifest_words(manifest: Manifest | None) -> tuple[str, ...]:
    if manifest is None:
        return ()
    extras = [word for extra in manifest.extras for word in ("--extra", extra)]
    left_out = ("--no-emit-package", manifest.name)
    return (str(manifest.path), *extras, *left_out)


def _limits(line: str) -> bool:
    exact = pinned(line) is not None or "<" in line or ">" in line
    return exact and is_release(line)


def make_env(shop: Workshop, env: Path, python: Tool) -> None:
    """An empty venv: an interpreter that has packages would run what they do at its start."""
    remove(env)
    uv(shop, "venv", "--python", str(python.program), str(env), tools=(python,))


def install(shop: Workshop, env: Path, pins: Path, *, python: Tool) -> None:
    """Make an empty environment hold exactly these versions."""
    body = shop.read(pins).decode()
    if not versions(body):
        return
    refuse_sources(blocks(body))
    exact = pins.with_suffix(".exact")

    def sync() -> None:
        built = _built(shop)
        kept = [block for block in blocks(body) if named(block) not in built]
        own = [f"{name} @ {built[name].as_uri()}" for name in versions(body) if name in built]
        shop.write(exact, ("\n".join([*kept, *own]) + "\n").encode())
        where = ("--python", str(env / "bin/python"), "--only-binary", ":all:")
        uv(shop, "pip", "sync", *where, str(exact), tools=(python,))

    inputs = ("--no-deps", "--python", str(python.program), str(pins))
    _with_sources(shop, sync, inputs, python=python)


def compile_packages(shop: Workshop, env: Path, python: Tool) -> None:
    """Compile without the packages' own start files; what does not compile stays source."""
    site = view.site_of(env, python.version)
    argv = (str(python.program), "-I", "-S", "-m", "compileall", "-q", "-j0", str(site))
    with suppress(CouldNotVerify):
        shop.run_offline(argv, cwd=env, tools=(python,), writes=(env,))


def furnish(shop: Workshop, env: Path, source: Source, *, pins: Path, python: Tool) -> None:
    """Make an environment in which a source can be built, and note its versions in `pins`."""
    requires = source.build.requires
    _choose(shop, env, requires, pins=pins, python=python)
    if extra := words(ask(shop, env, source, "requires", python=python).get("requires")):
        _choose(shop, env, (*requires, *extra), pins=pins, python=python)


def _choose(
    shop: Workshop, env: Path, requires: tuple[str, ...], *, pins: Path, python: Tool
) -> None:
    resolve(shop, requires, pins=pins, python=python)
    make_env(shop, env, python)
    install(shop, env, pins, python=python)


def _wheels(shop: Workshop) -> Path:
    return shop.work / "wheels"


def _built(shop: Workshop) -> Mapping[str, Path]:
    """The wheels that were built here, by package."""
    return {plain(path.name.partition("-")[0]): path for path in _wheels(shop).glob("*.whl")}


def _with_sources(
    shop: Workshop, act: Callable[[], None], inputs: tuple[str, ...], *, python: Tool
) -> None:
    """Do something that needs wheels; where one is missing and may be built, build it first."""
    for _ in range(MOST_SOURCES):
        try:
            return act()
        except CouldNotVerify as error:
            name = _without_wheel(error)
            if not name or name in _built(shop) or not _is_allowed(shop, name):
                raise
        _build_source(shop, name, inputs, python=python)
    return act()


def _without_wheel(error: CouldNotVerify) -> str:
    found = re.search(r"failed \(([\w.-]+)\)", error.message)
    return plain(found[1]) if found and error.code == "environment:needs-build" else ""


def _is_allowed(shop: Workshop, name: str) -> bool:
    return "*" in shop.allow or name in {plain(one) for one in shop.allow}


def _build_source(shop: Workshop, name: str, inputs: tuple[str, ...], *, python: Tool) -> None:
    """Fetch the source of one package and build its wheel, without a network.

    1. Find its release without asking the source itself: for that it is said to need nothing.
    2. Fetch the file. 3. Build it as a project is built. 4. Keep the wheel for the resolver.
    """
    home = shop.work / "sources" / name
    home.mkdir(parents=True, exist_ok=True)
    settings, lock = home / "uv.toml", home / "pylock.toml"
    every = {name, *_built(shop)}
    rows_ = (f'[[dependency-metadata]]\nname = "{one}"\nrequires-dist = []\n' for one in every)
    shop.write(settings, "".join(rows_).encode())
    binary = ("--only-binary", ":all:", *(w for one in every for w in ("--no-binary", one)))
    options = ("--config-file", str(settings), "--format", "pylock.toml", *binary)
    uv(shop, "pip", "compile", *options, "-o", str(lock), *inputs, tools=(python,))  # 1
    archive = _fetch_source(shop, name, tomllib.loads(shop.read(lock).decode()), home, python)  # 2
    place = _opened(archive, home / "opened")
    data = (place / "pyproject.toml").read_text() if (place / "pyproject.toml").is_file() else ""
    system = at(tomllib.loads(data), "build-system")
    plain_build = Build()
    build = Build(
        requires=words(system.get("requires")) if "requires" in system else plain_build.requires,
        backend=str(system.get("build-backend") or plain_build.backend),
        path=words(system.get("backend-path")),
    )
    source, env, out = Source(name, build, place), home / "env", home / "out"
    furnish(shop, env, source, pins=home / "pins.txt", python=python)
    ask(shop, env, source, "wheel", python=python, out=out)  # 3
    made = [path for path in out.glob("*.whl") if path.is_file() and not path.is_symlink()]
    if len(made) != 1 or plain(made[0].name.partition("-")[0]) != name:
        raise failure("build-failed", f"the source of {name} left no wheel of that name")
    _wheels(shop).mkdir(exist_ok=True)
    made[0].rename(_wheels(shop) / made[0].name)  # 4


def _fetch_source(
    shop: Workshop, name: str, lock: Mapping[str, Any], home: Path, python: Tool
) -> Path:
    entries = (table(row) for row in rows(lock.get("packages")))
    entry = next((one for one in entries if plain(str(one.get("name"))) == name), table(None))
    url = str(at(entry, "sdist").get("url", ""))
    digest = str(at(entry, "sdist", "hashes").get("sha256", ""))
    if not url.startswith(("https://", "http://")) or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise failure("needs-build", f"{name} has neither a wheel nor a source", package=name)
    file = home / re.sub(r"[^\w.-]", "_", url.rpartition("/")[2])
    argv = (str(python.program), "-I", "-S", "-c", DOWNLOAD, url, digest, str(file))
    shop.fetch(argv, cwd=home, tools=(python,))
    return file


def _opened(archive: Path, into: Path) -> Path:
    """The folder of an unpacked source; nothing of it lands outside."""
    remove(into)
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as file:
                file.extractall(into)  # noqa: S202 - it leaves out what leads outside
        else:
            with tarfile.open(archive) as file:
                file.extractall(into, filter="data")
        (place,) = (path for path in into.iterdir() if path.is_dir())
    except (OSError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise failure("build-failed", f"{archive.name} cannot be unpacked: {error}") from None
    return place
