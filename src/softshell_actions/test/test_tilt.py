"""How far the base leans, from IMUs that are mounted in any way."""

import math

import numpy as np
import pytest

pytest.importorskip('sensor_msgs', reason='ROS is not installed')

from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu

from softshell_actions.ros.tilt import mountings_of, tilt_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

OVER = Rotation.from_euler('xyz', [math.pi, 0.0, 0.0])


def imu(rotation: Rotation, frame: str = '') -> Imu:
    message = Imu()
    message.header.frame_id = frame
    q = message.orientation
    q.x, q.y, q.z, q.w = rotation.as_quat().tolist()
    return message


@pytest.mark.parametrize('angle', [0.0, 0.3, 1.5, math.pi])
@pytest.mark.parametrize('mounting', [Rotation.identity(), OVER, Rotation.random(random_state=4)])
@pytest.mark.parametrize('heading', [0.0, 2.0])
def test_the_tilt_is_that_of_the_base_however_the_sensor_is_mounted(angle, mounting, heading):
    """Sensors turned in the base show the base's tilt; its heading does not matter."""
    base = Rotation.from_euler('z', heading) * Rotation.from_euler('y', angle)
    message = imu(base * mounting, 'imu_link')
    tilt = tilt_of(message, {'imu_link': mounting.as_matrix()}.get)
    assert tilt == pytest.approx(angle, abs=1e-7)


def test_a_sensor_without_orientation_tells_no_tilt():
    """By the message's definition a covariance that begins with -1 says so."""
    message = Imu()
    message.orientation.w = 0.0
    message.orientation_covariance[0] = -1.0
    assert tilt_of(message, {}.get) is None


@pytest.mark.parametrize('values', [(0.0, 0.0, 0.0, 0.0), (math.nan,) * 4, (1.0, 1.0, 1.0, 1.0)])
def test_what_is_no_orientation_is_refused_by_value(values):
    """Neither zeros, nor NaN, nor numbers of another length are taken for an orientation."""
    message = Imu()
    q = message.orientation
    q.x, q.y, q.z, q.w = values
    with pytest.raises(SoftshellError, match='expected a unit quaternion'):
        tilt_of(message, {}.get)


def test_a_sensor_that_is_not_on_the_base_is_refused_by_its_frame():
    """A frame that the robot does not know, or that moves against the base."""
    with pytest.raises(SoftshellError, match="frame 'camera' is not fixed to the base"):
        tilt_of(imu(OVER, 'camera'), {}.get)


def test_every_link_that_is_fixed_to_the_base_may_carry_the_sensor():
    """The mountings hold the base itself, and no link that a joint moves."""
    robot = load_robot('quadruped')
    mountings = mountings_of(robot.urdf, robot.base.link)
    np.testing.assert_allclose(mountings[robot.base.link], np.eye(3), atol=1e-15)
    moved = {joint.child for joint in robot.urdf.joints if joint.movable}
    assert not moved & set(mountings)
