"""Every package in one tree, as it lies in the repository and on a user's machine."""

from __future__ import annotations

from forsooth.packages import claude, codex, gemini, opencode
from forsooth.packages.kit import HOSTS, Kit, skills

_FILES = {
    "claude": claude.files,
    "codex": codex.files,
    "gemini": gemini.files,
    "opencode": opencode.files,
}


def package(host: str, kit: Kit) -> dict[str, bytes]:
    """One host's package, from its own folder."""
    return _FILES[host](kit)


def tree(kit: Kit) -> dict[str, bytes]:
    """Every host's package, the skills alone, and the catalogues that hosts read."""
    found = {**claude.catalogue(kit), **codex.catalogue()}
    for host in HOSTS:
        found |= {f"plugins/{host}/{path}": data for path, data in package(host, kit).items()}
    return {**found, **{f"plugins/{path}": data for path, data in skills().items()}}
