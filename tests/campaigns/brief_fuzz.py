"""Throws random briefs at the reader: none may crash it, hang it, or read differently once written.

    python tests/campaigns/brief_fuzz.py --inputs 1000000 [--seed N]

Inputs are made of parts of real briefs, then mutated; each is small and gets a second of CPU.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from typing import NamedTuple

from forsooth.core.brief import compile as compiler
from forsooth.core.brief.brief import parse, render, unlined
from forsooth.core.canonical import digest_of

LIMIT = 1.0
LARGEST = 20_000

SENTENCES = (
    "importer tests: `pytest -q tests/test_import.py`",
    "bad header: `python -m imp bad.csv` exits 2, stderr has \"column 'qty'\"",
    'out: `make` stdout is "ok\\n" and stderr lacks “Traceback”',
    'docs/import.md contains "## Errors"',
    "docs/a.md exists",
    "`docs/old.md` is gone",
    "x.sh parses as bash",
    "only src/imp/**, tests/** and `docs/**` change",
    "never touch .github/**, migrations",
    "stays green: `pytest -q`",
    "a person agrees: the message reads well",
    'commits match "^(feat|fix)\\("',
    "a commit matches `a{99999999999}`",
    "`FOO=1 make | tee log`",
    "`uv run --extra dev pytest tests`",
    "``echo `date` ``",
    "the page looks good",
    "tests pass",
    "npm test",
    '`x` exits 999 "',
    "",
)
YAML = (
    "- says: s\n  check: tests\n  with: {argv: [pytest], runner: pytest}\n",
    "- {says: s, check: command, with: {argv: [a], exits: 1}, tags: [t], entry: true}\n",
    "expected_paths: [a.py]\nmin_file_count: 1\nmust_contain:\n- {path: a, pattern: b}\n",
    "manifest:\n  commit_message_pattern: '^feat'\n  sandbox_preflight: true\n",
    "a: &a [x]\nb: *a\n",
    "<<: {a: 1}\n",
    "- 1.5\n- 2020-01-01\n- 99999999999999999999\n- !!python/object x\n",
    "intent: fix\ntouch: [src/**]\ncadence: 24\ndepends_on: [G001]\n",
    "%YAML 1.1\n---\na: 1\n...\n---\nb\n",
    "? [complex, key]\n: value\n",
    '"\\ud800\\0\\UFFFFFFFF"\n',
    "key: |2\n   block\n  folded: >-\n",
)
PROSE = (
    'Plain prose, with `code` and "quotes".',
    "# Heading",
    "    indented code",
    "@goalish text",
    " @goal: indented",
    "",
    "After: G001",
    "Depends on: G001, G002 and G999",
    "Intent: fix",
    "Intent: bugfix",
    "Every: 24 hours",
    "Only: src/**, tests/**",
    "Never: migrations/** and `db/x`",
    "May change: tests/a.py",
    "Expects: no-change",
    "Deliver: branch main",
    "Upstream: origin/main",
    "Suite: `make test`",
    "Suite: make test",
    "```",
    "~~~~",
    "```python",
    "> quoted",
    "- plain item",
    "  continued",
)
ALPHABET = "@goal:`~-*+[]xX \t\r\n\"'“”\\#&!|<>{}()$%,.?/G0129é\u2028\ufeff\x00\ud800\U0001f600"


class Report(NamedTuple):
    """What a campaign saw."""

    inputs: int
    crashes: list[str]
    slowest: float
    seconds: float


class Hang(BaseException):
    """An input took longer than the limit; not an Exception, so nothing swallows it."""


def brief(dice: random.Random) -> str:
    """One random brief, at most LARGEST characters."""
    parts = [_part(dice) for _ in range(dice.randrange(1, 14))]
    text = dice.choice(("\n", "\n", "\n", "\r\n", "\r", "\n\n")).join(parts)
    for _ in range(dice.choice((0, 0, 1, 2, 8))):
        text = _mutated(dice, text)
    return text[:LARGEST]


def _part(dice: random.Random) -> str:
    roll = dice.random()
    if roll < 0.2:
        return dice.choice(("@goal: ", "@goal ", "@goal", "@goal:\t", "@goal: T")) + dice.choice(
            ("", "Reject rows", "`x`", "  spaced  ", "@goal: inner")
        )
    if roll < 0.55:
        mark = dice.choice(("- [ ] ", "* [x] ", "   + [X] ", "1. [ ] ", "- [ ]", "     - [ ] "))
        return mark + dice.choice(SENTENCES) + dice.choice(("", "", ".", "\n  and more", " and"))
    if roll < 0.8:
        return dice.choice(PROSE)
    if roll < 0.97:
        fence = dice.choice(("```", "~~~", "````", "  ```"))
        word = dice.choice(("criteria", "criteria", "goal", "python", ""))
        close = dice.choice((fence, fence, fence, fence, "", fence[:-1]))
        inside = "".join(dice.choice(YAML) for _ in range(dice.choice((1, 1, 1, 2, 3))))
        return f"{fence}{word}\n{inside}{close}"
    return _large(dice)


def _large(dice: random.Random) -> str:
    size = dice.randrange(100, 5_000)
    unit = dice.choice(
        ("`", "~", " ", "\t", '"', "{", "[", "a ", "a,", "- ", "*a", "#", "G1,", "\\", ": ", "&a ")
    )
    opens = dice.choice(("", "- [ ] ", "- [ ] only ", "After: ", "```criteria\n", "@goal: ", "```"))
    return opens + unit * (size // len(unit)) + dice.choice(("", " change", "\n```", "x"))


def _mutated(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text) + 1)
    to = min(len(text), at + dice.randrange(1, 30))
    roll = dice.random()
    if roll < 0.4:
        return text[:at] + dice.choice(ALPHABET) + text[at:]
    if roll < 0.7:
        return text[:at] + text[to:]
    if roll < 0.85:
        return text[:at] + text[at:to] * dice.randrange(2, 6) + text[to:]
    return text[:at] + "".join(dice.choices(ALPHABET, k=8)) + text[to:]


def examine(text: str) -> None:
    """Read a brief; without defects, writing and reading it must change nothing."""
    read = parse(text)
    if len(text) % 4 == 0:
        parse(text, lenient=True)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= defect.line <= lines for defect in read.defects), "a line out of range"
    wrong = compiler.defects(read)
    if not read.defects:
        assert unlined(parse(render(read))) == unlined(read), "reads differently once written"
    if not wrong:
        plan = compiler.compile(read, plan_id="20260101-000000", digest="0" * 64)
        digest_of(plan.plain())
        again = compiler.compile(read, plan_id=plan.id, digest="0" * 64, before=plan)
        assert again == plan, "planning again changes ids"


def campaign(inputs: int, seed: int) -> Report:
    """Examine that many briefs; the same seed gives the same ones."""

    def alarm(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, alarm)
    crashes: list[str] = []
    began, slowest = time.perf_counter(), 0.0
    try:
        for number in range(inputs):
            text = brief(random.Random(f"{seed}/{number}"))
            start = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                examine(text)
            except (Exception, Hang) as error:  # noqa: BLE001
                crashes.append(f"{seed}/{number}: {type(error).__name__}: {error}"[:300])
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            slowest = max(slowest, time.process_time() - start)
    finally:
        signal.signal(signal.SIGPROF, before)
    return Report(inputs, crashes, slowest, time.perf_counter() - began)


def main() -> int:
    """Run a campaign and print what it saw."""
    flags = argparse.ArgumentParser(description="random briefs for the reader")
    flags.add_argument("--inputs", type=int, default=100_000)
    flags.add_argument("--seed", type=int, default=0)
    asked = flags.parse_args()
    report = campaign(asked.inputs, asked.seed)
    for crash in report.crashes[:20]:
        print(crash)
    print(
        f"inputs {report.inputs}  crashes {len(report.crashes)}  "
        f"slowest {report.slowest * 1000:.0f} ms  {report.inputs / report.seconds:.0f} inputs/s"
    )
    return 1 if report.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
