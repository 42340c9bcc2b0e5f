"""Which shapes MuJoCo is asked for the distance of."""

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed')

from softshell_description.load import load_robot
from softshell_sim.mujoco import engine as mujoco_engine
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World


def every_pair(model, data, ones, others, within):
    """As `may_be_near`, but all."""
    return np.argwhere(np.ones((len(ones), len(others)), dtype=bool))


@pytest.mark.parametrize('pose', ['stand', 'ball'])
def test_of_shapes_that_are_left_out_none_is_near(monkeypatch, pose):
    """Gaps between links, and to the floor, are those of all pairs; far fewer are looked at."""
    robot = load_robot('shell')
    world = World(robot, WorldSettings(engine='mujoco'))
    world.reset(pose=robot.pose(pose))
    for other, within in ((world.body, 0.0), (world.body, 0.02), (world.floor, 0.1)):
        few = world.engine.gaps(world.body, other, within)
        with monkeypatch.context() as patch:
            patch.setattr(mujoco_engine, 'may_be_near', every_pair)
            assert world.engine.gaps(world.body, other, within) == few
    world.close()


def test_few_are_asked_for(monkeypatch):
    """Of Shell's shapes in the ball less than a tenth of all pairs."""
    asked = []
    gap = mujoco_engine.gap
    monkeypatch.setattr(mujoco_engine, 'gap', lambda *given: asked.append(given) or gap(*given))
    robot = load_robot('shell')
    world = World(robot, WorldSettings(engine='mujoco'))
    world.reset(pose=robot.pose('ball'))
    few = []
    for look in (mujoco_engine.may_be_near, every_pair):
        monkeypatch.setattr(mujoco_engine, 'may_be_near', look)
        asked.clear()
        world.engine.gaps(world.body, world.body, 0.005)
        few.append(len(asked))
    world.close()
    assert few[0] < 0.1 * few[1]
