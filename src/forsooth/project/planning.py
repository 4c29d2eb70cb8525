"""What must be true: drafting, sealing and steering."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from forsooth.core import command as do
from forsooth.core.amendment import Add, Amendment, Reorder, Reword, Split, Supersede
from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import compile as compiled
from forsooth.core.brief.compile import defects
from forsooth.core.brief.draft import Defect, Draft
from forsooth.core.brief.shapes import draft
from forsooth.core.canonical import digest
from forsooth.core.gate import may_create
from forsooth.core.plan import Criterion, Plan
from forsooth.core.policy import Policy
from forsooth.core.replan import Change, changes, propose
from forsooth.core.state import State
from forsooth.errors import Refused, UsageError
from forsooth.git import objects
from forsooth.ledger.ledger import Outcome
from forsooth.project.settings import flaw
from forsooth.project.shelf import Shelf

Steering = Add | Split | Reorder | Reword | Supersede


class BadBrief(UsageError):
    """A brief with defects, all of them at once."""

    code = "bad-brief"

    def __init__(self, source: str, found: tuple[Defect, ...]) -> None:
        count = f"{len(found)} defect{'s' if len(found) > 1 else ''}"
        super().__init__(f"{source}: {count}, nothing was planned")
        self.source, self.defects = source, found


class Drafted(NamedTuple):
    """A draft, and how it differs from what was there."""

    plan: Plan
    changes: tuple[Change, ...]
    is_new: bool


class Sealing(NamedTuple):
    """What a person is asked to confirm."""

    plan: Plan
    policy: Policy
    changes: tuple[Change, ...]
    replaces: bool
    against: str = ""
    warning: str = ""


class Planning(Shelf):
    """From a brief to a sealed plan, and the changes after it."""

    def draft(self, text: str, *, source: str = "", plan: str = "", fresh: bool = False) -> Drafted:
        """Turn a brief into a draft; the same brief again gives a new draft of the same plan."""
        id_ = "" if fresh else self._replanned(source, plan)
        state = self.state(id_) if id_ else State()
        before = state.definition or state.proposal
        brief, used = parse(text), tuple(_used(state))
        found = defects(brief, before=before, used=used)
        if found:
            raise BadBrief(source or "brief", found)
        is_new = not id_
        id_ = id_ or self._new_id()
        wanted = compiled(
            brief,
            plan_id=id_,
            digest=digest(text.encode()),
            source=source,
            before=before,
            used=used,
        )
        proposal, policy = propose(state, wanted), self.settings().policy
        against = may_create(proposal, policy) if is_new else ()
        if against:
            raise Refused(against)
        if is_new and not self._is_mine(id_):
            return self.draft(text, source=source, fresh=True)
        self.ask(id_, do.Create(plan=proposal, policy=policy))
        (self.root / "plans" / id_ / "brief.md").write_text(text, encoding="utf-8")
        self.bind(id_)
        return Drafted(proposal, changes(before, proposal), is_new)

    def _replanned(self, source: str, wanted: str) -> str:
        if wanted or self.wanted:
            return self.which(wanted)
        live = {one.id: one for one in self.plans() if one.is_live}
        bound = self.bound()
        if bound in live and live[bound].source == source:
            return bound
        same = [id_ for id_, one in live.items() if source and one.source == source]
        return same[-1] if same else ""

    def _new_id(self) -> str:
        stem, known = self.now().strftime("%Y%m%d-%H%M%S"), set(self.ids())
        if stem not in known:
            return stem
        return next(f"{stem}-{n}" for n in range(2, 1_000_000) if f"{stem}-{n}" not in known)

    def _is_mine(self, plan: str) -> bool:
        """Making a new plan's folder settles who has its name; other trouble the ledger reports."""
        try:
            (self.root / "plans" / plan).mkdir(parents=True, mode=0o700)
        except FileExistsError:
            return False
        except OSError:
            pass
        return True

    def sealing(self, plan: str) -> Sealing:
        """What there is to confirm."""
        state = self.state(plan)
        found = self.settings()
        proposal = state.proposal
        if proposal is None:
            raise UsageError(
                "there is no draft to seal", hint="forsooth plan BRIEF.md", code="no-draft"
            )
        what = changes(state.definition, proposal)
        if not state.sealed:
            proposal = proposal.but(base=objects.base(self.repo))
        shown = (bool(state.sealed), state.plan_digest, found.warning)
        return Sealing(proposal, found.policy, what, *shown)

    def seal(self, plan: str, shown: Sealing, *, agent_present: bool) -> Outcome:
        """Confirm exactly what was shown."""
        told = tuple(f"{c.sign} {c.says}{' (loosens)' if c.loosens else ''}" for c in shown.changes)
        return self.ask(
            plan,
            do.Seal(
                digest=shown.plan.digest,
                against=shown.against,
                policy=shown.policy,
                base=shown.plan.base,
                changes=told,
                agent_present=agent_present,
            ),
        )

    def amendment(self, kind: type[Steering], told: Mapping[str, Any]) -> Steering:
        """A change of the plan out of what was typed."""
        try:
            return kind.of(dict(told))
        except ValidationError as error:
            hint = f"forsooth steer {kind.__name__.lower()} --help"
            raise UsageError(flaw(error), hint=hint, code="bad-value") from None

    def steer(self, plan: str, amendment: Amendment) -> Outcome:
        """Change the plan, with evidence."""
        return self.ask(plan, do.Amend(amendment=amendment))

    def criteria(self, sentences: Iterable[str]) -> tuple[Criterion, ...]:
        """Criteria an agent proposes, in the sentences of a brief; ids are given when recorded."""
        read = [draft(sentence, line) for line, sentence in enumerate(sentences, 1)]
        wrong = tuple(one for one in read if isinstance(one, Defect))
        if wrong:
            raise BadBrief("--criterion", wrong)
        drafts = [one for one in read if isinstance(one, Draft)]
        if any(one.touch or one.never for one in drafts):
            says = "an added goal keeps the plan's fences; a fence is no criterion of its own"
            raise UsageError(says, hint="leave the fence out")
        return tuple(
            Criterion(
                id=f"G000.C{number}", says=one.says, check=one.check, guard=one.guard, by="agent"
            )
            for number, one in enumerate(drafts, 1)
        )


def _used(state: State) -> Iterator[str]:
    """Every name that was ever given, so that none comes back with another meaning."""
    for id_, one in state.goals.items():
        yield id_
        if one.named:
            yield from (f"{id_}.C{one.named}", f"{id_}.E{one.named}")
