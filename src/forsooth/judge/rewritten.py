"""Whether a run wrote the files that it was judged by, and which of that is nobody's fault.

It decides from what the sandbox saw, never from what a run says. New files, caches and compiled
files are no oracles, and are never asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from forsooth.core.plan import Goal
from forsooth.judge.checker import Ran
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw, Lacking, Trial
from forsooth.judge.court import Court
from forsooth.judge.disbelief.leave import leave_of
from forsooth.judge.disbelief.repeat import alike
from forsooth.judge.ground import Record
from forsooth.judge.rooms import Trying

CODE = "oracle-rewritten"
MOST = 100  # so many files are made read-only for another run; more is no accident
_LONGEST, _WIDEST = 1_000_000, 400  # of a text and of its lines: what is more is data
_MODE = r"""["'](?:[wax]|r\+)[bt+]*["']"""
_FIRST = r"""\(\s*(?:[\w.]+\([^()\n]*)?[^,()\n]*"""  # a first argument, or a call that joins it
_CALLS = (
    r"(?:(?:writeFile|appendFile|createWriteStream)(?:Sync)?"
    r"|WriteFile|os\.Create|OpenFile|fs::write|File::create)"
)


class Kept:
    """The oracles of one criterion that its runs must not write.

    Written is what was opened for writing, replaced, removed, covered, or given other rights or
    times: bytes that were put back cannot be told from bytes that nobody changed. What only looks
    written (a database opened as databases are, a `touch`) is told apart by a run in which it is
    read-only. Left out is what the base's own runs wrote, what the plan lets change, and what
    sealed code says it writes.
    """

    def __init__(self, record: Record, goal: Goal | None, court: Court) -> None:
        self._record, self._court = record, court
        leave = leave_of(goal)
        let = [name.partition("::")[0] for name in (*leave.change, *leave.move, *leave.remove)]
        self.paths = frozenset(path for path in record.oracles if not any_matches(let, path))

    def tried(
        self, room: Trying, tree: str, against: Callable[[Trial], Flaw | None]
    ) -> tuple[Trial, Flaw | None]:
        """A run in which none of them was written, and why it does not hold.

        1. A run that holds and wrote none counts. 2. One that wrote some is made once more with
        these read-only. 3. That one counts if it holds, ends the same, and wrote no others.
        """
        room.watched = self.paths
        trial = room.tried(tree)  # 1
        wrong, wrote = against(trial), self.rewritten(trial.ran)
        if wrong or not wrote:
            return trial, wrong
        if len(wrote) > MOST:
            return trial, flaw(wrote, "")
        still = room.tried(tree, fixed=wrote)  # 2
        wrong = against(still)
        if wrong or not alike(trial, still) or self.rewritten(still.ran):  # 3
            return trial, flaw(wrote, still.end.reason if still.end else "")
        return still, None

    def rewritten(self, ran: Ran) -> tuple[str, ...]:
        """Those a run wrote, which neither the base's runs nor sealed code would."""
        left = self.paths.intersection(ran.written or ()).difference(self._record.written)
        if not left:
            return ()
        base, rooms = self._court.base, self._court.rooms
        texts = rooms.look(base).read_all(self._record.oracles) if base else {}
        return tuple(path for path in sorted(left) if not is_said(path, texts.values()))

    def unseen(self, ran: Ran) -> Iterator[Lacking]:
        """What could not be looked at: everything here, or what every run writes."""
        before = sorted(self.paths.intersection(self._record.written))
        if self.paths and ran.written is None:
            yield Lacking("left-alone", "this machine cannot show what a run writes")
        elif before:
            yield Lacking("left-alone", f"runs of the base write {shown(before)} too")


def flaw(paths: tuple[str, ...], reason: str) -> Flaw:
    """Why a green run that wrote these is not believed."""
    was, them = ("was", "it") if len(paths) == 1 else ("were", "them")
    says = f"{shown(paths)} {was} written while it was judged by {them}"
    return Flaw(CODE, f"{says}; read-only: {reason}" if reason else says)


def is_said(path: str, texts: Iterable[bytes]) -> bool:
    """Whether one of these texts writes a file of that name by the look of it.

    The name, or a variable that is set on a line with it, must be what a writing call or a
    redirection is about; to stand in the same file as one is not enough. A file of that name in
    another folder is another file.
    """
    above, _, last = path.rpartition("/")
    folder, name = above.rpartition("/")[2], re.escape(last)
    elsewhere = re.compile(rf"(?<![$\w.-])(?!(?:\.|\.\.|{re.escape(folder)})/)[\w.-]+/{name}")
    return any(_writes(name, data, elsewhere) for data in texts)


def _writes(name: str, data: bytes, elsewhere: re.Pattern[str]) -> bool:
    lines = data[:_LONGEST].decode("utf-8", "replace").splitlines()
    text = "\n".join(line for line in lines if len(line) <= _WIDEST)
    text = elsewhere.sub("", text)
    if not re.search(name, text):
        return False
    own, held = f"{name}(?![\\w.-])", re.findall(rf"\b(\w+)\s*:?=(?!=)[^=\n]*{name}", text)
    ways = [*_called(own), *_spoken(own)]
    for one in dict.fromkeys(held):
        ways += [*_called(rf"{one}(?![\w-])"), *_spoken(rf"\$\{{?{one}(?![\w-])")]
    return any(re.search(way, text) for way in ways)


def _called(name: str) -> Iterator[str]:
    """Calls that write what has this name."""
    whole = rf"(?<![\w.-]){name}"
    yield rf"""open\([^)\n]*{whole}[^)\n]*{_MODE}"""
    yield rf"""{whole}["')\]]*\.(?:write_text|write_bytes|unlink|touch|open\({_MODE})"""
    yield rf"""\b{_CALLS}{_FIRST}{whole}"""
    yield rf"""\b(?:copy|copy2|copyfile|copyFileSync|dump|rename)\([^\n]*,[^\n,]*{whole}"""


def _spoken(name: str) -> Iterator[str]:
    """The same in a shell or a Makefile: redirected to, put out to, copied to, made."""
    whole = rf"(?<![\w.-]){name}"
    yield rf"""(?<!\S)-o\s*["']?[^\s"']*{whole}"""
    yield rf"""(?m)^[\w./$()% -]*{whole}[\w./ -]*:(?!=)"""
    yield rf"""(?<![-=<])>>?\|?\s*["']?[^\s"'>]*{whole}"""
    yield rf"""\b(?:tee|cp|mv|sed -i|install)\s[^\n;&|]*?{whole}["'}}]*[ \t]*(?:$|[\n;&|])"""
