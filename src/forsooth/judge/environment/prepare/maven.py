"""Filling a Maven layer: a local repository with everything `mvn test` resolves.

Maven resolves by running plug-ins, and a pom, an extension or a file below `.mvn` may have it run
anything. So the two are kept apart:

- With a network runs one goal of one plug-in in a version that we name. It sees copies of the poms
  without extensions, no other file of the repository, and settings that send every request to the
  one repository which the machine's own Maven names. A parent or a plug-in that a registry has may
  still bring code of its own into that run; it reaches what the user's account reaches, sees poms
  alone, and leaves nothing but this repository's own layer.
- Without a network runs `mvn test` over a copy of the whole tree, selecting no test. What it lacks
  is read from its complaint as coordinates, fetched by those, and it runs again.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import escape

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.failure import failure, of_output, plain_text
from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.openat import remove
from forsooth.judge.sandbox.job import Done, Mount

NOTHING = (
    "-Dtest=*#forsoothSelectsNothing",
    "-DfailIfNoTests=false",
    "-Dsurefire.failIfNoSpecifiedTests=false",
)
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
# Plug-ins of every pom that `mvn test` does not come to.
UNUSED = tuple(f"maven-{name}-plugin" for name in ("clean", "deploy", "install", "jar", "site"))
ROUNDS = 12  # of fetching what an offline run asked for
# Coordinates as Maven writes them: group, artifact, type, perhaps a classifier, version.
MISSING = re.compile(
    r"(?<![\w.:-])([\w.-]+:[\w.-]+):(jar|pom|war|ear|aar|zip|bundle|maven-plugin|test-jar)"
    r":(?:([\w-]+):)?(\d[\w.+-]*)"
)
ASKS = re.compile(r"offline mode|could not be resolved|not been downloaded|[Mm]issing|[Uu]nable to")
PLACEHOLDER = "dummy:dummy"  # what Maven calls the project that it resolves for a plug-in


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Fetch what the poms name, then what a run without a network still lacks."""
    repository, poms, tree = shop.folder / "m2", shop.work / "poms", shop.work / "tree"
    repository.mkdir()
    shop.work.mkdir(parents=True)
    _write_poms(shop, recipe, poms)
    whole(shop.source, tree)
    alone, settings = shop.work / "alone", shop.work / "settings.xml"
    alone.mkdir()
    shop.write(settings, _settings(_central(shop, tools[0])).encode())
    with suppress(CouldNotVerify):  # modules that need one another are not there yet
        goal = (f"{PLUGIN}:go-offline", "-fn", f"-DexcludeArtifactIds={','.join(UNUSED)}")
        _fetch(shop, goal, settings, cwd=poms / recipe.members[0], tools=tools)
    seen: set[str] = set()
    for _ in range(ROUNDS):
        _forget_origins(repository)
        argv, done = _try_offline(shop, tree / recipe.members[0], tree, tools=tools)
        if done.ended == "exit" and done.exit == 0:
            break
        said = plain_text(done.stdout) + plain_text(done.stderr)
        new = dict.fromkeys(one for one in missing(said) if one not in seen)
        if not new:
            raise of_output(done, argv)
        for coordinates in new:
            goal = (f"{PLUGIN}:get", f"-Dartifact={coordinates}")
            with suppress(CouldNotVerify):  # the next round says what is missing still
                _fetch(shop, goal, settings, cwd=alone, tools=tools)
        seen.update(new)
    shop.clear()
    return {"packages": versions(repository)}


def missing(said: str) -> list[str]:
    """The coordinates that an offline run asked for.

    >>> missing("offline mode and the artifact g:a:jar:1.0 has not been downloaded")
    ['g:a:1.0:jar']
    """
    if not ASKS.search(said):
        return []
    found = [one for one in MISSING.findall(said) if one[0] != PLACEHOLDER]
    return [":".join(filter(None, (one[0], one[3], _type(one[1]), one[2]))) for one in found]


def _type(given: str) -> str:
    return {"maven-plugin": "jar", "bundle": "jar"}.get(given, given)


def _write_poms(shop: Workshop, recipe: Recipe, into: Path) -> None:
    for path in recipe.reads:
        origin = shop.source / path
        if origin.is_file() and not origin.is_symlink():
            body = _without_extensions(origin.read_text(errors="replace"))
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            (into / path).write_text(body)


def _without_extensions(body: str) -> str:
    """A pom without extensions, and without any that show only when others are gone.

    >>> _without_extensions("<a><exte<extensions/>nsions><b/></extensions></a>")
    '<a></a>'
    """
    pattern = r"<extensions\b[^>]*/>|<extensions\b[^>]*>.*?</extensions\s*>"
    while (less := re.sub(pattern, "", body, flags=re.DOTALL)) != body:
        body = less
    return body


def _settings(url: str) -> str:
    """Settings that send every request to one repository."""
    mirror = f"<id>central</id><mirrorOf>*</mirrorOf><url>{escape(url)}</url>"
    return f"<settings><mirrors><mirror>{mirror}</mirror></mirrors></settings>\n"


def _central(shop: Workshop, maven: Tool) -> str:
    """The repository of the machine's own Maven: a mirror of its settings, else its built-in one.

    A pom may name others, and they are not asked.
    """
    if given := shop.settings.get("MAVEN_MIRROR"):
        return given
    home = maven.program.resolve().parent.parent
    conf = home / "conf/settings.xml"
    body = conf.read_text(errors="replace") if conf.is_file() else ""
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    for mirror in re.findall(r"<mirror>(.*?)</mirror>", body, re.DOTALL):
        url = re.search(r"<url>\s*(\S+?)\s*</url>", mirror)
        if url and "<blocked>true" not in mirror:
            return url[1]
    for jar in home.glob("lib/maven-model-builder*.jar"):
        with zipfile.ZipFile(jar) as file:
            model = file.read("org/apache/maven/model/pom-4.0.0.xml").decode()
        if url := re.search(r"<repository>.*?<url>(\S+?)</url>", model, re.DOTALL):
            return url[1]
    says = "the installed Maven does not say which repository it asks"
    raise failure("tool-missing", says, package="mvn")


def _fetch(
    shop: Workshop,
    goal: tuple[str, ...],
    settings: Path,
    *,
    cwd: Path,
    tools: tuple[Tool, ...],
) -> None:
    maven, java = tools
    local = f"-Dmaven.repo.local={shop.folder / 'm2'}"
    argv = (str(maven.program), "-B", "-q", "-s", str(settings), local, *goal)
    env = {"JAVA_HOME": str(java.prefix)}
    shop.fetch(argv, cwd=cwd, env=env, tools=tools, shared=False)


def _try_offline(
    shop: Workshop, cwd: Path, tree: Path, *, tools: tuple[Tool, ...]
) -> tuple[tuple[str, ...], Done]:
    """Everything but the tests, with the repository's own code and without a network."""
    maven, java = tools
    local = f"-Dmaven.repo.local={shop.folder / 'm2'}"
    argv = (str(maven.program), "-B", "-o", "-q", local, *NOTHING, "test")
    env = {"JAVA_HOME": str(java.prefix)}
    done = shop.run_offline(argv, cwd=cwd, env=env, tools=tools, writes=(tree,), may_fail=True)
    return argv, done


def _forget_origins(repository: Path) -> None:
    """Forget which repository gave a file: a run that names it otherwise would not take it."""
    for path in repository.rglob("_remote.repositories"):
        remove(path)


def versions(repository: Path) -> dict[str, tuple[str, ...]]:
    """What a local repository holds, as group:artifact to versions."""
    found: dict[str, set[str]] = {}
    for path in repository.rglob("*.pom"):
        group = ".".join(path.relative_to(repository).parts[:-3])
        found.setdefault(f"{group}:{path.parts[-3]}", set()).add(path.parts[-2])
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def mounts(folder: Path) -> tuple[Mount, ...]:
    """The local repository as an overlay, because Maven notes there what it looked at."""
    return (Mount(folder / "m2", str(folder / "m2"), "overlay", root=folder),)


def environment(folder: Path, *, java: Path) -> Mapping[str, str]:
    """A Maven that has its repository."""
    return {"MAVEN_OPTS": f"-Dmaven.repo.local={folder / 'm2'}", "JAVA_HOME": str(java)}
