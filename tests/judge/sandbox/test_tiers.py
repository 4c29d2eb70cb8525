"""Choosing a sandbox: the best there is, and in plain words what is missing for a better one."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox import cgroup, confine, host, root, tiers
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.cgroup import Group, Home
from forsooth.judge.sandbox.job import MIB, Done, Job, Lack, Limits
from forsooth.judge.sandbox.tiers import available, choose, tried
from tests.tools import needs

LACK = Lack("strict", "bwrap is not installed", "install bubblewrap")
SLOW = Lack("landlock", "the kernel has no Landlock", "use another")


def test_the_best_sandbox_is_found_once():
    """This machine can do the strict one, and is not asked twice."""
    best = available()
    assert best.tier == "strict"
    assert available(floor="strict") is best
    assert best.lacks == ()


def test_a_lesser_tier_says_what_the_better_ones_lack():
    """In order, each with its remedy."""
    found = choose((lambda: LACK, lambda: SLOW))
    assert (found.tier, found.lacks) == ("none", (LACK, SLOW))
    assert choose((lambda: LACK, Bare)).lacks == (LACK,)


def test_a_floor_that_cannot_be_met_is_an_error_with_a_remedy(monkeypatch):
    """Never a silent step down."""
    monkeypatch.setattr(tiers, "_best", lambda _: choose((lambda: LACK, lambda: SLOW)))
    assert available().tier == "none"
    with pytest.raises(CouldNotVerify, match="no strict sandbox: bwrap is not") as caught:
        available(floor="strict")
    assert caught.value.code == "sandbox:floor"
    assert caught.value.hint == (
        'install bubblewrap, or accept less: isolation = "none" under [policy] in '
        "~/.config/forsooth/config.toml"
    )


@needs("landlock")
def test_landlock_is_next_best():
    """Where strict is missing and the kernel has it."""
    found = tiers._landlock()
    assert not isinstance(found, Lack)
    assert found.tier == "landlock"


def test_without_landlock_the_reason_is_the_kernel(monkeypatch):
    """An old kernel is named, and a helper that cannot start is, too."""
    monkeypatch.setattr(confine, "abi", lambda: -38)
    found = tiers._landlock()
    assert isinstance(found, Lack)
    assert "no Landlock" in found.why


def test_strict_that_does_not_work_says_what_it_said(monkeypatch):
    """The last words of the launcher are the reason, and the remedy can be typed."""
    facts = host.survey()
    assert not isinstance(facts, Lack)
    broken = facts._replace(programs=facts.programs | {"unshare": "/bin/false"})
    monkeypatch.setattr(host, "survey", lambda: broken)
    found = tiers._strict()
    assert isinstance(found, Lack)
    assert "the sandbox could not be set up" in found.why
    monkeypatch.setattr(host, "survey", lambda: LACK)
    assert tiers._strict() == LACK
    monkeypatch.setattr(tiers.sys, "platform", "darwin")
    assert isinstance(tiers._strict(), Lack)
    assert confine.abi() == 0


def test_a_sandbox_that_cannot_be_tried_is_not_there():
    """Whether it raises or answers wrongly."""
    assert "no sandbox was started" in (tried(Bare(python="/no/such/python")) or "")

    class Wrong(Bare):
        def run(self, job: Job, *, progress=None) -> Done:
            return Done(7, None, "exit", b"", b"", 0.0, None)

    assert tried(Wrong()) == "true said 7"


@pytest.mark.parametrize(
    ("says", "is_setuid", "why"),
    [
        ("bubblewrap 0.8.0", False, None),
        ("bubblewrap 0.7.0", False, "too old"),
        ("no such file", False, "too old"),
        ("bubblewrap 0.11.0", False, None),
        ("bubblewrap 0.11.0", True, "steered"),
        ("bubblewrap 0.11.1", True, "steered"),
        ("bubblewrap 0.11.2", True, None),
        ("bubblewrap 0.10.0", True, None),
        ("bubblewrap 1.0", False, None),
    ],
)
def test_a_bubblewrap_that_is_no_good_is_refused(says: str, is_setuid: bool, why: str | None):
    """One that cannot forbid namespaces, and one that any account could steer."""
    found = host.unfit(says, is_setuid=is_setuid)
    assert (found is None) == (why is None)
    assert why is None or (found and why in found.why and "install bubblewrap" in found.fix)


def test_a_bubblewrap_is_asked_whether_it_can_be_handed_mounts(tmp_path: Path, monkeypatch):
    """The options it names count, whatever its version: then strict is lacking, with a remedy."""
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho '  --bind SRC DEST'\nexit 1\n")
    old.chmod(0o755)
    facts = host.survey()
    assert not isinstance(facts, Lack)
    programs = {**facts.programs, "bwrap": str(old)}
    monkeypatch.setattr(host, "survey", lambda: facts._replace(programs=programs))
    found = tiers._strict()
    assert isinstance(found, Lack)
    assert "handed as a descriptor" in found.why
    assert found.fix == "install bubblewrap 0.10 or newer"
    assert host.unable(facts.programs["bwrap"]) is None


def test_what_is_not_installed_is_named_with_its_package(tmp_path: Path):
    """Programs are looked for in the system's folders, never through PATH."""
    found = host.survey((str(tmp_path),))
    assert found == Lack("strict", "bwrap is not installed", "install bubblewrap")
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.3.0\n")
    old.chmod(0o755)
    found = host.survey((str(tmp_path), "/usr/bin", "/bin"))
    assert isinstance(found, Lack)
    assert "0.3.0 is too old" in found.why


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
        ("user/max_user_namespaces", "100", ""),
    ],
)
def test_a_switch_that_shuts_namespaces_is_named(tmp_path: Path, name: str, value: str, says: str):
    """The remedy is the command that turns it."""
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(f"{value}\n")
    assert says in host.closed(tmp_path)
    assert (host.closed(tmp_path) == "") == (says == "")


def test_only_what_exists_of_the_machine_is_shown(tmp_path: Path):
    """Folders are shown, links into /usr stay links, files are copied, keys are not there."""
    for name in ("usr/bin", "usr/share", "etc/ssl/certs", "etc/ssl/private", "lib"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    (tmp_path / "usr" / "share" / "UTC").write_text("")
    (tmp_path / "etc" / "localtime").symlink_to("../usr/share/UTC")
    (tmp_path / "etc" / "services").write_text("ssh 22/tcp\n")
    (tmp_path / "etc" / "shadow").write_text("secret")
    (tmp_path / "etc" / "magic").symlink_to("nowhere")
    found = root.entries(tmp_path)
    kinds = {entry.target: entry.kind for entry in found}
    assert kinds == {
        "/usr": "bind",
        "/bin": "link",
        "/lib": "bind",
        "/etc/localtime": "link",
        "/etc/services": "copy",
        "/etc/ssl/certs": "bind",
    }
    etc = tmp_path / "made"
    etc.mkdir()
    root.furnish(etc, found, uid=7, gid=8)
    assert (etc / "services").read_text() == "ssh 22/tcp\n"
    assert str((etc / "localtime").readlink()) == "../usr/share/UTC"
    assert list((etc / "ssl" / "certs").iterdir()) == []
    assert "judge:x:7:8:" in (etc / "passwd").read_text()
    assert (etc / "resolv.conf").read_text() == ""
    assert "judge:x:1000:" in root.synthetic(0, 0)["passwd"]


# control groups


def kernel(tmp_path: Path, *, groups: str, mounts: str) -> Path:
    (tmp_path / "cgroup").write_text(groups)
    (tmp_path / "mountinfo").write_text(mounts.replace("TOP", str(tmp_path / "top")))
    return tmp_path


def test_a_group_of_the_old_kind_is_made_for_each_controller(tmp_path: Path):
    """Each controller has its own tree; what is not writable is not used."""
    for name in ("memory/mine", "pids"):
        (tmp_path / "top" / name).mkdir(parents=True)
    proc = kernel(
        tmp_path,
        groups="4:memory:/box/mine\n3:pids:/\n2:cpu:/\n1:name=systemd:/\n",
        mounts="30 1 0:1 /box TOP/memory rw - cgroup cgroup rw,memory\n".replace(
            "rw,memory", "memory"
        )
        + "31 1 0:1 / TOP/pids rw - cgroup cgroup pids\n32 1 0:1 / TOP/cpu rw - cgroup cgroup cpu\n"
        + "33 1 0:1 / / rw - ext4 /dev/sda rw\n",
    )
    homes = cgroup.homes(proc)
    assert {home.folder.name: home.controllers for home in homes} == {
        "mine": ("memory",),
        "pids": ("pids",),
    }
    group = Group.make(homes, Limits(memory=MIB, processes=9))
    assert group is not None
    texts = {path.name: path.read_text() for folder in group.folders for path in folder.iterdir()}
    assert texts == {
        "memory.limit_in_bytes": str(MIB),
        "memory.memsw.limit_in_bytes": str(MIB),
        "pids.max": "9",
    }
    assert sorted(group.controls) == ["memory", "pids"]
    assert all(path.endswith("/cgroup.procs") for path in group.joins)


def test_a_group_of_the_new_kind_is_made_below_or_beside_ours(tmp_path: Path):
    """Beside only when nothing limits us, for else we would leave our own limit."""
    own = tmp_path / "top" / "app" / "own"
    own.mkdir(parents=True)
    (own.parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    proc = kernel(
        tmp_path, groups="0::/app/own\n", mounts="30 1 0:1 / TOP rw shared:1 - cgroup2 cgroup2 rw\n"
    )
    (home,) = cgroup.homes(proc)
    assert home == Home(own.parent, ("memory", "pids"), unified=True)
    (own / "memory.max").write_text("1000\n")
    assert cgroup.homes(proc) == ()
    (own / "cgroup.subtree_control").write_text("pids\n")
    assert cgroup.homes(proc) == (Home(own, ("pids",), unified=True),)

    group = Group.make((home,), Limits(memory=MIB))
    assert group is not None
    (folder,) = group.folders
    assert (folder / "memory.max").read_text() == str(MIB)
    assert (folder / "memory.swap.max").read_text() == "0"
    assert not group.overran()
    assert group.peak() is None
    (folder / "memory.events").write_text("low 0\noom_kill 2\n")
    (folder / "memory.peak").write_text("4096\n")
    assert group.overran()
    assert group.peak() == 4096
    group.close()
    assert folder.exists(), "a folder that is in use stays"


def test_no_group_is_no_matter(tmp_path: Path):
    """A home that is gone, a limit that is refused and a memory without limit."""
    gone = Home(tmp_path / "gone", ("memory",), unified=True)
    assert Group.make((gone,), Limits(memory=MIB)) is None
    assert cgroup.homes(tmp_path) == ()
    free = Group.make((Home(tmp_path, ("memory",), unified=True),), Limits(memory=None))
    assert free is not None
    assert free.controls == ("memory",)
    free.close()
    assert list(tmp_path.iterdir()) == []
    assert not cgroup._limit(tmp_path / "no", "memory", Limits(memory=1), gone)
