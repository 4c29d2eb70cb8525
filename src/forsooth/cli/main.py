"""The verbs, each imported only when asked for, and the exit code of whatever happened."""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from forsooth import __version__
from forsooth.errors import CouldNotVerify, ForsoothError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GROUPS = {
    "Every day": {
        "status": "Show where the plan stands and the next command",
        "check": "Judge a goal, the plan or a branch now, without claiming",
        "next": "Take the next goal and print its assignment",
        "done": "Claim a goal and have it judged on a clean copy",
        "why": "Explain what is missing, or what a code means",
    },
    "Planning": {
        "init": "Set up Forsooth in this repository (--undo reverts)",
        "plan": "Turn a brief into a draft plan, or show what changed",
        "seal": "Review the draft plan and approve it",
        "steer": "Change a sealed plan, with evidence",
        "block": "Record why a goal cannot continue and who must act",
        "unblock": "Clear what blocks a goal",
        "agree": "Agree to a criterion that only a person can decide",
        "waive": "Set a criterion aside (a person at a terminal only)",
        "stop": "Pause the plan; agents are no longer held to it",
        "resume": "Continue a paused plan",
    },
    "Proof": {
        "receipt": "Print or sign the receipt of a goal or of the plan",
        "verify": "Verify receipts, also on a machine that made none",
        "log": "List the events of the plan",
        "demo": "Watch a false claim refused and a true one proven",
        "bench": "Measure the judge against cheats and honest work",
    },
    "Care": {
        "doctor": "Report the sandbox, the tools and the agents here",
        "trust": "Allow this repository's commands to run",
        "fsck": "Verify the ledger",
        "gc": "Limit the judge's disk usage",
        "mcp": "Serve an agent over the Model Context Protocol",
        "uninstall": "Remove what Forsooth keeps, after listing it",
    },
}
VERBS = {verb: text for group in GROUPS.values() for verb, text in group.items()}
EPILOG = """
Exit codes: 0 yes, 1 no, 2 not understood, 3 refused, 4 damaged or forged, 5 could not be decided;
10 to 13 from `next`, 13 also for a question answered with no. All of them, shell completion and
--json: docs/reference/command_line.md
"""


LATER = {
    "run": "the run loop",
}
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class Verbs(click.Group):
    """A group that knows its verbs' names and help, and loads none before it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order of the groups."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb."""
        if cmd_name in LATER:
            says = f"`{cmd_name}` needs {LATER[cmd_name]}, which this version does not have yet"
            raise CouldNotVerify(says, hint="forsooth status", code="not-yet")
        if cmd_name not in VERBS:
            return None
        return importlib.import_module(f"forsooth.cli.{cmd_name}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a verb; for one that does not exist, name the nearest that does."""
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name):
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(name, VERBS, n=1)
        says = f"there is no verb {name!r}" + (f"; did you mean {near[0]}?" if near else "")
        raise UsageError(says, hint=f"forsooth {near[0]}" if near else "forsooth --help")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a verb without loading any."""
        from click.shell_completion import CompletionItem

        verbs = [CompletionItem(v, help=t) for v, t in VERBS.items() if v.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs by group, without loading them."""
        widest = max(map(len, VERBS))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(verb.ljust(widest), says) for verb, says in verbs.items()])


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    no_args_is_help=False,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="forsooth", message="%(prog)s %(version)s")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.pass_context
def forsooth(ctx: click.Context, *, as_json: bool) -> None:
    """Hold coding agents to their word: a goal is done when it is proven, not when it is claimed.

    Without a verb, show where the plan stands and the next command. `forsooth help VERB` explains
    a verb.
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
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    try:
        _refuse_unreadable(argv)
        done: Any = forsooth.main(argv, prog_name="forsooth", standalone_mode=False)
    except ForsoothError as error:
        return _failed(_explained(error, argv), argv)
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")
        return error.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "forsooth"
        return _failed(UsageError(error.format_message(), hint=f"{path} --help"), argv)
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("\nforsooth: interrupted, nothing is lost\n")
        return 130
    except BrokenPipeError:
        raise
    except RecursionError:
        says = "something in this repository is nested too deeply to be read"
        return _failed(CouldNotVerify(says, code="too-large"), argv)
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
