"""Which files of the base a criterion rests on, and which new ones would change how it is run.

Product is never an oracle: what the work is to change is judged as it was left. A file that the
argv names is product when the fence names it, when it is code that is neither on the test side nor
called like a check, or when a program merely looks at it. All other files it names are oracles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, cast

from forsooth.core.plan import Criterion, Goal
from forsooth.judge.checker import Look
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.disbelief.leave import file_of
from forsooth.judge.drivers import drivers
from forsooth.judge.loaded import (
    is_hidden,
    is_setting,
    is_started,
    is_testing,
    is_weighty,
    starts_tests,
    tools,
)
from forsooth.judge.mentions import Mentions, is_code
from forsooth.judge.patterns import listed, patterns
from forsooth.judge.settings import is_merged
from forsooth.judge.sides import Sides, parts_of
from forsooth.judge.support import support
from forsooth.judge.within import has_tests
from forsooth.judge.words import Reading, Spoken, included, read, resolved

_CHECKS = frozenset(
    "test tests check checks verify validate lint ci e2e smoke acceptance selftest expected golden "
    "oracle".split()
)
_PLACES = frozenset("test tests check checks e2e qa acceptance smoke".split())
_LIKE = re.compile(r"(?i)^(?:check|test|lint|verify)|(?:check|checks|checker|tests?|lint|linter)$")
_RUNNERS = frozenset(
    "runner suite spec specs gate gates quality audit complexity coverage budget budgets style "
    "size limits spelling links".split()
)
_TOOLS = frozenset("tool tools script scripts ci .ci hack dev build".split())
REPORTED = "the runner reports tests in it"
SETTINGS = "it holds settings of a tool"
EMPTY = "it lies among tests, and is empty"
BESIDE = "it lies beside tests that are yet to be written"
LOOKING = frozenset(
    "grep egrep fgrep rg ag test [ [[ cat head tail wc ls stat find jq yq sha256sum md5sum file "
    "awk sed xmllint yamllint markdownlint prettier docker podman terraform helm kubectl ruff mypy "
    "pyright flake8 eslint tsc shellcheck echo printf cp mv rm mkdir touch chmod git tee".split()
)
_SEARCHES = frozenset("find git fd".split())  # a pattern of theirs is met in any folder
_CONFIG_FLAGS = frozenset("-c --config --config-file --rcfile -f --file --rootdir --conf".split())
_CLASSES = (".java", ".kt", ".groovy", ".scala")
_GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)


def oracles(
    criterion: Criterion,
    look: Look,
    *,
    goal: Goal | None = None,
    tests: Iterable[str] | None = None,
) -> tuple[str, ...]:
    """Every path of the base that a criterion rests on; `tests` are the ids known at the seal."""
    return tuple(roles(criterion, look, goal=goal, tests=tests))


def roles(
    criterion: Criterion,
    look: Look,
    *,
    goal: Goal | None = None,
    tests: Iterable[str] | None = None,
) -> dict[str, str]:
    """Every path of the base that a criterion rests on, and why: the best evidence there is.

    1. The runner reports tests in it. 2. The plan or `forsooth.toml` names it. 3. The runner's
    settings include it. 4. The criterion runs it, its name says so, or the tests lean on it.
    """
    planned = {path for path in look.paths() if any_matches(criterion.oracle, path)}
    found = dict.fromkeys(planned, "the plan seals it")
    if argv_of(criterion):
        resting = Resting(criterion, look, goal=goal, tests=tests or (), protected=planned)
        found = {**found, **resting.roles}
    return dict(sorted(found.items()))


def tested_within(
    criterion: Criterion, look: Look, *, tests: Iterable[str], rests: Iterable[str]
) -> tuple[str, ...]:
    """Product of the base that holds tests of itself which a criterion runs; `rests` is sealed."""
    if not argv_of(criterion):
        return ()
    found = Resting(criterion, look, goal=None, tests=tests).tested_within
    return tuple(sorted(found.difference(rests)))


def unsealed(criterion: Criterion, base: Look, now: Look) -> tuple[str, ...]:
    """Files that were not there at the seal and are loaded by themselves when it is run."""
    if not argv_of(criterion):
        return ()
    there = frozenset(base.paths())
    was, is_ = reading_of(criterion, base), reading_of(criterion, now)
    found = tools((*was.spoken, *is_.spoken), runner_of(criterion))
    taken = _taken_in(was, is_, base)
    scripts = (resolved(word, one.cwd) for one in was.spoken for word in one.words)
    beside = {path.rpartition("/")[0] for path in scripts if path and path.endswith(".py")}
    return tuple(
        path
        for path in now.paths()
        if path not in there
        and (
            (is_setting(path, found) and is_weighty(path, now))
            or is_hidden(path, found, base=there, beside=beside)
            or path in taken
            or ("go" in found and starts_tests(path, now))
        )
    )


def _taken_in(was: Reading, is_: Reading, base: Look) -> frozenset[str]:
    """Files that makefiles and scripts of the base take in where they are there, and can miss.

    Of those that a script finds by a pattern, only what lies among checks: the rest is product.
    """
    texts = {
        path: (base.read(path) or b"").decode("utf-8", "replace")
        for path in {*was.files, *(said.source for said in was.spoken)}
        if path
    }
    needed = {word for path in was.files for word in included(texts[path], needed=True)}
    found = {path for path in is_.files if was.files and not needed & {path, _name(path)}}
    for said in is_.spoken:
        text = texts.get(said.source, "")
        path = resolved(said.words[1], said.cwd) if len(said.words) > 1 else None
        if path and said.program in (".", "source"):
            by_pattern = _name(path) not in text and is_check(said.source) and is_check(path)
            if by_pattern or _is_asked_for(_name(path), text):
                found.add(path)
    return frozenset(found)


def _is_asked_for(name: str, text: str) -> bool:
    """Whether a script looks whether a file is there."""
    return re.search(rf"-[efrs]\s+\S*{re.escape(name)}", text) is not None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def argv_of(criterion: Criterion) -> tuple[str, ...]:
    """What a criterion runs; empty when it runs nothing."""
    found = criterion.check.params.get("argv")
    words = cast("list[Any]", found) if isinstance(found, list | tuple) else []
    return tuple(word for word in words if isinstance(word, str))


def runner_of(criterion: Criterion) -> str:
    """The runner a criterion names."""
    found = criterion.check.params.get("runner")
    return found if isinstance(found, str) else ""


def cwd_of(criterion: Criterion) -> str:
    """Where a criterion runs."""
    found = criterion.check.params.get("cwd")
    return found.strip("/") if isinstance(found, str) else ""


def reading_of(criterion: Criterion, look: Look) -> Reading:
    """Every plain command that a criterion comes to in a tree."""
    return read(argv_of(criterion), look, cwd=cwd_of(criterion))


def runs_tests(criterion: Criterion, look: Look) -> bool:
    """Whether a criterion runs tests, as far as its argv and what that names tell."""
    spoken = reading_of(criterion, look).spoken
    is_said = criterion.check.kind == "tests"
    return is_said or is_testing(tools(spoken, runner_of(criterion)), spoken)


class Resting:
    """What one criterion's argv rests on in the base."""

    def __init__(
        self,
        criterion: Criterion,
        look: Look,
        *,
        goal: Goal | None,
        tests: Iterable[str],
        protected: AbstractSet[str] = frozenset(),
    ) -> None:
        self._look, self._tests, self._protected = look, tuple(tests), frozenset(protected)
        self._touch = goal.fence.touch if goal else ()
        self._is_prose = goal is not None and goal.intent == "docs"
        self._cwd = cwd_of(criterion)
        self._all = look.paths()
        self._there = frozenset(self._all)
        self._sides = Sides(self._all)
        self._reading = reading_of(criterion, look)
        self._tools = tools(self._reading.spoken, runner_of(criterion))
        self._is_testing = runs_tests(criterion, look)
        told = criterion.check.params
        self._tells_output = any(told.get(key) for key in ("stdout", "stderr", "exits"))

    @property
    def roles(self) -> dict[str, str]:
        """Files with tests, files named, what they lean on, and settings: each with its reason."""
        found = dict.fromkeys(self._reported - self._self_tested, REPORTED)
        for path, because in (*self._listed(), *self._set()):
            found.setdefault(path, because)
        beside = dict.fromkeys(self._beside(), "it is named like a test, or lies among tests")
        found = {**dict.fromkeys(self.named, "the criterion runs or names it"), **beside, **found}
        sealed = {*found, *self._protected}
        used = support(self._look, sealed, may=self._may_support, is_code=is_code)
        found = {**dict.fromkeys(used, "the tests lean on it"), **found}
        settings = self._settings({*found})
        return {**found, **{p: SETTINGS for p in settings if p not in found}}

    @cached_property
    def _reported(self) -> set[str]:
        """The files in which the runner reported tests on the base."""
        found = {path for id_ in set(map(file_of, self._tests)) for path in self._file(id_)}
        modules = {tuple(id_.split("::")[1:-1]) for id_ in self._tests if "::" in id_}
        return found | {path for parts in modules for path in self._rust_module(parts)}

    def _rust_module(self, parts: tuple[str, ...]) -> Iterator[str]:
        """The innermost file of a Rust module, where one of its own is there for tests alone."""
        for many in range(len(parts), 0, -1):
            inner = "/".join(parts[:many])
            ends = (f"src/{inner}.rs", f"src/{inner}/mod.rs")
            found = [
                p
                for p in self._all
                if p.endswith(ends) and f"/{p}".endswith(tuple(f"/{e}" for e in ends))
            ]
            if found:
                yield from found
                return

    def _is_cfg_test(self, path: str) -> bool:
        """Whether a file of Rust is a module that only test runs have."""
        stem = path.removesuffix("/mod.rs").removesuffix(".rs").rpartition("/")[2]
        declared = re.compile(
            rf"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+{re.escape(stem)}\s*;"
        )
        others = (self._mentions.text(one) for one in self._all if one.endswith(".rs"))
        return path.endswith(".rs") and any(map(declared.search, others))

    @cached_property
    def _self_tested(self) -> set[str]:
        """Product among them that holds tests of itself: those are sealed, and not the whole file.

        It is the goal's own, or other code loads it, or it loads no other code that it could test.
        """
        return {path for path in self._reported if self._holds_own_tests(path)}

    def _holds_own_tests(self, path: str) -> bool:
        if not has_tests(path, self._look.read(path) or b""):
            return False
        if path in self._touch:
            return True
        if self._sides.holds(path) or self._is_cfg_test(path):
            return False
        loaders = self._mentions.loaders(path)
        if any(one not in self._reported and not self._sides.holds(one) for one in loaders):
            return True
        others = [one for one in self._mentions.code if one not in self._reported]
        return not self._mentions.loads(path, others)

    def _listed(self) -> Iterator[tuple[str, str]]:
        for pattern in listed(self._look):
            yield from ((path, pattern.because) for path in self._all if pattern.takes(path))

    def _set(self) -> Iterator[tuple[str, str]]:
        """What the runner's settings include, where neither report nor argv says what holds tests.

        A wide pattern takes in product as well: what other such files load is none.
        """
        if self._reported or any(map(self._sides.holds, self.named)):
            return
        for pattern in patterns(self._reading.spoken, self._look):
            taken = [path for path in self._all if pattern.takes(path) and path not in self._touch]
            for path in taken:
                if self._sides.holds(path) or not self._mentions.loaders(path) & {*taken}:
                    yield path, pattern.because

    @cached_property
    def _mentions(self) -> Mentions:
        return Mentions(self._look)

    @cached_property
    def _drivers(self) -> frozenset[str]:
        if self._tells_output:
            return frozenset()
        return drivers(self._reading, self._look, self._mentions, touch=self._touch)

    @property
    def tested_within(self) -> set[str]:
        """Files that are run, or are known to hold tests, or are built with them, and do hold any.

        Some of them may be sealed as a whole.
        """
        found = set(self._reported)
        for said in self._reading.spoken:
            if said.program not in LOOKING:
                names = (f"{word.replace('.', '/')}.py" for word in said.words)
                words = (*said.words, *names)
                found |= {path for word in words for path in _candidates(word, said.cwd)}
        if "cargo" in self._tools:
            found |= {path for path in self._all if path.endswith(".rs")}
        scripts = (self._look.read(path) or b"" for path in self.named if path.endswith(".py"))
        if any(b"doctest" in text for text in scripts):
            found |= {path for path in self._all if path.endswith(".py")}
        return {p for p in found & self._there if has_tests(p, self._look.read(p) or b"")}

    def _may_support(self, path: str) -> bool:
        """Whether a file may be one that tests lean on: no program, no setting, not the goal's."""
        if path in self._touch or self._is_setting(path):
            return False
        return is_code(path) or not self._is_program(path)

    @cached_property
    def named(self) -> set[str]:
        """Files of the tree that the argv names and that are not product."""
        found = {path for path in self._reading.files if path not in self._touch}
        for said in self._reading.spoken:
            if not said.source or said.source in found:
                found.update(self._words(said))
        return found | self._drivers

    def _words(self, said: Spoken) -> Iterator[str]:
        looked_at = said.program in LOOKING or "json.tool" in said.words
        for at, word in enumerate(said.words):
            before = said.words[at - 1] if at else ""
            if before == "-m":
                yield from self._module(word, said.cwd)
            for path in _candidates(word, said.cwd):
                if said.source and path in self._touch and not self._sides.holds(path):
                    continue
                if path in self._there:
                    is_config = before in _CONFIG_FLAGS or word.startswith("--config")
                    is_config = is_config and not looked_at
                    if is_config or not self._is_product(path, looked_at=looked_at):
                        yield path
                elif path and "*" in path:
                    globs = [path, f"**/{path}"] if said.program in _SEARCHES else [path]
                    yield from (p for p in self._below("") if any_matches(globs, p))
                elif path and not looked_at:
                    yield from self._below(f"{path}/")
                    if said.words[:2] == ("go", "run") and is_check(path):
                        yield from (p for p in self._all if p.rpartition("/")[0] == path)

    def _module(self, name: str, cwd: str) -> Iterator[str]:
        path = resolved(name.replace(".", "/"), cwd) or name
        for one in (f"{path}.py", f"{path}/__init__.py", f"{path}/__main__.py"):
            if one in self._there and self._sides.holds(one):
                yield one

    def _below(self, folder: str) -> Iterator[str]:
        """The test side of a folder."""
        return (path for path in self._side if path.startswith(folder))

    @cached_property
    def _side(self) -> tuple[str, ...]:
        return tuple(path for path in self._all if self._sides.holds(path))

    def _is_product(self, path: str, *, looked_at: bool) -> bool:
        if self._sides.holds(path):
            return False
        if path in self._touch:
            return True
        if is_check(path) or path in self._drivers or (self._is_prose and is_code(path)):
            return False
        if is_code(path) or self._is_program(path):
            return True
        return looked_at or any_matches(self._touch, path)

    def _is_program(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if name.lower().startswith(("makefile", "gnumakefile")):
            return False
        return self._look.mode(path) == "100755" or (self._look.read(path) or b"")[:2] == b"#!"

    def _beside(self) -> set[str]:
        """The files of known and named tests, and the test side they lie on."""
        if not self._is_testing:
            return set()
        held = {path for path in self.named if self._sides.holds(path)}
        held |= {path for path in self._reported if not _is_module(path)}
        if not held:
            return set(self._below(f"{self._cwd}/".lstrip("/")))
        roots = {self._sides.root(path) or path.rpartition("/")[0] for path in held}
        return {path for path in self._side if "" in roots or not roots.isdisjoint(_above(path))}

    def _file(self, name: str) -> Iterator[str]:
        """The file, or the files, that a runner's name for them stands for."""
        name = name.partition(" - ")[0] if ".rs - " in name else name  # of an example
        joined = resolved(name, self._cwd) or name
        if joined in self._there or name in self._there:
            yield joined if joined in self._there else name
            return
        parts = name.split(".")
        dotted = ["/".join(parts[:many]) for many in range(len(parts), 0, -1)]
        plain = [f"{one}.py" for one in dotted if f"{one}.py" in self._there]
        below = tuple(f"/{one}.py" for one in dotted)
        yield from plain or (path for path in self._all if path.endswith(below))
        if len(parts) > 1 or name[:1].isupper():
            classes = tuple(f"/{'/'.join(parts)}{end}" for end in _CLASSES)
            yield from (path for path in self._all if f"/{path}".endswith(classes))
        yield from (p for p in (f"tests/{name}.rs", f"tests/{name}/main.rs") if p in self._there)
        if name.endswith(".rs"):
            yield from (path for path in self._all if path.endswith(f"/{name}"))
        yield from self._package(name)

    def _package(self, name: str) -> Iterator[str]:
        for folder, stem in self._modules.items():
            if name == stem or name.startswith(f"{stem}/"):
                held = f"{folder}{name[len(stem) :]}".strip("/")
                yield from (p for p in self._side if p.rpartition("/")[0] == held)

    @cached_property
    def _modules(self) -> dict[str, str]:
        """The Go modules of the tree by folder."""
        found: dict[str, str] = {}
        for path in self._all:
            if path.rpartition("/")[2] == "go.mod":
                said = _GO_MODULE.search(self._look.read(path) or b"")
                found[path.rpartition("/")[0]] = said[1].decode("utf-8", "replace") if said else "?"
        return found

    def _settings(self, found: set[str]) -> set[str]:
        """Settings of the tools in every folder above what is run."""
        above = {""}
        for path in (f"{self._cwd}/x", *(s.cwd + "/x" for s in self._reading.spoken), *found):
            folder = path.rpartition("/")[0].strip("/")
            while folder:
                above.add(folder)
                folder = folder.rpartition("/")[0]
        return {
            path
            for path in self._all
            if self._is_setting(path)
            and path.rpartition("/")[0].removesuffix(".cargo").removesuffix(".config").strip("/")
            in above
        }

    def _is_setting(self, path: str) -> bool:
        if is_setting(path, self._tools):
            return is_merged(path) or is_weighty(path, self._look)
        return is_started(path, self._tools)


def is_check(path: str) -> bool:
    """Whether a file is called like something that checks, or lies where such things lie."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    words = parts_of(stem)
    if _CHECKS & words or _PLACES.intersection(folders[:1]):
        return True
    is_named = _RUNNERS & words or _LIKE.search(stem)
    return bool(is_named and _TOOLS.intersection(folders))


def _is_module(path: str) -> bool:
    """Whether a file is a module of a crate: its tests say nothing of where the others lie."""
    return path.endswith(".rs") and "src" in path.split("/")[:-1]


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _candidates(word: str, cwd: str) -> Iterator[str]:
    """What a word may name: itself, what follows `=` or `@`, and the file before `::` or a line."""
    for text in dict.fromkeys((word, word.partition("=")[2], word.removeprefix("@"))):
        path = resolved(text.partition("::")[0], cwd)
        if path:
            yield path
            head, _, line = path.rpartition(":")
            if head and line.isdigit():
                yield head
