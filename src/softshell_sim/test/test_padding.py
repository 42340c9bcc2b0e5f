"""Layers round bodies: where contact begins, on every engine."""

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec
from softshell_sim.contact.surfaces import LAYER
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Cylinder, Plane, Sphere
from softshell_sim.world import World

GRAVITY, MASS = 9.81, 2.0
SHAPES = [Box((0.2, 0.3, 0.2)), Sphere(0.1), Cylinder(0.1, 0.2)]
#: A robot of one link of 2 kg; {} is its collision geometry.
LINK = """
<robot name="lump"><link name="lump"><inertial><mass value="2"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0 0 0.02"/><geometry>{}</geometry></collision></link></robot>
"""


def rest(bench, body, seconds=2.0):
    """Height of a body after a while [m], and what carries it [N]."""
    bench.run(seconds)
    force = np.zeros((1, 3))
    bench.engine.contact_forces(body, force)
    assert force[0] == pytest.approx([0.0, 0.0, MASS * GRAVITY], rel=0.01, abs=0.1)
    return bench.state(body).position[2]


@pytest.mark.parametrize('shape', SHAPES, ids=lambda shape: type(shape).__name__)
@pytest.mark.parametrize('below', [0.0, 0.002])
def test_rests_on_its_layer(start, shape, below):
    """It floats by the sum of both layers within 50 µm, and is carried by m g within 1 %."""
    bench = start()
    floor = bench.engine.add(ObjectSpec('floor', Plane(), padding=below))
    spec = ObjectSpec('thing', shape, MASS, shift(z=0.11), padding=LAYER)
    thing = bench.engine.add(spec)
    assert rest(bench, thing) == pytest.approx(0.1 + LAYER + below, abs=5e-5)
    (gap,) = bench.engine.gaps(thing, floor, 1.0)
    assert gap.distance == pytest.approx(0.0, abs=5e-5)
    assert bench.state(floor).position == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize('shape', SHAPES, ids=lambda shape: type(shape).__name__)
def test_rests_at_its_visible_size(start, shape):
    """Shrunk by its layer first, it rests where it does without one, within 50 µm."""
    bench = start()
    bench.floor()
    spec = ObjectSpec('thing', shape, MASS, shift(z=0.11), padding=LAYER, preshrink=True)
    assert rest(bench, bench.engine.add(spec)) == pytest.approx(0.1, abs=5e-5)


def test_a_layer_weighs_nothing(start):
    """A torque turns a box with a thick layer as one without: by τ h/I of the box."""
    moments = MASS * np.array([0.13, 0.1, 0.05]) / 12.0
    bench = start(gravity=0.0)
    spec = ObjectSpec('box', Box((0.1, 0.2, 0.3)), MASS, shift(z=5.0), padding=0.02)
    box = bench.engine.add(spec)
    torque = np.array([0.1, 0.2, 0.3])
    bench.engine.apply_wrench(box, 0, np.zeros(3), torque, np.array([0.0, 0.0, 5.0]))
    bench.engine.step()
    assert bench.state(box).angular_velocity == pytest.approx(torque * 1e-3 / moments, rel=1e-3)


@pytest.mark.parametrize(
    ('geometry', 'low'),
    [
        ('<box size="0.2 0.2 0.2"/>', 0.08),
        ('<sphere radius="0.1"/>', 0.08),
        ('<cylinder radius="0.1" length="0.2"/>', 0.08),
        ('<capsule radius="0.05" length="0.1"/>', 0.08),
    ],
)
def test_a_robot_rests_on_its_layer(start, geometry, low):
    """Each primitive of a URDF floats by the layer, or with preshrink not, within 50 µm.

    Where the engine gives a shape a margin of its own, here up to 1 mm, that stays.
    """
    heights = []
    for padding, preshrink in ((0.0, False), (LAYER, False), (LAYER, True)):
        bench = start()
        bench.floor()
        spec = RobotSpec('lump', LINK.format(geometry), (), padding=padding, preshrink=preshrink)
        lump = bench.engine.load(spec)
        # Turned: a cylinder that is not goes on rocking by some mrad/s on a plane of PyBullet.
        pose = transform(rotation_about((0, 0, 1), 0.4), (0.0, 0.0, low + 0.004))
        bench.engine.place(lump, BodyState.at_rest(pose))
        heights.append(rest(bench, lump))
    assert low - 5e-5 < heights[0] < low + 1.05e-3
    assert heights[1] == pytest.approx(heights[0] + LAYER, abs=5e-5)
    assert heights[2] == pytest.approx(heights[0], abs=5e-5)


def plate(path, size):
    """An OBJ file of a box about the origin."""
    corners = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).T.reshape(-1, 3)
    faces = '1 2 4,1 4 3,5 8 6,5 7 8,1 5 6,1 6 2,3 4 8,3 8 7,1 3 7,1 7 5,2 6 8,2 8 4'
    lines = ['v ' + ' '.join(map(str, corner)) for corner in (corners * size).tolist()]
    lines += ['f ' + face for face in faces.split(',')]
    path.write_text('\n'.join(lines) + '\n')
    return f'<mesh filename="{path}"/>'


def test_a_thin_plate_lies_still(start, tmp_path):
    """A mesh of 0.5 mm with a layer, dropped askew, rests on the layer and does not jitter."""
    mesh = plate(tmp_path / 'plate.obj', (0.2, 0.12, 0.0005))
    bench = start()
    bench.floor()
    thin = bench.engine.load(RobotSpec('thin', LINK.format(mesh), (), padding=LAYER))
    pose = shift(z=0.05) @ transform(rotation_about((1, 0.3, 0), 0.2))
    bench.engine.place(thin, BodyState.at_rest(pose))
    assert rest(bench, thin) == pytest.approx(LAYER + 0.00025 - 0.02, abs=5e-5)
    speeds = []
    for _ in range(300):
        bench.engine.step()
        state = bench.state(thin)
        speeds += [*state.linear_velocity, *(0.1 * state.angular_velocity)]
    assert np.abs(speeds).max() < 1e-4


def test_the_robot_of_a_world_stands_on_its_layer(cube, each_engine):
    """A world with padding holds the robot that much higher from the reset on."""
    for padding in (0.0, 0.004):
        world = World(cube, WorldSettings(padding=padding))
        assert world.measured.base.position[2] == pytest.approx(0.2 + padding, abs=1e-4)
        world.settle(0.5)
        assert world.measure(0.5).base.position[2] == pytest.approx(0.2 + padding, abs=1e-4)
        world.close()


def test_impossible_layers_are_refused(start, tmp_path):
    """A layer that leaves nothing, or no number, is refused by name, and nothing is added."""
    engine = start().engine
    for spec, text in (
        (ObjectSpec('a', Sphere(0.1), 1.0, padding=-1.0), "'a': padding is -1.0 m; expected 0"),
        (ObjectSpec('a', Sphere(0.1), 1.0, padding=np.nan), "'a': padding is nan m; expected"),
        (
            ObjectSpec('a', Sphere(0.1), 1.0, padding=0.1, preshrink=True),
            "'a': a layer of 0.1 m leaves nothing of its Sphere, which is 0.2 m thick",
        ),
        (
            ObjectSpec('a', Plane(), padding=0.1, preshrink=True),
            "'a': a Plane cannot be grown or shrunk by a layer",
        ),
    ):
        with pytest.raises(SoftshellError, match=text):
            engine.add(spec)
    mesh = plate(tmp_path / 'plate.obj', (0.2, 0.1, 0.1))
    with pytest.raises(SoftshellError, match="'lump/lump': a mesh cannot be shrunk by its layer"):
        engine.load(RobotSpec('lump', LINK.format(mesh), (), padding=0.001, preshrink=True))
    assert engine.bodies == {}
