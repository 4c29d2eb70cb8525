"""What a reviewer would otherwise repeat: size, names, docstrings, homes, and clean text."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "forsooth"

FILE_LINES = 500
FUNCTION_LINES = 80

VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "shared"}
# Class names with two meanings. Take a name out when its second class is renamed; add none.
AMBIGUOUS = set(
    """
    Again Answer Approval Asked Attest Base Block Body Change Claim Cost Criterion Done Edit
    Entry Event Flaw Found Function Goal Group Held Home Host How Integrate Judge Kept
    Language Late Layers Line Look Looking Loss Manifest Mutant Open Outcome Pair Part
    Pause Piece Place Plan Problem Project Proof Proving Put Ran Read Reader Reading Receipt
    Recipe Record Refusal Refused Report Row Script Seal Sealed Seen Settings Shape Snapshot
    Source Split Spot Stamp State Step Taken Token Told Tool Touched Tree Turn Walk Wanted
    Watch Work Wrong
    """.split()
)
INHERITED = {"get_command"}  # click asks for this name
SKIPPING = {  # besides the helper: what no installation changes
    "tools.py",
    "cli/test_ownership.py",  # only root can give files away
    "cli/test_readonly.py",
    "e2e/test_consent.py",  # what may be mounted here
    "hooks/test_holding.py",  # what the kernel tells of locks
    "hooks/test_ownership.py",
    "judge/environment/test_real.py",  # on request
    "test_conventions.py",  # a source archive has no git
}
PROCESS_HOMES = (
    "git/",
    "judge/sandbox/runner.py",
    "agents/",
    "receipts/ssh.py",
    "testing/",
)
AMBIENT = {  # what is read from around the program, and the only places that may
    r"time\.(time|time_ns|localtime|gmtime|ctime|strftime)": ("project/", "cli/", "hooks/"),
    r"(datetime\.)?(datetime|date)\.(now|utcnow|today)": ("project/", "cli/", "hooks/"),
    r"time\.sleep": ("loop/",),
    # a probe runs in the judged interpreter, and takes its own variable out of there
    r"os\.(environb?|getenvb?)": (
        "__main__.py",
        "project/",
        "cli/",
        "hooks/",
        "judge/checks/recipes/probes/",
    ),
}

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def _modules() -> dict[str, ast.Module]:
    """Parse every module of the package, by its path inside it."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def _functions() -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (name, node)
        for name, tree in _modules().items()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS)
    ]


def _imports(tree: ast.Module) -> set[str]:
    """Name every module imported anywhere in a file, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _attributes(tree: ast.Module) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@cache
def _texts() -> dict[str, str]:
    """Read every file that is, or would be, in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    paths = [ROOT / name for name in listed.split("\0") if name]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8", errors="replace")
        for path in paths
        if path.is_file()
    }


def _lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in _texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_is_longer_than_a_reader_can_hold():
    """A module past the limit is two modules."""
    lengths = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > FILE_LINES} == {}


def test_no_function_is_longer_than_a_screen():
    """A function past the limit has steps that want names."""
    lengths = {
        f"{name}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for name, node in _functions()
    }
    assert {name: n for name, n in lengths.items() if n > FUNCTION_LINES} == {}


def test_every_module_opens_with_a_docstring():
    """It says why the module exists and what it must not do, as long as that takes."""
    assert [name for name, tree in _modules().items() if not ast.get_docstring(tree)] == []


def test_every_class_name_means_one_thing():
    """Two meanings are two names; the list of exceptions only becomes shorter."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, tree in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(name)
    twice = {name: where for name, where in homes.items() if len(where) > 1}
    added = {name: where for name, where in twice.items() if name not in AMBIGUOUS}
    assert added == {}, "name the new class differently"
    assert AMBIGUOUS - twice.keys() == set(), "unique now: take these out of AMBIGUOUS"


def test_no_module_has_a_vague_name():
    """A line of code lives where its subject lives, so there is no `utils`."""
    parts = {(name, part) for name in _modules() for part in Path(name).with_suffix("").parts}
    assert [name for name, part in parts if part.strip("_") in VAGUE] == []


def test_no_function_is_called_get():
    """A value is named for what it is, and IO for its effect."""
    wrong = [
        f"{name}:{node.name}"
        for name, node in _functions()
        if re.match(r"_*get_", node.name)
        and not node.name.startswith("__")
        and node.name not in INHERITED
    ]
    assert wrong == []


def test_every_test_says_its_sentence():
    """The name is the behaviour; the docstring is the sentence a reader quotes."""
    silent = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, FUNCTIONS)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_a_missing_tool_is_decided_in_one_place():
    """A skip that CI cannot turn into a failure hides that something is never tested."""
    skips = re.compile(r"^[^\"'#]*\bpytest\.(skip\(|mark\.skipif\(|importorskip\()", re.MULTILINE)
    found = {
        path.relative_to(ROOT / "tests").as_posix()
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if skips.search(path.read_text("utf-8"))
    }
    assert found == SKIPPING


def test_processes_are_started_only_in_their_homes():
    """Judged code, agents and git each have one place that starts them."""
    wrong = [
        name
        for name, tree in _modules().items()
        if {"subprocess", "pty", "multiprocessing"} & _imports(tree)
        and not name.startswith(PROCESS_HOMES)
    ]
    assert wrong == []


def test_clock_and_environment_are_read_only_in_their_homes():
    """Everything else takes time and settings as arguments, so it gives the same answer twice."""
    wrong = [
        f"{name}: {used}"
        for name, tree in _modules().items()
        for used in sorted(_imports(tree) | _attributes(tree))
        for pattern, homes in AMBIENT.items()
        if re.fullmatch(pattern, used) and not name.startswith(homes)
    ]
    assert wrong == []


def test_git_is_run_only_from_the_git_package():
    """An argv that begins with git anywhere else would run with a repository's own settings."""
    wrong = [
        f"{name}:{node.lineno}"
        for name, tree in _modules().items()
        if not name.startswith("git/")
        for node in ast.walk(tree)
        if isinstance(node, ast.List)
        and node.elts
        and isinstance(node.elts[0], ast.Constant)
        and node.elts[0].value == "git"
    ]
    assert wrong == []


def test_hooks_use_the_standard_library_alone():
    """A hook runs on every prompt, so it may not pay for anything it does not need."""
    wrong = {
        name: sorted(foreign)
        for name, tree in _modules().items()
        if name.startswith("hooks/")
        and (
            foreign := {
                module
                for module in _imports(tree)
                if module.partition(".")[0] not in sys.stdlib_module_names
                and not (module + ".").startswith("forsooth.hooks.")
            }
        )
    }
    assert wrong == {}


def test_no_file_names_a_package_registry():
    """Where packages come from is the installer's setting, never ours."""
    hosts = ["py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com"]
    hosts += ["crates" + ".io", "proxy.golang" + ".org", "rubygems" + ".org"]
    assert _lines_with(re.compile("|".join(map(re.escape, hosts)))) == []


def test_lock_files_hold_versions_and_hashes_only():
    """No index, no address and no path: a lock means the same on every machine."""
    line = re.compile(r"[A-Za-z0-9._-]+==[^ ]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    locks = [ROOT / "requirements" / name for name in ("dev.txt", "runtime.txt")]
    wrong = [
        text for lock in locks for text in lock.read_text().splitlines() if not line.fullmatch(text)
    ]
    assert wrong == []


def test_no_file_holds_the_path_of_one_machine():
    """A path under somebody's home helps nobody else."""
    homes = "|".join(["root", "work", "home" + "/[a-z]+", "Users" + "/[a-z]+"])
    assert _lines_with(re.compile(rf"(?<![\w.~*)}}/-])/({homes})/")) == []
