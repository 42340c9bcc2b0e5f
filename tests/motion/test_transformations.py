"""Shell becomes a ball and a hexapod again, from wherever whoever commands it left it standing."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from any_stance import go_anywhere

from softshell_actions.facts import mode_of
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

LONG = pytest.mark.long
NEEDS_PYBULLET = pytest.mark.needs('pybullet')
#: Parts that touch have parted where they are further apart than this [m].
PARTED = 0.0005
#: Lower legs that are neighbours in the ball, 1.5 mm apart, may lean on one another by this [N].
LEANING = 5.0


class Touches:
    """The largest force between each two parts of a robot that touch [N].

    Two that touch already count from when they part: after `quick` feet stand close together, and
    a pose of the base may then press a leg against its neighbour.
    """

    def __init__(self, robot):
        self._world, self.found = robot.world, {}
        self._given = self._within(0.0)
        robot.watch = self._look

    def _within(self, distance):
        body = self._world.body
        gaps = self._world.engine.gaps(body, body, distance)
        return {frozenset((body.links[gap.link], body.links[gap.other_link])) for gap in gaps}

    def _look(self):
        body = self._world.body
        contacts = self._world.engine.all_contacts()
        own = (contacts.owner == contacts.bodies.index(body)).all(axis=1) & (contacts.depth > 0.0)
        pairs = [frozenset(body.links[place] for place in link) for link in contacts.link[own]]
        if self._given:
            self._given &= self._within(PARTED)
        for pair, force in zip(pairs, contacts.force[own], strict=True):
            if pair in self._given:
                continue
            self.found[pair] = max(float(np.linalg.norm(force)), self.found.get(pair, 0.0))

    def hard(self):
        """Those of other parts than lower legs side by side, and of these where they press."""
        shins = [f'lower_{k}_shin' for k in range(6)]
        beside = [frozenset((shins[k - 1], shins[k])) for k in range(6)]
        return {
            pair: force
            for pair, force in self.found.items()
            if pair not in beside or force > LEANING
        }


def there_and_back(seed, engine):
    """A robot that has been a ball since it stood somewhere, and what of it touched meanwhile."""
    random = np.random.default_rng(seed)
    friction = random.uniform(0.4, 1.0)
    robot = CommandedRobot(WorldSettings(engine=engine, friction=friction, self_collision=True))
    robot.perform('stand')
    told = f'seed {seed}, friction {friction:.2f}: {go_anywhere(robot, random)}'
    assert 'standing' in robot.facts(), told
    touches = Touches(robot)
    assert robot.perform('close'), told
    robot.rest(0.3)
    assert robot.facts() == {'ball'}, told
    assert mode_of(robot.facts(), controlled=False) == 'shell'
    assert robot.core.measured.base.position[2] == pytest.approx(0.218, abs=0.004), told
    assert robot.perform('open'), told
    robot.rest(0.3)
    return robot, touches, told


def check(seed, engine):
    robot, touches, told = there_and_back(seed, engine)
    measured = robot.core.measured
    assert robot.facts() == {'standing'}, told
    assert mode_of(robot.facts(), controlled=False) == 'hexapod'
    assert measured.contacts.touching.all(), told
    assert np.degrees(robot.tilt_now()) < 0.5, told
    assert measured.base.position[2] == pytest.approx(0.160, abs=0.003), told
    goal = np.array([robot.robot.poses['stand'][name] for name in robot.robot.joint_names])
    assert np.abs(measured.position[: len(goal)] - goal).max() < 0.03, told
    assert touches.hard() == {}, told
    robot.world.close()


@pytest.mark.parametrize('seed', [pytest.param(seed, marks=LONG) for seed in (2, 21)])
def test_from_a_stance_into_the_ball_and_back(seed):
    """It stands on all feet then, level and high, and no two parts have collided on the way.

    From the second stance the base cannot go straight to where it rises.
    """
    check(seed, 'mujoco')


@LONG
@pytest.mark.parametrize('seed', range(100, 150))
def test_fifty_times_from_random_stances(seed):
    """At any friction from 0.4 to 1: as the short one."""
    check(seed, 'mujoco')


@LONG
@NEEDS_PYBULLET
@pytest.mark.parametrize('seed', range(200, 210))
def test_into_the_ball_and_back_in_the_other_engine_too(seed):
    """Level, on all feet and high, without a collision, as in the first engine."""
    check(seed, 'pybullet')
