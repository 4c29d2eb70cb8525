"""What commands and scripts call in a repository of another kind: found by name, as at the seal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import view
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.mention import Called, mention
from forsooth.judge.environment.tree import folder
from tests.judge.environment.developer import PYTEST, VERSION, offline, venv, wrote
from tests.judge.environment.place import python, ran
from tests.tools import needs

SYSTEM = "/usr/bin:/bin"
SCRIPT = '#!/bin/sh\n[ "$(python sum.py)" = 19 ] && echo fine\n'
SHELL = {"tests/sum.sh": SCRIPT, "sum.py": "import rates\nprint(rates.TAX)\n"}
NODE = {"package.json": '{"name": "till", "version": "1.0.0", "scripts": {"test": "node --test"}}'}
CHECK = ("sh", "tests/sum.sh")

needs_node = needs("node")


@pytest.fixture(scope="module")
def developer(tmp_path_factory):
    """A venv outside every system folder, with a runner and one more package."""
    made = venv(tmp_path_factory.mktemp("developer") / "venv", *PYTEST)
    wrote(view.site_of(made, VERSION), {"rates/__init__.py": "TAX = 19\n", "other.py": ""})
    return made


def apart(place: Path) -> Path:
    """A Node outside every system folder."""
    place.mkdir(parents=True)
    shutil.copy(Path(str(shutil.which("node"))).resolve(), place / "node")
    return place


def calls(*texts: str, commands=()) -> Called:
    return Called(tuple(commands), texts)


def furnished(held, root, sandbox, *argvs, **options):
    recipe = detect(folder(root))
    where = {"source": root, "root": str(root), "sandbox": sandbox}
    return held.furnish(recipe, argvs=argvs, **where, **options)


def said(sandbox, layer, argv, root) -> str:
    done = ran(sandbox, layer, argv, copy=root, root=str(root))
    return done.stdout.decode().strip() or done.stderr.decode()


@pytest.mark.parametrize("files", [SHELL, {**SHELL, **NODE}], ids=["shell", "node"])
def test_a_script_finds_the_python_it_calls(tmp_path, developer, sandbox, files):
    """By the name it has for the person, with what the repository uses of its packages."""
    root = wrote(tmp_path / "repo", files)
    path = f"{developer}/bin:{SYSTEM}"
    with offline(tmp_path / "cache", path=path) as held:
        layer = furnished(held, root, sandbox, CHECK, called=calls(SCRIPT))
        again = furnished(held, root, sandbox, CHECK, called=calls(SCRIPT), live=False)
        assert said(sandbox, layer, CHECK, root) == "fine"
        assert said(sandbox, again, CHECK, root) == "fine"
        assert "No module" in said(sandbox, layer, ("python", "-c", "import other"), root)
    assert f"{developer}: commands call its Python." in layer.notes[-1]


def test_a_runner_is_brought_along_beside_another_kind(tmp_path, developer, sandbox):
    """As where the repository is Python's own."""
    root = wrote(tmp_path / "repo", {**NODE, "check.py": "def test(): pass\n"})
    argv = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "check.py")
    with offline(tmp_path / "cache", path=f"{developer}/bin:{SYSTEM}") as held:
        layer = furnished(held, root, sandbox, argv)
        assert "1 passed" in said(sandbox, layer, argv, root)


def test_a_runner_nobody_has_is_missed_only_by_those_who_name_it(tmp_path, developer, sandbox):
    """A criterion that names it cannot run; a script that may call it still has its Python."""
    root = wrote(tmp_path / "repo", NODE)
    argv = ("python", "-m", "nose2")
    with offline(tmp_path / "cache", path=f"{developer}/bin:{SYSTEM}") as held:
        with pytest.raises(CouldNotVerify, match="no Python on this machine has nose2"):
            furnished(held, root, sandbox, argv)
        layer = furnished(held, root, sandbox, called=calls(commands=(argv,)))
        assert said(sandbox, layer, ("python", "-c", "print(1)"), root) == "1"
    assert layer.notes[-1].startswith("Python is given without packages: ")


@needs_node
@pytest.mark.parametrize("files", [SHELL, {"test_a.py": "def test(): pass\n"}])
@pytest.mark.parametrize("argv", [("node", "-p", "1+1"), ("sh", "-c", 'echo "$(node -p 1+1)"')])
def test_node_is_found_wherever_it_lies(tmp_path, developer, sandbox, files, argv):
    """Named by a command or inside a shell's text, in a repository that is not Node's."""
    root = wrote(tmp_path / "repo", files)
    node = apart(tmp_path / "opt/node/bin")
    where = ("node", "-p", "process.execPath")
    with offline(tmp_path / "cache", path=f"{node}:{developer}/bin:{SYSTEM}") as held:
        layer = furnished(held, root, sandbox, argv)
        assert said(sandbox, layer, argv, root) == "2"
        assert said(sandbox, layer, where, root) == f"{node}/node"
    assert str(node / "node") in [str(one.program) for one in layer.tools]


@needs_node
def test_a_tool_beside_the_work_is_given_without_its_neighbours(tmp_path, sandbox):
    """Here the folder above it is the one that the repository lies in."""
    root = wrote(tmp_path / "repo", SHELL)
    node = apart(tmp_path / "bin")
    wrote(tmp_path, {"key": "secret"})
    argv = ("sh", "-c", f"node -p process.execPath; ls {tmp_path}")
    with offline(tmp_path / "cache", path=f"{node}:{SYSTEM}") as held:
        for live in (True, False):
            layer = furnished(held, root, sandbox, argv, live=live)
            assert said(sandbox, layer, argv, root).split() == [f"{node}/node", "bin", "repo"]


@needs_node
def test_what_was_found_at_the_seal_decides(tmp_path, developer, sandbox):
    """A program put in front of it later is somebody else's."""
    root = wrote(tmp_path / "repo", SHELL)
    early = tmp_path / "early"
    early.mkdir()
    node = apart(tmp_path / "opt/node/bin")
    text = calls(SCRIPT, "node x.js\n")
    with offline(tmp_path / "cache", path=f"{early}:{node}:{developer}/bin:{SYSTEM}") as held:
        before = furnished(held, root, sandbox, CHECK, called=text)
        (early / "node").hardlink_to(node / "node")
        (early / "python").symlink_to("/usr/bin/python3")
        (early / "python3").symlink_to("/usr/bin/python3")
        after = furnished(held, root, sandbox, CHECK, called=text, live=False)
    assert {one.name for one in before.tools} == {"python", "node"}
    assert (after.tools, after.mounts, after.env) == (before.tools, before.mounts, before.env)


def test_a_system_python_stays_when_another_appears(tmp_path, sandbox):
    """At the seal nothing had to be brought, so nothing is later."""
    root = wrote(tmp_path / "repo", SHELL)
    early = tmp_path / "early"
    early.mkdir()
    text = calls("python3 sum.py\n")
    with offline(tmp_path / "cache", path=f"{early}:{SYSTEM}") as held:
        before = furnished(held, root, sandbox, CHECK, called=text)
        (early / "python3").symlink_to(python().program)
        after = furnished(held, root, sandbox, CHECK, called=text, live=False)
    assert (before.mounts, after.mounts) == ((), ())


@needs_node
def test_nothing_of_the_repository_is_a_tool(tmp_path, sandbox):
    """Whoever works there may write there; its programs are neither mounted nor asked."""
    root = wrote(tmp_path / "repo", SHELL)
    tools = apart(root / "tools/bin")
    venv(root / ".venv")
    (root / ".venv/bin/python").unlink()
    shutil.copy(python().program, root / ".venv/bin/python")
    (root / ".venv/bin/python3").unlink()
    asked: list[str] = []
    path = f"{tools}:{root}/.venv/bin:/nowhere"
    with offline(tmp_path / "cache", path=path) as held:
        real = held.search.ask

        def ask(argv: tuple[str, ...]) -> str:
            asked.append(argv[0])
            return real(argv)

        held.search = held.search._replace(ask=ask)
        for live in (True, False):
            text = calls(SCRIPT, "node x.js\n")
            layer = furnished(held, root, sandbox, CHECK, called=text, live=live)
            sources = [mount.source for mount in layer.mounts if mount.source]
            assert not any(source.is_relative_to(root) for source in sources)
    assert asked
    assert not any(Path(word).is_relative_to(root) for word in asked)


def test_a_tool_that_every_sandbox_shows_changes_no_path(tmp_path, sandbox):
    """Another order of the system's folders would mean other programs."""
    root = wrote(tmp_path / "repo", SHELL)
    with offline(tmp_path / "cache") as held:
        layer = furnished(held, root, sandbox, CHECK, called=calls("node x.js; python3 y.py\n"))
    assert (layer.env, layer.mounts) == ({}, ())


def test_findings_rest_on_the_tools_beside(tmp_path, developer):
    """A script that comes to call another tool is another ground."""
    root = wrote(tmp_path / "repo", NODE)
    recipe = detect(folder(root))
    with offline(tmp_path / "cache", path=f"{developer}/bin:{SYSTEM}") as held:
        plain, calling = (
            held.key_of(recipe, root=str(root), called=calls(text)) for text in ("", "python x.py")
        )
    assert plain != calling


@pytest.mark.parametrize(
    ("text", "tools", "pythons"),
    [
        ('x=$(node a.js) && [ "$(python3.11 b.py)" = 1 ]', ("node",), ("python3.11",)),
        ("PY ?= python\n\t$(PY) -m unittest", (), ("python",)),
        ("#!/usr/bin/env python3\n", (), ("python3",)),
        ("spawnSync('go', ['test'])", ("go",), ()),
        ("go test ./... # we go on", ("go",), ()),
        ("# go on; see node_modules, go.mod, node.js, python-dateutil and ./python", (), ()),
        (".venv/bin/python x.py; $python; @node/x", (), ()),
        ("Run it with python.", (), ("python",)),
    ],
)
def test_tools_are_read_from_a_text_by_name(text, tools, pythons):
    """A word that is part of another, or of a path, calls nothing."""
    found = mention((), root="/", called=calls(text))
    assert (found.perhaps, found.pythons) == (tools, pythons)
