"""The gate in front: silent where nothing is at stake, and never in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.hooks.hosts import EVENTS, HOSTS, spoken
from tests.hooks.stage import GATE, Ended, Stage, gate, run
from tests.ledger.plans import PERSON, Book

LOUD = "#!/bin/sh\ncat >/dev/null\necho loud\n"


@pytest.fixture
def loud(tmp_path) -> Path:
    """A folder with a program in the hook's place that says that it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "forsooth-hook"
    program.write_text(LOUD)
    program.chmod(0o755)
    return folder


@pytest.fixture
def ask(loud, tmp_path):
    """The gate as shipped, with that program on the path."""

    def call(folder: Path, event: str, host: str = "claude", text: str = "", **env: str) -> str:
        data = json.dumps({"session_id": "s1", "prompt": text}).encode()
        path = {"PATH": f"{loud}:/usr/bin:/bin"}
        ended = run((str(GATE), host, event), folder, data, **{**path, **env})
        assert (ended.code, ended.err) == (0, "")
        return ended.out

    return call


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("event", EVENTS)
def test_without_a_plan_the_gate_says_what_the_hook_would(host, event, stage: Stage, ask):
    """Nothing, in the host's words, and no interpreter is started."""
    assert ask(stage.folder, event, host, "please look") == spoken(host, event)


def test_outside_of_a_repository_the_gate_is_silent(ask, tmp_path):
    """As everywhere that nothing is at stake."""
    assert ask(tmp_path, "stop") == "{}\n"
    assert ask(tmp_path, "stop", CLAUDE_PROJECT_DIR="nowhere") == "{}\n"


@pytest.mark.parametrize("event", EVENTS)
def test_a_bound_plan_wakes_the_hook_from_every_folder_inside(event, stage: Stage, ask):
    """For every event."""
    stage.sealed()
    deep = stage.folder / "a b/c"
    deep.mkdir(parents=True)
    assert ask(deep, event) == ask(stage.folder, event) == "loud\n"


def test_an_agent_that_went_elsewhere_still_wakes_it(stage: Stage, ask, tmp_path):
    """Where the session began is what counts then."""
    stage.sealed()
    assert ask(tmp_path, "stop", CLAUDE_PROJECT_DIR=str(stage.folder)) == "loud\n"


def marked(stage: Stage) -> None:
    """The plan as one found over, later than anything recorded."""
    (stage.place / "over").touch()
    recorded = (stage.place / "now.json").stat().st_mtime
    os.utime(stage.place / "over", (recorded + 1, recorded + 1))


def test_a_linked_work_tree_is_bound_on_its_own(stage: Stage, ask, tmp_path):
    """By git's own name for it; a submodule shares nothing."""
    tree, git = tmp_path / "tree", stage.common / "worktrees/tree"
    git.mkdir(parents=True)
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {git}\n")
    (git / "commondir").write_text("../..\n")
    stage.sealed()
    assert ask(tree, "stop") == "loud\n", "the only plan there is"
    marked(stage)
    assert ask(tree, "stop") == "{}\n"
    (stage.place / "over").unlink()
    stage.bind(tree="linked/tree")
    assert ask(tree, "stop") == "loud\n"
    (git / "commondir").write_text(f"{stage.common}\n")
    assert ask(tree, "stop") == "loud\n"
    (tree / ".git").write_text("gitdir: ../repo/.git/worktrees/tree\n")
    assert ask(tree, "stop") == "loud\n"
    (git / "commondir").unlink()
    assert ask(tree, "stop") == "{}\n"
    (tree / ".git").write_text("something else\n")
    assert ask(tree, "stop") == "{}\n"


def test_real_linked_work_trees_are_found(ask, tmp_path):
    """As git makes them."""
    main, tree = tmp_path / "main", tmp_path / "tree"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=main, check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], cwd=main, check=True)
    bound = main / ".git/forsooth/bound/linked/tree"
    bound.parent.mkdir(parents=True)
    bound.write_text("p\n")
    (main / ".git/forsooth/plans/p").mkdir(parents=True)
    assert ask(tree, "stop") == "loud\n"
    assert ask(main, "stop") == "{}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("please look", ""),
        ("ulw please", "loud\n"),
        ("say /forsooth:go now", "loud\n"),
        ("line\none", ""),
    ],
)
def test_without_a_plan_only_a_word_for_us_wakes_the_hook(text, said, stage: Stage, ask):
    """The payload is handed on whole."""
    assert ask(stage.folder, "prompt", text=text) == said


def test_the_keywords_can_be_chosen(stage: Stage, ask):
    """By the environment."""
    assert ask(stage.folder, "prompt", text="ship it", FORSOOTH_KEYWORDS="ship") == "loud\n"
    assert ask(stage.folder, "prompt", text="ulw", FORSOOTH_KEYWORDS="ship") == ""


def test_a_plan_named_by_the_environment_counts_as_bound(stage: Stage, ask):
    """As on the command line."""
    Book(stage.plans).sealed()
    marked(stage)
    assert ask(stage.folder, "stop") == "{}\n"
    (stage.place / "over").unlink()
    assert ask(stage.folder, "stop", FORSOOTH_PLAN="plan") == "loud\n"


def test_without_an_interpreter_the_agent_goes_on(stage: Stage, tmp_path):
    """Nothing is installed any more, and nobody notices."""
    stage.sealed()
    ended = run((str(GATE), "claude", "stop"), stage.folder, b"{}", PATH="/usr/bin:/bin")
    assert (ended.code, ended.out, ended.err) == (0, "{}\n", "")


def test_a_program_that_fails_lets_the_agent_go_on(stage: Stage, loud):
    """Whatever it ended with."""
    stage.sealed()
    (loud / "forsooth-hook").write_text("#!/bin/sh\nexit 2\n")
    path = f"{loud}:/usr/bin:/bin"
    ended = run((str(GATE), "claude", "stop"), stage.folder, b"{}", PATH=path)
    assert (ended.code, ended.out) == (0, "{}\n")


def through(stage: Stage, script: Path, event: str, **payload: object) -> Ended:
    data = {"session_id": "s1", "cwd": str(stage.folder), **payload}
    return stage.process(str(script), "claude", event, data=json.dumps(data).encode())


def test_a_package_made_for_this_machine_needs_nothing_on_the_path(stage: Stage, tmp_path):
    """It names its interpreter and where we lie; from prompt to hold."""
    script = gate(tmp_path)
    stage.sealed()
    assert "Next: forsooth next" in through(stage, script, "prompt", prompt="ulw").out
    assert json.loads(through(stage, script, "stop").out)["decision"] == "block"


def test_a_keyword_reaches_the_hook_through_the_gate_s_own_reading(stage: Stage, tmp_path):
    """What the gate has read, it hands on."""
    said = through(stage, gate(tmp_path), "prompt", prompt='ulw: a "quoted" % wish\n\\n')
    assert "There is no plan yet" in said.out


def test_a_finished_plan_lets_the_gate_rest_until_something_is_recorded(
    stage: Stage, ask, tmp_path
):
    """The hook finds it over and leaves a mark; a newer answer wakes it again."""
    book = stage.sealed()
    book.ask(do.Drop(), PERSON)
    assert ask(stage.folder, "stop") == "loud\n"
    earlier = time.time() - 10  # some shells compare times by the second
    os.utime(stage.place / "now.json", (earlier, earlier))
    through(stage, gate(tmp_path), "session_start")
    assert ask(stage.folder, "stop") == "{}\n"
    book.ask(do.Note(text="more"))
    assert ask(stage.folder, "stop") == "loud\n"


def test_a_work_tree_bound_to_a_plan_that_is_over_wakes_for_the_live_one(stage: Stage, ask):
    """As on the command line; a plan that the environment names is the only one meant."""
    stage.sealed()
    marked(stage)
    assert ask(stage.folder, "stop") == "{}\n"
    shutil.copytree(stage.place, stage.plans / "other")
    (stage.plans / "other/over").unlink()
    assert ask(stage.folder, "stop") == "loud\n"
    assert ask(stage.folder, "stop", FORSOOTH_PLAN="plan") == "{}\n"
    assert ask(stage.folder, "stop", FORSOOTH_PLAN="oth") == "loud\n"


def test_a_payload_larger_than_a_pipe_is_taken_to_its_end(stage: Stage):
    """A host that finds the pipe closed would call that an error."""
    process = subprocess.Popen(
        [str(GATE), "claude", "pre_tool"],
        cwd=stage.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    process.stdin.write(b"x" * (4 << 20))
    process.stdin.close()
    assert process.stdout.read() == b"{}\n"
    process.stdout.close()
    assert process.wait(20) == 0


def test_an_interpreter_that_fails_lets_the_agent_go_on(stage: Stage, tmp_path):
    """Half an installation is left, for instance."""
    script = gate(tmp_path)
    broken = tmp_path / "library/forsooth/hooks"
    broken.mkdir(parents=True)
    (broken / "entry.py").write_text("raise SystemExit(3)\n")
    library = next(line for line in script.read_text().splitlines() if line.startswith("library="))
    script.write_text(script.read_text().replace(library, f"library={tmp_path}/library", 1))
    stage.sealed()
    ended = stage.process(str(script), "claude", "stop")
    assert (ended.code, ended.out) == (0, "{}\n")
