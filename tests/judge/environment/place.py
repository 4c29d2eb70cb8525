"""Where environments are tried: a cache, a search path, a sandbox, and small projects."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.toolchain import Search, Tool, tool
from forsooth.judge.sandbox import runner
from forsooth.judge.sandbox.tiers import Done, Job, Mount, Sandbox

SYSTEM = "/usr/local/bin:/usr/bin:/bin"

# A build backend inside the project: it needs no registry, and its wheel is what a test wants.
BACKEND = """
import os, zipfile
NAME, VERSION = "shop", "1.0"

def get_requires_for_build_editable(settings=None):
    return []

def build_editable(folder, settings=None, metadata=None):
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    info = f"{NAME}-{VERSION}.dist-info"
    files = {f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {NAME}\\nVersion: {VERSION}\\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
             f"{info}/entry_points.txt": "[console_scripts]\\nshop = shop:main\\n",
             f"{info}/RECORD": "", f"{NAME}.pth": os.path.join(os.getcwd(), "src") + "\\n"}
    files.update(EXTRA)
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, body in files.items():
            archive.writestr(path, body)
    open("src/shop/_version.py", "w").write("version = 'built'\\n")
    open("tests/test_shop.py", "a").write("\\n# changed by the build\\n")
    return name

EXTRA = {}
"""
MANIFEST = """
[project]
name = "shop"
version = "1.0"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""


def search(path: str = "", home: Path | None = None) -> Search:
    return Search(path or os.environ["PATH"], home or Path.home(), runner.answer)


def layers(folder: Path, **options) -> Layers:
    return Layers(folder, search=search(), **options)


def python() -> Tool:
    wanted = f"=={sys.version_info[0]}.{sys.version_info[1]}.*"
    return tool("python", search(), wanted=wanted)


def project(root: Path, *, extra: str = "{}", backend: str = BACKEND) -> Path:
    files = {
        "pyproject.toml": MANIFEST,
        "backend.py": backend.replace("EXTRA = {}", f"EXTRA = {extra}"),
        "src/shop/__init__.py": "def main():\n    print('shop', __file__)\n",
        "tests/test_shop.py": "def test(): pass\n",
    }
    for name, body in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(body)
    return root


def wheel(folder: Path, files: dict[str, str], name: str = "shop-1.0-py3-none-any.whl") -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, body in files.items():
            archive.writestr(path, body)
    return folder / name


def ran(sandbox: Sandbox, layer, argv: tuple[str, ...], *, copy: Path, root: str) -> Done:
    """Run a command as a check would be: the copy at the repository's path, the layer around it."""
    path = ":".join(filter(None, (layer.env.get("PATH"), SYSTEM)))
    mounts = (Mount(copy, root, "overlay"), *layer.mounts)
    env = {**layer.env, "PATH": path}
    return sandbox.run(Job(argv, cwd=root, env=env, mounts=mounts))
