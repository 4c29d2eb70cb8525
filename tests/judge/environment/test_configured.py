"""forsooth.toml over detection: what a person writes wins, what they leave out stays."""

from __future__ import annotations

import pytest

from forsooth.errors import UsageError
from forsooth.judge.environment.configured import argvs, configured, projects, understood
from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.prepare.step import registry_settings
from forsooth.judge.environment.tree import Tree

FILES = {"package.json": '{"scripts": {"test": "tape"}}', "deps.lock": "1"}
TREE = Tree(FILES, lambda path: FILES[path].encode())


def test_prepare_takes_the_place_of_detection():
    """A person's own commands, the files that key them, and the folders to keep."""
    settings = {
        "prepare": ["make deps", ["echo", "a b"]],
        "reads": ["deps.lock", "gone"],
        "keeps": ["vendor"],
    }
    recipe = configured(settings, TREE, detected=detect(TREE))
    assert (recipe.kind, recipe.manager) == ("custom", "node")
    assert recipe.prepare == (("make", "deps"), ("echo", "a b"))
    assert recipe.keeps == ("vendor",)
    assert recipe.missing == ("gone is named in `reads` but absent.",)
    assert recipe.explains[0].endswith("make deps; echo 'a b'.")


def test_the_key_follows_the_files_that_are_read():
    """Another lock is another layer."""
    settings = {"prepare": "make deps", "reads": ["deps.lock"]}
    other = Tree(FILES, lambda path: b"2" if path == "deps.lock" else FILES[path].encode())
    detected = detect(TREE)
    one = configured(settings, TREE, detected=detected)
    assert one.key != configured(settings, other, detected=detected).key
    assert one.key != detected.key


def test_a_test_command_and_a_service_can_be_set_alone():
    """The environment stays as it was detected."""
    detected = detect(TREE)
    recipe = configured(
        {"test": "npx vitest run", "before": ["pg_ctl start"]}, TREE, detected=detected
    )
    assert (recipe.kind, recipe.key) == ("node", detected.key)
    assert (recipe.test_command, recipe.runner) == (("npx", "vitest", "run"), "vitest")
    assert recipe.before == (("pg_ctl", "start"),)
    assert configured({"test": "make check"}, TREE, detected=detected).runner == "tape"


def test_unknown_keys_are_refused():
    """A typing error must not silently leave the default in force."""
    with pytest.raises(UsageError, match="prepair"):
        configured({"prepair": "x"}, TREE, detected=detect(TREE))


@pytest.mark.parametrize("value", ["", [], [""], [[]], 3])
def test_what_is_no_command_is_refused(value):
    """An empty command would prepare nothing and say it did."""
    with pytest.raises(UsageError):
        argvs(value, "prepare")


def test_only_where_a_registry_is_passes_through_never_who_asks():
    """Preparing has network, so it may not have secrets."""
    given = {
        "HTTPS_PROXY": "http://proxy:3128",
        "https_proxy": "http://me:secret@proxy:3128",
        "NPM_TOKEN": "x",
        "UV_INDEX_URL": "https://index/simple",
        "AWS_SECRET_ACCESS_KEY": "x",
    }
    assert set(registry_settings(given)) == {"HTTPS_PROXY", "UV_INDEX_URL"}


def test_sub_projects_are_those_a_person_named_or_those_found():
    """A test command of the person's own is run where it was written: at the root."""
    files = {
        "pyproject.toml": b"[project]\nname='all'\n",
        "a/pyproject.toml": b"[project]\nname='a'\n",
        "a/tests/test_a.py": b"",
        "b/pyproject.toml": b"[project]\nname='b'\n",
    }
    assert projects({}, files) == ("", "a", "b")
    named = {"projects": ["a", "b/"]}
    assert projects(named, files) == ("a", "b")
    assert projects({"test": ["make check"]}, files) == ("",)
    assert projects({**named, "test": ["make check"]}, files) == ("a", "b")
    assert projects({}, {"x.txt": b""}) == ("",)
    assert understood({"test": ["make check"]}, files, subproject="a").test_command == (
        "make",
        "check",
    )
