"""A simulated walk whose truth is kept, to be seen again by whatever sensors."""

import math
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from walking_rig import PERIOD, Stage

from softshell_control.estimates.leg_odometry import LegOdometry
from softshell_control.joint_map import JointMap
from softshell_sim.sensing.signals import Sensing


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimated base beside the true one, tick by tick.

    Args:
        off: (ticks, 3) of the estimate from the truth in x, y [m], yaw [rad].
        stated: (ticks, 3) standard deviations of these.
        slow: (ticks, 2) of the estimated velocity from the truth, along the base's x, y [m/s].
        stated_velocity: (ticks, 2) standard deviations of these.
    """

    off: np.ndarray
    stated: np.ndarray
    slow: np.ndarray
    stated_velocity: np.ndarray


class Recording:
    """The truth of a robot that performs actions: motors do not hear of sensors.

    Args:
        name: of the robot.
        script: actions and their values.

    Attributes:
        ends: tick at which each action has ended.
    """

    def __init__(self, name, script, **settings):
        stage = Stage(name, **settings)
        self.robot, self._truths, self.ends = stage.robot, [], []
        for action, values in script:
            self._truths += [deepcopy(each) for each in stage.perform(action, **values)]
            self.ends.append(len(self._truths) - 1)
        stage.close()

    def estimate(self, sensors, seed=0):
        """What legs and an IMU tell by these sensors."""
        odometry, truth = LegOdometry(self.robot), deepcopy(self._truths[0])
        truth.imu.deviations = sensors.imu.deviations
        sensing = Sensing(sensors, seed, truth, JointMap.of(self.robot))
        columns = [[] for _ in range(4)]
        for tick, true in enumerate(self._truths):
            _put(true, truth)
            measured = sensing.read(tick * PERIOD)
            base = odometry.update(replace(measured, base=None), PERIOD)
            rows = (
                place(base) - place(true.base),
                base.pose_deviation[[0, 1, 5]],
                (base.linear_velocity - true.base.linear_velocity)[:2],
                base.twist_deviation[:2],
            )
            for column, row in zip(columns, rows, strict=True):
                column.append(row.copy())
        return Estimate(*map(np.array, columns))


def place(base):
    """x, y [m] and yaw [rad] of a base."""
    i, j, k, w = base.orientation.tolist()
    yaw = math.atan2(2.0 * (i * j + k * w), 1.0 - 2.0 * (j * j + k * k))
    return np.array([base.position[0], base.position[1], yaw])


def _put(source, target):
    """Write the arrays of a measurement into another one."""
    pairs = [
        (source, target, ('position', 'velocity', 'effort', 'channels')),
        (source.base, target.base, ('position', 'orientation')),
        (source.imu, target.imu, ('orientation', 'angular_velocity', 'linear_acceleration')),
        (source.contacts, target.contacts, ('touching', 'force')),
    ]
    for one, other, names in pairs:
        for name in names:
            getattr(other, name)[...] = getattr(one, name)
