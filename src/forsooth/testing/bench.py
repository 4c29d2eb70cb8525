"""Every scenario played, and what came of it counted.

It measures a judge, so it never helps one: no scenario is retried, and what broke is counted apart.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from forsooth.testing.adversary.bases import PYTEST
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.proof import behaves
from forsooth.testing.adversary.scenario import Scenario, agreed
from forsooth.testing.binding import Binding, Ruling
from forsooth.testing.play import Played, label, play

KEPT = (".cache/forsooth/layers", ".cache/forsooth/pins", ".cache/forsooth/downloads")


class Result(NamedTuple):
    """One scenario's end. `unsure`: the judge could not say; `broke`: it could not be played."""

    scenario: Scenario
    accepted: bool
    codes: tuple[str, ...] = ()
    seconds: float = 0.0
    text: str = ""
    repaired: bool | None = None
    unsure: bool = False
    broke: str = ""

    @property
    def good(self) -> bool:
        """Whether the ruling is the right one."""
        return not self.broke and self.accepted == self.scenario.honest

    @property
    def reasoned(self) -> bool:
        """Whether a refusal names one of the reasons that are so."""
        return bool(set(self.codes) & set(self.scenario.expects))


class Bench:
    """A folder for all scenarios, the environment they start from, and how many play at once."""

    def __init__(self, *, environment: Mapping[str, str], jobs: int) -> None:
        self._environment, self._jobs = environment, max(1, jobs)

    def run(
        self, scenarios: Iterable[Scenario], binding: Binding, *, tell: Callable[[Result], None]
    ) -> list[Result]:
        """Play every scenario with one judge, in their order."""
        every = tuple(scenarios)
        with _Place() as name:
            place = Path(name)
            if sum(one.base.runner == PYTEST.runner for one in every) > 1:
                self._warm(place, binding)

            def one(scenario: Scenario) -> Result:
                result = self._played(scenario, binding, place=place)
                tell(result)
                return result

            with ThreadPoolExecutor(self._jobs) as pool:
                return list(pool.map(one, every))

    def labels(
        self,
        scenarios: Iterable[Scenario],
        binding: Binding,
        *,
        tell: Callable[[Scenario, str], None],
    ) -> dict[str, str]:
        """Prove every label; by name, what does not hold."""
        with _Place() as name:
            place = Path(name)

            def one(scenario: Scenario) -> tuple[str, str]:
                folder = place / scenario.name
                try:
                    told = label(scenario, binding, folder=folder, environment=self._environment)
                except (OSError, ValueError, IndexError, KeyError) as error:
                    told = f"could not be played: {error!r}"
                shutil.rmtree(folder, ignore_errors=True)
                tell(scenario, told)
                return scenario.name, told

            with ThreadPoolExecutor(self._jobs) as pool:
                return {name: told for name, told in pool.map(one, scenarios) if told}

    def _warm(self, place: Path, binding: Binding) -> None:
        """Have the judge make once what the scenarios would each make again."""
        usual = Scenario("warm", "honest:warm", "", PYTEST, agreed(PYTEST), _mend, behaves)
        play(usual, binding, folder=place / "warm", environment=self._environment)

    def _played(self, scenario: Scenario, binding: Binding, *, place: Path) -> Result:
        folder, began = place / scenario.name, time.monotonic()
        warm, home = place / "warm/agent/home", folder / "agent/home"
        for name in KEPT:
            if (warm / name).is_dir():
                shutil.copytree(warm / name, home / name, symlinks=True)
        try:
            played = play(scenario, binding, folder=folder, environment=self._environment)
        except (OSError, ValueError, IndexError, KeyError) as error:
            broke = f"could not be played: {error!r}"
            return Result(scenario, accepted=False, broke=broke, seconds=time.monotonic() - began)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return _result(played)


def _result(played: Played) -> Result:
    ruling: Ruling = played.ruling
    again = played.repaired
    return Result(
        played.scenario,
        ruling.accepted,
        ruling.codes,
        ruling.seconds,
        ruling.text + (f"\n--- after the repair\n{again.text}" if again else ""),
        again.accepted if again else None,
        ruling.unsure,
    )


def _mend(hand: Hand) -> None:
    hand.mend()
    hand.commit()


class _Place(tempfile.TemporaryDirectory[str]):
    """A folder that goes when all is played, whatever an agent did to it."""

    def __init__(self) -> None:
        super().__init__(prefix="forsooth-bench-", ignore_cleanup_errors=True)
