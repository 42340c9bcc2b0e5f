"""The bridge around the simulated robot: it stands up, walks, and says when it has arrived."""

import numpy as np
import pytest

from softshell_common.errors import SoftshellError
from softshell_control.bridge import BridgeCore
from softshell_control.check import check_trajectory
from softshell_control.follower import FollowerSettings, GoalState
from softshell_control.gate import limits_of
from softshell_description.model import load_robot
from softshell_sim.sim_backend import PyBulletBackend

PERIOD = 0.004
#: A tripod gait in closed form, independent of the robot's kinematics package.
HIP = np.array([0.038, 0.025, -0.02375])
THIGH, SHIN = 0.07, 0.1169


def foot_position(angles):
    """(3,) foot against the yaw joint [m] from yaw, pitch and knee [rad]."""
    yaw, pitch, knee = angles
    first, second = np.pi / 6 + pitch, np.pi / 2 + pitch + knee
    out = HIP[0] + THIGH * np.cos(first) + SHIN * np.cos(second)
    down = HIP[2] - THIGH * np.sin(first) - SHIN * np.sin(second)
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([c * out - s * HIP[1], s * out + c * HIP[1], down])


def leg_angles(foot):
    """Yaw, pitch and knee [rad] that put the foot there [m]; knee outwards."""
    radius = np.hypot(foot[0], foot[1])
    yaw = np.arctan2(foot[1], foot[0]) - np.arcsin(HIP[1] / radius)
    out, down = np.sqrt(radius**2 - HIP[1] ** 2) - HIP[0], HIP[2] - foot[2]
    bend = np.arccos((out**2 + down**2 - THIGH**2 - SHIN**2) / (2 * THIGH * SHIN))
    reach = np.arctan2(SHIN * np.sin(bend), THIGH + SHIN * np.cos(bend))
    return np.array([yaw, np.arctan2(down, out) - reach - np.pi / 6, bend - np.pi / 3])


def tripod(stand, stride=0.06, half_period=0.5, halves=8, lift=0.04, points=11):
    """Times [s] and (points, 18) angles of the lower legs that walk along x.

    Args:
        stand: yaw, pitch and knee of every leg when standing [rad].
        stride: that a foot covers on the ground [m].
        half_period: of a swing [s].
        halves: number of half strides.
        lift: of a swinging foot [m].
        points: per half stride.
    """
    home, times, rows = foot_position(stand), [], []
    for half in range(halves):
        begin = 0.0 if half == 0 else 0.5
        for s in np.linspace(0.0, 1.0, points)[1 if half else 0 :]:
            swing = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
            stance = s if half else s * s * (3.0 - 2.0 * s)
            row = []
            for leg in range(6):
                swings = (leg + half) % 2 == 0
                along = (begin + 0.5) * (swing if swings else -stance)
                along = stride * (along - begin if swings else along + begin)
                up = lift * np.sin(np.pi * s) ** 2 if swings else 0.0
                turn = leg * np.pi / 3
                shift = np.array([np.cos(turn) * along, -np.sin(turn) * along, up])
                row.append(leg_angles(home + shift))
            times.append((half + s) * half_period)
            rows.append(np.concatenate(row))
    return times, rows


@pytest.fixture(scope='module')
def robot():
    return load_robot()


@pytest.fixture
def core(robot):
    backend = PyBulletBackend(robot, PERIOD)
    yield BridgeCore(backend, limits_of(robot), PERIOD, FollowerSettings(), start_time=10**9)
    backend.close()


def send(core, names, times, positions, stamp):
    empty = [[]] * len(times)
    core.offer(check_trajectory(stamp, names, times, positions, empty, empty, core.limits.names))


def run(core, seconds):
    """Goal events, errors [rad] (ticks, joints) of the independent joints and largest efforts."""
    events, errors, effort = [], [], np.zeros(37)
    for _ in range(round(seconds / PERIOD)):
        events += [status.goal for status in core.tick()]
        errors.append(core.measured.position[:31] - core.command.position)
        effort = np.maximum(effort, np.abs(core.measured.effort))
    return events, np.array(errors), effort


def stand_up(core, robot):
    send(core, list(robot.joint_names), [1.5], [robot.pose('stand')], 1)
    return run(core, 2.2)[0]


def test_gait_geometry_agrees_with_itself():
    """The closed-form leg solution of these tests inverts their forward kinematics."""
    angles = np.array([0.2, -0.3, 0.4])
    assert leg_angles(foot_position(angles)) == pytest.approx(angles)


def test_starts_at_rest_on_the_floor(core):
    """After settling the robot lies still, near the origin, and does not move when held."""
    before = core.measured.base_position.copy()
    assert np.hypot(*before[:2]) < 0.01
    run(core, 0.5)
    assert core.measured.base_position == pytest.approx(before, abs=1e-3)
    assert np.abs(core.measured.velocity).max() < 0.05


def test_stands_up_and_reports_it(core, robot):
    """Standing up is reached at its end and lifts the base to the height of the pose."""
    events = stand_up(core, robot)
    assert [event.state for event in events if event.stamp == 1][-1] == GoalState.REACHED
    assert core.measured.base_position[2] == pytest.approx(robot.rest_heights['stand'], abs=0.01)
    assert np.abs(core.measured.base_orientation[:2]).max() < 0.01


def test_tripod_walk_is_tracked(core, robot):
    """Half strides of 0.5 s: 0.45 m covered within 10 %, tracked within 0.03 rad rms per joint."""
    stand_up(core, robot)
    start = core.measured.base_position.copy()
    parts = ('yaw', 'pitch', 'knee')
    names = [f'lower_{leg}_{part}' for leg in range(6) for part in parts]
    stand = robot.pose('stand')[[robot.index(name) for name in names[:3]]]
    times, rows = tripod(stand)
    send(core, names, times, rows, 2)
    events, errors, effort = run(core, times[-1] + 0.5)
    assert [event.state for event in events if event.stamp == 2][:2] == [
        GoalState.ACTIVE,
        GoalState.REACHED,
    ]
    assert np.sqrt((errors**2).mean(axis=0)).max() < 0.03
    assert (effort <= core.backend.world.motors.effort).all()
    moved = core.measured.base_position - start
    assert moved[0] == pytest.approx(0.45, rel=0.10)
    assert abs(moved[1]) < 0.03


def test_measured_twist_is_that_of_the_pose(core, robot):
    """Integrating the measured twist of base_link gives its displacement."""
    send(core, list(robot.joint_names), [1.0], [robot.pose('stand')], 1)
    before, path = core.measured.base_position.copy(), np.zeros(3)
    for _ in range(300):
        core.tick()
        x, y, z, w = core.measured.base_orientation
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        path += turn @ core.measured.base_linear_velocity * PERIOD
    assert path == pytest.approx(core.measured.base_position - before, abs=2e-3)


def test_control_period_must_fit(robot):
    """A control period that is no multiple of the physics step is refused with both numbers."""
    with pytest.raises(SoftshellError, match=r'0\.0045 s; expected a multiple .* 0\.001 s'):
        PyBulletBackend(robot, 0.0045)
