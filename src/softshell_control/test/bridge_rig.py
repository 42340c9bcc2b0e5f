"""A bridge of the arm on a backend that fails where it is told to."""

import numpy as np

from softshell_common.bridge_mode import BridgeMode
from softshell_control.backend import Backend, StopPolicy
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.mock import MockBackend
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity
from softshell_description.load import load_robot

PERIOD = 0.004
ARM = load_robot('arm')
LIMITS = limits_of(ARM)
ELSEWHERE = np.array([-1.0, 1.0, -0.5])


class Probe(Backend):
    """A mock that writes down how it is called, and fails where it is told to."""

    name = 'probe'
    owns_time = True

    def __init__(self):
        self.inner = MockBackend(ARM, ELSEWHERE)
        self.calls = []
        self.commands = []
        self.fails = set()
        self.late = False

    def _enter(self, call):
        self.calls.append(call)
        if call.split()[0] in self.fails:
            raise OSError(f'no answer to {call}')

    def reset(self):
        self._enter('reset')
        return self.inner.reset()

    def activate(self):
        self._enter('activate')
        return self.inner.activate()

    def deactivate(self):
        self._enter('deactivate')

    def apply(self, parameters):
        self._enter(f'apply {parameters}')

    def stop(self, policy):
        self._enter(f'stop {policy.value}')

    def step(self, now, command):
        self.commands.append(None if command is None else command.value.copy())
        if 'step' in self.fails and self.late:
            self.inner.step(now, command)
        if 'step' in self.fails:
            raise OSError('port is gone')
        return self.inner.step(now, command)


class Rig:
    """A bridge of the arm on a probe, and all that it reported."""

    def __init__(self, policy=StopPolicy.HOLD):
        self.backend = Probe()
        self.core = BridgeCore(self.backend, LIMITS, PERIOD, FollowerSettings(), policy)
        self.backend.calls.clear()
        self.reports = []
        self.offered = 0

    def run(self, ticks=1):
        reports = [status for _ in range(ticks) for status in self.core.tick()]
        self.reports += reports
        return reports

    def offer(self, goal=0.3, duration=1.0, queued=False, after=None):
        """Offer a trajectory of the elbow, after another one if given; returns its identity."""
        self.offered += 1
        identity = Identity('tester', self.offered.to_bytes(16, 'big'))
        request = Request(
            identity, 0, ['elbow'], [duration], [[goal]], [[]], queued=queued,
            after=None if after is None else after.id,
        )  # fmt: skip
        self.core.offer(check_trajectory(request, LIMITS.names))
        return identity

    def ask(self, name):
        """Have a request carried out at the next tick; what it says, or the error it raises."""
        future = self.core.request(getattr(self.core, name))
        assert not future.done()
        self.run()
        return future.exception(0) or future.result(0)

    def states(self, identity):
        return [s.goal.state for s in self.reports if s.goal.identity == identity]

    def bring(self, mode):
        """From the beginning to a mode."""
        if mode in (BridgeMode.HOLDING, BridgeMode.EXECUTING, BridgeMode.FAULT):
            self.core.activate()
        if mode is BridgeMode.EXECUTING:
            self.offer(duration=5.0)
        if mode is BridgeMode.FAULT:
            self.backend.fails.add('step')
        if mode is BridgeMode.EMERGENCY_STOP:
            self.core.emergency_stop()
        self.run()
        assert self.core.mode is mode
        self.backend.fails.clear()
        self.backend.calls.clear()
        return self


EVERY = (
    BridgeMode.INACTIVE,
    BridgeMode.HOLDING,
    BridgeMode.EXECUTING,
    BridgeMode.FAULT,
    BridgeMode.EMERGENCY_STOP,
)
NOT_DRIVEN = (BridgeMode.INACTIVE, BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)
