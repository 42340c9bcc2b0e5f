"""Stops of spring joints in PyBullet, which hold a joint at its limits.

PyBullet solves the constraints of limits one after the other. On a chain of light links that
springs and tendons press against their stops this does not converge, and the links yield. So each
stop is a stiff one-sided spring as well, which is integrated implicitly like the others.
"""

import numpy as np

from softshell_kinematics.arrays import Array

#: Inertia of a stop in an implicit step, h² times its stiffness, by that of its joint.
HARDNESS = 1e3
#: Most rounds in which it is found which joints press on a stop.
ROUNDS = 8


def held_by_stops(
    acceleration: Array,
    limits: Array,
    after: Array,
    inertia: Array,
    inverse: Array,
    step: float,
) -> Array:
    """Accelerations in an implicit step in which no joint goes beyond its stops.

    The stops P that joints press on are springs of inertia H = `HARDNESS` diag A_PP, where A is
    that of the joints. Their efforts r follow from the accelerations a without stops and w that
    would lead to them: (A⁻¹_PP + H⁻¹) r = w_P − a_P, and they add A⁻¹_·P r to the accelerations
    (Woodbury's identity). So there is one equation for each joint that presses, not for all.

    Args:
        acceleration: (joints,) without stops.
        limits: (2, joints) lowest and highest positions [rad] or [m].
        after: (joints,) positions at the end of the step at constant velocity [rad] or [m].
        inertia: (joints,) diagonal of A = M + B of the step [kg m^2] or [kg].
        inverse: (joints, joints) A⁻¹.
        step: its duration [s].

    Returns:
        (joints,) accelerations; those given if no joint comes to a stop.
    """
    free, presses = acceleration, np.zeros(len(after), bool)
    for _ in range(ROUNDS):
        ends = after + step**2 * acceleration
        stop = np.clip(ends, *limits)
        did, presses = presses, ends != stop
        if np.array_equal(did, presses):
            break
        held = np.flatnonzero(presses)
        among = inverse[np.ix_(held, held)]
        among.flat[:: len(held) + 1] += 1.0 / (HARDNESS * inertia[held])
        wanted = (stop[held] - after[held]) / step**2
        pushes = np.linalg.solve(among, wanted - free[held])
        acceleration = free + inverse[:, held] @ pushes
    return acceleration
