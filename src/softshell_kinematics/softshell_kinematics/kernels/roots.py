"""Roots of a trigonometric polynomial of second degree."""

import math

from softshell_kinematics.kernels.bundles import Floats
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.so3 import sine_and_cosine
from softshell_kinematics.kernels.work import ROOTS

#: Samples of a turn between which roots are looked for.
SAMPLES = 32
Coefficients = tuple[float, float, float, float, float, float]


@compiled
def trigonometric_roots(f: Coefficients, work: Floats) -> int:
    """Solve f0 + f1 c + f2 s + f3 c² + f4 c s + f5 s² = 0 for an angle with cosine c and sine s.

    Between samples whose signs differ, and beside a sample that is nearest to zero of its
    neighbours, by bisection and parabola.

    Returns:
        How many solutions are in ROOTS, at most 4.
    """
    step = 2.0 * math.pi / SAMPLES
    count = 0
    before, here = sample(f, -step), sample(f, 0.0)
    for k in range(SAMPLES):
        angle = k * step
        after = sample(f, angle + step)
        if here * after < 0.0 or here == 0.0:
            if count < 4:
                work[ROOTS, count] = between(f, angle, angle + step, here, after)
                count += 1
        elif here * before > 0.0 and abs(here) < abs(before) and abs(here) <= abs(after):
            # It may touch zero, or cross it twice.
            curved = before - 2.0 * here + after
            lowest = angle + (0.5 * (before - after) / curved if curved != 0.0 else 0.0) * step
            least = sample(f, lowest)
            if least * here < 0.0 and count < 3:
                work[ROOTS, count] = between(f, angle - step, lowest, before, least)
                work[ROOTS, count + 1] = between(f, lowest, angle + step, least, after)
                count += 2
            elif abs(least) < 1e-3 * abs(before) and count < 4:
                work[ROOTS, count] = lowest
                count += 1
        before, here = here, after
    return count


@compiled
def sample(f: Coefficients, angle: float) -> float:
    """The value of such a function."""
    s, c = sine_and_cosine(angle)
    return f[0] + f[1] * c + f[2] * s + f[3] * c * c + f[4] * c * s + f[5] * s * s


@compiled
def between(f: Coefficients, low: float, high: float, at_low: float, at_high: float) -> float:
    """The root between two angles where signs differ, by false position (Illinois variant)."""
    middle = low
    for _ in range(20):
        if at_low == at_high:
            break
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value = sample(f, middle)
        if value * at_high <= 0.0:
            low, at_low = high, at_high
        else:
            at_low *= 0.5
        high, at_high = middle, value
        if abs(high - low) < 1e-10 or value == 0.0:
            break
    return middle
