"""Build caches: filled by the base alone, and never a way to judge yesterday's code."""

from __future__ import annotations

import os

import pytest

from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.tree import folder
from tests.judge.environment.developer import wrote
from tests.judge.environment.place import layers, ran
from tests.tools import needs

CARGO = {
    "Cargo.toml": '[package]\nname = "till"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "till"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn tax() -> u32 { 19 }\n\n#[test]\nfn is_19() { assert_eq!(tax(), 19) }\n",
}
GO = {
    "go.mod": "module till\n\ngo 1.20\n",
    "till.go": "package till\n\nfunc Tax() int { return 19 }\n",
    "till_test.go": (
        'package till\n\nimport "testing"\n\n'
        'func TestTax(t *testing.T) { if Tax() != 19 { t.Fatal("no") } }\n'
    ),
}


@pytest.mark.parametrize(
    ("files", "changed"),
    [
        pytest.param(CARGO, "src/lib.rs", id="cargo", marks=needs("cargo")),
        pytest.param(GO, "till.go", id="go", marks=needs("go")),
    ],
)
@pytest.mark.timeout(600)
def test_work_older_than_the_cache_is_still_compiled(tmp_path, sandbox, files, changed):
    """A copy's times say nothing: a file checked out before the base was built counts as well."""
    root = wrote(tmp_path / "repo", files)
    copy = wrote(tmp_path / "copy", {**files, changed: files[changed].replace("19 }", "20 }", 1)})
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
    recipe = detect(folder(root))
    argv = recipe.test_command
    with layers(tmp_path / "cache") as held:
        layer = held.furnish(recipe, source=root, root=str(root), sandbox=sandbox, base="b")
        with held.filling(layer) as base:
            done = ran(sandbox, base, argv, copy=root, root=str(root))
        assert done.exit == 0, done.stdout + done.stderr
        layer = held.furnish(recipe, source=root, root=str(root), sandbox=sandbox, base="b")
        assert held.warm.is_warm(layer)
        assert ran(sandbox, layer, argv, copy=root, root=str(root)).exit == 0
        done = ran(sandbox, layer, argv, copy=copy, root=str(root))
    assert done.exit not in (0, None), done.stdout + done.stderr


@needs("go")
def test_a_judged_run_leaves_the_cache_as_it_was(tmp_path, sandbox):
    """What one attempt compiles is not what the next one finds."""
    root = wrote(tmp_path / "repo", GO)
    recipe = detect(folder(root))
    with layers(tmp_path / "cache") as held:
        layer = held.furnish(recipe, source=root, root=str(root), sandbox=sandbox, base="b")
        (place,) = layer.warm.values()
        argv = ("sh", "-c", f"echo planted > {place}/planted && cat {place}/planted")
        assert ran(sandbox, layer, argv, copy=root, root=str(root)).stdout == b"planted\n"
        argv = ("sh", "-c", f"test ! -e {place}/planted")
        assert ran(sandbox, layer, argv, copy=root, root=str(root)).exit == 0


@needs("go")
@pytest.mark.timeout(600)
def test_what_every_go_program_is_made_of_is_compiled_once(tmp_path, sandbox):
    """By the judge, for all repositories; a run of the base adds to a copy of it."""
    first, other = (wrote(tmp_path / name, GO) for name in ("one", "two"))
    wrote(other, {"go.mod": GO["go.mod"].replace("till", "other")})
    listed = ("sh", "-c", "find $GOCACHE -type f | wc -l; go test ./...")
    with layers(tmp_path / "cache") as held:
        found = []
        for root in (first, other):
            recipe = detect(folder(root))
            layer = held.furnish(recipe, source=root, root=str(root), sandbox=sandbox, base="b")
            assert not held.warm.is_warm(layer)
            done = ran(sandbox, layer, listed, copy=root, root=str(root))
            assert done.exit == 0, done.stderr
            found.append((layer, int(done.stdout.split()[0])))
        (one, many), (two, same) = found
        assert (one.key == two.key, one.floor) == (False, two.floor)
        assert many == same > 100
        with held.filling(one) as base:
            ran(sandbox, base, ("sh", "-c", "echo x > $GOCACHE/new"), copy=first, root=str(first))
        assert (held.warm.root / one.key / one.owner / "go/new").is_file()
        assert not (one.floor / "new").exists()
