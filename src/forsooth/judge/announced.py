"""What a plain script says that it found right: lines such as `ok NAME` and `PASS NAME`.

A script has no other list of its tests. What it announced on the base it must announce again where
its files are as they were sealed; what is passed over now was not tried. Lines about failures only
count where a run ends well in spite of them, and the base did not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from forsooth.judge.checks.found import shown
from forsooth.judge.checks.trial import Flaw

_LINE = re.compile(
    r"^[ \t]*(?:ok|OK|PASS(?:ED)?|[✓✔])[: \t]+(?:\d+ )?(?:- )?(?=\S*[^\W\d_])([^\n:(,=]+)",
    re.MULTILINE,
)
_WRONG = re.compile(
    r"^[ \t]*(?:not ok|FAIL(?:ED)?|[✗✘✖])[: \t]+(?:\d+ )?(?:- )?"
    r"(?!.*(?:# ?(?i:todo|skip)|\b0\b|\b(?i:none)\b))([^\n:(,=]+)",
    re.MULTILINE,
)
_SUM = re.compile(r"#(?: |$)|(?:tests?|cases?|checks?|assertions?)$")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST = 80


def announced(said: bytes) -> frozenset[str]:
    """The names of what a script found right, without what differs from run to run."""
    return _named(_LINE, said)


def admitted(said: bytes) -> frozenset[str]:
    """The names of what a script found wrong; sums and known failures left out."""
    return frozenset(name for name in _named(_WRONG, said) if not _SUM.match(name))


def _named(line: re.Pattern[str], said: bytes) -> frozenset[str]:
    text = said.decode("utf-8", "replace")
    names = (_NUMBER.sub("#", name).strip() for name in line.findall(text))
    return frozenset(name for name in names if name and len(name) <= _LONGEST)


def ignored(were: Collection[str], said: bytes) -> Flaw | None:
    """All that a script found wrong when it failed on the base, as wrong where it ends well.

    Of some of it nobody can tell that it ever mattered.
    """
    if were and admitted(said).issuperset(were):
        return Flaw(
            "exit-disagrees", f"ends well, and finds wrong as before: {shown(sorted(were))}"
        )
    return None


def unannounced(
    were: Collection[str], said: Iterable[bytes], *, gone: Iterable[str] = ()
) -> Flaw | None:
    """What was found right on the base and is not even tried now, but for files that are gone."""
    names = {_NUMBER.sub("#", path.rpartition("/")[2]) for path in gone}
    left = set(were) - announced(b"\n".join(said))
    missed = sorted(one for one in left if not any(name in one for name in names))
    if not missed:
        return None
    return Flaw("inventory", f"right on the base, and not now: {shown(missed)}")


def dropped(sealed: bytes, now: bytes, held: Mapping[str, bytes]) -> Flaw | None:
    """What is found right with the sealed files `held` and not with those that were delivered.

    Only what they name: a word that stands in none of them may differ from run to run.
    """
    said = b"\n".join((*map(str.encode, held), *held.values())).decode("utf-8", "replace")
    lost = announced(sealed) - announced(now)
    named = sorted(one for one in lost if all(word in said for word in _WORD.findall(one)))
    if not named:
        return None
    return Flaw("inventory", f"found right as sealed, and not as delivered: {shown(named)}")
