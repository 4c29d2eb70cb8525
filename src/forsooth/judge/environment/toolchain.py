"""Interpreters and compilers, found where they really are.

Version managers put shims on the path; a shim cannot be bound into a sandbox. So each manager's
own folders are looked through, and whatever is found is asked who it is before it is believed.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.specifier import is_within, numbers
from forsooth.judge.sandbox.job import Mode, Mount

Ask = Callable[[tuple[str, ...]], str]
SHIMS = {"rustup", "mise", "volta", "volta-shim", "asdf", "proto", "rtx"}
INSTALLS = {
    "python": (
        ".pyenv/versions/*/bin/python3",
        ".local/share/uv/python/*/bin/python3",
        ".local/share/mise/installs/python/*/bin/python3",
        ".asdf/installs/python/*/bin/python3",
    ),
    "node": (
        ".nvm/versions/node/*/bin/node",
        ".local/share/fnm/node-versions/*/installation/bin/node",
        ".volta/tools/image/node/*/bin/node",
        ".local/share/mise/installs/node/*/bin/node",
        ".asdf/installs/nodejs/*/bin/node",
    ),
    "go": (
        "sdk/go*/bin/go",
        ".local/share/mise/installs/go/*/bin/go",
        ".asdf/installs/golang/*/go/bin/go",
    ),
    "cargo": (".rustup/toolchains/*/bin/cargo", ".local/share/mise/installs/rust/*/bin/cargo"),
    "java": (".sdkman/candidates/java/*/bin/java", ".local/share/mise/installs/java/*/bin/java"),
}
PARTS = ("bin", "lib", "lib64", "include", "share/terminfo", "ssl")  # of a Python's prefix
OWN = (".", ".local", ".cache", ".config")  # of a home: where a person's things are, and ours
NAMES = {"python": ("python3", "python")}
QUESTIONS = {
    "python": ("-I", "-c", "import sys;print(sys.version.split()[0], sys.base_prefix, sep='\\n')"),
    "node": ("-p", "process.versions.node + '\\n' + process.execPath"),
    "go": ("env", "GOVERSION", "GOROOT"),
    "cargo": ("--version",),
    "java": ("-XshowSettings:properties", "-version"),
    "mvn": ("--version",),
}
REMEDIES = {
    "python": "uv python install {wanted}",
    "node": "nvm install {wanted}",
    "go": "install Go {wanted}",
    "cargo": "rustup toolchain install {wanted}",
    "java": "install a JDK {wanted}",
}


class Tool(NamedTuple):
    """One real program: its version, where it lives, and what must be bound for it to work."""

    name: str
    version: str
    program: Path
    prefix: Path
    mounts: tuple[Mount, ...] = ()


class Search(NamedTuple):
    """Where tools are looked for, how one is asked who it is, and the venv that is active.

    What lies in the repository at `root` is whoever works there's, and so is no tool.
    """

    path: str
    home: Path
    ask: Ask
    venv: Path | None = None
    root: Path | None = None


def machine() -> str:
    """The platform part of every key: packages built for another cannot serve here."""
    libc = "-".join(platform.libc_ver()) if sys.platform == "linux" else platform.release()
    return f"{sys.platform}-{platform.machine()}-{libc}"


def tool(name: str, search: Search, *, wanted: str = "") -> Tool:
    """The first tool of this name that satisfies the wanted range."""
    seen: list[str] = []
    for program in _programs(name, search):
        if (hinted := _hinted(program)) and wanted and not is_within(hinted, wanted):
            seen.append(hinted)
            continue
        found = asked(name, program, search.ask)
        if found and is_within(found.version, wanted or ">=0"):
            return narrowed(found, home=search.home, root=search.root)
        seen += [found.version] if found else []
    have = f" (there is {', '.join(dict.fromkeys(seen))})" if seen else ""
    remedy = REMEDIES.get(name, f"install {name}").format(wanted=wanted.lstrip("<>=~^ ") or "")
    says = f"{name} {wanted} is not installed{have}" if wanted else f"{name} is not installed"
    raise failure("tool-missing", says, package=name, remedy=remedy.strip())


def narrowed(found: Tool, *, home: Path, root: Path | None) -> Tool:
    """The tool, bound as one file where its prefix holds a person's own things or the work.

    Node's npm cannot do without its packages. A Python is bound by its parts in any case.
    """
    own = [home / name for name in OWN] + ([root] if root else [])

    def holds_own(place: Path) -> bool:
        return any(one.resolve().is_relative_to(place.resolve()) for one in own)

    if found.name == "python":
        fit = (one for one in found.mounts if one.source and not holds_own(one.source))
        return found._replace(mounts=tuple(fit))
    if not found.mounts or not holds_own(found.prefix):
        return found
    packages = found.prefix / "lib/node_modules"
    if found.name == "node" and (packages / "npm").is_dir():
        return found._replace(mounts=(_shown(found.program.parent), _shown(packages)))
    return found._replace(mounts=(_shown(found.program, "file"),))


def program(name: str, search: Search) -> Path | None:
    """A program that is its own prefix, such as uv or cc: beside our interpreter, then by path."""
    places = [str(Path(sys.executable).parent), *search.path.split(os.pathsep)]
    found = (Path(place, name) for place in places if place)
    return next((path for path in found if os.access(path, os.X_OK) and path.is_file()), None)


def _programs(name: str, search: Search) -> Iterator[Path]:
    """Real programs in order: what the path means, then every version a manager keeps."""
    named = NAMES.get(name, (name,))
    on_path = [
        Path(place, word)
        for place in search.path.split(os.pathsep)
        for word in named
        if place and os.access(Path(place, word), os.X_OK)
    ]
    seen: set[Path] = set()
    for path in (
        *(real for given in on_path for real in behind(name, given, search)),
        *kept(name, search),
    ):
        real = path.resolve()
        is_theirs = search.root is not None and real.is_relative_to(search.root.resolve())
        if real not in seen and path.is_file() and not is_theirs:
            seen.add(real)
            yield path


def behind(name: str, given: Path, search: Search) -> Iterator[Path]:
    """What a path entry stands for: itself, or what its manager would choose by default."""
    if not is_shim(given):
        yield given
    elif given.resolve().name == "rustup":
        settings = search.home / ".rustup/settings.toml"
        if settings.is_file():
            chosen = str(tomllib.loads(settings.read_text()).get("default_toolchain", ""))
            yield search.home / ".rustup/toolchains" / chosen / "bin" / name
    elif given.parent.name == "shims":
        chosen = given.parent.parent / "version"
        for version in chosen.read_text().split() if chosen.is_file() else ():
            yield given.parent.parent / "versions" / version / "bin" / given.name


def is_shim(path: Path) -> bool:
    """Whether a program only chooses another: a script, or a manager under a borrowed name."""
    if path.resolve().name in SHIMS or path.parent.name == "shims":
        return True
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!" and path.name not in {"mvn", "npm"}
    except OSError:
        return True


def kept(name: str, search: Search) -> Iterator[Path]:
    """Installed versions a manager keeps, newest first."""
    if name == "python":
        yield Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    found = [path for pattern in INSTALLS.get(name, ()) for path in search.home.glob(pattern)]
    yield from sorted(found, key=lambda path: numbers(_hinted(path)), reverse=True)


def _hinted(path: Path) -> str:
    """The version a manager's folder name claims, good enough to save a question."""
    folder = next((part for part in reversed(path.parts[:-1]) if re.search(r"\d+\.\d+", part)), "")
    found = re.search(r"\d+(?:\.\d+)+", folder)
    return found[0] if found else ""


def asked(name: str, program: Path, ask: Ask) -> Tool | None:
    """The tool a program says it is; none when it cannot say."""
    real = program.resolve() if name != "mvn" else program
    try:
        said = ask((str(real), *QUESTIONS[name]))
    except OSError:
        return None
    version, prefix = ANSWERS.get(name, _plain)(said, real)
    if not version:
        return None
    return Tool(name, version, real, prefix, mounts_of(name, prefix))


def _plain(said: str, real: Path) -> tuple[str, Path]:
    found = re.search(r"(\d+\.\d+(?:\.\d+)*)", said)
    return (found[1] if found else "", real.resolve().parent.parent)


def _two_lines(said: str, real: Path) -> tuple[str, Path]:
    lines = said.strip().splitlines()
    if len(lines) < 2 or not Path(lines[-1]).is_absolute():  # noqa: PLR2004
        return "", real
    prefix = Path(lines[-1])
    version = lines[-2].removeprefix("go").strip()
    return version.split()[
        0
    ] if version else "", prefix.parent.parent if prefix.is_file() else prefix


def _java(said: str, real: Path) -> tuple[str, Path]:
    home = re.search(r"java\.home = (.+)", said)
    version = re.search(r"java\.specification\.version = (?:1\.)?(\d+)", said)
    if not home or not version:
        return "", real
    return version[1], Path(home[1].strip())


ANSWERS: Mapping[str, Callable[[str, Path], tuple[str, Path]]] = {
    "python": _two_lines,
    "node": _two_lines,
    "go": _two_lines,
    "java": _java,
}


def mounts_of(name: str, prefix: Path) -> tuple[Mount, ...]:
    """What to bind for a tool's prefix unless it is the system's; for a JDK its settings too.

    A Python may be installed into a prefix that holds much else, such as `~/.local`: of that only
    the parts that are Python's.
    """
    places = [prefix / part for part in PARTS] if name == "python" else [prefix]
    places = [] if prefix.is_relative_to("/usr") else places
    places += _settings(prefix) if name == "java" else []
    return tuple(_shown(path) for path in places if path.is_dir())


def _shown(path: Path, mode: Mode = "ro") -> Mount:
    """A place of the machine where it is; a manager may keep it behind links of its own."""
    return Mount(path.resolve(), str(path), mode)


def _settings(prefix: Path) -> list[Path]:
    """Folders of /etc that the folders of a JDK point to, where the system keeps its settings."""
    if prefix in {Path("/usr"), Path("/")} or not prefix.is_dir():
        return []
    found: set[Path] = set()
    for name in (".", "conf", "lib", "lib/security", "jre/lib"):
        if (prefix / name).is_dir():
            for entry in os.scandir(prefix / name):
                target = Path(entry.path).resolve() if entry.is_symlink() else None
                if target and target.is_relative_to("/etc") and target.parts[2] != "ssl":
                    found.add(Path("/etc", target.parts[2]))
    return sorted(found)
