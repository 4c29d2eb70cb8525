"""Installing a wheel without running it: a zip is read, checked against the layer, unpacked.

Judged code decides what is in the wheel, so it may add itself and nothing else: whatever would
replace a file of the layer or run before the runner starts is refused.
"""

from __future__ import annotations

import configparser
import io
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.failure import failure
from forsooth.judge.openat import open_path

MOST = 2 << 30
STARTS = {"sitecustomize", "usercustomize"}
DATA = {"share", "etc", "include", "man"}
CLOSED = {".dist-info", ".egg-info", ".libs"}
LOADER = re.compile(r"^import (\w+)(?:; ?(\w+)\.install\(\))?;?$")
SCRIPT = """#!{python}
import sys
from {module} import {first}
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit({call}())
"""


class Wheel(NamedTuple):
    """A wheel's files by where they go: packages, programs, and other data."""

    name: str
    site: dict[str, bytes]
    programs: dict[str, bytes]
    data: dict[str, bytes]
    notes: tuple[str, ...] = ()


def read(path: Path, *, python: str, roots: tuple[str, ...], root: Path | None = None) -> Wheel:
    """Read a wheel, one that lies below `root` where that is given.

    Paths that leave their place and start-up code are refused here.
    """
    name = path.name.split("-")[0]
    try:
        members = _members(path, root)
    except (OSError, zipfile.BadZipFile) as error:
        raise _refused(name, f"it cannot be read: {error}") from None
    site: dict[str, bytes] = {}
    programs: dict[str, bytes] = {}
    data: dict[str, bytes] = {}
    for member, content in members.items():
        if PurePosixPath(member).is_absolute() or ".." in PurePosixPath(member).parts:
            raise _refused(name, f"{member} leaves the wheel")
        if str(PurePosixPath(member)) != member:
            raise _refused(name, f"{member!r} is another path in disguise")
        kind, inner = _placed(member)
        {"site": site, "scripts": programs, "data": data}[kind][inner] = content
    programs = {key: _with_python(body, python) for key, body in programs.items()}
    wheel = Wheel(name, site, programs | dict(_entry_points(site, python)), data)
    return wheel._replace(notes=tuple(_start_up(wheel, roots)))


def _members(path: Path, root: Path | None) -> dict[str, bytes]:
    flags = os.O_RDONLY | os.O_NONBLOCK  # a pipe in its place is not waited for
    with (
        os.fdopen(open_path(path, root=root, flags=flags), "rb") as file,
        zipfile.ZipFile(file) as archive,
    ):
        if sum(entry.file_size for entry in archive.infolist()) > MOST:
            raise zipfile.BadZipFile("it unpacks to more than 2 GiB")
        return {e.filename: archive.read(e) for e in archive.infolist() if not e.is_dir()}


def _placed(member: str) -> tuple[str, str]:
    parts = PurePosixPath(member).parts
    inner = "/".join(parts[2:])
    if not inner or not parts[0].endswith(".data"):
        return "site", member
    match parts[1]:
        case "scripts" | "data" as kind:
            return kind, inner
        case "headers":
            return "data", f"include/{inner}"
        case _:
            return "site", inner


def _with_python(body: bytes, python: str) -> bytes:
    first, _, rest = body.partition(b"\n")
    return f"#!{python}\n".encode() + rest if first.startswith(b"#!python") else body


def _entry_points(site: dict[str, bytes], python: str) -> Iterator[tuple[str, bytes]]:
    for member, content in site.items():
        if re.fullmatch(r"[^/]+\.dist-info/entry_points\.txt", member):
            parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
            parser.optionxform = str  # type: ignore[assignment,method-assign]
            parser.read_file(io.StringIO(content.decode("utf-8", errors="replace")))
            for section in ("console_scripts", "gui_scripts"):
                if parser.has_section(section):
                    yield from _programs(dict(parser.items(section)), python)


def _programs(entries: dict[str, str], python: str) -> Iterator[tuple[str, bytes]]:
    for name, target in entries.items():
        found = re.fullmatch(r"([\w.]+)\s*:\s*([\w.]+)\s*(\[.*\])?", target.strip())
        if found and re.fullmatch(r"[\w.+-]+", name):
            first = found[2].split(".")[0]
            body = SCRIPT.format(python=python, module=found[1], first=first, call=found[2])
            yield name, body.encode()


def _start_up(wheel: Wheel, roots: tuple[str, ...]) -> Iterator[str]:
    """Refuse what would run when the interpreter starts; note what legitimately does."""
    for member in wheel.site:
        if re.split(r"[/.]", member)[0] in STARTS:
            raise _refused(wheel.name, f"it ships {member}, which runs before any test runner")
    paths = [member for member in wheel.site if member.endswith(".pth")]
    if len(paths) > 1:
        raise _refused(wheel.name, f"it ships {len(paths)} .pth files")
    for member in paths:
        for line in wheel.site[member].decode("utf-8", errors="replace").splitlines():
            yield from _pth(wheel, member, line.strip(), roots=roots)


def _pth(wheel: Wheel, member: str, line: str, *, roots: tuple[str, ...]) -> Iterator[str]:
    if not line or line.startswith("#"):
        return
    loader = LOADER.match(line)
    if loader and f"{loader[1]}.py" in wheel.site and loader[2] in {None, loader[1]}:
        yield f"{wheel.name} is found through {loader[1]}.py, which runs when Python starts"
    elif not any(_is_inside(line, root) for root in roots):
        raise _refused(wheel.name, f"{member} has a line that is no path of the repository")


def _is_inside(line: str, root: str) -> bool:
    return (os.path.normpath(line) + "/").startswith(f"{root}/")


def refuse_collisions(wheel: Wheel, site: Path, programs: Path) -> None:
    """Nothing of the layer may be replaced: not a module, a package, a program or a record."""
    taken = _taken(site)
    for member in wheel.site:
        top, _, inner = member.partition("/")
        name = top if inner else top.partition(".")[0]
        if (site / member).exists() or name in taken:
            raise _refused(wheel.name, f"{member} would stand in for a part of the layer")
        if inner.startswith("__init__.") and (site / top).is_dir():
            raise _refused(wheel.name, f"{member} would close a namespace of the layer")
    if len({member.split("/")[0] for member in wheel.site if ".dist-info/" in member}) > 1:
        raise _refused(wheel.name, "it holds the records of several packages")
    for member in wheel.data:
        if member.split("/")[0] not in DATA:
            raise _refused(wheel.name, f"its data {member} does not belong into an environment")
    for program in wheel.programs:
        if (programs / program).exists() or re.fullmatch(r"python[\d.]*|pip[\d.]*", program):
            raise _refused(wheel.name, f"its program {program} would replace one of the layer")


def refuse_shadows(wheel: Wheel, path: str, *, is_stated: Callable[[str], bool]) -> None:
    """A program of the machine is hidden only by one that the project had when work began: the
    environment comes first on the path, and a criterion may be `make test`.
    """
    for program in wheel.programs:
        if shutil.which(program, path=path) and not is_stated(program):
            raise _refused(wheel.name, f"its program {program} would replace one of the machine")


def is_stated(program: str, manifest: str) -> bool:
    """Whether a manifest names a program as its own: an entry point, or a script by its path.

    >>> [is_stated("make", text) for text in ('make = "shop:main"', "scripts=['bin/make']", "make")]
    [True, True, False]
    """
    name = re.escape(program)
    point = rf"""(?:^\s*["']?|["']){name}["']?\s*=\s*["']?[\w.]+\s*:\s*\w"""
    return re.search(rf"""{point}|/{name}["']""", manifest, re.MULTILINE) is not None


def _taken(site: Path) -> set[str]:
    """Names the layer imports under, and its records; a namespace may be shared."""
    found: set[str] = set()
    for entry in site.iterdir():
        if entry.is_dir():
            closed = entry.suffix in CLOSED or any(entry.glob("__init__.*"))
            found |= {entry.name} if closed else set()
        else:
            found.add(entry.name.partition(".")[0])
    return found


def unpack(wheel: Wheel, env: Path, site: Path) -> None:
    """Write a checked wheel into a throw-away environment."""
    for member, content in wheel.site.items():
        _write(site / member, content)
    for name, content in wheel.programs.items():
        _write(env / "bin" / name, content)
        (env / "bin" / name).chmod(0o755)
    for member, content in wheel.data.items():
        _write(env / member, content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _refused(name: str, why: str) -> CouldNotVerify:
    return failure("wheel-collision", f"the wheel of {name} is refused: {why}", package=name)
