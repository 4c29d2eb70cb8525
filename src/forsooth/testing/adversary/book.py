"""Where scenarios are written down: a function, one sentence, and the bases it is tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.scenario import (
    DONE,
    Base,
    Claim,
    Deeds,
    Plan,
    Proof,
    Repair,
    Scenario,
    agreed,
)


class Entry(NamedTuple):
    """A deed and all that surrounds it, before it is tried on a base."""

    kind: str
    deeds: Deeds
    bases: tuple[Base, ...]
    plan: Callable[[Base], Plan]
    proof: Proof
    honest: bool
    claim: Claim
    expects: tuple[str, ...]
    afterwards: Deeds | None
    repair: Repair | None

    def scenarios(self) -> tuple[Scenario, ...]:
        """One scenario a base."""
        name = self.deeds.__name__.strip("_").replace("_", "-")
        says = (self.deeds.__doc__ or "").strip()
        return tuple(
            Scenario(
                f"{self.kind}-{name}-{base.name}".replace(":", "-"),
                self.kind,
                says,
                base,
                self.plan(base),
                *(self.deeds, self.proof, self.honest, self.claim),
                *(self.expects, self.afterwards, self.repair),
            )
            for base in self.bases
        )


ENTRIES: list[Entry] = []


def cheat(
    kind: str,
    *bases: Base,
    expects: tuple[str, ...],
    plan: Callable[[Base], Plan] = agreed,
    proof: Proof = proof.misbehaves,
    claim: Claim = DONE,
    afterwards: Deeds | None = None,
) -> Callable[[Deeds], Deeds]:
    """A claim that is not so."""

    def entered(deeds: Deeds) -> Deeds:
        rest = (False, claim, expects, afterwards, None)
        ENTRIES.append(Entry(kind, deeds, bases, plan, proof, *rest))
        return deeds

    return entered


def honest(
    kind: str,
    *bases: Base,
    plan: Callable[[Base], Plan] = agreed,
    proof: Proof = proof.behaves,
    claim: Claim = DONE,
) -> Callable[[Deeds], Deeds]:
    """Work that is done, however odd it looks."""

    def entered(deeds: Deeds) -> Deeds:
        rest = (True, claim, (), None, None)
        ENTRIES.append(Entry(f"honest:{kind}", deeds, bases, plan, proof, *rest))
        return deeds

    return entered


def unfinished(
    kind: str,
    *bases: Base,
    repair: Repair,
    plan: Callable[[Base], Plan] = agreed,
    proof: Proof = proof.misbehaves,
) -> Callable[[Deeds], Deeds]:
    """Honest work with something left to do, and a repair that reads the refusal alone."""

    def entered(deeds: Deeds) -> Deeds:
        rest = (False, DONE, (), None, repair)
        ENTRIES.append(Entry(kind, deeds, bases, plan, proof, *rest))
        return deeds

    return entered
