"""A person's approval that reached us without a terminal, and the seal that follows from it.

A typed prompt is seen by a hook, which leaves an approval for its session; a question is relayed by
the protocol server. Either way exactly the draft that was approved is sealed, and no other.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

from forsooth.core.canonical import digest
from forsooth.core.gate import Reason
from forsooth.core.ground import Baseline
from forsooth.core.instant import is_written, moment
from forsooth.core.outline import draft_text
from forsooth.core.state import State
from forsooth.core.why import Answer
from forsooth.errors import Refused
from forsooth.ledger.ledger import Outcome
from forsooth.project import underway
from forsooth.project.sealing import Sealer
from forsooth.project.trusting import Trusting

FRESH = timedelta(minutes=10)
AHEAD = timedelta(minutes=1)  # two clocks, or one that was set, may differ by this much
LONGEST = 1 << 16
HINT = "type `seal` in the agent's session, or forsooth seal in a terminal"
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Approval(NamedTuple):
    """What a person approved: a plan, by the digest of the draft that was waiting.

    `shown` is the text they saw, where the hook that showed it says so.
    """

    plan: str
    proposal: str
    shown: str | None = None


class Approving(Sealer, Trusting):
    """Seals that a person asks for from inside an agent's own program."""

    def approve(
        self,
        approval: Approval,
        *,
        progress: Callable[[Baseline], None] = lambda _: None,
    ) -> Outcome:
        """Seal the approved draft.

        1. Others see that it is under way. 2. What will be sealed is the approved draft. 3. The
        approval is also the word that its commands may run. 4. Every criterion on the base. 5. The
        gate.
        """
        plan = approval.plan
        with underway.under_way(self.root / "plans" / plan, proposal=approval.proposal):  # 1
            shown = self.sealing(plan)
            is_seen = approval.shown in (None, self._draft_shown(plan))
            if shown.draft != approval.proposal or not is_seen:
                says = "the draft is not the one that was approved"
                raise Refused((Reason(underway.CHANGED, says, HINT),))  # 2
            self.trust(shown.argvs, self.actor.channel)  # 3
            shown = shown._replace(ground=self.ground(plan, shown.plan, progress))  # 4
            return self.seal(plan, shown, agent_present=False)  # 5

    def _draft_shown(self, plan: str) -> str:
        """The draft that waits, as a person is shown it."""
        state = self.state(plan)
        sealed = state.definition if state.sealed else None
        return draft_text(state.proposal, sealed) if state.proposal else ""

    def seal_told(self, plan: str, state: State) -> Answer | None:
        """What there is to say about a seal without a terminal."""
        return underway.told(self.root / "plans" / plan, state)

    def approval(self, session: str) -> Approval:
        """Use up the approval that a session's prompt left; it serves once, and not for long."""
        if not _SESSION.fullmatch(session):
            says = "that is not the name of a session"
            raise Refused((Reason("no-approval", says, HINT),))
        folder = self.root / "sessions"
        read = _taken(folder / f"{session}.approval.json", folder / "used")
        if read is None:
            says = f"no approval of session {session} waits to be used"
            raise Refused((Reason("no-approval", says, HINT),))
        found = Approval(self.which(read["plan"]), read["proposal"], read["shown"])
        with underway.under_way(self.root / "plans" / found.plan, proposal=found.proposal):
            age = self.now() - moment(read["at"])
            if not -AHEAD <= age <= FRESH:
                says = "the approval is too old to be used"
                raise Refused((Reason("approval-stale", says, HINT),))
        return found


def _taken(path: Path, used: Path) -> dict[str, str] | None:
    """Read an approval and put it where it can never be used again."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        seen = os.fstat(fd)
        if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & 0o022:
            return None
        read = _understood(file.read(LONGEST))
    if read is None:
        return None
    used.mkdir(mode=0o700, exist_ok=True)
    try:
        os.link(path, used / digest(read["nonce"].encode())[:32])
    except FileExistsError:
        return None
    finally:
        path.unlink(missing_ok=True)
    return read


def _understood(data: bytes) -> dict[str, str] | None:
    try:
        read: Any = json.loads(data)
    except ValueError:
        return None
    names = ("nonce", "plan", "proposal", "shown", "at")
    if not isinstance(read, dict):
        return None
    told = {name: cast("dict[str, Any]", read).get(name) for name in names}
    if not all(isinstance(value, str) and value for value in told.values()):
        return None
    return cast("dict[str, str]", told) if is_written(str(told["at"])) else None
