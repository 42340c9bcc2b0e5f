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
    mass: Array,
    added: Array,
    effort: Array,
    step: float,
) -> Array:
    """Accelerations in an implicit step in which no joint goes beyond its stops.

    Args:
        acceleration: (joints,) without stops.
        limits: (2, joints) lowest and highest positions [rad] or [m].
        after: (joints,) positions at the end of the step at constant velocity [rad] or [m].
        mass: (joints, joints) M of the step.
        added: (joints,) diagonal of its B [kg m^2] or [kg].
        effort: (joints,) known before it [N m] or [N].
        step: its duration [s].

    Returns:
        (joints,) accelerations; those given if no joint comes to a stop.
    """
    presses = np.zeros(len(after), bool)
    for _ in range(ROUNDS):
        ends = after + step**2 * acceleration
        stop = np.clip(ends, *limits)
        did, presses = presses, ends != stop
        if np.array_equal(did, presses):
            break
        hard = np.where(presses, HARDNESS * (np.diag(mass) + added), 0.0)
        push = hard * (stop - after) / step**2
        matrix = mass + np.diag(added + hard)
        acceleration = np.asarray(np.linalg.solve(matrix, effort + push))
    return acceleration
