"""Choosing Python versions and installing exactly those: shared by test and build layers.

Only wheels are installed; a package that must be built runs its own code and is allowed by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.prepare.uv import PRETEND, uv
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.requirement import is_vcs, named, pinned, plain
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.sandbox.job import Mount

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:==|@)\s*([^\s;\\]+)", re.MULTILINE)
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")


def versions(body: str) -> dict[str, tuple[str, ...]]:
    """Name and version of every pin."""
    return {plain(name): (version,) for name, version in PIN.findall(body)}


def blocks(body: str) -> list[str]:
    """A pin file by package: each with the lines of hashes that follow it."""
    return [block for block in re.split(r"\n(?=\S)", body) if block.strip()]


def refuse_vcs(lines: Iterable[str]) -> None:
    """A package named by repository is in no registry, so no layer can promise it."""
    for line in lines:
        if is_vcs(line):
            package = named(line) or line.strip()
            says = f"{package} is named by repository, not by release"
            raise failure("vcs-dependency", says, package=package)


def resolve(
    shop: Workshop,
    wants: Iterable[str],
    *,
    limits: Iterable[str] = (),
    pins: Path,
    python: Tool,
    project: Recipe | None = None,
) -> None:
    """Write the versions that satisfy these wishes, with hashes. A project whose dependencies
    only its backend knows is asked in the same step, where its code can leave nothing behind.
    """
    wanted, limited = shop.work / "wants.in", shop.work / "limits.txt"
    shop.write(wanted, ("\n".join(wants) + "\n").encode())
    shop.write(limited, ("\n".join(line for line in limits if _limits(line)) + "\n").encode())
    asked = _asked(shop, project) if project and project.metadata else ()
    options = ("--no-header", "--no-annotate", "--generate-hashes", "--python", str(python.program))
    left_out = ("--no-emit-package", project.name) if project and project.name else ()
    foreign = bool(asked or shop.allow)
    compile_ = partial(
        uv,
        shop,
        *("pip", "compile", *options, *left_out, *(() if foreign else ("--only-binary", ":all:"))),
        *("-c", str(limited), "-o", str(pins), str(wanted), *asked),
        tools=(python,),
        mounts=(Mount(shop.source, str(shop.source), "overlay"),) if asked else (),
        foreign=foreign,
        env=PRETEND if asked else None,
    )
    if shop.at is not None:
        # an index that does not say when a release came has none before any time
        with suppress(CouldNotVerify):
            compile_("--exclude-newer", datetime.fromtimestamp(shop.at, UTC).isoformat())
            return
    compile_()


def _limits(line: str) -> bool:
    return pinned(line) is not None or "<" in line or ">" in line


def _asked(shop: Workshop, project: Recipe) -> tuple[str, ...]:
    source = shop.source / project.subproject
    manifest = next((path for name in MANIFESTS if (path := source / name).is_file()), None)
    extras = [word for extra in project.extras for word in ("--extra", extra)]
    return (str(manifest), *extras) if manifest else ()


def install(shop: Workshop, env: Path, pins: Path, *, tools: tuple[Tool, ...]) -> None:
    """Make an environment hold exactly these versions, compiled; only allowed names are built."""
    names = versions(shop.read(pins).decode())
    allowed = set(names) if "*" in shop.allow else {plain(name) for name in shop.allow}
    barred = [word for name in names if name not in allowed for word in ("--only-binary", name)]
    if names:
        where = ("--python", str(env / "bin/python"), "--compile-bytecode")
        uv(
            shop,
            *("pip", "sync", *where, *barred, str(pins)),
            tools=tools,
            foreign=bool(allowed & set(names)),
        )
