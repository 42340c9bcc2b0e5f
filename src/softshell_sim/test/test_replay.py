"""A walk that is saved on its way goes on the same, bit for bit, as often as it is restored."""

import numpy as np
import pytest
from walking_rig import TICK, Stage

from softshell_control.gate import Command
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Push, Remove, Spawn
from softshell_sim.shapes import Box

pytestmark = pytest.mark.usefixtures('each_engine')


def numbers(measured):
    """What is measured, as bytes."""
    parts = [
        measured.position, measured.velocity, measured.effort, measured.base.position,
        measured.base.orientation, measured.imu.linear_acceleration,
        measured.contacts.force.ravel(),
    ]  # fmt: skip
    return np.concatenate(parts).tobytes()


class Recorder(Stage):
    """A stage that remembers what was commanded."""

    def __init__(self):
        super().__init__('shell')
        self.commands, self.rows = [], []

    def _tick(self, command):
        self.commands.append(Command(command.value.copy(), command.rate.copy()))
        measured = super()._tick(command)
        self.rows.append(numbers(measured))
        return measured

    def replay(self, commands):
        """Every number that is measured while these are commanded, as bytes."""
        rows = []
        for command in commands:
            self._now += TICK
            rows.append(numbers(self.backend.step(self._now, command)))
        return b''.join(rows)


@pytest.fixture
def stage():
    stage = Recorder()
    yield stage
    stage.backend.close()


@pytest.mark.long
def test_five_seconds_of_walking_repeat(stage):
    """Also with a push under way, a body that came along, and a reset in between."""
    for _ in stage.perform('stand'):
        pass
    walk = stage.perform('walk', distance=0.9)
    for _ in range(150):
        next(walk)
    world = stage.backend.world
    box = Spawn(ObjectSpec('box', Box((0.1, 0.1, 0.1)), 0.3, shift(0.0, 0.6, 0.05)))
    push = Push('robot', np.array([0.0, 2.0, 0.0]), duration=0.5)
    world.apply([box, push])
    state, begun = stage.backend.save(), len(stage.commands)
    for _ in walk:
        if len(stage.commands) >= begun + 1250:
            break
    commands = stage.commands[begun:]
    assert len(commands) == 1250
    first = b''.join(stage.rows[begun:])
    walked = world.measured.base.position[0]
    stage.backend.restore(state)
    assert stage.replay(commands) == first
    world.apply([Remove('box')])
    stage.backend.reset()
    stage.backend.activate()
    world.apply([box])
    stage.backend.restore(state)
    assert stage.replay(commands) == first
    assert walked > 0.3
