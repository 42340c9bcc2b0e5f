"""What an IMU on some link tells of the base."""

import numpy as np

from softshell_control.backend import ImuSample
from softshell_description.model import RobotModel
from softshell_kinematics.transforms import quaternion_from_rotation, quaternion_product


def imu_of_base(robot: RobotModel, imu: ImuSample) -> ImuSample | None:
    """Orientation and angular velocity as an IMU along the base link's axes would show them.

    Args:
        robot: the robot.
        imu: of any of its links.

    Returns:
        The sample, its acceleration still that at the IMU's place; None if a joint is between
        the IMU and the base.
    """
    bodies = robot.urdf.bodies
    (carrier, in_carrier), (body, base_in_body) = bodies[imu.link], bodies[robot.base.link]
    if carrier != body:
        return None
    turn = in_carrier[:3, :3].T @ base_in_body[:3, :3]
    return ImuSample(
        orientation=np.asarray(
            quaternion_product(imu.orientation, quaternion_from_rotation(turn))
        ),
        angular_velocity=imu.angular_velocity @ turn,
        linear_acceleration=imu.linear_acceleration @ turn,
        age=imu.age,
        deviations=imu.deviations,
    )
