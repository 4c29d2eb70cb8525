"""A runner's settings come back as sealed, and every other byte stays as delivered."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forsooth.judge.settings import has_settings, is_merged, merged

PYPROJECT = b"""\
[project]  # of ours
name = "pkg"

# how tests are run
[tool.pytest.ini_options]
addopts = "-q"
testpaths = ["tests"]

[tool.other]
x = 1
"""


def test_everything_but_the_settings_stays_byte_for_byte():
    """Comments, order and spacing of what is delivered are kept; the sealed tables stand last."""
    now = PYPROJECT.replace(b'"-q"', b'"-k no"').replace(b"x = 1", b"x =   2 # why")
    found = merged("pyproject.toml", PYPROJECT, now)
    assert b"x =   2 # why" in found
    assert b"[project]  # of ours" in found
    assert b"-k no" not in found
    assert tomllib.loads(found.decode())["tool"]["pytest"] == {
        "ini_options": {"addopts": "-q", "testpaths": ["tests"]}
    }


def test_equal_settings_leave_the_delivered_file_as_it_is():
    """However they are written."""
    now = PYPROJECT.replace(b'"-q"', b"'-q'").replace(b"x = 1", b"x = 2")
    assert merged("pyproject.toml", PYPROJECT, now) == now


@pytest.mark.parametrize(
    "now",
    [
        b"not toml = = =",
        b'tool.pytest.ini_options.addopts = "-k no"\n[project]\nname = "pkg"\n',
        b'[tool]\npytest = {ini_options = {addopts = "-k no"}}\n',
        b'[project]\nname = "p"\nx = """\n[tool.pytest.ini_options]\n"""\n[tool.pytest]\ny = 1\n',
        b"\xff\xfe",
    ],
)
def test_a_file_that_cannot_be_taken_apart_comes_back_whole(now: bytes):
    """Unsure is sealed."""
    assert merged("pyproject.toml", PYPROJECT, now) == PYPROJECT


def test_a_plug_in_for_the_runner_is_a_setting():
    """A package may not lend itself to the runner that judges it."""
    now = PYPROJECT + b'\n[project.entry-points.pytest11]\nevil = "pkg.evil"\n'
    assert b"pytest11" not in merged("pyproject.toml", PYPROJECT, now)
    entry = b"[options.entry_points]\npytest11 =\n  evil = pkg\n"
    assert merged("setup.cfg", b"[metadata]\nname = p\n", entry) == b"[metadata]\nname = p\n"


def test_sections_of_an_ini_come_back():
    """New ones go, changed ones are as sealed, others stay."""
    sealed = b"[metadata]\nname = p\n\n[tool:pytest]\naddopts = -q\n\n"
    sealed += b"[coverage:report]\nfail_under = 90\n"
    now = b"[metadata]\nname = q  \n[coverage:report]\nfail_under = 1\n[pytest]\naddopts = -k no\n"
    found = merged("setup.cfg", sealed, now)
    assert found.startswith(b"[metadata]\nname = q  \n")
    assert b"fail_under = 90" in found
    assert b"addopts = -q" in found
    assert b"-k no" not in found


def test_a_section_that_only_the_parser_sees_brings_the_sealed_file_back():
    """An indented header cannot be cut out as text."""
    sealed, now = b"[metadata]\nname = p\n", b"[metadata]\n [pytest]\naddopts = -k no\n"
    assert merged("setup.cfg", sealed, now) == sealed


def package(**keys: Any) -> bytes:
    return json.dumps({"name": "p", **keys}, indent=2).encode()


def test_scripts_that_test_are_sealed_with_all_they_call():
    """And with what runs before and after them; a new script of another name stays."""
    sealed = package(scripts={"test": "npm run unit", "unit": "vitest run", "build": "tsc"})
    cheat = {
        "test": "npm run unit || true",
        "unit": "true",
        "pretest": "rm -r tests",
        "build": "vite build",
        "start": "node .",
    }
    now = package(scripts=cheat, jest={"testMatch": []}, dependencies={"x": "1"})
    found = json.loads(merged("package.json", sealed, now))
    wanted = {
        "test": "npm run unit",
        "unit": "vitest run",
        "build": "vite build",
        "start": "node .",
    }
    assert found["scripts"] == wanted
    assert "jest" not in found
    assert found["dependencies"] == {"x": "1"}


def test_a_script_that_the_criterion_asks_for_is_sealed_whatever_its_name():
    """Only when asked for."""
    sealed, now = package(scripts={"prove": "x"}), package(scripts={"prove": "true"})
    assert merged("package.json", sealed, now) == now
    assert b'"x"' in merged("package.json", sealed, now, wanted=["prove"])


def test_a_package_s_own_name_for_a_check_is_sealed():
    """Others may lead elsewhere, and new ones stay."""
    sealed = package(imports={"#check": "./vendor/check.js", "#lib": "./lib/a.js"})
    own = {"#check": "./lib/check.js", "#lib": "./lib/b.js", "#new": "./n.js"}
    found = json.loads(merged("package.json", sealed, package(imports=own)))
    assert found["imports"] == {**own, "#check": "./vendor/check.js"}
    assert has_settings("package.json", sealed)
    assert not has_settings("package.json", package(imports={"#lib": "./lib/a.js"}))


def test_a_first_test_script_stays():
    """Nothing was sealed under its name."""
    sealed, now = package(), package(scripts={"test": "vitest run"})
    assert merged("package.json", sealed, now) == now


def test_targets_and_profiles_of_a_crate_come_back():
    """Dependencies stay as delivered; a harness switched off comes back whole."""
    sealed = b'[package]\nname = "p"\n\n[[test]]\nname = "it"\n'
    now = sealed.replace(b"[[", b'[dependencies]\nx = "1"\n\n[[') + b"harness = false\n"
    found = tomllib.loads(merged("Cargo.toml", sealed, now).decode())
    assert found["test"] == [{"name": "it"}]
    assert found["dependencies"] == {"x": "1"}
    off = sealed + b"[lib]\nharness = false\n"
    assert merged("Cargo.toml", sealed, off) == sealed


NAMES = st.sampled_from(
    ["tool.pytest.ini_options", "tool.coverage.run", "tool.x", "project", "a.b"]
)
VALUES = st.sampled_from(["1", '"[tool.x]"', '"""\n[tool.coverage.run]\nq = 1\n"""', "[\n1,\n]"])
TABLES = st.dictionaries(NAMES, st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=2))


def as_toml(tables: dict[str, dict[str, str]]) -> bytes:
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in rows.items())
        for name, rows in tables.items()
    ]
    return "".join(lines).encode()


def is_own(path: tuple[str, ...]) -> bool:
    return path[:2] in {("tool", "pytest"), ("tool", "coverage")}


def flat(data: Any, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    if not isinstance(data, dict):
        return {above: data}
    return {k: v for key, value in data.items() for k, v in flat(value, (*above, key)).items()}


@settings(max_examples=200, deadline=None)
@given(sealed=TABLES, now=TABLES)
def test_any_merge_means_the_rest_as_delivered_and_the_settings_as_sealed(
    sealed: dict[str, dict[str, str]], now: dict[str, dict[str, str]]
):
    """Or it is the sealed file whole."""
    was, is_ = as_toml(sealed), as_toml(now)
    found = merged("pyproject.toml", was, is_)
    if found == was:
        return
    means = flat(tomllib.loads(found.decode()))
    rest = {k: v for k, v in flat(tomllib.loads(is_.decode())).items() if not is_own(k)}
    own = {k: v for k, v in flat(tomllib.loads(was.decode())).items() if is_own(k)}
    assert means == rest | own


@settings(max_examples=150, deadline=None)
@given(
    sealed=st.binary(max_size=60) | st.text("[]=:p\n ytes{}\"'").map(str.encode),
    now=st.binary(max_size=60) | st.text("[]=:p\n ytes{}\"'").map(str.encode),
    path=st.sampled_from(
        ["pyproject.toml", "a/setup.cfg", "tox.ini", "package.json", "Cargo.toml"]
    ),
)
def test_any_bytes_give_bytes(sealed: bytes, now: bytes, path: str):
    """No file can stop the judge."""
    assert is_merged(path)
    assert isinstance(merged(path, sealed, now), bytes)
    assert has_settings(path, now) in (True, False)


def test_a_file_that_is_no_product_comes_back_whole():
    """There is nothing to keep of it."""
    assert merged("pytest.ini", b"a", b"b") == b"a"
    assert not has_settings("pytest.ini", b"[pytest]\n")


GO_MOD = b"""\
module m

go 1.22

require (
\tc.d/check v0.1.0 // compares
\te.f/g v1.0.0
)

replace e.f/g => ./g
"""


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (GO_MOD + b"replace c.d/check => ./soft\n", GO_MOD),
        (GO_MOD + b"replace (\n\tc.d/check v0.1.0 => ./soft\n)\n", GO_MOD + b"replace (\n)\n"),
        (GO_MOD.replace(b"./g", b"./h"), GO_MOD),
        (GO_MOD.replace(b"replace e.f/g => ./g\n", b""), GO_MOD),
        (GO_MOD.replace(b"v0.1.0", b"v0.2.0"), GO_MOD.replace(b"v0.1.0", b"v0.2.0")),
        (GO_MOD + b"require x.y/z v1.0.0\nreplace x.y/z => ./z", None),
    ],
)
def test_modules_that_were_there_are_not_replaced(now: bytes, found: bytes | None):
    """A new module may be, and versions are dependencies: they stay as delivered."""
    assert merged("go.mod", GO_MOD, now).split() == (now if found is None else found).split()


def test_a_module_file_has_settings_when_it_replaces():
    """A first go.mod is product."""
    assert has_settings("go.mod", GO_MOD)
    assert not has_settings("go.mod", b"module m\n")
