"""Prepared, else borrowed, else an error that says what to do; never what is live."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import view
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.project import install_project
from forsooth.judge.environment.tree import folder
from tests.judge.environment.developer import PYTEST, VERSION, offline, venv, wrote
from tests.judge.environment.place import project, python, ran
from tests.tools import needs

BARE = {"test_rates.py": "import rates\n\n\ndef test_tax():\n    assert rates.TAX == 19\n"}
RUN = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
MANIFEST = '[project]\nname = "till"\nversion = "1"\ndependencies = ["rates"]\n'
BUILT = '[build-system]\nrequires = ["setuptools"]\n'


@pytest.fixture(scope="module")
def active(tmp_path_factory):
    """A developer's venv with pytest and one more package."""
    made = venv(tmp_path_factory.mktemp("developer") / "venv", *PYTEST)
    wrote(
        view.site_of(made, VERSION),
        {
            "rates/__init__.py": "TAX = 19\n",
            "rates-2.0.dist-info/METADATA": "Name: rates\nVersion: 2.0\n",
        },
    )
    return made


@pytest.fixture
def own(tmp_path, active):
    """A copy of that venv which a test may spoil."""
    made = venv(tmp_path / "developer")
    site = view.site_of(made, VERSION)
    shutil.copytree(view.site_of(active, VERSION), site, dirs_exist_ok=True)
    return made


def repo(tmp_path, **files: str):
    return wrote(tmp_path / "repo", {**BARE, **files})


def furnished(held, root, sandbox, **options):
    recipe = options.pop("recipe", None) or detect(folder(root))
    options.setdefault("argvs", (RUN,))
    return held.furnish(recipe, source=root, root=str(root), sandbox=sandbox, **options)


def test_a_bare_repository_is_judged_offline_with_no_set_up(tmp_path, active, sandbox):
    """What works for the developer works in the judge, and the layer says where it is from."""
    root = repo(tmp_path)
    with offline(tmp_path / "cache", active=active) as held:
        layer = furnished(held, root, sandbox)
        done = ran(sandbox, layer, RUN, copy=root, root=str(root))
    assert (done.exit, b"1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert layer.how == "borrowed"
    assert layer.notes[0] == (
        f"Dependencies are a copy of what was installed in {active}:"
        " no manifest says what it needs."
    )


def test_a_package_patched_after_the_seal_is_not_seen(tmp_path, own, sandbox):
    """The plain run is fooled by the patch; the judge still sees what was there before."""
    root = repo(tmp_path, **{"test_rates.py": BARE["test_rates.py"].replace("19", "0")})
    with offline(tmp_path / "cache", active=own) as held:
        furnished(held, root, sandbox)
    (view.site_of(own, VERSION) / "rates/__init__.py").write_text("TAX = 0\n")
    plain = subprocess.run([own / "bin/python", *RUN[1:]], cwd=root, check=False)
    with offline(tmp_path / "cache", active=own) as held:
        layer = furnished(held, root, sandbox, live=False)
        done = ran(sandbox, layer, RUN, copy=root, root=str(root))
    assert plain.returncode == 0
    assert (done.exit, b"1 failed" in done.stdout) == (1, True)


def test_without_a_registry_what_is_installed_stands_in(tmp_path, active, sandbox):
    """A project with a manifest is borrowed for when its packages cannot be fetched."""
    root = repo(tmp_path, **{"pyproject.toml": MANIFEST + BUILT, "src/till/__init__.py": ""})
    (root / "test_till.py").write_text("import till\n\n\ndef test(): pass\n")
    with offline(tmp_path / "cache", active=active) as held:
        layer = furnished(held, root, sandbox)
        into = tmp_path / "run"
        into.mkdir()
        layer = install_project(held, layer, copy=root, root=str(root), into=into, sandbox=sandbox)
        done = ran(sandbox, layer, RUN, copy=root, root=str(root))
    assert (done.exit, b"2 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "uv" in layer.notes[0]
    assert layer.notes[-1].startswith("The project is seen by path")


def test_once_work_has_begun_nothing_live_is_copied(tmp_path, active, sandbox):
    """A copy made then would hold whatever the agent did to it."""
    with (
        offline(tmp_path / "cache", active=active) as held,
        pytest.raises(CouldNotVerify) as caught,
    ):
        furnished(held, repo(tmp_path, **{"pyproject.toml": MANIFEST}), sandbox, live=False)
    assert caught.value.code == "environment:no-network"
    assert "no environment was copied before the work began" in caught.value.message


def test_a_dependency_added_since_the_copy_is_named(tmp_path, own, sandbox):
    """It is not there in the judge; that is no failure of the work."""
    root = repo(tmp_path, **{"pyproject.toml": MANIFEST})
    with offline(tmp_path / "cache", active=own) as held:
        furnished(held, root, sandbox)
        (root / "pyproject.toml").write_text(MANIFEST.replace('"rates"', '"rates", "coins>=2"'))
        with pytest.raises(CouldNotVerify, match="coins was not installed when") as caught:
            furnished(held, root, sandbox, live=False)
    assert caught.value.code == "environment:no-network"


def test_what_a_registry_refuses_is_borrowed_whole_or_not_at_all(tmp_path, own, sandbox):
    """Half an environment would fail for another reason than the one that counts."""
    wanted = MANIFEST.replace('"rates"', '"rates @ git+https://example.org/rates"')
    root = repo(tmp_path, **{"pyproject.toml": wanted})
    with offline(tmp_path / "cache", active=own) as held:
        assert furnished(held, root, sandbox).how == "borrowed"
        shutil.rmtree(view.site_of(own, VERSION) / "rates-2.0.dist-info")
        with pytest.raises(CouldNotVerify, match="lacks rates") as caught:
            furnished(held, root, sandbox)
    assert caught.value.code == "environment:vcs-dependency"


def test_a_copy_that_was_touched_is_not_used(tmp_path, own, sandbox):
    """Whoever can write there could patch the copy instead."""
    root = repo(tmp_path)
    with offline(tmp_path / "cache", active=own) as held:
        layer = furnished(held, root, sandbox)
    (view.site_of(layer.folder / "env", VERSION) / "rates/__init__.py").write_text("TAX = 0\n")
    with offline(tmp_path / "cache", active=own) as held, pytest.raises(CouldNotVerify) as caught:
        furnished(held, root, sandbox, live=False)
    assert "is gone or was changed" in caught.value.message


@pytest.mark.parametrize("word", ["python", "python3", "pytest"])
def test_an_interpreter_named_by_its_path_works_inside(tmp_path, own, sandbox, word):
    """A command keeps its own Python, as it was when it was copied."""
    root = repo(tmp_path)
    (own / "bin/pytest").write_text(
        f"#!{own}/bin/python\nimport sys, pytest\nsys.exit(pytest.main())\n"
    )
    (own / "bin/pytest").chmod(0o755)
    argv = (f"{own}/bin/{word}", *(RUN[1:] if word != "pytest" else RUN[3:]))
    with offline(tmp_path / "cache") as held:
        layer = furnished(held, root, sandbox, argvs=(argv,))
        (view.site_of(own, VERSION) / "rates/__init__.py").write_text("TAX = 0\n")
        done = ran(sandbox, layer, argv, copy=root, root=str(root))
    assert (done.exit, b"1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert f"{own} is named by a command" in layer.notes[0]


def test_an_installation_named_by_its_path_works_inside(tmp_path, active, sandbox):
    """Its packages are a copy, its standard library is bound."""
    root = repo(tmp_path)
    program = python().program
    argv = (str(program), "-m", "pytest")
    with offline(tmp_path / "cache") as held:
        small = str(view.site_of(active, VERSION))
        real = held.search.ask
        held.search = held.search._replace(
            ask=lambda words: small if "getsitepackages" in words[-1] else real(words)
        )
        layer = furnished(held, root, sandbox, argvs=(argv,))
    assert layer.aliases == {small: f"lib/python{VERSION}/site-packages"}
    assert [m.source for m in layer.mounts if m.target == small] == [
        view.site_of(layer.folder / "env", VERSION)
    ]
    argv = (str(program), "-c", f"import sys; sys.path.append({small!r}); import rates; print(1)")
    assert ran(sandbox, layer, argv, copy=root, root=str(root)).stdout == b"1\n"


def test_of_an_installation_only_what_the_repository_uses_is_copied(tmp_path, own, sandbox):
    """By what files import, with all it requires; what work comes to use later is named."""
    site = view.site_of(own, VERSION)
    for name, wants in {"rates": "coins", "coins": "", "years_of_other_work": ""}.items():
        info = {"METADATA": f"Name: {name}\nRequires-Dist: {wants}\n", "RECORD": f"{name}/x.py,,\n"}
        wrote(site / f"{name}-2.0.dist-info", info)
        wrote(site / name, {"x.py": ""})
    root = repo(tmp_path)
    path = f"{python().program.parent}:/usr/bin:/bin"
    with offline(tmp_path / "cache", path=path) as held:
        real = held.search.ask
        held.search = held.search._replace(
            ask=lambda words: str(site) if "getsitepackages" in words[-1] else real(words)
        )
        layer = furnished(held, root, sandbox)
        there = {path.name for path in view.site_of(layer.folder / "env", VERSION).iterdir()}
        wrote(site, {"helper/__init__.py": "", "helper.py": ""})
        wrote(root, {"tools/helper.py": "", "tools/run.py": "import helper\n"})
        assert furnished(held, root, sandbox, live=False).key == layer.key
        (root / "test_rates.py").write_text("import nobody_has, years_of_other_work\n")
        with pytest.raises(CouldNotVerify, match="years_of_other_work was not copied") as caught:
            furnished(held, root, sandbox, live=False)
    assert {"rates", "coins", "pytest", "_pytest", "pluggy"} <= there
    assert "years_of_other_work" not in there
    assert caught.value.hint == "have the environment copied again: forsooth seal --again"


def test_the_venv_of_the_tool_itself_is_not_taken_for_the_repositorys(
    tmp_path, own, sandbox, monkeypatch
):
    """It holds what the tool needs, which nobody's tests do; another venv is taken whole."""
    root = repo(tmp_path)
    site = view.site_of(own, VERSION)
    wrote(site / "judges_own", {"__init__.py": ""})
    there: list[bool] = []
    for prefix in (str(own), sys.prefix):
        monkeypatch.setattr(sys, "prefix", prefix)
        with offline(tmp_path / "cache" / str(len(there)), active=own) as held:
            env = furnished(held, root, sandbox).folder / "env"
        there.append((view.site_of(env, VERSION) / "judges_own").exists())
        monkeypatch.undo()
    assert there == [False, True]


def test_the_repositorys_own_venv_is_named_by_path_and_never_run(tmp_path, sandbox):
    """Whoever wrote the repository may have written its interpreter; only files are read."""
    root = project(tmp_path / "repo")
    venv(root / ".venv", *PYTEST)
    (root / ".venv/bin/python").unlink()
    (root / ".venv/bin/python").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (root / ".venv/bin/python").chmod(0o755)
    argv = (".venv/bin/python", *RUN[1:])
    with offline(tmp_path / "cache") as held:
        layer = furnished(held, root, sandbox, argvs=(argv,))
        into = tmp_path / "run"
        into.mkdir()
        copy = tmp_path / "copy"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".venv"))
        layer = install_project(held, layer, copy=copy, root=str(root), into=into, sandbox=sandbox)
        done = ran(sandbox, layer, argv, copy=copy, root=str(root))
    assert (done.exit, b"1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_runner_a_command_names_is_brought_along(tmp_path, active, sandbox):
    """Nothing in the tree says pytest, only the criterion does."""
    root = wrote(tmp_path / "repo", {"check.py": "def test_x(): pass\n"})
    argv = (*RUN, "check.py")
    with offline(tmp_path / "cache", active=active) as held:
        layer = furnished(held, root, sandbox, argvs=(argv,))
        done = ran(sandbox, layer, argv, copy=root, root=str(root))
    assert (done.exit, b"1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_runner_nobody_has_is_an_error_with_both_remedies(tmp_path, sandbox):
    """Neither a registry nor this machine has it; the message says so, and what would help."""
    root = repo(tmp_path)
    with offline(tmp_path / "cache") as held, pytest.raises(CouldNotVerify) as caught:
        furnished(held, root, sandbox, argvs=(("python", "-m", "nose2"),))
    assert caught.value.code == "environment:nothing-to-borrow"
    assert "no Python on this machine has nose2" in caught.value.message
    assert "python -m pip install nose2" in (caught.value.hint or "")


@needs("npm")
def test_node_modules_stand_in_when_the_registry_cannot_be_reached(tmp_path, sandbox):
    """As with Python: a copy, at its place in the repository."""
    root = wrote(
        tmp_path / "repo",
        {
            "package.json": '{"dependencies": {"till": "1"}, "scripts": {"test": "node --test"}}',
            "node_modules/till/index.js": "module.exports = 19\n",
            "node_modules/till/package.json": '{"name": "till", "version": "1.0.0"}',
        },
    )
    argv = ("node", "-e", "console.log(require('till'))")
    path = ":".join(("/usr/bin:/bin", str(shutil.which("node")).rpartition("/")[0]))
    with offline(tmp_path / "cache", path=path) as held:
        layer = furnished(held, root, sandbox, argvs=(argv,))
        (root / "node_modules/till/index.js").write_text("module.exports = 0\n")
        done = ran(sandbox, layer, argv, copy=root, root=str(root))
        again = furnished(held, root, sandbox, argvs=(argv,), live=False)
    assert done.stdout == b"19\n", done.stderr
    assert again.key == layer.key


def test_findings_rest_on_recipe_toolchain_and_copy(tmp_path, own, sandbox):
    """Another copy or another recipe is another ground; the same is the same."""
    root = repo(tmp_path)
    recipe = detect(folder(root))
    with offline(tmp_path / "cache", active=own) as held:
        keys = [held.key_of(recipe, root=str(root), argvs=(RUN,)) for _ in range(2)]
        furnished(held, root, sandbox)
        keys.append(held.key_of(recipe, root=str(root), argvs=(RUN,)))
        (view.site_of(own, VERSION) / "rates/__init__.py").write_text("TAX = 0\n")
        furnished(held, root, sandbox)
        keys.append(held.key_of(recipe, root=str(root), argvs=(RUN,)))
        keys.append(held.key_of(recipe.but(interpreter="==2.0"), root=str(root)))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4
