"""The world obeys mechanics, and the robot in it stands, follows and repeats."""

import numpy as np
import pytest

from softshell_description.config import Gains
from softshell_sim.bodies import BodyState
from softshell_sim.settings import WorldSettings
from softshell_sim.urdf.tree import link_poses
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')

GRAVITY = 9.81
MASS = 3.497


@pytest.fixture(scope='module')
def world(robot, each_engine):
    world = World(robot)
    yield world
    world.close()


def hold(world, steps, target=None):
    """Hold (movable,) positions, default the present ones, for some steps."""
    target = world.position.copy() if target is None else target
    for _ in range(steps):
        world.step(target, np.zeros(len(target)))
    return target


def settled(world, robot, pose='stand'):
    """The robot at rest on its feet."""
    world.reset(robot.pose(pose))
    return hold(world, 800)


def test_the_base_falls_as_gravity_says(world, robot):
    """From 10 m the base falls g t²/2 (symplectic Euler: + g h t/2), an accelerometer shows 0."""
    world.reset(robot.pose('zero'), height=10.0)
    hold(world, 250)
    measured = world.measure(0.25)
    fallen = GRAVITY * 0.25**2 / 2 + GRAVITY * 0.001 * 0.25 / 2
    assert 10.0 - measured.base.position[2] == pytest.approx(fallen, rel=1e-4)
    assert measured.base.linear_velocity[2] == pytest.approx(-GRAVITY * 0.25, rel=1e-4)
    assert measured.imu.linear_acceleration == pytest.approx(np.zeros(3), abs=5e-3)


def test_momentum_is_kept_in_the_air(robot):
    """Without gravity, moving the joints by torque moves no centre of mass."""
    world = World(robot, WorldSettings(gravity=0.0))
    world.reset(robot.pose('zero'), height=5.0)
    before = centre_of_mass(world)
    target = world.position.copy()
    target[robot.index('lower_0_pitch')] += 0.5
    target[robot.index('upper_2_elbow')] -= 0.7
    hold(world, 500, target)
    assert np.abs(world.position - target).max() < 0.05
    assert centre_of_mass(world) == pytest.approx(before, abs=1e-4)
    world.close()


def centre_of_mass(world):
    """(3,) of the robot in odom [m]."""
    urdf, state = world.robot.urdf, BodyState()
    world.measure(0.0)
    world.engine.read(world.body, state)
    joints = dict(zip(world.joint_map.names, world.position.tolist(), strict=True))
    poses = link_poses(urdf, joints)
    moment = sum(link.mass * (poses[link.name] @ [*link.com, 1.0]) for link in urdf.links)
    return (state.pose @ (moment / urdf.mass))[:3]


@pytest.mark.parametrize('pose', ['stand', 'idle'])
def test_weight_is_carried(world, robot, pose):
    """At rest the floor's normal forces add up to m g within 1 %; up is 9.81 m/s² in the base."""
    target = settled(world, robot, pose)
    forces = []
    for _ in range(20):
        hold(world, 5, target)
        contacts = world.engine.contacts(world.body)
        forces.append(sum(contact.force @ contact.normal for contact in contacts))
    assert np.mean(forces) == pytest.approx(MASS * GRAVITY, rel=0.01)
    world.measure(0.1)
    hold(world, 100, target)
    acceleration = world.measure(0.1).imu.linear_acceleration
    assert np.linalg.norm(acceleration) == pytest.approx(GRAVITY, rel=0.01)


def test_feet_carry_the_stance(world, robot):
    """Standing, the feet alone carry the robot, each between a tenth and a quarter of it."""
    settled(world, robot)
    world.measure(0.8)
    hold(world, 100)
    contacts = world.measure(0.1).contacts
    share = contacts.force[:, 2] / (MASS * GRAVITY)
    assert contacts.touching.all()
    assert share.sum() == pytest.approx(1.0, abs=0.01)
    assert contacts.force[:, :2].sum(axis=0) == pytest.approx(np.zeros(2), abs=0.05)
    assert share.min() > 0.10
    assert share.max() < 0.25


def test_static_error_is_torque_over_kp(world, robot):
    """Every joint at rest is off by its torque over kp; the fold's motor gives a sum of seven."""
    target = settled(world, robot)
    hold(world, 400, target)
    world.measure(0.4)
    hold(world, 100, target)
    load = world.measure(0.1).effort.copy()
    fold, six = robot.index('fold'), np.arange(31, 37)
    assert load[fold] == pytest.approx(world.drives.effort[[fold, *six]].sum(), abs=5e-3)
    load[fold] = world.drives.effort[fold]
    assert target - world.position == pytest.approx(load / world.drives.kp, abs=5e-4)


def test_sags_little_on_six_and_on_three_legs(world, robot):
    """No joint sags more than 0.03 rad on six legs, nor on three; nothing buzzes."""
    target = settled(world, robot)
    assert np.abs(world.position - target).max() < 0.03
    for leg in (1, 3, 5):
        target[robot.index(f'lower_{leg}_pitch')] -= 0.4
    hold(world, 1200, target)
    velocities = []
    for _ in range(300):
        hold(world, 1, target)
        velocities.append(world.velocity.copy())
    assert np.abs(world.position - target).max() < 0.03
    assert np.std(velocities, axis=0).max() < 0.05
    world.measure(1.5)
    hold(world, 1, target)
    contacts = world.measure(0.001).contacts
    assert contacts.touching.tolist() == [True, False, True, False, True, False]
    assert not contacts.force[[1, 3, 5]].any()


def test_fold_joints_move_alike(world, robot):
    """In the air all six carriers follow the fold alike within 2 mrad, all the way."""
    world.reset(robot.pose('zero'), height=5.0)
    start, spread = world.position.copy(), 0.0
    fold = world.joint_map.source == robot.index('fold')
    for step in range(800):
        target = start.copy()
        target[fold] = -1.0 * min(step / 500, 1.0)
        world.step(target, np.zeros(len(target)))
        spread = max(spread, np.ptp(world.position[31:]))
    assert spread < 2e-3
    assert world.position[fold] == pytest.approx(-1.0, abs=5e-3)


def loaded_on_one_leg(world, robot, force, steps=600):
    """Worst difference between the six folds [rad] and largest effort of their motor [N m].

    The robot hangs in the air without gravity, its fold held at −0.5 rad, and a force [N] pushes
    the first foot in the direction in which the fold moves it.
    """
    pose = robot.pose('zero')
    pose[robot.index('fold')] = -0.5
    world.reset(pose, height=5.0)
    target, rate = world.position.copy(), np.zeros(len(world.position))
    link = world.body.links.index(robot.urdf.bodies[robot.legs.feet[0]][0])
    spread, largest = [], 0.0
    for _ in range(steps):
        state = BodyState()
        world.engine.read(world.body, state)
        joints = dict(zip(world.joint_map.names, world.position.tolist(), strict=True))
        poses = link_poses(robot.urdf, joints)
        joint = robot.urdf.joint('lower_0_fold')
        pose = state.pose @ poses[joint.child]
        foot = (state.pose @ poses[robot.legs.feet[0]])[:3, 3]
        along = np.cross(pose[:3, :3] @ joint.axis, foot - pose[:3, 3])
        push = force * along / np.linalg.norm(along)
        world.engine.apply_wrench(world.body, link, push, np.zeros(3), foot)
        world.step(target, rate)
        world.measure(0.001)
        spread.append(np.ptp(world.position[31:]))
        largest = max(largest, abs(world.measured.effort[robot.index('fold')]))
    return np.array(spread), largest


@pytest.mark.long
def test_fold_joints_move_alike_under_load(robot):
    """A push on one leg spreads the six folds by their torques over kp, and by no more.

    A push beyond the motor's effort moves all six together; what one of them bears may then be
    more than that effort.
    """
    world = World(robot, WorldSettings(gravity=0.0))
    limit = world.drives.motors.effort[robot.index('fold')]
    for force, saturates in ((2.0, False), (12.0, True)):
        spread, largest = loaded_on_one_leg(world, robot, force)
        loads, folds = world.drives.effort[31:], world.position[31:]
        assert spread[-1] == pytest.approx(np.ptp(loads) / world.drives.kp[31], rel=0.05)
        assert spread.max() < 0.01 * force
        assert largest == pytest.approx(limit) if saturates else largest < 0.5 * limit
        assert (np.abs(loads).max() > limit) == saturates
        assert (folds.min() > -0.4) == saturates
    world.close()


def test_torque_stays_within_effort(world, robot):
    """A jump of the target makes every motor give its effort and not more; the fold's in sum."""
    target = settled(world, robot)
    largest = np.zeros(len(robot.joints))
    fold, six = robot.index('fold'), np.arange(31, 37)
    for _ in range(100):
        hold(world, 1, target + 0.7)
        largest = np.maximum(largest, np.abs(world.drives.motor_effort))
        own = world.drives.effort[:31].copy()
        own[fold] += world.drives.effort[six].sum()
        assert own == pytest.approx(world.drives.motor_effort, abs=1e-9)
    assert (largest <= world.drives.motors.effort).all()
    assert largest[robot.index('lower_0_pitch')] == pytest.approx(1.765)
    assert largest[fold] == pytest.approx(1.471)


def test_speed_stays_within_limit(world, robot):
    """Torque drives no joint of a free robot beyond its speed limit by more than 5 %."""
    world.reset(robot.pose('zero'), height=8.0)
    shoulder = robot.index('upper_0_shoulder')
    target, fastest = world.position.copy(), 0.0
    target[shoulder] = 1.5
    for _ in range(400):
        hold(world, 1, target)
        fastest = max(fastest, abs(world.velocity[shoulder]))
    assert 4.0 < fastest < 6.178 * 1.05


def test_any_gain_is_stable(world, robot):
    """Gains of a thousand neither shake the standing robot nor blow up."""
    settled(world, robot)
    world.set_gains({group: Gains(kp=1e3, kd=1e3) for group in robot.groups})
    hold(world, 500)
    limited = world.control.limited
    world.set_gains({})
    assert set(limited) == {'kp', 'kd'}
    assert np.abs(world.velocity).max() < 0.1


def trace(world, robot, steps=2000):
    """(steps, ...) every number that a commanded run goes through, falls and contacts included."""
    world.reset(robot.pose('stand'), height=0.25)
    generator = np.random.default_rng(0)
    target, rows = world.position.copy(), []
    wave = generator.uniform(-0.4, 0.4, len(target))
    for step in range(steps):
        world.step(target + wave * np.sin(0.01 * step), np.zeros(len(target)))
        if step % 20 == 0:
            measured = world.measure(0.02)
            rows.append(
                np.concatenate(
                    [
                        measured.position,
                        measured.velocity,
                        measured.effort,
                        measured.base.position,
                        measured.base.orientation,
                        measured.base.angular_velocity,
                        measured.contacts.force.ravel(),
                    ]
                )
            )
    return np.array(rows)


def test_repeats_bit_for_bit(world, robot):
    """Two worlds in one process, and one after a reset, go through the same numbers exactly."""
    other = World(robot)
    first, second = trace(world, robot), trace(other, robot)
    again = trace(world, robot)
    other.close()
    assert first[:, -18:].max() > 1.0
    assert first.tobytes() == second.tobytes() == again.tobytes()


def test_interleaved_worlds_do_not_touch(robot):
    """Stepping two worlds in turn gives what each gives alone."""
    alone = World(robot)
    target = hold(alone, 300)
    pair = [World(robot), World(robot)]
    for _ in range(300):
        for world in pair:
            world.step(target, np.zeros(len(target)))
    assert pair[0].position.tobytes() == pair[1].position.tobytes() == alone.position.tobytes()
    for world in (alone, *pair):
        world.close()


@pytest.mark.long
def test_self_collision_leaves_the_poses_alone(robot):
    """With self-collision on, no named pose of the robot pushes itself apart."""
    world = World(robot, WorldSettings(self_collision=True))
    for pose in robot.poses:
        world.reset(robot.pose(pose), height=3.0)
        target = hold(world, 200)
        assert np.abs(world.position - target).max() < 0.02, pose
    world.close()
