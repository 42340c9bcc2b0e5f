"""Roots of a trigonometric polynomial of second degree."""

import math

from softshell_kinematics.kernels.bundles import Floats
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.so3 import sine_and_cosine
from softshell_kinematics.kernels.vectors import linear_roots
from softshell_kinematics.kernels.work import ROOTS

Coefficients = tuple[float, float, float, float, float, float]
#: Its powers are where the search for the four complex roots starts: not symmetric about any line.
START = 0.4 + 0.9j
#: Most rounds.
ROUNDS = 50
#: A round that moves all roots by less than this share of their size is the last.
STILL = 1e-14
#: How far from the unit circle a root may be: rounding moves two that nearly meet off it.
OFF_CIRCLE = 1e-3
#: Below this share of the largest coefficient that of second degree counts as 0.
NONE = 1e-12


@compiled
def trigonometric_roots(f: Coefficients, work: Floats) -> int:
    """Solve f0 + f1 c + f2 s + f3 c² + f4 c s + f5 s² = 0 for an angle with cosine c and sine s.

    With z = c + i s it is a polynomial of fourth degree, whose roots on the unit circle are the
    solutions. All four are found at once (O. Aberth, "Iteration methods for finding all zeros of a
    polynomial simultaneously", 1973), and those on the circle then polished as angles.

    Returns:
        How many solutions are in ROOTS, at most 4; close ones may be there twice.
    """
    # Of cos 2θ and sin 2θ, of cos θ and sin θ, and of 1.
    second = complex(0.5 * (f[3] - f[5]), -0.5 * f[4])
    first, constant = complex(f[1], -f[2]), f[0] + 0.5 * (f[3] + f[5])
    largest = max(abs(second), abs(first), abs(constant))
    if not abs(second) > NONE * largest:
        count, one, other = linear_roots(constant, f[1], f[2])
        work[ROOTS, 0], work[ROOTS, 1] = one, other
        return count
    # z⁴ + a z³ + b z² + c z + d, of which the last two mirror the others.
    a, b = first / second, 2.0 * constant / second
    c, d = first.conjugate() / second, second.conjugate() / second
    z0, z1, z2, z3 = START, START * START, START**3, START**4
    for _ in range(ROUNDS):
        before = abs(z0) + abs(z1) + abs(z2) + abs(z3)
        m0 = aberth(z0, z1, z2, z3, a, b, c, d)
        z0 -= m0
        m1 = aberth(z1, z0, z2, z3, a, b, c, d)
        z1 -= m1
        m2 = aberth(z2, z0, z1, z3, a, b, c, d)
        z2 -= m2
        m3 = aberth(z3, z0, z1, z2, a, b, c, d)
        z3 -= m3
        if abs(m0) + abs(m1) + abs(m2) + abs(m3) < STILL * before:
            break
    count = 0
    for k in range(4):
        z = z0 if k == 0 else (z1 if k == 1 else (z2 if k == 2 else z3))
        if abs(abs(z) - 1.0) < OFF_CIRCLE:
            work[ROOTS, count] = polished(f, math.atan2(z.imag, z.real))
            count += 1
    return count


@compiled
def aberth(
    z: complex, u: complex, v: complex, w: complex, a: complex, b: complex, c: complex, d: complex
) -> complex:
    """Correction of a root z: Newton's step, changed so that z keeps away from the other three."""
    value = (((z + a) * z + b) * z + c) * z + d
    slope = ((4.0 * z + 3.0 * a) * z + 2.0 * b) * z + c
    others = apart(z - u) + apart(z - v) + apart(z - w)
    below = slope - value * others
    if below == 0.0:
        return 0.0j
    return value / below


@compiled
def apart(difference: complex) -> complex:
    """1 / difference; 0 for one that is almost 0."""
    size = abs(difference)
    if size < 1e-12:
        return 0.0j
    return difference.conjugate() / (size * size)


@compiled
def polished(f: Coefficients, angle: float) -> float:
    """The root next to an angle, by Newton's steps that make |f| smaller."""
    best = abs(sample(f, angle))
    for _ in range(3):
        s, c = sine_and_cosine(angle)
        slope = -f[1] * s + f[2] * c + 2.0 * (f[5] - f[3]) * c * s + f[4] * (c * c - s * s)
        if slope == 0.0:
            break
        trial = angle - sample(f, angle) / slope
        value = abs(sample(f, trial))
        if not value < best:
            break
        angle, best = trial, value
    return angle


@compiled
def sample(f: Coefficients, angle: float) -> float:
    """The value of f at an angle."""
    s, c = sine_and_cosine(angle)
    return f[0] + f[1] * c + f[2] * s + f[3] * c * c + f[4] * c * s + f[5] * s * s
