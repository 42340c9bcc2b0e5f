"""Time that passes without physics, and what physics finds after it."""

import dataclasses

import numpy as np
import pytest

from softshell_description.config import Gains
from softshell_description.load import load_robot
from softshell_sim.changing.changes import Place
from softshell_sim.changing.drive import Drive
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')


@pytest.fixture
def world(cube):
    """A free box of 1.5 kg as the robot, on the floor."""
    world = World(cube)
    yield world
    world.close()


def test_kinematic_time_passes_without_physics(arm):
    """Joints are exactly where they are to be, with the rates that they have."""
    world = World(arm)
    world.kinematic = True
    world.simulate(0.1, np.array([-0.3, 0.05]), np.array([-3.0, 0.3]))
    measured = world.measure(0.1)
    assert measured.position == pytest.approx([-0.3, 0.05])
    assert measured.velocity == pytest.approx([-3.0, 0.3])
    assert world.time == pytest.approx(0.1)
    world.close()


def test_joints_stay_in_kinematic_time_whatever_their_encoders_show(arm, make):
    """Motors that know positions with a bias stay where they are held, also at a limit."""
    position = {'bias': {'swing': 0.2, 'reach': -0.01}}
    sensors = sensor_settings({'joints': {'at_motors': True, 'position': position}})
    world = make(arm, sensors=sensors)
    world.apply([Place('robot', joints={'swing': 2.0, 'reach': 0.03})])
    world.kinematic = True
    for _ in range(3):
        world.hold()
        world.simulate(0.01)
    world.measure(0.01)
    assert world.position == pytest.approx([2.0, 0.03], abs=1e-12)
    world.simulate(0.01, np.array([1.2, 0.04]))
    assert world.measure(0.01).position == pytest.approx([1.2, 0.04], abs=1e-12)


def test_kinematic_time_leaves_the_control_ready(arm):
    """Implicit control knows the inertias of its joints when physics begins."""
    world = World(arm, WorldSettings(pd='implicit', gravity=0.0))
    world.kinematic = True
    world.simulate(0.504, world.position + [0.3, 0.0])
    assert not np.array_equal(world.drives.stable.mass, np.eye(2))
    world.close()


def test_stiff_joints_with_dry_friction_rest_after_kinematic_time(make):
    """An arm with thousandfold gains sinks a little, and stays."""
    arm = load_robot('arm')
    rough = {n: spec.model_copy(update={'dry_friction': 0.5}) for n, spec in arm.motors.items()}
    world = make(dataclasses.replace(arm, motors=rough), pd='implicit')
    own = {name: group.gains for name, group in arm.groups.items()}
    world.set_gains({n: Gains(kp=1e3 * g.kp, kd=1e3**0.5 * g.kd) for n, g in own.items()})
    world.kinematic = True
    world.simulate(0.504)
    world.kinematic = False
    speeds = []
    for _ in range(100):
        world.simulate(0.001)
        speeds.append(np.abs(world.measure(0.001).velocity).max())
    assert max(speeds) < 0.5
    assert speeds[-1] < 1e-3


def test_commands_from_before_kinematic_time_are_not_done_after_it(arm):
    """Motors that are 10 ms late stay where kinematic time has put their joints."""
    late = {name: spec.model_copy(update={'delay': 0.01}) for name, spec in arm.motors.items()}
    world = World(dataclasses.replace(arm, motors=late), WorldSettings(gravity=0.0))
    world.simulate(0.1, np.array([0.5, 0.05]))
    world.kinematic = True
    world.simulate(0.1, np.array([-0.5, 0.05]))
    world.kinematic = False
    world.simulate(0.02)
    assert np.abs(world.measure(0.02).velocity).max() < 1e-6
    world.close()


def test_a_base_rests_in_kinematic_time_and_begins_anew_after_it(world):
    """A box that fell stands in the air; then it falls from rest."""
    world.reset(height=3.0)
    world.simulate(0.1)
    assert world.measure(0.1).base.linear_velocity[2] < -0.9
    world.kinematic = True
    before = world.scene.state('robot').position
    world.simulate(1.0)
    assert world.measure(1.0).base.linear_velocity == pytest.approx(np.zeros(3), abs=1e-12)
    assert world.scene.state('robot').position == pytest.approx(before, abs=1e-12)
    world.kinematic = False
    world.simulate(0.01)
    assert world.measure(0.01).base.linear_velocity[2] == pytest.approx(-0.0981, rel=1e-3)


def test_a_driven_base_keeps_its_velocity_in_kinematic_time(world):
    """Its path waits, and goes on after it."""
    goal = [0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0]
    world.apply([Drive('robot', [1.0], [goal])])
    world.simulate(0.5)
    speed = world.measure(0.5).base.linear_velocity[2]
    assert speed == pytest.approx(1.0, abs=0.01)
    world.kinematic = True
    world.simulate(0.5)
    assert world.measure(0.5).base.linear_velocity[2] == pytest.approx(speed)
