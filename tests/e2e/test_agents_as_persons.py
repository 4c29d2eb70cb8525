"""What an agent under the person's account tries in order to be taken for the person."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.place import AGENT, FORSOOTH, Place
from tests.e2e.proving import BYE, HELLO, begun, claim
from tests.requirements import requirement

TYPIST = """\
import os, pty, sys
clean = {name: value for name, value in os.environ.items() if name != "CLAUDECODE"}
child, screen = pty.fork()
if not child:
    os.execvpe(sys.argv[1], sys.argv[1:], clean)
seen, answered = b"", 0
try:
    while part := os.read(screen, 65536):
        seen += part
        if seen.count(b"]: ") > answered:
            os.write(screen, b"y\\n")
            answered = seen.count(b"]: ")
except OSError:
    pass
print(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def typist(place: Place) -> tuple[str, ...]:
    """A script that takes the agent's mark off and types at a terminal of its own making."""
    script = place.home / "typist.py"
    script.write_text(TYPIST, encoding="utf-8")
    return (sys.executable, str(script), *FORSOOTH)


@requirement("D17")
def test_an_agent_that_types_at_a_terminal_of_its_own_waives_and_seals_nothing(tmp_path: Path):
    """The variable is removed and the questions are answered; the shell above tells."""
    place = begun(tmp_path, f"@goal: Greet\n- [ ] {HELLO}\n- [ ] {BYE}\n")
    place.commit("greet.sh", "echo good day\n")
    waive = ("waive", "G001.C2", "--reason", "flaky")
    told = place.run(*waive, env=AGENT, prefix=typist(place), code=3)
    assert "not-a-person" in told.out or "only a person" in told.out
    assert claim(place, "G001", 1)["outcome"] == "fail"
    place.commit("EASY.md", "@goal: Greet\n- [ ] done.txt exists\n")
    plan = place.ask("plan", "EASY.md", "--new", env=AGENT)["plan"]["id"]
    for more in ((), ("--yes",)):
        place.run("seal", "--plan", plan, *more, env=AGENT, prefix=typist(place), code=None)
    assert place.ask("status", "--plan", plan)["plan"]["status"] == "draft"
    assert place.typed(*waive).code == 0
    assert claim(place, "G001")["outcome"] == "pass"


@requirement("R125")
@pytest.mark.parametrize("word", ["seal", "ulw", "/forsooth:stop"])
def test_a_prompt_handed_to_the_hook_by_an_agent_s_script_is_no_person_s_word(
    place: Place, word: str
):
    """Neither with the mark nor without: a shell above has it."""
    place.commit("greet.sh", "echo hi\n")
    place.run("plan", "--text", f"@goal: Greet\n- [ ] {HELLO}\n", env=AGENT)
    event = {"session_id": "s1", "cwd": str(place.folder), "prompt": word}
    hook = (sys.executable, "-c", "from forsooth.hooks.entry import main; main()")
    unmarked = ("sh", "-c", 'env -u CLAUDECODE AI_AGENT=x_harness "$@"; exit $?', "-", *hook)
    for prefix in (hook, unmarked):
        told = place.run("claude", "prompt", stdin=json.dumps(event), env=AGENT, prefix=prefix)
        assert ("does not count here" in told.out) is (word == "seal")
    assert not (place.state / "sessions" / "s1.json").exists()
    assert place.kinds() == ["plan.created"]
