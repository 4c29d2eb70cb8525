"""What a live plan was sealed with stays, and when it is gone all the same, a command leads on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.e2e.place import AGENT, Place
from tests.requirements import requirement

TEST = """\
import unittest
from shouting import shout
from words import upper


class Upper(unittest.TestCase):
    def test_upper(self):
        self.assertEqual(upper("a"), shout("a"))
"""
RED, GREEN = "def upper(text):\n    return text\n", "def upper(text):\n    return text.upper()\n"


def begun(place: Place) -> str:
    """A sealed plan whose environment was copied from this machine, and work in progress."""
    venv = place.folder / ".venv"
    made = (sys.executable, "-m", "venv", "--without-pip", str(venv))
    subprocess.run(made, check=True, capture_output=True)
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "shouting.py").write_text("def shout(text):\n    return text.upper()\n")
    place.commit(".gitignore", ".venv\n__pycache__\n")
    place.commit("test_words.py", TEST)
    place.commit("words.py", RED)
    command = ".venv/bin/python -m unittest test_words"
    brief = f"@goal: Upper\nTouches: words.py\n- [ ] it works: `{command}`\n"
    place.run("plan", "--text", brief)
    place.run("seal", "--yes")
    token = place.ask("next", env=AGENT)["token"]
    place.write("words.py", GREEN)
    return token


@requirement("D13")
def test_gc_never_takes_the_environment_that_a_live_plan_was_sealed_with(place: Place):
    """An agent may run it, and the claim is judged all the same."""
    token = begun(place)
    place.run("gc", "--most", "0", env=AGENT)
    done = place.run("done", "G001", "--token", token, env=AGENT, code=None)
    assert "not-borrowed" not in done.out
    assert place.statuses() == {"G001": "done"}, done


@requirement("D13")
def test_an_environment_that_is_gone_is_copied_again_by_sealing_again(place: Place):
    """Plan, seal and done never send each other round: each printed command leads on."""
    token = begun(place)
    shutil.rmtree(place.home / ".cache/forsooth/layers")
    lost = place.run("done", "G001", "--token", token, env=AGENT, code=None)
    assert "forsooth seal --again" in lost.out + lost.err
    place.write("words.py", RED)
    failed = place.run("seal", "--yes", code=2)
    assert "forsooth seal --again" in failed.err
    sealed = place.typed("seal", "--again", answer="y")
    assert "sealed" in sealed.out, sealed
    place.write("words.py", GREEN)
    done = place.run("done", "G001", "--token", token, env=AGENT, code=None)
    assert place.statuses() == {"G001": "done"}, (lost, sealed, done)


@requirement("D13")
def test_the_judges_disk_is_looked_at_once_a_day(place: Place):
    """Nobody has to run gc; a look that was long ago is taken again."""
    begun(place)
    stamp = place.home / ".cache/forsooth/tidied"
    assert stamp.exists()
    os.utime(stamp, (1, 1))
    place.run("check", env=AGENT, code=None)
    assert stamp.stat().st_mtime > 1
