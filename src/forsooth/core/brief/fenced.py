"""Fenced `criteria` and `goal` blocks: the whole form of what the sentence shapes abbreviate.

Also reads step manifests (`expected_paths`, `must_contain`, …) verbatim. It never raises: all that
is wrong with a block comes back as defects with the line in the brief.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from pydantic import Field, ValidationError

from forsooth.core import check as checks
from forsooth.core.brief.draft import Attributes, Defect, Draft, shown
from forsooth.core.brief.shapes import path_flaw
from forsooth.core.brief.yamltree import Node, Refused, read
from forsooth.core.call import runner_of
from forsooth.core.check import Check, Contains, Text, Where
from forsooth.core.flaw import words
from forsooth.core.plan import Mutant, Surface
from forsooth.core.value import Value

_ROW = (
    "- {says: the importer refuses bad rows, check: tests, with: {argv: [pytest], runner: pytest}}"
)
_MUTANT = "mutants: [{path: src/app.py, replace: 'if bad:', by: 'if False:'}]"
_EXAMPLES = {
    "command": "with: {argv: [make, lint], exits: 0}",
    "tests": "with: {argv: [pytest, -q], runner: pytest}",
    "files": "with: {expected_paths: [docs/guide.md]}",
    "commits": "with: {patterns: ['^feat']}",
    "scope": "with: {}",
    "approval": "with: {}",
}


class Row(Value):
    """One criterion in a `criteria` block."""

    says: Text
    check: Text
    params: dict[str, Any] = Field(default_factory=dict, alias="with")
    surface: Surface | None = None
    tags: tuple[Text, ...] = ()
    paths: tuple[Text, ...] = ()
    oracle: tuple[Text, ...] = ()
    guard: bool = False
    hidden: bool = False
    mutants: tuple[Mutant, ...] = ()
    where: Where = "judge"
    entry: bool = False


class Manifest(Value):
    """One step's manifest: what its files and its commit must look like."""

    expected_paths: tuple[Text, ...] = ()
    min_file_count: int = Field(default=0, ge=0)
    commit_message_pattern: str = ""
    bash_syntax_check: tuple[Text, ...] = ()
    forbidden_paths: tuple[Text, ...] = ()
    must_contain: tuple[Contains, ...] = ()
    sandbox_preflight: bool = False


class Criteria(NamedTuple):
    """What a `criteria` block holds."""

    drafts: tuple[Draft, ...]
    defects: tuple[Defect, ...]


class GoalBlock(NamedTuple):
    """What a `goal` block holds."""

    attributes: Attributes
    defects: tuple[Defect, ...]


def criteria(text: str, line: int) -> Criteria:
    """The drafts of a `criteria` block whose first line of YAML is `line`."""
    try:
        node = read(text, line)
    except Refused as refused:
        return Criteria((), (refused.defect,))
    rows = node.value if isinstance(node.value, list) else [node]
    if node.value is None or not rows:
        return Criteria((), (_defect(node, "empty-block", "This block is empty.", _ROW),))
    read_rows = [_row(row) for row in rows]
    return Criteria(
        tuple(draft for one in read_rows for draft in one.drafts),
        tuple(defect for one in read_rows for defect in one.defects),
    )


def goal(text: str, line: int) -> GoalBlock:
    """The attributes a `goal` block sets."""
    try:
        node = read(text, line)
    except Refused as refused:
        return GoalBlock(Attributes(), (refused.defect,))
    if not isinstance(node.value, dict):
        says = "A goal block is a mapping."
        return GoalBlock(Attributes(), (_defect(node, "bad-block", says, "intent: fix"),))
    try:
        attributes = Attributes.of(node.plain())
    except ValidationError as error:
        return GoalBlock(Attributes(), _invalid(node, error, keys=tuple(Attributes.model_fields)))
    flaws = [
        defect
        for key in ("touch", "never", "may_change", "may_move", "may_remove")
        for defect in _path_flaws(node, key)
    ]
    return GoalBlock(attributes, tuple(flaws))


def _row(node: Node) -> Criteria:
    if not isinstance(node.value, dict):
        says = "Each criterion in this block is a mapping with `says` and `check`."
        return Criteria((), (_defect(node, "bad-block", says, _ROW),))
    inner = node.value.get("manifest")
    if inner is not None and len(node.value) == 1:
        return _manifest(inner)
    if node.value.keys() & Manifest.model_fields.keys():
        return _manifest(node)
    return _criterion(node)


def _criterion(node: Node) -> Criteria:
    wrong = (
        *_check_flaws(node),
        *_path_flaws(node, "paths"),
        *_path_flaws(node, "oracle"),
        *_mutant_flaws(node),
    )
    try:
        row = Row.of(node.plain())
    except ValidationError as error:
        keys = ("with" if key == "params" else key for key in Row.model_fields)
        return Criteria((), (*_invalid(node, error, keys=tuple(keys)), *wrong))
    if row.where == "workspace" and not row.entry:
        says = "Only an `entry` criterion is looked at in the work tree: proof is made elsewhere."
        wrong = (*wrong, _defect(node, "bad-check", says, "entry: true"))
    if wrong:
        return Criteria((), wrong)
    check = Check.of({**_read_through(row), "where": row.where})
    same = row.model_dump(exclude={"check", "params", "where", "mutants"})
    return Criteria((Draft(line=node.line, check=check, mutants=row.mutants, **same),), ())


def _read_through(row: Row) -> dict[str, Any]:
    """A command that calls a known runner and asks only for success is read by its report."""
    kept = {key: value for key, value in row.params.items() if key != "exits"}
    is_plain = row.check == "command" and not (kept.keys() & {"stdout", "stderr"})
    runner = runner_of(kept["argv"]) if is_plain and not row.params.get("exits") else None
    if runner is None:
        return {"kind": row.check, "with": row.params}
    return {"kind": "tests", "with": {**kept, "runner": runner}}


def _check_flaws(node: Node) -> list[Defect]:
    """What is wrong with the kind and parameters, where both can be read at all."""
    data = cast("dict[str, Any]", node.plain())
    kind, params = data.get("check"), data.get("with", {})
    if not isinstance(kind, str) or not kind or not isinstance(params, dict):
        return []
    return [
        _defect(node.find(["with"]), "bad-check", f"{says}.", _EXAMPLES.get(kind, _ROW))
        for says in checks.defects(Check.of({"kind": kind, "with": params}))
    ]


def _manifest(node: Node) -> Criteria:
    try:
        manifest = Manifest.of(_with_text(node.plain()))
    except ValidationError as error:
        return Criteria((), _invalid(node, error, keys=tuple(Manifest.model_fields)))
    drafts = [
        Draft(line=node.line, says=says, check=Check.of(data), entry=entry)
        for says, data, entry in _asked(manifest)
    ]
    wrong = [
        _defect(node, "bad-check", f"{says}.", _EXAMPLES[draft.check.kind])
        for draft in drafts
        for says in checks.defects(draft.check)
    ]
    keys = ("expected_paths", "bash_syntax_check", "forbidden_paths")
    wrong += [defect for key in keys for defect in _path_flaws(node, key)]
    return Criteria((), tuple(wrong)) if wrong else Criteria(tuple(drafts), ())


def _with_text(data: Any) -> Any:
    """Step manifests call the text a file must contain its `pattern`."""
    known = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    rows = known.get("must_contain")
    if not isinstance(rows, list):
        return cast("Any", data)
    return known | {"must_contain": [_renamed(row) for row in cast("list[Any]", rows)]}


def _renamed(row: Any) -> Any:
    if not isinstance(row, dict) or "pattern" not in row or "text" in row:
        return cast("Any", row)
    pairs = cast("dict[str, Any]", row).items()
    return {("text" if key == "pattern" else key): value for key, value in pairs}


class _Asked(NamedTuple):
    says: str
    check: dict[str, Any]
    entry: bool = False


def _asked(manifest: Manifest) -> list[_Asked]:
    """The criteria a manifest stands for; what it leaves empty it does not ask."""
    found: list[_Asked] = []
    if manifest.sandbox_preflight:
        argv = ("git push --dry-run origin HEAD").split()
        check = {"kind": "command", "with": {"argv": argv}, "where": "workspace"}
        found.append(_Asked("a push from here would be accepted", check, entry=True))
    files = manifest.plain()
    pattern = files.pop("commit_message_pattern", "")
    files.pop("sandbox_preflight", None)
    if files:
        found.append(_Asked(_spoken(manifest), {"kind": "files", "with": files}))
    if pattern:
        check = {"kind": "commits", "with": {"patterns": [pattern]}}
        found.append(_Asked(f"a commit matches `{pattern}`", check))
    return found


def _spoken(manifest: Manifest) -> str:
    parts = [
        *(f"{path} exists" for path in manifest.expected_paths),
        *(f"{path} is gone" for path in manifest.forbidden_paths),
        *(f"{path} parses as bash" for path in manifest.bash_syntax_check),
        *(f'{row.path} contains "{row.text}"' for row in manifest.must_contain),
        *([f"{manifest.min_file_count} or more files"] if manifest.min_file_count else []),
    ]
    return "; ".join(parts)


def _path_flaws(node: Node, key: str) -> list[Defect]:
    listed = node.find([key])
    rows = listed.value if listed is not node and isinstance(listed.value, list) else []
    return [
        _defect(
            row, "bad-path", f"`{shown(str(row.value))}` {flaw}.", f"{key}: [src/**, tests/app.py]"
        )
        for row in rows
        if row.value and (flaw := path_flaw(str(row.value)))
    ]


def _mutant_flaws(node: Node) -> list[Defect]:
    """A change outside the repository cannot be made; one that changes nothing shows nothing."""
    listed = node.find(["mutants"])
    rows = listed.value if listed is not node and isinstance(listed.value, list) else []
    found: list[Defect] = []
    for row in rows:
        data = cast("dict[str, Any]", row.plain()) if isinstance(row.value, dict) else {}
        flaw = path_flaw(str(data.get("path") or "x"))
        if flaw:
            says = f"`{shown(str(data['path']))}` {flaw}."
            found.append(_defect(row, "bad-path", says, _MUTANT))
        if "replace" in data and data["replace"] == data.get("by"):
            says = "This change puts back what it replaces."
            found.append(_defect(row, "bad-block", says, _MUTANT))
    return found


def _invalid(node: Node, error: ValidationError, *, keys: tuple[str, ...]) -> tuple[Defect, ...]:
    return tuple(
        _defect(
            node.find(row["loc"]),
            "bad-block",
            f"`{shown('.'.join(map(str, row['loc'])))}`: {words(row)}.",
            f"the keys here are {', '.join(keys)}"
            if row["type"] == "extra_forbidden"
            else _ROW
            if "says" in keys
            else "intent: fix",
        )
        for row in error.errors()
    )


def _defect(node: Node, code: str, says: str, fix: str) -> Defect:
    return Defect(line=node.line, code=code, says=says, fix=fix)
