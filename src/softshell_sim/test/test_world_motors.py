"""Motors that lose something, in a world, against closed forms."""

import dataclasses

import numpy as np
import pytest

from softshell_description.motor_form import ThermalSpec
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import BodyState
from softshell_sim.changing.changes import Place
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

GRAVITY = 9.81
#: Of the swing of the arm in conftest.py, the slide at 0.02 m: inertia, and moment when level.
INERTIA = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * 0.27**2
MOMENT = GRAVITY * (0.4 * 0.1 + 0.2 * 0.27)


@pytest.fixture
def make(each_engine):
    """Function: a world of a robot whose motors are also like this; closed after the test."""
    worlds = []

    def begin(robot, motor='turner', **also):
        spec = robot.motors[motor].model_copy(update=also)
        changed = dataclasses.replace(robot, motors=robot.motors | {motor: spec})
        worlds.append(World(changed, WorldSettings(engine=each_engine)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()


def coast(world, seconds):
    for _ in range(round(seconds / world.settings.physics_step)):
        world.coast()
    return world.measure(seconds)


def test_friction_leaves_an_error_that_the_integral_takes_away(make, arm):
    """Without ki the swing sticks within friction/kp of where its weight would leave it."""
    world = make(arm, dry_friction=0.3)
    target = np.array([0.5, 0.02])
    for _ in range(3000):
        world.step(target, np.zeros(2))
    moment = MOMENT * np.cos(world.position[0])
    off = 40.0 * (world.position[0] - 0.5)
    assert moment - 0.3 - 0.02 < off < moment + 0.3 + 0.02
    assert np.abs(world.velocity).max() < 1e-4


def test_a_rotor_is_accelerated_with_the_arm(make, arm):
    """Falling begins with m g r h / (I + J), and gains may be as high as I + J bears."""
    world = make(arm, rotor_inertia=0.03)
    coast(world, 0.001)
    assert world.velocity[0] == pytest.approx(MOMENT * 1e-3 / (INERTIA + 0.03), rel=1e-3)


def test_a_rotor_that_slides_is_mujocos_alone(make, arm, each_engine):
    """There it falls along with (m g sin θ) / (m + J); PyBullet refuses it by name."""
    if each_engine == 'pybullet':
        with pytest.raises(SoftshellError, match="prismatic joint 'reach' has a rotor_inertia"):
            make(arm, 'pusher', rotor_inertia=0.5)
        return
    world = make(arm, 'pusher', rotor_inertia=0.5)
    world.reset(np.array([1.0, 0.02]))
    coast(world, 0.001)
    expected = -0.2 * GRAVITY * -np.sin(1.0) * 1e-3 / (0.2 + 0.5)
    assert world.velocity[1] == pytest.approx(expected, rel=1e-3)


def test_viscous_friction_beyond_what_a_step_bears_is_limited(make, arm):
    """It is limited to c = I/(4 h), and told; the joint sinks by m g r / c a second."""
    world = make(arm, viscous_friction=100.0)
    told = f'100 limited to {INERTIA / 0.004:.3g}: swing'
    assert world.control.limited['viscous friction'] == told
    coast(world, 0.05)
    assert world.velocity[0] == pytest.approx(MOMENT / (INERTIA / 0.004), rel=0.03)


def test_heat_is_measured_and_slows_the_joint(make, arm):
    """A motor that holds τ warms as (R loss τ²)(1 − exp(−t/RC)); the other is not modelled."""
    heat = ThermalSpec(loss=20.0, resistance=4.0, capacity=0.5, derate_from=40.0, limit=200.0)
    world = make(arm, thermal=heat)
    assert world.measured.temperature == pytest.approx([25.0, np.nan], nan_ok=True)
    for _ in range(2000):
        world.step(np.array([0.0, 0.02]), np.zeros(2))
    measured = world.measure(2.0)
    effort = abs(world.drives.motor_effort[0])
    warm = 25.0 + 4.0 * 20.0 * effort**2 * (1.0 - np.exp(-2.0 / 2.0))
    assert measured.temperature[0] == pytest.approx(warm, rel=0.03)
    left = (200.0 - measured.temperature[0]) / 160.0
    assert measured.derating == pytest.approx([min(left, 1.0), 1.0])
    world.reset()
    assert world.measured.temperature[0] == 25.0


def test_nothing_is_measured_of_heat_that_is_not_modelled(make, arm):
    """Neither temperatures nor derating."""
    world = make(arm)
    assert (world.measured.temperature, world.measured.derating) == (None, None)


def test_a_robot_that_is_put_elsewhere_goes_on_to_where_its_motors_were_to_be(each_engine, arm):
    """If any joint is placed, all are held where they are."""
    world = World(arm)
    world.hold()
    target = np.array([0.3, 0.05])
    world.targets.hold(target)
    world.apply([Place('robot', BodyState())])
    assert world.targets.position == pytest.approx(target)
    world.apply([Place('robot', joints={'swing': 0.1})])
    assert world.targets.position == pytest.approx([0.1, world.position[1]])
    world.close()
