"""Shell walks over rubble, up ramps and stairs: without a fall, its base level."""

import dataclasses

import numpy as np
import pytest
from bridged_walker import BridgedWalker, lay

from softshell_actions.performing.walking import Pace, base_move

LONG = pytest.mark.long
#: The base is level within this, but for 1 % of the time and then within the other [deg].
LEVEL, PEAK = 3.0, 10.0


def rough_walker(engine, kind, seed, footing=True, robot='shell'):
    """A robot that stands before some ground, at any friction from 0.5 to 1."""
    walker = BridgedWalker(engine, np.random.default_rng(seed).uniform(0.5, 1.0), footing, robot)
    lay(walker, kind, seed)
    walker.perform('stand')
    return walker


def walk(engine, kind, seed, footing=True, gait='tripod', speed=0.08, robot='shell'):
    """2 m over the ground; the tilts meanwhile [deg], and where the base is then [m]."""
    walker = rough_walker(engine, kind, seed, footing, robot)
    begin = len(walker.tilts)
    assert walker.walk_on(Pace(gait, 1.0, 1.3), speed, 2.0) < np.inf
    place = walker.core.measured.base.position.copy()
    walker.world.close()
    return np.array(walker.tilts[begin:]), place


@pytest.mark.parametrize(
    ('kind', 'seed'),
    [
        ('rubble', 100),
        *(
            pytest.param(kind, seed, marks=LONG)
            for kind in ('rubble', 'ramp', 'stairs')
            for seed in range(100, 120)
            if (kind, seed) != ('rubble', 100)
        ),
    ],
)
def test_it_stays_level_on_rough_ground(kind, seed):
    """2 m in MuJoCo, at any friction from 0.5 to 1; uphill it comes as high as the ground."""
    tilts, place = walk('mujoco', kind, seed)
    assert np.percentile(tilts, 99.0) < LEVEL
    assert tilts.max() < PEAK
    if kind != 'rubble':
        assert place[2] > 0.16 + 0.1


@LONG
@pytest.mark.needs('pybullet')
@pytest.mark.parametrize(
    ('kind', 'seed'),
    [
        *(('rubble', seed) for seed in range(200, 208)),
        *((kind, seed) for kind in ('ramp', 'stairs') for seed in (201, 202, 203)),
    ],
)
def test_it_crosses_rough_ground_level_in_the_other_engine(kind, seed):
    tilts, _ = walk('pybullet', kind, seed)
    assert np.percentile(tilts, 99.0) < LEVEL


@LONG
def test_without_it_the_base_lies_as_the_ramp_does():
    """What the others tell can fail: the same walk by the plan alone leans by 10 degrees."""
    tilts, _ = walk('mujoco', 'ramp', 100, footing=False)
    assert np.percentile(tilts, 50.0) > 8.0


@pytest.mark.long
def test_it_feels_the_ground_by_its_efforts():
    """As on a robot whose feet feel nothing: contacts and their forces are not measured."""
    walker = BridgedWalker('mujoco', 0.8, True)
    step = walker.core.backend.step

    def blind(now, command):
        return dataclasses.replace(step(now, command), contacts=None)

    walker.core.backend.step = blind
    lay(walker, 'rubble', 100)
    walker.perform('stand')
    begin = len(walker.tilts)
    assert walker.walk_on(Pace('tripod', 1.0, 1.3), 0.1, 2.0) < np.inf
    assert np.percentile(walker.tilts[begin:], 99.0) < LEVEL
    walker.world.close()


@pytest.mark.long
def test_on_level_ground_it_walks_as_far_as_without():
    """Within 1 %, and leans as it is told meanwhile."""
    ways = []
    for footing in (False, True):
        walker = BridgedWalker('mujoco', 0.8, footing)
        walker.perform('stand')
        (begin, _), _ = walker.pose()
        walker.perform('walk', distance=0.5)
        (end, _), _ = walker.pose()
        ways.append(end - begin)
        height = walker.rehearsal.body.stance.stand_height
        move = base_move(np.array([0.0, 0.0, height, 0.0, 0.1, 0.0]))
        for each in ((move,), (), ()):
            walker.stride(Pace('tripod'), (0.06, 0.0, 0.0), *each)
        assert walker.tilt() == pytest.approx(np.degrees(0.1), abs=1.5)
        walker.world.close()
    assert ways[1] == pytest.approx(ways[0], rel=0.01)


@LONG
@pytest.mark.parametrize('gait', ['tetrapod', 'wave', 'ripple'])
@pytest.mark.parametrize('seed', [100, 102, 118])
def test_other_gaits_cross_rubble_level(gait, seed):
    """Feet are wedged in two of these walks with the wave gait."""
    tilts, _ = walk('mujoco', 'rubble', seed, gait=gait, speed=0.05)
    assert np.percentile(tilts, 99.0) < LEVEL
    assert tilts.max() < PEAK
