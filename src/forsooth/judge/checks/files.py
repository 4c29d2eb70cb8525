"""Looks at files alone: there, not there, enough of them, holding a text, parsing as shell.

Only the last runs anything, and that inside the judged place: a shell reads the file, no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from forsooth.core.assignment import quoted
from forsooth.core.check import Contains, FilesParams
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context, Look
from forsooth.judge.checks.found import found, last_line, outputs
from forsooth.judge.checks.globs import any_matches, matches
from forsooth.judge.checks.links import LINK, followed
from forsooth.judge.checks.process import bad_ending, missing_program

_PARSE = 'for file; do bash -n -- "$file" || status=1; done; exit "${status:-0}"'
_AT_ONCE = 500


class _Flaw(NamedTuple):
    code: str
    says: str


class _Parsed(NamedTuple):
    flaws: list[_Flaw]
    cannot: list[_Flaw]
    evidence: list[bytes]
    took: float


def run(params: FilesParams, ctx: Context) -> Finding:
    """Everything the manifest asks; all that is wrong is said at once, the first names the code."""
    flaws = [*_looked(params, ctx.look)]
    parsed = _parsed(params, ctx)
    evidence = [_seen(params, ctx.look), *parsed.evidence]
    wrong = [*flaws, *parsed.flaws] or parsed.cannot
    if not wrong:
        return found(ctx, "pass", "pass", "as asked", evidence=evidence, took=parsed.took)
    says = "; ".join(flaw.says for flaw in wrong[:3])
    more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""  # noqa: PLR2004
    outcome = "fail" if flaws or parsed.flaws else "error"
    code = wrong[0].code
    return found(ctx, outcome, code, says + more, evidence=evidence, took=parsed.took)


def _looked(params: FilesParams, look: Look) -> Iterator[_Flaw]:
    paths = look.paths()
    real = [path for path in paths if _is_there(look, path, paths)]
    for glob in (*params.expected_paths, *params.bash_syntax_check):
        there = [path for path in real if matches(glob, path)]
        if not there:
            yield _Flaw("missing", f"{quoted(glob, 120)} is not there")
        elif glob in params.expected_paths and not any(_says_something(look, p) for p in there):
            yield _Flaw("missing", f"{quoted(glob, 120)} is there and empty")
    for glob in params.forbidden_paths:
        if there := [path for path in paths if matches(glob, path)]:
            yield _Flaw("forbidden", f"{quoted(there[0], 120)} must not be there")
    least = params.min_file_count or 0
    globs = params.expected_paths or ("**",)
    count = sum(any_matches(globs, path) for path in real)
    if count < least:
        yield _Flaw("too-few", f"{count} files, expected {least} or more")
    for wanted in params.must_contain:
        yield from _lacking(wanted, real, look)


def _is_there(look: Look, path: str, paths: tuple[str, ...]) -> bool:
    """Whether a path is a file, or a link that leads to something inside the tree."""
    if look.mode(path) != LINK:
        return True
    led = followed(look, path)
    return not led.out and any(one == led.path or one.startswith(f"{led.path}/") for one in paths)


def _says_something(look: Look, path: str) -> bool:
    """Whether a file is more than a name, unless a name is all that such a file is for."""
    name = path.rpartition("/")[2]
    if name.startswith((".", "__init__.")) or name == "py.typed" or look.mode(path) == LINK:
        return True
    return bool((look.read(path) or b"").strip())


def _lacking(wanted: Contains, real: list[str], look: Look) -> Iterator[_Flaw]:
    named = [path for path in real if matches(wanted.path, path)]
    if not named:
        yield _Flaw("missing", f"{quoted(wanted.path, 120)} is not there")
        return
    text = wanted.text.encode().replace(b"\r\n", b"\n")
    for path in named:
        data = look.read(followed(look, path).path) or b""
        if text in data.replace(b"\r\n", b"\n"):
            return
    says = f"{quoted(wanted.path, 120)} does not contain “{quoted(wanted.text, 100)}”"
    yield _Flaw("lacks-text", says)


def _parsed(params: FilesParams, ctx: Context) -> _Parsed:
    done = _Parsed([], [], [], 0.0)
    names = [path for path in ctx.look.paths() if any_matches(params.bash_syntax_check, path)]
    for start in range(0, len(names), _AT_ONCE):
        done = _parse(names[start : start + _AT_ONCE], ctx, done)
    return done


def _parse(names: list[str], ctx: Context, done: _Parsed) -> _Parsed:
    argv = ("bash", "-c", _PARSE, "bash", *(f"./{name}" for name in names))
    ran = ctx.place.run(argv, seconds=ctx.seconds)
    done.evidence.extend(outputs(ran, argv))
    ending = bad_ending(ran, ctx.seconds) or missing_program(ran, argv)
    if ending:
        done.cannot.append(_Flaw(ending.code, ending.reason))
    elif ran.exit != 0:
        done.flaws.append(_Flaw("bash-syntax", f"does not parse as bash: {last_line(ran)}"))
    return done._replace(took=done.took + ran.took)


def _seen(params: FilesParams, look: Look) -> bytes:
    """The paths that were looked at, with their modes."""
    globs = (
        *params.expected_paths,
        *params.forbidden_paths,
        *params.bash_syntax_check,
        *(wanted.path for wanted in params.must_contain),
    )
    named = [path for path in look.paths() if any_matches(globs or ("**",), path)]
    lines = [f"{look.mode(path)} {quoted(path)}" for path in named]
    return ("\n".join([f"{len(named)} files", *lines]) + "\n").encode("utf-8", "replace")
