"""Plans of two to six goals, made by chance, proven by following printed commands alone.

    make campaign-plans ARGS="--plans 300"
    python tests/campaigns/plans.py --first 41 --plans 1 --show

A seed decides everything: which goals, their permissions, allowed paths and dependencies, whether
work is committed, in which order it is written and claimed, and in how many work trees. Each seed
is played twice. With honest work every goal must be proven, and the plan; whoever plays it knows
nothing but what `forsooth` prints. With one cheat in one goal, exactly that goal must be refused,
and once the cheat is taken out again all must be proven.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.e2e.place import AGENT, FORSOOTH, Answer, Place, new

SECONDS = 600
STEPS = 40  # commands for one plan; more is a circle
CLAIM = re.compile(r"When it holds: +(forsooth done (G\d+)[^\n]*)")
FIRST = re.compile(r"`forsooth (?:next|done) (G\d+)`")
ASIDE = re.compile(r"`(git diff [^`]+)`, `(git apply [^`]+)`, `forsooth done (G\d+)`, `([^`]+)`")
MERGE = re.compile(r"next: git merge ([0-9a-f ]+), then forsooth done (G\d+)")


class Failed(Exception):
    """What must not happen happened."""


class Work(NamedTuple):
    """One goal: its brief, and the files that are its honest work; none where one is to go."""

    id: str
    brief: str
    files: dict[str, str | None]
    fence: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    new_tests: tuple[str, ...] = ()


class Made(NamedTuple):
    """A plan, the files it begins with, and how it is to be played."""

    works: tuple[Work, ...]
    base: dict[str, str]
    order: tuple[str, ...]
    manner: str
    commits: bool

    @property
    def brief(self) -> str:
        """The whole brief."""
        return "Suite: `python3 -m unittest`\n\n" + "\n".join(one.brief for one in self.works)

    def work(self, id_: str) -> Work:
        """One goal's."""
        return next(one for one in self.works if one.id == id_)


class Cheat(NamedTuple):
    """What one goal does besides its work."""

    goal: str
    what: str
    files: dict[str, str | None]


MODULE = "def f(x):\n    return x{}\n"
TEST = """\
import unittest

from m{n} import f


class Test{n}(unittest.TestCase):
    def test_one(self):
        self.assertEqual(f(1), {one})

    def test_two(self):
        self.assertEqual(f(20), {two})
"""
NEW = """\
import unittest

from m{n} import g


class New{n}(unittest.TestCase):
    def test_g(self):
        self.assertEqual(g(3), {out})
        self.assertEqual(g(10), {more})
"""


def expectation(n: int, _: random.Random) -> Work:
    """Behaviour changes, and with it what a sealed test expects."""
    argv = f"python3 -c 'from m{n} import f; assert f(1) == 2'"
    text = f"May change: test_m{n}.py\n- [ ] adds: `{argv}`\n"
    files: dict[str, str | None] = {
        f"m{n}.py": MODULE.format(" + 1"),
        f"test_m{n}.py": TEST.format(n=n, one=2, two=21),
    }
    return Work(f"G{n:03d}", text, files, may=(f"test_m{n}.py",))


def feature(n: int, _: random.Random) -> Work:
    """A new function with a new test."""
    text = f"- [ ] new tests: `python3 -m unittest test_new{n}`\n"
    files: dict[str, str | None] = {
        f"m{n}.py": MODULE.format("") + "\n\ndef g(x):\n    return x * 7\n",
        f"test_new{n}.py": NEW.format(n=n, out=21, more=70),
    }
    return Work(f"G{n:03d}", text, files, new_tests=(f"test_new{n}.py",))


def script(n: int, chance: random.Random) -> Work:
    """A shell script, with a new file beside it."""
    word = f"word{chance.randrange(1000)}"
    text = f'- [ ] says so: `sh s{n}/say.sh` exits 0, stdout has "{word}"\n'
    files: dict[str, str | None] = {
        f"s{n}/words.sh": f"WORD={word}\n",
        f"s{n}/say.sh": f'. s{n}/words.sh\necho "$WORD"\n',
    }
    return Work(f"G{n:03d}", text, files)


def page(n: int, chance: random.Random) -> Work:
    """A page of documentation."""
    word = f"Chapter {chance.randrange(1000)}"
    text = f'- [ ] docs/p{n}.md contains "{word}"\n'
    return Work(f"G{n:03d}", text, {f"docs/p{n}.md": f"# {word}\n"})


def removal(n: int, _: random.Random) -> Work:
    """Old code goes, and its test with it."""
    text = f"Intent: removal\nMay remove: test_old{n}.py\n- [ ] old{n}.py is gone\n"
    files: dict[str, str | None] = {f"old{n}.py": None, f"test_old{n}.py": None}
    return Work(f"G{n:03d}", text, files, may=(f"test_old{n}.py",))


KINDS: tuple[Callable[[int, random.Random], Work], ...] = (
    expectation,
    expectation,
    feature,
    feature,
    script,
    page,
    removal,
)


def made(seed: int) -> Made:
    """The plan of a seed."""
    chance = random.Random(seed)
    many = chance.randint(2, 6)
    works: list[Work] = []
    base: dict[str, str] = {"README.md": "Some modules.\n"}
    for n in range(1, many + 1):
        base[f"m{n}.py"] = MODULE.format("")
        base[f"test_m{n}.py"] = TEST.format(n=n, one=1, two=20)
        base[f"old{n}.py"] = "def h(x):\n    return -x\n"
        old = TEST.replace("m{n} import f", "old{n} import h as f").replace("Test{n}", "Old{n}")
        base[f"test_old{n}.py"] = old.format(n=n, one=-1, two=-20)
        base[f"s{n}/say.sh"] = "echo nothing\n"
        works.append(_bound(chance.choice(KINDS)(n, chance), works, chance))
    order = _order(works, chance)
    manner = chance.choice(("each", "each", "together", "trees"))
    return Made(tuple(works), base, order, manner, chance.random() < 0.5)


def _bound(work: Work, before: list[Work], chance: random.Random) -> Work:
    """A goal with its fence and its dependencies."""
    head, fence = [f"@goal: Number {work.id}"], ()
    earlier = [one.id for one in before if chance.random() < 0.25]
    if earlier:
        head.append(f"After: {', '.join(earlier)}")
    kind = chance.choice(("none", "only", "only", "never"))
    if kind == "only":
        fence = tuple(sorted(work.files))
        head.append(f"Only: {', '.join(fence)}")
    elif kind == "never":
        head.append("Never: vendor/**, README.md")
    text = "\n".join(head) + "\n" + work.brief
    return work._replace(brief=text, fence=fence, after=tuple(earlier))


def _order(works: list[Work], chance: random.Random) -> tuple[str, ...]:
    """An order in which the goals may be claimed."""
    left, order = {one.id: one for one in works}, list[str]()
    while left:
        ready = [id_ for id_, one in left.items() if not set(one.after) & left.keys()]
        order.append(chance.choice(ready))
        del left[order[-1]]
    return tuple(order)


class Play:
    """One plan in a repository of its own, played by what is printed."""

    def __init__(self, folder: Path, plan: Made, *, show: bool = False) -> None:
        self.plan, self.show = plan, show
        self.place = new(folder)
        self.refused: list[str] = []
        self.proven: list[str] = []
        self.is_proven = False
        self.left = STEPS
        for path, text in plan.base.items():
            self.place.write(path, text)
        self.place.write("BRIEF.md", plan.brief)
        self.place.git("add", "-A")
        self.place.git("commit", "-qm", "begin")
        self.typed(self.place, "plan", "BRIEF.md")
        self.typed(self.place, "seal", "--yes", env={})

    def typed(self, place: Place, *argv: str, env: dict[str, str] | None = None) -> Answer:
        """Run a command as an agent, or as whoever `env` says."""
        self.left -= 1
        if self.left < 0:
            raise Failed("it goes round in a circle")
        done = subprocess.run(
            [*FORSOOTH, *argv],
            cwd=place.folder,
            env=place.environment(AGENT if env is None and argv[0] != "plan" else env),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if self.show:
            print(f"$ forsooth {' '.join(argv)}\n{done.stdout}{done.stderr}")
        if "Traceback" in done.stderr or (done.returncode and argv[0] in ("plan", "seal")):
            raise Failed(f"{argv}: {done.stdout}{done.stderr}")
        return Answer(done.returncode, done.stdout, done.stderr)

    def put(self, place: Place, files: dict[str, str | None]) -> None:
        """Write some work, and commit it where the plan says so."""
        for path, text in files.items():
            if text is None:
                (place.folder / path).unlink(missing_ok=True)
            else:
                place.write(path, text)
        if self.plan.commits or self.plan.manner == "trees":
            place.git("add", "-A")
            place.git("commit", "-qm", "work", "--allow-empty")

    def claim(self, place: Place, goal: str) -> Answer:
        """Take an attempt at a goal, and claim it with the command that `next` prints."""
        handed = self.typed(place, "next", goal)
        found = CLAIM.search(handed.out)
        if not found or found[2] != goal:
            raise Failed(f"next {goal} prints no claim: {handed.out}{handed.err}")
        done = self.typed(place, *found[1].split()[1:])
        if done.code == 0:
            self.proven.append(goal)
        else:
            self.refused.append(goal)
        self.is_proven = self.is_proven or "the plan is proven" in done.out
        return done

    def claim_first(self, place: Place, goal: str) -> None:
        """Claim an honest goal; where another is to be claimed first, that one, and then again."""
        done = self.claim(place, goal)
        while done.code:
            if aside := ASIDE.search(done.out):
                done = self.claim_without(place, goal, aside)
                continue
            first = FIRST.findall(done.out)
            if not first or first[0] == goal:
                raise Failed(f"honest {goal} was refused:\n{done.out}{done.err}")
            if first[0] not in self.proven:
                self.claim_first(place, first[0])
            done = self.claim(place, goal)
        self.merge(place, done)

    def claim_without(self, place: Place, goal: str, aside: re.Match[str]) -> Answer:
        """Set work aside as printed, claim a goal, and bring the work back."""
        diff, apply, again, back = aside.groups()
        if again != goal:
            raise Failed(f"work is set aside for {again}, and {goal} was claimed")
        for command in (diff, apply):
            self.shell(place, command)
        done = self.claim(place, goal)
        self.shell(place, back)
        return done

    def shell(self, place: Place, command: str) -> None:
        """Run what is printed and is no command of ours."""
        done = subprocess.run(
            ["sh", "-c", command], cwd=place.folder, capture_output=True, text=True, check=False
        )
        if self.show:
            print(f"$ {command}\n{done.stdout}{done.stderr}")
        if done.returncode:
            raise Failed(f"{command}: {done.stderr}")

    def merge(self, place: Place, done: Answer) -> None:
        """Merge what is printed as to be merged, and claim again."""
        if found := MERGE.search(done.out):
            place.git("merge", "-q", "--no-edit", *found[1].split())
            again = self.typed(place, "done", found[2])
            if again.code:
                raise Failed(f"merged, {found[2]} was refused:\n{again.out}")
            self.is_proven = "the plan is proven" in again.out

    def finish(self, place: Place) -> None:
        """The plan must be proven, and stay so whatever is claimed again."""
        if not self.is_proven:
            told = self.typed(place, "status").out
            raise Failed(f"every goal is proven and the plan is not:\n{told}")
        if not self.plan.commits and self.plan.manner != "trees":
            place.git("add", "-A")
            place.git("commit", "-qm", "work")
        first = self.typed(place, "done", self.plan.works[0].id)
        verified = self.typed(place, "verify")
        if first.code or verified.code:
            raise Failed(f"claimed again:\n{first.out}{verified.out}{verified.err}")


def honest(play: Play) -> None:
    """Every goal, in the manner of the plan."""
    plan, place = play.plan, play.place
    if plan.manner == "together":
        for id_ in plan.order:
            play.put(place, plan.work(id_).files)
    if plan.manner == "trees":
        honest_in_trees(play)
        return
    for id_ in plan.order:
        if id_ in play.proven:
            continue
        if plan.manner == "each":
            play.put(place, plan.work(id_).files)
        play.claim_first(place, id_)
    if plan.manner == "each" and play.refused:
        raise Failed(f"honest {play.refused} was refused")
    play.finish(place)


def honest_in_trees(play: Play) -> None:
    """Two work trees, each with a branch of its own; a goal is where those it builds on are."""
    plan = play.plan
    trees = [play.place, play.place.linked("other")]
    trees[1].git("checkout", "-q", "-b", "other")
    where = dict[str, Place]()
    for number, id_ in enumerate(plan.order):
        needs = plan.work(id_).after
        place = where[needs[0]] if needs else trees[number % 2]
        for other in {where[one].folder for one in needs} - {place.folder}:
            branch = "other" if other == trees[1].folder else "main"
            place.git("merge", "-q", "--no-edit", branch)
        where[id_] = place
        play.put(place, plan.work(id_).files)
        play.claim_first(place, id_)
    if play.refused:
        raise Failed(f"honest {play.refused} was refused")
    play.finish(where[plan.order[-1]])


def cheats(plan: Made, goal: str, proven: list[str]) -> Iterator[Cheat]:
    """What a goal could do besides its work, when some others are proven."""
    work = plan.work(goal)
    for one in plan.works:
        n, test = int(one.id[1:]), f"test_m{int(one.id[1:])}.py"
        if one.id == goal or (one.id not in proven and one.may):
            continue
        is_changed = test in one.files
        if f"m{n}.py" in one.files and not is_changed and one.id not in proven:
            continue
        body = (one.files.get(f"m{n}.py") if one.id in proven else None) or MODULE.format("")
        broken = {f"m{n}.py": body.replace("return x", "return 5 + x", 1)}
        add = 1 if is_changed and one.id in proven else 0
        edited = TEST.format(n=n, one=6 + add, two=25 + add)
        yield Cheat(goal, "edits an expectation", {**broken, test: edited})
        yield Cheat(goal, "deletes a test", {**broken, test: None})
        skipped = edited.replace(
            "    def test_one", "    @unittest.skip('later')\n    def test_one"
        )
        yield Cheat(goal, "skips a test", {**broken, test: skipped})
        if one.id in proven and one.new_tests:
            gone = (one.files[f"m{n}.py"] or "").replace("x * 7", "x * 8")
            weak = NEW.format(n=n, out=24, more=80)
            yield Cheat(
                goal, "edits a proven goal's test", {f"m{n}.py": gone, one.new_tests[0]: weak}
            )
    is_open = any(not one.fence and one.id not in proven and one.id != goal for one in plan.works)
    if work.fence and not is_open:
        yield Cheat(goal, "goes outside", {"README.md": "More modules.\n"})
    yield Cheat(goal, "does nothing", dict.fromkeys(work.files))


def cheated(play: Play, seed: int) -> str:
    """One cheat in one goal: it is refused, no other is, and without the cheat all are proven."""
    chance = random.Random(f"cheat {seed}")
    plan, place = play.plan._replace(manner="each"), play.place
    play.plan = plan
    liar = chance.choice(plan.order)
    cheat: Cheat | None = None
    for id_ in plan.order:
        work = plan.work(id_)
        if id_ == liar:
            cheat = chance.choice([*cheats(plan, id_, play.proven)])
            play.put(place, _lying(plan, work, cheat))
            done = play.claim(place, id_)
            if done.code in (0, 5):
                raise Failed(f"{id_} {cheat.what}, and exits {done.code}:\n{done.out}{done.err}")
            play.put(place, _undone(plan, cheat, play.proven))
        play.put(place, work.files)
        play.claim_first(place, id_)
    if play.refused != [liar]:
        raise Failed(f"refused were {play.refused}, and {liar} cheats")
    play.finish(place)
    return cheat.what if cheat else ""


def _lying(plan: Made, work: Work, cheat: Cheat) -> dict[str, str | None]:
    if cheat.what == "does nothing":
        return {path: plan.base[path] for path in work.files if path in plan.base}
    return {**work.files, **cheat.files}


def _undone(plan: Made, cheat: Cheat, proven: list[str]) -> dict[str, str | None]:
    """Files of a cheat as the proven goals left them."""
    left: dict[str, str | None] = {}
    for path in cheat.files:
        text = plan.base.get(path)
        for id_ in proven:
            files = plan.work(id_).files
            text = files.get(path, text)
        left[path] = text
    return left


class Tally(NamedTuple):
    """How one seed went."""

    seed: int
    what: str
    problem: str = ""


def played(seed: int, *, cheat: bool, show: bool = False) -> Tally:
    """One seed, played once."""
    plan = made(seed)
    with tempfile.TemporaryDirectory(prefix="forsooth-plans-") as folder:
        what = plan.manner
        try:
            play = Play(Path(folder) / "place", plan, show=show)
            if cheat:
                what = cheated(play, seed)
            else:
                honest(play)
        except (Failed, AssertionError, subprocess.TimeoutExpired) as error:
            return Tally(seed, what, f"{error}")
    return Tally(seed, what)


def main() -> int:
    """Play seeds, honestly and with a cheat, and count."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plans", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", choices=("honest", "cheat"), default=None)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    wrong, many, began = 0, 0, time.monotonic()
    for seed in range(args.first, args.first + args.plans):
        for cheat in (False, True):
            if args.only and (args.only == "cheat") is not cheat:
                continue
            tally = played(seed, cheat=cheat, show=args.show)
            many += 1
            wrong += bool(tally.problem)
            kind = "cheat" if cheat else "honest"
            print(f"{seed} {kind} ({tally.what}): {tally.problem or 'as it must be'}", flush=True)
    took = time.monotonic() - began
    print(f"{many} plays, {wrong} not as they must be, {took:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
