"""What an IMU shows on any link, against closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_control.estimates.imu_link import imu_of_base
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.bodies import BodyState
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')

GRAVITY, PERIOD = 9.81, 0.004


@pytest.fixture
def start():
    """Function: the world of a robot whose IMU is on this link."""
    worlds = []

    def begin(robot, link, **settings):
        sensors = sensor_settings({'imu': {'link': link}})
        worlds.append(World(robot, WorldSettings(sensors=sensors, **settings)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()


def coast(world, periods):
    """What the IMU shows at the end of each of so many periods without motors."""
    rows = []
    world.measure(0.0)
    for _ in range(periods):
        for _ in range(round(PERIOD / world.settings.physics_step)):
            world.coast()
        imu = world.measure(PERIOD).imu
        rows.append((imu.angular_velocity.copy(), imu.linear_acceleration.copy()))
    return rows


def test_a_divergence_is_told_as_one(start, arm, cube):
    """With the joint or the base, also where the IMU is on a link that is moved by it."""
    world = start(arm, 'slide')
    world.engine.place_joints(world.body, np.array([np.nan, 0.02]))
    with pytest.raises(SoftshellError, match=r"diverged 0.000 s .*joint 'swing' is at nan"):
        world.measure(0.0)
    world = start(cube, 'cube')
    world.engine.apply_wrench(world.body, 0, np.full(3, np.nan), np.zeros(3), np.zeros(3))
    world.simulate(0.002)
    with pytest.raises(SoftshellError, match=r'diverged .* the base is at'):
        world.measure(0.002)


def test_turns_of_a_joint_do_not_matter(start, arm):
    """After 5000 of them, beyond 10 000 rad, the IMU shows what it showed before."""
    world, shown = start(arm, 'slide'), []
    for turns in (0, 5000):
        swing = 0.7 + turns * 2.0 * np.pi
        world.engine.place_joints(world.body, np.array([swing, 0.02]))
        imu = world.measure(0.0).imu
        shown.append([*imu.orientation, *imu.linear_acceleration])
    assert shown[1] == pytest.approx(shown[0], abs=1e-8)


def test_gravity_is_up_at_rest_whatever_the_links_orientation(start, arm):
    """On a link turned by swing about y and a quarter about z, 9.81 m/s² in its own axes."""
    world = start(arm, 'slide')
    for swing in (-1.0, 0.0, 0.7):
        world.reset(np.array([swing, 0.05]))
        imu = world.measure(0.0).imu
        turn = Rotation.from_euler('z', 90, degrees=True) * Rotation.from_euler('y', swing)
        # The base link stands level on the ground, so the pedestal is what is turned.
        turn = Rotation.from_euler('z', -90, degrees=True) * turn
        assert imu.linear_acceleration == pytest.approx(turn.inv().apply([0, 0, GRAVITY]))
        assert rotation_from_quaternion(imu.orientation) == pytest.approx(turn.as_matrix())
        assert imu.link == 'slide'


def test_free_fall_shows_nothing(start, cube):
    """A box that falls shows 0 at its centre, which is not its base link."""
    world = start(cube, 'cube')
    world.reset(height=50.0)
    for _, felt in coast(world, 50):
        assert felt == pytest.approx(np.zeros(3), abs=1e-6)


def test_a_link_that_turns_shows_centripetal_acceleration(start, arm):
    """Without gravity, r from the axis at ω: ω² r towards it, as a mean over the period."""
    world = start(arm, 'slide', gravity=0.0)
    rate, reach = 3.0, 0.05
    radius, angle = 0.2 + reach, rate * PERIOD
    world.reset(np.array([-1.5, reach]))
    rows = []
    for period in range(100):
        # The arm is carried along, so that nothing but the turn moves it.
        swing = -1.5 + rate * period * PERIOD
        world.engine.place_joints(world.body, np.array([swing, reach]), np.array([rate, 0.0]))
        imu = world.measure(PERIOD if period else 0.0).imu
        rows.append((imu.angular_velocity.copy(), imu.linear_acceleration.copy()))
    for turned, felt in rows[1:]:
        assert turned == pytest.approx([0.0, rate, 0.0], abs=1e-6)
        # The mean over an arc is its chord's: sinc(ωT/2) of it, half the arc behind.
        mean = rate**2 * radius * np.sinc(angle / 2 / np.pi)
        wanted = [-mean * np.cos(angle / 2), 0.0, mean * np.sin(angle / 2)]
        assert np.linalg.norm(felt) == pytest.approx(mean, rel=1e-9)
        assert np.abs(felt) == pytest.approx(np.abs(wanted), rel=1e-6, abs=1e-9)
        assert felt[0] < 0.0


def test_falling_without_motors_a_tip_feels_less_than_gravity(start, arm):
    """Across the arm the tip feels g cos θ less its own r α + 2 ṙ ω, by polar coordinates."""
    world = start(arm, 'slide')
    world.reset(np.array([0.0, 0.02]))
    last, checked = world.velocity.copy(), 0
    for _ in range(40):
        for _ in range(4):
            world.coast()
        measured = world.measure(PERIOD)
        swing, reach = measured.position
        rate, speed = 0.5 * (measured.velocity + last)
        slope = (measured.velocity[0] - last[0]) / PERIOD
        last = measured.velocity.copy()
        across = GRAVITY * np.cos(swing) - (0.2 + reach) * slope - 2.0 * speed * rate
        assert measured.imu.linear_acceleration[2] == pytest.approx(across, abs=0.15)
        checked += abs(slope) > 20.0
    assert checked > 10


def test_an_imu_beside_the_base_tells_what_one_in_it_would(start, arm):
    """Turned by a quarter against the base: by the joint of the mount, known from the URDF."""
    imu = start(arm, 'pedestal').measured.imu
    turned = Rotation.from_quat(imu.orientation)
    assert turned.as_rotvec() == pytest.approx([0.0, 0.0, -np.pi / 2])
    found = imu_of_base(arm, replace(imu, angular_velocity=np.array([1.0, 2.0, 3.0])))
    assert Rotation.from_quat(found.orientation).magnitude() == pytest.approx(0.0, abs=1e-12)
    assert found.angular_velocity == pytest.approx([2.0, -1.0, 3.0])
    assert imu_of_base(arm, replace(imu, link='slide')) is None


def test_an_imu_off_centre_feels_the_turn_of_a_free_body(start, cube):
    """Spinning without gravity, the lid r = 0.1 m above the centre feels ω² r towards it."""
    world = start(cube, 'cube', gravity=0.0)
    at_lid = start(cube, 'lid', gravity=0.0)
    for each, arm in ((world, 0.0), (at_lid, 0.1)):
        each.reset(height=5.0)
        state = BodyState(np.array([0.0, 0.0, 5.0]))
        state.angular_velocity[:] = [4.0, 0.0, 0.0]
        each.engine.place(each.body, state)
        for turned, felt in coast(each, 20)[1:]:
            assert turned == pytest.approx([4.0, 0.0, 0.0], abs=1e-3)
            wanted = 16.0 * arm * np.sinc(4.0 * PERIOD / 2 / np.pi)
            assert np.linalg.norm(felt) == pytest.approx(wanted, abs=5e-3)
            assert felt[2] == pytest.approx(-wanted, abs=5e-3)
