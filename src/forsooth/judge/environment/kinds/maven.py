"""Maven: a pom and its modules. Maven has no lock; exact versions in the pom stand in for one."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.kinds.links import Links
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.tree import ancestors, joined, text

TABLES = {
    "dependencies",
    "dependencyManagement",
    "build",
    "parent",
    "repositories",
    "pluginRepositories",
    "profiles",
    "modules",
    "properties",
}
COMMAND = ("mvn", "-B", "-o", "test")


def is_here(files: Mapping[str, bytes]) -> bool:
    """Whether this folder has a pom."""
    return "pom.xml" in files


def recognise(tree: Mapping[str, bytes], place: str) -> Recipe | None:
    """The recipe of a Maven project, or nothing when this is none."""
    if joined(place, "pom.xml") not in tree:
        return None
    home = _home(tree, place)
    members = _modules(tree, home)
    reads = tuple(joined(path, "pom.xml") for path in (home, *members))
    root = pom(tree, joined(place, "pom.xml"))
    command = COMMAND if place == home else (*COMMAND, *_module(home, place))
    wrapper = joined(home, ".mvn/wrapper/maven-wrapper.properties") in tree
    return Recipe(
        kind="maven",
        key=digest({"kind": "maven", "poms": {path: _tables(tree, path) for path in reads}}),
        manager="maven",
        subproject=place,
        name=root.findtext("artifactId", ""),
        interpreter=_version(root),
        prepare=(("mvn", "-B", "test-compile", "surefire:test"),),
        reads=reads,
        members=(home, *members),
        test_command=command,
        runner="maven",
        explains=_explains(root, members, command),
        missing=_missing(root, wrapper=wrapper),
    )


def links(tree: Mapping[str, bytes], place: str) -> Links:
    """The artifacts a module depends on, its parent included."""
    root = pom(tree, joined(place, "pom.xml"))
    found = (
        one.findtext("artifactId", "") for one in (*root.iter("dependency"), *root.iter("parent"))
    )
    return Links(root.findtext("artifactId", ""), frozenset(found))


def pom(tree: Mapping[str, bytes], path: str) -> ET.Element:
    """A pom without namespaces; entities are refused, since nobody needs them in one."""
    body = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text(tree, path))
    try:
        if "<!ENTITY" in body or "<!DOCTYPE" in body:
            raise ET.ParseError("it declares entities")
        root = ET.fromstring(re.sub(r"\s\w+:schemaLocation=\"[^\"]*\"", "", body))  # noqa: S314
    except ET.ParseError as error:
        raise CouldNotVerify(
            f"{path} cannot be read: {error}",
            hint=f"correct {path}",
            code="environment:unreadable",
        ) from None
    return root


def _home(tree: Mapping[str, bytes], place: str) -> str:
    """The outermost folder whose pom lists the way down to this one."""
    home = place
    for above in ancestors(place)[1:]:
        if joined(above, "pom.xml") in tree and place in _modules(tree, above):
            home = above
    return home


def _module(home: str, place: str) -> tuple[str, ...]:
    """What tests one module with all it needs, run from the module's own folder."""
    below = place.removeprefix(home).strip("/")
    up = "../" * (below.count("/") + 1)
    return ("-f", f"{up}pom.xml", "-pl", below, "-am")


def _modules(tree: Mapping[str, bytes], home: str) -> tuple[str, ...]:
    found: list[str] = []
    waiting = [home]
    while waiting:
        here = waiting.pop(0)
        named = pom(tree, joined(here, "pom.xml")).findall("modules/module")
        inner = [joined(here, (module.text or "").strip()) for module in named]
        new = [path for path in inner if joined(path, "pom.xml") in tree and path not in found]
        found += new
        waiting += new
    return tuple(found)


def _tables(tree: Mapping[str, bytes], path: str) -> list[str]:
    parts = (child for child in pom(tree, path) if child.tag in TABLES)
    return [re.sub(r"\s+", " ", ET.tostring(part, "unicode")) for part in parts]


def _version(root: ET.Element) -> str:
    names = ("maven.compiler.release", "maven.compiler.source", "java.version")
    found = (root.findtext(f"properties/{name}", "") for name in names)
    asked = next((value for value in found if re.fullmatch(r"[\d.]+", value.strip())), "")
    return f">={asked.strip().removeprefix('1.')}" if asked else ""


def _explains(
    root: ET.Element, members: tuple[str, ...], command: tuple[str, ...]
) -> tuple[str, ...]:
    found = [f"Maven project {root.findtext('artifactId', '(unnamed)')}."]
    found += [f"It has {len(members)} modules."] * bool(members)
    return (*found, f"Tests run with `{' '.join(command)}`.")


def _missing(root: ET.Element, *, wrapper: bool) -> tuple[str, ...]:
    gone = [f"{name} is not an exact version." for name in _loose(root)]
    gone += ["The Maven wrapper is not used; the installed mvn is."] * wrapper
    return tuple(gone)


def _loose(root: ET.Element) -> Iterator[str]:
    for dependency in root.iter("dependency"):
        version = dependency.findtext("version", "")
        if "SNAPSHOT" in version or version[:1] in {"[", "("} or version in {"LATEST", "RELEASE"}:
            yield f"{dependency.findtext('artifactId')} {version}"
