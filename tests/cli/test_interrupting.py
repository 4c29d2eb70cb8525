"""An interrupted claim ends what it started and can be made again."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from tests.e2e.place import AGENT, FORSOOTH
from tests.e2e.proving import begun
from tests.processes import running, until

BRIEF = '@goal: Greet\n- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'


def test_an_interrupt_ends_the_runs_and_the_goal_is_no_dead_end(tmp_path: Path):
    """The judge's threads hear of it; the claim has no verdict, and the next one resumes it."""
    place = begun(tmp_path, BRIEF, greet="echo hi\n")
    slow = ("sleep", str(2000 + os.getpid()))
    place.commit("greet.sh", f"{' '.join(slow)}\necho good day\n")
    with subprocess.Popen(
        [*FORSOOTH, "done", "G001"], cwd=place.folder, env=place.environment(AGENT)
    ) as process:
        try:
            until(lambda: bool(running(*slow)))
            os.kill(process.pid, signal.SIGINT)
            assert process.wait(30) == 130
        finally:
            process.kill()
    assert running(*slow) == []
    why = place.ask("status")["next"]
    assert why == {"says": "G001 waits for a verdict", "command": "forsooth done G001"}
    place.commit("greet.sh", "echo good day\n")
    assert place.ask("done", "G001", env=AGENT)["receipt"]
