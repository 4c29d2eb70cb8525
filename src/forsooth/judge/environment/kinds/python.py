"""Python: which dependencies, from which lock, built how, tested by what.

The order is the one that served twenty-one real projects; nothing is guessed from import errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from forsooth.judge.environment.kinds.manifest import Manifest, manifest
from forsooth.judge.environment.kinds.siblings import links, local_needs, local_projects
from forsooth.judge.environment.kinds.testing import Choice, choose
from forsooth.judge.environment.kinds.tox import hints, tox
from forsooth.judge.environment.locks import is_hashed, packages
from forsooth.judge.environment.recipe import Project, Recipe, digest
from forsooth.judge.environment.requirement import lines, named, plain
from forsooth.judge.environment.tree import ancestors, at, joined, text, toml, under

LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
DISCOVERED = re.compile(r"(^|/)(test[^/]*|[^/]*_test)\.py$")
COLLECTED = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
UNITTEST = re.compile(rb"^\s*(?:import|from)\s+unittest\b", re.MULTILINE)
PYTESTS = re.compile(rb"^(?:import|from)\s+pytest\b|^(?:async\s+)?def\s+test", re.MULTILINE)
PYTEST_SIGNS = ("pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py", "tests/conftest.py")
MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", *LOCKS)
TESTS = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests?)\.py$|(^|/)tests?/.*\.py$")
__all__ = ("is_here", "links", "recognise")


class Found(NamedTuple):
    """What reading the files of one Python sub-project gave."""

    manifest: Manifest
    choice: Choice
    manager: str
    lock: str
    wants: tuple[str, ...]


def is_here(files: Mapping[str, bytes]) -> bool:
    """Whether this folder is a Python project: a manifest of one, or bare test files."""
    data = toml(files, "pyproject.toml")
    if "project" in data or "build-system" in data or at(data, "tool", "poetry"):
        return True
    if {"setup.py", "requirements.txt", "Pipfile", "uv.lock", "manage.py"} & set(files):
        return True
    return bool(manifest(files).name) or any(TESTS.search(path) for path in files)


def recognise(tree: Mapping[str, bytes], place: str) -> Recipe | None:
    """The recipe of a Python sub-project, or nothing when this is none."""
    files = under(tree, place)
    if not is_here(files):
        return None
    found = _read(tree, place, files)
    runner, command = _runner(files, found)
    wants = found.wants
    if runner == "pytest" and "pytest" not in map(named, wants) and found.manifest.name != "pytest":
        wants = (*wants, "pytest")
    local = local_projects(tree, place, wants=wants, locked=bool(found.lock))
    wants = tuple(dict.fromkeys(local_needs(wants, local, own=found.manifest.name)))
    projects = tuple(
        Project(path=path, name=said.name, build=said.build)
        for path, said in local.items()
        if said.build
    )
    return Recipe(
        kind="python",
        key=_key(tree, found, wants, own=sorted({said.name for said in local.values()})),
        manager=found.manager,
        subproject=place,
        name=found.manifest.name,
        interpreter=_interpreter(files, found.manifest),
        prepare=_shown(found),
        lock=found.lock,
        hashed=_is_hashed(tree, found, wants),
        reads=_reads(tree, place, found),
        wants=wants,
        pins=_pins(tree, found),
        groups=found.choice.groups,
        extras=found.choice.extras,
        metadata=found.manifest.metadata,
        projects=projects,
        test_command=command,
        runner=runner,
        hints=hints(files),
        explains=_explains(found, projects, command),
        missing=_missing(files, found),
    )


def _is_hashed(tree: Mapping[str, bytes], found: Found, wants: tuple[str, ...]) -> bool:
    """Whether the lock has a digest of all that will be installed."""
    if found.manifest.metadata or not is_hashed(tree, found.lock):
        return False
    locked = {package.name for package in packages(tree, found.lock)}
    return {named(line) for line in wants} <= locked | {found.manifest.name}


def _read(tree: Mapping[str, bytes], place: str, files: Mapping[str, bytes]) -> Found:
    said = manifest(files)
    choice = choose(files, said, tox(files))
    manager, lock = _lock(tree, place)
    needs = said.needs
    if not needs and "requirements.txt" in files and choice.where != "requirements.txt":
        plain_file = lines(files, "requirements.txt")
        needs = plain_file.wants
        choice = choice._replace(
            limits=choice.limits + plain_file.limits,
            reads=choice.reads + plain_file.reads,
            hashed=plain_file.hashed and (choice.hashed or not choice.wants),
        )
    wants = tuple(dict.fromkeys(_unfolded(said, (*needs, *choice.wants))))
    if not lock and choice.hashed:
        manager, lock = "pip", joined(place, choice.reads[0])
    return Found(said, choice, manager or "pip", lock, wants)


def _lock(tree: Mapping[str, bytes], place: str) -> tuple[str, str]:
    """The lock nearest above: a workspace keeps one for all its members."""
    for above in ancestors(place):
        for name, manager in LOCKS.items():
            if joined(above, name) in tree and (above == place or name == "uv.lock"):
                return manager, joined(above, name)
    return "", ""


def _unfolded(said: Manifest, wants: Iterable[str]) -> Iterable[str]:
    """Requirements with the project's own name replaced by what its extras bring, each once."""
    keys = {plain(key): value for key, value in said.extras.items()}
    waiting = list(wants)
    while waiting:
        line = waiting.pop(0)
        own = re.match(r"^[^\[;@\s]+\s*\[([^\]]*)\]", line)
        if not said.name or named(line) != said.name:
            yield line
        elif own:
            more = [keys.pop(plain(extra.strip()), ()) for extra in own[1].split(",")]
            waiting = [*(line for part in more for line in part), *waiting]


def _pins(tree: Mapping[str, bytes], found: Found) -> tuple[str, ...]:
    """Versions a foreign lock holds, as limits; uv reads its own lock itself."""
    if found.manager == "uv":
        return found.choice.limits
    locked = {p.name: p for p in packages(tree, found.lock) if p.source != "local"}
    exact = (f"{p.name}=={p.version}" for p in locked.values() if p.version)
    return (*found.choice.limits, *(exact if found.manager != "pip" else ()))


def _key(tree: Mapping[str, bytes], found: Found, wants: tuple[str, ...], *, own: list[str]) -> str:
    """`own` are projects of the tree: what they are called is left out of the layer."""
    said = found.manifest
    root = found.lock.rpartition("/")[0] if found.manager == "uv" else None
    settings = toml(tree, joined(root, "pyproject.toml")) if root is not None else {}
    script = [tree[path] for path in tree if path.endswith("setup.py")] if said.metadata else []
    return digest(
        {
            "kind": "python",
            "manager": found.manager,
            "lock": tree[found.lock] if found.lock else b"",
            "wants": sorted(wants),
            "limits": sorted(found.choice.limits),
            "groups": sorted(found.choice.groups),
            "extras": sorted(found.choice.extras),
            "python": said.python,
            "own": own,
            "settings": at(settings, "tool", "uv"),
            "script": [digest({"script": part}) for part in script],
        }
    )


def _interpreter(files: Mapping[str, bytes], said: Manifest) -> str:
    named_version = re.search(
        r"^(\d+\.\d+(\.\d+)?)\s*$", text(files, ".python-version"), re.MULTILINE
    )
    if named_version:
        return f"=={'.'.join(named_version[1].split('.')[:2])}.*"
    return said.python.strip()


def _reads(tree: Mapping[str, bytes], place: str, found: Found) -> tuple[str, ...]:
    paths = [joined(place, path) for path in (*found.manifest.reads, *found.choice.reads)]
    paths += [found.lock] if found.lock else []
    root = found.lock.rpartition("/")[0] if found.manager == "uv" else place
    workspace = toml(tree, joined(root, "pyproject.toml"))
    if found.manager == "uv" and at(workspace, "tool", "uv", "workspace"):
        paths += [path for path in tree if path.endswith("pyproject.toml")]
    return tuple(dict.fromkeys(path for path in paths if path in tree))


def _runner(files: Mapping[str, bytes], found: Found) -> tuple[str | None, tuple[str, ...] | None]:
    """Pytest unless the project names another runner and pytest nowhere."""
    said = " ".join(hints(files))
    has_pytest = (
        "pytest" in map(named, found.wants)
        or any(sign in files for sign in PYTEST_SIGNS)
        or "pytest" in toml(files, "pyproject.toml").get("tool", {})
        or "pytest" in said
    )
    if not has_pytest and "manage.py" in files:
        return "django", ("python", "manage.py", "test")
    if not has_pytest and "unittest" in said:
        return "unittest", ("python", "-m", "unittest", "discover")
    if not has_pytest and (folder := _unittests(files)) is not None:
        start = ("-s", folder) if folder else ()
        return "unittest", ("python", "-m", "unittest", "discover", *start)
    if has_pytest or any(_has_tests(path, files) for path in files):
        return "pytest", ("python", "-m", "pytest")
    return None, None


def _has_tests(path: str, files: Mapping[str, bytes]) -> bool:
    """Whether pytest would find tests in a file; a script among tests is none for it."""
    if COLLECTED.search(path):
        return True
    return bool(TESTS.search(path)) and bool(PYTESTS.search(files[path]))


def _unittests(files: Mapping[str, bytes]) -> str | None:
    """Where discovery starts when every test is a unittest; none when one is not, or is missed."""
    tests = [path for path in files if DISCOVERED.search(path)]
    if not tests or not all(UNITTEST.search(files[path]) for path in tests):
        return None
    if any(PYTESTS.search(files[path]) for path in tests):
        return None
    if any(path.endswith("_test.py") for path in tests):
        return None  # discovery would not find it
    folders = {path.rpartition("/")[0] for path in tests}
    if all(_is_package(folder, files) for folder in folders):
        return ""
    return folders.pop() if len(folders) == 1 else None


def _is_package(folder: str, files: Mapping[str, bytes]) -> bool:
    parts = folder.split("/") if folder else []
    return all(f"{'/'.join(parts[:n])}/__init__.py" in files for n in range(1, len(parts) + 1))


def _shown(found: Found) -> tuple[tuple[str, ...], ...]:
    names = [word for group in found.choice.groups for word in ("--group", group)]
    names += [word for extra in found.choice.extras for word in ("--extra", extra)]
    if found.manager == "uv":
        return (("uv", "sync", "--frozen", "--no-install-project", "--no-default-groups", *names),)
    if found.lock and found.manager == "pip":
        return (("uv", "pip", "sync", "--require-hashes", found.lock),)
    return (("uv", "pip", "compile", "--only-binary", ":all:"), ("uv", "pip", "sync"))


def _explains(
    found: Found, projects: tuple[Project, ...], command: tuple[str, ...] | None
) -> tuple[str, ...]:
    said = found.manifest
    locked = (
        f"Versions come from {found.lock}."
        if found.lock
        else "No lock file: versions are resolved once and kept."
    )
    where = found.choice.where
    lines_ = [
        f"Python project {said.name or '(unnamed)'}"
        + (f", needs Python {said.python}." if said.python else "."),
        locked,
        f"Test dependencies come from {where}."
        if where
        else "No test dependencies are declared; only the project's own are installed.",
    ]
    for project in projects:
        git = ", its version from git" if project.build.version_from_git else ""
        lines_.append(
            f"{project.name or 'It'} is installed for each run by {project.build.backend}{git}."
        )
    lines_ += ["It is not installed: it has no build system."] * (not projects)
    lines_ += [f"Tests run with `{' '.join(command)}`."] if command else []
    left = sorted(set(said.extras) - set(found.choice.extras))
    lines_ += [f"Extras not installed: {', '.join(left)}."] if left else []
    return tuple(lines_)


def _missing(files: Mapping[str, bytes], found: Found) -> tuple[str, ...]:
    gone = list(found.choice.unclear)
    if found.manifest.metadata:
        gone.append("Only the build backend knows the dependencies; it is asked while preparing.")
    if not any(TESTS.search(path) for path in files):
        gone.append("No test files were found.")
    return tuple(gone)
