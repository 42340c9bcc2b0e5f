"""Tendons that are held at lengths: at rest as statics say, stable however stiff they are."""

import numpy as np
import pytest
from every_engine import EACH

from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_control.gate import Command
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend
from softshell_sim.soft.body import SoftBody
from softshell_sim.soft.held_tendons import HeldTendons
from softshell_sim.world import World

FINGER = {
    'name': 'finger',
    'actuators': [
        {
            'length': 0.08, 'n_segments': 8, 'arrangement': 'together',
            'link': {'shape': 'capsule', 'dimensions': [0.01, 0.006], 'mass': 0.0015},
            'joints': [
                {'axis': [1.0, 0.0, 0.0], 'stiffness': 0.1, 'damping': 0.003},
                {'axis': [0.0, 1.0, 0.0], 'stiffness': 0.2, 'damping': 0.006},
            ],
        },
    ],
}  # fmt: skip


def around(stiffness, friction=0.0):
    """Three tendons, evenly around a finger, with 20 mm of thread outside of it."""
    discs = np.linspace(0.0, 0.08, 9)
    return [
        Tendon.along(
            f'tendon_{k}', discs, 0.006, 2.0 * np.pi / 3.0 * k, 0.0,
            stiffness=stiffness, outside=0.02, friction=friction,
        )
        for k in range(3)
    ]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize('friction', [0.0, 0.2])
@pytest.mark.parametrize('stiffness', [50.0, 5e3, 5e6])
def test_it_comes_to_rest_where_statics_say(start, stiffness, friction):
    """Two of three pull against each other, the third is slack; threads of rubber and of steel."""
    tendons = around(stiffness, friction)
    form, pose = from_data(ManipulatorForm, FINGER), shift(0.0, 0.0, 0.3)
    soft = SoftBody(start().engine, form, pose, tendons={'finger': tendons})
    lengths = np.array([0.094, 0.0985, 0.12])
    soft.hold('finger', lengths)
    for _ in range(1500):
        soft.apply()
        soft.engine.step()
    soft.read()
    statics = Statics(soft.members['finger'].chain, tendons, gravity=(0.0, 0.0, -9.81), base=pose)
    rest = statics.solve(lengths=dict(zip(statics.routes.names, lengths, strict=True)))
    assert rest.converged
    assert rest.tensions[2] == 0.0
    assert np.linalg.norm(rest.positions) > 0.1
    assert soft.position == pytest.approx(rest.positions, abs=1e-5)
    assert soft.tensions('finger') == pytest.approx(rest.tensions, rel=1e-4, abs=1e-6)
    assert np.abs(soft.velocity).max() < 1e-2


def test_a_thread_that_is_not_stretched_does_not_pull(start):
    """Longer than its way it leaves the finger as it is."""
    form = from_data(ManipulatorForm, FINGER)
    soft = SoftBody(start(gravity=0.0).engine, form, tendons={'finger': around(1e4)})
    soft.hold('finger', [0.101, np.nan, 0.11])
    for _ in range(50):
        soft.apply()
        soft.engine.step()
    soft.read()
    assert not soft.position.any()
    assert not soft.tensions('finger').any()


def test_a_restored_body_with_held_tendons_goes_on_the_same(start):
    """With the states of engine and body it repeats bit for bit, in another engine as well."""
    form = from_data(ManipulatorForm, FINGER)

    def run(soft):
        """Positions and tensions of the next steps; later the tendons are held otherwise."""
        found = []
        for number in range(100):
            if number == 50:
                soft.hold('finger', [0.098, np.nan, np.nan])
                soft.bend('finger', [0.01, 0.0])
            soft.apply()
            soft.engine.step()
            soft.read()
            found.append(np.concatenate([soft.position, soft.tensions('finger')]))
        return np.array(found)

    bodies = [SoftBody(start().engine, form, tendons={'finger': around(2e3)}) for _ in range(2)]
    soft = bodies[0]
    soft.hold('finger', [0.098, 0.0985, np.nan])
    soft.pull('finger', [0.0, 0.0, 0.1])
    for _ in range(30):
        soft.apply()
        soft.engine.step()
    state = soft.engine.save(), soft.save()
    first = run(soft)
    for each in bodies:
        each.engine.restore(state[0])
        each.restore(state[1])
        assert run(each).tobytes() == first.tobytes()


@pytest.mark.parametrize('guess', [0.7, 1.0, 3.0])
def test_a_mass_on_a_thread_swings_as_one_on_a_spring(guess):
    """Also where what is known of its inertia is wrong: period 2π √(m/k), and it comes to rest.

    A mass m hangs on a thread under gravity, and falls from where the thread is just taut; the
    oracle is the closed form of that swing. Steps are a period by 2000.
    """
    mass, modulus, length, gravity = 0.3, 60.0, 0.5, 9.81
    stiff = modulus / length
    period = 2.0 * np.pi * np.sqrt(mass / stiff)
    step = period / 2000.0
    held = HeldTendons(np.array([modulus]))
    held.lengths[:] = length
    fallen, speed, ways = 0.0, 0.0, []
    answer = np.array([[guess / mass]])
    for _ in range(2000):
        taken = np.array([length + fallen])
        speeds = np.array([speed])
        tension = held.pull(taken, np.eye(1), (speeds, speeds), answer, step)[0]
        speed += step * (gravity - tension / mass)
        fallen += step * speed
        ways.append(fallen)
    sag = mass * gravity / stiff
    assert max(ways) == pytest.approx(2.0 * sag, rel=0.02)
    assert np.argmax(ways) * step == pytest.approx(0.5 * period, rel=0.02)
    assert abs(ways[-1]) < 0.1 * sag


def test_what_cannot_be_held_is_named(start):
    """Another number of lengths, none or less of it, and threads that cannot stretch."""
    form = from_data(ManipulatorForm, FINGER)
    soft = SoftBody(start().engine, form, tendons={'finger': around(float('inf'))})
    with pytest.raises(SoftshellError, match=r'lengths of finger are \[0\.1\] m; expected 3'):
        soft.hold('finger', [0.1])
    with pytest.raises(SoftshellError, match='expected 3 numbers above 0'):
        soft.hold('finger', [0.1, 0.1, 0.0])
    with pytest.raises(SoftshellError, match=r"tendon 'tendon_1' of finger.*cannot stretch"):
        soft.hold('finger', [np.nan, 0.1, np.nan])


ROBOT = """
description: A finger whose tendon is wound up
urdf: rig.urdf
base: {link: base, fixed: true}
motors: {}
groups: {finger: {channels: [wind]}}
poses: {slack: {channels: {wind: 0.09}}}
start: slack
channels:
  wind:
    {kind: length, range: [0.05, 0.1], rate: 0.05, acceleration: 1.0, goal_tolerance: 0.001}
soft:
  finger:
    manipulator: finger.yaml
    link: base
    pose: [0, 0, 0.2, 0, 0, 0]
    tendons:
      wind: {radius: 0.006, stiffness: 2000.0}
"""
URDF = """
<robot name="rig"><link name="base"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"""


@pytest.fixture
def written(tmp_path):
    """Folder of a robot with a channel for the length of a tendon."""
    import yaml

    (tmp_path / 'robot.yaml').write_text(ROBOT)
    (tmp_path / 'rig.urdf').write_text(URDF)
    (tmp_path / 'finger.yaml').write_text(yaml.safe_dump(FINGER))
    return tmp_path


@pytest.mark.parametrize('engine', EACH)
def test_a_channel_winds_up_a_tendon(written, engine):
    """From how long it is while nothing is driven, without a jump, to a length; and back."""
    robot = load_robot(written)
    backend = SimBackend(robot, 0.004, WorldSettings(engine=engine, gravity=0.0))
    measured = backend.reset()
    assert measured.channels == pytest.approx([0.08], abs=1e-9)
    measured = backend.activate()
    assert measured.channels == pytest.approx([0.08], abs=1e-9)
    for k in range(500):
        wound = np.array([0.08 - 0.01 * min(k / 250.0, 1.0)])
        measured = backend.step(0, Command(wound, np.zeros(1)))
    soft = backend.world.soft
    assert measured.channels == pytest.approx([0.07])
    tension = soft.tensions('finger')[0]
    assert tension > 1.0
    assert soft.lengths()['wind'] == pytest.approx(0.07 * (1.0 + tension / 2000.0), rel=1e-3)
    state = backend.save()
    ways = []
    for _ in range(2):
        backend.restore(state)
        for _ in range(20):
            backend.step(0, Command(np.array([0.075]), np.zeros(1)))
        ways.append(backend.world.position.copy())
    assert (ways[0] == ways[1]).all()
    backend.world.soft.release()
    backend._driven = False
    for _ in range(500):
        measured = backend.step(0, None)
    assert measured.channels == pytest.approx([0.08], abs=1e-5)
    backend.close()


@pytest.mark.parametrize('engine', EACH)
def test_a_tendon_that_tension_drives_can_be_held_too(written, engine):
    """Its thread stretches, so at rest it is as long as its tension says; then it is released."""
    path = written / 'robot.yaml'
    text = ROBOT.replace('length, range: [0.05, 0.1]', 'tension, range: [0.0, 9.0]')
    text = text.replace(' acceleration: 1.0,', '').replace('{wind: 0.09}', '{wind: 0.0}')
    path.write_text(text)
    world = World(load_robot(written), WorldSettings(engine=engine, gravity=0.0))
    world.soft.hold('finger', [0.07])
    world.simulate(2.0)
    tension = world.soft.tensions('finger')[0]
    assert tension > 1.0
    assert world.soft.lengths()['wind'] == pytest.approx(0.07 * (1.0 + tension / 2000.0), rel=1e-3)
    channels = np.full(1, np.nan)
    world.soft.tell_released(channels)
    assert channels == [0.0]
    world.close()


@pytest.mark.parametrize('engine', EACH)
def test_a_divergence_is_told_as_one_where_a_tendon_is_held(written, engine):
    """With the joint that is at NaN."""
    world = World(load_robot(written), WorldSettings(engine=engine))
    world.soft.hold('finger', [0.07])
    world.engine.place_joints(world.body, np.full(len(world.position), np.nan))
    world.simulate(0.002)
    with pytest.raises(SoftshellError, match=r"diverged .* joint 'finger.*' is at nan"):
        world.measure(0.002)
    world.close()


def test_a_channel_of_length_needs_a_thread_that_stretches(written):
    """Refused when the robot is read."""
    path = written / 'robot.yaml'
    path.write_text(ROBOT.replace(', stiffness: 2000.0', ''))
    with pytest.raises(ProblemsError, match="'wind' is held at a length and cannot stretch"):
        load_robot(written)
