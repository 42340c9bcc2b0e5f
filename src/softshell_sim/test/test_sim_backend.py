"""The simulated robot behind a bridge: it stands up, walks, holds, gives way, and repeats."""

from types import SimpleNamespace

import numpy as np
import pytest
from every_engine import OTHERS_LONG
from scipy.interpolate import CubicSpline

from softshell_control.backend import StopPolicy
from softshell_control.channel import limits_of
from softshell_control.gate import Command
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

pytestmark = pytest.mark.usefixtures('each_engine')

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


TICK = 4_000_000  # [ns]


class Player:
    """Moves a backend along splines, tick by tick, as a bridge would."""

    def __init__(self, backend):
        self.backend, self.now = backend, 10**9
        self.count = backend.world.joint_map.independent
        self.measured = backend.reset()
        self.measured = backend.activate()
        self.command = self.measured.position[: self.count].copy()
        self.errors, self.effort = [], np.zeros(len(self.measured.effort))

    def tick(self, command):
        self.now += TICK
        self.measured = self.backend.step(self.now, command)
        self.errors.append(self.measured.position[: self.count] - self.command)
        self.effort = np.maximum(self.effort, np.abs(self.measured.effort))
        return self.measured

    def play(self, times, rows):
        """Follow a spline from rest to rest through (points, joints) rows; yields each tick."""
        spline = CubicSpline(times, rows, bc_type='clamped')
        for time in np.arange(PERIOD, times[-1] + PERIOD / 2, PERIOD):
            self.command = spline(time)
            yield self.tick(Command(self.command, spline(time, 1)))

    def go(self, goal, seconds=1.5):
        """Go to a pose and stay for half a second."""
        start = self.command
        for _ in self.play([0.0, seconds, seconds + 0.5], [start, goal, goal]):
            pass
        return self.measured


@pytest.fixture
def player(robot):
    backend = SimBackend(robot, PERIOD)
    yield Player(backend)
    backend.close()


def test_gait_geometry_agrees_with_itself():
    """The closed-form leg solution of these tests inverts their forward kinematics."""
    angles = np.array([0.2, -0.3, 0.4])
    assert leg_angles(foot_position(angles)) == pytest.approx(angles)


def test_starts_at_rest_on_the_floor(player):
    """After settling the robot lies still, near the origin, and does not move when held."""
    before = player.measured.base.position.copy()
    assert np.hypot(*before[:2]) < 0.01
    for _ in range(125):
        measured = player.tick(Command.at_rest(player.command))
    assert measured.base.position == pytest.approx(before, abs=1e-3)
    assert np.abs(measured.velocity).max() < 0.05


def test_it_stands_up_within_the_goal_tolerances(player, robot):
    """Standing up ends within the goal tolerances, with the base at the height of the pose."""
    measured = player.go(robot.pose('stand'))
    errors = np.abs(measured.position[:31] - robot.pose('stand'))
    assert (errors < limits_of(robot).tolerance).all()
    assert measured.base.position[2] == pytest.approx(robot.rest_heights['stand'], abs=0.01)
    assert np.abs(measured.base.orientation[:2]).max() < 0.01


def test_measured_is_complete(player):
    """Stamp, validity, age and channels come with every measurement."""
    measured = player.tick(Command.at_rest(player.command))
    assert measured.stamp == player.now
    assert measured.valid.all()
    assert not measured.age.any()
    assert measured.channels.tolist() == measured.position[:31].tolist()
    assert measured.temperature is None
    assert measured.voltage is None


def test_foot_forces_carry_the_robot_at_every_tick(player, robot):
    """Standing, the mean vertical force over a control period is m g within 1 %."""
    player.go(robot.pose('stand'))
    for _ in range(25):
        contacts = player.tick(Command.at_rest(player.command)).contacts
        assert contacts.force[:, 2].sum() == pytest.approx(3.497 * 9.81, rel=0.01)
        assert contacts.touching.all()


def test_foot_forces_are_means_over_the_period(player, robot):
    """While the robot falls on its feet, the summed impulses are its change of momentum."""
    world = player.backend.world
    player.backend.world.reset(robot.pose('stand'), height=0.2)
    player.backend.activate()
    fall, impulse = [], np.zeros(3)
    for _ in range(60):
        measured = player.tick(None)
        impulse += measured.contacts.force.sum(axis=0) * PERIOD
        fall.append(measured.base.linear_velocity[2])
    assert min(fall) < -0.5
    assert abs(fall[-1]) < 0.2
    # At the end the robot hardly moves: what the feet gave is what gravity gave.
    assert impulse[2] == pytest.approx(3.497 * 9.81 * 60 * PERIOD, rel=0.03)
    assert world.time == pytest.approx(60 * PERIOD)


@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
def test_tripod_walk_is_tracked(player, robot):
    """Half strides of 0.5 s: 0.45 m covered within 10 %, tracked within 0.03 rad rms per joint."""
    stand = robot.pose('stand')
    player.go(stand)
    start = player.measured.base.position.copy()
    names = [f'lower_{leg}_{part}' for leg in range(6) for part in ('yaw', 'pitch', 'knee')]
    columns = [robot.index(name) for name in names]
    times, legs = tripod(stand[columns[:3]])
    rows = np.tile(stand, (len(times), 1))
    rows[:, columns] = legs
    player.errors.clear()
    for _ in player.play(times, rows):
        pass
    player.go(rows[-1], 0.25)
    assert np.sqrt((np.array(player.errors) ** 2).mean(axis=0)).max() < 0.03
    assert (player.effort[:31] <= player.backend.world.drives.motors.effort + 1e-9).all()
    moved = player.measured.base.position - start
    assert moved[0] == pytest.approx(0.45, rel=0.10)
    assert abs(moved[1]) < 0.03


def test_measured_twist_is_that_of_the_pose(player, robot):
    """Integrating the measured twist of the base link gives its displacement."""
    before, path = player.measured.base.position.copy(), np.zeros(3)
    for measured in player.play([0.0, 1.0], [player.command, robot.pose('stand')]):
        turn = rotation_from_quaternion(measured.base.orientation)
        path += turn @ measured.base.linear_velocity * PERIOD
    assert path == pytest.approx(measured.base.position - before, abs=2e-3)


def test_holds_after_a_stop_that_holds(player, robot):
    """After HOLD, and without commands, the joints stay at the last target; efforts go on."""
    player.go(robot.pose('stand'))
    player.backend.stop(StopPolicy.HOLD)
    player.backend.stop(StopPolicy.HOLD)
    for _ in range(100):
        measured = player.tick(None)
    assert np.abs(measured.position[:31] - robot.pose('stand')).max() < 0.03
    assert np.abs(measured.effort).max() > 0.1
    assert measured.base.position[2] == pytest.approx(robot.rest_heights['stand'], abs=0.01)


@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
@pytest.mark.parametrize(
    'end', ['relax', pytest.param('deactivate', marks=pytest.mark.long), 'reset']
)
def test_gives_way_when_not_driven(player, robot, end):
    """After RELAX, `deactivate` or `reset` no motor gives torque, whatever is commanded."""
    player.go(robot.pose('stand'))
    backend = player.backend
    {
        'relax': lambda: backend.stop(StopPolicy.RELAX),
        'deactivate': backend.deactivate,
        'reset': backend.reset,
    }[end]()
    for _ in range(100):
        measured = player.tick(Command.at_rest(robot.pose('stand')))
        assert not measured.effort[:31].any()
    assert np.ptp(measured.position[[robot.index('fold'), *range(31, 37)]]) < 0.02
    assert measured.base.position[2] < 0.12


@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
def test_activates_where_it_is(player, robot):
    """After it gave way it holds where it lies: no joint jumps."""
    player.go(robot.pose('stand'))
    player.backend.deactivate()
    for _ in range(200):
        player.tick(None)
    before = player.backend.activate().position.copy()
    assert np.abs(before[:31] - robot.pose('stand')).max() > 0.3
    for _ in range(50):
        measured = player.tick(None)
        assert np.abs(measured.position - before).max() < 0.02


@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
def test_a_state_saved_without_drive_is_held_where_it_lay(player, robot):
    """Saved lying, restored while it stands and is driven, it stays: no joint jumps."""
    backend = player.backend
    player.go(robot.pose('stand'))
    backend.deactivate()
    for _ in range(200):
        player.tick(None)
    state, lay = backend.save(), player.measured.position.copy()
    assert np.abs(lay[:31] - robot.pose('stand')).max() > 0.3
    backend.activate()
    backend.restore(state)
    for _ in range(50):
        measured = player.tick(None)
        assert np.abs(measured.position - lay).max() < 0.02


def test_reset_repeats(player, robot):
    """After a reset the same commands give the same numbers, bit for bit."""
    runs = []
    for _ in range(2):
        player.backend.reset()
        start = player.backend.activate().position[:31].copy()
        rows = []
        for part in np.linspace(0.0, 1.0, 100):
            goal = start + part * (robot.pose('stand') - start)
            rows.append(player.tick(Command.at_rest(goal)).position.copy())
        runs.append(np.array(rows))
    assert runs[0].tobytes() == runs[1].tobytes()


def test_live_gains_and_diagnostics(player, robot, each_engine):
    """Parameters change gains by group; what integration cannot bear is limited and reported."""
    backend = player.backend
    gains = {
        f'{gain}_{name}': value
        for name, group in robot.groups.items()
        for gain, value in group.gains.model_dump().items()
    }
    backend.apply(
        SimpleNamespace(
            gravity=9.81, kinematic=False, stabilise=False, **gains | {'kp_lower': 45.0}
        )
    )
    drives, pitch = backend.world.drives, robot.index('lower_3_pitch')
    assert drives.kp[pitch] == 45.0
    said = backend.diagnostics()
    assert (said['engine'], said['physics_step']) == (each_engine, '0.001 s')
    assert said['limited kp'].startswith('30 limited to 9.4')
    assert 'lower_0_knee' in said['limited kd']
    assert 'pitch' not in said['limited kd']
    backend.apply(
        SimpleNamespace(
            gravity=9.81, kinematic=False, stabilise=False, **gains | dict.fromkeys(gains, 0.01)
        )
    )
    assert not any(key.startswith('limited') for key in backend.diagnostics())


@pytest.mark.parametrize(('period', 'step', 'count'), [(0.0045, 0.001, 5), (0.004, 0.01, 1)])
def test_control_period_is_passed_exactly(robot, period, step, count):
    """In equal steps, the fewest that are no longer than the physics step."""
    backend = SimBackend(robot, period, WorldSettings(physics_step=step))
    backend.reset()
    before = backend.world.time
    for _ in range(10):
        backend.step(0, None)
    assert backend.world.time - before == pytest.approx(10 * period)
    assert backend.world.engine.time_step == pytest.approx(period / count)
    backend.close()
