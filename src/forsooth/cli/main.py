"""The verbs, each imported only when asked for, and the exit code of whatever happened."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any

import click

from forsooth import __version__
from forsooth.errors import CouldNotVerify, ForsoothError, UsageError

VERBS = {
    "init": "what is found here; writes what is missing, and takes it back",
    "plan": "turn a brief into a draft plan, every defect at once",
    "seal": "a person confirms the draft",
    "status": "where are we, what is next",
    "check": "judge now, claim nothing",
    "done": "claim that a goal is met, and have it proven",
    "next": "hand out the next attempt",
    "block": "say why a goal cannot go on, and who must act",
    "unblock": "say that an obstacle is out of the way",
    "steer": "change the plan, with evidence",
    "waive": "a person sets a criterion aside",
    "stop": "stop holding and driving; for good, give the plan up",
    "resume": "go on after a stop",
    "why": "the missing fact and the one command that supplies it",
    "receipt": "the proof of a goal, to read, paste or keep",
    "verify": "check receipts, for whoever did not make them",
    "log": "what happened, in order",
    "fsck": "verify the ledger",
    "trust": "allow this repository's commands to run",
    "doctor": "what there is to judge with, and what is missing",
    "gc": "keep the judge's disk within a bound",
    "mcp": "serve an agent over the Model Context Protocol",
    "demo": "watch a claim refused and then proven, in a place of its own",
    "bench": "how many cheats the judge refuses, and how much honest work",
    "uninstall": "remove what is kept here, after listing it",
}


LATER = {
    "run": "the run loop",
}
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class Verbs(click.Group):
    """A group that knows its verbs' names and help, and loads none before it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order people meet them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb."""
        if cmd_name in LATER:
            says = f"`{cmd_name}` needs {LATER[cmd_name]}, which this version does not have yet"
            raise CouldNotVerify(says, hint="forsooth status", code="not-yet")
        if cmd_name not in VERBS:
            return None
        return importlib.import_module(f"forsooth.cli.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, invoke_without_command=True, no_args_is_help=False)
@click.version_option(__version__, prog_name="forsooth", message="%(prog)s %(version)s")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.pass_context
def forsooth(ctx: click.Context, *, as_json: bool) -> None:
    """Hold coding agents to their word: a goal is done when it is proven, not when it is claimed.

    Alone, prints where things stand and the one next command.
    """
    if ctx.invoked_subcommand is not None and as_json:
        raise click.UsageError(f"put --json after `{ctx.invoked_subcommand}`", ctx)
    if ctx.invoked_subcommand is None:
        ctx.invoke(importlib.import_module("forsooth.cli.status").command, as_json=as_json)


def run(argv: list[str]) -> int:
    """Run a command line; every ending has its exit code."""
    # Nobody else's plug-ins run in this process, and looking for them is slow.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough; what is left must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


def _run(argv: list[str]) -> int:
    try:
        _refuse_unreadable(argv)
        done: Any = forsooth.main(argv, prog_name="forsooth", standalone_mode=False)
    except ForsoothError as error:
        return _failed(_explained(error, argv), argv)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "forsooth"
        return _failed(UsageError(error.format_message(), hint=f"{path} --help"), argv)
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("\nforsooth: interrupted, nothing is lost\n")
        return 130
    except BrokenPipeError:
        raise
    except OSError as error:
        says = f"{error.filename or 'a file'}: {error.strerror or error}"
        failed = CouldNotVerify(says, code="io")
        failed.__cause__ = error
        return _failed(_explained(failed, argv), argv)
    return done if isinstance(done, int) else 0


def _failed(error: ForsoothError, argv: list[str]) -> int:
    from forsooth.cli import show

    show.failure(error, as_json="--json" in argv)
    return error.exit_code


def _refuse_unreadable(argv: list[str]) -> None:
    for number, word in enumerate(argv, 1):
        if not word.isascii() and any("\ud800" <= char <= "\udfff" for char in word):
            raise UsageError(f"argument {number} is not UTF-8", hint="forsooth --help")


def _explained(error: ForsoothError, argv: list[str]) -> ForsoothError:
    """A write that was forbidden has a likely cause, which the ledger cannot know."""
    from forsooth.cli import walls

    error = walls.explained(error, argv[0] if argv else "")
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno in READ_ONLY and not error.hint:
        error.hint = "run it where .git may be written; some agents' sandboxes forbid that"
    return error
