"""The shape a refused sentence was probably meant as, in its author's own words.

What it offers is only ever shown: nothing here decides what a brief means.
"""

from __future__ import annotations

import re
import shlex
from difflib import get_close_matches
from typing import NamedTuple

from forsooth.core.brief.shell import PROGRAMS

ARROWS = ("→", "->", "=>", "⇒")
_ENOUGH = 300

_SPAN = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r'["“]([^"“”]+)["”]')
_WORD = re.compile(r"[^\s,;:`\"“”()]+")
_PATHLIKE = re.compile(r"(?:[\w.*-]+/)+[\w.*-]*|[\w*-]+\.[A-Za-z]\w{0,4}")
_CALL = re.compile(
    r"(?:[^()]*:\s+)?(?P<name>[A-Za-z_][\w.]*)\((?P<given>.*)\)\s+"
    r"(?:returns|gives|yields|equals|is|==|→|->|=>)\s+(?P<result>\S.*)"
)
_ARROW = re.compile(rf"\s+(?:{'|'.join(map(re.escape, ARROWS))})\s+(?:expect\w*:?\s+)?")
_TOLD = frozenset("documented described explained mentioned covered".split())
_TASTE = frozenset(
    "appropriate attractive beautiful better clean clear clearly consistent correctly easy elegant "
    "fast feel feels friendly good great idiomatic intuitive looks maintainable modern neat nice "
    "nicely polished pretty professional properly quality readable reasonable robust sensible "
    "simple smooth stable understandable usable well".split()
)


class Near(NamedTuple):
    """The nearest shape's name, a sentence of that shape, and whether only a person can judge."""

    name: str
    shape: str
    subjective: bool = False


def nearest(sentence: str) -> Near:
    """The nearest shape to a sentence that has none."""
    text = " ".join(sentence[:_ENOUGH].split())
    words = [word.strip(".").casefold() for word in _WORD.findall(text)]
    known = set(words)
    span = _SPAN.search(text)
    path = next((word for word in _WORD.findall(text) if _PATHLIKE.fullmatch(word)), "")
    if span and not _PATHLIKE.fullmatch(span[1]):
        return _command(text, span, known)
    return (
        _call(text)
        or _arrow(text)
        or _clean(known)
        or _process(known, path)
        or _file(text, known, path or (span[1] if span else ""))
        or _program(text, words)
        or (None if known & _TASTE else _similar(text))
        or Near("a person agrees: TEXT", f"a person agrees: {_plain(text)}", subjective=True)
    )


def _call(text: str) -> Near | None:
    """A call and what it returns, as a command that prints it."""
    found = _CALL.fullmatch(text.rstrip("."))
    if found is None:
        return None
    module, _, name = found["name"].rpartition(".")
    quoted = _QUOTED.fullmatch(found["result"])
    result = quoted[1] if quoted else found["result"].strip("`'")
    code = f"from {module or 'MODULE'} import {name}; print({name}({found['given']}))"
    shape = f'{name}: `python3 -c {shlex.quote(code)}` stdout is "{result}"'
    return Near('label: `command` stdout is "text"', shape)


def _arrow(text: str) -> Near | None:
    """A command without backticks, an arrow, and what it should print."""
    command, *rest = _ARROW.split(text, maxsplit=1)
    program = command.split(": ")[-1]
    if not rest or program.split(" ")[0] not in PROGRAMS:
        return None
    shape = f'`{_balanced(program)}` stdout has "{_balanced(rest[0])}"'
    return Near('label: `command` stdout has "text"', shape)


def _clean(known: set[str]) -> Near | None:
    if not known & {"uncommitted", "unstaged"} and not known >= {"status", "clean"}:
        return None
    shape = 'nothing is left uncommitted: `git status --porcelain` stdout is ""'
    return Near('label: `command` stdout is "text"', shape)


def _plain(text: str) -> str:
    return text.rstrip(".") or "it reads well"


def _command(text: str, span: re.Match[str], known: set[str]) -> Near:
    label = text[: span.start()].strip().rstrip(":").strip()
    label = f"{label}: " if label and '"' not in label and "`" not in label else ""
    fails = known & {
        "exit",
        "exits",
        "fail",
        "fails",
        "error",
        "errors",
        "nonzero",
        "non-zero",
        "rejects",
    }
    number = next((word for word in sorted(known) if word.isascii() and word.isdigit()), "")
    expects = f" exits {min(int(number[:3] or 1), 255)}" if fails or number else ""
    quoted = _QUOTED.search(text, span.end())
    if quoted and known & {"prints", "outputs", "shows", "says", "output", "stdout", "stderr"}:
        stream = "stderr" if "stderr" in known else "stdout"
        joint = "," if expects else ""
        expects += f'{joint} {stream} has "{quoted[1].rstrip(chr(92))}"'
    name = "label: `command` exits N" if expects else "label: `command`"
    return Near(name, f"{label}`{span[1]}`{expects}")


def _process(known: set[str], path: str) -> Near | None:
    if known & {"commit", "commits"}:
        return Near('commits match "regex"', 'commits match "^feat"')
    if known & {"green", "still", "keep", "keeps", "regressions"} and known & {
        *("green", "pass", "passes", "passing", "test", "tests", "suite", "working", "regressions")
    }:
        return Near("stays green: `command`", "stays green: `pytest -q`")
    if "only" in known and known & {"change", "changes", "changed", "edit", "touch", "modify"}:
        return Near("only GLOB change", f"only {path or 'src/**'} change")
    if known & {"never", "not", "don't", "untouched", "unchanged"} and known & {
        *("touch", "touched", "change", "changes", "changed", "edit", "modify", "modified"),
        *("untouched", "unchanged"),
    }:
        return Near("never touch GLOB", f"never touch {path or 'migrations/**'}")
    return None


def _file(text: str, known: set[str], path: str) -> Near | None:
    if not path:
        return None
    if known & {"deleted", "gone", "removed", "remove", "delete", "absent", "not"}:
        return Near("PATH is gone", f"{path} is gone")
    if known & {"syntax", "parses", "bash", "shell"}:
        return Near("PATH parses as bash", f"{path} parses as bash")
    if known & {"contains", "contain", "mentions", "mention", "includes", "has", "says", "lists"}:
        quoted = _QUOTED.search(text)
        return Near('PATH contains "text"', f'{path} contains "{quoted[1] if quoted else "text"}"')
    if path.endswith("/") or known & _TOLD:
        page = f"{path}PAGE.md" if path.endswith("/") else path
        quoted = _QUOTED.search(text)
        return Near('PATH contains "text"', f'{page} contains "{quoted[1] if quoted else "TEXT"}"')
    return Near("PATH exists", f"{path} exists")


def _program(text: str, words: list[str]) -> Near | None:
    if words and words[0] in PROGRAMS and len(words) > 1 and text.split(maxsplit=1)[0].islower():
        return Near("label: `command`", f"`{_balanced(text)}`")
    if set(words) & {"tests", "test", "suite", "pass", "passes", "build", "builds", "lint"}:
        return Near("label: `command`", f"{_label(text)}: `pytest -q`")
    return None


def _label(text: str) -> str:
    return re.sub(r"[`\"“”]", "", text.rstrip(".:")).strip() or "tests"


def _balanced(text: str) -> str:
    return re.sub(r"[`'\"]", "", text.rstrip("."))


_EXAMPLES = {
    "docs/guide.md exists": "PATH exists",
    "docs/old.md is gone": "PATH is gone",
    "only src/** and tests/** change": "only GLOB change",
    "never touch migrations/**": "never touch GLOB",
    "run.sh parses as bash": "PATH parses as bash",
    "a commit matches `^feat`": 'commits match "regex"',
}


def _similar(text: str) -> Near | None:
    found = get_close_matches(text.casefold(), _EXAMPLES, n=1, cutoff=0.6)
    return Near(_EXAMPLES[found[0]], found[0]) if found else None
