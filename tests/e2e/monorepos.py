"""Small repositories of several packages, one of each kind, that need no registry.

In each `api` uses `core`, and only the test of `api` notices what `core` puts on a label.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.e2e.place import Place

# A build backend inside each project: an editable wheel of one path, with nothing to download.
BACKEND = """\
import os, zipfile

NAME = os.path.basename(os.getcwd())


def get_requires_for_build_editable(settings=None):
    return []


def build_editable(folder, settings=None, metadata=None):
    name, info = f"mono_{NAME}-1-py3-none-any.whl", f"mono_{NAME}-1.dist-info"
    about = f"Metadata-Version: 2.1\\nName: mono-{NAME}\\nVersion: 1\\n"
    kind = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", about)
        wheel.writestr(f"{info}/WHEEL", kind)
        wheel.writestr(f"{info}/RECORD", "")
        wheel.writestr(f"mono_{NAME}.pth", os.path.join(os.getcwd(), "src") + "\\n")
    return name
"""
BUILD = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
PY_CORE = "def price(n):\n    return n * 2\n\n\ndef label(n):\n    return f'{n} EUR'\n"
PY_API = "from mono_core import label, price\n\n\ndef show(n):\n    return label(price(n))\n"
JS_HEAD = "const test = require('node:test');\nconst assert = require('node:assert');\n"
GO_TEST = 'package {0}\n\nimport "testing"\n\nfunc Test{1}(t *testing.T) {{\n\tif {2} {{\n\t\tt.Fatal()\n\t}}\n}}\n'  # fmt: skip # noqa: E501
RUST_TEST = "\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn {0}() {{\n        assert_eq!({1});\n    }}\n}}\n"  # fmt: skip # noqa: E501


class Monorepo(NamedTuple):
    """The files of a repository, what makes its lock, its packages, and what is needed for it."""

    files: Mapping[str, str]
    lock: tuple[str, ...]
    core: str
    api: str
    product: str
    test: str
    needs: str


def _py_test(package: str, name: str, line: str) -> str:
    return (
        f"import unittest\n\nfrom mono_{package} import {name}\n\n\n"
        f"class Test{package.title()}(unittest.TestCase):\n"
        f"    def test_{name}(self):\n        self.assertEqual({line})\n"
    )


def _python(head: str, source: str) -> dict[str, str]:
    def manifest(name: str, *needs: str) -> str:
        return f'[project]\nname = "mono-{name}"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = {list(needs)}\n\n{BUILD}'  # noqa: E501

    sources = f"\n[tool.uv.sources]\nmono-core = {{ {source} }}\n" if source else ""
    return {
        f"{head}core/backend.py": BACKEND,
        f"{head}core/pyproject.toml": manifest("core"),
        f"{head}core/src/mono_core/__init__.py": PY_CORE,
        f"{head}core/tests/test_core.py": _py_test("core", "price", "price(2), 4"),
        f"{head}api/backend.py": BACKEND,
        f"{head}api/pyproject.toml": manifest("api", "mono-core") + sources,
        f"{head}api/src/mono_api/__init__.py": PY_API,
        f"{head}api/tests/test_api.py": _py_test("api", "show", "show(2), '4 EUR'"),
    }


def _made(
    files: Mapping[str, str], *lock: str, head: str = "", product: str, test: str, needs: str
) -> Monorepo:
    core, api = f"{head}core", f"{head}api"
    return Monorepo(files, lock, core, api, f"{core}/{product}", f"{api}/{test}", needs)


_PY = {"product": "src/mono_core/__init__.py", "test": "tests/test_api.py", "needs": "git"}
KINDS = {
    "uv workspace": _made(
        {
            **_python("packages/", "workspace = true"),
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
        },
        *("uv", "lock", "--offline", "-q"),
        head="packages/",
        **_PY,
    ),
    "uv workspace with a project at its root": _made(
        {
            **_python("packages/", "workspace = true"),
            "pyproject.toml": (
                '[project]\nname = "mono"\nversion = "1"\nrequires-python = ">=3.11"\n'
                'dependencies = ["mono-api"]\n\n[tool.uv.workspace]\nmembers = ["packages/*"]\n\n'
                "[tool.uv.sources]\nmono-api = { workspace = true }\n"
            ),
        },
        *("uv", "lock", "--offline", "-q"),
        head="packages/",
        **_PY,
    ),
    "python by path": _made(_python("", 'path = "../core"'), **_PY),
    "python by name": _made(_python("", ""), **_PY),
    "npm workspaces": _made(
        {
            "package.json": '{"name": "mono", "private": true, "workspaces": ["packages/*"]}\n',
            ".gitignore": "node_modules\n",
            "packages/core/package.json": (
                '{"name": "@mono/core", "version": "1.0.0", "scripts": {"test": "node --test"}}\n'
            ),
            "packages/core/index.js": (
                "exports.price = (n) => n * 2;\nexports.label = (n) => `${n} EUR`;\n"
            ),
            "packages/core/core.test.js": (
                f"{JS_HEAD}const {{ price }} = require('./index.js');\n"
                "test('price doubles', () => { assert.strictEqual(price(2), 4); });\n"
            ),
            "packages/api/package.json": (
                '{"name": "@mono/api", "version": "1.0.0", "scripts": {"test": "node --test"},'
                ' "dependencies": {"@mono/core": "^1.0.0"}}\n'
            ),
            "packages/api/index.js": (
                "const { label, price } = require('@mono/core');\n"
                "exports.show = (n) => label(price(n));\n"
            ),
            "packages/api/api.test.js": (
                f"{JS_HEAD}const {{ show }} = require('./index.js');\n"
                "test('show labels', () => { assert.strictEqual(show(2), '4 EUR'); });\n"
            ),
        },
        *("npm", "install", "--offline", "--silent", "--no-audit", "--no-fund"),
        head="packages/",
        product="index.js",
        test="api.test.js",
        needs="npm",
    ),
    "go workspace": _made(
        {
            "go.work": "go 1.21\n\nuse (\n\t./core\n\t./api\n)\n",
            "core/go.mod": "module example.org/core\n\ngo 1.21\n",
            "core/core.go": (
                'package core\n\nimport "fmt"\n\nfunc Price(n int) int { return n * 2 }\n\n'
                'func Label(n int) string { return fmt.Sprintf("%d EUR", n) }\n'
            ),
            "core/core_test.go": GO_TEST.format("core", "Price", "Price(2) != 4"),
            "api/go.mod": "module example.org/api\n\ngo 1.21\n",
            "api/api.go": (
                'package api\n\nimport "example.org/core"\n\n'
                "func Show(n int) string { return core.Label(core.Price(n)) }\n"
            ),
            "api/api_test.go": GO_TEST.format("api", "Show", 'Show(2) != "4 EUR"'),
        },
        product="core.go",
        test="api_test.go",
        needs="go",
    ),
    "cargo workspace": _made(
        {
            "Cargo.toml": '[workspace]\nmembers = ["core", "api"]\nresolver = "2"\n',
            ".gitignore": "target\n",
            "core/Cargo.toml": (
                '[package]\nname = "mono_core"\nversion = "0.1.0"\nedition = "2021"\n'
            ),
            "core/src/lib.rs": (
                "pub fn price(n: i32) -> i32 {\n    n * 2\n}\n\n"
                'pub fn label(n: i32) -> String {\n    format!("{} EUR", n)\n}\n'
                + RUST_TEST.format("price_doubles", "super::price(2), 4")
            ),
            "api/Cargo.toml": (
                '[package]\nname = "mono_api"\nversion = "0.1.0"\nedition = "2021"\n\n'
                '[dependencies]\nmono_core = { path = "../core" }\n'
            ),
            "api/src/lib.rs": (
                "pub fn show(n: i32) -> String {\n    mono_core::label(mono_core::price(n))\n}\n"
                + RUST_TEST.format("show_labels", 'super::show(2), "4 EUR"')
            ),
        },
        *("cargo", "generate-lockfile", "--offline", "-q"),
        product="src/lib.rs",
        test="src/lib.rs",
        needs="cargo",
    ),
}


def make(place: Place, kind: str) -> Monorepo:
    """Commit a repository of a kind, with its lock, and begin a branch."""
    repo = KINDS[kind]
    for name, text in repo.files.items():
        place.write(name, text)
    for name in (".rustup", ".cargo"):
        if (Path.home() / name).exists():
            (place.home / name).symlink_to(Path.home() / name)
    if repo.lock:
        path = shutil.which(repo.lock[0]) or repo.lock[0]
        subprocess.run([path, *repo.lock[1:]], cwd=place.folder, check=True, capture_output=True)
    place.git("add", "-A")
    place.git("commit", "-qm", kind)
    place.git("checkout", "-q", "-b", "work")
    place.run("trust", "--yes")
    return repo
