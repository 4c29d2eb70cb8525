"""A change outside the fence is seen, whatever it is dressed up as."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.core.check import ScopeParams
from forsooth.core.plan import Fence, Goal
from forsooth.core.verdict import Finding
from forsooth.git.trees import Change
from forsooth.judge.checks import scope
from forsooth.judge.neighbour import Neighbour
from tests.judge.checks.place import Bench, Tree
from tests.requirements import requirement

FILE, EXEC, LINK, SUBMODULE, NONE = "100644", "100755", "120000", "160000", "000000"


def change(path: str, status: str = "M", old: str = FILE, new: str = FILE, **more: Any) -> Change:
    return Change(path, status, old, new, "a" * 40, "b" * 40, **more)


def judged(*changes: Change, touch: Any = (), never: Any = (), **tree: Any) -> tuple[str, ...]:
    look = Tree(changes=changes, **tree)
    there = Bench(look=look, fence=Fence(touch=tuple(touch), never=tuple(never)))
    finding = there.finds("scope")
    return finding.outcome, finding.code, finding.reason


SRC = ("src/**", "tests/**")


@requirement("R113")
@pytest.mark.parametrize(
    ("path", "touch", "never", "code"),
    [
        ("src/a/b.py", SRC, (), "pass"),
        ("docs/a.md", SRC, (), "outside"),
        ("src", SRC, (), "outside"),
        ("srcs/a", SRC, (), "outside"),
        ("src/a.py", ("src",), (), "pass"),
        ("src/a.py", ("src/",), (), "pass"),
        ("src/a/b.py", ("src/*",), (), "outside"),
        ("src/a.py", ("src/*.{py,pyi}",), (), "pass"),
        ("src/a.rs", ("src/*.{py,pyi}",), (), "outside"),
        ("anything", (), (), "pass"),
        ("anything", (), ("other",), "pass"),
        ("secret/key", (), ("secret/**",), "never"),
        ("src/gen/a.py", SRC, ("src/gen/**",), "never"),
        (".github/workflows/ci.yml", (), (".github",), "never"),
    ],
)
def test_a_change_is_inside_touch_and_outside_never(path: str, touch: Any, never: Any, code: str):
    """An empty touch list means anywhere but the never list."""
    found = judged(change(path), touch=touch, never=never)
    assert found[:2] == ("pass" if code == "pass" else "fail", code)


@pytest.mark.parametrize(
    ("path", "code"),
    [("docs/a.md", "pass"), ("docs/gen/a.md", "outside"), ("a.md", "outside"), ("key", "never")],
)
def test_what_another_goal_may_touch_is_that_goal_s(path: str, code: str):
    """Both lie in one tree; a goal without a fence that nobody began allows nothing to others."""
    docs = Fence(touch=("docs/**", "key"), never=("docs/gen/**",))
    assert beside(path, other(docs, is_open=True), other(Fence(), is_open=True)).code == code


def other(fence: Fence, **more: Any) -> Neighbour:
    return Neighbour(Goal(id="G002", title="t", objective="o", fence=fence), **more)


def beside(path: str, *others: Neighbour, own: tuple[str, ...] = ()) -> Finding:
    """What is found of a change by a goal that may only change the sources."""
    there = Bench(look=Tree(changes=(change(path),)), fence=Fence(touch=SRC, never=("key",)))
    ctx = there.context("scope")._replace(beside=others, own=own)
    return scope.run(ScopeParams(), ctx)


@pytest.mark.parametrize("path", ["docs/a.md", "key"])
@pytest.mark.parametrize(
    ("fence", "same", "passes"),
    [
        (Fence(), True, True),
        (Fence(touch=("docs/**", "key")), True, True),
        (Fence(never=("docs/**", "key")), True, False),
        (Fence(), False, False),
        (Fence(touch=("docs/**", "key")), False, False),
    ],
)
def test_what_another_goal_was_proven_with_is_no_offence(
    path: str, fence: Fence, *, same: bool, passes: bool
):
    """It must be as that goal left it, and where that goal may go."""
    done = other(fence, tree="a" * 40, same=frozenset({path} if same else ()))
    found = beside(path, done)
    assert (found.outcome == "pass") is passes
    assert not found.flags


@pytest.mark.parametrize(("never", "passes"), [((), True), (("docs/**",), False)])
def test_work_on_a_goal_that_was_begun_is_no_offence_and_is_named(
    never: tuple[str, ...], *, passes: bool
):
    """Nobody but that goal's own claim can tell whose it is, so a person is to see it."""
    found = beside("docs/a.md", other(Fence(never=never), is_open=True, begun=True))
    assert (found.outcome == "pass") is passes
    assert [flag.partition(":")[0] for flag in found.flags] == (["docs/a.md"] if passes else [])


@pytest.mark.parametrize(("path", "code"), [("BRIEF.md", "pass"), ("key", "never")])
def test_what_is_nobody_s_work_is_never_outside(path: str, code: str):
    """A file that must not be touched must not be, even so."""
    assert beside(path, own=("BRIEF.md", "key")).code == code


@pytest.mark.parametrize(
    ("path", "never"),
    [
        ("Secret/key", "secret/**"),
        ("SECRET", "secret"),
        ("cafe\u0301/key", "caf\u00e9/**"),
        ("\ufb01le/key", "file/**"),
        ("STRASSE/x", "straße/**"),
    ],
)
def test_never_is_meant_on_every_file_system(path: str, never: str):
    """Where case or composition do not count, these are the same file."""
    assert judged(change(path, "A", NONE), never=[never])[:2] == ("fail", "never")


def test_touch_is_taken_letter_by_letter():
    """And the reason says when only case keeps a path out."""
    found = judged(change("SRC/a.py", "A", NONE), touch=SRC)
    assert found == (
        "fail",
        "outside",
        "SRC/a.py is outside the fence (only by case or accents is it in src/**)",
    )


def test_both_ends_of_a_rename_are_changes():
    """Moving a file out of the fence, or into it, touches what is outside."""
    moved = change("src/a.py", "A", renamed_from="docs/a.py")
    assert judged(moved, touch=SRC)[2] == "docs/a.py (moved to src/a.py) is outside the fence"
    assert judged(change("docs/a.py", "A", renamed_from="src/a.py"), touch=SRC)[0] == "fail"
    assert judged(change("src/b.py", "A", renamed_from="src/a.py"), touch=SRC)[0] == "pass"


@pytest.mark.parametrize(
    ("one", "named"),
    [
        (change("run.sh", old=FILE, new=EXEC), "run.sh (mode 100644 to 100755)"),
        (change("lib", "T", FILE, LINK), "lib (mode 100644 to 120000)"),
        (change("lib", "D", FILE, NONE), "lib (deleted)"),
        (change("lib", "M", SUBMODULE, SUBMODULE), "lib (submodule)"),
        (change("lib", "A", NONE, FILE), "lib"),
    ],
)
def test_the_reason_says_what_kind_of_change_it_is(one: Change, named: str):
    """A mode, a deletion and a submodule's pointer are changes like any other."""
    assert judged(one, touch=SRC) == ("fail", "outside", f"{named} is outside the fence")


@pytest.mark.parametrize(
    ("touch", "never", "code"),
    [
        (("vendor/lib",), (), "pass"),
        (("vendor/lib/**",), (), "pass"),
        (("vendor/**",), (), "pass"),
        (("vendor/lib/*.md",), (), "outside"),
        ((), ("vendor/lib/src/**",), "never"),
        ((), ("vendor/library/**",), "pass"),
    ],
)
def test_a_submodules_pointer_is_everything_below_it(touch: Any, never: Any, code: str):
    """It must be inside the fence as a whole, and nothing below may be barred."""
    found = judged(change("vendor/lib", "M", SUBMODULE, SUBMODULE), touch=touch, never=never)
    assert found[1] == code


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("b.py", "pass"),
        ("../src/b.py", "pass"),
        ("../src", "pass"),
        (".", "pass"),
        ("../docs/a.md", "link"),
        ("../../x", "link"),
        ("/etc/passwd", "link"),
        ("back/../../docs", "link"),
        ("way", "link"),
        ("around", "link"),
        ("../tests/SECRET", "link"),
    ],
)
def test_a_link_must_lead_to_where_a_change_may_go(target: str, code: str):
    """Through every link on the way, without asking any disk."""
    links = {"src/l": target, "src/way": "../docs", "src/around": "l", "src/back": "."}
    found = judged(
        change("src/l", "A", NONE, LINK),
        touch=SRC,
        never=("tests/secret",),
        files={"src/b.py": "", "docs/a.md": ""},
        links=links,
    )
    assert found[1] == code


def test_a_name_that_is_another_elsewhere_is_a_collision():
    """Inside the fence letter by letter, yet the same file as one outside it."""
    tree = {"files": {"src/Readme.md": "", "src/readme.md": ""}}
    one = change("src/readme.md", "A", NONE)
    assert judged(one, touch=["src/readme.md"], **tree)[:2] == ("fail", "collision")
    assert judged(one, touch=["src/*.md"], **tree)[0] == "pass"
    assert (
        judged(change("src/readme.md", "D", FILE, NONE), touch=["src/readme.md"], **tree)[0]
        == "pass"
    )


def test_the_worst_offenders_come_first_and_the_rest_are_counted():
    """Barred before outside before links."""
    changes = [change("a"), change("b"), change("src/l", "A", NONE, LINK), change("key")]
    outcome, code, reason = judged(*changes, touch=SRC, never=["key"], links={"src/l": "/etc"})
    assert (outcome, code) == ("fail", "never")
    assert reason == (
        "key is in key, never to be touched; a is outside the fence; b is outside the fence;"
        " and 1 more"
    )


def test_what_is_inside_is_counted_and_every_change_is_kept():
    """The evidence has a row for each, with its modes."""
    bench = Bench(look=Tree(changes=[change("a"), change("b", "A", NONE, EXEC)]))
    assert bench.finds("scope").reason == "2 changes, all inside"
    (kept,) = bench.kept.values()
    assert kept == b"2 changes\nM 100644 100644  a\nA 000000 100755  b\n"
    assert judged(change("a"))[2] == "1 change, inside"


def test_without_a_goal_there_is_no_fence():
    """It cannot be evaluated, which is not a pass."""
    there = Bench()
    there.goal = None
    assert there.outcome("scope") == ("error", "no-fence")


def test_what_is_audited_is_the_tree_and_its_history_alone():
    """No run is asked and no claim is read: a place that cannot run anything is enough."""
    look = Tree({"a.md": "done"}, changes=[change("a.md")])
    there = Bench(look=look, fence=Fence(touch=("a.md",)))
    assert there.outcome("scope") == ("pass", "pass")
    assert there.outcome("files", expected_paths=["a.md"]) == ("pass", "pass")
    assert there.outcome("commits", count=0) == ("pass", "pass")
    assert there.place.asked == []
    assert there.outcome("files", expected_paths=["b.md"], says="b.md is there") == (
        "fail",
        "missing",
    )
