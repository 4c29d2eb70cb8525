"""Locks, requirement lines and version ranges: text in, tables out."""

from __future__ import annotations

import pytest

from forsooth.judge.environment.detect import detect
from forsooth.judge.environment.difference import between, difference
from forsooth.judge.environment.locks import packages, versions
from forsooth.judge.environment.requirement import is_vcs, lines, named, pinned, poetic
from forsooth.judge.environment.specifier import is_within
from forsooth.judge.environment.tree import Tree, ancestors

LOCKS = {
    "uv.lock": (
        (
            '[[package]]\nname = "a"\nversion = "1"\nsource = {registry = "x"}\n'
            'sdist = {hash = "sha256:1"}\nwheels = [{hash = "sha256:2"}]\n'
            '[[package]]\nname = "me"\nversion = "0"\nsource = {editable = "."}\n'
            '[[package]]\nname = "g"\nversion = "2"\nsource = {git = "x"}\n'
            '[[package]]\nname = "no"\n'
        ),
        {"a": ("1",), "g": ("2",), "me": ("0",)},
    ),
    "poetry.lock": (
        (
            '[[package]]\nname = "A.b"\nversion = "1"\nfiles = [{file = "x", hash = "sha256:1"}]\n'
            '[[package]]\nname = "g"\nversion = "2"\n[package.source]\ntype = "git"\n'
        ),
        {"a-b": ("1",), "g": ("2",)},
    ),
    "pdm.lock": (
        '[[package]]\nname = "a"\nversion = "1"\n[metadata.files]\na = [{hash = "sha256:1"}, {}]\n',
        {"a": ("1",)},
    ),
    "pylock.toml": (
        '[[packages]]\nname = "a"\nversion = "1"\nwheels = [{hashes = {sha256 = "1"}}]\n',
        {"a": ("1",)},
    ),
    "Pipfile.lock": (
        (
            '{"default": {"a": {"version": "==1", '
            '"hashes": ["sha256:1"]}}, "develop": {"g": {"git": "x"}}}'
        ),
        {"a": ("1",), "g": ("",)},
    ),
    "requirements.txt": ("a==1 --hash=sha256:1\nb>=2\n", {"a": ("1",)}),
    "package-lock.json": (
        (
            '{"packages": {"": {}, "node_modules/a": {"version": "1"}, '
            '"node_modules/l": {"link": true},'
            ' "node_modules/b/node_modules/a": {"version": "2"}, "packages/x": {"version": "3"},'
            ' "node_modules/g": {"version": "1", "resolved": "git+ssh://x"}}}'
        ),
        {"a": ("1", "2"), "g": ("1",)},
    ),
    "npm-shrinkwrap.json": (
        '{"dependencies": {"a": {"version": "1", "dependencies": {"b": {"version": "2"}}}}}',
        {"a": ("1",), "b": ("2",)},
    ),
    "pnpm-lock.yaml": (
        (
            "lockfileVersion: '9.0'\n\npackages:\n\n  '@s/a@1.0.0':\n    resolution: {}\n\n"
            "  b@2.0.0(c@1.0.0):\n    resolution: {}\n\nsnapshots:\n\n  z@9.0.0: {}\n"
        ),
        {"@s/a": ("1.0.0",), "b": ("2.0.0",)},
    ),
    "yarn.lock": (
        (
            "# yarn lockfile v1\n\na@^1.0.0, a@^1.2.0:\n"
            '  version "1.2.3"\n\n"@s/b@npm:^2":\n  version: 2.0.0\n\n'
            '"me@workspace:.":\n  version: 0.0.0-use.local\n'
        ),
        {"@s/b": ("2.0.0",), "a": ("1.2.3",), "me": ("0.0.0-use.local",)},
    ),
    "go.sum": ("a.b/c v1.0.0 h1:x=\na.b/c v1.0.0/go.mod h1:y=\nbroken\n", {"a.b/c": ("v1.0.0",)}),
    "Cargo.lock": (
        (
            '[[package]]\nname = "a"\nversion = "1"\nsource = "registry+x"\n'
            '[[package]]\nname = "me"\nversion = "0"\n'
            '[[package]]\nname = "g"\nversion = "1"\nsource = "git+x"\n'
        ),
        {"a": ("1",), "g": ("1",), "me": ("0",)},
    ),
}


def tree(**files: str) -> Tree:
    return Tree(files, lambda path: files[path].encode())


@pytest.mark.parametrize("name", LOCKS)
def test_every_lock_becomes_the_same_table(name):
    """Package to versions, whatever wrote the file."""
    body, expected = LOCKS[name]
    assert versions(tree(**{name: body}), name) == expected


def test_hashes_and_sources_are_kept():
    """A package without a registry, and the bytes a lock promises, are known before installing."""
    uv = {p.name: p for p in packages(tree(**{"uv.lock": LOCKS["uv.lock"][0]}), "uv.lock")}
    assert uv["a"].hashes == ("sha256:2", "sha256:1")
    assert (uv["me"].source, uv["g"].source, uv["a"].source) == ("local", "git", "")
    pdm = packages(tree(**{"pdm.lock": LOCKS["pdm.lock"][0]}), "pdm.lock")
    assert pdm[0].hashes == ("sha256:1",)
    pylock = packages(tree(**{"pylock.toml": LOCKS["pylock.toml"][0]}), "pylock.toml")
    assert pylock[0].hashes == ("sha256:1",)
    cargo = packages(tree(**{"Cargo.lock": LOCKS["Cargo.lock"][0]}), "Cargo.lock")
    assert [p.source for p in cargo] == ["", "local", "git"]
    yarn = packages(tree(**{"yarn.lock": LOCKS["yarn.lock"][0]}), "yarn.lock")
    assert [p.source for p in yarn] == ["", "", "local"]
    npm = LOCKS["package-lock.json"][0]
    found = packages(tree(**{"package-lock.json": npm}), "package-lock.json")
    assert {p.name: p.source for p in found}["g"] == "git"


def test_what_is_no_lock_is_empty():
    """An absent or foreign file holds no packages."""
    assert packages(tree(), "uv.lock") == ()
    assert packages(tree(**{"notes.md": "a==1"}), "notes.md") == ()
    assert packages(tree(**{"pnpm-lock.yaml": "lockfileVersion: 9\n"}), "pnpm-lock.yaml") == ()


def test_a_package_difference_reads_like_a_diff():
    """Added, removed and moved packages, one a line."""
    old = {"a": ("1",), "b": ("1", "2"), "c": ("1",)}
    new = {"a": ("1",), "b": ("2",), "d": ("3",)}
    assert difference(old, new) == ("~ b 1, 2 → 2", "- c 1", "+ d 3")


def test_two_trees_differ_by_what_their_locks_hold():
    """A changed lock is told as packages, an unchanged one not at all."""
    manifest = '{"name": "x", "scripts": {"test": "tape"}}'
    old = tree(**{"package.json": manifest, "package-lock.json": LOCKS["package-lock.json"][0]})
    new = tree(**{"package.json": manifest, "package-lock.json": '{"packages": {}}'})
    before, after = detect(old), detect(new)
    assert between(old, old, before=before, after=before) == ()
    assert between(old, new, before=before, after=after) == ("- a 1, 2", "- g 1")


def test_without_locks_the_wishes_are_compared():
    """What is asked for is the next best thing to what is installed."""
    old, new = tree(**{"requirements.txt": "a>=1\n"}), tree(**{"requirements.txt": "a>=2\nb\n"})
    found = between(old, new, before=detect(old), after=detect(new))
    assert found == ("~ a >=1 → >=2", "+ b any version")


def test_a_lock_that_appears_is_said():
    """From resolved to locked is a change of its own."""
    one = {"pyproject.toml": '[project]\nname = "x"\n'}
    old, new = tree(**one), tree(**one, **{"uv.lock": "version = 1\n"})
    found = between(old, new, before=detect(old), after=detect(new))
    same = "dependency tables changed; the same packages result"
    assert found == ("~ lock none → uv.lock", same)


def test_a_wish_that_the_lock_does_not_know_is_told():
    """The lock was left as it was."""
    text = '[project]\nname = "x"\ndependencies = ["a"{}]\n'
    old, new = (
        tree(**{"pyproject.toml": text.format(more), "uv.lock": "version = 1\n"})
        for more in ("", ', "b>=2"')
    )
    assert between(old, new, before=detect(old), after=detect(new)) == ("+ b >=2",)


SETUP = "from setuptools import setup\n{}\nsetup(name='x', {})\n"
SAME = ("dependency tables changed; the same packages result",)
TOLD = ("~ setup.py, which says what is needed",)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (("", ""), ("", "install_requires=['b']"), TOLD),
        (("", "version='1'"), ("", "version='2'"), SAME),
        (("x = 1", "install_requires=wanted()"), ("x = 2", "install_requires=wanted()"), TOLD),
        (("x = 1", "**more"), ("x = 2", "**more"), TOLD),
        (("x = 1", "1 1"), ("x = 2", "1 1"), TOLD),
    ],
)
def test_a_setup_script_is_read_for_what_it_needs(old, new, told):
    """Written out, by its values; worked out, as a whole."""
    was, now = (tree(**{"setup.py": SETUP.format(*one), "t/test_a.py": ""}) for one in (old, new))
    assert between(was, now, before=detect(was), after=detect(now)) == told


def test_requirement_lines_are_sorted():
    """Names, pins and repositories are told apart without resolving."""
    assert named("Zope.Interface[x]>=1 ; python_version<'3'") == "zope-interface"
    assert named("./local") == ""
    assert pinned("a[b]==1.0 ; x") == ("a", "1.0")
    assert pinned("a==1.*") is None
    assert pinned("a>=1") is None
    assert is_vcs("a @ git+https://x/y")
    assert is_vcs("git+ssh://x")
    assert not is_vcs("digit>=1")


def test_requirement_files_that_include_each_other_end():
    """Every file is read once."""
    files = tree(**{"a.txt": "-r b.txt\nx\n", "b.txt": "--requirement=a.txt\n-e .\ny\n"})
    found = lines(files, "a.txt")
    assert (found.wants, found.reads) == (("x", "y"), ("a.txt", "b.txt"))


POEMS = [
    ("*", "a"),
    ("^1.2.3", "a>=1.2.3,<2"),
    ("^0.2", "a>=0.2,<0.3"),
    ("^0.0", "a>=0.0,<0.1"),
    ("~1", "a>=1,<2"),
    ("~1.2", "a>=1.2,<1.3"),
    ("~=1.2", "a~=1.2"),
    ("1.5", "a==1.5"),
    (">= 1, < 3", "a>=1,<3"),
    ({"version": "^1", "python": "<3.11"}, 'a>=1,<2 ; (python_version < "3.11")'),
    ({"version": "*", "markers": "x == 'y'", "extras": ["z"]}, "a[z] ; (x == 'y')"),
    ({"git": "https://h/x"}, "a @ git+https://h/x"),
    ({"path": "../a"}, "a @ ../a"),
    (3, "a"),
]


@pytest.mark.parametrize(("given", "expected"), POEMS)
def test_poetry_ranges_are_translated(given, expected):
    """A caret means the same to another resolver."""
    assert poetic("a", given) == expected


RANGES = [
    ("3.11.7", ">=3.9", True),
    ("3.11.7", ">=3.9,<3.11", False),
    ("3.11.7", "<=3.11", False),
    ("3.11.7", "==3.11.*", True),
    ("3.11.7", "==3.11", True),
    ("3.11.7", "!=3.11.*", False),
    ("3.11.7", "!=3.11.6", True),
    ("3.11.7", "~=3.10", True),
    ("3.11.7", "~=3.10.1", False),
    ("3.11.7", ">3.11.7", False),
    ("20.1.0", "^18 || >=20", True),
    ("18.5.0", "^18.2", True),
    ("18.5.0", "~18.4", False),
    ("20.1.0", ">=18 <20", False),
    ("20.1.0", "20.x", True),
    ("1.2", "what is this", True),
]


@pytest.mark.parametrize(("version", "wanted", "expected"), RANGES)
def test_ranges_choose_interpreters(version, wanted, expected):
    """Python's and npm's ways of writing a range are both read."""
    assert is_within(version, wanted) is expected


def test_ancestors_lead_to_the_root():
    """The nearest folder comes first, the root last."""
    assert ancestors("a/b/c") == ("a/b/c", "a/b", "a", "")
    assert ancestors("") == ("",)
