"""The first minutes and the last: what is shown, what is written, and that all of it goes again."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.e2e.place import AGENT, Place
from tests.requirements import requirement

Snapshot = dict[str, tuple[int, bytes]]
OURS = "\tfetch = +refs/forsooth/receipts*:refs/forsooth/remotes/origin/receipts*\n"


def snapshot(folder: Path) -> Snapshot:
    """Every path below a folder with its mode and its bytes."""
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode,
            path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else b"",
        )
        for path in folder.rglob("*")
    }


@pytest.fixture
def cloned(place: Place) -> Place:
    """A repository with a remote, and with modes of its own."""
    place.git("init", "-q", "--bare", str(place.home.parent / "remote.git"))
    place.git("remote", "add", "origin", str(place.home.parent / "remote.git"))
    place.git("push", "-q", "origin", "main")
    (place.folder / ".git/config").chmod(0o640)
    return place


def program(place: Place, name: str, text: str, *, folder: Path | None = None) -> str:
    """A program in a folder of its own; the PATH that finds it."""
    home = folder or place.home.parent / "bin"
    home.mkdir(exist_ok=True)
    (home / name).write_text(text, encoding="utf-8")
    (home / name).chmod(0o755)
    return f"{home}:{place.environment()['PATH']}"


@requirement("D15")
def test_init_shows_every_change_and_writes_nothing_until_somebody_agrees(cloned: Place):
    """A person who says no leaves everything as it was."""
    before = snapshot(cloned.folder)
    seen = cloned.typed("init", answer="n", env={"NO_COLOR": "1"})
    assert seen.code == 13
    assert f"+{OURS}" in seen.out
    assert "forsooth.toml (new)" in seen.out
    assert "judge.pem (new)" in seen.out
    assert snapshot(cloned.folder) == before
    assert snapshot(cloned.home) == {}
    assert cloned.typed("init", answer="y").code == 0
    assert OURS in (cloned.folder / ".git/config").read_text()


@requirement("D15")
@pytest.mark.parametrize(
    ("but", "written"),
    [
        ({"Write forsooth.toml?": "n"}, {".git/config", "judge.pem"}),
        ({"Write .git/config?": "n"}, {"forsooth.toml", "judge.pem"}),
        ({"Create this key?": "n"}, {"forsooth.toml", ".git/config"}),
    ],
)
def test_each_thing_init_writes_is_a_question_of_its_own(cloned: Place, but, written):
    """A no to one of them leaves just that one out, and undo restores the rest."""
    before = snapshot(cloned.folder)
    seen = cloned.typed("init", answer="y", but=but)
    assert seen.code == 0
    after = snapshot(cloned.folder)
    changed = {name for name in after if after[name] != before.get(name)}
    keys = {path.name for path in cloned.home.rglob("*.pem")}
    assert {name for name in changed | keys if not name.startswith(".git/forsooth")} == written
    cloned.run("init", "--undo", "--yes")
    assert snapshot(cloned.folder) == before


@requirement("D15")
def test_init_and_undo_leave_every_byte_and_mode_as_they_were(cloned: Place):
    """Also after a second init, which finds nothing to do."""
    before = snapshot(cloned.folder)
    cloned.run("init", "--yes")
    assert snapshot(cloned.folder) != before
    assert "nothing to do" in cloned.run("init", "--yes").out
    assert cloned.ask("init", "--undo", "--yes")["restored"] == ["forsooth.toml", ".git/config"]
    assert snapshot(cloned.folder) == before
    assert "nothing to undo" in cloned.run("init", "--undo", "--yes").out


@requirement("D15")
def test_a_fetch_works_before_the_remote_has_receipts_and_brings_them_after(cloned: Place):
    """A refspec that names one missing reference would make every fetch fail."""
    cloned.run("init", "--yes")
    cloned.git("fetch", "-q", "origin")
    cloned.git("push", "-q", "origin", "HEAD:refs/forsooth/receipts")
    cloned.git("fetch", "-q", "origin")
    head = cloned.git("rev-parse", "HEAD")
    assert cloned.git("rev-parse", "refs/forsooth/remotes/origin/receipts") == head


@requirement("D15")
def test_undo_takes_out_only_its_own_line_of_a_configuration_git_wrote_since(cloned: Place):
    """What git wrote between the two stays."""
    before = (cloned.folder / ".git/config").read_text()
    cloned.run("init", "--yes")
    cloned.git("config", "branch.main.remote", "origin")
    cloned.git("remote", "add", "fork", "https://example.org/fork.git")
    cloned.run("init", "--yes")
    after = (cloned.folder / ".git/config").read_text()
    assert after.count("refs/forsooth/receipts*:") == 2
    cloned.run("init", "--undo", "--yes")
    left = (cloned.folder / ".git/config").read_text()
    assert "forsooth" not in left
    assert left.startswith(before)
    assert "[branch" in left
    assert '[remote "fork"]' in left


@requirement("D15")
def test_undo_refuses_as_a_whole_where_a_person_edited_the_settings(cloned: Place):
    """Every edited file is named, and not even the others are put back."""
    cloned.run("init", "--yes")
    with (cloned.folder / "forsooth.toml").open("a") as file:
        file.write("policy.attempts = 2\n")
    before = snapshot(cloned.folder)
    said = cloned.ask("init", "--undo", "--yes", code=3)["error"]
    assert [reason["code"] for reason in said["reasons"]] == ["edited"]
    assert "forsooth.toml" in said["reasons"][0]["says"]
    assert snapshot(cloned.folder) == before


@requirement("D15")
def test_the_settings_init_writes_count_once_a_person_uncomments_them(cloned: Place):
    """The file says what could stand there, in a form that is read."""
    cloned.run("init", "--yes")
    text = (cloned.folder / "forsooth.toml").read_text()
    lines = [line.removeprefix("# ") for line in text.splitlines()[1:]]
    assert cloned.ask("init", "--yes")["next"].startswith("git add forsooth.toml")
    cloned.commit("forsooth.toml", "\n".join(lines) + "\n")
    assert cloned.ask("init", "--yes")["next"] == "forsooth plan BRIEF.md"
    assert cloned.ask("doctor")["environment"]["test_command"] == ["make", "test"]


@requirement("D15")
def test_an_agent_may_neither_init_nor_undo_nor_uninstall(cloned: Place):
    """`--yes` speaks for a person only where no agent's mark is."""
    cloned.run("init", "--yes")
    before = snapshot(cloned.folder)
    for argv in (("init",), ("init", "--undo"), ("uninstall",), ("uninstall", "--all")):
        said = cloned.run(*argv, "--yes", "--json", code=3, env=AGENT).data["error"]
        assert [reason["code"] for reason in said["reasons"]] == ["not-a-person"], argv
    assert snapshot(cloned.folder) == before


@requirement("D15")
def test_a_script_without_a_terminal_must_say_that_it_speaks_for_a_person(cloned: Place):
    """Nobody is asked where nobody can answer."""
    for verb in ("init", "uninstall"):
        if verb == "uninstall":
            cloned.run("init", "--yes")
        assert cloned.ask(verb, code=2)["error"]["code"] == "no-terminal"


@requirement("D15")
def test_agents_are_named_with_their_version_and_none_of_the_repository_is_run(cloned: Place):
    """A program that lies in the work tree is not even asked for its version."""
    path = program(cloned, "codex", "#!/bin/sh\necho codex-cli 0.166.0\n")
    trap = cloned.folder / "trap"
    evil = program(
        cloned, "claude", f"#!/bin/sh\ntouch {trap}\necho 6.6.6\n", folder=cloned.folder / "bin"
    )
    (cloned.home.parent / "bin" / "gemini").symlink_to(cloned.folder / "bin" / "claude")
    found = cloned.ask("init", "--yes", env={"PATH": f"{evil}:{path}"})["agents"]
    assert [(one["name"], one["version"]) for one in found] == [("codex", "0.166.0")]
    assert not trap.exists()


@requirement("D15")
def test_uninstall_leaves_the_repository_as_it_was_before_init(cloned: Place):
    """Plans, anchors, trust and cache go, and the refspec with them; the key stays for others."""
    before = snapshot(cloned.folder)
    cloned.run("init", "--yes")
    cloned.run("plan", "--text", '@goal: A page\n- [ ] README.md contains "x"\n')
    cloned.run("seal", "--yes")
    assert cloned.plans
    told = cloned.run("uninstall", "--yes").out
    assert "1 plan, with all that happened" in told
    assert snapshot(cloned.folder) == before
    cache = cloned.home / ".cache/forsooth"
    left = [path for path in cloned.home.rglob("*") if path.is_file()]
    assert [path.name for path in left if not path.is_relative_to(cache)] == ["judge.pem"]
    assert not list(cache.glob("repos/*")), "the rest of the cache is every repository's"
    cloned.run("uninstall", "--yes", "--all")
    assert [path for path in cloned.home.rglob("*") if "forsooth" in path.name] == []
    assert "nothing of Forsooth is here" in cloned.run("uninstall", "--yes", "--all").out


@requirement("D15")
def test_uninstall_keeps_receipts_unless_they_are_named(cloned: Place):
    """They are proof of what was done, loose or packed; other references are left alone."""
    cloned.run("init", "--yes")
    cloned.git("update-ref", "refs/forsooth/receipts", "HEAD")
    assert "--receipts" in cloned.run("uninstall", "--yes").out
    head = cloned.git("rev-parse", "HEAD")
    assert cloned.git("rev-parse", "refs/forsooth/receipts") == head
    cloned.git("pack-refs", "--all")
    cloned.git("update-ref", "refs/forsooth/remotes/origin/receipts", "HEAD")
    cloned.run("init", "--yes")
    cloned.run("uninstall", "--yes", "--receipts")
    names = cloned.git("for-each-ref", "--format=%(refname)").split()
    assert names == ["refs/heads/main", "refs/remotes/origin/main"]
    cloned.git("fsck", "--strict")


@requirement("D15")
def test_uninstall_of_all_cleans_other_repositories_and_keeps_what_was_edited(
    cloned: Place, tmp_path: Path
):
    """Every repository that init wrote to gets its bytes back, and a person's edit stays."""
    folder = tmp_path / "other"
    folder.mkdir()
    other = Place(folder, cloned.home)
    other.git("init", "-q")
    other.commit("a", "a\n")
    before = snapshot(folder)
    other.run("init", "--yes")
    cloned.run("init", "--yes")
    (cloned.folder / "forsooth.toml").write_text("policy.attempts = 2\n")
    said = cloned.ask("uninstall", "--all", "--yes")
    assert said["kept"] == ["forsooth.toml"]
    assert snapshot(folder) == before
    assert (cloned.folder / "forsooth.toml").read_text() == "policy.attempts = 2\n"
