"""The sensors of a robot in a world: what differs from the truth, what repeats, what stays."""

from dataclasses import fields

import numpy as np
import pytest
from every_engine import EACH

from softshell_control.backend import BaseState, FootContacts, ImuSample, Measured
from softshell_control.gate import Command
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend
from softshell_sim.world import World

PERIOD = 0.004
TICK = 4_000_000  # [ns]
#: Every sensor has every kind of error.
NOISY = {
    'joints': {
        'rate': 125.0,
        'delay': 0.008,
        'position': {'noise': 0.01, 'bias': 0.02, 'resolution': 0.001},
        'velocity': {'noise': 0.1},
        'effort': {'noise': 0.05},
    },
    'imu': {
        'delay': 0.012,
        'orientation': {'noise': 0.01},
        'angular_velocity': {'noise': 0.05, 'bias': {'z': 0.1}},
        'linear_acceleration': {'noise': 0.2},
    },
    'odometry': {'rate': 50.0, 'position': {'noise': 0.01}, 'orientation': {'noise': 0.01}},
    'contacts': {'force': {'noise': 0.3}, 'links': ['base_link']},
}


def arrays_of(measured, prefix=''):
    """Every array and age of a measurement, by name."""
    found = {}
    for field in fields(measured):
        value = getattr(measured, field.name)
        if isinstance(value, (BaseState, ImuSample, FootContacts)):
            found |= arrays_of(value, f'{prefix}{field.name}.')
        elif isinstance(value, (np.ndarray, float)):
            found[prefix + field.name] = np.array(value)
    return found


class Run:
    """A simulated robot that stands up, and all that is measured of it."""

    def __init__(self, robot, sensors, **settings):
        self.robot = robot
        world = WorldSettings(sensors=sensor_settings(sensors), **settings)
        self.backend = SimBackend(robot, PERIOD, world)
        self.truth = self.backend.world._sensors.truth
        self.begin()

    def begin(self):
        self.now = 0
        self.backend.reset()
        self.start = self.backend.activate().position[: len(self.robot.joints)].copy()
        self.start[:] = self.robot.pose(self.robot.start)

    def go(self, ticks):
        """Measurements and truths of the next ticks."""
        shown, true = [], []
        for _ in range(ticks):
            self.now += TICK
            part = min(self.now / TICK / 100, 1.0)
            goal = self.start + part * (self.robot.pose('stand') - self.start)
            measured = self.backend.step(self.now, Command.at_rest(goal))
            shown.append(arrays_of(measured))
            true.append(arrays_of(self.truth))
        return shown, true


@pytest.fixture
def run(robot):
    """Function: a simulated Shell with these sensors."""
    runs = []

    def begin(sensors, **settings):
        runs.append(Run(robot, sensors, **settings))
        return runs[-1]

    yield begin
    for each in runs:
        each.backend.close()


def same(one, other, names=None):
    """Whether series of measurements agree bit for bit, in all arrays or in some."""
    return all(
        a[name].tobytes() == b[name].tobytes()
        for a, b in zip(one, other, strict=True)
        for name in (names or a)
    )


def test_exact_sensors_are_the_truth_itself(run):
    """Nothing is copied and nothing costs time; a camera and the seed change nothing."""
    world = run({'cameras': {'eye': {'link': 'base_link'}}}, seed=5).backend.world
    assert world.measured is world._sensors.truth
    assert isinstance(world.measured, Measured)


@pytest.mark.long
def test_sensors_do_not_change_what_happens(run):
    """The motors hear of their own encoders: noise leaves the motion as it is, bit for bit."""
    _, exact = run({}).go(120)
    _, noisy = run(NOISY).go(120)
    stated = ('link_contacts', 'deviation')
    names = [name for name in exact[0] if not any(part in name for part in stated)]
    assert same(exact, noisy, names)


def test_parts_whose_sensors_are_exact_stay_so(run):
    """With a noisy IMU alone, all else is the truth, and so is what of the IMU is exact."""
    shown, true = run({'imu': {'angular_velocity': {'noise': 0.1}}}).go(50)
    others = [name for name in shown[0] if name != 'imu.angular_velocity']
    assert same(shown, true, others)
    assert not same(shown, true, ['imu.angular_velocity'])


def test_each_quantity_has_its_error(run):
    """Mean and deviation of what is shown less the truth of its time are as in the settings."""
    noisy = run(NOISY)
    shown, true = noisy.go(1000)
    count = len(true)

    def errors(name, late=0, every=1):
        pairs = [(shown[k][name], true[k - late][name]) for k in range(100, count, every)]
        return np.array([one - other for one, other in pairs])

    gyro = errors('imu.angular_velocity', late=3)
    assert gyro.mean(axis=0) == pytest.approx([0.0, 0.0, 0.1], abs=4 * 0.05 / 30)
    assert gyro.std(axis=0) == pytest.approx(0.05, rel=0.1)
    felt = errors('imu.linear_acceleration', late=3)
    assert felt.mean(axis=0) == pytest.approx(np.zeros(3), abs=4 * 0.2 / 30)
    assert felt.std(axis=0) == pytest.approx(0.2, rel=0.1)
    force = errors('contacts.force')
    assert force.std() == pytest.approx(0.3, rel=0.03)
    base = noisy.backend.world.measured.base
    stated = base.pose_deviation
    assert stated.tolist() == [0.01] * 6
    assert not base.twist_deviation.any()
    assert errors('base.position', every=5).std() == pytest.approx(stated[0], rel=0.15)
    ages = np.array([each['joints_age'] for each in shown]) / PERIOD
    assert set(np.round(ages[10:]).astype(int).tolist()) == {2, 3}
    late = np.round(ages).astype(int)
    encoder = np.array(
        [shown[k]['position'] - true[k - late[k]]['position'] for k in range(100, count)]
    )
    assert encoder.mean() == pytest.approx(0.02, abs=1e-3)
    assert encoder.std() == pytest.approx(0.01, rel=0.03)
    steps = shown[-1]['position'] / 0.001
    assert steps == pytest.approx(np.round(steps))
    assert shown[-1]['channels'].tolist() == shown[-1]['position'][:31].tolist()
    assert (shown[-1]['age'] == shown[-1]['joints_age']).all()


def test_switching_a_sensor_on_changes_no_other(run):
    """The noise of the IMU is the same with and without noise of joints and odometry."""
    alone, _ = run({'imu': NOISY['imu']}).go(60)
    beside, _ = run(NOISY).go(60)
    names = [name for name in alone[0] if name.startswith('imu.')]
    assert same(alone, beside, names)


@pytest.mark.parametrize('engine', EACH)
def test_a_reset_repeats_and_the_seed_counts(run, engine):
    """After a reset the same noise comes again; another seed makes other noise."""
    first = run(NOISY, engine=engine)
    before, _ = first.go(60)
    first.begin()
    again, _ = first.go(60)
    other, _ = run(NOISY, engine=engine, seed=1).go(60)
    assert same(before, again)
    assert not same(before, other, ['position'])


@pytest.mark.parametrize('engine', EACH)
def test_goes_on_after_restore_as_after_save(run, engine):
    """Engine and sensors restored, the same commands give the same measurements, bit for bit."""
    noisy = run(NOISY, engine=engine)
    noisy.go(40)
    state, now = noisy.backend.save(), noisy.now
    runs = [noisy.go(40)]
    for _ in range(2):
        noisy.backend.restore(state)
        noisy.now = now
        runs.append(noisy.go(40))
    for ones, *others in zip(*runs, strict=True):
        assert all(same(ones, other) for other in others)


def test_samples_go_on_being_young_after_the_robot_came_to_rest(run):
    """While a reset lets it settle nothing is measured: what is shown is not from before that."""
    noisy = run({'joints': {'delay': 0.02}, 'imu': {'rate': 50.0}})
    noisy.backend.reset()
    assert noisy.backend.world.measured.joints_age == 0.0
    shown, _ = noisy.go(20)
    assert max(each['joints_age'] for each in shown) == pytest.approx(0.02)
    assert max(each['imu.age'] for each in shown) < 0.02


@pytest.mark.parametrize('step', [0.001, 1 / 480])
def test_a_sample_keeps_its_stamp(arm, step):
    """On the bridge's clock, of whole nanoseconds, whatever the period and the physics step."""
    period, sensors = 1 / 240, sensor_settings({'joints': {'rate': 7.0}})
    backend = SimBackend(arm, period, WorldSettings(physics_step=step, sensors=sensors))
    backend.reset()
    stamps = []
    for tick in range(1, 481):
        measured = backend.step(tick * round(period * 1e9), None)
        stamps.append(measured.stamp - round(measured.joints_age * 1e9))
    assert np.count_nonzero(np.diff(stamps)) == 14
    backend.close()


@pytest.mark.parametrize('at_motors', [False, True])
def test_a_bias_moves_a_joint_only_at_its_motor(arm, at_motors):
    """Held where its encoder shows the target, a joint is off by the bias; else it shows it."""
    position = {'bias': {'swing': 0.2, 'reach': -0.01}}
    sensors = sensor_settings({'joints': {'at_motors': at_motors, 'position': position}})
    world = World(arm, WorldSettings(sensors=sensors, gravity=0.0))
    bias, target = np.array([0.2, -0.01]), np.array([0.3, 0.04])
    for _ in range(1500):
        world.step(target, np.zeros(2))
    shown = world.measure(0.0).position
    assert shown == pytest.approx(world.position + bias, abs=1e-12)
    assert (shown if at_motors else world.position) == pytest.approx(target, abs=1e-4)
    world.close()


@pytest.mark.parametrize('engine', EACH)
def test_any_link_feels_contacts(cube, engine):
    """A box at rest feels m g upwards on each link of its body, and in the air nothing."""
    sensors = sensor_settings({'contacts': {'links': ['cube', 'lid']}})
    world = World(cube, WorldSettings(engine=engine, sensors=sensors))
    world.settle(0.5)
    world.measure(0.0)
    world.settle(0.1)
    felt = world.measure(0.1).link_contacts
    assert felt.links == ('cube', 'lid')
    assert felt.touching.tolist() == [True, True]
    assert felt.force == pytest.approx(np.tile([0.0, 0.0, 1.5 * 9.81], (2, 1)), abs=0.02)
    world.reset(height=3.0)
    world.settle(0.1)
    felt = world.measure(0.1).link_contacts
    assert not felt.touching.any()
    assert not felt.force.any()
    world.close()


@pytest.mark.parametrize(('threshold', 'touches'), [(14.0, True), (15.5, False)])
def test_what_touches_is_what_feels_more_than_the_threshold(cube, threshold, touches):
    """The box weighs 14.7 N."""
    contacts = {'links': ['cube'], 'threshold': threshold}
    world = World(cube, WorldSettings(sensors=sensor_settings({'contacts': contacts})))
    world.settle(0.5)
    world.measure(0.5)
    world.settle(0.1)
    assert world.measure(0.1).link_contacts.touching.tolist() == [touches]
    world.close()
