"""Which files a runner takes for tests by its own settings, read as text and never run.

| runner | settings | default |
|---|---|---|
| node --test | – | its six patterns |
| jest | `testMatch`, `testRegex` | `__tests__`, `*.test.js`, `test.js`, `*.spec.js`, `spec.js` |
| vitest | `include` | `*.test.js`, `*.spec.js` |
| mocha | `spec` of `.mocharc` and package.json | `test/*.js` |
| AVA | `files` | `test.js`, `test-*.js`, `*.test.js`, `test/**` |
| pytest | `python_files` | `test_*.py`, `*_test.py` |
| unittest | `discover -s -p` | `test*.py` |
| Maven, Gradle | `testSourceDirectory`, surefire's `include` | `src/test/**` |

`tests = ["src/**/test.ts"]` in `forsooth.toml` says it for any runner. Settings that are computed
by a program are not seen: there the runner's report on the base says which files hold tests.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

from forsooth.judge.checker import Look
from forsooth.judge.words import Spoken, resolved

_SCRIPT = r"\.[cm]?[jt]sx?"
_QUOTED = re.compile(r"""(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
_REGEX = re.compile(r"(?<![\w)])/((?:[^/\\\n]|\\.)+)/[a-z]*")
_JEST = ("**/__tests__/**/*.?([cm])[jt]s?(x)", "**/?(*.)+(spec|test).?([cm])[jt]s?(x)")
_AVA = (
    "test.{js,cjs,mjs,ts}",
    "src/test.{js,cjs,mjs,ts}",
    "source/test.{js,cjs,mjs,ts}",
    "**/test-*.{js,cjs,mjs,ts}",
    "**/*.{spec,test}.{js,cjs,mjs,ts}",
    "**/{test,tests,__tests__}/**/*.{js,cjs,mjs,ts}",
)
_NODE = (
    "**/*{.,-,_}test.?([cm])[jt]s",
    "**/test-*.?([cm])[jt]s",
    "**/test.?([cm])[jt]s",
    "**/test/**/*.?([cm])[jt]s",
)
_PYTEST = ("test_*.py", "*_test.py")
_TEST_SOURCE = re.compile(r"<testSourceDirectory>\s*([^<]+?)\s*</testSourceDirectory>")
_SUREFIRE = re.compile(r"<include>\s*([^<%]+?)\s*</include>")


class Pattern(NamedTuple):
    """Globs of one setting, the folder they are seen from, and what says so."""

    globs: tuple[str, ...]
    folder: str
    because: str
    is_regex: bool = False

    def takes(self, path: str) -> bool:
        """Whether a file is one of them."""
        inner = path.removeprefix(f"{self.folder}/") if self.folder else path
        if self.folder and inner == path:
            return False
        if self.is_regex:
            return any(_searched(glob, f"/{inner}") for glob in self.globs)
        wanted = [glob for glob in self.globs if not glob.startswith("!")]
        but = [glob[1:] for glob in self.globs if glob.startswith("!")]
        return _is_in(wanted, inner) and not _is_in(but, inner)


def patterns(spoken: Iterable[Spoken], look: Look) -> Iterator[Pattern]:
    """What the runners among some commands take for tests."""
    read = _Settings(look)
    for said in spoken:
        names = {word.rpartition("/")[2] for word in said.words}
        for runner, patterns_of in _RUNNERS.items():
            if runner in names:
                yield from patterns_of(read, said)
    yield from listed(look)


def listed(look: Look) -> Iterator[Pattern]:
    """What the project's own settings say."""
    try:
        told = tomllib.loads((look.read("forsooth.toml") or b"").decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    if globs := _texts(told.get("tests")):
        yield Pattern(globs, "", "`tests` in forsooth.toml names it")


class _Settings:
    """The settings of a tree, looked for from a folder upwards."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self.paths = frozenset(look.paths())

    def text(self, path: str) -> str:
        return (self._look.read(path) or b"").decode("utf-8", "replace")

    def near(self, cwd: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The nearest of some files: the folder it lies in, and its path."""
        folder = cwd
        while True:
            for name in names:
                path = f"{folder}/{name}".lstrip("/")
                if path in self.paths:
                    yield folder, path
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def package(self, cwd: str, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for folder, path in self.near(cwd, ["package.json"]):
            yield folder, _table(_table(_json(self.text(path))).get(key))


def _of_node(_read: _Settings, said: Spoken) -> Iterator[Pattern]:
    if "--test" in said.words:
        yield Pattern(_NODE, said.cwd, "node's own patterns include it")


def _of_jest(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    is_set = False
    for folder, told in read.package(said.cwd, "jest"):
        for key in ("testMatch", "testRegex"):
            if globs := _texts(told.get(key)):
                is_set = True
                yield Pattern(
                    _rooted(globs), folder, f"jest's {key} includes it", key == "testRegex"
                )
    for folder, path in read.near(said.cwd, _configs("jest")):
        for key in ("testMatch", "testRegex"):
            if globs := _assigned(read.text(path), key):
                is_set = True
                yield Pattern(
                    _rooted(globs), folder, f"jest's {key} includes it", key == "testRegex"
                )
    if not is_set:
        yield Pattern(_JEST, said.cwd, "jest's own patterns include it")


def _of_vitest(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    is_set = False
    for folder, path in read.near(said.cwd, [*_configs("vitest"), *_configs("vite")]):
        if globs := _assigned(read.text(path), "include"):
            is_set = True
            yield Pattern(globs, folder, "vitest's include names it")
    if not is_set:
        yield Pattern(
            ("**/*.{test,spec}.?([cm])[jt]s?(x)",), said.cwd, "vitest's own patterns include it"
        )


def _of_mocha(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    globs = [word for word in said.words[1:] if "*" in word or re.search(_SCRIPT + "$", word)]
    found = [(said.cwd, tuple(globs))] if globs else []
    found += [(at, _texts(told.get("spec"))) for at, told in read.package(said.cwd, "mocha")]
    names = [
        f".mocharc{end}" for end in (".json", ".jsonc", ".js", ".cjs", ".mjs", ".yml", ".yaml")
    ]
    for folder, path in read.near(said.cwd, names):
        text = read.text(path)
        told = _texts(_table(_json(text)).get("spec")) if path.endswith("json") else ()
        found.append((folder, told or _assigned(text, "spec") or _yaml(text, "spec")))
    is_set = False
    for folder, told in found:
        if told:
            is_set = True
            yield Pattern(_as_folders(told), folder, "mocha's spec names it")
    if not is_set:
        yield Pattern(("test/*.?([cm])js",), said.cwd, "mocha's own pattern includes it")


def _of_ava(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    is_set = False
    for folder, told in read.package(said.cwd, "ava"):
        if globs := _texts(told.get("files")):
            is_set = True
            yield Pattern(globs, folder, "AVA's files names it")
    for folder, path in read.near(said.cwd, _configs("ava")):
        if globs := _assigned(read.text(path), "files"):
            is_set = True
            yield Pattern(globs, folder, "AVA's files names it")
    if not is_set:
        yield Pattern(_AVA, said.cwd, "AVA's own patterns include it")


def _of_pytest(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    for folder, path in read.near(said.cwd, ["pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"]):
        section = "tool:pytest" if path.endswith("setup.cfg") else "pytest"
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(read.text(path))
        except configparser.Error:
            continue
        if globs := tuple(parser.get(section, "python_files", fallback="").split()):
            yield Pattern(_anywhere(globs), folder, "pytest's python_files includes it")
    for folder, path in read.near(said.cwd, ["pyproject.toml"]):
        try:
            told = _table(_table(tomllib.loads(read.text(path)).get("tool")).get("pytest"))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        given = _table(told.get("ini_options")).get("python_files")
        globs = tuple(given.split()) if isinstance(given, str) else _texts(given)
        if globs:
            yield Pattern(_anywhere(globs), folder, "pytest's python_files includes it")
    yield Pattern(_anywhere(_PYTEST), said.cwd, "pytest's own patterns include it")


def _of_unittest(_read: _Settings, said: Spoken) -> Iterator[Pattern]:
    told = dict(pairwise(said.words))
    split = (word.partition("=") for word in said.words)
    told |= {name: value for name, equals, value in split if equals}
    pattern = told.get("-p") or told.get("--pattern") or "test*.py"
    start = resolved(told.get("-s") or told.get("--start-directory") or ".", said.cwd)
    if start is not None:
        yield Pattern((f"**/{pattern}",), start, "unittest's pattern includes it")


def _of_maven(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    for path in sorted(read.paths):
        folder, _, name = path.rpartition("/")
        if name == "pom.xml" and _is_below(folder, said.cwd):
            text = read.text(path)
            places = _TEST_SOURCE.findall(text) or ["src/test"]
            globs = tuple(f"{one.strip('./')}/**" for one in places)
            yield Pattern(globs, folder, "Maven's testSourceDirectory holds it")
            if inner := tuple(f"**/{glob.removeprefix('**/')}" for glob in _SUREFIRE.findall(text)):
                yield Pattern(inner, folder, "surefire's includes name it")


def _of_gradle(read: _Settings, said: Spoken) -> Iterator[Pattern]:
    del read
    yield Pattern(("**/src/{test,*Test}/**",), said.cwd, "Gradle's test source set holds it")


_RUNNERS: Mapping[str, Callable[[_Settings, Spoken], Iterator[Pattern]]] = {
    "node": _of_node,
    "jest": _of_jest,
    "vitest": _of_vitest,
    "mocha": _of_mocha,
    "_mocha": _of_mocha,
    "ava": _of_ava,
    "pytest": _of_pytest,
    "py.test": _of_pytest,
    "unittest": _of_unittest,
    "mvn": _of_maven,
    "mvnw": _of_maven,
    "gradle": _of_gradle,
    "gradlew": _of_gradle,
}


def _is_below(folder: str, cwd: str) -> bool:
    return not cwd or folder == cwd or folder.startswith(f"{cwd}/")


def _configs(name: str) -> list[str]:
    return [f"{name}.config.{end}" for end in ("js", "ts", "mjs", "cjs", "mts", "cts", "json")]


def _anywhere(globs: Iterable[str]) -> tuple[str, ...]:
    """Globs of a file's name, which hold in every folder."""
    return tuple(glob if "/" in glob else f"**/{glob}" for glob in globs)


def _as_folders(globs: Iterable[str]) -> tuple[str, ...]:
    """A plain folder stands for the scripts in it."""
    return tuple(
        glob if re.search(r"[*{(]|\.\w+$", glob) else f"{glob.rstrip('/')}/**" for glob in globs
    )


def _rooted(globs: Iterable[str]) -> tuple[str, ...]:
    return tuple(glob.replace("<rootDir>/", "") for glob in globs)


def _assigned(text: str, key: str) -> tuple[str, ...]:
    """The strings that a settings program gives a key, where they are written out."""
    found = re.search(rf"['\"]?\b{key}['\"]?\s*:\s*", text)
    if found is None:
        return ()
    rest = text[found.end() :]
    end = rest.find("]") + 1 if rest.startswith("[") else rest.find("\n")
    part = rest[: end or None] if end >= 0 else rest
    strings = tuple(one[1].replace("\\\\", "\\") for one in _QUOTED.findall(part))
    return strings or tuple(_REGEX.findall(part))


def _yaml(text: str, key: str) -> tuple[str, ...]:
    found = re.search(rf"^{key}:[ \t]*(.*(?:\n[ \t]*-.*)*)", text, re.MULTILINE)
    if found is None:
        return ()
    rows = re.sub(r"^\s*-\s*", "", found[1], flags=re.MULTILINE).strip("[] \n")
    return tuple(one.strip(" '\"") for one in re.split(r"[\n,]", rows) if one.strip(" '\""))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    given = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(one for one in given if isinstance(one, str))


def _is_in(globs: Iterable[str], path: str) -> bool:
    return any(_compiled(glob).fullmatch(path) is not None for glob in globs)


def _searched(pattern: str, path: str) -> bool:
    try:
        return re.search(pattern, path) is not None
    except re.error:
        return False


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[str]:
    """A glob of JavaScript's tools: `**`, `{a,b}`, and groups such as `?(x)` and `+(a|b)`."""
    text = glob.removeprefix("./").removeprefix("/")
    made, at, groups = "", 0, list[str]()
    while at < len(text):
        char = text[at]
        if text.startswith("**/", at):
            made, at = made + "(?:.*/)?", at + 3
            continue
        if char in "?+*@!" and text[at + 1 : at + 2] == "(":
            groups.append({"@": "", "!": ""}.get(char, char))
            made, at = made + "(?:", at + 2
            continue
        if char == ")" and groups:
            made += ")" + groups.pop()
        elif char == "{":
            groups.append("")
            made += "(?:"
        elif char == "}" and groups:
            made += ")" + groups.pop()
        elif char in ",|" and groups:
            made += "|"
        elif text.startswith("**", at):
            made, at = made + ".*", at + 1
        elif char == "[" and "]" in text[at:]:
            end = text.index("]", at)
            made, at = made + text[at : end + 1], end
        else:
            made += {"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char))
        at += 1
    try:
        return re.compile(made, re.DOTALL)
    except re.error:
        return re.compile(re.escape(glob))
