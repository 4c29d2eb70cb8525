"""One criterion, proven or not: run as sealed and as delivered, and then disbelieved.

What ran and held is the strength of the proof; what was not run is named with its reason. Nothing
here takes a claim, a transcript or the agent's own environment for anything.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial

from forsooth.core.call import call_of
from forsooth.core.check import CommandParams, TestsParams
from forsooth.core.ground import WEAK_REDS, allowance
from forsooth.core.ids import SUITE
from forsooth.core.plan import Goal
from forsooth.core.strength import entry
from forsooth.core.verdict import UNCLEAR, Finding, Outcome
from forsooth.errors import CouldNotVerify
from forsooth.judge.accepted import accepted_work, still_named, unproven_changes, widened
from forsooth.judge.announcing import Announcing
from forsooth.judge.basis import JudgedFiles, passed
from forsooth.judge.checker import Context
from forsooth.judge.checks.found import found, outputs, shown
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Asked as Wanted
from forsooth.judge.checks.recipes.recipe import Doubt, Order
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial, is_lacking
from forsooth.judge.court import Asked, Court
from forsooth.judge.deciding import Decider, Deciding
from forsooth.judge.disbelief.answers import answered
from forsooth.judge.disbelief.audit import audited
from forsooth.judge.disbelief.doubt import believed
from forsooth.judge.disbelief.inventory import Keeps, compared
from forsooth.judge.disbelief.mutation import Spot, declared, mutated, spot_check
from forsooth.judge.disbelief.neutral import recognised
from forsooth.judge.disbelief.script import Script, Tree, scripted
from forsooth.judge.foreign import foreign
from forsooth.judge.ground import Record, behind, params_of
from forsooth.judge.luck import seen_again
from forsooth.judge.newcomers import Newcomers
from forsooth.judge.novelty import named_paths
from forsooth.judge.parts import Part, lost
from forsooth.judge.protected import trespassed
from forsooth.judge.reports.report import Report
from forsooth.judge.rewritten import CODE, Kept
from forsooth.judge.rooms import Params, Trying
from forsooth.judge.sides import Sides, is_test
from forsooth.judge.softened import softened
from forsooth.judge.standard import Standard
from forsooth.judge.survivors import Noticing
from forsooth.judge.views import View, sealed_view

LONGEST = 600.0
BRIEFEST = 180.0
PATIENCE = 5  # a run may take so many times what it took on the base
SPOILT = 20.0
ONCE_MORE = 60.0  # seconds of runs after which a failed one is not made again


class Proving:
    """The wards of one criterion that runs something."""

    def __init__(self, asked: Asked, court: Court, ctx: Context) -> None:
        self.asked, self.criterion, self.ctx = asked, asked.criterion, ctx
        ground = court.ground
        self.baseline = ground.about(self.criterion.id) if ground else None
        kept = self.baseline.record if self.baseline else None
        self.record = Record.loaded(court.load(kept)) if kept else Record(None, ())
        self._accepted = accepted_work(asked, court, self.record)
        self.court = court._replace(upstream={*court.upstream, *self._accepted.same})
        self.goal = widened(asked) if self._is_guard() else asked.goal
        self._kept = Kept(self.record, self.goal, self.court)
        self._standard = Standard(self.record.tests, self.keeps, self._accepted.paths)
        self.params = self._params()
        self._announcing = Announcing(
            self.record, self.goal, self.court, self._accepted, self._expects_output
        )
        self.seconds = self.params.timeout or self._longest()
        self.evidence: list[bytes] = []
        self.took = 0.0
        self.flags = [*unproven_changes(asked, court)] if self._is_guard() else list[str]()
        self._spot: Spot | None = None
        self._over = threading.Event()  # set once the answer is known: no run is begun after it
        self._unshown = False  # whether new tests could not be shown to notice missing work

    @cached_property
    def _sides(self) -> Sides:
        trees = [tree for tree in (self.court.base, self.court.tree) if tree]
        return Sides(path for tree in trees for path in self.court.rooms.look(tree).paths())

    def _params(self) -> Params:
        params = params_of(self.criterion)
        inside = self.baseline.runner if self.baseline else ""
        if self.criterion.id == SUITE:
            paths = self.court.rooms.look(self.court.tree).paths()
            argv = still_named(params.argv, self.asked, self.goal, paths)
            params = params.model_copy(update={"argv": argv})
        if isinstance(params, CommandParams) and inside:
            return behind(params, inside)
        return params

    def _longest(self) -> float:
        """How long a run is waited for; one that took seconds on the base may never end now."""
        took = self.baseline.took / 1000 if self.baseline else 0.0
        return max(BRIEFEST, PATIENCE * took) if took else LONGEST

    @property
    def keeps(self) -> Keeps:
        """The suite need only be as green as it was; a criterion must be green."""
        return "green" if self.criterion.id == SUITE else "all"

    def finding(self) -> Finding:
        """Run and disbelieve; what still runs when the answer is known is the last to.

        1. As sealed: the oracles as they were when a person confirmed them, and as they stayed.
        2. As delivered, where that is another tree.
        3. Who ran, and which tests: the quick wards.
        4. The full ones, those that only run side by side; the first flaw, in the order of
           what they cost, ends it.
        """
        if self.criterion.id == SUITE and self._cannot_run_the_suite():
            return self._kept_in_parts()
        if flaw := foreign(self.court, allowed=self.goal.may_change if self.goal else ()):
            return self._said("fail", flaw.code, flaw.says)
        view, first, flaw = self._as_sealed()  # 1
        if flaw:
            return self._refused(flaw, view)
        last = first
        if view.tree != self.court.tree:
            last, flaw = self._trial(self.court.tree)  # 2
            if flaw:
                return self._said("fail", flaw.code, flaw.says)
        consent = self.ctx.consent
        if decider := self._decider(view):
            if consent is None or not consent.stands:
                return self._said("error", UNCLEAR, decider.reason)
            self.flags.append(f"{consent.by} agreed: {decider.reason}")
        unseen = self._kept.unseen(first.ran)
        end = passed(last, self.baseline, self.record.tests)
        seen: list[Doubted] = [*end.before, *self._views(view), *unseen]
        seen += [Held("unclear-files", (len(decider.suspects),))] if decider else []
        for told in self._warded(view, first, last):
            seen += told
            if flaws := [one for one in told if isinstance(one, Flaw)]:
                self._over.set()
                return self._said("fail", flaws[0].code, flaws[0].says, seen)
        self._register(last)
        return self._said("pass", end.code, end.says, seen)

    def _decider(self, view: View) -> Decider | None:
        """Changed files of unclear role on which the result hangs."""
        if self.baseline is None:
            return None
        room, record = self._room(view.tree), self.record
        fences = tuple(one.goal.fence for one in self.ctx.beside)
        deciding = Deciding(
            self.criterion, self.goal, self.court, record.oracles, record.within, fences
        )
        return deciding.decider(
            room,
            view.tree,
            lambda tree: self._against(self._seen(room.tried(tree)), sealed=True),
        )

    def _warded(self, view: View, first: Trial, last: Trial) -> Iterator[tuple[Doubted, ...]]:
        yield tuple(self._quick(view, first, last))  # 3
        if not self.court.full:
            return
        room, spare = self._room(self.court.tree), allowance(first.ran.took)
        spoilt, marred = (
            self._room(self.court.tree, seconds=self._patience(last)) for _ in range(2)
        )
        yield tuple(self._new(last))  # 4
        yield tuple(declared(spoilt, self.court.tree, self.criterion.mutants, report=last.told))
        yield from self.court.rooms.runs.each(
            (
                lambda: tuple(self._doubted(spoilt, last, spare)),
                lambda: tuple(self._again(room, last, spare)),
                lambda: tuple(self._spots(marred, last, spare)),
                lambda: tuple(self._recognised(last, spare)),
            )
        )

    def _cannot_run_the_suite(self) -> bool:
        """Whether nothing of it was seen to be green: then there is nothing to keep."""
        seen, known = self.baseline, self.record.tests
        is_known = known is not None and bool(known.tests or known.folded)
        return seen is not None and seen.red is not None and not is_known

    def _kept_in_parts(self) -> Finding:
        """A suite that was red, by what it told as right and by those of its scripts that were."""
        view, were, named = self._view(self.goal), self.record.parts, self._announcing.were
        if not (were or named):
            ran = self.baseline is not None and self.baseline.red != "environment"
            why = "failed before the work, and reported nothing as passed"
            why = why if ran else "could not be run before the work"
            return self._said("pass", "not-kept", f"not judged: it {why}")
        if named and (
            flaw := self._announcing.missed(self._seen(self._room(view.tree).tried(view.tree)))
        ):
            return self._said("fail", flaw.code, flaw.says)

        def tried(part: Part) -> Trial:
            alone = CommandParams(argv=part.argv, cwd=part.cwd, env=self.params.env)
            return self._seen(self._room(view.tree, params=alone).tried(view.tree))

        if flaw := lost(were, self.court.rooms.look(view.tree), tried):
            return self._said("fail", flaw.code, flaw.says)
        of = f"{len(were)} scripts" if were else f"{len(named)} checks"
        says = f"failed before the work; {of} in it that passed before still pass"
        return self._said("pass", "in-parts", says)

    def _as_sealed(self) -> tuple[View, Trial, Flaw | None]:
        """The run in the sealed view.

        Settings that may change may name what is not there as sealed: a place that tests moved to,
        a new helper. Then it is enough that all holds with those settings as sealed, too.
        """
        goal, found, error = self.goal, None, CouldNotVerify("")
        try:
            found = self._in_view(self._view(goal))
        except CouldNotVerify as one:
            error = one
        if found and not found[2]:
            return found
        if goal and goal.may_change:
            with suppress(CouldNotVerify):
                strict = self._in_view(self._view(goal.but(may_change=())))
                if not strict[2]:
                    return strict
        if found is None:
            raise error
        return found

    def _in_view(self, view: View) -> tuple[View, Trial, Flaw | None]:
        first, flaw = self._kept.tried(
            self._room(view.tree),
            view.tree,
            lambda trial: self._against(self._seen(trial), sealed=True),
        )
        return view, first, flaw

    def _view(self, goal: Goal | None) -> View:
        court = self.court
        if court.base is None or self.baseline is None:
            return View(court.tree)
        known = [*self.record.tests.tests] if self.record.tests else None
        return sealed_view(
            court.rooms.repo,
            self._accepted.base or court.base,
            court.tree,
            criterion=self.criterion,
            goal=goal,
            oracles=(*self.record.oracles, *self._accepted.paths),
            within=self.record.within,
            tests=known,
            kept=court.upstream,
        )

    def _room(
        self, tree: str, *, seconds: float | None = None, params: Params | None = None
    ) -> Trying:
        """Furnished as delivered, unless the tree's own dependencies are others."""
        rooms, like = self.court.rooms, self.court.tree
        if tree != like and rooms.recipe(tree).key != rooms.recipe(like).key:
            like = tree
        asked, within = params or self.params, seconds or self.seconds
        return Trying(rooms, asked, like=like, seconds=within, over=self._over)

    def _patience(self, green: Trial) -> float:
        """How long a spoilt run is waited for: one that fails may never end by itself."""
        return min(self.seconds, max(SPOILT, PATIENCE * green.ran.took))

    def _seen(self, trial: Trial) -> Trial:
        self.evidence += outputs(trial.ran, self.params.argv)
        self.took += trial.ran.took
        return trial

    def _against(self, trial: Trial, *, sealed: bool) -> Flaw | None:
        return self._standard.against(trial, sealed=sealed)

    def _refused(self, flaw: Flaw, view: View) -> Finding:
        """A red run; where only the sealed oracles make it red, that is the reason to tell."""
        changed = (*view.restored, *view.removed, *view.merged)
        if view.tree != self.court.tree and changed and flaw.code != CODE:
            lying, wrong = self._trial(self.court.tree)
            if wrong is None:
                says = f"passes only with {shown(changed)} as changed; as sealed: {flaw.says}"
                return self._said("fail", "oracle-changed", says)
            if lying.end:
                flaw = Flaw(lying.end.code, lying.end.reason)
        if self._passes_again(view, flaw):
            says = f"failed once and passed once on the same tree; the failure: {flaw.says}"
            return self._said("fail", "flaky", says)
        return self._said("fail", flaw.code, flaw.says)

    def _passes_again(self, view: View, flaw: Flaw) -> bool:
        """Whether a failed run of a claim passes when it is made once more; only quick ones are."""
        lasting = flaw.code in ("inventory", CODE) or self.took > ONCE_MORE
        if not self.court.full or lasting:
            return False
        with suppress(CouldNotVerify):
            again = self._seen(self._room(view.tree).tried(view.tree))
            return self._against(again, sealed=True) is None
        return False

    def _views(self, view: View) -> Iterable[Doubted]:
        if self.baseline is None:
            return
        changes = self.court.rooms.look(self.court.tree).changes
        ours = [one for one in changes if one.path not in self.court.upstream]
        judged = JudgedFiles(
            self.criterion.id,
            view,
            self.record.oracles,
            self.record.test_files,
            within=len(self.record.within),
            changed=[one.path for one in changes],
            added=[one.path for one in ours if one.status == "A"],
        )
        self.flags += judged.flags(self.goal, named_paths(self.criterion))
        yield from judged.doubted()

    def _quick(self, view: View, first: Trial, last: Trial) -> Iterable[Doubted]:
        if flaw := trespassed(self.criterion, self.goal, self.court, self._sides):
            yield flaw
        for trial in dict.fromkeys((first.told, last.told)):
            if trial and (checked := audited(trial, self.record.patched)):
                yield checked
        if self.record.tests and last.told:
            sealed_run = first.told if view.tree != self.court.tree else None
            known = self._accepted.known(self.record.tests, first.told, self.court.upstream)
            yield from compared(known, sealed_run, last.told, goal=self.goal, keeps=self.keeps)
        elif last.told is None:
            yield from self._announcing.doubted(first, last)
        own = self.asked.goal
        if own and own.may_change and self.court.base:
            before, now = map(self.court.rooms.look, (self.court.base, self.court.tree))
            yield from softened(own.may_change, before, now)
        yield from self._accepted.kept(self.court, last, self._trial)

    def _trial(self, tree: str) -> tuple[Trial, Flaw | None]:
        trial = self._seen(self._room(tree).tried(tree))
        return trial, self._against(trial, sealed=False)

    @property
    def _expects_output(self) -> bool:
        """Whether the plan itself says what is printed, and the judge compares."""
        params = self.params
        return isinstance(params, CommandParams) and bool(params.stdout or params.stderr)

    def _new(self, last: Trial) -> Iterable[Doubted]:
        """Tests that are all new, or were let change, must notice that the work is missing."""
        known, room = self.record.tests, self._room(self.court.tree, seconds=self._patience(last))
        new = Newcomers(self.criterion, self.goal, self.court, self.baseline, known, self._sides)
        shown_ = [*new.doubted(room, last)]
        self._unshown = any(isinstance(one, Lacking) for one in shown_)
        return shown_

    def _doubted(self, room: Trying, last: Trial, spare: float) -> Iterable[Doubted]:
        """One run that must fail in exactly the places the judge breaks."""
        if self.criterion.id == SUITE and self._is_doubted_elsewhere():
            return
        if last.ran.took > spare:
            yield Lacking("canary", f"one run takes {last.ran.took:.0f} s")
            return
        base, rests = self.court.base, () if self._announcing.lets_tests_go else self.record.oracles
        if base:
            yield from answered(room, (self.court.tree, base), last, rests, secrets.token_hex(8))
        if last.told is None:
            seen = self._scripted(room)
            # A script that is asked for its output asserts nothing by itself.
            yield from (one for one in seen if not (self._expects_output and is_lacking(one)))
            return
        doubt = self._doubt(room, last.told)
        if isinstance(doubt, str):
            yield Lacking("canary", doubt)
            return
        tried = self._broken(room, doubt)
        yield from self._believed(room, doubt, tried, last.told)
        if "canary" not in doubt.held:
            yield Lacking("canary", f"{self.params.argv[0]} takes none here")
        for why in doubt.lacking:
            yield Lacking("flip", why)

    def _scripted(self, room: Trying) -> Iterable[Doubted]:
        base, params = self.court.base, self.params
        tree = Tree(room.look(self.court.tree), self.record.side(params.argv))
        look = room.look(base) if base else None
        said, nonce = self._announcing.were, secrets.token_hex(8)
        asked = Script(params.argv, params.cwd, tree, look, nonce, said)

        def before(order: Order) -> Trial:
            there = self._room(base or "", seconds=room.seconds)
            return self._seen(there.tried(base or "", order=order))

        return scripted(
            asked,
            lambda order: self._seen(room.tried(self.court.tree, order=order)),
            before=before if base else None,
            was_green=self._is_guard(),
        )

    def _broken(self, room: Trying, doubt: Doubt) -> Trial:
        tree = room.edited(self.court.tree, doubt.edits) if doubt.edits else self.court.tree
        return self._seen(room.tried(tree, order=doubt.order))

    def _believed(
        self, room: Trying, doubt: Doubt, tried: Trial, green: Report
    ) -> tuple[Doubted, ...]:
        """A test may keep its process alive once it is broken: then others are broken instead."""
        seen = believed(doubt, tried, green)
        if tried.ran.ended != "timeout" or not any(isinstance(one, Flaw) for one in seen):
            return seen
        left = tuple(test for test in green.tests if test.id not in doubt.red)
        other = self._doubt(room, green._replace(tests=left)) if left else ""
        if isinstance(other, str) or "flip" not in other.held:
            return seen
        return believed(other, self._broken(room, other), green)

    def _is_doubted_elsewhere(self) -> bool:
        goal = self.goal
        return goal is not None and any(c.check.kind == "tests" for c in goal.criteria)

    def _doubt(self, room: Trying, green: Report) -> Doubt | str:
        look = room.look(self.court.tree)
        if not isinstance(self.params, TestsParams):
            return "only the exit status is known"
        recipe = recipe_of(self.params.runner)
        if recipe is None or recipe.doubt is None:
            return f"{self.params.runner} takes none"
        call = call_of(self.params.argv, self.params.runner)
        nonce = secrets.token_hex(8)
        return recipe.doubt(Wanted(call, self.params.env, look), green, nonce)

    def _again(self, room: Trying, last: Trial, spare: float) -> Iterable[Doubted]:
        """The same again: what differs is luck."""
        if self.criterion.id == SUITE:
            yield Lacking("repeated", "the suite is run once")
            return
        yield from seen_again(self.record, self.court, room, last, spare)

    def _recognised(self, last: Trial, spare: float) -> Iterable[Doubted]:
        """Whether the result hangs on the very bytes of the tests: a flag, and no refusal."""
        if self.criterion.id == SUITE or self._is_guard() or last.ran.took > spare:
            return ()
        room = self._room(self.court.tree, seconds=self._patience(last))
        tests = {*self.record.test_files, *filter(is_test, named_paths(self.criterion))}
        flag = recognised(room, self.court.tree, tests, last)
        self.flags += [f"{flag}: {self.criterion.id} may recognise its tests"] if flag else []
        return ()

    def _spots(self, room: Trying, last: Trial, spare: float) -> Iterable[Doubted]:
        """Changed lines put wrong, for as long as one run takes."""
        if self.criterion.id == SUITE or self._is_guard() or last.told is None:
            return
        box = min(max(last.ran.took, 1.0), spare, 60.0)
        spot = self._spot = spot_check(
            room,
            self.court.tree,
            changes=self.court.rooms.look(self.court.tree).changes,
            test_side=self._sides.holds,
            seconds=box,
            clock=lambda: room.spent,
            base=self.court.base,
            report=last.told,
        )
        demanded = spot.demanded() if self._is_weak() and self._unshown else None
        yield demanded or spot.doubted

    def _register(self, last: Trial) -> None:
        """Have mutants that other criteria missed tried with this one, too."""
        if self.court.noticing is None or self.criterion.hidden:
            return
        room, tree = self._room(self.court.tree, seconds=self._patience(last)), self.court.tree
        tried = partial(mutated, room, tree, report=last.told)
        self.court.noticing.append(Noticing(self.criterion.id, last.ran.took, self._spot, tried))

    def _is_weak(self) -> bool:
        return self.baseline is not None and self.baseline.red in WEAK_REDS

    def _is_guard(self) -> bool:
        return self.criterion.guard or (self.baseline is not None and self.baseline.red is None)

    def _said(
        self, outcome: Outcome, code: str, reason: str, seen: Iterable[Doubted] = ()
    ) -> Finding:
        told = found(self.ctx, outcome, code, reason, evidence=self.evidence, took=self.took)
        seen = tuple(seen)
        return told.but(
            held=tuple(dict.fromkeys(entry(*one) for one in seen if isinstance(one, Held))),
            lacking=tuple(f"{one.what}: {one.why}" for one in seen if isinstance(one, Lacking)),
            flags=tuple(self.flags),
        )
