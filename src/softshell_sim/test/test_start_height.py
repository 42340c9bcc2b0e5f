"""Where a robot begins in a world that holds more than a floor: just above what is below it."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Remove, Spawn
from softshell_sim.scenes.terrain import ramp, rubble
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, HeightField, Plane
from softshell_sim.start import place_base, start_height
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')

#: Of the cube that is the robot [m]; its base is on its top.
SIDE = 0.2
WALL = ObjectSpec('wall', Box((0.1, 2.0, 3.0)), pose=shift(0.3, 0.0, 1.5))
HILL = ObjectSpec('hill', ramp(0.2, 3.0, 2.0), pose=shift(-1.0))
FIELD = ObjectSpec('field', HeightField(np.full((9, 9), 0.05), (1.0, 1.0)))
STONES = ObjectSpec('stones', rubble((1.2, 1.2), 0.02, 0.1), pose=shift(-1.3))


@pytest.mark.parametrize(
    ('spec', 'ground'),
    [
        (WALL, 0.0),  # beside it, and higher than it
        (STONES, 0.0),
        (FIELD, 0.05),
        (HILL, (1.0 + 0.5 * SIDE) * np.tan(0.2)),  # its upper edge
        (ObjectSpec('step', Box((0.1, 0.1, 0.3)), pose=shift(0.1, 0.1, 0.15)), 0.3),
        (ObjectSpec('block', Box((1.0, 1.0, 4.0)), pose=shift(z=2.0)), 4.0),
    ],
    ids=['wall', 'stones', 'field', 'hill', 'step', 'block'],
)
def test_it_touches_what_is_below_and_not_what_is_near(cube, spec, ground):
    """Its base is its own height above the highest ground under it, however near the rest is."""
    world = World(cube, WorldSettings(scene=(Spawn(spec),)))
    assert world.measured.base.position[2] == pytest.approx(ground + SIDE, abs=1.5e-3)
    world.close()


@pytest.mark.parametrize('others', [(), (WALL,), (WALL, HILL)], ids=len)
def test_without_anything_below_it_the_base_is_at_the_origin(cube, others):
    """With the floor removed, other bodies that stand beside it do not hold it up."""
    aside = [Spawn(replace(spec, pose=shift(5.0) @ spec.pose)) for spec in others]
    world = World(cube, WorldSettings(scene=(Remove('floor'), *aside)))
    assert world.measured.base.position == pytest.approx(np.zeros(3), abs=1e-6)
    world.close()


def test_other_ground_in_the_place_of_the_floor_may_be_deep(cube):
    """It stands on a plane 3 m below the origin."""
    lower = Spawn(ObjectSpec('lower', Plane(), pose=shift(z=-3.0)))
    world = World(cube, WorldSettings(scene=(Remove('floor'), lower)))
    assert world.measured.base.position[2] == pytest.approx(SIDE - 3.0, abs=1.5e-3)
    world.close()


def test_a_robot_that_has_no_room_is_refused(cube):
    """Below a ceiling without end, upside down, there is none at any height."""
    turned = transform(rotation_about((1.0, 0.0, 0.0), np.pi))
    ceiling = Spawn(ObjectSpec('ceiling', Plane(), pose=turned))
    with pytest.raises(SoftshellError, match="'cube' overlaps other bodies at all heights up to"):
        World(cube, WorldSettings(scene=(ceiling,)))


def test_a_height_that_is_asked_for_is_taken(cube):
    """Also where something is in the way."""
    world = World(cube, WorldSettings(scene=(Spawn(FIELD),)))
    assert world.reset(height=0.7).base.position[2] == pytest.approx(0.7)
    world.close()


@pytest.mark.parametrize('apart', [0.0, 1e-18, 0.01])
def test_a_robot_whose_shapes_are_all_meshes_at_one_point_begins(cube, apart):
    """Its size is not known from its origins: it is lifted out of what it begins in all the same.

    Of a mesh the lower half is below its origin, further than any other shape of it.
    """
    spec = ObjectSpec('block', Box((1.0, 1.0, 0.4)), pose=shift(z=0.2))
    world = World(cube, WorldSettings(scene=(Spawn(spec),)))
    place_base(world.engine, world.body, np.eye(4), 0.1)
    base_in_root = shift(z=0.5 * SIDE)
    found = start_height(world.engine, world.body, base_in_root, np.full(3, apart), world.robot)
    assert found == pytest.approx(0.4 + SIDE, abs=1.5e-3)
    world.close()
