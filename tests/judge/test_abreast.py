"""Runs side by side: answers as if one had been made after the other."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

from forsooth.judge.abreast import Abreast


def test_answers_come_in_the_order_asked_for():
    """Also where a later one is ready first."""
    second = threading.Event()

    def first() -> str:
        assert second.wait(10)
        return "first"

    def other() -> str:
        second.set()
        return "second"

    assert list(Abreast(2).each((first, other))) == ["first", "second"]


def test_with_room_for_one_nothing_is_begun_before_it_is_waited_for():
    """A flaw in the first run saves all the others."""
    other = threading.Event()
    answers = Abreast(1).each((lambda: "first", other.set))
    assert next(answers) == "first"
    assert not other.wait(0.2)


def test_no_more_run_at_once_than_there_are_turns():
    """However many ask, and whoever asks them."""
    runs, three, met = Abreast(2), threading.Barrier(3, timeout=0.3), list[int]()

    def run() -> None:
        with runs.turn(), suppress(threading.BrokenBarrierError):
            met.append(three.wait())

    list(runs.each([lambda: list(runs.each((run, run))) for _ in range(3)]))
    assert met == []


def test_who_stops_listening_stops_what_was_not_begun():
    """What runs is waited for, since nothing may be left behind."""
    begun: list[int] = []
    gate = threading.Event()

    def held() -> int:
        begun.append(1)
        assert gate.wait(10)
        return 1

    answers = Abreast(2).each((lambda: 0, held, held, held, held))
    assert next(answers) == 0
    threading.Timer(0.1, gate.set).start()
    answers.close()
    assert len(begun) <= 2


def test_an_error_is_told_in_its_turn():
    """Those before it are heard first."""

    def wrong() -> int:
        raise ValueError("no")

    answers = Abreast(2).each((lambda: 0, wrong))
    assert next(answers) == 0
    with pytest.raises(ValueError, match="no"):
        next(answers)
