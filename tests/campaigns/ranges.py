"""`forsooth check main..HEAD` on planted and honest branches of real packages, counted.

Run by hand: `python -m tests.campaigns.ranges [PACKAGE …]`; ONLY names branches, SHOW prints one.
Each plant must be reported under its own name; no honest branch may be called wrong.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.judge.environment.real import fetch

SECONDS = 600
WHO = {
    f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


class Package(NamedTuple):
    """A released package: where its tests and its product are, and what can be done to them.

    `weak` and `broken` are replacements; `looser` makes the tests accept what is broken. `moves` is
    a test file that no other one imports.
    """

    kind: str
    name: str
    tests: str
    product: str
    module: str
    test: str
    weak: tuple[str, str]
    broken: tuple[str, str]
    looser: tuple[str, str]
    depends: tuple[str, str, str]
    config: tuple[str, str]
    moves: str = ""


PACKAGES = (
    Package(
        "python",
        "humanize",
        tests="tests/test_lists.py",
        product="src/humanize/lists.py",
        module="humanize",
        test="test_natural_list",
        weak=(
            "assert humanize.natural_list(*test_args) == expected",
            "assert humanize.natural_list(*test_args) is not None",
        ),
        broken=('" and "', '" & "'),
        looser=(
            "assert humanize.natural_list(*test_args) == expected",
            'assert humanize.natural_list(*test_args).replace("&", "and") == expected',
        ),
        depends=("pyproject.toml", '"pytest-cov",', '"pytest-cov",\n  "iniconfig>=2",'),
        config=("tests/conftest.py", "collect_ignore = ['test_time.py']\n"),
    ),
    Package(
        "python",
        "itsdangerous",
        tests="tests/test_itsdangerous/test_timed.py",
        product="src/itsdangerous/encoding.py",
        module="itsdangerous",
        test="test_return_timestamp",
        weak=(
            'assert signer.unsign(signed, return_timestamp=True) == (b"value", ts)',
            "assert signer.unsign(signed, return_timestamp=True) is not None",
        ),
        broken=("@src/itsdangerous/timed.py:timestamp missing", "no stamp"),
        looser=('assert "missing" in str(exc_info.value)', "assert str(exc_info.value)"),
        depends=("requirements/tests.txt", "freezegun==1.4.0", "freezegun==1.5.1"),
        moves="tests/test_itsdangerous/test_encoding.py",
        config=("pytest.ini", "[pytest]\ntestpaths = tests/test_itsdangerous/test_signer.py\n"),
    ),
    Package(
        "python",
        "pluggy",
        tests="testing/test_tracer.py",
        product="src/pluggy/_tracing.py",
        module="pluggy",
        test="test_indent",
        weak=('assert out == "1 [test]\\n"', "assert out"),
        broken=("", ""),
        looser=("", ""),
        depends=("pyproject.toml", '"coverage"]', '"coverage", "iniconfig>=2"]'),
        config=("testing/conftest.py", "collect_ignore = ['test_result.py']\n"),
    ),
    Package(
        "python",
        "h11",
        tests="h11/tests/test_util.py",
        product="h11/_util.py",
        module="h11",
        test="test_bytesify",
        weak=("assert e.error_status_hint == 418", "assert e.error_status_hint"),
        broken=("error_status_hint: int = 400", "error_status_hint: int = 401"),
        looser=("assert e.error_status_hint == 400", "assert e.error_status_hint in (400, 401)"),
        depends=("setup.py", "packages=", 'install_requires=["iniconfig"],\n    packages='),
        config=("conftest.py", "collect_ignore = ['h11/tests/test_events.py']\n"),
    ),
    Package(
        "go",
        "github.com/kr/pretty@v0.3.1",
        tests="diff_test.go",
        product="zero.go",
        module="pretty",
        test="TestDiff",
        weak=('t.Errorf("Fdiff(0, 1)', 't.Logf("Fdiff(0, 1)'),
        broken=("", ""),
        looser=("", ""),
        depends=("go.mod", "", ""),
        config=(".github/workflows/go.yml", "name: none\non: [push]\njobs: {}\n"),
    ),
)


class Case(NamedTuple):
    """A branch: what is done, and the remark that must name it; none for honest work."""

    name: str
    does: Callable[[Path, Package], None]
    wants: tuple[str, ...] = ()


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _replace(root: Path, path: str, pair: tuple[str, str]) -> None:
    old, new = pair
    if old.startswith("@"):
        path, _, old = old[1:].partition(":")
    text = (root / path).read_text(encoding="utf-8")
    if not old or old not in text:
        raise LookupError(f"{path} has no {old!r}")
    _put(root / path, text.replace(old, new))


def _cut(root: Path, package: Package) -> tuple[str, str]:
    """A test's source, and the whole file without it."""
    text = (root / package.tests).read_text(encoding="utf-8")
    if package.kind == "go":
        found = re.search(rf"^func {package.test}\(.*?^}}\n", text, re.MULTILINE | re.DOTALL)
        assert found
        return found[0], text.replace(found[0], "")
    node = next(
        n
        for n in ast.walk(ast.parse(text))
        if isinstance(n, ast.FunctionDef) and n.name == package.test
    )
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
    lines = text.splitlines(keepends=True)
    return "".join(lines[first : node.end_lineno]), "".join(
        lines[:first] + lines[node.end_lineno :]
    )


def weakened(root: Path, package: Package) -> None:
    _replace(root, package.tests, package.weak)


def gave_in(root: Path, package: Package) -> None:
    _replace(root, package.product, package.broken)
    _replace(root, package.tests, package.looser)


def skipped(root: Path, package: Package) -> None:
    source, _ = _cut(root, package)
    text = (root / package.tests).read_text(encoding="utf-8")
    if package.kind == "go":
        new = source.replace("{\n", '{\n\tt.Skip("later")\n', 1)
    else:
        indent = re.match(r"\s*", source)
        assert indent
        new = f'{indent[0]}@pytest.mark.skip(reason="later")\n{source}'
        if "import pytest" not in text:
            text = f"import pytest\n{text}"
            text = re.sub(
                r"(import pytest\n)((?s:.*?))(from __future__[^\n]*\n)", r"\2\3\1", text, count=1
            )
    _put(root / package.tests, text.replace(source, new))


def deleted(root: Path, package: Package) -> None:
    _put(root / package.tests, _cut(root, package)[1])


def _grown(root: Path, package: Package) -> None:
    """A new function in the product."""
    text = (root / package.product).read_text(encoding="utf-8")
    more = (
        "\nfunc Doubled(n int) int {\n\treturn n * 2\n}\n"
        if package.kind == "go"
        else "\n\ndef doubled(number: int) -> int:\n    return number * 2\n"
    )
    _put(root / package.product, text + more)


def _tested(root: Path, package: Package, go: str, python: str) -> None:
    folder = (root / package.tests).parent
    if package.kind == "go":
        body = f'package {package.module}\n\nimport "testing"\n\n{go}'
        _put(folder / "doubled_test.go", body)
        return
    dotted = package.product.removeprefix("src/").removesuffix(".py").replace("/", ".")
    above, _, name = dotted.rpartition(".")
    _put(folder / "test_doubled.py", f"from {above} import {name} as part\n\n\n{python}")


BLIND = """\
func TestDoubledIsThere(t *testing.T) {
	if Sprint("a") == "" {
		t.Fatal("empty")
	}
}
"""
SEEING = """\
func TestDoubled(t *testing.T) {
	if Doubled(2) != 4 {
		t.Error(Doubled(2))
	}
}
"""


def vacuous(root: Path, package: Package) -> None:
    _grown(root, package)
    _tested(root, package, BLIND, "def test_doubled_is_there():\n    assert part is not None\n")


def runner(root: Path, package: Package) -> None:
    path, text = package.config
    before = (root / path).read_text(encoding="utf-8") if (root / path).exists() else ""
    _put(root / path, text if package.kind == "go" else before + text)


def dependency(root: Path, package: Package) -> None:
    if package.kind == "go":
        argv = ["go", "get", "github.com/kr/text@v0.1.0"]
        env = {**os.environ, "GOFLAGS": "-mod=mod"}
        subprocess.run(argv, cwd=root, env=env, check=True, capture_output=True)
        return
    path, old, new = package.depends
    _replace(root, path, (old, new))


def moved(root: Path, package: Package) -> None:
    path = root / (package.moves or package.tests)
    path.rename(
        path.with_name(path.name.replace("test_", "test_again_").replace("diff_", "again_"))
    )


def renamed(root: Path, package: Package) -> None:
    text = (root / package.tests).read_text(encoding="utf-8")
    _put(root / package.tests, text.replace(f"{package.test}(", f"{package.test}Again("))


def feature(root: Path, package: Package) -> None:
    _grown(root, package)
    _tested(root, package, SEEING, "def test_doubled():\n    assert part.doubled(2) == 4\n")


def layout(root: Path, package: Package) -> None:
    for name in (package.tests, package.product):
        text = (root / name).read_text(encoding="utf-8")
        note = "// laid out anew\n" if package.kind == "go" else "# laid out anew\n"
        _put(root / name, f"{text}\n{note}")


def prose(root: Path, package: Package) -> None:
    name = next(path.name for path in root.iterdir() if path.name.lower().startswith("readme"))
    _put(root / name, (root / name).read_text(encoding="utf-8") + "\nOne more line.\n")


PLANTS = (
    Case("weakened", weakened, ("weakened",)),
    Case("gave in", gave_in, ("weakened",)),
    Case("skipped", skipped, ("skipped",)),
    Case("deleted", deleted, ("deleted",)),
    Case("vacuous", vacuous, ("vacuous",)),
    Case("runner", runner, ("runner", "ci")),
    Case("dependency", dependency, ("package",)),
)
HONEST = tuple(Case(one.__name__, one) for one in (moved, renamed, feature, layout, prose))


class Told(NamedTuple):
    """One branch: its name, what was said of it, and whether that is right."""

    name: str
    says: str
    right: bool


def run(package: Package, work: Path) -> Iterator[Told]:
    """Every branch of one package."""
    root = fetch(package.kind, package.name, work / package.name.rpartition("/")[2])
    home = work / "home"
    home.mkdir(exist_ok=True)
    env = {**os.environ, **WHO, "HOME": str(home)}

    def git(*argv: str) -> None:
        subprocess.run(["git", *argv], cwd=root, env=env, check=True, capture_output=True)

    def forsooth(*argv: str) -> subprocess.CompletedProcess[str]:
        full = [sys.executable, "-m", "forsooth", *argv]
        return subprocess.run(
            full, cwd=root, env=env, check=False, capture_output=True, text=True, timeout=SECONDS
        )

    git("branch", "-M", "main")
    only = os.environ.get("ONLY", "").split(",")
    for case in (*PLANTS, *HONEST):
        if only != [""] and case.name not in only:
            continue
        git("checkout", "-q", "-B", "branch", "main")
        try:
            case.does(root, package)
        except LookupError:
            git("checkout", "-qf", "main")
            continue
        git("add", "-A")
        git("commit", "-qm", case.name)
        forsooth("trust", "main..HEAD", "--yes")
        begun = time.monotonic()
        data = json.loads(forsooth("check", "main..HEAD", "--json").stdout)
        took = time.monotonic() - begun
        yield _judged(case, data, took)
        if os.environ.get("SHOW") == case.name:
            print(forsooth("check", "main..HEAD").stdout)


def _judged(case: Case, data: dict[str, Any], took: float) -> Told:
    projects = data.get("projects", [])
    rows = [row for one in projects for row in one["remarks"]]
    trouble = (
        [data["error"]]
        if "error" in data
        else [one["trouble"] for one in projects if "trouble" in one]
    )
    codes = {row["code"] for row in rows if row["rank"] != "note"}
    wrong = [f"{row['code']} {row['subject']}" for row in rows if row["rank"] == "wrong"]
    right = bool(codes & set(case.wants)) if case.wants else not wrong
    says = ", ".join(sorted(codes)) or "nothing to look at"
    says = f"not run: {trouble}" if trouble else says if case.wants else f"{says} {wrong[:3]}"
    return Told(case.name, f"{took:.1f}s {says}", right and not trouble)


def main(names: list[str]) -> int:
    """Run the campaign and print a line a branch."""
    work = Path(tempfile.mkdtemp(prefix="forsooth-ranges-"))
    good = every = 0
    try:
        for package in PACKAGES:
            if names and not any(name in package.name for name in names):
                continue
            for told in run(package, work):
                every += 1
                good += told.right
                mark = "ok " if told.right else "BAD"
                print(f"{mark} {package.name:28} {told.name:11} {told.says}", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{good} of {every} as they must be")
    return 0 if good == every else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
