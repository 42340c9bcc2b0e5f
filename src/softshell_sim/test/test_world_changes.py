"""Bodies that come, go, are placed and pushed while a world runs: all of a batch or none."""

import dataclasses

import numpy as np
import pytest

from softshell_control.drives.motors import Mode
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec
from softshell_sim.changing.changes import Place, Push, Remove, Spawn
from softshell_sim.changing.drive import Drive
from softshell_sim.scenes.terrain import rubble, stairs
from softshell_sim.sensing.sensor_settings import (
    JointSensors,
    OdometrySensor,
    SensorSettings,
    SignalSettings,
)
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Plane, Sphere
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')

NAN, INF = np.nan, np.inf
CUBE = ObjectSpec('cube', Box((0.1, 0.1, 0.1)), 0.5, shift(1.0, 0.0, 0.05))


@pytest.fixture
def world(cube):
    """A free box of 1.5 kg as the robot, on the floor."""
    world = World(cube)
    yield world
    world.close()


def everything(world):
    """All numbers of all bodies, as bytes."""
    rows = [np.array([world.time, *world.gravity])]
    for name, body in world.engine.bodies.items():
        state = world.scene.state(name)
        rows += [state.position, state.orientation, state.linear_velocity, state.angular_velocity]
        joints = np.zeros((2, len(body.joints)))
        world.engine.read_joints(body, *joints)
        rows.append(joints.ravel())
    return ' '.join(world.engine.bodies).encode() + np.concatenate(rows).tobytes()


def test_bodies_come_and_go_while_it_runs(world):
    """A ball falls on stairs that came with it; both leave, and with a reset the rest."""
    world.apply(
        [
            Spawn(ObjectSpec('stairs', stairs(2, 0.2, 0.5, 1.0), pose=shift(2.0))),
            Spawn(ObjectSpec('ball', Sphere(0.05), 0.2, shift(2.75, 0.0, 0.6))),
            Spawn(CUBE),
        ]
    )
    world.simulate(1.0)
    assert world.scene.state('ball').position[2] == pytest.approx(0.45, abs=2e-3)
    world.apply([Remove('stairs'), Remove('ball')])
    assert list(world.engine.bodies) == ['floor', 'robot', 'cube']
    world.reset()
    assert list(world.engine.bodies) == ['floor', 'robot']


def test_a_name_is_free_again_within_a_batch(world):
    """What is removed first can be spawned anew, here without a floor in between."""
    higher = ObjectSpec('floor', Plane(), pose=shift(z=0.3))
    world.apply([Place('robot', BodyState.at_rest(shift(z=0.5))), Remove('floor'), Spawn(higher)])
    world.simulate(1.0)
    assert world.scene.state('robot').position[2] == pytest.approx(0.4, abs=2e-3)


def test_states_and_poses_may_be_lists(world):
    """A new body and a placed one are where numbers say that are in no arrays."""
    turned, still = [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0]
    spec = ObjectSpec('ball', Sphere(0.05), 0.2, shift(3.0, 0.0, 0.5).tolist())
    state = BodyState([2.0, 0.0, 0.5], turned, still, still)
    world.apply([Spawn(spec), Spawn(CUBE, state)])
    world.apply([Place('robot', BodyState([0.0, 0.0, 1.0], turned))])
    for name, position in (('ball', (3, 0, 0.5)), ('cube', (2, 0, 0.5)), ('robot', (0, 0, 1))):
        assert world.scene.state(name).position == pytest.approx(position)
    for name in ('cube', 'robot'):
        assert np.abs(world.scene.state(name).orientation) == pytest.approx(turned, abs=1e-9)


def test_a_push_gives_its_impulse(world):
    """A force for a while on a body that floats changes its speed by F t / m, no more."""
    world.set_gravity(0.0)
    world.apply(
        [
            Spawn(CUBE),
            Place('cube', BodyState.at_rest(shift(z=1.0))),
            Push('cube', [0.0, 2.0, 0.0], duration=0.1003),  # lists are taken as well
        ]
    )
    world.simulate(0.5)
    expected = 2.0 * 0.1003 / 0.5
    velocity = world.scene.state('cube').linear_velocity
    assert velocity == pytest.approx([0.0, expected, 0.0], abs=1e-6)


def test_a_push_acts_at_its_point_which_goes_with_the_link(world):
    """A force along a lever turns a body by its moment."""
    world.set_gravity(0.0)
    push = Push('cube', np.array([0.0, 0.2, 0.0]), duration=0.01, point=np.array([0.05, 0.0, 0.0]))
    world.apply([Spawn(CUBE, BodyState.at_rest(shift(z=1.0))), push])
    world.simulate(0.01)
    moment = 0.5 * 0.1**2 / 6.0
    rate = world.scene.state('cube').angular_velocity
    assert rate == pytest.approx([0.0, 0.0, 0.2 * 0.05 * 0.01 / moment], rel=1e-3, abs=1e-9)


def test_a_robot_is_held_where_its_joints_are_put(arm):
    """Placed joints stay, at rest, without a jolt from where they were."""
    world = World(arm)
    world.apply([Place('robot', joints={'swing': -0.5})])
    world.simulate(0.5)
    swing = world.measure(0.5).position[0]
    assert swing == pytest.approx(-0.5, abs=0.1)
    world.close()


def test_commands_from_before_do_not_move_a_robot_that_is_put_elsewhere(arm):
    """Its motors are 10 ms late: what they were told before is not done any more."""
    late = {name: spec.model_copy(update={'delay': 0.01}) for name, spec in arm.motors.items()}
    world = World(dataclasses.replace(arm, motors=late), WorldSettings(gravity=0.0))
    world.simulate(0.1, np.array([0.5, 0.0]))
    world.apply([Place('robot', joints={'swing': -0.5})])
    world.simulate(0.02)
    assert abs(world.measure(0.02).velocity[0]) < 1e-6
    world.close()


def test_motors_without_a_goal_stay_where_they_are_put(arm):
    """Motors that follow velocities are locked to no place from before."""
    world = World(arm, WorldSettings(gravity=0.0))
    world.drives.set_mode([Mode.VELOCITY] * 2)
    world.simulate(0.1)
    world.apply([Place('robot', joints={'swing': -0.5})])
    world.simulate(0.02)
    assert abs(world.measure(0.02).velocity[0]) < 1e-6
    world.close()


def test_a_robot_with_noisy_sensors_is_shown_where_its_joints_were_put(arm):
    """At once: a bridge would drive it back to a sample from before."""
    settings = WorldSettings(
        sensors=SensorSettings(joints=JointSensors(position=SignalSettings(noise=1e-3)))
    )
    world = World(arm, settings)
    world.simulate(0.1)
    world.measure(0.1)
    world.apply([Place('robot', joints={'swing': -0.5})])
    assert world.measure(0.0).position[0] == pytest.approx(-0.5, abs=0.01)
    world.close()


def test_a_robot_with_late_sensors_is_shown_where_its_path_begins(cube):
    """A path that begins now places it, as `Place` does: it is shown there at once."""
    world = World(cube, WorldSettings(sensors=SensorSettings(odometry=OdometrySensor(delay=0.05))))
    world.simulate(0.1)
    world.measure(0.1)
    world.apply([Drive('robot', [0.0], [[1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]])])
    assert world.measured.base.position == pytest.approx([1.0, 0.0, 0.6])
    world.close()


def test_joints_of_a_mechanism_go_together(robot):
    """To put Shell's fold somewhere puts all that follow it there as well."""
    world = World(robot)
    world.apply([Place('robot', joints={'fold': -0.7})])
    placed = dict(zip(world.joint_map.names, world.position, strict=True))
    followers = [mimic.name for mimic in robot.mimics if mimic.source == 'fold']
    assert len(followers) == 6
    assert [placed[name] for name in followers] == pytest.approx([-0.7] * 6)
    world.close()


def test_kinematic_time_passes_without_drive_as_well(robot):
    """Nothing falls, and no joint moves, while no motor is driven."""
    world = World(robot)
    before = everything(world)
    world.kinematic = True
    world.simulate(0.1, driven=False)
    assert world.time == pytest.approx(0.1)
    after_time = len('floor robot') + 8
    assert everything(world)[after_time:] == before[after_time:]
    world.close()


def test_a_step_leaves_its_targets_to_what_follows(arm):
    """After steps to a place, time without targets holds the joints there, not where they were."""
    world = World(arm)
    world.set_gravity(0.0)
    goal = world.position + [-0.5, 0.05]
    for _ in range(500):
        world.step(goal, np.zeros(2))
    world.simulate(0.5)
    assert world.measure(0.5).position == pytest.approx(goal, abs=0.02)
    assert world.targets.position == pytest.approx(goal)
    world.close()


def test_gravity_of_a_running_world(cube):
    """What is set acts, and is felt by the inertial unit, until the next reset."""
    world = World(cube)
    world.set_gravity(np.array([0.0, 0.0, -1.6]))
    world.simulate(0.2, driven=False)
    world.measure(0.2)
    world.simulate(0.1, driven=False)
    felt = world.measure(0.1).imu.linear_acceleration
    assert felt == pytest.approx([0.0, 0.0, 1.6], abs=1e-3)
    world.reset()
    assert world.gravity == pytest.approx([0.0, 0.0, -9.81])
    for wrong in (NAN, np.zeros(2), np.array([0.0, 0.0, INF])):
        with pytest.raises(SoftshellError, match=r'gravity is .* expected one finite number'):
            world.set_gravity(wrong)
    world.close()


def upside_down():
    return BodyState(orientation=np.zeros(4))


BROKEN = '<robot name="r"><link name="a"/><link name="b"/></robot>'
WRONG = [
    (Spawn(ObjectSpec('robot', Sphere(0.1), 1.0)), "spawn 'robot': body 'robot' exists already"),
    (Spawn(ObjectSpec('', Sphere(0.1), 1.0)), 'has no name; expected one that no other'),
    (Spawn(RobotSpec('gate', BROKEN, ())), "spawn 'gate'"),
    (Spawn(CUBE, upside_down()), r'orientation is \[0.0, 0.0, 0.0, 0.0\]; expected a quaternion'),
    (Remove('nobody'), "unknown body 'nobody'; known: floor, robot, spare"),
    (Remove('robot'), "'robot' is the robot and stays"),
    (Place('nobody', BodyState()), "place 'nobody': unknown body 'nobody'"),
    (Place('robot'), "place 'robot': has neither a state nor joints; expected"),
    (Place('robot', upside_down()), 'expected a quaternion x, y, z, w of length 1'),
    (Place('robot', BodyState(np.array([NAN, 0, 0]))), r'position is \[nan, 0.0, 0.0\] m'),
    (Place('robot', BodyState(np.array([1e9, 0, 0]))), 'no longer than 10000 m'),
    (Place('robot', joints={'knee': 0.0}), "unknown joint 'knee'; known: none"),
    (Push('nobody', np.zeros(3)), "unknown body 'nobody'"),
    (Push('robot', np.zeros(3), link='hand'), "unknown link 'hand'; known: cube"),
    (Push('robot', np.array([0, 1e30, 0])), r'force is \[0.0, 1e\+30, 0.0\] N; expected three'),
    (Push('robot', np.zeros(3), np.array([INF, 0, 0])), r'torque is \[inf, 0.0, 0.0\] N m'),
    (Push('robot', np.zeros(2)), r'force is \[0.0, 0.0\] N; expected three numbers'),
    (Push('robot', np.zeros(3), duration=0.0), 'duration is 0.0 s; expected more than 0'),
    (Push('robot', np.zeros(3), duration=NAN), 'duration is nan s'),
]


@pytest.mark.parametrize(('change', 'text'), WRONG)
def test_one_bad_change_rejects_all(world, change, text):
    """It is named with its place among the changes, and nothing in the world is different."""
    world.apply([Spawn(ObjectSpec('spare', Sphere(0.1), 1.0, shift(5.0, z=0.1)))])
    world.simulate(0.05)
    before = everything(world)
    good = [
        Push('robot', np.array([0.0, 5.0, 0.0]), duration=1.0),
        Place('spare', BodyState.at_rest(shift(9.0, z=1.0))),
    ]
    last = [Remove('spare')] if isinstance(change, Spawn) else []
    with pytest.raises(ProblemsError, match=text) as caught:
        world.apply([*good, change, *last])
    (problem,) = caught.value.problems
    assert problem.startswith(f'change 3 of {3 + len(last)}, ')
    assert everything(world) == before
    world.simulate(0.05)
    assert world.scene.state('robot').linear_velocity == pytest.approx(np.zeros(3), abs=1e-3)


def test_all_bad_changes_are_told_at_once(world):
    """With a later one that would need the earlier."""
    with pytest.raises(ProblemsError) as caught:
        world.apply([Spawn(CUBE), Remove('cube'), Remove('cube'), Push('cube', np.zeros(3))])
    assert [problem.partition(':')[0] for problem in caught.value.problems] == [
        "change 3 of 4, remove 'cube'",
        "change 4 of 4, push 'cube'",
    ]


def test_a_robot_starts_on_top_of_rubble_that_is_there(cube):
    """A world may begin with further bodies; each reset brings them back where they were."""
    ground = Spawn(ObjectSpec('rubble', rubble((2.0, 2.0), 0.1, 0.3, seed=3)))
    world = World(cube, WorldSettings(scene=(ground, Spawn(CUBE))))
    for _ in range(2):
        assert list(world.engine.bodies) == ['floor', 'robot', 'rubble', 'cube']
        assert world.scene.state('cube').position == pytest.approx([1.0, 0.0, 0.05])
        start = world.measured.base.position[2]
        world.simulate(1.0)
        assert 0.2 < world.measure(1.0).base.position[2] <= start + 1e-3
        world.apply([Remove('cube')])
        world.reset()
    world.close()
