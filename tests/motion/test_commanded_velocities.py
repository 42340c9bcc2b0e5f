"""A robot that follows velocities as they come, on its way, through the gate of its bridge."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from softshell_actions.performing.turns import Task
from softshell_actions.performing.walking import Pace, Strides
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

GAITS = ('tripod', 'tetrapod', 'wave', 'ripple', 'quick')
#: Far beyond what legs reach: x, y [m/s], yaw [rad/s].
MOST = np.array([0.35, 0.35, 0.7])
#: Strides of one velocity, and of one gait.
LASTING, OF_A_GAIT = 3, 12


class Follower:
    """A robot that holds its heading, and what its gate limited of what it was told."""

    def __init__(self, friction):
        self.robot = CommandedRobot(WorldSettings(engine='mujoco', friction=friction))
        self.robot.director.performer.holds_heading = True
        self.robot.perform('stand')
        self.limited, self.tilt = set(), 0.0
        self.robot.watch = self._look

    def _look(self):
        self.limited |= {reason.text for reason in self.robot.core.status().reasons}
        self.tilt = max(self.tilt, float(np.degrees(self.robot.tilt_now())))

    def follow(self, velocities, paces):
        """Strides at velocities (n, 3), by a pace each, and then to rest."""
        library = self.robot.director.library
        requires = Strides(library, paces[0]).action.requires

        async def calls():
            for velocity, pace in zip(velocities, paces, strict=True):
                yield Strides(library, pace).call(np.asarray(velocity))

        self.robot.wait_for(self.robot.director.perform(Task('cmd_vel'), requires, calls()))


@pytest.mark.long
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_at_its_fastest_it_keeps_its_way_and_comes_to_rest_whenever_it_is_told(sign):
    """Stopped after any number of strides by `quick`: never is a leg out of reach or too fast.

    What makes up for slipping leaves legs within the reach of the gait.
    """
    walker = Follower(0.8)
    for count in (1, 4, 5, 6, 8, 11):
        walker.follow([(sign * 0.35, 0.0, 0.0)] * count, [Pace('quick')] * count)
        walker.robot.rest(0.3)
        assert 'standing' in walker.robot.facts()
    assert walker.limited == set()
    assert walker.tilt < 1.0
    assert abs(np.degrees(walker.robot.pose()[2])) < 0.5
    walker.robot.world.close()


@pytest.mark.long
@pytest.mark.parametrize('seed', range(1, 21))
def test_the_gate_has_nothing_to_limit(seed):
    """At any mixed velocities by any gaits and tempos, also where these change on the way."""
    random = np.random.default_rng(seed)
    walker = Follower(random.uniform(0.4, 1.0))
    strides = 24 if seed == 1 else 120
    velocities = random.uniform(-MOST, MOST, (strides // LASTING, 3)).repeat(LASTING, axis=0)
    paces = [
        Pace(str(random.choice(GAITS)), random.uniform(0.8, 1.2))
        for _ in range(strides // OF_A_GAIT)
    ]
    walker.follow(velocities, [pace for pace in paces for _ in range(OF_A_GAIT)])
    assert walker.limited == set()
    assert walker.tilt < 3.0
    walker.robot.world.close()
