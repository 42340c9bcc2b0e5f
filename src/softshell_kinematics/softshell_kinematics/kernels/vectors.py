"""Vectors as three numbers, and the angles that bring one to another about an axis.

The subproblems, of a rotation R(h, θ) about a unit vector h and vectors a and b, are those of B.
Paden, "Kinematics and Control of Robot Manipulators", 1986, and of A. J. Elias and J. T. Wen,
"IK-Geo: Unified Robot Inverse Kinematics Using Subproblem Decomposition", 2022.
"""

import math

from softshell_kinematics.kernels.bundles import Floats
from softshell_kinematics.kernels.compiled import compiled

Vector = tuple[float, float, float]

#: How far a cosine may be beyond ±1, by rounding or since the axes of a robot are a little off.
SLACK = 1e-6


@compiled
def vector(numbers: Floats, place: int) -> Vector:
    """Three numbers from a place on."""
    return numbers[place], numbers[place + 1], numbers[place + 2]


@compiled
def dot(a: Vector, b: Vector) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def plus(a: Vector, factor: float, b: Vector) -> Vector:
    """The sum a + factor · b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@compiled
def turned(h: Vector, cosine: float, sine: float, v: Vector) -> Vector:
    """R(h, θ) v, of the angle with this cosine and sine, by Rodrigues' formula."""
    along = (1.0 - cosine) * dot(h, v)
    c = cross(h, v)
    return (
        cosine * v[0] + sine * c[0] + along * h[0],
        cosine * v[1] + sine * c[1] + along * h[1],
        cosine * v[2] + sine * c[2] + along * h[2],
    )


@compiled
def angle_between(h: Vector, a: Vector, b: Vector) -> float:
    """The θ that brings R(h, θ) a closest to b; 0 if a or b is along h."""
    return math.atan2(dot(h, cross(a, b)), dot(a, b) - dot(h, a) * dot(h, b))


@compiled
def linear_roots(l0: float, l1: float, l2: float) -> tuple[int, float, float]:
    """Solve l0 + l1 cos θ + l2 sin θ = 0.

    Returns:
        The number of solutions, 0 or 2; and the two, which may be equal.
    """
    size = math.sqrt(l1 * l1 + l2 * l2)
    if not abs(l0) <= (1.0 + SLACK) * size or size == 0.0:
        return 0, 0.0, 0.0
    middle = math.atan2(l2, l1)
    half = math.acos(min(max(-l0 / size, -1.0), 1.0))
    return 2, middle + half, middle - half


@compiled
def angles_to_plane(h: Vector, a: Vector, b: Vector, d: float) -> tuple[int, float, float]:
    """Solve a · R(h, θ) b = d; returns as `linear_roots`."""
    along = dot(h, a) * dot(h, b)
    return linear_roots(along - d, dot(a, b) - along, dot(a, cross(h, b)))
