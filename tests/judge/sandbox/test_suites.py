"""Real runners inside the strict sandbox, filter and limits on: Node, the JVM, Go, a browser.

Each is skipped where its tools are missing; nothing of the judged run itself uses the network.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from forsooth.judge.sandbox.job import GIB, Done, Job, Limits, Mount
from tests.judge.conftest import strict_here
from tests.judge.sandbox.account import doing, uid_of
from tests.tools import absent, needs

LIMITS = Limits(seconds=110, memory=3 * GIB)


def owned(folder: Path, account: str) -> Path:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account), follow_symlinks=False)
    return folder


def run(folder: Path, account: str, *argv: str, mounts: tuple[Mount, ...] = (), **more) -> Done:
    shown = (Mount(owned(folder, account), "/srv/repo", "overlay"), *mounts)
    job = Job(argv, "/srv/repo", mounts=shown, **({"limits": LIMITS} | more))
    return doing(account, lambda: strict_here().run(job))


@pytest.fixture(autouse=True)
def installed(request: pytest.FixtureRequest) -> None:
    """Programs count only where a sandbox has them: in the system's own folders."""
    for mark in request.node.iter_markers("needs"):
        for name in mark.args:
            if not Path(shutil.which(name) or "").resolve().is_relative_to("/usr"):
                absent(name, f"{name} is not in the system's folders")


@needs("node")
def test_nodes_own_runner_runs_inside(place: Path, account: str):
    """Worker threads, a server on loopback and a child process, under the filter."""
    (place / "a.test.mjs").write_text(
        "import test from 'node:test'; import assert from 'node:assert'; import http from 'http'\n"
        "import { Worker } from 'worker_threads'; import { execFileSync } from 'child_process'\n"
        "test('server', async () => { const s = http.createServer((_, r) => r.end('hi'))\n"
        "  await new Promise(d => s.listen(0, '127.0.0.1', d))\n"
        "  const got = await fetch(`http://127.0.0.1:${s.address().port}`)\n"
        "  assert.equal(await got.text(), 'hi'); s.closeAllConnections(); s.close() })\n"
        "test('worker', () => new Promise(d => new Worker('1', { eval: true }).on('exit', d)))\n"
        "test('child', () => assert.equal(execFileSync('echo', ['x']).toString(), 'x\\n'))\n"
    )
    done = run(place, account, "node", "--test", "a.test.mjs")
    assert done.exit == 0, done
    assert b"# pass 3" in done.stdout or b"pass 3" in done.stdout


@pytest.mark.heavy
@needs("node", "npm")
def test_vitest_runs_inside(place: Path, account: str):
    """It reserves far more address space than any limit on that would allow."""
    (place / "package.json").write_text('{ "type": "module" }')
    (place / "sum.test.js").write_text(
        "import { expect, test } from 'vitest'\n"
        "test('adds', () => { expect(1 + 1).toBe(2) })\n"
        "test('fails', () => { expect(1 + 1).toBe(3) })\n"
    )
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    fetched = subprocess.run(
        [*install, "vitest@2"], cwd=place, capture_output=True, check=False, timeout=100
    )
    if fetched.returncode:
        absent("npm", f"npm could not install: {fetched.stderr.decode()[-200:]}")
    done = run(place, account, "node", "node_modules/vitest/vitest.mjs", "run")
    assert done.exit == 1, done
    assert b"1 failed | 1 passed" in done.stdout
    assert not list(place.glob("node_modules/.vite*"))


@needs("javac", "java")
def test_a_jvm_runs_inside(place: Path, account: str):
    """Compiled and run in one job: threads, a socket pair on loopback, assertions on."""
    (place / "CheckTest.java").write_text(
        "import java.net.*; import java.util.stream.*;\n"
        "public class CheckTest { public static void main(String[] a) throws Exception {\n"
        "  assert IntStream.range(0, 1000).parallel().sum() == 499500;\n"
        "  try (var s = new ServerSocket(0);\n"
        "       var c = new Socket(s.getInetAddress(), s.getLocalPort())) {\n"
        "    assert c.isConnected(); }\n"
        '  System.out.println("passed"); } }\n'
    )
    done = run(place, account, "sh", "-c", "javac CheckTest.java && java -ea CheckTest")
    assert (done.exit, done.stdout) == (0, b"passed\n"), done


@pytest.mark.heavy
@needs("go", "gcc")
def test_go_test_with_the_race_detector_runs_inside(place: Path, account: str):
    """It finds the race in one package and none in the other."""
    (place / "go.mod").write_text("module example.invalid/r\n\ngo 1.20\n")
    for name, lock in (("racy", ""), ("safe", "mu.Lock(); defer mu.Unlock(); ")):
        (place / name).mkdir()
        use = "var mu sync.Mutex" if lock else "var _ sync.Mutex"
        (place / name / "a_test.go").write_text(
            f'package {name}\n\nimport ("sync"; "testing")\n\n{use}\n\n'
            "func TestIt(t *testing.T) {\n\tn, done := 0, make(chan bool)\n"
            f"\tadd := func() {{ {lock}n++ }}\n"
            "\tgo func() { add(); done <- true }()\n\tadd()\n\t<-done\n}\n"
        )
    go = str(Path(shutil.which("go") or "go").resolve())
    env = {"PATH": f"{Path(go).parent}:/usr/bin:/bin", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    env |= {"CGO_ENABLED": "1", "GOTOOLCHAIN": "local"}
    done = run(place, account, "go", "test", "-race", "./...", env=env)
    assert done.exit == 1, done
    assert b"DATA RACE" in done.stdout
    assert b"ok  \texample.invalid/r/safe" in done.stdout


PAGE = (
    "<body style='margin:0;background:#123456'>"
    "<script>document.body.style.background = '#0a' + (200).toString(16) + '1e'</script>"
)


@needs("chromium")
def test_a_browser_draws_a_page_with_its_own_sandbox_on(place: Path, account: str):
    """In the browser profile; in the default one it has no sandbox to make and says so."""
    repo, out = place / "repo", place / "out"
    repo.mkdir()
    out.mkdir()
    (repo / "page.html").write_text(PAGE)
    owned(out, account)
    mounts = (Mount(out, "/run/forsooth/out", "rw"),)
    shot = ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--window-size=60,40")
    argv = ("chromium", *shot, "--screenshot=/run/forsooth/out/page.png", "/srv/repo/page.html")
    refused = run(repo, account, *argv, mounts=mounts)
    assert refused.exit != 0
    assert not (out / "page.png").exists()
    done = run(repo, account, *argv, mounts=mounts, profile="browser")
    assert done.exit == 0, done
    assert pixel((out / "page.png").read_bytes()) == (0x0A, 0xC8, 0x1E)


def pixel(png: bytes) -> tuple[int, ...]:
    """The first pixel of a picture, whatever filter its first line has."""
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    return tuple(zlib.decompress(data)[1:4])
