"""Whether feet touch anything, and whether the ground carries them: by what they feel."""

import numpy as np

from softshell_control.backend import Measured
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array

#: Part of an equal share of the weight with which a foot counts as carried.
CARRIED = 0.1
GRAVITY = 9.81  # [m/s²]


class Touch:
    """Tells which feet touch anything, and which are carried.

    Args:
        robot: with legs.

    Attributes:
        touching: (feet,) whether each touches anything, from the side as well.
        carried: (feet,) whether the ground carries it.
    """

    def __init__(self, robot: RobotModel) -> None:
        assert robot.legs is not None
        count = len(robot.legs.feet)
        self.touching, self.carried = np.zeros((2, count), dtype=np.bool_)
        self._least = CARRIED * GRAVITY * robot.urdf.mass / count

    def look(self, measured: Measured) -> None:
        """Renew both."""
        contacts = measured.contacts
        if contacts is None:
            return
        self.touching[:] = contacts.touching
        self.carried[:] = contacts.touching
        upwards: Array = contacts.force[:, 2]
        if upwards.any():  # else no forces are measured
            self.carried &= upwards > self._least
