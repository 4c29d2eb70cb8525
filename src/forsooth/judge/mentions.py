"""Which files of a tree load or read which, by the names that stand in their texts.

Every language names what it loads by a file's name, its stem or its folder, so one reader serves
all of them. A text mentions a file when it has its name (`sumas.csv`), a quoted path that ends in
its stem (`'./lib/sums'`), an import of its stem (`from lib.sums import add`, `use Sums;`), its
class (`Sums` in Java), its module (`mod sums;`), its header (`#include "sums.h"` for `sums.c`), a
name it defines in the same Go package, or, for data, its folder (`'datos'`). Names that are put
together while a program runs are not seen, and a comment counts as much as code does: both errors
call a file product rather than not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from forsooth.judge.checker import Look

MOST_FILES = 3000
LARGEST = 200_000

_CODE = re.compile(
    r".*\.(?:pyw?|pyx|[cm]?[jt]sx?|rb|go|rs|java|kts?|groovy|scala|clj[cs]?|c|cc|cpp|cxx|m|mm|h|hh|hpp"
    r"|hxx|cu|sh|bash|zsh|fish|ps1|bat|t|p[lm]|raku(?:mod)?|php|lua|swift|cs|fsx?|vb|dart|exs?|erl|hs"
    r"|mli?|elm|nim|zig|cr|jl|R|r|tcl|awk|f90|pas|lisp|scm|rkt|el|coffee|vue|svelte|html|css|sql"
    r"|jar|wasm|pyc|so|pyd|node)",
    re.DOTALL,
)
_MAIN = frozenset({"index", "__init__", "__main__", "main", "mod"})
_BY_CLASS = (".java", ".kt", ".kts", ".groovy", ".scala", ".cs", ".swift", ".php")
_BY_HEADER = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
_SHELL = (".sh", ".bash", ".zsh")
_GO_NAME = re.compile(r"^(?:func|type|var|const)\s+(?:\([^)]*\)\s*)?(\w+)", re.MULTILINE)
_GO_GROUP = re.compile(r"^(?:var|const|type)\s*\((.*?)^\)", re.MULTILINE | re.DOTALL)
_GO_ROW = re.compile(r"^\t(\w+)", re.MULTILINE)
_FUNCTION = re.compile(
    r"\b(?:def|func|function|fn|class|sub|lambda|proc)\b|=>|\)\s*(?:->\s*[\w<>&, ]+\s*)?\{"
)


def is_code(path: str) -> bool:
    """Whether a file is a program's text by its name."""
    return bool(_CODE.fullmatch(path))


class Mentions:
    """The texts of one tree, asked for each other's names."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._loaders: dict[str, frozenset[str]] = {}

    @cached_property
    def code(self) -> tuple[str, ...]:
        """Every file of code; none in a tree too large to be read for this."""
        found = tuple(path for path in self._look.paths() if _is_text(path, self._look))
        return found if len(found) <= MOST_FILES else ()

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {path: self.text(path) for path in self.code}

    def text(self, path: str) -> str:
        """A file as text; empty when it is too large."""
        data = self._look.read(path) or b""
        return data.decode("utf-8", "replace") if len(data) <= LARGEST else ""

    def loaders(self, path: str) -> frozenset[str]:
        """The files of code that mention a file."""
        if path not in self._loaders:
            found = (one for one in self.code if one != path and self.mentions(one, path))
            self._loaders[path] = frozenset(found)
        return self._loaders[path]

    def loads(self, path: str, among: Iterable[str]) -> frozenset[str]:
        """Which of some files a file mentions."""
        return frozenset(one for one in among if one != path and self.mentions(path, one))

    def mentions(self, reader: str, path: str) -> bool:
        """Whether one file names another."""
        text = self._texts.get(reader)
        if text is None:
            text = self.text(reader)
        own, _, _ = path.rpartition("/")
        if path.endswith(".go"):
            return self._in_go(reader, text, path)
        if path.endswith(_BY_CLASS) and reader.endswith(_BY_CLASS):
            return re.search(rf"\b{re.escape(_stem(path))}\b", text) is not None
        if reader.endswith(_SHELL) and _shell_word(_stem(path)).search(text):
            return True
        beside = own == reader.rpartition("/")[0]
        return _named(path, beside=beside).search(text) is not None

    def _in_go(self, reader: str, text: str, path: str) -> bool:
        folder = path.rpartition("/")[0]
        if not reader.endswith(".go"):
            return _named(path, beside=False).search(text) is not None
        if reader.rpartition("/")[0] != folder:
            last = re.escape(folder.rpartition("/")[2])
            return bool(folder) and re.search(rf'"[^"\n]*\b{last}"', text) is not None
        own = self.text(path)
        names = {*_GO_NAME.findall(own)}
        names.update(name for group in _GO_GROUP.findall(own) for name in _GO_ROW.findall(group))
        return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)

    def has_functions(self, path: str) -> bool:
        """Whether a file does anything, and does not hold values alone."""
        return _FUNCTION.search(self._texts.get(path) or self.text(path)) is not None


def _is_text(path: str, look: Look) -> bool:
    if is_code(path):
        return not path.endswith((".jar", ".wasm", ".pyc", ".so", ".pyd", ".node"))
    name = path.rpartition("/")[2]
    return "." not in name and (look.read(path) or b"")[:2] == b"#!"


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in _MAIN and folder else stem


@lru_cache(maxsize=4096)
def _shell_word(stem: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\s/\"'=(]){re.escape(stem)}(?=[\s\"');&|]|$)", re.MULTILINE)


@lru_cache(maxsize=8192)
def _named(path: str, *, beside: bool) -> re.Pattern[str]:
    """What another text calls a file."""
    folder, _, name = path.rpartition("/")
    stem, above = re.escape(_stem(path)), folder.rpartition("/")[2]
    is_main = name.partition(".")[0] in _MAIN
    words = [rf"(?<![\w.-]){re.escape(name)}(?![\w-])"] if not is_main or not folder else []
    words.append(rf"['\"`](?:[^'\"`\n]*[/.])?{stem}/?['\"`]")
    words.append(rf"^\s*(?:from|import|use|using|open|alias|require)\b[^\n]*\b{stem}\b")
    words.append(rf"-m\s+(?:[\w.]+\.)?{stem}\b")
    if path.endswith(_BY_HEADER):
        words.append(rf"^\s*#\s*(?:include|import)\b[^\n]*[\"</]{stem}\.h")
    if path.endswith(".rs"):
        words.append(rf"\bmod\s+{stem}\b|\b{stem}::")
    if is_main and folder:
        words.append(rf"['\"`][^'\"`\n]*/{stem}/{re.escape(name)}")
        if beside:
            words.append(rf"['\"`]\./(?:{re.escape(name.partition('.')[0])})?(?:\.\w+)?['\"`]")
    if not is_code(path) and above:
        words.append(rf"['\"`/]{re.escape(above)}['\"`/]|(?:^|\s){re.escape(above)}/")
    return re.compile("|".join(words), re.MULTILINE)
