"""Which paths of a work tree a fence's glob names, read as the judge reads it.

`*` stays in a folder, `**` crosses them, `{a,b}` is either; a plain path names all below it.
"""

from __future__ import annotations

MAGIC = frozenset("*?[{")


def matches(glob: str, path: str) -> bool:
    """Whether a glob names a path, whatever the case of its letters."""
    glob = glob.removeprefix("./").casefold()
    path = path.casefold()
    if glob.endswith("/"):
        glob += "**"
    if not MAGIC & set(glob):
        return path == glob or path.startswith(f"{glob}/")
    import re  # noqa: PLC0415  # dear, and most calls of tools have no glob to ask

    try:
        return re.fullmatch(regex(glob), path, re.DOTALL) is not None
    except re.error:
        return path == glob


def sure(glob: str) -> str:
    """The part of a glob before anything in it can vary."""
    ends = [glob.find(one) for one in MAGIC if one in glob]
    return glob[: min(ends)] if ends else glob


def regex(glob: str) -> str:
    """A glob as a regular expression, the judge's own as well."""
    from re import escape  # noqa: PLC0415

    parts: list[str] = []
    at = depth = 0
    while at < len(glob):
        char, at = glob[at], at + 1
        if char == "*" and glob.startswith("*", at):
            whole = at == 1 or glob[at - 2] == "/"
            at += 1
            if whole and glob.startswith("/", at):
                parts.append("(?:.*/)?")
                at += 1
            else:
                parts.append(".*")
        elif char == "[" and (end := glob.find("]", at + 1)) > 0:
            inside = glob[at:end]
            no = inside[:1] in ("!", "^")
            kept = (inside[1:] if no else inside).replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"(?!/)[{'^' if no else ''}{kept}]")
            at = end + 1
        elif char == "{" and "}" in glob[at:]:
            parts.append("(?:")
            depth += 1
        elif depth and char in ",}":
            parts.append("|" if char == "," else ")")
            depth -= char == "}"
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char, escape(char)))
    return "".join(parts)


def is_ignored(path: str, top: str, common: str) -> bool:
    """Whether git surely ignores a path of the work tree, by the plain lines of its lists."""
    answer = False
    for folder, file in _lists(path, top, common):
        inside = path[len(folder) :]
        for line in _lines(file):
            if _names(line.removeprefix("!"), inside):
                answer = not line.startswith("!")
    return answer


def _lists(path: str, top: str, common: str) -> list[tuple[str, str]]:
    folders = ["", *(path[: at + 1] for at, char in enumerate(path) if char == "/")]
    return [("", f"{common}/info/exclude"), *((one, f"{top}/{one}.gitignore") for one in folders)]


def _lines(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            lines = stream.read(1 << 16).split("\n")
    except OSError:
        return []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _names(line: str, path: str) -> bool:
    line = line.rstrip("/")
    parts = path.split("/")
    if "/" in line:
        line = line.removeprefix("/")
        return any(matches(line, "/".join(parts[: at + 1])) for at in range(len(parts)))
    return any(matches(line, part) for part in parts)
