"""Real packages from the registries' own archives, run plainly and in the judge, test by test.

`fetch` makes a repository of a released archive; `compare` runs its suite both ways.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.tree import folder
from forsooth.judge.sandbox.tiers import Job, Limits, Mount, Sandbox
from tests.judge.environment.place import SYSTEM, search

Outcomes = dict[str, str]
UV = Path(sys.executable).parent / "uv"


class Comparison(NamedTuple):
    """One package both ways: outcomes by test id, and what each part took in seconds.

    The unsteady end otherwise in a second plain run: they tell nothing of the judge.
    """

    name: str
    recipe: Recipe
    plain: Outcomes
    judged: Outcomes
    took: Mapping[str, float]
    output: str
    unsteady: frozenset[str] = frozenset()

    @property
    def different(self) -> list[str]:
        every = {*self.plain, *self.judged}
        return sorted(name for name in every if self.plain.get(name) != self.judged.get(name))


def fetch(kind: str, name: str, into: Path) -> Path:
    """A repository made of a released archive, committed and tagged with its version."""
    into.mkdir(parents=True, exist_ok=True)
    archive = FETCHERS[kind](name, into)
    opened = into / "opened"
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as file:
            file.extractall(opened)
    else:
        with tarfile.open(archive) as file:
            file.extractall(opened, filter="data")
    root = into / "repo"
    top = opened
    while len(found := list(top.iterdir())) == 1 and found[0].is_dir():
        top = found[0]
    top.rename(root)
    for path in [*root.rglob("PKG-INFO"), *root.rglob("*.egg-info")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    commit(root, tag=_version(archive.name))
    return root


def _version(name: str) -> str:
    found = re.search(r"-v?(\d[\w.]*?)(\.tar\.gz|\.tgz|\.crate|\.zip)$", name)
    return found[1] if found else "0.0.1"


def commit(root: Path, *, tag: str = "0.0.1") -> None:
    """Make a folder a repository with one commit and a tag."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for argv in (("init", "-q"), ("add", "-Af"), (*who, "commit", "-qm", "x"), ("tag", tag)):
        subprocess.run(["git", *argv], cwd=root, check=True, capture_output=True)


def _pypi(name: str, into: Path) -> Path:
    argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*argv, "-d", into, name], check=True, capture_output=True)
    return next(path for path in into.iterdir() if path.suffix in {".gz", ".zip"})


def _npm(name: str, into: Path) -> Path:
    subprocess.run(["npm", "pack", "--silent", name], cwd=into, check=True, capture_output=True)
    return next(into.glob("*.tgz"))


def _go(name: str, into: Path) -> Path:
    argv = ["go", "mod", "download", "-json", name]
    env = {**os.environ, "GOFLAGS": "-mod=mod"}
    said = subprocess.run(argv, cwd=into, env=env, check=True, capture_output=True)
    copy = into / f"{name.rpartition('/')[2].replace('@', '-')}.zip"
    shutil.copyfile(json.loads(said.stdout)["Zip"], copy)
    return copy


def _crate(name: str, into: Path) -> Path:
    crate, _, version = name.partition("@")
    (into / "get/src").mkdir(parents=True)
    (into / "get/src/lib.rs").write_text("")
    wanted = f'[package]\nname = "get"\nversion = "0.1.0"\n[dependencies]\n{crate} = "={version}"\n'
    (into / "get/Cargo.toml").write_text(wanted)
    env = {**os.environ, "CARGO_HOME": str(into / "home")}
    subprocess.run(["cargo", "fetch", "-q"], cwd=into / "get", env=env, check=True)
    found = next((into / "home/registry/cache").rglob(f"{crate}-{version}.crate"))
    return shutil.copyfile(found, into / found.name)


FETCHERS = {"python": _pypi, "node": _npm, "go": _go, "cargo": _crate}


def compare(
    root: Path, *, cache: Path, sandbox: Sandbox, allow: tuple[str, ...] = ()
) -> Comparison:
    """Run a repository's suite in the judge's environment, then plainly where it lies."""
    recipe = detect(folder(root))
    with Layers(cache, search=search()) as layers:
        layer = layers.of(recipe, source=root, root=str(root), sandbox=sandbox, allow_scripts=allow)
        run = cache.parent / "run"
        shutil.rmtree(run, ignore_errors=True)
        (run / "out").mkdir(parents=True)
        seen = install_project(
            layers, layer, copy=root, root=str(root), into=run, sandbox=sandbox, allow=allow
        )
        argv, read = reporting(recipe, run / "out")
        path = ":".join(filter(None, (seen.env.get("PATH"), SYSTEM)))
        job = Job(
            argv,
            cwd=str(root),
            env={**seen.env, "PATH": path},
            mounts=(
                Mount(root, str(root), "overlay"),
                *seen.mounts,
                Mount(run / "out", str(run / "out"), "rw"),
            ),
            limits=Limits(seconds=1500),
        )
        with layers.filling(seen) as base:
            done = sandbox.run(job._replace(mounts=(job.mounts[0], *base.mounts, job.mounts[-1])))
        judged = read(done.stdout)
        plain, took = plainly(recipe, root, cache=cache, key=layer.key)
        again = plain
        if judged != plain:
            again, _ = plainly(recipe, root, cache=cache, key=layer.key)
        output = (done.stdout[-3000:] + done.stderr[-3000:]).decode(errors="replace") + done.why
        times = {"judged": done.took, "plain": took}
    unsteady = frozenset(name for name in plain if again.get(name, plain[name]) != plain[name])
    return Comparison(root.name, recipe, plain, judged, times, output, unsteady)


def plainly(recipe: Recipe, root: Path, *, cache: Path, key: str) -> tuple[Outcomes, float]:
    """The same suite as a developer would run it: in place, with the same versions installed."""
    env = dict(os.environ)
    if recipe.kind == "python":
        env["PATH"] = f"{_venv(root, cache / 'pins' / key, recipe)}/bin:{env['PATH']}"
    elif recipe.kind == "node":
        if (cache / "pins" / key).is_file():
            shutil.copyfile(cache / "pins" / key, root / "package-lock.json")
        npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(npm, cwd=root, check=True, capture_output=True)
        env["PATH"] = f"{root}/node_modules/.bin:{env['PATH']}"
    out = cache.parent / "plain-out"
    out.mkdir(exist_ok=True)
    argv, read = reporting(recipe, out)
    begun = time.monotonic()
    done = subprocess.run(argv, cwd=root, env=env, capture_output=True, check=False, timeout=1500)
    return read(done.stdout), time.monotonic() - begun


def _venv(root: Path, pins: Path, recipe: Recipe) -> Path:
    venv = pins.parents[2] / "plain"
    options = ["--quiet", "--python", str(venv / "bin/python")]
    subprocess.run([UV, "venv", "-q", "--clear", "--python", sys.executable, venv], check=True)
    if pins.read_text().strip():
        subprocess.run([UV, "pip", "sync", *options, pins], check=True, capture_output=True)
    if recipe.projects:
        argv = [UV, "pip", "install", *options, "--no-deps", "--reinstall", "-e", "."]
        subprocess.run(argv, cwd=root, check=True, capture_output=True)
    return venv


def reporting(recipe: Recipe, out: Path):
    """The test command with a report, and what reads outcomes from report or output."""
    argv = recipe.test_command or ("false",)
    match recipe.runner:
        case "pytest":
            report = out / "report.xml"
            return (*argv, "-p", "no:cacheprovider", f"--junitxml={report}"), lambda _: junit(
                report
            )
        case "go":
            return ("go", "test", "-json", "-count=1", *argv[2:]), go_events
        case "cargo":
            return argv, cargo_lines
        case "maven":
            return argv, surefire_lines
        case _:
            return argv, tap_lines


def junit(report: Path) -> Outcomes:
    found: Outcomes = {}
    for case in ET.parse(report).iter("testcase") if report.exists() else ():
        kinds = [child.tag for child in case if child.tag in {"failure", "error", "skipped"}]
        found[f"{case.get('classname')}::{case.get('name')}"] = kinds[0] if kinds else "passed"
    return found


def go_events(stdout: bytes) -> Outcomes:
    rows = [json.loads(line) for line in stdout.splitlines() if line.startswith(b"{")]
    done = [row for row in rows if row.get("Action") in {"pass", "fail", "skip"} and "Test" in row]
    return {f"{row['Package']}::{row['Test']}": row["Action"] for row in done}


def cargo_lines(stdout: bytes) -> Outcomes:
    return dict(re.findall(r"^test (.+?) \.\.\. (\w+)", stdout.decode(), re.MULTILINE))


def tap_lines(stdout: bytes) -> Outcomes:
    """TAP with or without numbers, and the ticks of reporters for people; times are left out."""
    found: Outcomes = {}
    for depth, ok, name in re.findall(
        r"^( *)(ok|not ok|✔|✖) (?:\d+ ?-? ?)?(.*?)(?: \([\d.]+ms\))?$",
        stdout.decode(),
        re.MULTILINE,
    ):
        place = f"{len(depth)}:{name}"
        found[f"{place}#{sum(key.startswith(place) for key in found)}"] = ok
    return found


def surefire_lines(stdout: bytes) -> Outcomes:
    lines = re.findall(r"Tests run: (\d+), Failures: (\d+)", stdout.decode())
    return {"run": lines[-1][0], "failures": lines[-1][1]} if lines else {}
