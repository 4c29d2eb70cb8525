"""vitest, jest and mocha by their own JSON, `node --test` by a reporter of the judge's own.

Behind npm scripts and make a module required by node gives the runner the same options.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from forsooth.judge.checker import JUDGE, OUT, Look, Ran
from forsooth.judge.checks.recipes.flips.choice import Damage, edits_of
from forsooth.judge.checks.recipes.flips.javascript import (
    broken,
    files_ended,
    files_turned,
    focused,
)
from forsooth.judge.checks.recipes.probes import source
from forsooth.judge.checks.recipes.recipe import (
    Asked,
    Doubt,
    Edit,
    Edits,
    Order,
    Recipe,
    begun,
    beside,
    of_file,
)
from forsooth.judge.reports import jest, mocha, probe
from forsooth.judge.reports.report import Problem, Report
from forsooth.judge.words import read

_NODE_FLAGS = ("--test-reporter", "--test-reporter-destination")
_NODE = (
    f"--test-reporter={JUDGE}/node_reporter.mjs",
    f"--test-reporter-destination={OUT}/node.jsonl",
)
_NPM_OPTIONS = re.compile(r"^[ \t]*node[-_]options[ \t]*=(.*)$", re.MULTILINE)
# As it stands in JSON: bare, in single quotes, or in double ones.
_OWN_OPTIONS = re.compile(rb"\bNODE_OPTIONS=(?:'([^'\n]*)'|\\\"([^\"\\\n]*)\\\"|([^\s\"'\\&;|]*))")
_CUT = 97
_BAIL = re.compile(r"--bail(?:=\w+)?|-b")
_LINE = re.compile(r"\.[cm]?[jt]sx?:\d+$")  # a test chosen by where it stands
_NODE_SHOWN = ("--test-reporter=spec", "--test-reporter-destination=stdout")


def _injected(asked: Asked, argv: tuple[str, ...] | None = None) -> Order:
    """The argv, which shows the options or is given them by a module node loads first."""
    given = {**_options(asked, f"--require {JUDGE}/node_inject.cjs"), "FORSOOTH_OUT": OUT}
    files = source("node_inject.cjs", "node_audit.cjs")
    return Order(argv or asked.call.argv, given, files, _let_in(asked.look))


def _options(asked: Asked, ours: str) -> dict[str, str]:
    """Options for node, also through npm: what its settings name would stand in their place."""
    env = beside("NODE_OPTIONS", asked.env, f"--require {JUDGE}/node_audit.cjs {ours}".rstrip())
    settings = (asked.look.read(".npmrc") or b"").decode("utf-8", "replace")
    named = [row[1].strip().strip("\"'") for row in _NPM_OPTIONS.finditer(settings)]
    through = " ".join((env["NODE_OPTIONS"], *named[-1:]))
    return {**env, "NPM_CONFIG_NODE_OPTIONS": through, "FORSOOTH_PATCHED": f"{OUT}/patched"}


def _let_in(look: Look) -> Edits:
    """Scripts of packages that set node's options, with those beside them that are set already."""
    texts = ((path, look.read(path) or b"") for path in _manifests(look))
    made = {path: _OWN_OPTIONS.sub(_beside, text) for path, text in texts if b"NODE_OPT" in text}
    return {path: Edit(text, look.mode(path) or "100644") for path, text in made.items()}


def _beside(found: re.Match[bytes]) -> bytes:
    own = next((one for one in found.groups() if one is not None), b"")
    return found[0] if b"$" in own else b'NODE_OPTIONS=\\"' + own + b' $NODE_OPTIONS\\"'


def _manifests(look: Look) -> list[str]:
    named = (path for path in look.paths() if path.rpartition("/")[2] == "package.json")
    return [path for path in named if "node_modules/" not in path]


def _vitest(asked: Asked) -> Order:
    if asked.call.at is None:
        return _injected(asked)
    own = any(word.startswith("--reporter") for word in asked.call.argv)
    shown = () if own else ("--reporter=default",)
    flags = (*shown, "--reporter=json", f"--outputFile.json={OUT}/vitest.json")
    return _injected(asked, asked.call.ending(*flags))


def _jest(asked: Asked) -> Order:
    if asked.call.at is None:
        return _injected(asked)
    return _injected(asked, asked.call.ending("--json", f"--outputFile={OUT}/jest.json"))


def _mocha(asked: Asked) -> Order:
    if asked.call.at is None:
        return _injected(asked)
    report = ("--reporter", "json", "--reporter-option", f"output={OUT}/mocha.json")
    return _injected(asked, asked.call.adding(*report))


def _doubted(
    order: Callable[[Asked], Order], asked: Asked, damage: Damage | None, *, exits: tuple[int, ...]
) -> Doubt | str:
    """A run of what was broken. Behind a wrapper the runner is asked for everything by a file."""
    if damage is None:
        return "no test that can be broken was found in the files of the tree"
    if asked.call.at is None:
        made, exits = order(asked), ()
        return damage.doubt(made._replace(files={**made.files, "doubt": b""}), asked.look)
    return damage.doubt(order(asked), asked.look, exits=exits)


def _whole(asked: Asked, *flags: str) -> Asked:
    """The same call that does not end at the first failure."""
    at = asked.call.at
    if at is None:
        return asked
    argv = asked.call.argv
    kept = [
        word
        for before, word in pairwise(("", *argv[at:]))
        if not _BAIL.fullmatch(word) and not (_BAIL.fullmatch(before) and word.isdigit())
    ]
    call = asked.call._replace(argv=(*argv[:at], *kept))
    return asked._replace(call=call._replace(argv=call.ending(*flags)))


def _vitest_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    by_line = any(_LINE.search(word) for word in asked.call.argv)
    damage = broken(asked.look, report, nonce, with_canary=not by_line)
    return _doubted(_vitest, _whole(asked, "--bail=0"), damage, exits=(1,))


def _jest_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    damage = broken(asked.look, report, nonce)
    return _doubted(_jest, _whole(asked, "--bail=0"), damage, exits=(1,))


def _mocha_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    """It exits with the number of failures, and `only` in one file holds for all."""
    alone = not focused(asked.look, report)
    damage = broken(asked.look, report, nonce, between=" ", with_canary=alone)
    return _doubted(_mocha, _whole(asked, "--no-bail"), damage, exits=())


def _node_doubt(asked: Asked, report: Report, nonce: str) -> Doubt | str:
    """A file without tests of its own is itself a test, and passes by coming to its end."""
    damage = broken(asked.look, report, nonce)
    whole = files_ended(asked.look, report, _CUT)
    both = damage.joined(whole) if damage else whole
    return _doubted(_node, asked, both, exits=(1,))


def _node(asked: Asked) -> Order:
    """Where it has a reporter of its own, that one is told to go on as it did."""
    files = source("node_reporter.mjs", "node_audit.cjs")
    own = _own_reporters(asked)
    if asked.call.at is None:
        env, edits = _options(asked, " ".join((*_NODE, *own))), _let_in(asked.look)
        return Order(asked.call.argv, env, files, edits)
    return Order(asked.call.adding(*_NODE, *(own or _NODE_SHOWN)), _options(asked, ""), files)


def _own_reporters(asked: Asked) -> tuple[str, ...]:
    """For each reporter that is asked for without a place to write to, the place it has then."""
    for said in read(asked.call.argv, asked.look).spoken:
        if "--test" in said.words:
            many = sum(word.split("=")[0] == _NODE_FLAGS[0] for word in said.words)
            told = sum(word.split("=")[0] == _NODE_FLAGS[1] for word in said.words)
            return (f"{_NODE_FLAGS[1]}=stdout",) * (many - told)
    return ()


def _turned(order: Callable[[Asked], Order]) -> Callable[[Asked, int], Order]:
    """No runner is asked for another order: the tests stand in another one in their files."""

    def turns(asked: Asked, _number: int) -> Order:
        made = order(asked)
        return made._replace(edits={**made.edits, **edits_of(files_turned(asked.look), asked.look)})

    return turns


def _placed(read: Callable[[Ran], Report | Problem]) -> Callable[[Ran], Report | Problem]:
    """A reader that also tells where the runner lies, if that may be the judged copy."""

    def reads(ran: Ran) -> Report | Problem:
        told = read(ran)
        if isinstance(told, Problem):
            return told
        seen = any(name.endswith("-loaded") for name in ran.out)
        return told._replace(inside=_lines(ran, "inside"), audited=seen)

    return _audited(reads)


def _audited(read: Callable[[Ran], Report | Problem]) -> Callable[[Ran], Report | Problem]:
    """A reader that also tells which functions that compare were replaced."""

    def reads(ran: Ran) -> Report | Problem:
        told = read(ran)
        return told if isinstance(told, Problem) else told._replace(patched=_lines(ran, "patched"))

    return reads


def _lines(ran: Ran, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ran.out.get(name, b"").decode("utf-8", "replace").splitlines()))


VITEST = Recipe(
    order=_vitest,
    read=_placed(begun("vitest-loaded", of_file("vitest.json", jest.read))),
    doubt=_vitest_doubt,
    turned=_turned(_vitest),
    wrapped=True,
)
JEST = Recipe(
    order=_jest,
    read=_placed(begun("jest-loaded", of_file("jest.json", jest.read))),
    doubt=_jest_doubt,
    turned=_turned(_jest),
    wrapped=True,
)
MOCHA = Recipe(
    order=_mocha,
    read=_placed(begun("mocha-loaded", of_file("mocha.json", mocha.read))),
    doubt=_mocha_doubt,
    turned=_turned(_mocha),
    wrapped=True,
)
NODE = Recipe(
    order=_node,
    read=_audited(of_file("node.jsonl", probe.read)),
    doubt=_node_doubt,
    turned=_turned(_node),
    wrapped=True,
)
