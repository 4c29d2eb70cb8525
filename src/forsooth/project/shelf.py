"""Which plan is meant, where its ledger lies, and how a command reaches it.

The only place below the command line that reads the clock and the environment.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from forsooth.core import command as do
from forsooth.core.actor import Actor
from forsooth.core.decide import Decision, decide
from forsooth.core.flaw import flaw
from forsooth.core.state import State
from forsooth.core.status import plan_status
from forsooth.errors import CouldNotVerify, LedgerError, Refused, UsageError
from forsooth.git.repository import Repository, locate
from forsooth.hooks.ownership import linked
from forsooth.ledger.blobs import Blobs
from forsooth.ledger.disk import REAL
from forsooth.ledger.ledger import Ledger, Outcome, Stamp
from forsooth.project.settings import Settings, settings
from forsooth.project.signing import counts

STATE, CACHE = ".local/state/forsooth", ".cache/forsooth"
LIVE = ("draft", "active", "paused", "damaged")  # which plan is never guessed past a damaged one
SUGGEST = 'forsooth plan --suggest "what should be true"'


class Listed(NamedTuple):
    """One plan of the repository."""

    id: str
    status: str
    goals: int = 0
    source: str = ""

    @property
    def is_live(self) -> bool:
        """Whether a command may mean it; a folder whose first event never came is no plan."""
        return self.status in LIVE and bool(self.goals or self.status == "damaged")


def listed(plans: Iterable[Listed]) -> str:
    """Plans in a sentence, so that one can be chosen."""
    return ", ".join(f"{one.id} ({one.source or 'no file'}, {one.status})" for one in plans)


def _refuse_links(root: Path) -> None:
    """Refuse state with a link in it: what is read or written there would be another file."""
    plans = [folder for one in root.glob("plans/*") for folder in (one, one / "blobs")]
    path = linked(*map(str, (root, root / "plans", root / "bound", root / "sessions", *plans)))
    if path:
        raise CouldNotVerify(
            f"{path} is a link, and Forsooth's state has none",
            hint=f"see where it leads, then: rm {path}",
            code="linked-state",
        )


class Shelf:
    """The plans of a repository, as one actor meets them, and which of them is meant."""

    def __init__(
        self,
        folder: Path,
        *,
        actor: Actor,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        env = os.environ if environment is None else environment
        self.repo: Repository = locate(folder.resolve())
        self.actor = actor
        self.wanted = env.get("FORSOOTH_PLAN", "")
        self.home = Path(env.get("HOME") or "~").expanduser()
        self.ssh_agent = env.get("SSH_AUTH_SOCK", "")
        self._clock = clock or (lambda: datetime.now(UTC))
        self.root = self.repo.common / "forsooth"
        _refuse_links(self.root)

    def now(self) -> datetime:
        """The time, read once a question."""
        return self._clock()

    def plans(self) -> tuple[Listed, ...]:
        """Every plan of the repository, oldest first."""
        return tuple(self._listed(id_) for id_ in self.ids())

    def _listed(self, id_: str) -> Listed:
        try:
            state = self.state(id_)
        except (LedgerError, CouldNotVerify):
            return Listed(id_, "damaged")
        plan = state.definition or state.proposal
        status = plan_status(state, self.now())
        return Listed(id_, status, len(plan.goals), plan.source) if plan else Listed(id_, status)

    def ids(self) -> list[str]:
        with suppress(OSError):
            return sorted(path.name for path in (self.root / "plans").iterdir())
        return []

    def which(self, wanted: str = "") -> str:
        """The plan a command means: named, bound to this work tree, or the only live one."""
        known = self.ids()
        named = wanted or self.wanted
        if named:
            return self._named(named, known)
        bound = self.bound()
        if bound in known and self._listed(bound).is_live:
            return bound
        live = [one for one in self.plans() if one.is_live]
        if bound in known and not live:
            return bound
        if len(live) == 1:
            return live[0].id
        if not live:
            hint = self.begin_command
            raise UsageError("there is no plan in this repository", hint=hint, code="no-plan")
        says = f"several plans are live and this work tree is bound to none: {listed(live)}"
        hint = f"forsooth status --plan {live[-1].id}"
        raise UsageError(says, hint=hint, code="which-plan")

    @property
    def begin_command(self) -> str:
        """What makes the first plan: from the brief that is there, or a first draft of one."""
        has_brief = (self.repo.root / "BRIEF.md").is_file()
        return "forsooth plan BRIEF.md" if has_brief else SUGGEST

    def held(self) -> str:
        """The plan this work tree is bound to, if it is sealed and not yet done or given up."""
        bound = self.bound()
        if bound not in self.ids():
            return ""
        return bound if self._listed(bound).status in ("active", "paused", "damaged") else ""

    def locate_plan(self, wanted: str = "") -> str:
        """As `which`, but without reading a ledger that may be damaged, where that is possible."""
        named, bound, known = wanted or self.wanted, self.bound(), self.ids()
        if named:
            return self._named(named, known)
        if len(known) == 1 or bound in known:
            return bound if bound in known else known[0]
        return self.which()

    def _named(self, named: str, known: list[str]) -> str:
        fitting = [id_ for id_ in known if id_ == named] or [
            i for i in known if i.startswith(named)
        ]
        if len(fitting) == 1:
            return fitting[0]
        says = f"no plan is called {named}" if not fitting else f"{named} fits several plans"
        raise UsageError(says, hint="forsooth status --all", code="which-plan")

    def _binding(self) -> Path:
        return self.root / "bound" / self.repo.worktree

    def bound(self) -> str:
        with suppress(OSError, ValueError):
            return REAL.read(self._binding()).decode().strip()
        return ""

    def bind(self, plan: str) -> None:
        """From now on this work tree means that plan."""
        path = self._binding()
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = REAL.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(f"{plan}\n")

    @property
    def place(self) -> str:
        """The repository's name in folders that hold many: by where it lies."""
        return hashlib.sha256(os.fsencode(self.repo.common)).hexdigest()[:16]

    @property
    def own(self) -> Path:
        """What is kept about this repository outside of it."""
        return self.home / STATE / self.place

    @property
    def cache(self) -> Path:
        """What is kept for every repository and can be made again."""
        return self.home / CACHE

    @property
    def own_cache(self) -> Path:
        """What of that is this repository's."""
        return self.cache / "repos" / self.place

    def folder(self, plan: str) -> Path:
        """Where everything of one plan is kept."""
        return self.root / "plans" / plan

    def ledger(self, plan: str) -> Ledger:
        """The ledger of one plan."""
        anchor = self.own / f"{plan}.head"
        folder = self.folder(plan)
        signed = counts(self.home, Blobs(folder / "blobs").get)
        return Ledger(folder, anchor=anchor, stamp=self._stamp, signed=signed)

    def _stamp(self) -> Stamp:
        return Stamp(uuid.uuid4().hex, self.now())

    def settings(self, *, at: str | None = None) -> Settings:
        """What a seal would pin: the user's settings and the committed ones, at HEAD or there."""
        return settings(self.repo, self.home, at=at)

    def state(self, plan: str) -> State:
        """Where a plan stands."""
        return self.ledger(plan).state()

    def ask(self, plan: str, command: do.AnyCommand, *, by: Actor | None = None) -> Outcome:
        """Have a command decided and recorded; a refusal is recorded and raised."""
        now, actor = self.now(), by or self.actor

        def answer(state: State) -> Decision:
            try:
                return decide(state, command, actor=actor, now=now)
            except ValidationError as error:
                raise UsageError(flaw(error), code="bad-value") from None

        # A person is answered by what this home knows; everybody else by the ledger as it stands.
        ledger, id_ = self.ledger(plan), uuid.uuid4().hex
        outcome = ledger.transact(answer, by=actor, now=now, id_=id_, whole=actor.is_person)
        if outcome.refusal:
            raise Refused(outcome.refusal.reasons)
        return outcome
