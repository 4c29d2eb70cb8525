"""Receipts checked by whoever did not make them: a stranger with a file, or CI with a base branch.

Who may sign and what is demanded come from the base, never from the tree that is looked at. No key,
no agent and no network is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.canonical import digest
from forsooth.core.instant import moment, written
from forsooth.core.plan import Goal
from forsooth.core.policy import Policy
from forsooth.core.reason import Reasons
from forsooth.core.unheard import unheard
from forsooth.errors import CouldNotVerify, ForsoothError
from forsooth.git import config, references
from forsooth.git.history import is_ancestor, merge_base
from forsooth.git.names import resolve
from forsooth.git.objects import file_at, tree_of
from forsooth.git.trees import changes, listing, listing_digest
from forsooth.project.covering import covers, outdated, relevant, rewritten
from forsooth.project.settings import settings
from forsooth.project.shelf import Shelf
from forsooth.project.signing import home_signers

if TYPE_CHECKING:
    from forsooth.receipts.carry import Carried, Receipt
    from forsooth.receipts.seal import Seal
    from forsooth.receipts.signers import Signer
    from forsooth.receipts.statement import Predicate
    from forsooth.receipts.verify import Verified

REMOTES = ("origin", "upstream")
FETCH = "git fetch origin 'refs/forsooth/*:refs/forsooth/*'"
UNKNOWN = "unknown-signer"
LIST = "forsooth verify --base REF, where forsooth.toml lists who may sign (roles: person, judge)"


class Looked(NamedTuple):
    """One receipt and what is to be said of it.

    `stale` are the relevant files changed since; `away` says that the tree it is about is not in
    this clone, so that they cannot be told.
    """

    subject: str
    data: bytes
    found: Verified
    stale: tuple[str, ...] = ()
    away: bool = False

    @property
    def holds(self) -> bool:
        """Whether it proves its subject at the tree that is looked at."""
        return self.found.holds and not self.stale and not self.away


class Audit(NamedTuple):
    """What a repository's receipts say about one tree; `push` is what shares them, if anything.

    `unheard` is what the ledger, where it is at hand, says of persons and this home does not know.
    `uncovered` are files changed since the base that no goal proven for this branch asked for.
    """

    tree: str
    commit: str
    plan: str
    looked: tuple[Looked, ...]
    missing: tuple[str, ...]
    odd: tuple[str, ...] = ()
    seal: Seal | None = None
    push: str = ""
    unheard: Reasons = ()
    uncovered: tuple[str, ...] = ()


class Measure(NamedTuple):
    """What receipts are measured by, and where.

    `signers` are those a base lists; where none are (`is_listed`), only this home's keys count.
    """

    signers: tuple[Signer, ...]
    is_listed: bool
    policy: Policy
    now: str
    commit: str
    tree: str
    branch: str | None = None


class _Known(NamedTuple):
    """The plan as it is sealed, every sealed version of it, and what its own ledger says."""

    seal: Seal
    versions: dict[str, Seal]
    receipts: tuple[Receipt, ...]
    touched: dict[str, int]
    heads: dict[int, str] | None = None
    unheard: Reasons = ()


class Verifying(Shelf):
    """Receipts, looked at from outside."""

    def verify_file(
        self, data: bytes, *, base_ref: str = "", head: str = "HEAD", branch: str = ""
    ) -> Looked:
        """One receipt, against the tree that is checked out."""
        ground = self.measure(base_ref, head)._replace(branch=branch or None)
        found = self._verified(data, ground, tree=ground.tree)
        subject = found.statement.predicate.subject if found.statement else "?"
        return Looked(subject, data, found)

    def audit(
        self, *, base_ref: str = "", head: str = "HEAD", plan: str = "", branch: str = ""
    ) -> Audit:
        """Every goal of one plan that receipts are carried for, at one commit.

        1. What is carried, here and as fetched. 2. The plan, by its seals. 3. For each goal the
        receipt about this very tree; else the newest, with what changed since. 4. What is missing.
        5. Where a base is named: what changed since and no goal asked for.
        """
        ground = self.measure(base_ref, head)._replace(branch=branch or None)
        carried = self._carried()  # 1
        seals = self._seals_held(carried, ground)
        seal = _chosen(seals, carried, tree=ground.tree, plan=plan)  # 2
        known = self._known(seal, seals, carried)
        looked = self._looked_at(known, ground)  # 3
        missing = _missing(seal, looked)  # 4
        begun = self._before(ground, base_ref) if base_ref else ground  # 5
        uncovered = self._uncovered(known, seals, carried, ground, begun)
        told = (ground.tree, ground.commit, seal.plan.id, looked, missing, carried.odd)
        return Audit(*told, seal, self._push(), known.unheard, uncovered)

    def _looked_at(self, known: _Known, ground: Measure) -> tuple[Looked, ...]:
        """For each goal that is wanted, and the plan, the receipt that says most about a tree."""
        looked: list[Looked] = []
        for subject in _wanted(known.seal):
            about = [one for one in known.receipts if one.subject == subject]
            looked += self._best(_nearest(about, ground.tree), known, ground)
        return tuple(looked)

    def _uncovered(
        self,
        chosen: _Known,
        seals: tuple[Seal, ...],
        carried: Carried,
        ground: Measure,
        before: Measure,
    ) -> tuple[str, ...]:
        """The files changed since the base that no goal proven for this branch asked for.

        A goal that was proven at the base already says nothing of what came after it. Other plans
        that are proven here count as well, and so does the brief as it was sealed.
        """
        left = set(self._changed_between(before.tree, ground.tree))
        others = {one.plan.id: one for one in sorted(seals, key=lambda one: moment(one.at))}
        others.pop(chosen.seal.plan.id, None)
        for seal in (chosen.seal, *others.values()):
            if not left:
                break
            known = self._known(seal, seals, carried)
            if seal.plan.id in others and _missing(seal, self._looked_at(known, ground)):
                continue
            missing = _missing(seal, self._looked_at(known, before))
            goals = [goal for goal in _live(seal) if goal.id in missing]
            left = {path for path in left if not any(covers(goal, path) for goal in goals)}
            text = file_at(self.repo, ground.commit, seal.plan.source) if left else None
            if goals and text is not None and digest(text) == seal.plan.brief_digest:
                left.discard(seal.plan.source)
        return tuple(sorted(left))

    def _before(self, ground: Measure, base_ref: str) -> Measure:
        """Where the branch began; in a clone that is cut before that, the tip of its base."""
        tip = resolve(self.repo, base_ref)
        try:
            commit = merge_base(self.repo, tip, ground.commit) or tip
        except CouldNotVerify:
            commit = tip
        return ground._replace(commit=commit, tree=tree_of(self.repo, commit))

    def _changed_between(self, before: str, after: str) -> Iterator[str]:
        """Every path that differs, both ends of a rename included."""
        for change in changes(self.repo, before, after):
            yield from filter(None, (change.path, change.renamed_from))

    def measure(self, base_ref: str, head: str) -> Measure:
        """What a base demands and who it lists, and the commit that is looked at."""
        from forsooth.receipts import signers

        commit = resolve(self.repo, head)
        at = resolve(self.repo, base_ref) if base_ref else None
        # What a receipt ran in is held to what the base asks for, wherever it is verified.
        found = settings(self.repo, self.home, at=at, floor="none") if at else None
        where = (written(self.now()), commit, tree_of(self.repo, commit))
        listed = signers.of(found) if found else ()
        policy = found.policy if found else Policy()
        return Measure(listed or home_signers(self.home), bool(listed), policy, *where)

    def _carried(self) -> Carried:
        from forsooth.receipts import carry

        places = (carry.REFERENCE, *(carry.theirs(remote) for remote in REMOTES))
        every = [carry.read(self.repo, reference=place) for place in places]
        return carry.Carried(
            tuple(dict.fromkeys(one for c in every for one in c.receipts)),
            tuple(dict.fromkeys(one for c in every for one in c.seals)),
            tuple(dict.fromkeys(path for c in every for path in c.odd)),
        )

    def has_receipts(self) -> bool:
        """Whether receipts are here, made or fetched."""
        return bool(self._carried().receipts)

    def carried_receipt(self, subject: str, *, plan: str = "") -> bytes | None:
        """A receipt that is carried, to be read in a clone that keeps no plan; nearest to HEAD."""
        receipts = [one for one in self._carried().receipts if one.subject == subject]
        about = [one for one in receipts if not plan or _is_about(one, plan)]
        tree = tree_of(self.repo, resolve(self.repo, "HEAD"))
        return next((one.data for one in _nearest(about, tree)), None)

    def _push(self) -> str:
        """What shares the receipts that the remote is not known to have.

        Those it is known to have are taken in first, or it would refuse ours.
        """
        from forsooth.receipts import carry

        ours = references.reference(self.repo, carry.REFERENCE)
        known = references.reference(self.repo, carry.theirs())
        url = config.value(self.repo.common / "config", "remote.origin.url")
        if ours is None or ours == known or not url or not (known or self.ids()):
            return ""
        if known:
            with suppress(ForsoothError, OSError):  # where nothing can be written
                ours = carry.merge(self.repo, known)
        return " ".join(carry.pushing()) if ours != known else ""

    def _seals_held(self, carried: Carried, ground: Measure) -> tuple[Seal, ...]:
        """The seals that count: by a listed person, or where none is listed by this home."""
        from forsooth.receipts.problem import BadReceipt
        from forsooth.receipts.seal import confirmed

        if not carried.seals:
            hint = f"forsooth done GOAL, or {FETCH}"
            raise CouldNotVerify("no sealed plan is carried here", hint=hint, code="no-receipts")
        found = [
            confirmed(one.data, now=ground.now, signers=ground.signers) for one in carried.seals
        ]
        good = tuple(one.seal for one in found if one.holds and one.seal)
        if not good:
            problem = found[-1].problems[0]
            says = f"no seal that is carried here counts: {problem.says}"
            if problem.code == UNKNOWN:
                raise CouldNotVerify(says, hint=LIST, code=UNKNOWN)
            raise BadReceipt(says, hint=LIST, code=problem.code)
        return good

    def _known(self, seal: Seal, seals: tuple[Seal, ...], carried: Carried) -> _Known:
        """What is known of a plan; where its own ledger is at hand, also by that.

        The ledger says what made each receipt stale last, and must have the lines they name.
        """
        plan = seal.plan.id
        versions = {one.plan_digest: one for one in seals if one.plan.id == plan}
        mine = tuple(one for one in carried.receipts if _is_about(one, plan))
        if plan not in self.ids():
            return _Known(seal, versions, mine, {})
        ledger = self.ledger(plan)
        state = ledger.proven_state()
        goals = {id_: one.touched for id_, one in state.goals.items()}
        touched = {**goals, "plan": max(state.touched, state.failed)}
        said = [found.ledger.seq for one in mine if (found := _predicate(one))]
        told = unheard(ledger.unheard, state)
        return _Known(seal, versions, mine, touched, ledger.heads(set(said)), told)

    def _best(self, about: list[Receipt], known: _Known, ground: Measure) -> list[Looked]:
        """The first receipt that holds here, else the newest that holds elsewhere, else any."""
        every: list[Looked] = []
        for one in about:
            every.append(self._looked(one, known, ground))
            if every[-1].holds:
                return every[-1:]
        return [one for one in every if one.found.holds][:1] or every[:1]

    def _looked(self, one: Receipt, known: _Known, ground: Measure) -> Looked:
        after = known.touched.get(one.subject, 0)
        try:
            found = self._verified(
                one.data, ground, tree=one.tree, subject=one.subject, after=after
            )
            since = self._changes(one.tree, ground.tree)
        except CouldNotVerify:
            found = self._verified(one.data, ground, subject=one.subject, after=after)
            return Looked(one.subject, one.data, found, away=True)
        if found.statement:
            said = found.statement.predicate
            against = outdated(said, known.seal, known.versions)
            against += rewritten(said, known.heads)
            found = found._replace(
                problems=(*found.problems, *against),
                assurance=None if against else found.assurance,
            )
        stale = relevant(since, known.seal.plan, one.subject)
        return Looked(one.subject, one.data, found, stale)

    def _verified(
        self,
        data: bytes,
        ground: Measure,
        *,
        tree: str | None = None,
        subject: str | None = None,
        after: int = 0,
    ) -> Verified:
        from forsooth.receipts.verify import verified

        return verified(
            data,
            signers=ground.signers,
            now=ground.now,
            tree=tree,
            listing_sha256=self._listing_digest(tree) if tree else None,
            subject=subject,
            branch=ground.branch,
            descends=lambda id_: self._descends(id_, ground.commit),
            after=after,
            floor=ground.policy.isolation,
        )

    @cached_property
    def _listing_digest(self) -> Callable[[str], str]:
        def answer(tree: str) -> str:
            return listing_digest(listing(self.repo, tree))

        return cache(answer)

    @cached_property
    def _changes(self) -> Callable[[str, str], tuple[str, ...]]:
        def answer(before: str, after: str) -> tuple[str, ...]:
            return tuple(change.path for change in changes(self.repo, before, after))

        return cache(answer)

    @cached_property
    def _descends(self) -> Callable[[str, str], bool]:
        """Whether the work builds on its base; where the clone is cut, its tree counts."""

        def answer(base: str, commit: str) -> bool:
            try:
                return is_ancestor(self.repo, base, commit)
            except CouldNotVerify:
                return (self.repo.common / "shallow").is_file()

        return cache(answer)


def _chosen(seals: tuple[Seal, ...], carried: Carried, *, tree: str, plan: str) -> Seal:
    """The plan that is meant: named, else with a receipt about this tree, else sealed last."""
    meant = [one for one in seals if plan in ("", one.plan.id)]
    if not meant:
        says = f"no seal of plan {plan} is carried here"
        raise CouldNotVerify(says, hint=FETCH, code="no-receipts")
    here = [said.plan for one in carried.receipts if one.tree == tree and (said := _predicate(one))]
    return max(meant, key=lambda one: (one.plan.id in here, moment(one.at)))


def _live(seal: Seal) -> list[Goal]:
    """The goals of a sealed plan that are to be proven."""
    plan = seal.plan
    return [goal for goal in plan.goals if goal.id not in plan.superseded and not goal.cadence]


def _wanted(seal: Seal) -> tuple[str, ...]:
    return (*(goal.id for goal in _live(seal)), "plan")


def _missing(seal: Seal, looked: Iterable[Looked]) -> tuple[str, ...]:
    """What no receipt proves; the plan's own stands for every goal."""
    holding = {one.subject for one in looked if one.holds}
    return () if "plan" in holding else tuple(id_ for id_ in _wanted(seal) if id_ not in holding)


def _is_about(one: Receipt, plan: str) -> bool:
    """Whether a receipt is a plan's; one that cannot be read is shown with every plan."""
    said = _predicate(one)
    return said is None or said.plan == plan


@lru_cache(maxsize=4096)
def _predicate(one: Receipt) -> Predicate | None:
    """What a receipt says; this chooses what is looked at and proves nothing."""
    from forsooth.receipts import dsse, statement
    from forsooth.receipts.problem import BadReceipt

    try:
        return statement.decoded(dsse.opened(one.data).payload).predicate
    except BadReceipt:
        return None


def _nearest(about: list[Receipt], tree: str) -> list[Receipt]:
    """Receipts about this very tree first, then newer ones, then those that more people signed."""

    def rank(one: Receipt) -> tuple[bool, str, int]:
        said = _predicate(one)
        return one.tree == tree, said.at if said else "", len(one.data)

    return sorted(about, key=rank, reverse=True)
