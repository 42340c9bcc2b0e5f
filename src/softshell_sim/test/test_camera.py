"""What cameras see, against projection by hand."""

import numpy as np
import pytest
from every_engine import EACH

from softshell_kinematics.errors import UnknownNameError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Place
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.scenes.terrain import ramp, rubble, stairs
from softshell_sim.sensing.camera import OPTICAL, SKY, View
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Capsule, Cylinder, HeightField, Plane, Sphere
from softshell_sim.world import World

#: The camera is 0.3 m above the origin and looks along x, unless it is said otherwise.
LEVEL = shift(z=0.3) @ transform(OPTICAL)


def view(pose=LEVEL, width=160, height=120, near=0.02, far=20.0):
    return View(pose, width, height, 1.0, near, far)


@pytest.mark.parametrize('offset', [(0.0, 0.0), (0.07, -0.03), (-0.123, 0.081)])
def test_a_box_covers_the_pixels_of_its_projection(start, offset):
    """A face 1 m ahead: its edges are within half a pixel of f Y/X, its depth within 1 %."""
    engine, (y, z) = start().engine, offset
    engine.add(ObjectSpec('box', Box((0.2, 0.3, 0.4)), 1.0, shift(1.1, y, 0.3 + z)))
    seen = view()
    depth = engine.picture(seen).depth
    rows, columns = np.nonzero(depth < 1.01)
    focal, middle = 80.0 / np.tan(0.5), (79.5, 59.5)
    assert seen.intrinsics.tolist() == [[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]]
    edges = [columns.min() - 0.5, columns.max() + 0.5, rows.min() - 0.5, rows.max() + 0.5]
    wanted = [
        middle[0] - focal * (y + 0.15),
        middle[0] - focal * (y - 0.15),
        middle[1] - focal * (z + 0.2),
        middle[1] - focal * (z - 0.2),
    ]
    assert edges == pytest.approx(wanted, abs=0.51)
    inside = depth[rows.min() + 1 : rows.max(), columns.min() + 1 : columns.max()]
    assert inside == pytest.approx(1.0, rel=0.01)
    assert np.isinf(depth[:, 0]).all()


def test_depth_of_the_floor_is_that_of_a_plane(start):
    """In row v of a level camera at height h the floor is at h f/(v − cy), up to the horizon."""
    engine = start().engine
    engine.add(ObjectSpec('floor', Plane()))
    seen = view()
    picture = engine.picture(seen)
    rows = np.arange(120)
    wanted = 0.3 * seen.focal_length / (rows - 59.5)
    below = (rows > 60) & (wanted < 19.0)
    for column in (0, 80, 159):
        assert picture.depth[below, column] == pytest.approx(wanted[below], rel=0.01)
    assert np.isinf(picture.depth[rows < 59]).all()
    assert (picture.rgb[rows < 59] == SKY).all()
    assert (picture.rgb[below] != SKY).any(axis=2).all()


def test_depth_is_along_the_axis_and_not_along_the_ray(start):
    """A camera that looks straight down at a plane sees one depth everywhere."""
    engine = start().engine
    engine.add(ObjectSpec('floor', Plane()))
    down = shift(0.2, -0.4, 0.7) @ transform(rotation_about((0, 1, 0), np.pi / 2) @ OPTICAL)
    assert engine.picture(view(down)).depth == pytest.approx(0.7, rel=0.01)


def test_pictures_are_not_mirrored_nor_upside_down(start):
    """What is to the left of the camera, y > 0, is left of the middle, and what is up is up."""
    engine = start().engine
    engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(1.0, 0.3, 0.5)))
    rows, columns = np.nonzero(np.isfinite(engine.picture(view()).depth))
    focal = view().focal_length
    assert columns.mean() == pytest.approx(79.5 - 0.3 * focal, abs=1.5)
    assert rows.mean() == pytest.approx(59.5 - 0.2 * focal, abs=1.5)
    radius = np.sqrt(len(rows) / np.pi)
    assert radius == pytest.approx(0.1 * focal, rel=0.1)


def test_what_is_too_near_or_too_far_is_not_seen(start):
    """A near thing lets see what is behind it, and nothing is seen beyond the far end."""
    engine = start().engine
    engine.add(ObjectSpec('near', Box((0.02, 4.0, 4.0)), 1.0, shift(0.2, 0.0, 0.3)))
    engine.add(ObjectSpec('wall', Box((0.2, 8.0, 8.0)), 1.0, shift(2.1, 0.0, 0.3)))
    assert engine.picture(view()).depth == pytest.approx(0.19, rel=0.01)
    assert engine.picture(view(near=0.5)).depth == pytest.approx(2.0, rel=0.01)
    assert np.isinf(engine.picture(view(near=0.5, far=1.5)).depth).all()


def test_pictures_follow_bodies(start):
    """After a box was removed, nothing is there."""
    engine = start().engine
    box = engine.add(ObjectSpec('box', Box((0.2, 0.2, 0.2)), 1.0, shift(1.0, 0.0, 0.3)))
    assert np.isfinite(engine.picture(view()).depth).any()
    engine.remove(box)
    assert np.isinf(engine.picture(view()).depth).all()


@pytest.mark.parametrize('shape', [Box((0.2, 0.3, 0.4)), Cylinder(0.1, 0.4)])
@pytest.mark.parametrize('preshrink', [False, True])
def test_layers_are_seen_in_pybullet_alone(each_engine, shape, preshrink):
    """Its picture is of the layer; MuJoCo's is of the shape, which `preshrink` makes smaller."""
    engine = make_engine(each_engine, EngineSettings(0.001, 9.81, window=False))
    pose = shift(1.1, z=0.3)
    engine.add(ObjectSpec('thing', shape, 1.0, pose, padding=0.02, preshrink=preshrink))
    layer = 0.02 if each_engine == 'pybullet' else 0.0
    wanted = 1.0 - layer + (0.02 if preshrink else 0.0)
    assert engine.picture(view()).depth.min() == pytest.approx(wanted, abs=1e-3)
    engine.close()


@pytest.mark.needs('pybullet')
@pytest.mark.parametrize(
    ('shape', 'within', 'part'),
    [
        (Box((0.2, 0.3, 0.4)), 0.01, 0.0),
        (ramp(0.3, 1.0, 0.8), 0.01, 0.0),
        (stairs(3, 0.1, 0.2, 0.8), 0.01, 0.0),
        (Cylinder(0.15, 0.4), 0.02, 0.01),
        (Sphere(0.2), 0.03, 0.015),
        (Capsule(0.1, 0.3), 0.05, 0.01),
        (HeightField(rubble((1.0, 1.0), 0.2, 0.1).heights, (1.0, 1.0)), 0.01, 0.07),
        (rubble((1.0, 1.0), 0.02, 0.1), 0.01, 0.005),
    ],
    ids=lambda value: type(value).__name__,
)
def test_engines_agree_on_every_shape(shape, within, part):
    """Both renderers give one depth where surfaces are flat, and nearly so on their polyhedra for
    what is round; at steep edges of heights some pixels see by on the other side. Blocks are a
    field for one and boxes for the other, half as high apart as they are where they end."""
    down = transform(rotation_about((0, 1, 0), np.pi / 2 - 0.3) @ OPTICAL)
    seen, depths = view(shift(0.1, 0.05, 1.5) @ down), []
    for name in ('mujoco', 'pybullet'):
        engine = make_engine(name, EngineSettings(0.001, 9.81, window=False))
        engine.add(ObjectSpec('floor', Plane()))
        bare = engine.picture(seen).depth
        engine.add(ObjectSpec('shape', shape, 0.0, shift(0.4, 0.0, 0.3)))
        depths.append(engine.picture(seen).depth)
        assert (depths[-1] < 0.9 * bare).mean() > 0.03
        engine.close()
    one, other = depths
    assert (np.abs(one - other) > within * one).mean() <= part


@pytest.fixture(params=EACH)
def eye(request, arm):
    """Function: the world of an arm with a camera on the slide, of these settings."""
    worlds = []

    def begin(seed=0, **settings):
        camera = {'link': 'slide', 'width': 40, 'height': 30} | settings
        sensors = sensor_settings({'cameras': {'eye': camera}})
        worlds.append(World(arm, WorldSettings(engine=request.param, sensors=sensors, seed=seed)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()


def test_a_camera_goes_with_its_link(eye):
    """On the slide at the end of the arm it is ahead of it: a wall comes nearer as it moves."""
    world = eye(xyz=[0.06, 0.0, 0.0])
    wall = ObjectSpec('wall', Box((0.2, 9.0, 9.0)), 0.0, shift(2.1, 0.0, 0.0))
    world.engine.add(wall)
    for time, reach in enumerate((0.0, 0.04, 0.1)):
        world.cameras.begin()
        world.engine.place_joints(world.body, np.array([0.0, reach]))
        taken, picture = world.picture('eye')
        assert taken == 0.0, time
        # The base link stands at the origin, and the arm reaches along its x.
        assert picture.depth[15] == pytest.approx(2.0 - 0.2 - reach - 0.06, rel=0.01)


def test_a_robot_that_was_placed_sees_what_is_there(eye):
    """The first picture after it is new, even where no time has passed since the last one."""
    world = eye(rate=1.0, delay=0.5, xyz=[0.06, 0.0, 0.0])
    world.engine.add(ObjectSpec('wall', Box((0.2, 9.0, 9.0)), 0.0, shift(2.1)))
    for reach in (0.04, 0.1):
        world.apply([Place('robot', joints={'swing': 0.0, 'reach': reach})])
        depth = world.picture('eye')[1].depth
        assert depth[15] == pytest.approx(2.0 - 0.2 - reach - 0.06, rel=0.01)


def test_pictures_come_at_their_rate_and_late(eye):
    """At 20 Hz and 30 ms late each picture is shown from 30 to 80 ms after it was taken."""
    world = eye(rate=20.0, delay=0.03)
    target, rates = world.position.copy(), np.zeros(2)
    seen = []
    for _ in range(100):
        for _ in range(4):
            world.step(target, rates)
        seen.append((world.time, world.picture('eye')[0]))
    ages = np.array([time - taken for time, taken in seen[30:]])
    assert ages.min() == pytest.approx(0.03, abs=0.004)
    assert ages.max() == pytest.approx(0.08, abs=0.004)
    assert len({taken for _, taken in seen}) == pytest.approx(0.37 * 20, abs=1)


def test_pictures_have_noise_of_their_seed(eye):
    """Colours and depth have the deviations of the settings; a reset repeats, a seed differs."""
    settings = {'noise': 5.0, 'depth_noise': 0.02, 'xyz': [0.06, 0.0, 0.0]}
    # Down, so that the floor fills the picture: nothing is clipped.
    settings['rpy'] = [0.0, np.pi / 2, 0.0]
    world = eye(**settings)

    def low(world):
        """The camera's picture from 0.5 m above the floor."""
        world.reset(height=0.5)
        world.engine.place_joints(world.body, np.zeros(2))
        return world.picture('eye')[1]

    exact, noisy, again = (
        low(eye(xyz=settings['xyz'], rpy=settings['rpy'])),
        low(world),
        low(world),
    )
    other = low(eye(seed=3, **settings))
    error = noisy.depth - exact.depth
    assert error.std() == pytest.approx(0.02, rel=0.1)
    assert abs(error.mean()) < 4 * 0.02 / error.size**0.5
    middle = (exact.rgb > 30) & (exact.rgb < 225)
    assert middle.sum() > 500
    colours = (noisy.rgb.astype(float) - exact.rgb)[middle]
    assert colours.std() == pytest.approx(np.hypot(5.0, 1 / 12**0.5), rel=0.1)
    assert again.rgb.tobytes() == noisy.rgb.tobytes()
    assert again.depth.tobytes() == noisy.depth.tobytes()
    assert abs(np.corrcoef(error.ravel(), (other.depth - exact.depth).ravel())[0, 1]) < 0.12


def test_no_depth_is_negative_whatever_its_noise(eye):
    """A wall as near as the noise is large: some depths are 0, and none is less."""
    world = eye(depth_noise=0.1, xyz=[0.06, 0.0, 0.0], near=0.01)
    world.engine.add(ObjectSpec('wall', Box((0.2, 9.0, 9.0)), 0.0, shift(0.46)))
    world.engine.place_joints(world.body, np.zeros(2))
    depth = world.picture('eye')[1].depth
    assert depth.min() == 0.0
    assert depth.mean() == pytest.approx(0.1 * 1.0833, rel=0.1)


def test_a_camera_goes_on_after_restore_as_after_save(eye):
    """Pictures that wait and the noise of further ones come back."""
    world = eye(rate=50.0, delay=0.03, noise=5.0, depth_noise=0.1)
    world.engine.add(ObjectSpec('wall', Box((0.2, 9.0, 9.0)), 0.0, shift(2.1)))
    target, rates = world.position.copy(), np.zeros(2)
    for _ in range(70):
        world.step(target, rates)
        world.picture('eye')
    state, runs = world.save(), []
    for _ in range(2):
        world.restore(state)
        seen = []
        for _ in range(70):
            world.step(target, rates)
            taken, picture = world.picture('eye')
            seen.append((taken, picture.rgb.tobytes(), picture.depth.tobytes()))
        runs.append(seen)
    assert len({taken for taken, _, _ in runs[0]}) == pytest.approx(4, abs=1)
    assert runs[0] == runs[1]


def test_looking_changes_nothing(eye):
    """A world moves the same, bit for bit, whether pictures are taken or not."""
    rows = []
    for looks in (True, False):
        world = eye(rate=1000.0)
        target = world.position + [0.5, 0.01]
        for _ in range(50):
            world.step(target, np.zeros(2))
            if looks:
                world.picture('eye')
        rows.append(np.concatenate([world.position, world.velocity]))
    assert rows[0].tobytes() == rows[1].tobytes()


def test_an_unknown_camera_is_named(eye):
    """With those that there are."""
    with pytest.raises(UnknownNameError, match="unknown camera 'nose'; known: eye"):
        eye().picture('nose')
