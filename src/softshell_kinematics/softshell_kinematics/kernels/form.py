"""Shared by the closed forms: an arm's axes, the motion they have to make, the best solution."""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Form
from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.vectors import Vector, cross, dot, plus, turned, vector
from softshell_kinematics.kernels.work import (
    ANGLES,
    BEST,
    BEYOND,
    CHOSEN,
    GOAL,
    LOWER,
    MOTION,
    ROTATION,
    SEED,
    UPPER,
)

TURN = 2.0 * math.pi
#: How far beyond a limit an angle still counts as on it, since rounding may put it there [rad].
AT_LIMIT = 1e-6
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
#: Where in a form's numbers there are: the axes, their points, the point where the last ones meet,
#: the inverse of the tip's pose at zero, the axis and the point of a seventh joint that is held,
#: and for each of the six 1 or -1, as it turns about its axis or against it.
AXES, POINTS, CENTRE, ZERO, HELD_AXIS, HELD_POINT, SIGNS = 0, 18, 36, 39, 51, 54, 57
FORM_SIZE = 63


@inlined
def on_axis(numbers: Floats, axis: int) -> tuple[Vector, Vector]:
    """The direction of an axis, 0 to 5, and a point on it."""
    return vector(numbers, AXES + 3 * axis), vector(numbers, POINTS + 3 * axis)


@inlined
def sideways(h: Vector) -> Vector:
    """A unit vector at a right angle to a unit vector."""
    if abs(h[0]) < 0.6:
        v = cross(h, (1.0, 0.0, 0.0))
    else:
        v = cross(h, (0.0, 1.0, 0.0))
    size = 1.0 / math.sqrt(dot(v, v))
    return v[0] * size, v[1] * size, v[2] * size


@compiled
def applied(work: Floats, v: Vector) -> Vector:
    """The rotation of MOTION times a vector."""
    return (
        work[MOTION, 0] * v[0] + work[MOTION, 1] * v[1] + work[MOTION, 2] * v[2],
        work[MOTION, 3] * v[0] + work[MOTION, 4] * v[1] + work[MOTION, 5] * v[2],
        work[MOTION, 6] * v[0] + work[MOTION, 7] * v[1] + work[MOTION, 8] * v[2],
    )


@compiled
def applied_back(work: Floats, v: Vector) -> Vector:
    """The transposed rotation of MOTION times a vector."""
    return (
        work[MOTION, 0] * v[0] + work[MOTION, 3] * v[1] + work[MOTION, 6] * v[2],
        work[MOTION, 1] * v[0] + work[MOTION, 4] * v[1] + work[MOTION, 7] * v[2],
        work[MOTION, 2] * v[0] + work[MOTION, 5] * v[1] + work[MOTION, 8] * v[2],
    )


@compiled
def motion_point(work: Floats) -> Vector:
    """The translation of MOTION."""
    return work[MOTION, 9], work[MOTION, 10], work[MOTION, 11]


@compiled
def set_motion(x: Vector, y: Vector, z: Vector, p: Vector, work: Floats) -> None:
    """Make MOTION a rotation with these columns, and a translation."""
    work[MOTION, 0], work[MOTION, 1], work[MOTION, 2] = x[0], y[0], z[0]
    work[MOTION, 3], work[MOTION, 4], work[MOTION, 5] = x[1], y[1], z[1]
    work[MOTION, 6], work[MOTION, 7], work[MOTION, 8] = x[2], y[2], z[2]
    work[MOTION, 9], work[MOTION, 10], work[MOTION, 11] = p[0], p[1], p[2]


@compiled
def take_motion(form: Form, held: float, work: Floats) -> None:
    """Write to MOTION the motion of the six joints, with a seventh held at an angle [rad]."""
    numbers = form.numbers
    for i in range(3):
        # The goal times the inverse of the tip's pose at zero.
        a, b, c = work[ROTATION, 3 * i], work[ROTATION, 3 * i + 1], work[ROTATION, 3 * i + 2]
        for j in range(3):
            work[MOTION, 3 * i + j] = (
                a * numbers[ZERO + j] + b * numbers[ZERO + 3 + j] + c * numbers[ZERO + 6 + j]
            )
        work[MOTION, 9 + i] = (
            work[GOAL, i] + a * numbers[ZERO + 9] + b * numbers[ZERO + 10] + c * numbers[ZERO + 11]
        )
    p = motion_point(work)
    if form.held >= 0:
        h, o = vector(numbers, HELD_AXIS), vector(numbers, HELD_POINT)
        c, s = math.cos(held), -math.sin(held)
        if form.held == 0:
            x = turned(h, c, s, applied(work, X))
            y = turned(h, c, s, applied(work, Y))
            z = turned(h, c, s, applied(work, Z))
            p = plus(o, 1.0, turned(h, c, s, plus(p, -1.0, o)))
        else:
            x = applied(work, turned(h, c, s, X))
            y = applied(work, turned(h, c, s, Y))
            z = applied(work, turned(h, c, s, Z))
            p = plus(p, 1.0, applied(work, plus(o, -1.0, turned(h, c, s, o))))
        set_motion(x, y, z, p, work)
    if form.backwards:
        x, y, z = applied_back(work, X), applied_back(work, Y), applied_back(work, Z)
        back = applied_back(work, p)
        set_motion(x, y, z, (-back[0], -back[1], -back[2]), work)


@compiled
def consider(chain: Chain, form: Form, best: float, work: Floats) -> float:
    """Make ANGLES the BEST if they are nearer to the SEED than it, but farther than BEYOND.

    Each angle is first moved by whole turns to where it is within its limits and nearest to the
    seed. Angles beyond a limit by more than `AT_LIMIT` are left out.

    Args:
        chain, form, work: as of `solve_in_closed_form`.
        best: squared distance of BEST to the SEED so far [rad²].

    Returns:
        The same, with ANGLES considered.
    """
    distance, first = 0.0, chain.first + (form.held == 0)
    for k in range(6):
        row = first + (5 - k if form.backwards else k)
        i = chain.codes[row, 1]
        angle = form.numbers[SIGNS + k] * work[ANGLES, k]
        # Multipliers are 1 or -1.
        value = (angle - chain.numbers[row, 13]) * chain.numbers[row, 12]
        value += TURN * math.floor((work[SEED, i] - value) / TURN + 0.5)
        low, high = work[LOWER, i], work[UPPER, i]
        if value < low - AT_LIMIT:
            value += TURN * math.ceil((low - AT_LIMIT - value) / TURN)
        elif value > high + AT_LIMIT:
            value -= TURN * math.ceil((value - high - AT_LIMIT) / TURN)
        if not low - AT_LIMIT <= value <= high + AT_LIMIT:
            return best
        value = min(max(value, low), high)
        work[CHOSEN, i] = value
        distance += (value - work[SEED, i]) * (value - work[SEED, i])
    if not work[BEYOND, 0] < distance < best:
        return best
    for k in range(6):
        i = chain.codes[first + k, 1]
        work[BEST, i] = work[CHOSEN, i]
    return distance
