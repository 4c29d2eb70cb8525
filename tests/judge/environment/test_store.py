"""Layers on disk: one builder at a time, rubble cleared, changes seen, room bounded."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.store import MARKER, Store, seal
from forsooth.judge.environment.warm import Warm
from forsooth.judge.openat import remove
from forsooth.judge.sandbox.job import Mount


def filled(size: int = 10):
    def build(folder: Path) -> dict[str, object]:
        (folder / "inner").mkdir()
        (folder / "inner/file").write_bytes(b"x" * size)
        return {"packages": {"a": ["1"]}}

    return build


def unwanted(folder: Path) -> dict[str, object]:
    raise AssertionError("built twice")


def test_a_layer_is_built_once(tmp_path):
    """The second who asks finds it complete."""
    with Store(tmp_path) as store:
        said = store.obtain("k", filled())
        assert said["packages"] == {"a": ["1"]}
        assert store.obtain("k", unwanted)["packages"] == {"a": ["1"]}
    with Store(tmp_path) as store:
        assert store.obtain("k", unwanted)["bytes"] > 0


def test_a_failed_build_leaves_nothing(tmp_path):
    """The next one starts from an empty folder."""
    store = Store(tmp_path)

    def broken(folder: Path) -> dict[str, object]:
        (folder / "half").write_text("x")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        store.obtain("k", broken)
    assert not store.folder("k").exists()
    store.obtain("k", filled())
    store.close()


def test_rubble_of_a_crash_is_cleared_away(tmp_path):
    """A folder without a marker was never finished."""
    (tmp_path / "k").mkdir()
    (tmp_path / "k/half").write_text("x")
    with Store(tmp_path) as store:
        store.obtain("k", filled())
    assert not (tmp_path / "k/half").exists()


def test_a_changed_layer_is_built_anew(tmp_path):
    """A file patched in the kept layer is seen, even with its old size and time."""
    with Store(tmp_path) as store:
        store.obtain("k", filled())
    path = tmp_path / "k/inner/file"
    times = path.stat()
    path.write_bytes(b"y" * 10)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with Store(tmp_path) as store:
        assert not store.is_intact("k")
        store.obtain("k", filled())
        assert path.read_bytes() == b"x" * 10


def test_a_marker_that_cannot_be_read_is_rubble(tmp_path):
    """Half a marker proves nothing."""
    with Store(tmp_path) as store:
        store.obtain("k", filled())
    (tmp_path / "k" / MARKER).write_text("{")
    with Store(tmp_path) as store:
        assert store.kept() == []
        store.obtain("k", filled())


def test_builders_at_the_same_time_wait_for_one(tmp_path):
    """Ten that ask at once get one build."""
    built: list[int] = []

    def build(folder: Path) -> dict[str, object]:
        built.append(1)
        return filled()(folder)

    def ask() -> None:
        with Store(tmp_path) as store:
            store.obtain("k", build)

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]


def test_room_is_made_by_dropping_what_was_used_longest_ago(tmp_path):
    """What is still needed most recently stays."""
    with Store(tmp_path) as store:
        for name in ("a", "b", "c"):
            store.obtain(name, filled(100_000))
    for age, name in enumerate(("c", "a", "b")):
        os.utime(tmp_path / name / MARKER, (age, age))
    store = Store(tmp_path)
    one = store.kept()[0].bytes
    assert store.gc(2 * one) == ("c",)
    assert [layer.key for layer in store.kept()] == ["a", "b"]
    assert store.gc(10 * one) == ()


def test_a_layer_in_use_is_never_dropped(tmp_path):
    """Somebody may have it mounted."""
    with Store(tmp_path) as user:
        user.obtain("k", filled())
        assert Store(tmp_path).gc(0) == ()
    assert Store(tmp_path).gc(0) == ("k",)
    assert Store(tmp_path / "none").gc(0) == ()


def test_rubble_is_dropped_with_the_rest(tmp_path):
    """A crash leaves no bytes behind for good."""
    (tmp_path / "k/half").mkdir(parents=True)
    Store(tmp_path).gc(10**9)
    assert not (tmp_path / "k").exists()


def test_read_only_folders_can_be_removed(tmp_path):
    """Module caches are made read-only by their own tool."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c").write_text("x")
    (tmp_path / "a/link").symlink_to(tmp_path)
    (tmp_path / "a/b").chmod(0o500)
    remove(tmp_path / "a")
    assert not (tmp_path / "a").exists()
    remove(tmp_path / "a")


def test_a_seal_sees_names_modes_and_links(tmp_path):
    """Anything that could change what a run imports changes the seal."""
    (tmp_path / "a").write_text("x")
    one = seal(tmp_path).digest
    (tmp_path / "b").symlink_to("a")
    two = seal(tmp_path).digest
    (tmp_path / "a").chmod(0o700)
    assert len({one, two, seal(tmp_path).digest}) == 3


def layer(warm: Warm, tmp_path: Path) -> Layer:
    places = {"go": "/cache/go"}
    own = (Mount(tmp_path, "/x", "ro"),)
    return warm.seen(Layer("k", tmp_path, Recipe(kind="go"), own, warm=places, owner="o"))


def test_only_a_finished_base_run_fills_a_warm_cache(tmp_path):
    """What it leaves is what later runs start from."""
    warm = Warm(tmp_path / "warm")
    cold = layer(warm, tmp_path)
    assert cold.mounts[1].mode == "overlay"
    with warm.filling(cold) as base:
        assert [mount.mode for mount in base.mounts] == ["ro", "rw"]
        (base.mounts[1].source / "object").write_text("built")
    assert warm.is_warm(cold)
    later = layer(warm, tmp_path)
    assert later.mounts[1].mode == "overlay"
    assert (later.mounts[1].source / "object").read_text() == "built"


def test_a_base_run_that_breaks_leaves_no_cache(tmp_path):
    """Half a cache is worse than none."""
    warm = Warm(tmp_path / "warm")
    with pytest.raises(RuntimeError), warm.filling(layer(warm, tmp_path)):
        raise RuntimeError("no")
    assert not warm.is_warm(layer(warm, tmp_path))
    assert list((tmp_path / "warm/k/o").iterdir()) == []


def test_a_warm_cache_is_filled_once(tmp_path):
    """The first base run decides; a later one only uses it."""
    warm = Warm(tmp_path / "warm")
    outer = layer(warm, tmp_path)
    with warm.filling(outer) as base, warm.filling(outer) as second:
        (base.mounts[1].source / "object").write_text("first")
        (second.mounts[1].source / "object").write_text("second")
    with warm.filling(layer(warm, tmp_path)) as third:
        assert third.mounts[1].mode == "overlay"
        assert (third.mounts[1].source / "object").read_text() == "second"


def test_warm_caches_go_with_their_layer(tmp_path):
    """Without the layer nobody can use them."""
    warm = Warm(tmp_path / "warm")
    warm.gc(Store(tmp_path / "layers"))
    with warm.filling(layer(warm, tmp_path)) as base:
        (base.mounts[1].source / "object").write_text("built")
    with Store(tmp_path / "layers") as store:
        store.obtain("k", filled())
        warm.gc(store)
        assert warm.is_warm(layer(warm, tmp_path))
    Store(tmp_path / "layers").gc(0)
    warm.gc(Store(tmp_path / "layers"))
    assert not (tmp_path / "warm/k").exists()
