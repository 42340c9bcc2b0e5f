"""Pose and velocity of any link of a robot, from its root link and its joints."""

import numpy as np

from softshell_control.backend import ImuSample
from softshell_control.joint_map import JointMap
from softshell_control.vectors import cross
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.urdf import Urdf
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    rotation_about,
    rotation_from_quaternion,
    transform,
)
from softshell_sim.bodies import BodyState


class LinkMotion:
    """Follows the joints from the root link to a link.

    Velocities add up along the way: v' = v + ω × r, and a joint adds its own along or about its
    axis (Craig, Introduction to Robotics, 3rd ed., eqs. 5.45 to 5.48).

    Args:
        urdf: the robot.
        joint_map: order of its joints.
        link: the link.

    Attributes:
        rotation: (3, 3) of the link in the world, at the last `update`.
        position: (3,) of its origin in the world [m].
        linear_velocity, angular_velocity: (3,) of it in the world [m/s], [rad/s].

    Raises:
        UnknownNameError: the robot has no such link.
    """

    def __init__(self, urdf: Urdf, joint_map: JointMap, link: str) -> None:
        places = {name: place for place, name in enumerate(joint_map.names)}
        self._joints = [
            (joint, places.get(joint.name, -1)) for joint in reversed(urdf.ancestry(link))
        ]
        self.rotation, self.position = np.eye(3), np.zeros(3)
        self.linear_velocity, self.angular_velocity = np.zeros(3), np.zeros(3)

    @property
    def pose(self) -> Array:
        """(4, 4) of the link in the world."""
        return transform(self.rotation, self.position)

    def update(self, root: BodyState, position: Array, velocity: Array) -> None:
        """Take a new state.

        Args:
            root: of the root link, in the world.
            position: (movable,) of the joints [rad] or [m].
            velocity: (movable,) of the joints [rad/s] or [m/s].
        """
        turn, place = rotation_from_quaternion(root.orientation), root.position
        linear, angular = root.linear_velocity, root.angular_velocity
        for joint, number in self._joints:
            arm = turn @ joint.origin[:3, 3]
            place, linear = place + arm, linear + cross(angular, arm)
            turn = turn @ joint.origin[:3, :3]
            if not joint.movable:
                continue
            axis = turn @ joint.axis
            if joint.type == 'prismatic':
                arm = axis * position[number]
                place, linear = place + arm, linear + cross(angular, arm)
                linear = linear + axis * velocity[number]
            else:
                # A wheel may have turned more often than `rotation_about` takes.
                angle = np.fmod(position[number], 2.0 * np.pi)
                turn = turn @ rotation_about(joint.axis, angle)
                angular = angular + axis * velocity[number]
        # Without joints on the way these are the root's own arrays.
        self.rotation, self.position = turn, place.copy()
        self.linear_velocity, self.angular_velocity = linear.copy(), angular.copy()


class LinkImu:
    """What an IMU on any link shows, also on one that joints move.

    The acceleration is the mean since the last reading, along the link's present axes.

    Args:
        motion: of the link.
        gravity: (3,) in the world [m/s^2]; may be changed in place between readings.
        sample: that is filled.
    """

    def __init__(self, motion: LinkMotion, gravity: Array, sample: ImuSample) -> None:
        self._motion, self._sample = motion, sample
        self._gravity = gravity
        self.begin()

    def begin(self) -> None:
        """Forget the last reading."""
        self.last_velocity = np.zeros(3)

    def read(self, root: BodyState, position: Array, velocity: Array, elapsed: float) -> None:
        """Fill the sample.

        Args:
            root: of the root link, in the world.
            position: (movable,) of the joints [rad] or [m].
            velocity: (movable,) of the joints [rad/s] or [m/s].
            elapsed: since the last reading [s]; 0: the link counts as not accelerated.
        """
        motion, sample = self._motion, self._sample
        motion.update(root, position, velocity)
        felt = -self._gravity
        if elapsed > 0.0:
            felt = felt + (motion.linear_velocity - self.last_velocity) / elapsed
        self.last_velocity = motion.linear_velocity
        sample.orientation[:] = quaternion_from_rotation(motion.rotation)
        sample.angular_velocity[:] = motion.angular_velocity @ motion.rotation
        sample.linear_acceleration[:] = felt @ motion.rotation
