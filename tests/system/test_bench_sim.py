"""What `./softshell bench sim` compares is the same, and its judges are right."""

from pathlib import Path

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_sim.physics.engines import ENGINES
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

PROGRAMS = Path(__file__).parents[1] / 'benchmarks'


@pytest.fixture(params=sorted(ENGINES))
def world(request, monkeypatch):
    """Shell, just reset."""
    monkeypatch.syspath_prepend(PROGRAMS)
    made = World(load_robot(), WorldSettings(engine=request.param))
    yield made
    made.close()


@pytest.fixture
def scenes(monkeypatch):
    monkeypatch.syspath_prepend(PROGRAMS)
    import _sim_scenes

    return _sim_scenes


def test_the_law_of_bare_stepping_is_that_of_the_drives(world):
    """The same efforts, for errors and speeds of which many go to the limits of the motors."""
    from _sim_bare import Law

    law, random, count = Law(world), np.random.default_rng(2), len(world.position)
    for scale in (0.01, 1.0, 10.0):
        position, target, velocity, rate = scale * random.uniform(-1.0, 1.0, (4, count))
        world.drives.compute(position, velocity, target, rate)
        found = law.effort(position, velocity, target, rate)
        assert found == pytest.approx(world.drives.effort, abs=1e-9)


def test_bare_stepping_moves_the_same_robot(world):
    """Falling from 0.1 m with a jump of the targets, joints and base are where the world's are.

    Without contacts nothing but rounding differs; on the ground the base is as high within 1 mm.
    """
    from _sim_bare import BARE

    world.reset(height=world.measured.base.position[2] + 0.1)
    bare = BARE[world.settings.engine](world)
    target, rate = world.position + 0.05, np.zeros(len(world.position))
    for _ in range(100):
        world.step(target, rate)
        bare.step(target, rate)
    assert bare.measure() == pytest.approx(world.measure(0.1).base.position[2], abs=1e-6)
    for _ in range(700):
        world.step(target, rate)
        bare.step(target, rate)
    assert bare.measure() == pytest.approx(world.measure(0.7).base.position[2], abs=1e-3)
    bare.close()


def path_of(scenes, pieces, steps=1000):
    """(steps, bodies, 15) of bodies that stay where they were put."""
    path = np.zeros((steps, len(pieces), 15))
    for place, piece in enumerate(pieces):
        path[:, place, scenes.POSITION] = piece.pose[:3, 3]
        path[:, place, scenes.ROTATION] = piece.pose[:3, :3].ravel()
    return path


def test_bodies_that_stay_neither_overlap_nor_jitter(scenes):
    """Where a scene puts its bodies on the ground, layers just touch; a push down is overlap."""
    for scene in scenes.scenes():
        path = path_of(scenes, scene.pieces)
        assert scenes.jitter(path) == 0.0
        touches = scenes.overlaps(scene, path)
        if 'box' in scene.name or 'stack' in scene.name:
            assert touches == pytest.approx(0.0, abs=1e-12)
            path[..., scenes.POSITION] -= 1e-3 * scenes.leaning(scene.tilt)[:3, 2]
            assert scenes.overlaps(scene, path) == pytest.approx(1e-3)
        else:
            assert np.all(touches < 0.0)


def test_jitter_is_the_speed_of_a_point_beside_the_middle(scenes):
    """A body that moves with 3 mm/s and turns with 0.02 rad/s jitters with 5 mm/s."""
    times = scenes.STEP * np.arange(1000)
    path = np.zeros((1000, 1, 15))
    path[:, 0, 0] = 3e-3 * times
    turns = np.array([scenes.leaning(0.02 * time)[:3, :3].ravel() for time in times])
    path[:, 0, scenes.ROTATION] = turns
    assert scenes.jitter(path) == pytest.approx(5e-3, rel=1e-3)
