"""The plain commands in an argv: wrappers taken off, shell text split, make and npm looked into.

Nothing is run, and of variables only those are expanded that a makefile sets or a loop goes
through: a word with another one in it names no file.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.settings import package

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_ENDS = re.compile(r"[;&|()<>\n]+")
_ASSIGNS = re.compile(r"[A-Za-z_]\w*\+?=")
_LED = frozenset("if then else elif while until do ! { } time exec command eval nohup sudo".split())
_WRAPPERS = frozenset("env timeout nice stdbuf xvfb-run ionice setsid strace".split())
_RUNS = frozenset("uv poetry pdm hatch rye pipenv".split())
_NPM = frozenset("npm pnpm yarn bun".split())
_WORKSPACE = ("-w", "--workspace")
_PLACED = frozenset({*_WORKSPACE, "--prefix", "-C", "--dir"})
_MAKE = frozenset("make gmake".split())
_INCLUDE = re.compile(r"^(-|s)?include\s+(.+)$", re.MULTILINE)
_WILDCARD = re.compile(r"\$[({]wildcard\s+([^)}]*)[)}]")
_RECIPE = re.compile(r"^\t[ \t]*[-@+]*(.*(?:\\\n.*)*)$", re.MULTILINE)
_SET = re.compile(r"^(?:(?:export|override)\s+)*(\w[\w.-]*)\s*[:?+]{0,2}=[ \t]*(.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"(?<!\$)\$[({](\w[\w.-]*)[)}]")
_RULE = re.compile(r"^([^\s:#=][^:#=\n]*?)\s*::?(?!=)", re.MULTILINE)
_TARGET = re.compile(r"[\w./][\w./-]*")
_SHEBANG = re.compile(rb"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(?:\S*/)?(?:ba|da|z|k)?sh\b")
_DEEPEST = 6
_NESTED = 3
_LONGEST = 20_000
_MOST_TURNS = 60


class Spoken(NamedTuple):
    """One plain command, the folder it is given in, and the file it stands in, if any."""

    words: tuple[str, ...]
    cwd: str
    source: str = ""

    @property
    def program(self) -> str:
        """The program's own name."""
        return self.words[0].rpartition("/")[2] if self.words else ""


class Reading(NamedTuple):
    """Every plain command found, and the makefiles and package files that hold what was asked.

    `wanted` are the npm scripts asked for.
    """

    spoken: tuple[Spoken, ...]
    files: tuple[str, ...]
    wanted: tuple[str, ...]


def read(argv: Sequence[str], look: Look, *, cwd: str = "") -> Reading:
    """Every plain command of an argv, and of the makefiles and scripts it calls."""
    reader = _Reader(look)
    reader.take(tuple(argv), _at(cwd, "."), "", 0)
    return Reading(
        tuple(reader.spoken),
        tuple(dict.fromkeys(reader.files)),
        tuple(dict.fromkeys(reader.wanted)),
    )


def resolved(word: str, cwd: str) -> str | None:
    """The path a word names inside the tree; none when it leads out or is no path."""
    if not word or "$" in word or "\0" in word or word.startswith(("/", "~", "-")):
        return None
    path = _at(cwd, word)
    return None if path.startswith("../") or path == ".." else path


def commands(text: str) -> Iterator[tuple[str, ...]]:
    """The plain commands of shell text; words that cannot be told apart are split by spaces."""
    for line in text.replace("\\\n", " ").splitlines():
        try:
            lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>")
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            words = line.split()
        yield from _split(words)


def included(text: str, *, needed: bool = False) -> list[str]:
    """What a makefile includes; only what it cannot do without when `needed`."""
    rows = [row for maybe, row in _INCLUDE.findall(text) if not (needed and maybe)]
    if needed:
        rows = [_WILDCARD.sub("", row) for row in rows]
    return [word for row in rows for word in _WILDCARD.sub(r"\1", row).split()]


def _each(
    words: tuple[str, ...], loops: Iterable[tuple[str, list[str]]]
) -> Iterator[tuple[str, ...]]:
    """A command as it is given in each turn of the loops around it."""
    found = [words]
    for name, values in loops:
        asks = re.compile(rf"\$(?:{re.escape(name)}\b|{{{re.escape(name)}}})")
        if values and any(asks.search(word) for word in words):
            found = [
                tuple(asks.sub(lambda _, now=value: now, word) for word in one)
                for one in found
                for value in values
            ]
    return iter(found[:_MOST_TURNS])


def _split(words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    part: list[str] = []
    for word in words:
        if _ENDS.fullmatch(word):
            yield tuple(part)
            part = []
        else:
            part.append(word)
    yield tuple(part)


def _at(cwd: str, word: str) -> str:
    path = posixpath.normpath(posixpath.join(cwd, word))
    return "" if path == "." else path


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what stands before it."""
    at = 0
    while at < len(words):
        word = words[at].rpartition("/")[2]
        if word in _LED or _ASSIGNS.match(words[at]):
            at += 1
        elif word in _WRAPPERS or (word in _RUNS and words[at + 1 : at + 2] == ("run",)):
            at += 2 if word in _RUNS else 1
            while at < len(words) and (words[at].startswith("-") or words[at][:1].isdigit()):
                at += 1
        elif word in ("npx", "bunx"):
            at += 1
        else:
            break
    return words[at:]


class _Reader:
    """A walk over commands and the files that hold more of them."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._paths = frozenset(look.paths())
        self._seen: set[tuple[object, ...]] = set()
        self.spoken: list[Spoken] = []
        self.files: list[str] = []
        self.wanted: list[str] = []

    def take(self, argv: tuple[str, ...], cwd: str, source: str, depth: int) -> None:
        words = _plain(argv)
        if not words or depth > _DEEPEST or (words, cwd, source) in self._seen:
            return
        self._seen.add((words, cwd, source))
        said = Spoken(words, cwd, source)
        self.spoken.append(said)
        if said.program in SHELLS:
            self._shell(said, depth)
        elif said.program in _MAKE:
            self._make(said, depth)
        elif said.program in _NPM:
            self._npm(said, depth)
        else:
            self._script(words[0], said, depth)
        if said.program in ("source", "."):
            self._script(words[1] if len(words) > 1 else "", said, depth)

    def _text(self, text: str, cwd: str, source: str, depth: int) -> None:
        loops: list[tuple[str, list[str]]] = []
        for words in commands(text):
            if words[:1] == ("cd",) and len(words) > 1:
                cwd = resolved(words[1], cwd) or cwd
            plain = _plain(words)
            if plain[:1] == ("for",) and plain[2:3] == ("in",):
                loops.append((plain[1], self._values(plain[3:], cwd)))
            elif words[:1] == ("done",):
                loops = loops[:-1]
            for one in _each(words, loops):
                self.take(one, cwd, source, depth + 1)

    def _values(self, words: Iterable[str], cwd: str) -> list[str]:
        """What a loop goes through, as far as it is written out or names files of the tree."""
        return [one for word in words if "$" not in word for one in self._meant(word, cwd)]

    def _shell(self, said: Spoken, depth: int) -> None:
        rest = list(said.words[1:])
        while rest:
            word = rest.pop(0)
            if word in ("-o", "+o", "-O", "--rcfile", "--init-file"):
                rest[:1] = []
            elif re.fullmatch(r"-\w*c\w*", word) and rest:
                return self._text(rest[0], said.cwd, said.source, depth)
            elif not word.startswith("-"):
                return self._script(word, said, depth)
        return None

    def _script(self, word: str, said: Spoken, depth: int) -> None:
        """A shell script of the tree that a command starts with."""
        path = resolved(word, said.cwd)
        data = self._look.read(path) if path and path in self._paths else None
        if path and data and (_SHEBANG.match(data) or path.endswith((".sh", ".bash"))):
            text = data[:200_000].decode("utf-8", "replace")
            self._text(text, said.cwd, path, depth)
            if folder := path.rpartition("/")[0]:
                self._text(text, folder, path, depth)

    def _make(self, said: Spoken, depth: int) -> None:
        """Makefiles with what they include, which count where they have the targets asked for."""
        folder = _value(said.words, "-C", "--directory=")
        cwd = _at(said.cwd, folder) if folder else said.cwd
        named = _value(said.words, "-f", "--file=", "--makefile=")
        left = [named] if named else list(MAKEFILES)
        texts: dict[str, str] = {}
        while left:
            path = resolved(left.pop(0), cwd)
            if path and path not in texts and path in self._paths:
                texts[path] = (self._look.read(path) or b"").decode("utf-8", "replace")
                left += [one for word in included(texts[path]) for one in self._meant(word, cwd)]
        has = {
            name for text in texts.values() for row in _RULE.findall(text) for name in row.split()
        }
        asked = {word for word in said.words[1:] if _TARGET.fullmatch(word)} - {folder, named}
        if asked <= has or any("%" in name or "$" in name for name in has):
            self.files += texts
        values = {"MAKE": "make", **dict(_SET.findall("\n".join(texts.values())))}
        for path, text in texts.items():
            for line in (*_RECIPE.findall(text), *(value for _, value in _SET.findall(text))):
                self._text(_expanded(line.replace("\\\n", " "), values), cwd, path, depth)

    def _meant(self, word: str, cwd: str) -> list[str]:
        """The files that a word of a makefile means, seen from its folder."""
        if "*" not in word:
            return [word]
        pattern = re.compile(re.escape(_at(cwd, word)).replace(r"\*", "[^/]*"))
        found = sorted(path for path in self._paths if pattern.fullmatch(path))
        return [path[len(cwd) + 1 :] if cwd else path for path in found]

    def _npm(self, said: Spoken, depth: int) -> None:
        """The scripts asked for, in the package here or in those of its workspaces."""
        words, places = self._workspaces(said)
        wanted = [word for word in words if not word.startswith("-")]
        wanted = ["test" if word in ("t", "tst") else word for word in wanted]
        is_found = False
        for place in places:
            path = _at(place, "package.json")
            data = self._look.read(path) if path in self._paths else None
            if data is None:
                continue
            found = package.scripts_of(data)
            is_found = is_found or any(name in found for name in wanted)
            self.files.append(path)
            for name in [f"{at}{name}" for name in wanted for at in ("pre", "", "post")]:
                if name in found:
                    self.wanted.append(name)
                    self._text(found[name], place, path, depth)
        if not is_found and said.program != "npm":
            self.take(said.words[1:], said.cwd, said.source, depth + 1)
        elif wanted[:1] == ["exec"]:
            self.take(tuple(wanted[1:]), said.cwd, said.source, depth + 1)

    def _workspaces(self, said: Spoken) -> tuple[list[str], list[str]]:
        """The words of a call without what says where, and the folders it is about."""
        words, named, prefix = list[str](), list[str](), said.cwd
        is_all, left = False, list(said.words[1:])
        while left:
            flag, equals, value = left.pop(0).partition("=")
            if flag == "--":
                break  # what follows is the script's own
            if flag in _PLACED and (flag != "-w" or said.program == "npm"):
                value = value if equals else left.pop(0) if left else ""
                if flag in _WORKSPACE:
                    named.append(value)
                else:
                    prefix = _at(said.cwd, value)
            elif flag in ("--workspaces", "-ws", "-r", "--recursive"):
                is_all = is_all or value != "false"
            else:
                words.append(flag + equals + value)
        if not is_all and not named:
            return words, [prefix]
        inner = [one for one in self._packages(prefix) if is_all or _is_called(one, named)]
        return words, [place for place, _ in inner] or [prefix]

    def _packages(self, cwd: str) -> Iterator[tuple[str, str]]:
        """The folders of the packages below one, and the names they have."""
        for path in sorted(self._paths):
            place = path.removesuffix("package.json").rstrip("/")
            is_one = path.endswith("/package.json") and path.startswith(f"{cwd}/".lstrip("/"))
            if is_one and place != cwd and "node_modules" not in path:
                yield place, package.name_of(self._look.read(path) or b"")


def _is_called(one: tuple[str, str], named: Iterable[str]) -> bool:
    """Whether a package lies in a folder, or has a name, that was asked for."""
    place, name = one
    return any(name == word or f"/{place}".endswith(f"/{word.strip('./')}") for word in named)


def _expanded(line: str, values: Mapping[str, str]) -> str:
    """A line of a makefile with the variables that it sets; others as a shell would write them."""
    for _ in range(_NESTED):
        line = _VARIABLE.sub(lambda found: values.get(found[1], f"${found[1]}"), line)[:_LONGEST]
    return line.replace("$$", "$")


def _value(words: Sequence[str], short: str, *long: str) -> str:
    """What an option is given."""
    for at, word in enumerate(words):
        if word == short:
            return words[at + 1] if at + 1 < len(words) else ""
        if word.startswith(short) and len(word) > len(short) and not word.startswith("--"):
            return word[len(short) :]
        for one in long:
            if word.startswith(one):
                return word[len(one) :]
    return ""
