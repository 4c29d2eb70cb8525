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
from forsooth.core.flaw import flaw
from forsooth.core.form import may_create
from forsooth.core.plan import Criterion, Plan
from forsooth.core.policy import Policy
from forsooth.core.replan import Change, changes, policy_changes, propose
from forsooth.core.state import State
from forsooth.core.why import why
from forsooth.errors import Refused, UsageError
from forsooth.ledger.ledger import Outcome
from forsooth.project.completing import BadBrief, with_hidden, with_suite
from forsooth.project.shelf import Shelf, listed

TRIES = 3
SEAL = "forsooth seal"
LARGEST_INPUT = 1 << 20  # bytes of a brief, or of a receipt that is handed in
Steering = Add | Split | Reorder | Reword | Supersede


class Drafted(NamedTuple):
    """A draft, and how it differs from what was there; `bound` is what the work tree now means."""

    plan: Plan
    changes: tuple[Change, ...]
    is_new: bool
    is_same: bool = False
    bound: str = ""


class Planning(Shelf):
    """From a brief to a sealed plan, and the changes after it."""

    def draft(
        self,
        text: str,
        *,
        source: str = "",
        plan: str = "",
        fresh: bool = False,
        hidden: str = "",
    ) -> Drafted:
        """Turn a brief into a draft; a changed brief gives a new draft of the same plan.

        `hidden` is a brief whose criteria are kept from agents.
        """
        for given in (text, hidden):
            if len(given.encode(errors="replace")) > LARGEST_INPUT:
                says = f"the brief is larger than {LARGEST_INPUT >> 20} MiB, the most that is read"
                raise UsageError(says, hint="split it into several plans", code="too-large")
        held = self.held()
        id_ = "" if fresh else self._replanned(source, plan)
        made = self._settled(text, source=source, id_=id_, hidden=hidden)
        # What a person sealed and an agent works on is not an agent's to turn away from.
        kept = held if held and not self.actor.speaks_for_person else made.plan.id
        self.bind(kept)
        return made._replace(bound=kept)

    def after_draft(self, made: Drafted) -> str:
        """The command that comes after a draft."""
        plan = made.plan.id
        seal = SEAL if made.bound == plan else f"{SEAL} --plan {plan}"
        if not made.is_same:
            return seal
        answer = why(self.state(plan), self.now())
        command = answer.command if answer else "forsooth status"
        return seal if command == SEAL else command

    def _settled(self, text: str, *, source: str, id_: str, hidden: str) -> Drafted:
        """A draft of what stands; when that moves meanwhile, it is made anew."""
        for _ in range(TRIES):
            try:
                return self._drafted(text, source=source, id_=id_, hidden=hidden)
            except Refused as refused:
                if [reason.code for reason in refused.reasons] != ["plan-moved"]:
                    raise
        return self._drafted(text, source=source, id_=id_, hidden=hidden)

    def _drafted(self, text: str, *, source: str, id_: str, hidden: str) -> Drafted:
        """One try: what was read is what the draft is made from, or there is none."""
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
        wanted = with_suite(self.repo, wanted, before)
        wanted = with_hidden(wanted, before, text=hidden, folder=self.own)
        proposal, policy = propose(state, wanted), self.settings().policy
        if not is_new and _is_same(state, proposal, policy) and self._is_agreed(id_, state):
            return Drafted(state.proposal or proposal, (), is_new=False, is_same=True)
        against = may_create(proposal, policy) if is_new else ()
        if against:
            raise Refused(against)
        if is_new and not self._is_mine(id_):
            return self._drafted(text, source=source, id_="", hidden=hidden)
        self.ask(id_, do.Create(plan=proposal, policy=policy, against=state.basis))
        (self.root / "plans" / id_ / "brief.md").write_text(text, encoding="utf-8")
        shown = (*changes(before, proposal), *_policies(state, policy))
        return Drafted(proposal, shown, is_new)

    def _is_agreed(self, plan: str, state: State) -> bool:
        """Whether nobody here has to be asked for what was sealed elsewhere."""
        return bool(state.proposal) or self.ledger(plan).is_own(state.sealed)

    def _replanned(self, source: str, wanted: str) -> str:
        if wanted or self.wanted:
            return self.which(wanted)
        live = {one.id: one for one in self.plans() if one.is_live}
        bound = self.bound()
        if bound in live and live[bound].source == source:
            return bound
        same = [one for one in live.values() if source and one.source == source]
        if len(same) > 1:
            says = f"{source} is the brief of several live plans: {listed(same)}"
            hint = f"forsooth plan {source} --plan {same[-1].id}"
            raise UsageError(says, hint=hint, code="which-plan")
        return same[0].id if same else ""

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


def _is_same(state: State, proposal: Plan, policy: Policy) -> bool:
    """Whether a draft would say what the last one, or the plan in force, says already."""
    latest = state.proposal or state.definition
    if latest is None or (state.sealed and policy != state.policy and not state.proposal):
        return False
    named = (latest.brief_digest, latest.source) == (proposal.brief_digest, proposal.source)
    return named and latest.base == proposal.base and not changes(latest, proposal)


def _policies(state: State, policy: Policy) -> tuple[Change, ...]:
    return policy_changes(state.policy, policy) if state.sealed else ()


def _used(state: State) -> Iterator[str]:
    """Every name that was ever given, so that none comes back with another meaning."""
    for id_, one in state.goals.items():
        yield id_
        if one.named:
            yield from (f"{id_}.C{one.named}", f"{id_}.E{one.named}")
