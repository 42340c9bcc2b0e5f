"""Whether feet touch anything, and whether the ground carries them: by contacts, or by efforts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.gravity import GRAVITY
from softshell_control.backend import Measured
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.loops.tip_forces import TipForces
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.transforms import rotation_from_quaternion

Flags = NDArray[np.bool_]
#: A foot counts as carried with this part of an equal share of the weight, if contacts are
#: measured, and if only efforts are.
CARRIED, CARRIED_BY_EFFORT = 0.1, 0.3
#: A force that is so many times larger sideways than upwards comes from a wall.
STEEP = 1.2
#: A force that is so many times larger sideways than upwards, or points down, holds a foot back.
HOLDING = 2.5
#: Time constant of estimated forces, and of the force that a foot in the air seems to have [s].
SMOOTHING = 0.02


class Touch:
    """Tells which feet touch anything, and which are carried.

    If no contacts are measured, the force on a foot is estimated from the efforts of its leg. The
    force that it seems to have in the air, by the weight of the leg, is subtracted.

    Args:
        robot: with legs.
        chains: of its legs.
        own: the joints of each.

    Attributes:
        touching: (feet,) whether each touches anything, from the side as well.
        carried: (feet,) whether the ground carries it.
        held: (feet, 3) how what holds it back pushes it, as the walls of a gap do: in the base,
            in equal shares of the weight; zeros if nothing does, if only efforts are measured, or
            if nobody knows where the base is.
        load: (feet,) vertical force on each, estimated from efforts [N].
    """

    def __init__(
        self, robot: RobotModel, chains: Sequence[SerialChain], own: Sequence[Sequence[str]]
    ) -> None:
        names = JointMap.of(robot).names
        wide = np.full(len(names), np.inf)
        count = len(chains)
        self._forces = TipForces(chains, names, own, -wide, wide)
        self.touching, self.carried = np.ones((2, count), dtype=np.bool_)
        self.held = np.zeros((count, 3))
        self.load, self._weight = np.zeros((2, count))
        self._force, self._known = np.zeros((count, 3)), np.zeros(count, dtype=np.bool_)
        self._share = GRAVITY * robot.urdf.mass / count

    def look(self, measured: Measured, normal: Array, aloft: Flags, seconds: float) -> None:
        """Take a measurement, and renew the attributes.

        Args:
            measured: contacts, or joints and their efforts.
            normal: (3,) upwards, in the base.
            aloft: (feet,) whether each is surely in the air, as it is planned.
            seconds: since the measurement before [s].
        """
        contacts = measured.contacts
        if contacts is None:
            self._feel(measured, normal, aloft, seconds)
            return
        self.touching[:] = contacts.touching
        self.carried[:] = contacts.touching
        self.held[:] = 0.0
        upwards: Array = contacts.force[:, 2]
        if upwards.any():  # else no forces are measured
            aside = np.hypot(contacts.force[:, 0], contacts.force[:, 1])
            least = CARRIED * self._share
            self.carried &= (upwards > least) & (aside < STEEP * upwards)
            holds = (np.hypot(aside, upwards) > least) & (aside > HOLDING * upwards)
            if measured.base is not None and holds.any():
                turn = rotation_from_quaternion(measured.base.orientation)
                self.held[holds] = contacts.force[holds] @ turn / self._share

    def _feel(self, measured: Measured, normal: Array, aloft: Flags, seconds: float) -> None:
        self._forces.estimate(measured.position, measured.effort, self._force, self._known)
        share = seconds / (seconds + SMOOTHING)
        load = self._force @ normal
        self.load += np.where(self._known, share * (load - self.load), 0.0)
        self._weight += np.where(aloft, share * (self.load - self._weight), 0.0)
        self.carried[:] = self.load - self._weight > CARRIED_BY_EFFORT * self._share
        self.touching[:] = self.carried
