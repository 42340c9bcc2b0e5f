"""The motion of a base from the motion of its feet, compiled: weights of feet, and rigid fits.

The feet that stand do not slide over the ground but roll on it. So their motion as seen from the
base is the opposite of the base's motion, and those that stand agree on one rigid motion, while a
foot that swings or slips does not.
"""

import math

import numpy as np
import scipy.linalg  # noqa: F401  numba takes products and solutions of matrices from it
from numba import njit

from softshell_control.vectors import cross
from softshell_kinematics.arrays import Array

#: A foot that slips at this speed relative to the others has a quarter of its weight [m/s].
SLIPPING = 0.02
#: Passes of the fit, each with the weights that the pass before found.
PASSES = 4
#: First weight of a foot that did not stand before, relative to one that did.
NEW = 0.01
#: Keeps a rotation at 0 that the feet do not determine, e.g. about the line through two of them.
STIFFNESS = 1e-9  # [m^2]


@njit(cache=True)
def weigh(
    prior: Array, points: Array, drift: Array, turning: bool, weights: Array, motion: Array
) -> bool:
    """Write how surely each foot stands: robust regression by reweighting (Geman and McClure).

    Args:
        prior: (feet,) how likely it stands by contact or height, 0 to 1.
        points: (feet, 3) [m] from the base, along odom.
        drift: (feet, 3) velocity of the base by each foot [m/s].
        turning: whether the base may also have turned in a way that is not known yet.
        weights: (feet,) those of the last measurement; written.
        motion: (6,) written: twist of the base along odom, angular [rad/s], then linear [m/s].

    Returns:
        Whether any foot stands.
    """
    squares = np.zeros(len(prior))
    # Feet that stood probably still do; of several solutions the one near the start is found.
    for i in range(len(prior)):
        weights[i] = prior[i] * (NEW + weights[i])
    for _ in range(PASSES):
        if not fit(points, drift, weights, turning, motion):
            return False
        scale = SLIPPING**2
        for i in range(len(prior)):
            squares[i] = 0.0
            for axis in range(3):
                j, k = (axis + 1) % 3, (axis + 2) % 3
                turned = motion[j] * points[i, k] - motion[k] * points[i, j]
                squares[i] += (drift[i, axis] - motion[3 + axis] - turned) ** 2
        # If all feet slip, no few of them are right: a larger scale leads nearer to the mean.
        scale += 2.0 * (weights @ squares) / weights.sum()
        for i in range(len(prior)):
            weights[i] = prior[i] / (1.0 + squares[i] / scale) ** 2
    return True


@njit(cache=True)
def fit(points: Array, moves: Array, weights: Array, turning: bool, motion: Array) -> bool:
    """Write the small rigid motion that takes points along moves, by weighted least squares.

    move = shift + turn × point. Repeated it ends at the rigid motion of Kabsch (1976).

    Args:
        points: (n, 3) [m].
        moves: (n, 3) [m], or velocities.
        weights: (n,).
        turning: whether there is a turn; otherwise only a shift.
        motion: (6,) written: turn [rad], shift [m].

    Returns:
        Whether any weight is above 0.
    """
    total = weights.sum()
    motion[:] = 0.0
    if total < 1e-9:
        return False
    centre, mean = np.zeros(3), np.zeros(3)
    for i in range(len(weights)):
        for axis in range(3):
            centre[axis] += weights[i] / total * points[i, axis]
            mean[axis] += weights[i] / total * moves[i, axis]
    if turning:
        matrix, moment = STIFFNESS * np.eye(3), np.zeros(3)
        for i in range(len(weights)):
            x, share = points[i] - centre, weights[i] / total
            matrix += share * ((x @ x) * np.eye(3) - np.outer(x, x))
            moment += share * cross(x, moves[i] - mean)
        motion[:3] = np.linalg.solve(matrix, moment)
    motion[3:] = mean - cross(motion[:3], centre)
    return True


@njit(cache=True)
def disagreement(points: Array, drift: Array, weights: Array, motion: Array) -> float:
    """Standard deviation of the base's velocity along each level axis, by the feet's own spread.

    That of a weighted mean whose parts err as far as they are off it: H. White, "A
    heteroskedasticity-consistent covariance matrix estimator", Econometrica 1980, for few parts
    times n/(n − 1), with n = (Σw)²/Σw² as their number. A single foot has no spread.

    Args:
        points: (feet, 3) [m] from the base, along odom.
        drift: (feet, 3) velocity of the base by each foot [m/s].
        weights: (feet,) how far each counts.
        motion: (6,) what they agree on: turn [rad/s], shift [m/s].

    Returns:
        [m/s].
    """
    total, squares, spread = weights.sum(), weights @ weights, 0.0
    if total * total <= squares * (1.0 + 1e-9):
        return 0.0
    for i in range(len(weights)):
        x = drift[i, 0] - motion[3] - motion[1] * points[i, 2] + motion[2] * points[i, 1]
        y = drift[i, 1] - motion[4] - motion[2] * points[i, 0] + motion[0] * points[i, 2]
        spread += 0.5 * weights[i] ** 2 * (x * x + y * y)
    return math.sqrt(spread / (total * total - squares))


@njit(cache=True)
def levelled(points: Array, heights: Array, weights: Array) -> Array:
    """The turn (3,) [rad] about x and y after which the points that count lie on level ground.

    Args:
        points: (n, 3) [m].
        heights: (n,) of what touches the ground below each point [m].
        weights: (n,).
    """
    total = weights.sum()
    if total < 1e-9:
        return np.zeros(3)
    x, y, z = points[:, 0].copy(), points[:, 1].copy(), heights
    mx, my, mz = (weights @ x) / total, (weights @ y) / total, (weights @ z) / total
    xx = (weights * (x - mx)) @ (x - mx) / total
    yy = (weights * (y - my)) @ (y - my) / total
    xy = (weights * (x - mx)) @ (y - my) / total
    xz = (weights * (x - mx)) @ (z - mz) / total
    yz = (weights * (y - my)) @ (z - mz) / total
    determinant = xx * yy - xy * xy
    # Feet on a line, or a single one, define no plane.
    if determinant <= 1e-4 * (xx + yy) ** 2:
        return np.zeros(3)
    slope_x, slope_y = (xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant
    return np.array([-slope_y, slope_x, 0.0])


@njit(cache=True)
def turned(turn: Array, rotation: Array) -> Array:
    """A rotation (3, 3) after a further turn (3,) [rad] in odom, by Rodrigues' formula."""
    angle = math.sqrt(turn @ turn)
    if angle < 1e-14:
        return rotation.copy()
    k = np.array([[0.0, -turn[2], turn[1]], [turn[2], 0.0, -turn[0]], [-turn[1], turn[0], 0.0]])
    half = 0.5 * angle
    ratio = math.sin(half) / half
    result: Array = (np.eye(3) + math.sin(angle) / angle * k + 0.5 * ratio**2 * (k @ k)) @ rotation
    return result
