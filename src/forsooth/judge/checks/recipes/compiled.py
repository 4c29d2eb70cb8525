"""go by its events, cargo by a runner that keeps each executable's events, nextest by its own."""

from __future__ import annotations

import re
from itertools import pairwise

from forsooth.core.call import Call
from forsooth.judge.checker import JUDGE, OUT, Look, Ran
from forsooth.judge.checks.recipes.flips import go as go_flips
from forsooth.judge.checks.recipes.flips import rust as rust_flips
from forsooth.judge.checks.recipes.probes import source
from forsooth.judge.checks.recipes.recipe import Asked, Doubt, Order, Recipe, beside, of_stdout
from forsooth.judge.reports import go, libtest
from forsooth.judge.reports.report import Problem, Report, merged

_TRIPLES = tuple(
    f"{machine}-{system}"
    for machine in ("x86_64", "aarch64", "i686", "riscv64gc")
    for system in ("unknown-linux-gnu", "unknown-linux-musl", "apple-darwin")
)
# A harness of its own may not know the options; trybuild compares what the compiler says.
_OWN_HARNESS = re.compile(rb"^\s*(?:harness\s*=\s*false|trybuild\b)", re.MULTILINE)
_RUN = ("-run", "--run", "-test.run", "--test.run")
_COUNT = re.compile(r"--?(?:test\.)?count=\d+")
_FAILFAST = re.compile(r"--?(?:test\.)?failfast(?:=\w+)?")
_WRAPPER = re.compile(
    r"(?:^|/)(?:[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|package\.json|.*\.(?:mk|sh))$"
)
_CHOICES = re.compile(r"[|()\[\]\\]")
_UNWIDENED = "\0"
# Of up to eleven tests each stands before each other one in at least one of these orders; the
# first of them turns up to four round.
_SEEDS = (104, 13, 716)
_HASH = re.compile(r"-[0-9a-f]{16}$")


def _go(asked: Asked) -> Order:
    return _go_with(asked, "-json", "-count=1")


def _go_with(asked: Asked, *flags: str) -> Order:
    if asked.call.at is None:
        return Order(asked.call.argv, beside("GOFLAGS", asked.env, " ".join(flags)))
    return Order(asked.call.adding(*flags))


def _go_turned(asked: Asked, number: int) -> Order:
    return _go_with(asked, "-json", "-count=1", f"-shuffle={_SEEDS[number % len(_SEEDS)]}")


def _go_rounds(asked: Asked, times: int) -> Order:
    """A count of the person's own would be the one that go takes."""
    argv = tuple(word for word in asked.call.argv if not _COUNT.fullmatch(word))
    call = asked.call if asked.call.at is None else asked.call._replace(argv=argv)
    return _go_with(asked._replace(call=call), "-json", f"-count={times}")


def _go_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    """A wrapper may choose tests by name where nobody sees it: no canary then, flips only."""
    at = asked.call.at
    if at is None and _stops_early(asked.look):
        return "behind a wrapper go stops at the first test that fails"
    argv = None if at is None else _go_widened(asked.call.argv[at:], nonce)
    damage = go_flips.broken(asked.look, report, nonce, canary=argv is not None)
    if damage is None:
        return "no test that can be broken was found in the files of the tree"
    if at is None:
        return damage.doubt(_go(asked), asked.look)
    rest = [w for w in argv or asked.call.argv[at:] if not _FAILFAST.fullmatch(w)]
    call = asked.call._replace(argv=(*asked.call.argv[:at], "-failfast=false", *rest))
    return damage.doubt(_go(asked._replace(call=call)), asked.look, exits=(1,))


def _stops_early(look: Look) -> bool:
    """Whether a wrapper of the tree asks go to stop at the first failure."""
    wrappers = [path for path in look.paths() if _WRAPPER.search(path)]
    return any(b"failfast" in (look.read(path) or b"") for path in wrappers)


def _go_widened(words: tuple[str, ...], nonce: str) -> tuple[str, ...] | None:
    """The words with every choice of tests by name widened by the canary; none when none can."""
    made = list(words)
    for n, word in enumerate(words):
        flag, equals, pattern = word.partition("=")
        if flag in _RUN and equals:
            made[n] = f"{flag}={_go_pattern(pattern, nonce)}"
        elif flag in _RUN and n + 1 < len(words):
            made[n + 1] = _go_pattern(words[n + 1], nonce)
    return None if any(_UNWIDENED in word for word in made) else tuple(made)


def _go_pattern(pattern: str, nonce: str) -> str:
    """Below a slash each version of go reads bars differently: there only a plain name is taken."""
    canary = "|".join(f"^{name}$" for name in go_flips.canary_names(nonce))
    first, slash, rest = pattern.partition("/")
    if not slash:
        return f"{pattern}|{canary}"
    return _UNWIDENED if _CHOICES.search(pattern) else f"({first}|{canary})/{rest}"


def _cargo(asked: Asked) -> Order:
    """The argv stays as it is; where a harness is not Rust's own, its lines are read instead."""
    if _prints(asked.call, asked.look):
        return Order(asked.call.argv)
    runner = f"sh {JUDGE}/libtest.sh {OUT}"
    env = {_variable(triple): runner for triple in (*_TRIPLES, *_targets(asked.call.argv))}
    return Order(asked.call.argv, env, source("libtest.sh"))


def _cargo_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    """Cargo stops after the first executable that fails, unless it is told not to."""
    at = asked.call.at
    targets = {test.id.partition("::")[0] for test in report.tests}
    if at is None and len(targets) > 1:
        return "behind a wrapper cargo stops at the first target that fails"
    exact = at is None or "--exact" in asked.call.argv
    damage = rust_flips.broken(asked.look, report, nonce, canary=not exact)
    if damage is None:
        return "no test that can be broken was found in the files of the tree"
    if at is None:
        return damage.doubt(_cargo(asked), asked.look)
    call = asked.call._replace(argv=asked.call.adding("--no-fail-fast"))
    if "--no-fail-fast" in asked.call.argv:
        call = asked.call
    return damage.doubt(_cargo(asked._replace(call=call)), asked.look, exits=(101,))


def _prints(call: Call, look: Look) -> bool:
    own = any(word.startswith("--format") for word in call.argv)
    manifests = [path for path in look.paths() if path.rpartition("/")[2] == "Cargo.toml"]
    return own or any(_OWN_HARNESS.search(look.read(path) or b"") for path in manifests)


def _targets(argv: tuple[str, ...]) -> list[str]:
    """The targets a person asks for."""
    after = [word for before, word in pairwise(argv) if before == "--target"]
    return after + [word.partition("=")[2] for word in argv if word.startswith("--target=")]


def _variable(triple: str) -> str:
    return f"CARGO_TARGET_{re.sub('[^A-Z0-9]', '_', triple.upper())}_RUNNER"


def _cargo_read(ran: Ran) -> Report | Problem:
    """Each executable's events by its name, and the lines of doctests, which have none."""
    found = [
        libtest.read(data, target=_target(name))
        for name, data in sorted(ran.out.items())
        if name.startswith("libtest-") and name.endswith(".jsonl")
    ]
    lines = libtest.read_lines(ran.stdout)
    if not found:
        return lines
    told = [*found, lines] if isinstance(lines, Report) else found
    broken = Report((), complete=False)
    return merged([one if isinstance(one, Report) else broken for one in told])


def _target(name: str) -> str:
    return _HASH.sub("", name.removeprefix("libtest-").removesuffix(".jsonl"))


def _nextest(asked: Asked) -> Order:
    argv = asked.call.adding("--message-format", "libtest-json")
    return Order(argv, {"NEXTEST_EXPERIMENTAL_LIBTEST_JSON": "1"})


GO = Recipe(
    order=_go,
    read=of_stdout(go.read),
    wrapped=True,
    doubt=_go_doubt,
    turned=_go_turned,
    rounds=_go_rounds,
)
CARGO = Recipe(
    order=_cargo,
    read=_cargo_read,
    wrapped=True,
    doubt=_cargo_doubt,
)
NEXTEST = Recipe(order=_nextest, read=of_stdout(libtest.read))
