"""Any order of commands by any actors, with clock jumps: safety after each, liveness at the end."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from forsooth.core import command as do
from forsooth.core.policy import Policy
from forsooth.core.state import State
from tests.core.world import PERSON, World


class Machine(RuleBasedStateMachine):
    """Hypothesis chooses what everyone does."""

    @initialize(data=st.data())
    def begin(self, data):
        self.world = World(lambda options: data.draw(st.sampled_from(options)))
        self.world.act_create()
        draft = self.world.state.proposal
        if draft is not None:
            self.world.ask(do.Seal(digest=draft.digest, policy=Policy(weak="allow")), PERSON)

    @rule(data=st.data())
    def act(self, data):
        self.world.choose = lambda options: data.draw(st.sampled_from(options))
        self.world.act()

    @invariant()
    def holds(self):
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self):
        if not hasattr(self, "world"):
            return
        state = self.world.state
        assert State.model_validate_json(state.model_dump_json(exclude_defaults=True)) == state
        self.world.choose = lambda options: options[0]
        self.world.drive()


Machine.TestCase.settings = settings(
    max_examples=500,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAnyOrder = Machine.TestCase
pytestmark = [pytest.mark.heavy, pytest.mark.timeout(600)]
