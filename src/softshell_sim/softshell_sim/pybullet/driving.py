"""Links of PyBullet that go their way whatever they meet.

Such a link has a mass far above all others; each step begins with the velocity that, with what
gravity adds, ends where it is to be. Two that nothing moves would still stop each other, so they
do not touch.
"""

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import hamilton
from softshell_sim.pose_path import turn_in_world
from softshell_sim.pybullet.energy import Inertias
from softshell_sim.pybullet.loading import Numbers
from softshell_sim.pybullet.quietly import pybullet

_product = njit(cache=True)(hamilton)

#: Mass [kg] and moments of inertia [kg m^2] of a driven link: 10 kN bend its way by 1e-11 m.
HEAVY = 1e9


def set_heavy(client: int, number: int, own: Inertias, heavy: bool) -> None:
    """Let nothing change the velocity of a root link, or give it back its own inertia."""
    mass, moments = (HEAVY, [HEAVY] * 3) if heavy else (float(own.mass[0]), own.moments[0])
    # Equal moments: what turns keeps its axis.
    pybullet.changeDynamics(
        number, -1, mass=mass, localInertiaDiagonal=list(moments), physicsClientId=client
    )


def let_touch(client: int, number: int, other: int, touch: bool) -> None:
    """Let two root links touch or pass through each other."""
    pybullet.setCollisionFilterPair(number, other, -1, -1, int(touch), physicsClientId=client)


def aim(
    client: int,
    numbers: Numbers,
    position: Array,
    orientation: Array,
    step: float,
    gravity: Array,
) -> None:
    """Give a root link the velocity that brings it to a pose within a step.

    Args:
        client: PyBullet's.
        numbers: of the body.
        position, orientation: (3,) [m] and (4,) of the frame of its root link.
        step: of time [s].
        gravity: (3,) that acts meanwhile [m/s^2].
    """
    centre, turn = pybullet.getBasePositionAndOrientation(numbers.body, physicsClientId=client)
    offset, axes = numbers.inertial_in_root
    # PyBullet's own product of transforms has single precision.
    way, rotation = _way(
        np.array(centre), np.array(turn), position, orientation, np.array(offset), np.array(axes)
    )
    pybullet.resetBaseVelocity(
        numbers.body,
        (way / step - step * gravity).tolist(),
        (rotation / step).tolist(),
        physicsClientId=client,
    )


@njit(cache=True)
def _way(
    centre: Array, turn: Array, position: Array, orientation: Array, offset: Array, axes: Array
) -> tuple[Array, Array]:
    """What is left of the way of an inertial frame, and of its turn as a rotation vector.

    Args:
        centre, turn: (3,), (4,) where the inertial frame is.
        position, orientation: (3,), (4,) where the frame of the link is to be.
        offset, axes: (3,), (4,) of the inertial frame in the frame of the link.
    """
    x, y, z, w = orientation
    arm = np.array([offset[0], offset[1], offset[2], 0.0])
    arm = np.array(_product(np.array(_product(orientation, arm)), np.array([-x, -y, -z, w])))
    goal = np.array(_product(orientation, axes))
    return position + arm[:3] - centre, turn_in_world(turn, goal)
