"""The soft arm of the planar tasks: four actuators that bend in one plane.

Sizes, masses, stiffness and largest moments of its actuators are those of SoMoGym's planar
manipulator in SI units (in its world, lengths are 20 times and moments 400 times as large). Links
have the inertia of their shape, as there: SoMo does not use the one that its files give. Unlike
there, the arm has neither base nor tip, half links have half the mass, and joints are damped
instead of a dry friction of 0.001 N m, so that the arm comes to rest.
"""

import math
from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_continuum.forms import ActuatorForm, JointForm, LinkForm, ManipulatorForm
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_sim.soft.members import SoftMembers

#: Number of actuators, length of one [m] and number of its segments.
ACTUATORS, LENGTH, SEGMENTS = 4, 0.125, 5
#: Length of the arm [m].
REACH = ACTUATORS * LENGTH
#: Width [m] and mass [kg] of a link.
WIDTH, MASS = 0.05, 0.00294
#: Stiffness of a joint [N m/rad], and its damping divided by its stiffness [s].
STIFFNESS, DAMPING = 0.2186, 0.4
#: Largest moment in the joints of an actuator [N m].
LARGEST = 0.125
#: (joints,) distances of the joints from the base along the straight arm [m].
PLACES = (np.arange(ACTUATORS * SEGMENTS) + 0.5) * LENGTH / SEGMENTS
#: (joints,) distances from each joint to the next, and from the last to the tip [m].
STEPS = np.diff(np.append(PLACES, REACH))
NAME = 'arm'


def planar_arm() -> ManipulatorForm:
    """The definition of the arm: straight along z, bending about x."""
    link = LinkForm(shape=Shape.STADIUM, dimensions=(WIDTH, WIDTH, LENGTH / SEGMENTS), mass=MASS)
    joint = JointForm(axis=(1.0, 0.0, 0.0), stiffness=STIFFNESS, damping=DAMPING * STIFFNESS)
    actuator = ActuatorForm(length=LENGTH, n_segments=SEGMENTS, link=link, joints=(joint,))
    return ManipulatorForm(name=NAME, actuators=(actuator,) * ACTUATORS)


def drives(soft: SoftMembers) -> tuple[Sequence[NDArray[np.int64]], Array]:
    """Columns of the joints of each actuator, and (actuators,) the largest moments [N m]."""
    member = soft.members[NAME]
    columns = [member.columns[member.kinds_of(number)[0]] for number in range(ACTUATORS)]
    return columns, np.full(ACTUATORS, LARGEST)


class Plane:
    """Kinematics of the arm in its plane.

    The two coordinates are `along`, the direction of the straight arm, and `aside`, the direction
    to which positive moments bend it.

    Args:
        soft: the arm in a world.
    """

    def __init__(self, soft: SoftMembers) -> None:
        self._soft, self._columns = soft, soft.members[NAME].columns
        self._sums = np.zeros((ACTUATORS, len(soft.position)))
        for joint, column in enumerate(self._columns):
            self._sums[joint // SEGMENTS, column] = 1.0

    def bends(self) -> tuple[Array, Array]:
        """(actuators,) bend of each actuator [rad], and (actuators,) its rate [rad/s]."""
        return self._sums @ self._soft.position, self._sums @ self._soft.velocity

    def tip(self) -> tuple[Array, Array]:
        """(2,) position of the tip, along and aside [m], and (2,) its velocity [m/s]."""
        soft, columns = self._soft, self._columns
        moved = _tip(soft.position[columns], soft.velocity[columns], PLACES[0], STEPS)
        return moved[0], moved[1]


def tip_of(angles: Array) -> tuple[Array, Array]:
    """Position of the tip, along and aside, and its Jacobian.

    A positive turn of a joint about x moves the links beyond it from z towards -y; so `aside` is
    the direction of -y.

    Args:
        angles: (joints,) [rad].

    Returns:
        (2,) position of the tip [m], and (2, joints) its derivative by each angle [m/rad].
    """
    heading = np.cumsum(angles)
    parts = STEPS * np.array([np.cos(heading), np.sin(heading)])
    beyond = parts[:, ::-1].cumsum(axis=1)[:, ::-1]  # from each joint to the tip
    point = np.array([PLACES[0] + beyond[0, 0], beyond[1, 0]])
    return point, np.array([-beyond[1], beyond[0]])


@njit(cache=True)
def _tip(angles: Array, rates: Array, begin: float, steps: Array) -> Array:
    """(2, 2) position [m] and velocity [m/s] of the tip, along and aside; see `tip_of`."""
    found = np.zeros((2, 2))
    found[0, 0] = begin
    heading = turning = 0.0
    for joint in range(len(steps)):
        heading += angles[joint]
        turning += rates[joint]
        along, aside = steps[joint] * math.cos(heading), steps[joint] * math.sin(heading)
        found[0, 0] += along
        found[0, 1] += aside
        found[1, 0] -= turning * aside
        found[1, 1] += turning * along
    return found
