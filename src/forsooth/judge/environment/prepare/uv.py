"""Calling uv: the trusted tool that resolves, downloads and installs Python packages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.sandbox.job import Done, Mount

ENVIRONMENT = {
    "UV_SYSTEM_CERTS": "1",
    "UV_NATIVE_TLS": "1",
    "UV_NO_PROGRESS": "1",
    "UV_HTTP_RETRIES": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "UV_LINK_MODE": "copy",
    "PYTHONDONTWRITEBYTECODE": "",
    "NO_COLOR": "1",
}
PRETEND = {  # while asking for requirements there may be no git to take a version from
    "SETUPTOOLS_SCM_PRETEND_VERSION": "0",
    "PBR_VERSION": "0",
    "POETRY_DYNAMIC_VERSIONING_BYPASS": "0",
    "PDM_BUILD_SCM_VERSION": "0",
    "UV_DYNAMIC_VERSIONING_BYPASS": "0",
}
REMEDY = "pip install uv"


def uv(shop: Workshop, *argv: str, tools: Iterable[Tool]) -> Done:
    """Run uv with a network, where no file of the repository is."""
    program, bound = _program(shop)
    env = {**ENVIRONMENT, "UV_CACHE_DIR": str(shop.downloads / "uv"), "UV_NO_CONFIG": "1"}
    words = (str(program), *argv)
    return shop.fetch(words, cwd=shop.work, env=env, tools=tools, mounts=bound)


def uv_offline(shop: Workshop, *argv: str, tools: Iterable[Tool], cwd: Path) -> Done:
    """Run uv over files of the repository, whose settings it reads, without a network."""
    program, bound = _program(shop)
    env = {**ENVIRONMENT, "UV_OFFLINE": "1", "UV_NO_CACHE": "1"}
    words = (str(program), *argv)
    writes = (shop.work,)
    return shop.run_offline(words, cwd=cwd, env=env, tools=tools, mounts=bound, writes=writes)


def _program(shop: Workshop) -> tuple[Path, tuple[Mount, ...]]:
    program = shop.found("uv", remedy=REMEDY)
    own = Mount(program.resolve(), str(program), "file")
    return program, () if program.is_relative_to("/usr") else (own,)
