"""A hollowed file is the same language, the same shape, and does nothing."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from forsooth.judge.disbelief.bodies import bodies, hollow, language
from tests.tools import needs

CASES = {
    "one line": (b"def f(): return 1\n", b"def f(): return; return 1\n"),
    "docstring": (
        b'def f():\n    """Doc."""\n    return 1\n',
        b'def f():\n    """Doc."""\n    return; return 1\n',
    ),
    "compound": (
        b"def f(x):\r\n\tif x:\r\n\t\treturn 1\r\n",
        b"def f(x):\r\n\treturn\n\tif x:\r\n\t\treturn 1\r\n",
    ),
    "decorated": (
        b"def f():\n    @g\n    def h(): pass\n    return h\n",
        b"def f():\n    return\n    @g\n    def h(): pass\n    return h\n",
    ),
    "generator": (b"def f():\n    yield 1\n", b"def f():\n    return; yield 1\n"),
    "asynchronous": (b"async def f():\n    yield 1\n", b"async def f():\n    return; yield 1\n"),
    "accents": (
        "s = 'é'; \ndef é(): return 'é'\n".encode(),
        "s = 'é'; \ndef é(): return; return 'é'\n".encode(),
    ),
    "mark": (b"\xef\xbb\xbfdef f(): return 1\n", b"\xef\xbb\xbfdef f(): return; return 1\n"),
    "lambda": (b"f = lambda x: x\n", b"f = lambda x: (None if True else (x))\n"),
    "only a constructor": (
        b"class A:\n    def __init__(self): self.x = 1\n",
        b"class A:\n    def __init__(self): return; self.x = 1\n",
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_python_body_gets_a_bare_return_and_nothing_else_changes(kind: str):
    """Signatures, docstrings, decorators, line ends and all other bytes stay."""
    before, after = CASES[kind]
    assert hollow("a.py", None, before) == after


@pytest.mark.parametrize(
    "text",
    [
        b"X = 1\n",
        b"def f(): ...\n",
        b"def f():\n    raise NotImplementedError\n",
        b"def f(:\n",
        b"# coding: latin-1\ndef f(): return '\xe9'\n",
        b"from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\n",
    ],
)
def test_what_has_no_body_or_is_no_python_is_left_alone(text: bytes):
    """Nothing is guessed."""
    assert hollow("a.py", None, text) is None


def test_only_new_and_changed_functions_are_hollowed():
    """A function as it was is not the work; a constructor is spared beside others."""
    old = b"def a():\n    return 1\ndef b():\n    return 2\n"
    now = (
        b"def a():\n    # moved\n    return 1\ndef b():\n    return 3\n"
        b"class C:\n    def __init__(self):\n        self.x = 1\n"
        b"    def d(self):\n        return 4\n"
    )
    assert [one.name for one in bodies("a.py", old, now) or ()] == ["b", "C.__init__", "C.d"]
    got = hollow("a.py", old, now) or b""
    assert got.count(b"return; ") == 2
    assert b"return; self.x" not in got


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", b"", "python"),
        ("bin/a", b"#!/usr/bin/env python3\n", "python"),
        ("a.tsx", b"", "typescript"),
        ("a.mjs", b"", "javascript"),
        ("bin/a", b"#!/usr/bin/env node\n", "javascript"),
        ("a.go", b"", "go"),
        ("run", b"#!/bin/sh -e\n", "shell"),
        ("a.txt", b"", ""),
        ("LICENSE", b"", ""),
    ],
)
def test_a_language_is_told_by_name_or_first_line(path: str, text: bytes, name: str):
    """What is not known is not touched."""
    found = language(path, text)
    assert (found.name if found else "") == name


JAVASCRIPT = b"""#!/usr/bin/env node
'use strict';
// a comment with { and '
function plain(a) { return a + 1; }
const arrow = (a) => { return a; };
const short = (a) => a ? `x${a ? '}' : "{"}y` : /[/}]\\/{/.test(a)
const object = { method(a) { return a; }, 'quoted'() { return 1; }, get g() { return 2; },
  p: x => ({ x }) };
class A extends Object {
  constructor() { super(); this.x = 1; }
  static async *many() { yield 1; }
  #hidden() { return 3; }
  seen()
    { return this.#hidden(); }
}
if (short(1)) { plain(2); } else { for (const x of [1]) { arrow(x); } }
"""


@needs("node")
def test_javascript_functions_of_every_form_are_hollowed(tmp_path: Path):
    """It still runs, and every function gives nothing."""
    ends = (
        b"console.log([plain(1), arrow(1), short(1), object.method(1), object.quoted(), object.g,"
        b" object.p(1)].every((x) => x === undefined), new A().x);\n"
    )
    got = hollow("a.js", ends, JAVASCRIPT) or b""
    file = tmp_path / "a.js"
    file.write_bytes(got + ends)
    done = subprocess.run(["node", file], capture_output=True, text=True, check=False)
    assert done.stdout == "true 1\n", (got.decode(), done.stderr)


def test_typescript_types_are_told_from_functions():
    """An arrow in a type is no function."""
    text = (
        b"type F = (x: number) => { a: number };\n"
        b"const f = (x: number): number => { return x; };\n"
        b"export function h<T>(x: T): Promise<{ a: T }> { return g(x); }\n"
        b"let k: (a: string) => void;\n"
    )
    got = hollow("a.ts", None, text) or b""
    assert got.splitlines()[0] == text.splitlines()[0]
    assert got.splitlines()[3] == text.splitlines()[3]
    assert got.count(b" return undefined as never;") == 2


GO = b"""package a

import "strings"

type F func(int) error

func plain(s string) string { return strings.ToUpper(s) }
func many(a int) (int, []string, map[string]struct{}, func(int) error) {
\treturn a, nil, nil, nil
}
func named(a int) (n int, err error) {
\tn = a
\treturn
}
func none(a *int) { *a = 3 }
func (r *R[T]) method() interface{ M() } { return nil }
func generic[T any](t T) Box[T] { return Box[T]{t} }
func iface() interface{} { return 1 }
func init() { plain("x") }
func outside(a int) int
func after() <-chan int { return nil }
"""


def test_go_results_become_zero_values_by_their_types():
    """Named results and none need only a return; `init` and foreign bodies are left."""
    got = (hollow("a.go", None, GO) or b"").decode()
    assert "{ return *new(string); return strings" in got
    assert (
        "{ return *new(int), *new([]string), *new(map[string]struct{}), *new(func(int) error);"
        in got
    )
    assert "(n int, err error) { return;" in got
    assert "none(a *int) { return; *a = 3 }" in got
    assert "interface{ M() } { return *new(interface{ M() }); return nil }" in got
    assert "Box[T] { return *new(Box[T]);" in got
    assert 'func init() { plain("x") }' in got
    assert "func outside(a int) int\nfunc after() <-chan int { return *new(<-chan int);" in got


def test_shell_functions_return_at_once_and_documents_are_passed_over():
    """A script without functions ends at once instead."""
    text = b"#!/bin/sh\nf() {\n  echo 1\n}\nfunction g { echo 2; }\ncat <<'E'\nh() {\nE\nf\n"
    got = hollow("a.sh", None, text) or b""
    assert got == text.replace(b"f() {", b"f() { return 0;").replace(b"g {", b"g { return 0;")
    script = b"#!/bin/sh\necho 1\n"
    assert hollow("run.sh", None, script) == b"#!/bin/sh\nreturn 0 2>/dev/null || exit 0\necho 1\n"
    assert hollow("run.sh", script, script) is None


def test_real_python_files_still_parse_when_hollow():
    """The standard library, a part of it, changed against nothing."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::4]
    made = [got for file in files if (got := hollow("a.py", None, file.read_bytes()))]
    assert len(made) > 20
    for got in made:
        ast.parse(got)


@needs("gofmt")
def test_real_go_files_still_parse_when_hollow(tmp_path: Path):
    """The formatter reads them."""
    root = Path(shutil.which("gofmt") or "").resolve().parents[1] / "src"
    _parsed(sorted(root.glob("s*/*.go"))[:60], ["gofmt", "-l"], tmp_path)


@needs("bash")
def test_real_shell_files_still_parse_when_hollow(tmp_path: Path):
    """The shell reads them."""
    _parsed(sorted(Path("/usr/share").rglob("*.sh"))[:20], ["bash", "-n"], tmp_path)


def _parsed(files: list[Path], argv: list[str], place: Path) -> None:
    for file in files:
        got = hollow(file.name, None, file.read_bytes())
        here = place / file.name
        here.write_bytes(got or b"")
        if got and not subprocess.run([*argv, file], capture_output=True, check=False).returncode:
            done = subprocess.run([*argv, here], capture_output=True, text=True, check=False)
            assert done.returncode == 0, (file, done.stderr)


def test_hostile_text_is_read_without_an_exception():
    """Whatever the bytes: a hollow file, or none."""
    for path in ("a.py", "a.js", "a.ts", "a.go", "a.sh"):
        for text in (
            b"\0",
            b"{" * 5000,
            b"`${" * 300,
            b"(" * 3000,
            b"func (",
            b"=>",
            b"f() {",
            b"'",
        ):
            hollow(path, None, text)
            hollow(path, text, text + b"\nx")
    assert sys.getrecursionlimit() >= 1000
