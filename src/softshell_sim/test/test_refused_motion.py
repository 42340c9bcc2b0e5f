"""What cannot be asked of a world: times, targets and joints, refused before anything happens."""

import numpy as np
import pytest

from softshell_common.bridge_mode import BridgeMode
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.trajectories.follower import FollowerSettings
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.changing.changes import Place, Spawn
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Sphere
from softshell_sim.sim_backend import SimBackend
from softshell_sim.world import World

NAN, INF = np.nan, np.inf
#: A wheel that turns for ever beside a lever that does not.
ROTARY = """
<robot name="rotary">
  <link name="mount"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="wheel"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lever"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="mount"/><child link="wheel"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="pull" type="revolute"><parent link="mount"/><child link="lever"/>
    <axis xyz="0 0 1"/><limit lower="-0.5" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def world(arm, each_engine):
    """A fixed arm whose swing reaches 2 rad each way, and whose slide 0 to 0.1 m."""
    world = World(arm, WorldSettings(engine=each_engine))
    yield world
    world.close()


def joints(world):
    """(2, 2) positions and velocities of the arm."""
    found = np.zeros((2, 2))
    world.engine.read_joints(world.body, *found)
    return found


TIMES = [-1.0, 0.0, NAN, INF]
TARGETS = [
    [NAN, 0.0], [0.0, INF], [0.0], [0.0, 0.0, 0.0], [[0.0, 0.0]], 'up', [None, 0.0], 0.5,
]  # fmt: skip


def test_a_joint_is_not_placed_at_what_is_no_number(world):
    """It is named with what was given; the arm stays as it is."""
    before = joints(world)
    with pytest.raises(ProblemsError, match="joint 'swing' is at a; expected a finite position"):
        world.apply([Place('robot', joints={'swing': 'a'})])
    assert (joints(world) == before).all()


def test_times_and_targets_that_are_none(world):
    """Each is named with what was expected; time, joints and targets stay as they were."""
    good = np.array([0.2, 0.05])
    world.simulate(0.01, good)
    before, time = joints(world).tobytes(), world.time
    step, targets = world.engine.time_step, world.targets.save()
    for seconds in TIMES:
        with pytest.raises(SoftshellError, match=f'seconds is {seconds}; expected more than 0'):
            world.simulate(seconds, good + 0.1)
    for wrong in TARGETS:
        for call, name in (
            (lambda wrong=wrong: world.simulate(0.00251, wrong), 'position'),
            (lambda wrong=wrong: world.simulate(0.00251, good, wrong), 'velocity'),
            (lambda wrong=wrong: world.step(wrong, good), 'position'),
            (lambda wrong=wrong: world.step(good, wrong), 'velocity'),
        ):
            with pytest.raises(SoftshellError, match=f'target {name} is .*; expected 2 finite'):
                call()
    assert (joints(world).tobytes(), world.time) == (before, time)
    assert world.engine.time_step == step
    assert np.array_equal(world.targets.save(), targets)


def test_a_reset_brings_the_step_back(world):
    """After a period that no step divides and a reset, one step takes the physics step."""
    world.simulate(0.00251)
    assert world.engine.time_step < world.settings.physics_step
    world.reset()
    world.step(world.position.copy(), np.zeros(2))
    assert world.time == world.settings.physics_step


def test_joints_are_placed_within_their_limits(world):
    """50 rad are refused with the limits, for the robot and for others; a limit is accepted."""
    before = joints(world).tobytes()
    for name, position, limits in (('swing', 50.0, '-2 to 2'), ('reach', -0.01, '0 to 0.1')):
        match = f'joint {name!r} is at {position:g}; expected {limits}, its limits'
        with pytest.raises(ProblemsError, match=match):
            world.apply([Place('robot', joints={name: position})])
    assert joints(world).tobytes() == before
    rotary = RobotSpec('rotary', ROTARY, ('turn', 'pull'), fixed=True)
    with pytest.raises(ProblemsError, match=r"'pull' is at 1\.1; expected -0\.5 to 1"):
        world.apply([Spawn(rotary), Place('rotary', joints={'turn': 50.0, 'pull': 1.1})])
    assert 'rotary' not in world.engine.bodies
    world.apply([Spawn(rotary), Place('rotary', joints={'turn': 50.0, 'pull': 1.0})])
    world.apply([Place('robot', joints={'swing': 2.0, 'reach': 0.0})])
    assert joints(world)[0] == pytest.approx([2.0, 0.0])
    ball = Spawn(ObjectSpec('ball', Sphere(0.1), 1.0, shift(z=3.0)))
    with pytest.raises(ProblemsError, match="unknown joint 'swing'"):
        world.apply([ball, Place('ball', joints={'swing': 0.0})])


def test_kinematic_motion_ends_at_the_limits(world):
    """A target of 9 rad brings a joint to its limit, where it rests; others go all their way."""
    world.kinematic = True
    world.simulate(0.02, np.array([9.0, 0.06]), np.array([1.0, 0.3]))
    assert joints(world) == pytest.approx(np.array([[2.0, 0.06], [0.0, 0.3]]))


def test_kinematic_motion_is_without_forces(robot, each_engine):
    """Feet that were on the floor report no contact and motors no effort."""
    world = World(robot, WorldSettings(engine=each_engine))
    world.settle(0.3)
    assert world.measure(0.3).contacts.force.any()
    world.kinematic = True
    world.simulate(0.02)
    measured = world.measure(0.02)
    assert not measured.contacts.force.any()
    assert not measured.contacts.touching.any()
    assert not measured.effort.any()
    world.close()


def test_a_bridge_faults_where_the_simulation_diverged(arm, each_engine):
    """The period after a joint became NaN ends in a fault that names the joint."""
    backend = SimBackend(arm, 0.004, WorldSettings(engine=each_engine))
    core = BridgeCore(backend, limits_of(arm), 0.004, FollowerSettings())
    core.activate()
    core.tick()
    assert core.mode is BridgeMode.HOLDING
    backend.world.engine.place_joints(backend.world.body, np.array([NAN, 0.0]))
    core.tick()
    assert core.mode is BridgeMode.FAULT
    why = ' '.join(reason.text for reason in core.status().reasons)
    assert 'diverged' in why
    assert "'swing'" in why
    backend.close()
