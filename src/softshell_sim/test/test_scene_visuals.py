"""What pictures show of a scene."""

import numpy as np
import pytest

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Spawn
from softshell_sim.pictures.scene_visuals import Surroundings
from softshell_sim.scenes import terrain
from softshell_sim.shapes import Box, Capsule, Cylinder, HeightField, Plane, Sphere


def corners(shape, mass=0.0, pose=None):
    pose = np.eye(4) if pose is None else pose
    seen = Surroundings([Spawn(ObjectSpec('it', shape, mass, pose))])
    return seen.at({}).corners.reshape(-1, 3)


@pytest.mark.parametrize(
    ('shape', 'size'),
    [
        (Box((0.2, 0.4, 0.6)), (0.2, 0.4, 0.6)),
        (Sphere(0.3), (0.6, 0.6, 0.6)),
        (Cylinder(0.1, 0.5), (0.2, 0.2, 0.5)),
        (Capsule(0.1, 0.5), (0.2, 0.2, 0.7)),
    ],
)
def test_shapes_are_as_large_as_they_are(shape, size):
    """Where they stand."""
    seen = corners(shape, pose=shift(1.0, 2.0, 3.0))
    assert seen.max(axis=0) - seen.min(axis=0) == pytest.approx(size, rel=0.02)
    assert (seen.max(axis=0) + seen.min(axis=0)) / 2.0 == pytest.approx([1.0, 2.0, 3.0], abs=0.01)


def test_ground_is_as_high_as_its_samples():
    heights = np.array([[0.1, 0.2, 0.1], [0.3, 0.1, 0.2]])
    seen = corners(HeightField(heights, (2.0, 1.0)))
    for row, y in enumerate((-0.5, 0.5)):
        for column, x in enumerate((-1.0, 0.0, 1.0)):
            at = np.hypot(seen[:, 0] - x, seen[:, 1] - y) < 1e-9
            assert seen[at, 2] == pytest.approx(heights[row, column])


def test_what_is_as_low_as_the_floor_is_left_to_it():
    """Two surfaces in one place would flicker."""
    heights = np.zeros((2, 5))
    heights[:, 4] = 0.1
    seen = corners(HeightField(heights, (4.0, 1.0)))
    assert seen[:, 0].min() == pytest.approx(1.0)


def test_a_ramp_rises_and_a_plane_is_the_floor():
    seen = corners(terrain.ramp(np.radians(10.0), 2.0, 1.0))
    assert seen[:, 2].max() == pytest.approx(2.0 * np.sin(np.radians(10.0)))
    assert len(corners(Plane())) == 0


def test_what_moves_is_drawn_where_it_is():
    """What stands still stays, whatever is told of it; nobody knows of a body: where it began."""
    loose = Spawn(ObjectSpec('loose', Sphere(0.1), 1.0, shift(0.0, 0.0, 1.0)))
    still = Spawn(ObjectSpec('still', Box((1.0, 1.0, 1.0))))
    told = {'loose': shift(5.0, 0.0, 2.0), 'still': shift(9.0, 9.0, 9.0)}
    both = Surroundings([loose, still]).at(told).corners.reshape(-1, 3)
    assert both.max(axis=0) == pytest.approx([5.1, 0.5, 2.1], abs=0.002)
    alone = Surroundings([loose]).at({}).corners.reshape(-1, 3)
    assert alone.mean(axis=0) == pytest.approx([0.0, 0.0, 1.0], abs=0.01)
    assert len(Surroundings([]).at({}).corners) == 0
