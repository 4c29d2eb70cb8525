"""Whoever is asked whether commands may run is told which sandbox they run in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.place import FORSOOTH, Place
from tests.requirements import requirement

ROOT = Path(__file__).parents[2]
BWRAP = shutil.which("bwrap") or "/usr/bin/bwrap"
# The same machine without bubblewrap: another file lies over it in this process's own mounts.
WITHOUT = ("unshare", "-rm", "sh", "-c", f'mount --bind /dev/null {BWRAP} && exec "$@"', "sh")
ENTER = " "


@pytest.fixture(autouse=True)
def _hides() -> None:
    if subprocess.run([*WITHOUT, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted over bubblewrap here")


def drafted(place: Place) -> None:
    place.run("plan", "--text", "@goal: Tidy\n- [ ] it is tidy: `sh -c 'exit 1'`\n")


def accept_less(place: Place) -> None:
    path = place.home / ".config/forsooth/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[policy]\nisolation = "none"\n')


@requirement("D13")
def test_on_linux_nothing_runs_below_a_strict_sandbox_unless_the_user_says_so(place: Place):
    """There is no silent step down to a sandbox with the network open; both remedies are named."""
    drafted(place)
    said = place.typed("seal", answer=ENTER, prefix=(*WITHOUT, *FORSOOTH))
    assert said.code == 5
    assert "this machine has no strict sandbox: bwrap is not installed" in said.out
    assert "install bubblewrap, or accept less: isolation = " in " ".join(said.out.split())
    assert "Run this command" not in said.out


@requirement("D13")
def test_below_strict_the_question_says_what_is_open_and_the_default_is_no(place: Place):
    """Pressing return runs nothing where the sandbox leaves the network open."""
    drafted(place)
    accept_less(place)
    said = place.typed("seal", answer=ENTER, prefix=(*WITHOUT, *FORSOOTH)).out
    assert "open" in said.partition("Run this command")[0].splitlines()[-1]
    assert "Run this command on a copy of the base now? [y/N]" in said
    assert "on the base, before any work" not in said


@requirement("D13")
def test_a_strict_sandbox_is_named_in_the_question(place: Place):
    """What it closes is said before the commands are allowed."""
    drafted(place)
    assert "sandbox strict: no network" in place.typed("trust", answer=ENTER).out
    said = place.typed("seal", answer=ENTER).out
    assert "sandbox strict: no network" in said.partition("Run this command")[0]
    assert "Run this command on a copy of the base now? [Y/n]" in said


@requirement("D13")
@pytest.mark.parametrize("online", [False, True])
def test_the_question_says_in_words_what_has_a_network(place: Place, *, online: bool):
    """Installers fetch and run nothing of the repository; `prepare` has a network only where the
    user's own settings say so, and then it is said. The repository's settings give none.
    """
    own = place.home / ".config/forsooth/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f"[policy]\nprepare_network = {str(online).lower()}\n")
    settings = 'environment.prepare = "sh setup.sh"\n[policy]\nprepare_network = true\n'
    place.commit("forsooth.toml", settings)
    said = " ".join(place.typed("trust", "HEAD~1..HEAD", answer=ENTER).out.split())
    assert "prepare sh setup.sh" in said
    assert "packages are fetched before, from the registries of your own settings" in said
    assert ("`prepare` commands of its forsooth.toml have a network" in said) is online


@requirement("D13")
@pytest.mark.parametrize("is_allowed", [True, False])
def test_the_action_makes_a_runner_ready_for_the_strict_sandbox_or_prints_the_line(
    tmp_path: Path, *, is_allowed: bool
):
    """Bubblewrap is installed and user namespaces are opened; nothing falls back to less."""
    kernel = tmp_path / "sys" / "kernel"
    kernel.mkdir(parents=True)
    (kernel / "apparmor_restrict_unprivileged_userns").write_text("1\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    fakes = {"uname": "echo Linux", "id": "echo 1000"}
    fakes["sudo"] = f'echo "$@" >>{tmp_path}/done; exit {0 if is_allowed else 1}'
    for name, script in fakes.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    (programs / "cat").symlink_to(shutil.which("cat") or "/bin/cat")
    done = subprocess.run(
        [shutil.which("bash") or "bash", ROOT / "docs" / "runner_sandbox.sh"],
        env={"PATH": str(programs), "SYSTEM": str(tmp_path / "sys")},
        capture_output=True,
        text=True,
        check=True,
    )
    asked = (tmp_path / "done").read_text()
    assert "sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0" in asked
    assert "apt-get update" in asked
    assert ("apt-get install -y -qq bubblewrap" in asked) == is_allowed
    lines = ("sudo apt-get install bubblewrap", "sudo sysctl kernel.apparmor_restrict")
    assert all((line in done.stdout) != is_allowed for line in lines)
