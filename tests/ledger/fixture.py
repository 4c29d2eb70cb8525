"""Writes the ledger kept as a fixture: every kind of event, one after the other.

python -m tests.ledger.fixture FOLDER

Run once for a new version of the format and never over an old one: what is kept must open for ever.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from forsooth.core import command as do
from forsooth.core.amendment import Add, Piece, Reorder, Reword, Split, Supersede
from forsooth.core.verdict import Finding
from forsooth.ledger.now import projection
from tests.ledger.plans import DIGEST, LOOP, PERSON, TREE, Book, a_plan

GROUNDS = {"evidence": "seen", "rationale": "so"}


def write(book: Book) -> None:
    """A short life of a plan in which everything happens once."""
    book.sealed(goals=3)
    book.judged("G001", "fail")
    book.judged("G001", "pass")
    book.ask(do.Attest(receipt=book.receipt("G001")), LOOP, whole=True)
    book.ask(do.Open(goal="G002"), key="G002/A1/open/1")
    book.ask(do.Abort(attempt="G002.A1", reason="the machine went away"))
    book.ask(do.Amend(amendment=Reword(goal="G002", title="said better", **GROUNDS)))
    pieces = (Piece(title="one", objective="one"), Piece(title="two", objective="two"))
    book.ask(do.Amend(amendment=Split(goal="G002", pieces=pieces, **GROUNDS)))
    book.ask(do.Amend(amendment=Add(title="more", objective="more", **GROUNDS)))
    book.ask(do.Amend(amendment=Reorder(order=("G005", "G004"), **GROUNDS)))
    book.ask(do.Raise(goal="G003", needs="human", why="a key", kind="waiting"))
    book.ask(do.Clear(goal="G003", blocker="B1", reason="here it is"), PERSON)
    book.ask(do.Raise(goal="G003", needs="agent", why="no use", kind="failed"))
    book.ask(do.Amend(amendment=Supersede(goal="G003", **GROUNDS)))
    book.ask(do.Waive(goal="G005", criterion="G002.C1", by="ann", reason="known"), PERSON)
    book.ask(do.Note(text="a classification", needs="human"))
    book.ask(do.Attach(digest=DIGEST, label="a log"))
    finding = Finding(criterion="G001.C1", outcome="pass", code="pass", evidence=(DIGEST,))
    book.ask(do.Record(finding=finding, tree=TREE))
    book.ask(do.Spend(tokens=10, cost=2, goal="G004"))
    book.ask(do.Open(goal="G004"))
    book.ask(do.Submit(attempt="G004.A1", tree=TREE))
    book.ask(do.Integrate(attempt="G004.A1", tree=TREE, commit="c" * 40), LOOP)
    book.ask(do.Pause(reason="lunch"), PERSON)
    book.ask(do.Resume(), PERSON)
    book.ask(do.Open(goal="G009"))
    book.ask(do.Note(text="large " * 10_000))
    with (book.ledger.folder / "ledger.jsonl").open("ab") as file:
        file.write(b'{"h":"torn')
    book.ask(do.Create(plan=a_plan(3).but(preamble="said anew")))
    book.ask(do.Drop(reason="the fixture ends"), PERSON)


def main() -> None:
    """Write the fixture and what it must fold to."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        book = Book(Path(name), signed=lambda _: True)
        write(book)
        state = book.ledger.proven_state()
        target.mkdir(parents=True)
        for path in book.ledger.folder.rglob("*"):
            if path.is_file() and (path.name == "ledger.jsonl" or "blobs" in path.parts):
                kept = target / path.relative_to(book.ledger.folder)
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(path.read_bytes())
        folded = {
            "projection": projection(state, book.now),
            "standings": {id_: one.plain() for id_, one in state.goals.items()},
            "plan_digest": state.plan_digest,
            "seq": state.seq,
            "void": state.void,
            "unknown": state.unknown,
        }
        (target / "folded.json").write_text(json.dumps(folded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
