"""Calling uv: the trusted tool that resolves, downloads and installs Python packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def uv(
    shop: Workshop,
    *argv: str,
    tools: Iterable[Tool],
    cwd: Path | None = None,
    mounts: Iterable[Mount] = (),
    foreign: bool = False,
    env: Mapping[str, str] | None = None,
) -> Done:
    """Run uv in the workshop; `foreign` when a package's own build may run."""
    program = shop.found("uv", remedy=REMEDY)
    own = Mount(program.resolve(), str(program), "file")
    bound = () if program.is_relative_to("/usr") else (own,)
    around = {**ENVIRONMENT, "UV_CACHE_DIR": str(shop.cache(foreign=foreign) / "uv"), **(env or {})}
    return shop.step(
        (str(program), *argv),
        cwd=cwd or shop.work,
        env=around,
        tools=tools,
        mounts=(*bound, *mounts),
        foreign=foreign,
    )
