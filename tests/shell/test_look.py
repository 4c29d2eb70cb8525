"""Reading a command never fails and never takes long, whatever the command."""

from __future__ import annotations

import os
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forsooth.hooks import reading, words
from forsooth.shell.look import look
from forsooth.shell.scope import Place
from tests.shell.corpus import cases

PLACE = Place("/srv/app", "/srv/app", "/srv/people/dev")
LARGE = 100_000
SECONDS = 10  # far above what is measured, so that a busy machine does not matter
PIECES = [
    *"(){}|&;<>$`'\"\\ \n\t=*?[]~!#",
    "rm",
    "-rf",
    "/",
    "sh",
    "-c",
    "$(",
    "<<E\n",
    "E\n",
    "${",
]
PIECES += ["x=", "if ", "then ", "fi", "for i in ", "do ", "done", "case ", "esac", "f() {", "<("]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=200))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_without_an_error(command):
    """A command that makes no sense is no reason to fail."""
    seen = look(command, PLACE)
    assert bool(seen.refuse) == (seen.code not in ("", "unread"))
    words.matter(command, fenced=True)


@given(st.sampled_from([one.command for one in cases()]), st.data())
@settings(max_examples=200, deadline=None)
def test_a_torn_command_is_read_without_an_error(command, data):
    """So is a command with a piece cut out, and one that is doubled."""
    start = data.draw(st.integers(0, len(command)))
    end = data.draw(st.integers(start, len(command)))
    look(command[:start] + command[end:] + data.draw(st.sampled_from(PIECES)) + command, PLACE)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "(",
            "$(",
            "`",
            "'",
            '"',
            "<<E\n",
            "a|",
            "a |\n",
            "a;",
            "f(){ f; };\n",
            "rm -rf x;",
            "x=(",
        ),
        *(
            "for i in a b; do ",
            "{a,b}",
            "${x:-",
            'echo "$(',
            "x=$x$x;",
            "> f ",
            "sh -c 'ls';",
            "\0",
        ),
    ],
)
def test_a_hundred_kilobytes_are_read_in_bounded_time(piece):
    """Nesting, chains and repetition that would take a parser or a walk for ever do not."""
    command = (piece * LARGE)[:LARGE]
    began = time.monotonic()
    look(command, PLACE)
    words.matter(command, fenced=True)
    assert time.monotonic() - began < SECONDS


@pytest.mark.heavy
@pytest.mark.parametrize("piece", ["a?", ")"])
def test_a_parser_that_takes_too_long_is_ended(piece):
    """Some texts cost the parser the square of their length: then its process ends itself."""
    began = time.monotonic()
    with suppress(ValueError):
        reading.read(piece * (LARGE // 2), cwd="/", root="/", home="/", strict=False)
    assert time.monotonic() - began < SECONDS


def test_a_large_file_in_a_here_document_is_read():
    """What agents write is long and plain; the command after it is seen."""
    body = "| a | table | 'it''s\n" * 4000
    command = f"cat > notes.md <<'EOF'\n{body}EOF\nrm -rf /"
    assert look(command, PLACE).code == "delete-outside"


def test_links_are_followed(tmp_path):
    """A link out of the work tree leads outside it; the link itself may go."""
    root = tmp_path.resolve() / "repo"
    (root / "in").mkdir(parents=True)
    (root / "out").symlink_to("/srv")
    place = Place(str(root), str(root), str(tmp_path / "home"))
    assert look("rm -rf in", place).code == ""
    assert look("rm -rf out", place).code == ""
    assert look("rm -rf out/other", place).code == "delete-outside"
    assert look("cd out && rm -rf other", place).code == "delete-outside"
    assert look("echo x > out/x", place).writes == [("write", os.path.realpath("/srv/x"))]


def test_what_is_not_known_is_a_wildcard():
    """Whoever compares paths is told which part the command leaves open."""
    assert look('echo x > "src/$name.py"', PLACE).writes == [("write", "/srv/app/src/*.py")]
    assert look("echo x > 'a*b'", PLACE).writes == [("write", "/srv/app/a[*]b")]
    assert look("rm src/*.py", PLACE).writes == [("remove", "/srv/app/src/*.py")]
