"""What a branch did to its tests, by their texts alone: reported also where nothing can be run.

Every remark is for a person to look at. A test that is left out, gone, or asserts less may be so
for a reason, and only a run shows what the change hides. Where runs did report a test, they are
believed and its text is not remarked on again: `ran` are the tests that they reported.

Not seen: tests in languages without a reader (their skips are counted, nothing else), tests made
while running (tables, parameters), and what a helper in another file asserts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from forsooth.git.trees import Change
from forsooth.judge.branch.remarks import Remark
from forsooth.judge.branch.shape import loss, shapes
from forsooth.judge.branch.skips import skips
from forsooth.judge.branch.words import Shape
from forsooth.judge.checker import Look

Name = tuple[str, str]
# Functions that a runner calls around all tests of a package or module: they decide how it ends.
_AROUND = {"TestMain": ".go", "load_tests": ".py"}
_PYTHON = re.compile(r"(?:^|::)test[^:]*$")
_GO = re.compile(r"(?:Test|Benchmark|Example|Fuzz)(?:[^a-z].*)?")
_RUST = re.compile(rb"#\[(?:\w+::)*(?:test|rstest|case)[^\]]*\](?:\s*#\[[^\]]*\])*\s*"
                   rb"(?:pub |async )*fn (\w+)")  # fmt: skip


class WrittenTest(NamedTuple):
    """One test in a file, as its text has it."""

    path: str
    name: str
    shape: Shape

    @property
    def subject(self) -> str:
        """How it is called in a report."""
        return f"{self.path}::{self.name}"


def read_tests(
    changes: Iterable[Change],
    before: Look,
    after: Look,
    *,
    ran: Collection[Name] = (),
    mixed: Collection[str] = (),
) -> Iterator[Remark]:
    """What the changed test files say about tests that no run reported.

    1. Functions around all tests. 2. Tests that are gone from every changed file. 3. Tests that are
    left out. 4. Tests that assert less, or something else. Files that are product as well are
    `mixed`: no run put their old tests over the new product, so another expectation is read there.
    """
    files = tuple(changes)
    old = _tests((c.path for c in files if c.status != "A"), before)
    new = _tests((c.path for c in files if c.status != "D"), after)
    pairs = dict(_paired(old, new))
    for change in files:
        yield from _around(change.path, before, after)  # 1
    for test in old:
        if test not in pairs and (test.path, test.name) not in ran:
            yield Remark("look", "deleted", test.subject, "its text is gone", test.path)  # 2
    for path in sorted({c.path for c in files if c.status == "D"} - {test.path for test in old}):
        if not ran:
            yield Remark("look", "deleted", path, "a file of the tests is gone", path)
    for change in files:
        yield from _left_out(change.path, before, after, ran=ran)  # 3
    gained = _asserted(new) - _asserted(old)
    for was, now in pairs.items():
        found = _less(was, now, gained=gained)  # 4
        if (was.path, was.name) in ran:
            found = (one for one in found if one.code == "expects" and was.path in mixed)
        yield from found


def around_tests(path: str, look: Look) -> dict[str, str]:
    """The functions of a file that a runner calls around all its tests, with their text."""
    wanted = {name for name, suffix in _AROUND.items() if path.endswith(suffix)}
    found = shapes(path, look.read(path)) if wanted else {}
    return {name: shape.body for name, shape in found.items() if name in wanted}


def _around(path: str, before: Look, after: Look) -> Iterator[Remark]:
    was, now = around_tests(path, before), around_tests(path, after)
    for name, text in now.items():
        if was.get(name) != text:
            how = "changed" if name in was else "new"
            says = f"{name} is {how}: it decides how the tests around it are run and end"
            yield Remark("look", "runner", path, says, path)


def _tests(paths: Iterable[str], look: Look) -> tuple[WrittenTest, ...]:
    found: list[WrittenTest] = []
    for path in paths:
        data = look.read(path)
        known = shapes(path, data)
        rust = {name.decode() for name in _RUST.findall(data or b"")}
        for name, shape in known.items():
            if _is_test(path, name, rust):
                found.append(WrittenTest(path, name, shape))
    return tuple(found)


def _is_test(path: str, name: str, rust: Collection[str]) -> bool:
    if path.endswith(".py"):
        return bool(_PYTHON.search(name))
    if path.endswith(".go"):
        return bool(_GO.fullmatch(name)) and name != "TestMain"
    return name in rust if path.endswith(".rs") else True


def _paired(
    old: Iterable[WrittenTest], new: Iterable[WrittenTest]
) -> Iterator[tuple[WrittenTest, WrittenTest]]:
    """Each old test with the one it became: same place, same name elsewhere, or same text."""
    tests, left = list(old), list(new)
    keys: tuple[Callable[[WrittenTest], tuple[str, ...]], ...] = (
        lambda test: (test.path, test.name),
        lambda test: (_last(test.name),),
        lambda test: (test.shape.body or test.subject,),
    )
    for key in keys:
        for test in list(tests):
            twin = next((one for one in left if key(one) == key(test)), None)
            if twin:
                tests.remove(test)
                left.remove(twin)
                yield test, twin


def _last(name: str) -> str:
    return name.rpartition("::")[2]


def _left_out(path: str, before: Look, after: Look, *, ran: Collection[Name]) -> Iterator[Remark]:
    was, now = skips(path, before.read(path)), skips(path, after.read(path))
    for name, text in now.items():
        if was.get(name) != text and (path, name) not in ran:
            subject = f"{path}::{name}" if name else path
            yield Remark("look", "skipped", subject, f"its text leaves it out: {text}", path)


def _asserted(tests: Iterable[WrittenTest]) -> Counter[str]:
    return Counter(one.text for test in tests for one in test.shape.assertions)


def _less(was: WrittenTest, now: WrittenTest, *, gained: Counter[str]) -> Iterator[Remark]:
    if was.shape.body == now.shape.body:
        return
    found = loss(was.shape, now.shape)
    if found:
        if not found.gone or not all(gained[one.text] > 0 for one in found.gone):
            yield Remark("look", "weakened", now.subject, found.says, now.path)
        return
    gone = Counter(was.shape.assertions) - Counter(now.shape.assertions)
    came = Counter(now.shape.assertions) - Counter(was.shape.assertions)
    if gone and came:
        first, second = next(gone.elements()), next(came.elements())
        says = f"`{first.text}` became `{second.text}`"
        yield Remark("look", "expects", now.subject, says, now.path)
