"""Robots, and a bench for engines, that the tests of this package share."""

import sys
from pathlib import Path

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Plane
from softshell_sim.world import World

sys.path.insert(0, str(Path(__file__).parent))  # the rigs

from every_engine import EACH

STEP, GRAVITY = 0.001, 9.81
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02
#: A body on a hinge about y at the origin; it hangs down at 0. Limited to 2 rad each way.
PENDULUM = f"""
<robot name="pendulum">
  <link name="mount"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="bob"><inertial><origin xyz="0 0 {-LENGTH}"/><mass value="{MASS}"/>
    <inertia ixx="{MOMENT}" iyy="{MOMENT}" izz="{MOMENT}" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 {-LENGTH}"/><geometry><sphere radius="0.05"/></geometry>
    </collision></link>
  <joint name="hinge" type="revolute"><parent link="mount"/><child link="bob"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>
"""

#: Two links on a pedestal that is fixed to the ground; the base link is a frame on the pedestal.
ARM_URDF = """
<robot name="tiny_arm">
  <link name="pedestal"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="plate"/>
  <link name="upper"><inertial><origin xyz="0.1 0 0"/><mass value="0.4"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.04"/></geometry></visual></link>
  <link name="slide"><inertial><origin xyz="0.05 0 0"/><mass value="0.2"/>
    <inertia ixx="5e-4" iyy="5e-4" izz="5e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="0.03"/></geometry></visual></link>
  <joint name="mount" type="fixed"><parent link="pedestal"/><child link="plate"/>
    <origin xyz="0 0 0.3" rpy="0 0 1.5707963267948966"/></joint>
  <joint name="swing" type="revolute"><parent link="plate"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="3" velocity="6"/></joint>
  <joint name="reach" type="prismatic"><parent link="upper"/><child link="slide"/>
    <origin xyz="0.2 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="20" velocity="1"/></joint>
</robot>
"""
ARM_YAML = """
description: A swing and a slide, for tests
urdf: tiny_arm.urdf
base: {link: plate, fixed: true}
motors: {turner: {effort: 3.0, velocity: 6.0}, pusher: {effort: 20.0, velocity: 1.0}}
groups:
  turning: {gains: {kp: 40.0, kd: 0.5}, goal_tolerance: 0.05, joints: {swing: turner}}
  pushing: {gains: {kp: 2000.0, kd: 20.0}, goal_tolerance: 0.01, joints: {reach: pusher}}
poses:
  level: {joints: {swing: 0.0, reach: 0.02}}
  up: {joints: {swing: -1.0, reach: 0.08}}
start: level
"""
#: A cube of 0.2 m and 1.5 kg without joints; the base link is a frame on its top.
CUBE_URDF = """
<robot name="cube">
  <link name="cube"><inertial><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="lid"/>
  <joint name="top" type="fixed"><parent link="cube"/><child link="lid"/>
    <origin xyz="0 0 0.1"/></joint>
</robot>
"""
CUBE_YAML = """
description: A free box, for tests
urdf: cube.urdf
base: {link: lid}
motors: {}
groups: {}
poses: {still: {joints: {}}}
start: still
"""


def write_robot(folder, name, urdf, yaml):
    """A robot read from a folder of its own."""
    (folder / name).mkdir()
    (folder / name / f'{name}.urdf').write_text(urdf)
    (folder / name / 'robot.yaml').write_text(yaml)
    return load_robot(folder / name)


@pytest.fixture(scope='session')
def robot():
    """Shell."""
    return load_robot()


@pytest.fixture
def arm(tmp_path):
    """A fixed arm of two joints, one of which slides."""
    return write_robot(tmp_path, 'tiny_arm', ARM_URDF, ARM_YAML)


@pytest.fixture
def cube(tmp_path):
    """A free box without joints."""
    return write_robot(tmp_path, 'cube', CUBE_URDF, CUBE_YAML)


class Bench:
    """An engine, and what tests do with it again and again."""

    def __init__(self, name, gravity, time_step=STEP):
        self.engine = make_engine(name, EngineSettings(time_step, gravity, window=False))

    def run(self, seconds):
        """Let time pass."""
        for _ in range(round(seconds / self.engine.time_step)):
            self.engine.step()

    def state(self, body):
        """State of the root link of a body."""
        state = BodyState()
        self.engine.read(body, state)
        return state

    def joints(self, body):
        """Positions and velocities of the joints of a body."""
        position, velocity = np.zeros(len(body.joints)), np.zeros(len(body.joints))
        self.engine.read_joints(body, position, velocity)
        return position, velocity

    def floor(self, surface=None):
        """A floor at z = 0."""
        return self.engine.add(ObjectSpec('floor', Plane(), surface=surface or Surface()))

    def box(self, pose=None, surface=None):
        """A cube of 0.2 m and 2 kg, by default on the floor."""
        pose = shift(z=0.1) if pose is None else pose
        shape = Box((0.2, 0.2, 0.2))
        return self.engine.add(ObjectSpec('box', shape, 2.0, pose, surface or Surface()))

    def pendulum(self, angle=0.0, height=5.0, rotor=(), springs=None, dynamics='', fixed=True):
        """A pendulum of LENGTH, MASS and MOMENT that hangs from a mount, fixed or not."""
        text = PENDULUM.replace('<axis', f'{dynamics}<axis')
        spec = RobotSpec(
            'pendulum', text, ('hinge',), fixed=fixed, rotor_inertia=rotor, springs=springs
        )
        body = self.engine.load(spec)
        self.engine.place(body, BodyState(np.array([0.0, 0.0, height])))
        self.engine.place_joints(body, np.array([angle]))
        return body


@pytest.fixture(scope='module', params=EACH)
def each_engine(request):
    """Every engine in turn as the one that worlds have where none is named; its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('softshell_sim.settings.default_engine', lambda: request.param)
        yield request.param


@pytest.fixture(params=EACH)
def start(request):
    """Function: the bench of a running engine with this gravity [m/s^2]."""
    benches = []

    def begin(gravity=GRAVITY, time_step=STEP):
        benches.append(Bench(request.param, gravity, time_step))
        return benches[-1]

    yield begin
    for bench in benches:
        bench.engine.close()


@pytest.fixture
def make():
    """Function: a world of a robot and settings, closed after the test."""
    worlds = []

    def begin(robot, **settings):
        worlds.append(World(robot, WorldSettings(**settings)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()
