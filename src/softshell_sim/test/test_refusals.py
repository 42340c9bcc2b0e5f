"""What a world refuses, and in which words."""

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_sim.bodies import BodyState, ObjectSpec
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Sphere
from softshell_sim.world import World

INF, NAN = float('inf'), float('nan')


@pytest.fixture(scope='module')
def world():
    world = World(load_robot('arm'))
    yield world
    world.close()


@pytest.mark.parametrize(
    ('name', 'value', 'text'),
    [
        ('physics_step', -1.0, 'physics_step is -1.0 s; expected more than 0, and finite'),
        ('physics_step', 0.0, 'physics_step is 0.0 s'),
        ('physics_step', NAN, 'physics_step is nan s'),
        ('friction', NAN, 'friction is nan; expected 0 or more, and finite'),
        ('friction', -0.1, 'friction is -0.1; expected 0 or more'),
        ('gravity', INF, 'gravity is inf m/s^2; expected 0 or more, and finite'),
        ('gravity', -9.81, 'gravity is -9.81 m/s^2; expected 0 or more'),
        ('restitution', 1.5, 'restitution is 1.5; expected 0 or more, at most 1'),
        ('friction', '0.5', "friction is '0.5'; expected 0 or more, and finite"),
        ('physics_step', None, 'physics_step is None; expected more than 0'),
        ('seed', 1.5, 'seed is 1.5; expected a whole number of 0 or more'),
        ('seed', '1', "seed is '1'; expected a whole number of 0 or more"),
        ('sensors', {'imu': {}}, "sensors is {'imu': {}}; expected sensor_settings({...})"),
        ('sensors', None, 'sensors is None; expected sensor_settings({...})'),
    ],
)
def test_settings_that_no_world_has_are_refused(name, value, text):
    """They are refused before anything starts, with setting, value and range."""
    with pytest.raises(ProblemsError) as caught:
        WorldSettings(**{name: value})
    (problem,) = caught.value.problems
    assert problem.startswith(text)


def test_all_wrong_settings_are_told_at_once():
    """One message lists all wrong settings."""
    with pytest.raises(ProblemsError) as caught:
        WorldSettings(physics_step=0.0, friction=-1.0, restitution=2.0)
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ('pose', 'height', 'problem'),
    [
        (
            np.zeros(5),
            None,
            'pose has the shape (5,); expected (3,), one position for each of shoulder, elbow, '
            'wrist',
        ),
        (0.0, None, 'pose has the shape (); expected (3,), one position for each of shoulder,'),
        ([0.0, NAN, 0.0], None, "pose of 'elbow' is nan; expected a finite number"),
        ([0.0, 9.0, 0.0], None, "joint 'elbow' is at 9; expected -2.4 to 2.4, its limits"),
        (
            'stand',
            None,
            "pose is 'stand'; expected one position for each of shoulder, elbow, wrist",
        ),
        (None, INF, 'height is inf m; expected a finite number'),
        (None, 'x', "height is 'x' m; expected a finite number"),
    ],
)
def test_a_pose_that_the_robot_cannot_have_is_refused(world, pose, height, problem):
    """It is refused by number or by name; the world stays as it was."""
    world.reset()
    before = world.position.copy()
    with pytest.raises(ProblemsError) as caught:
        world.reset(pose, height)
    (told,) = caught.value.problems
    assert told.startswith(problem)
    assert world.measure(0.0).position.tolist() == before.tolist()


@pytest.mark.parametrize('gravity', ['x', None, [0.0, 'b', 1.0], [1.0, 2.0], NAN])
def test_a_gravity_that_is_none_is_refused(world, gravity):
    """With what it is, and what was expected."""
    with pytest.raises(SoftshellError, match=r'gravity is .*; expected one finite number'):
        world.set_gravity(gravity)


def test_after_its_end_a_world_says_so():
    """Every call of a closed world says so, except a second `close`."""
    world = World(load_robot('arm'))
    world.close()
    world.close()
    still = np.zeros(3)
    for call in (
        lambda: world.step(still, still),
        world.coast,
        lambda: world.measure(0.0),
        world.reset,
        lambda: world.settle(0.1),
    ):
        with pytest.raises(SoftshellError, match='the world was closed; make a new one'):
            call()


def test_after_its_end_an_engine_says_so(start):
    """Every method of every closed engine says so in our words."""
    bench = start()
    box, pendulum, engine = bench.box(), bench.pendulum(), bench.engine
    none = np.zeros(0)
    engine.close()
    for call in (
        engine.step,
        engine.save,
        engine.clear,
        lambda: engine.read(box, BodyState()),
        lambda: engine.add(ObjectSpec('ball', Sphere(0.1), 1.0)),
        lambda: engine.contacts(box),
        lambda: engine.remove(box),
        lambda: engine.body('box'),
        lambda: engine.mass(box),
        lambda: engine.read_joints(box, none, none),
        lambda: engine.implicit_mass(pendulum),
    ):
        with pytest.raises(SoftshellError, match='closed'):
            call()
