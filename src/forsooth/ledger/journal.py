"""The ledger's bytes: one hash-chained JSON line an event, appended under a lock, never edited.

It does not know what an event means. It never truncates a finished line, never retries a failed
fsync and never acknowledges before the bytes are durable. Readers take no lock and write nothing,
so they may see a line whose append is still to fail; what decides anything reads inside a turn.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from forsooth.core.canonical import digest
from forsooth.errors import CouldNotVerify, LedgerError, Tampered, Unwritten
from forsooth.ledger.chain import (
    EMPTY,
    Problem,
    Record,
    Tail,
    Wrong,
    digest_between,
    disagreement,
    frame,
    last,
    position,
    scan,
)
from forsooth.ledger.disk import REAL, Disk, make_folders, write_all
from forsooth.ledger.recovery import (
    Apart,
    Extent,
    Loss,
    Report,
    copy,
    examine,
    extent_of,
    inline,
    loss_of,
    swap,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from forsooth.ledger.anchor import Anchor, Mark


def _release(disk: Disk, fd: int) -> None:
    # What was to be made durable is: a descriptor that closes badly changes no answer.
    with suppress(OSError):
        disk.unlock(fd)
    with suppress(OSError):
        disk.close(fd)
    # Who just had the lock is awake and would take it again before those who wait for it.
    disk.give_way()


class Turn:
    """The lock on the ledger, held: what it ends with, and the right to append once or more."""

    def __init__(self, journal: Journal, fd: int) -> None:
        self._journal, self._fd, self._disk = journal, fd, journal.disk
        self._mark = journal.mark()
        self.tail, self._torn = last(self._disk, fd, self._disk.stat(fd).st_size)
        # Lines nobody acknowledged may be in the page cache only, and stay so after a failed fsync.
        self._is_durable = self.tail == EMPTY or self._mark == self.tail[:2]
        self.repaired: Record | None = None
        self.over = ""

    def records(self, after: Tail = EMPTY, *, since: int = 0) -> Iterator[Record]:
        """Yield the verified lines between a position, or an event, and the tail."""
        try:
            stop = self.tail.size
            if since:
                after = position(self._disk, self._fd, self.tail, seq=since)
            for batch in self._journal.follow(self._fd, after, mark=self._mark, stop=stop):
                yield from batch
        except OSError as error:
            raise self._journal.unreadable(error) from error
        except Wrong as wrong:
            raise self._journal.tampered(wrong) from None

    def append(self, bodies: Sequence[Mapping[str, object]]) -> tuple[Record, ...]:
        """Make events durable, all in one write, and return their records.

        1. Refuse while the ledger is poisoned or behind its anchor.
        2. Frame every line first, so that a bad body changes nothing.
        3. Cut off a torn tail; the event that says so goes first in the batch.
        4. Write once. If that fails, undo.
        5. Fsync once. If that fails, undo; poison the ledger if the undo fails or cannot be enough.
        6. Note the head in the anchor, as well as that can be done.
        7. Acknowledge by returning.

        A crash between 3 and 4 loses the note that torn bytes were removed, never an event.
        """
        try:
            self._refuse_unless_sound()  # 1
            records = self._framed(bodies)  # 2
        except OSError as error:
            raise self._journal.unopened(error) from error
        if not records:
            return ()
        try:
            if self._torn:
                self._disk.truncate(self._fd, self.tail.size)  # 3
            write_all(self._disk, self._fd, b"".join(b"%b\n" % r.line for r in records))  # 4
        except OSError as error:
            self._undo()
            raise self._unwritten(error) from error
        try:
            self._disk.fsync(self._fd)  # 5
        except OSError as error:
            if not self._undo() or not self._is_durable:
                self._journal.poison()
            raise self._unwritten(error) from error
        self.tail, self._is_durable = records[-1].tail, True
        if self._torn:
            self.repaired, self._torn = records.pop(0), 0
        self._journal.note(self.tail)  # 6
        return tuple(records)  # 7

    def _refuse_unless_sound(self) -> None:
        if self.over:
            raise LedgerError(f"{self._journal.path}: {self.over}; take a new one")
        if self._journal.is_poisoned():
            says = "an append failed on a failing disk, and what follows could be lost with it"
            raise LedgerError(
                f"{self._journal.path}: {says}", hint="forsooth fsck --recover", code="poisoned"
            )
        problem = disagreement(self.tail, self._mark, at=self.tail.size)
        if problem is not None:
            raise self._journal.tampered(Wrong(problem))

    def _framed(self, bodies: Sequence[Mapping[str, object]]) -> list[Record]:
        if self._torn:
            end = self.tail.size + self._torn
            removed = digest_between(self._disk, self._fd, self.tail.size, stop=end)
            bodies = (self._journal.repaired(self._torn, removed), *bodies)
        records: list[Record] = []
        tail = self.tail
        for body in bodies:
            line = frame(body, seq=tail.seq + 1, prev=tail.head)
            end = tail.size + len(line) + 1
            records.append(Record(tail.seq + 1, line, digest(line), tail.size, end))
            tail = records[-1].tail
        return records

    def _undo(self) -> bool:
        self.over = "this turn ended with a failed append"
        try:
            self._disk.truncate(self._fd, self.tail.size)
        except OSError:
            return False
        return True

    def _unwritten(self, error: OSError) -> Unwritten:
        return Unwritten(
            f"{self._journal.path}: the append failed ({error.strerror}) and its fate is unknown: "
            "it may surface later, so repeat it with the same id",
            hint="forsooth fsck",
        )


class Journal:
    """One ledger file.

    `repaired(removed_bytes, their_sha256)` makes the body of the event that records a repair;
    `apart(record)` says what is wrong with the part of an event that is not in its line.
    """

    def __init__(
        self,
        path: Path,
        *,
        repaired: Callable[[int, str], Mapping[str, object]],
        disk: Disk = REAL,
        anchor: Anchor | None = None,
        apart: Apart = inline,
    ) -> None:
        self.path, self.disk, self.repaired, self._apart = path, disk, repaired, apart
        self._anchor = anchor
        self._poison = path.with_name(f"{path.name}.poisoned")

    def read(self, after: Tail = EMPTY) -> Iterator[Record]:
        """Yield the complete lines after a position, verified, without a lock or a write."""
        # The anchor first: it never leads, so a file opened later must hold what it names.
        mark = self.mark()
        try:
            with self._opened() as fd:
                for batch in self.follow(fd, after, mark=mark):
                    yield from batch
        except OSError as error:
            raise self.unreadable(error) from error
        except Wrong as wrong:
            raise self.tampered(wrong) from None

    def latest(self, count: int) -> Iterator[Record]:
        """Yield the last few lines, verified against each other and the anchor."""
        try:
            with self._opened() as fd:
                after = EMPTY if fd is None else self._before(fd, count)
        except OSError as error:
            raise self.unreadable(error) from error
        except Wrong as wrong:
            raise self.tampered(wrong) from None
        return self.read(after)

    def _before(self, fd: int, count: int) -> Tail:
        tail, _ = last(self.disk, fd, self.disk.stat(fd).st_size)
        return position(self.disk, fd, tail, seq=tail.seq - count)

    def matches(self, tail: Tail) -> bool:
        """Whether the file holds this position, judged by the one line that ends there."""
        try:
            with self._opened() as fd:
                return self._holds(fd, tail)
        except OSError as error:
            raise self.unreadable(error) from error

    @contextmanager
    def locked(self) -> Generator[Turn]:
        """Hold the ledger's lock; everything that decides and appends happens inside."""
        with self._held() as fd:
            try:
                turn = Turn(self, fd)
            except Wrong as wrong:
                raise self.tampered(wrong) from None
            except OSError as error:
                raise self.unopened(error) from error
            try:
                yield turn
            finally:
                turn.over = "this turn is over"

    def check(self) -> Report:
        """Verify everything, including that each line is in its one canonical form."""
        mark = self.mark()
        try:
            with self._opened() as fd:
                extent = Extent(0, 0) if fd is None else self._settled(fd)
                return self._examine(fd, extent, mark=mark)
        except OSError as error:
            raise self.unreadable(error) from error

    def recover(self, body: Callable[[Loss], Mapping[str, object]]) -> Loss | None:
        """Replace a damaged, rewound or poisoned ledger by its good prefix; None if it is sound.

        `body(loss)` makes the body of the event that ends the prefix and names what was left out.

        1. Under the lock, find the good prefix.
        2. Poison the ledger, so that nobody appends before the new file's name is durable, even if
           this process is killed.
        3. Copy the prefix to a new file, with the event; fsync. Bytes are copied, not kept: after a
           failed fsync the old file's pages may never reach the disk.
        4. Give the damaged file a second name. It is never deleted or changed.
        5. Rename the new file over the old name; fsync the folder. Waiting writers notice.
        6. Set the anchor to the new head, then lift the poison.

        A crash leaves the old ledger or the new one; repeating the recovery is safe.
        """
        try:
            with self._held() as fd:
                extent = extent_of(self.disk, fd)
                report = self._examine(fd, extent, mark=self.mark())  # 1
                if report.problem is None:
                    return None
                code = report.problem.code
                loss = loss_of(self.disk, self.path, fd, extent=extent, report=report, code=code)
                line = frame(body(loss), seq=report.events + 1, prev=report.head)
                self._start_again(fd, report, line=line, kept=loss.kept_as)
                return loss
        except OSError as error:
            says = f"{self.path}: the recovery did not finish ({error.strerror})"
            raise Unwritten(says, hint="forsooth fsck --recover") from error

    def follow(
        self, fd: int | None, after: Tail, *, mark: Mark | None, stop: int | None = None
    ) -> Iterator[list[Record]]:
        """Yield verified lines after a position; without `stop`, beside writers at work."""
        if not self._holds(fd, after):
            says = f"the ledger does not hold event {after.seq} ending at byte {after.size}"
            raise Wrong(Problem(after.seq, after.size, "rewound", says))
        end, at = after, after.size
        for batch in self._batches(fd, after, stop=stop):
            index = mark.seq - batch[0].seq if mark else -1
            if 0 <= index < len(batch):
                yield batch[:index]
                self._compare(batch[index].tail, mark, at=batch[index].offset)
                del batch[:index]
            yield batch
            end, at = batch[-1].tail, batch[-1].offset
        self._compare(end, mark, at=at)

    def _batches(self, fd: int | None, after: Tail, *, stop: int | None) -> Iterator[list[Record]]:
        while fd is not None:
            try:
                for batch in scan(self.disk, fd, after, stop=stop):
                    if batch:
                        yield batch
                        after = batch[-1].tail
                return
            except Wrong:
                if stop is not None:
                    raise
            # Half a line read before a failed append was undone, half after it? Look again.
            stop = self._settled(fd).size

    def _compare(self, tail: Tail, mark: Mark | None, *, at: int) -> None:
        problem = disagreement(tail, mark, at=at)
        # A recovery meanwhile moved both; then the next reader sees them agree.
        if problem is not None and self.mark() == mark:
            raise Wrong(problem)

    def mark(self) -> Mark | None:
        """What the anchor says was acknowledged last."""
        return None if self._anchor is None else self._anchor.read()

    def note(self, tail: Tail) -> None:
        """Tell the anchor what is acknowledged; without a place to write it goes without."""
        if self._anchor is not None:
            with suppress(OSError):
                self._anchor.write(tail.seq, tail.head)

    def is_poisoned(self) -> bool:
        """Whether a failed fsync left bytes in view that may never reach the disk."""
        try:
            self.disk.stat(self._poison)
        except FileNotFoundError:
            return False
        return True

    def poison(self) -> None:
        """Close the ledger to appends until it is recovered.

        The marker itself needs no fsync: after a restart the page cache no longer hides the truth.
        """
        with suppress(OSError):
            self._set_poison()

    def _set_poison(self) -> None:
        self.disk.close(self.disk.open(self._poison, os.O_WRONLY | os.O_CREAT))

    def tampered(self, wrong: Wrong) -> Tampered:
        """The error for a finished line that is wrong, or a chain that was rewound."""
        return Tampered(f"{self.path}: {wrong.problem.says}", hint="forsooth fsck")

    def unreadable(self, error: OSError) -> CouldNotVerify:
        """The error for a ledger that cannot be read."""
        return CouldNotVerify(f"{self.path}: the ledger cannot be read ({error.strerror})")

    def unopened(self, error: OSError) -> Unwritten:
        """The error for an append that failed before its first byte."""
        says = f"the ledger cannot be opened for appending ({error.strerror}); nothing was written"
        return Unwritten(f"{self.path}: {says}")

    @contextmanager
    def _opened(self) -> Generator[int | None]:
        try:
            fd = self.disk.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
        try:
            yield fd
        finally:
            self.disk.close(fd)

    @contextmanager
    def _held(self) -> Generator[int]:
        try:
            fd = self._acquire()
        except OSError as error:
            raise self.unopened(error) from error
        try:
            yield fd
        finally:
            _release(self.disk, fd)

    def _acquire(self) -> int:
        while True:
            fd = self._create()
            try:
                self.disk.lock(fd)
                if self._is_current(fd):
                    # Only an empty file can have a name that is not durable yet.
                    if not self.disk.stat(fd).st_size:
                        self.disk.fsync_folder(self.path.parent)
                    return fd
            except BaseException:
                _release(self.disk, fd)
                raise
            _release(self.disk, fd)

    def _create(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            return self.disk.open(self.path, flags)
        except FileNotFoundError:
            make_folders(self.disk, self.path.parent)
            return self.disk.open(self.path, flags)

    def _is_current(self, fd: int) -> bool:
        try:
            return os.path.samestat(self.disk.stat(fd), self.disk.stat(self.path))
        except FileNotFoundError:
            return False

    def _holds(self, fd: int | None, tail: Tail) -> bool:
        if tail == EMPTY or fd is None:
            return tail == EMPTY
        try:
            return last(self.disk, fd, tail.size) == (tail, 0)
        except Wrong:
            return False

    def _settled(self, fd: int) -> Extent:
        """The extent at a moment when nobody appends: what it holds stays as it is."""
        self.disk.share(fd)
        try:
            return extent_of(self.disk, fd)
        finally:
            self.disk.unlock(fd)

    def _examine(self, fd: int | None, extent: Extent, *, mark: Mark | None) -> Report:
        lines = self.follow(fd, EMPTY, mark=mark, stop=extent.size)
        report = examine(self.disk, fd, extent, lines=lines, apart=self._apart)
        if report.problem is None and self.is_poisoned():
            says = "an append or a recovery was cut short: what is in view may not be on the disk"
            report = report._replace(problem=Problem(report.events, report.size, "poisoned", says))
        return report

    def _start_again(self, fd: int, report: Report, *, line: bytes, kept: str) -> None:
        fresh = self.path.with_name(f"{self.path.name}.new")
        self._set_poison()  # 2
        copy(self.disk, fd, report.size, path=fresh, line=line)  # 3
        swap(self.disk, self.path, fresh=fresh, kept=self.path.with_name(kept))  # 4, 5
        if self._anchor is not None:
            self._anchor.write(report.events + 1, digest(line))  # 6
        self.disk.unlink(self._poison)
        self.disk.fsync_folder(self.path.parent)
