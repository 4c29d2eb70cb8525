"""A claim refused and then proven: a small repository, a scripted agent, and the real tool.

Everything happens below one folder with a home of its own. Nothing is shown that the tool did not
print, and a step that does not end as it should ends the story.
"""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import threading
import time
import venv
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.testing.adversary.proof import started
from forsooth.testing.binding import FORSOOTH
from forsooth.testing.stage import GIT, cleaned, let_agents_seal

SECONDS = 120
AGENT = {"AI_AGENT": "1"}

Tell = Callable[[str, str], None]


class Edit(NamedTuple):
    """A line of a file that the agent writes anew."""

    path: str
    before: str
    after: str


class Scene(NamedTuple):
    """A repository, what is asked of it, the way out an agent takes, and the honest way."""

    files: Mapping[str, str]
    brief: str
    cheat: Edit
    repair: Edit


class Step(NamedTuple):
    """One command of the story: how it should end, and how it did."""

    says: str
    argv: tuple[str, ...]
    expected: int
    code: int
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether it ended as it should."""
        return self.code == self.expected


BRIEF = """\
- [ ] stays green: `{words}`

@goal: Leave punctuation out of page addresses
- [ ] the new test passes: `{marks}`
"""
CASE = """\
import unittest

from slug import slug


class {name}(unittest.TestCase):
    def test_{what}(self):
        self.assertEqual(slug({title!r}), {address!r})
"""
PYTHON = Scene(
    files={
        "slug.py": 'def slug(title):\n    return title.lower().replace(" ", "-")\n',
        "test_words.py": CASE.format(
            name="Words", what="words_are_joined", title="Hello World", address="hello-world"
        ),
        "test_marks.py": CASE.format(
            name="Marks", what="marks_are_left_out", title="Ready, steady!", address="ready-steady"
        ),
    },
    brief=BRIEF.format(
        words="python3 -m unittest test_words", marks="python3 -m unittest test_marks"
    ),
    cheat=Edit("test_marks.py", "'ready-steady'", "'ready,-steady!'"),
    repair=Edit(
        "slug.py",
        'return title.lower().replace(" ", "-")',
        'return "-".join("".join(c for c in title.lower() if c.isalnum() or c == " ").split())',
    ),
)
SHELL = Scene(
    files={
        "slug.sh": "printf '%s' \"$1\" | tr 'A-Z ' 'a-z-'\n",
        "test_words.sh": 'test "$(sh slug.sh "Hello World")" = "hello-world"\n',
        "test_marks.sh": 'test "$(sh slug.sh "Ready, steady!")" = "ready-steady"\n',
    },
    brief=BRIEF.format(words="sh test_words.sh", marks="sh test_marks.sh"),
    cheat=Edit("test_marks.sh", '"ready-steady"', '"ready,-steady!"'),
    repair=Edit("slug.sh", "tr 'A-Z ' 'a-z-'", "tr -d ',!' | tr 'A-Z ' 'a-z-'"),
)


def scene() -> Scene:
    """The story this interpreter can tell: one without a test runner tells it in sh."""
    found = all(importlib.util.find_spec(name) for name in ("unittest", "venv"))
    return PYTHON if found else SHELL


class Demo:
    """One telling, below one folder."""

    def __init__(self, folder: Path, *, environment: Mapping[str, str], tell: Tell) -> None:
        names = ("repo", "home", "python", "tmp")
        self.repo, self.home, self._python, self._scratch = (folder / name for name in names)
        self._tell = tell
        clean = cleaned(environment, self.home)
        self._clean = {
            **clean,
            "PATH": f"{self._python / 'bin'}:{clean.get('PATH', '')}",
            "VIRTUAL_ENV": str(self._python),
            "TMPDIR": str(self._scratch),
        }

    def played(self, scene: Scene, verbs: Collection[str]) -> Iterator[Step]:
        """Tell the story, step by step, as far as it goes right."""
        for step in self._story(scene, verbs):
            yield step
            if not step.is_right:
                return

    def _story(self, scene: Scene, verbs: Collection[str]) -> Iterator[Step]:
        self._build(scene)
        self._say("A person writes down what must be true.")
        self._tell("$ cat BRIEF.md", "bold")
        self._lines(scene.brief)
        yield self._run("forsooth", "plan", "BRIEF.md")
        says = "A person confirms. Each criterion is run before any work; what is red must be won."
        yield self._run("forsooth", "seal", "--yes", says=says)
        self._say("An agent sets to work. It makes the test agree with the code:")
        self._edit(scene.cheat)
        yield self._run("forsooth", "done", "G001", says="It claims:", expected=1, agent=True)
        self._say("Not believed. The agent puts the test back and mends the code:")
        self._edit(Edit(scene.cheat.path, scene.cheat.after, scene.cheat.before), quiet=True)
        self._edit(scene.repair)
        yield self._run("forsooth", "done", "G001", says="It claims again:", agent=True)
        if "receipt" in verbs:
            says = "What was proven is a receipt:"
            yield self._run("forsooth", "receipt", "G001", says=says)
        if "verify" in verbs:
            self._say("The work that was proven is committed:")
            self._tell("$ git commit -qam 'Leave no mark'", "bold")
            self._git("commit", "-qam", "Leave no mark")
            says = "Anyone with the repository can check it; each receipt says what that is worth:"
            yield self._run("forsooth", "verify", says=says)

    def _build(self, scene: Scene) -> None:
        """The repository, a home, and a Python of its own with nothing installed."""
        for folder in (self.repo, self.home, self._scratch):
            folder.mkdir(parents=True)
        let_agents_seal(self.home)
        for name, text in {**scene.files, "BRIEF.md": scene.brief}.items():
            (self.repo / name).write_text(text, encoding="utf-8")
        if scene is PYTHON:
            venv.create(self._python, symlinks=True)
        for argv in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin")):
            self._git(*argv)

    def _git(self, *argv: str) -> None:
        done = started((GIT, *argv), self.repo, self._clean)
        if done.code:
            says = f"git {argv[0]} exits {done.code}: {done.out[-200:].strip()}"
            raise CouldNotVerify(says, hint="git --version", code="git-failed")

    def _edit(self, edit: Edit, *, quiet: bool = False) -> None:
        path = self.repo / edit.path
        before = path.read_text(encoding="utf-8")
        path.write_text(before.replace(edit.before, edit.after), encoding="utf-8")
        if not quiet:
            (line,) = (row for row in before.splitlines() if edit.before in row)
            self._tell(f"  {edit.path}", "bold")
            self._tell(f"  - {line.strip()}", "red")
            self._tell(f"  + {line.strip().replace(edit.before, edit.after)}", "green")

    def _say(self, text: str) -> None:
        self._tell("", "")
        self._tell(text, "cyan")

    def _lines(self, text: str) -> None:
        for line in text.splitlines():
            self._tell(line, "")

    def _run(self, *argv: str, says: str = "", expected: int = 0, agent: bool = False) -> Step:
        """Run the tool as somebody would type it, its lines shown as they come."""
        if says:
            self._say(says)
        self._tell(f"$ {shlex.join(argv)}", "bold")
        began = time.monotonic()
        with subprocess.Popen(
            (*FORSOOTH, *argv[1:]),
            cwd=self.repo,
            env={**self._clean, **(AGENT if agent else {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as child:
            timer = threading.Timer(SECONDS, child.kill)
            timer.start()
            try:
                for line in child.stdout or ():
                    self._tell(line.rstrip("\n"), "")
                code = child.wait()
            except BaseException:
                child.kill()
                raise
            finally:
                timer.cancel()
        if code:
            self._tell(f"[exit {code}]", "dim")
        return Step(says, argv, expected, code, time.monotonic() - began)
