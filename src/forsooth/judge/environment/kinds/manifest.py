"""What a Python project says about itself: pyproject.toml, setup.cfg and setup.py, read as text.

Dependencies that only the build backend knows are marked, never guessed.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from forsooth.judge.environment.recipe import Build, digest
from forsooth.judge.environment.requirement import named, plain, poetic
from forsooth.judge.environment.tree import Table, at, rows, table, text, toml, words

FROM_GIT = {
    "setuptools-scm",
    "hatch-vcs",
    "versioneer",
    "versioningit",
    "poetry-dynamic-versioning",
    "uv-dynamic-versioning",
    "setuptools-git-versioning",
    "vcs-versioning",
    "dunamai",
    "pbr",
}


class Manifest(NamedTuple):
    """One Python project, from whichever files describe it."""

    name: str = ""
    needs: tuple[str, ...] = ()
    extras: dict[str, tuple[str, ...]] = {}
    groups: dict[str, tuple[str, ...]] = {}
    python: str = ""
    metadata: bool = False
    build: Build | None = None
    reads: tuple[str, ...] = ()


def manifest(files: Mapping[str, bytes]) -> Manifest:
    """Read the manifest at the root of this view."""
    data = toml(files, "pyproject.toml")
    setup = ini(files, "setup.cfg")
    if "project" in data:
        found = _standard(data, files)
    elif at(data, "tool", "poetry"):
        found = _poetry(data)
    elif "metadata" in setup or "options" in setup:
        found = _declared(setup, files)
    else:
        found = Manifest(metadata="setup.py" in files, name=_name(text(files, "setup.py")))
    reads = [path for path in ("pyproject.toml", "setup.cfg", "setup.py") if path in files]
    return found._replace(
        groups=_groups(data) | found.groups,
        build=_build(data, setup, files),
        reads=tuple(reads),
    )


def ini(files: Mapping[str, bytes], path: str) -> dict[str, dict[str, str]]:
    """An ini file as plain tables; one that cannot be read counts as empty."""
    parser = configparser.RawConfigParser(strict=False, default_section="\0")
    try:
        parser.read_string(text(files, path))
    except configparser.Error:
        return {}
    return {section: dict(parser.items(section)) for section in parser.sections()}


def listed(value: str) -> tuple[str, ...]:
    """The lines of an ini value, without comments."""
    cleaned = (re.sub(r"(^|\s)#.*$", "", line).strip() for line in value.splitlines())
    return tuple(line for line in cleaned if line)


def _standard(data: Table, files: Mapping[str, bytes]) -> Manifest:
    project = at(data, "project")
    dynamic = set(words(project.get("dynamic")))
    needs, extras, unknown = _dynamic(data, files, dynamic)
    own = {key: words(value) for key, value in at(project, "optional-dependencies").items()}
    poetry = _poetry(data)
    return Manifest(
        name=plain(str(project.get("name", ""))),
        needs=words(project.get("dependencies")) or needs,
        extras=own or extras,
        groups=poetry.groups,
        python=str(project.get("requires-python", "")),
        metadata=unknown,
    )


def _dynamic(
    data: Table, files: Mapping[str, bytes], dynamic: set[str]
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], bool]:
    """What setuptools would read from files for fields left open, and whether that is all."""
    wanted = dynamic & {"dependencies", "optional-dependencies"}
    source = at(data, "tool", "setuptools", "dynamic")
    if not wanted:
        return (), {}, False
    if not source:
        setup = _declared(ini(files, "setup.cfg"), files)
        return setup.needs, setup.extras, not (setup.needs or setup.extras)
    needs = _of_files(files, at(source, "dependencies"))
    named_extras = at(source, "optional-dependencies")
    extras = {key: _of_files(files, table(value)) for key, value in named_extras.items()}
    return needs, extras, not wanted <= source.keys()


def _of_files(files: Mapping[str, bytes], entry: Table) -> tuple[str, ...]:
    paths = words(entry.get("file"))
    return tuple(line for path in paths for line in listed(text(files, path)))


def _poetry(data: Table) -> Manifest:
    poetry = at(data, "tool", "poetry")
    needs = at(poetry, "dependencies")
    groups = {
        plain(name): _poems(at(table(group), "dependencies"))
        for name, group in at(poetry, "group").items()
    }
    if old := at(poetry, "dev-dependencies"):
        groups["dev"] = _poems(old) + groups.get("dev", ())
    extras = {
        name: tuple(_poem(needs, wanted) for wanted in words(value))
        for name, value in at(poetry, "extras").items()
    }
    python = needs.get("python", "")
    required = {n: d for n, d in needs.items() if not table(d).get("optional")}
    return Manifest(
        name=plain(str(poetry.get("name", ""))),
        needs=_poems(required),
        extras=extras,
        groups=groups,
        python=poetic("", python) if isinstance(python, str) else "",
    )


def _poems(entries: Table) -> tuple[str, ...]:
    several = ((name, given) for name, entry in entries.items() for given in _either(entry))
    return tuple(poetic(name, given) for name, given in several if name != "python")


def _either(entry: Any) -> list[Any]:
    return rows(entry) or [entry]


def _poem(needs: Table, wanted: str) -> str:
    name = next((key for key in needs if plain(key) == named(wanted)), None)
    return poetic(name, needs[name]) if name else wanted


def _declared(setup: dict[str, dict[str, str]], files: Mapping[str, bytes]) -> Manifest:
    options = setup.get("options", {})
    extras = setup.get("options.extras_require", {})
    script = text(files, "setup.py")
    computed = "install_requires" in script and "install_requires" not in options
    return Manifest(
        name=plain(setup.get("metadata", {}).get("name", "") or _name(script)),
        needs=_plain_lines(files, options.get("install_requires", "")),
        extras={key: _plain_lines(files, value) for key, value in extras.items()},
        python=options.get("python_requires", ""),
        metadata=computed,
    )


def _plain_lines(files: Mapping[str, bytes], value: str) -> tuple[str, ...]:
    if value.strip().startswith("file:"):
        paths = value.strip().removeprefix("file:").split(",")
        return tuple(line for path in paths for line in listed(text(files, path.strip())))
    return tuple(line for row in listed(value) for line in row.split(";\n") if line)


def _name(script: str) -> str:
    found = re.search(r"""\bname\s*=\s*["']([A-Za-z0-9._-]+)["']""", script)
    return plain(found[1]) if found else ""


def _groups(data: Table) -> dict[str, tuple[str, ...]]:
    given = {plain(name): rows(value) for name, value in at(data, "dependency-groups").items()}
    found = {name: _group(given, name, set()) for name in given}
    older = at(data, "tool", "pdm", "dev-dependencies")
    found |= {plain(name): words(value) for name, value in older.items()}
    if old := words(at(data, "tool", "uv").get("dev-dependencies")):
        found["dev"] = old + found.get("dev", ())
    return found


def _group(given: dict[str, list[Any]], name: str, seen: set[str]) -> tuple[str, ...]:
    """What a group wants with those it includes, each once: they may include one another."""
    if name in seen or name not in given:
        return ()
    seen.add(name)
    found: list[str] = []
    for entry in given[name]:
        if isinstance(entry, str):
            found.append(entry)
        elif include := table(entry).get("include-group"):
            found += _group(given, plain(str(include)), seen)
    return tuple(found)


def _build(
    data: Table, setup: dict[str, dict[str, str]], files: Mapping[str, bytes]
) -> Build | None:
    if not _is_package(data, setup, files):
        return None
    system = at(data, "build-system")
    stated = "requires" in system
    requires = words(system.get("requires")) if stated else Build().requires
    backend = str(system.get("build-backend") or Build().backend)
    path = words(system.get("backend-path"))
    scm = at(data, "tool", "pdm", "version").get("source") == "scm"
    script = files.get("setup.py", b"")
    return Build(
        requires=requires,
        backend=backend,
        path=path,
        version_from_git=scm or bool(FROM_GIT & {named(line) for line in requires}),
        key=digest({"requires": requires, "backend": backend, "path": path, "script": script}),
    )


def _is_package(data: Table, setup: dict[str, dict[str, str]], files: Mapping[str, bytes]) -> bool:
    """Whether an installer would install this project, or only its dependencies."""
    if at(data, "tool", "uv").get("package") is False:
        return False
    if at(data, "tool", "poetry").get("package-mode") is False:
        return False
    return "build-system" in data or "setup.py" in files or "metadata" in setup
