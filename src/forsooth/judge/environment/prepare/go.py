"""Filling a Go layer: the module cache, read from go.mod and go.sum alone.

What every program is compiled from is compiled once for each toolchain, from the judge's own words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from forsooth.judge.environment.locks import versions
from forsooth.judge.environment.prepare.step import Workshop, copied
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import folder as files_of
from forsooth.judge.sandbox.job import Mount

_STANDARD = (
    *("bufio", "bytes", "context", "encoding/json", "errors", "flag", "fmt", "io", "math", "os"),
    *(
        "path/filepath",
        "reflect",
        "regexp",
        "sort",
        "strconv",
        "strings",
        "sync",
        "testing",
        "time",
    ),
)
# With this count a test's result is never taken from the cache.
_QUIET = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off", "GOFLAGS": "-count=1"}


def fill_standard(shop: Workshop, tools: tuple[Tool, ...]) -> dict[str, object]:
    """A build cache that holds the standard library, as far as most programs and tests use it."""
    tree = shop.work / "tree"
    tree.mkdir(parents=True)
    (tree / "go.mod").write_text("module standard\n\ngo 1.18\n")
    named = "".join(f'\t_ "{name}"\n' for name in _STANDARD)
    (tree / "standard_test.go").write_text(f"package standard\n\nimport (\n{named})\n")
    env = {**_QUIET, "GOCACHE": str(shop.folder / "cache"), "GOMODCACHE": str(shop.work / "mod")}
    argv = (str(tools[0].program), "test", ".")
    shop.run_offline(argv, cwd=tree, env=env, tools=tools, writes=(shop.folder,))
    shop.clear()
    return {}


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Download what the module graph names; go itself checks it against go.sum.

    Without one go uses no module, and says so for each package that needs it: as anywhere.
    """
    modules = shop.folder / "mod"
    modules.mkdir()
    tree = shop.work / "tree"
    shop.work.mkdir(parents=True)
    if recipe.prepare and recipe.wants and recipe.lock:
        every = [p for p in files_of(shop.source) if p.rpartition("/")[2] in {"go.mod", "go.sum"}]
        copied(shop.source, tree, (*every, *recipe.reads))
        env = {"GOMODCACHE": str(modules), "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "auto"}
        env |= {"GOCACHE": str(shop.work / "cache"), "GOPROXY": _proxies(shop, tools)}
        if not {"GOPRIVATE", "GONOPROXY"} & shop.settings.keys():
            env["GOVCS"] = "*:off"
        shop.fetch(
            (str(tools[0].program), "mod", "download"),
            cwd=tree / recipe.subproject,
            env={key: value for key, value in env.items() if value != "auto"},
            tools=tools,
        )
    shop.clear()
    return {"packages": versions(files_of(shop.source), recipe.lock)}


def _proxies(shop: Workshop, tools: tuple[Tool, ...]) -> str:
    """The module proxies of the user's settings, else those of the toolchain.

    `direct` is left out: it would have go ask whatever host a module's name begins with.
    """
    given = shop.settings.get("GOPROXY", "")
    if not given:
        argv = (str(tools[0].program), "env", "GOPROXY")
        given = shop.run_offline(argv, cwd=shop.work, tools=tools).stdout.decode().strip()
    kept = [word for word in re.split(r"[,|]", given) if word not in {"direct", ""}]
    return ",".join(kept) or "off"


def mounts(folder: Path) -> tuple[Mount, ...]:
    """The module cache at its own path, read-only."""
    return (Mount(folder / "mod", str(folder / "mod"), "ro", root=folder),)


def environment(folder: Path, *, cache: str) -> Mapping[str, str]:
    """A Go that has its modules and asks nobody for more."""
    return {**_QUIET, "GOMODCACHE": str(folder / "mod"), "GOCACHE": cache}
