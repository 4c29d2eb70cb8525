"""Every way we know in which a repository, or the caller's environment, makes git run a program.

A trap plants one of them; its steps are plain git commands, at least one of which springs it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.git.repos import Repo

HOOKS = {
    "pre-commit": ["commit --allow-empty -m x"],
    "prepare-commit-msg": ["commit --allow-empty -m x"],
    "commit-msg": ["commit --allow-empty -m x"],
    "post-commit": ["commit --allow-empty -m x"],
    "post-rewrite": ["commit --amend --allow-empty -m x"],
    "post-checkout": ["checkout -q easy"],
    "post-index-change": ["update-index --force-write-index"],
    "reference-transaction": ["update-ref refs/heads/new HEAD"],
    "pre-merge-commit": ["merge --no-ff -m x easy"],
    "post-merge": ["merge -m x easy"],
    "pre-rebase": ["rebase easy"],
    "pre-push": ["push -q origin HEAD:refs/heads/pushed"],
    "pre-auto-gc": [
        "repack -q",
        "commit --allow-empty -m x",
        "repack -q",
        "-c gc.autoPackLimit=1 -c gc.autoDetach=false gc --auto",
    ],
    "applypatch-msg": [
        "format-patch -q -1 -o ../patch easy",
        "checkout -q main",
        "am ../patch/0001-easy.patch",
    ],
    "pre-applypatch": ["format-patch -q -1 -o ../patch easy", "am ../patch/0001-easy.patch"],
    "post-applypatch": ["format-patch -q -1 -o ../patch easy", "am ../patch/0001-easy.patch"],
    "pre-receive": ["push -q . easy:refs/heads/received"],
    "update": ["push -q . easy:refs/heads/received"],
    "post-receive": ["push -q . easy:refs/heads/received"],
    "post-update": ["push -q . easy:refs/heads/received"],
    "proc-receive": ["push -q . easy:refs/for/main"],
    "push-to-checkout": ["push -q . +easy:main"],
}
BY_DRIVER = {
    "filter-clean": ("filter.evil.clean", ["add again.txt"]),
    "filter-smudge": ("filter.evil.smudge", ["checkout-index -f a.txt"]),
    "filter-process": ("filter.evil.process", ["add again.txt"]),
    "diff-textconv": ("diff.evil.textconv", ["diff HEAD~1"]),
    "diff-command": ("diff.evil.command", ["diff HEAD~1"]),
    "merge-driver": ("merge.evil.driver", ["merge side"]),
}
BY_KEY = {
    "core.fsmonitor": ["status"],
    "diff.external": ["diff HEAD~1"],
    "core.editor": ["commit --allow-empty"],
    "sequence.editor": ["rebase -i HEAD~1"],
    "core.pager": ["log"],
    "pager.log": ["log"],
    "core.sshCommand": ["ls-remote ssh://example.invalid/x"],
    "core.gitProxy": ["ls-remote git://example.invalid/x"],
    "core.askPass": ["credential fill"],
    "credential.helper": ["credential fill"],
    "alias.evil": ["evil"],
    "tar.evil.command": ["archive --format=evil HEAD"],
    "trailer.evil.command": ["interpret-trailers --trailer evil=x ../empty"],
    "trailer.evil.cmd": ["interpret-trailers --trailer evil=x ../empty"],
    "imap.tunnel": ["-c imap.folder=x imap-send"],
    "remote.origin.uploadpack": ["fetch origin"],
    "remote.origin.receivepack": ["push origin HEAD:refs/heads/pushed"],
    "difftool.evil.cmd": ["difftool -y -t evil HEAD~1"],
    "mergetool.evil.cmd": ["merge side", "mergetool -y -t evil"],
    "browser.evil.cmd": ["web--browse -t evil x"],
    "man.evil.cmd": ["-c man.viewer=evil help -m status"],
    "gpg.program": ["commit -S --allow-empty -m x"],
    "gpg.openpgp.program": ["tag -s -m x signed"],
    "gpg.x509.program": ["-c gpg.format=x509 commit -S --allow-empty -m x"],
    "gpg.ssh.program": ["-c gpg.format=ssh -c user.signingKey=x commit -S --allow-empty -m x"],
    "gpg.ssh.defaultKeyCommand": ["-c gpg.format=ssh commit -S --allow-empty -m x"],
}
SHELL = {"alias.evil": "!", "credential.helper": "!"}
BY_ENVIRONMENT = {
    "GIT_EXTERNAL_DIFF": ["diff HEAD~1"],
    "GIT_EDITOR": ["commit --allow-empty"],
    "EDITOR": ["commit --allow-empty"],
    "VISUAL": ["commit --allow-empty"],
    "GIT_SEQUENCE_EDITOR": ["rebase -i HEAD~1"],
    "GIT_PAGER": ["log"],
    "PAGER": ["log"],
    "GIT_SSH": ["ls-remote ssh://example.invalid/x"],
    "GIT_SSH_COMMAND": ["ls-remote ssh://example.invalid/x"],
    "GIT_PROXY_COMMAND": ["ls-remote git://example.invalid/x"],
    "GIT_ASKPASS": ["credential fill"],
    "SSH_ASKPASS": ["credential fill"],
}
TERMINAL = {"core.pager", "pager.log", "GIT_PAGER", "PAGER", "core.editor", "EDITOR", "VISUAL"}
TERMINAL |= {"filter_of_interactive_diffs"}
# What git 2.39 cannot be made to run here, and why.
SILENT = {
    "core.fsmonitor=true": "the built-in daemon does not exist on Linux",
    "gc.recentObjectsHook": "came with git 2.42",
    "hook.<name>.command": "hooks by configuration are newer than this git",
    "uploadpack.packObjectsHook in .git/config": "git takes it from the user's configuration only",
    "submodule.<name>.update=!command in .gitmodules": "git refuses it there",
    "init.templateDir in .git/config": "read before there is a repository; tried in the user's",
    "lfs.customtransfer.<name>.path": "git-lfs is not part of git",
    "guitool.<name>.cmd": "git gui is a package of its own",
    "sendemail.smtpServer, tocmd, cccmd; hook sendemail-validate": "send-email is another package",
    "p4 hooks, svn.authorsProg, instaweb.httpd": "further packages of their own",
    "http.*": "names proxies, certificates and cookies; no key of it is a program",
}


class Trap(NamedTuple):
    """One way to make git run a program."""

    name: str
    plant: Callable[[Ground, str], None]
    steps: list[str]
    is_shown: bool = False  # springs at a terminal only


class Ground:
    """A repository with two sides to merge, a remote, a home, and the caller's environment."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.repo = Repo(folder / "repo")
        self.sprung = folder / "sprung"
        self.env: dict[str, str] = {}

    def program(self, name: str) -> str:
        """A program that leaves its name; one in the place of a filter passes its input on."""
        path = self.home / "programs" / name.replace("/", "-")
        path.parent.mkdir(exist_ok=True)
        rest = "cat\n" if any(word in name.lower() for word in PASSING) else ""
        path.write_text(f"#!/bin/sh\necho '{name}' >> '{self.sprung}'\n{rest}")
        path.chmod(0o755)
        return str(path)

    def config(self, key: str, value: str) -> None:
        self.repo.git("config", "--add", key, value)

    def user_config(self, key: str, value: str) -> None:
        self.repo.git("config", "--file", str(self.home / ".gitconfig"), "--add", key, value)

    def attributes(self, line: str, where: str = ".git/info/attributes") -> None:
        path = self.repo.folder / where
        path.parent.mkdir(exist_ok=True, parents=True)
        with path.open("a") as file:
            file.write(f"{line}\n")

    def run(self, argv: str, *, is_shown: bool) -> None:
        """Plain git, as a person in that folder would run it, at a terminal or not."""
        ours, theirs = os.openpty()
        shown = {"stdout": theirs, "stderr": theirs} if is_shown else {"capture_output": True}
        subprocess.run(
            ["git", *argv.split()],
            cwd=self.repo.folder,
            env=self.repo.environment(PLAIN | self.env),
            input=MAIL if "imap-send" in argv else b"y\nq\n" if "-p" in argv.split() else ASKED,
            timeout=30,
            check=False,
            **shown,
        )
        os.close(ours)
        os.close(theirs)


PLAIN = {"TERM": "xterm", "GIT_ALLOW_PROTOCOL": "file:ext:ssh:git:evil"}
PASSING = ("filter", "textconv", "attributes", "pager")
MAIL = b"From a Mon Sep 17 00:00:00 2001\nFrom: a@b\nDate: x\nSubject: x\n\nbody\n"
ASKED = b"protocol=https\nhost=example.invalid\n\n"


def ground(folder: Path) -> Ground:
    """The repository before any trap."""
    made = Ground(folder)
    (folder / "empty").write_text("subject\n")
    made.repo.commit("first", **{"a.txt": "one\n"})
    made.repo.git("checkout", "-qb", "side")
    made.repo.commit("side", **{"a.txt": "side\n"})
    made.repo.git("checkout", "-qb", "easy", "main")
    made.repo.commit("easy", **{"b.txt": "easy\n"})
    made.repo.git("checkout", "-q", "main")
    made.repo.commit("main", **{"a.txt": "main\n"})
    made.repo.git("clone", "-q", "--bare", ".", "../remote")
    made.repo.git("remote", "add", "origin", "../remote")
    made.repo.git("config", "receive.denyCurrentBranch", "updateInstead")
    made.repo.git("config", "receive.procReceiveRefs", "refs/for")
    made.repo.write("again.txt", "new\n")
    return made


def traps() -> Iterator[Trap]:
    for hook, steps in HOOKS.items():
        yield Trap(f"hook {hook}", _hook(hook), steps)
    for name, (key, steps) in BY_DRIVER.items():
        yield Trap(name, _driver(key), steps)
    for key, steps in BY_KEY.items():
        yield Trap(key, _key(key), steps, key in TERMINAL)
    for name, steps in BY_ENVIRONMENT.items():
        yield Trap(name, _variable(name), steps, name in TERMINAL)
    for plant, steps in OTHERS.items():
        yield Trap(plant.__name__, plant, [steps], plant.__name__ in TERMINAL)


def _hook(name: str) -> Callable[[Ground, str], None]:
    def plant(made: Ground, program: str) -> None:
        path = made.repo.folder / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(program)

    return plant


def _driver(key: str) -> Callable[[Ground, str], None]:
    def plant(made: Ground, program: str) -> None:
        kind = key.partition(".")[0]
        made.attributes(f"*.txt {kind}=evil", ".gitattributes")
        made.config(key, f"{program} %O %A %B" if kind == "merge" else program)

    return plant


def _key(key: str) -> Callable[[Ground, str], None]:
    def plant(made: Ground, program: str) -> None:
        made.config(key, SHELL.get(key, "") + program)

    return plant


def _variable(name: str) -> Callable[[Ground, str], None]:
    def plant(made: Ground, program: str) -> None:
        made.env[name] = program

    return plant


def hooks_path(made: Ground, program: str) -> None:
    folder = made.repo.folder / "hooks"
    folder.mkdir()
    (folder / "pre-commit").symlink_to(program)
    made.config("core.hooksPath", "hooks")


def included(made: Ground, program: str) -> None:
    made.repo.write(".git/more", f"[core]\n\tfsmonitor = {program}\n")
    made.config("include.path", "more")


def included_if(made: Ground, program: str) -> None:
    made.repo.write(".git/more", f"[core]\n\tfsmonitor = {program}\n")
    made.config("includeIf.onbranch:main.path", "more")


def config_of_the_work_tree(made: Ground, program: str) -> None:
    made.repo.git("config", "extensions.worktreeConfig", "true")
    made.repo.write(".git/config.worktree", f"[core]\n\tfsmonitor = {program}\n")


def config_of_the_user(made: Ground, program: str) -> None:
    made.user_config("core.fsmonitor", program)


def config_of_the_user_elsewhere(made: Ground, program: str) -> None:
    path = made.home / "xdg" / "git" / "config"
    path.parent.mkdir(parents=True)
    path.write_text(f"[core]\n\tfsmonitor = {program}\n")
    made.env["XDG_CONFIG_HOME"] = str(made.home / "xdg")


def config_in_variables(made: Ground, program: str) -> None:
    made.env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor"}
    made.env["GIT_CONFIG_VALUE_0"] = program


def config_in_parameters(made: Ground, program: str) -> None:
    made.env["GIT_CONFIG_PARAMETERS"] = f"'core.fsmonitor'='{program}'"


def config_global_variable(made: Ground, program: str) -> None:
    path = made.home / "global"
    path.write_text(f"[core]\n\tfsmonitor = {program}\n")
    made.env["GIT_CONFIG_GLOBAL"] = str(path)


def config_system_variable(made: Ground, program: str) -> None:
    path = made.home / "system"
    path.write_text(f"[core]\n\tfsmonitor = {program}\n")
    made.env |= {"GIT_CONFIG_SYSTEM": str(path), "GIT_CONFIG_NOSYSTEM": "0"}


def another_git_dir(made: Ground, program: str) -> None:
    made.repo.git("clone", "-q", "--bare", ".", "../other.git")
    made.repo.git("config", "--file", "../other.git/config", "core.fsmonitor", program)
    made.repo.git("config", "--file", "../other.git/config", "core.bare", "false")
    made.env |= {"GIT_DIR": "../other.git", "GIT_WORK_TREE": "."}


def git_file_elsewhere(made: Ground, program: str) -> None:
    made.config("core.fsmonitor", program)
    (made.repo.folder / ".git").rename(made.home / "elsewhere")
    made.repo.write(".git", "gitdir: ../elsewhere\n")


def attributes_of_the_clone(made: Ground, program: str) -> None:
    made.attributes("*.txt filter=evil")
    made.config("filter.evil.clean", program)


def attributes_file(made: Ground, program: str) -> None:
    made.attributes("*.txt filter=evil", "../attributes")
    made.config("core.attributesFile", str(made.home / "attributes"))
    made.config("filter.evil.clean", program)


def required_filter(made: Ground, program: str) -> None:
    made.attributes("*.txt filter=lfs", ".gitattributes")
    made.config("filter.lfs.clean", program)
    made.config("filter.lfs.smudge", program)
    made.config("filter.lfs.required", "true")


def submodule_update(made: Ground, program: str) -> None:
    made.repo.git("submodule", "add", "-q", "./../remote", "mod")
    made.repo.git("commit", "-qm", "submodule")
    made.config("submodule.mod.update", f"!{program}")
    made.repo.git("update-index", "--cacheinfo", f"160000,{made.repo.git('rev-parse', 'easy')},mod")


def submodule_with_a_monitor(made: Ground, program: str) -> None:
    made.repo.git("submodule", "add", "-q", "./../remote", "mod")
    made.repo.git("commit", "-qm", "submodule")
    Repo(made.repo.folder / "mod").git("config", "core.fsmonitor", program)


def submodule_whose_git_file_leads_elsewhere(made: Ground, program: str) -> None:
    submodule_with_a_monitor(made, program)
    (made.repo.folder / ".git" / "modules" / "mod").rename(made.home / "module")
    made.repo.git(
        "config", "--file", "../module/config", "core.worktree", str(made.repo.folder / "mod")
    )
    made.repo.write("mod/.git", f"gitdir: {made.home / 'module'}\n")


def submodule_filter(made: Ground, program: str) -> None:
    made.repo.git("submodule", "add", "-q", "./../remote", "mod")
    made.repo.git("commit", "-qm", "submodule")
    inner = Repo(made.repo.folder / "mod")
    inner.git("config", "filter.evil.clean", program)
    inner.write(".gitattributes", "*.txt filter=evil\n")
    inner.write("a.txt", "niam\n")


def another_url(made: Ground, program: str) -> None:
    made.config(f"url.ext::{program} .insteadOf", "nice:")
    made.config("protocol.ext.allow", "always")


def url_of_a_remote(made: Ground, program: str) -> None:
    made.config("remote.evil.url", f"ext::{program} x")
    made.config("protocol.ext.allow", "always")


def helper_of_a_remote(made: Ground, program: str) -> None:
    made.config("remote.evil.vcs", "evil")
    made.config("remote.evil.url", "x")
    _in_path(made, "git-remote-evil", program)


def missing_object_of_a_promisor(made: Ground, program: str) -> None:
    made.config("remote.origin.promisor", "true")
    made.config("remote.origin.uploadpack", program)
    made.config("extensions.partialClone", "origin")
    blob = made.repo.git("rev-parse", "side:a.txt")
    made.repo.loose(blob).unlink()


def refs_of_a_lender(made: Ground, program: str) -> None:
    made.repo.git("config", "core.alternateRefsCommand", program)
    made.repo.write(".git/objects/info/alternates", f"{made.home / 'remote' / 'objects'}\n")


def pack_objects_hook_of_the_user(made: Ground, program: str) -> None:
    made.user_config("uploadpack.packObjectsHook", program)


def _template(made: Ground, program: str) -> str:
    folder = made.home / "template"
    (folder / "hooks").mkdir(parents=True)
    (folder / "hooks" / "post-checkout").symlink_to(program)
    return str(folder)


def template_of_the_user(made: Ground, program: str) -> None:
    made.user_config("init.templateDir", _template(made, program))


def template_variable(made: Ground, program: str) -> None:
    made.env["GIT_TEMPLATE_DIR"] = _template(made, program)


def exec_path(made: Ground, program: str) -> None:
    folder = made.home / "exec"
    folder.mkdir()
    for name in ("git", "git-submodule", "git-cat-file", "git-ls-files", "git-update-index"):
        (folder / name).symlink_to(program)
    made.env["GIT_EXEC_PATH"] = str(folder)


def _in_path(made: Ground, name: str, program: str) -> None:
    folder = made.home / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).symlink_to(program)
    made.env["PATH"] = f"{folder}:{os.environ['PATH']}"


def ssh_in_path(made: Ground, program: str) -> None:
    _in_path(made, "ssh", program)


def git_in_path(made: Ground, program: str) -> None:
    _in_path(made, "git", program)


def git_in_the_work_tree(made: Ground, program: str) -> None:
    (made.repo.folder / "git").symlink_to(program)
    made.env["PATH"] = f".:{os.environ['PATH']}"


def filter_of_interactive_diffs(made: Ground, program: str) -> None:
    made.repo.write("a.txt", "changed\n")
    made.config("interactive.diffFilter", program)


def signature_shown(made: Ground, program: str) -> None:
    tree = made.repo.tree
    who = "A <a@b> 1 +0000"
    sign = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    data = f"tree {tree}\nauthor {who}\ncommitter {who}\n{sign}\n\nsigned\n"
    made.repo.git("update-ref", "refs/heads/signed", made.repo.object("commit", data.encode()))
    made.config("gpg.program", program)
    made.config("log.showSignature", "true")


OTHERS: Mapping[Callable[[Ground, str], None], str] = {
    hooks_path: "commit --allow-empty -m x",
    included: "status",
    included_if: "status",
    config_of_the_work_tree: "status",
    config_of_the_user: "status",
    config_of_the_user_elsewhere: "status",
    config_in_variables: "status",
    config_in_parameters: "status",
    config_global_variable: "status",
    config_system_variable: "status",
    another_git_dir: "status",
    git_file_elsewhere: "status",
    attributes_of_the_clone: "add again.txt",
    attributes_file: "add again.txt",
    required_filter: "add again.txt",
    submodule_update: "submodule update",
    submodule_with_a_monitor: "status",
    submodule_whose_git_file_leads_elsewhere: "status",
    submodule_filter: "status",
    another_url: "ls-remote nice:x",
    url_of_a_remote: "ls-remote evil",
    helper_of_a_remote: "ls-remote evil",
    missing_object_of_a_promisor: "cat-file -p side:a.txt",
    refs_of_a_lender: "push -q . easy:refs/heads/received",
    pack_objects_hook_of_the_user: "clone -q --no-local . ../cloned",
    template_of_the_user: "clone -q . ../cloned",
    template_variable: "clone -q . ../cloned",
    exec_path: "submodule status",
    ssh_in_path: "ls-remote ssh://example.invalid/x",
    git_in_path: "version",
    git_in_the_work_tree: "version",
    signature_shown: "log -1 signed",
    filter_of_interactive_diffs: "add -p a.txt",
}
