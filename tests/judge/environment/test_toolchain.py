"""Real programs behind names on a path: shims seen through, versions asked, prefixes bound."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.toolchain import Search, is_shim, machine, mounts_of, program, tool
from forsooth.judge.sandbox.job import Mount
from tests.judge.environment.place import search

BINARY = b"\x7fELF"


class Home:
    """A home with programs in it, each of which answers with its own folder's version."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.answers: dict[str, str] = {}
        self.asked: list[str] = []

    def add(self, path: str, says: str = "", *, body: bytes = BINARY) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)
        place.chmod(0o755)
        self.answers[str(place)] = says.replace("HERE", str(place.parent.parent))
        return place

    def ask(self, argv: tuple[str, ...]) -> str:
        self.asked.append(argv[0])
        if argv[0] not in self.answers:
            raise FileNotFoundError(argv[0])
        return self.answers[argv[0]]

    def search(self, path: str = "") -> Search:
        return Search(path, self.root, self.ask)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path / "none"))
    return Home(tmp_path)


def test_a_pyenv_shim_is_seen_through(home):
    """The version it would choose is bound, never the shim."""
    shim = home.add(".pyenv/shims/python3", body=b"#!/bin/sh\n")
    (home.root / ".pyenv/version").write_text("3.11.4\n")
    home.add(".pyenv/versions/3.12.1/bin/python3", "3.12.1\nHERE")
    real = home.add(".pyenv/versions/3.11.4/bin/python3", "3.11.4\nHERE")
    found = tool("python", home.search(str(shim.parent)))
    assert (found.program, found.version) == (real, "3.11.4")
    assert found.prefix == home.root / ".pyenv/versions/3.11.4"
    programs = found.prefix / "bin"
    assert found.mounts == (Mount(programs, str(programs), "ro"),)


def test_another_version_is_taken_when_the_default_does_not_fit(home):
    """A manager keeps many; the newest that satisfies the range is asked."""
    shim = home.add(".pyenv/shims/python3", body=b"#!/bin/sh\n")
    home.add(".pyenv/versions/3.9.2/bin/python3", "3.9.2\nHERE")
    home.add(".pyenv/versions/3.12.1/bin/python3", "3.12.1\nHERE")
    home.add(".local/share/uv/python/cpython-3.13.0-linux/bin/python3", "3.13.0\nHERE")
    wanted = tool("python", home.search(str(shim.parent)), wanted=">=3.10,<3.13")
    assert wanted.version == "3.12.1"
    assert home.asked == [str(home.root / ".pyenv/versions/3.12.1/bin/python3")]


def test_rustup_is_seen_through_to_its_default(home):
    """cargo is rustup under another name; its toolchain's folder is what is real."""
    rustup = home.add(".cargo/bin/rustup")
    (rustup.parent / "cargo").symlink_to("rustup")
    (home.root / ".rustup").mkdir()
    (home.root / ".rustup/settings.toml").write_text('default_toolchain = "stable-x"\n')
    home.add(".rustup/toolchains/stable-x/bin/cargo", "cargo 1.80.1 (abc)")
    home.add(".rustup/toolchains/1.75.0-x/bin/cargo", "cargo 1.75.0 (abc)")
    assert tool("cargo", home.search(str(rustup.parent))).version == "1.80.1"
    assert tool("cargo", home.search(str(rustup.parent)), wanted="==1.75.0.*").version == "1.75.0"


def test_rustup_without_settings_still_has_its_toolchains(home):
    """What is installed is enough."""
    rustup = home.add(".cargo/bin/rustup")
    (rustup.parent / "cargo").symlink_to("rustup")
    home.add(".rustup/toolchains/1.75.0-x/bin/cargo", "cargo 1.75.0 (abc)")
    assert tool("cargo", home.search(str(rustup.parent))).version == "1.75.0"


def test_nvm_versions_are_found(home):
    """nvm puts nothing on the path of a program that is not a shell."""
    node = home.add(".nvm/versions/node/v20.1.0/bin/node")
    home.answers[str(node)] = f"20.1.0\n{node}"
    found = tool("node", home.search(), wanted="^20")
    assert found.prefix == home.root / ".nvm/versions/node/v20.1.0"


def test_go_and_java_say_their_own_home(home):
    """Their prefix is not always the folder above the program."""
    goroot = home.root / "goroot"
    goroot.mkdir()
    go = home.add("bin/go", f"go1.22.3\n{goroot}")
    java = home.add("bin/java", f"    java.home = {goroot}\n    java.specification.version = 1.8\n")
    assert tool("go", home.search(str(go.parent))).prefix == goroot
    found = tool("java", home.search(str(java.parent)))
    assert (found.version, found.prefix) == ("8", goroot)


def test_a_java_that_says_nothing_of_its_home_is_not_believed(home):
    """Its prefix would be a guess."""
    place = home.add("bin/java", "java version 17")
    with pytest.raises(CouldNotVerify):
        tool("java", home.search(str(place.parent)))


def test_an_unknown_shim_chooses_nothing(home):
    """A manager we do not know is passed over, not run."""
    shim = home.add("bin/go", body=b"#!/bin/sh\n")
    with pytest.raises(CouldNotVerify):
        tool("go", home.search(str(shim.parent)))
    assert home.asked == []


def test_a_program_in_the_repository_is_no_tool(home):
    """Neither by its own path nor behind a link from outside; it is not even asked."""
    mine = home.add("repo/bin/go", "go1.22.3\nHERE")
    link = home.root / "links/go"
    link.parent.mkdir()
    link.symlink_to(mine)
    real = home.add("opt/go/bin/go", "go1.21.0\nHERE")
    path = os.pathsep.join(str(one.parent) for one in (mine, link, real))
    found = tool("go", home.search(path)._replace(root=home.root / "repo"))
    assert found.program == real
    assert home.asked == [str(real)]


@pytest.mark.parametrize("place", ["bin/node", ".local/bin/node", "code/tools/bin/node"])
def test_a_prefix_that_holds_more_than_a_tool_is_not_bound(home, place):
    """A home is full of keys, and the work is its author's; the program alone will do."""
    node = home.add(place)
    home.answers[str(node)] = f"20.1.0\n{node}"
    looking = home.search(str(node.parent))._replace(root=home.root / "code/tools/repo")
    assert tool("node", looking).mounts == (Mount(node, str(node), "file"),)
    packages = node.parents[1] / "lib/node_modules"
    (packages / "npm").mkdir(parents=True)
    places = (node.parent, packages)
    assert tool("node", looking).mounts == tuple(Mount(one, str(one), "ro") for one in places)


def test_of_a_prefix_with_a_python_only_its_parts_are_bound(home):
    """`~/.local` also holds keyrings and the judge's own key; what holds the work is left out."""
    real = home.add(".local/bin/python3", "3.11.4\nHERE")
    for name in ("lib/python3.11", "share/keyrings", "state", "include/python3.11/repo"):
        (home.root / ".local" / name).mkdir(parents=True)
    looking = home.search(str(real.parent))
    shown = [mount.target for mount in tool("python", looking).mounts]
    prefix = home.root / ".local"
    assert shown == [str(prefix / name) for name in ("bin", "lib", "include")]
    looking = looking._replace(root=prefix / "include/python3.11/repo")
    shown = [mount.target for mount in tool("python", looking).mounts]
    assert shown == [str(prefix / name) for name in ("bin", "lib")]


@pytest.mark.parametrize("says", ["", "garbage", "3.11\nrelative/path"])
def test_a_program_that_does_not_answer_is_not_believed(home, says):
    """Whoever cannot say its version is not what its name says."""
    place = home.add("bin/python3", says)
    with pytest.raises(CouldNotVerify) as caught:
        tool("python", home.search(str(place.parent)))
    assert caught.value.code == "environment:tool-missing"


def test_a_program_that_cannot_be_started_is_passed_over(home):
    """The next one on the path may work."""
    broken = home.add("a/java", "no such thing")
    fine = home.add("b/java", "java.home = /usr\njava.specification.version = 17\n")
    del home.answers[str(broken)]
    assert tool("java", home.search(f"{broken.parent}{os.pathsep}{fine.parent}")).version == "17"


def test_what_is_missing_says_what_there_is_and_how_to_get_it(home):
    """A remedy that can be typed, and the versions that do not do."""
    home.add(".pyenv/versions/3.9.2/bin/python3", "3.9.2\nHERE")
    with pytest.raises(CouldNotVerify) as caught:
        tool("python", home.search(), wanted=">=3.12")
    assert caught.value.message == "python >=3.12 is not installed (there is 3.9.2)"
    assert caught.value.hint == "uv python install 3.12"
    with pytest.raises(CouldNotVerify, match="mvn is not installed"):
        tool("mvn", home.search())


def test_a_program_is_found_on_the_path_or_beside_ours(tmp_path):
    """Single files such as uv need no prefix."""
    found = program("sh", Search("/usr/bin:/bin", tmp_path, lambda argv: ""))
    assert found in {Path("/usr/bin/sh"), Path("/bin/sh")}
    assert program("no-such-program", Search("", tmp_path, lambda argv: "")) is None


def test_shims_are_scripts_managers_and_what_cannot_be_read(tmp_path):
    """A shim cannot be bound, so none may pass for a program."""
    script = tmp_path / "node"
    script.write_text("#!/bin/sh\n")
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\n")
    (tmp_path / "volta-shim").write_bytes(BINARY)
    (tmp_path / "npx").symlink_to("volta-shim")
    assert is_shim(script)
    assert not is_shim(maven)
    assert is_shim(tmp_path / "npx")
    assert is_shim(tmp_path / "gone")


def test_settings_a_prefix_links_to_are_bound_too(tmp_path):
    """A JDK of the system keeps its settings under /etc."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/own").write_text("")
    (tmp_path / "conf/passwd").symlink_to("/etc/passwd")
    (tmp_path / "conf/services").symlink_to("/etc/alternatives/java.security")
    (tmp_path / "conf/certificates").symlink_to("/etc/ssl/certs")
    (tmp_path / "conf/gone").symlink_to("/etc/no-such-folder/x")
    shown = [mount.target for mount in mounts_of("java", tmp_path)]
    assert shown == [str(tmp_path), "/etc/alternatives"]
    assert [mount.target for mount in mounts_of("go", tmp_path)] == [str(tmp_path)]
    assert mounts_of("java", Path("/usr")) == ()


def test_this_machines_python_is_found_and_is_no_shim():
    """The real thing, asked."""
    found = tool("python", search())
    assert found.program.is_file()
    assert not is_shim(found.program)
    assert found.version.startswith("3.")


def test_the_platform_is_part_of_a_key():
    """Wheels for one platform do not serve another."""
    assert machine().startswith(sys.platform)
