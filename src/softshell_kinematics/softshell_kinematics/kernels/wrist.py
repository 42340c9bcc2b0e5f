"""Closed form of an arm whose last three axes meet: Pieper's, for any axes of the first three.

The goal says where the point c is in which the last three axes meet. With w the vector to it from
o1, on axis 1: R1ᵀ w = p + R2 v(θ3), where p = o2 - o1 and v = v0 + v1 cos θ3 + v2 sin θ3. R1
changes neither the component of w along h1 nor its length, which gives two equations without θ1.
They are linear in the part of R2 v that is across h2, and so determine it. Its length is that of
the part of v across h2, as R2 does not change it: one equation in θ3.
"""

import math
from typing import NamedTuple

from softshell_kinematics.kernels.bundles import Chain, Floats, Form
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.form import (
    AXES,
    CENTRE,
    applied,
    consider,
    motion_point,
    on_axis,
    sideways,
)
from softshell_kinematics.kernels.roots import trigonometric_roots
from softshell_kinematics.kernels.vectors import (
    Vector,
    angle_between,
    angles_to_plane,
    cross,
    dot,
    linear_roots,
    plus,
    turned,
    vector,
)
from softshell_kinematics.kernels.work import ANGLES, ROOTS

#: h1, h2 and p count as in one plane if |h2 · (h1 × p)| is at most so many times |v|.
FLAT = 1e-6


class Shoulder(NamedTuple):
    """The equations for the second and third angle.

    Attributes:
        h2: the second axis.
        v0, v1, v2: v = v0 + v1 cos θ3 + v2 sin θ3.
        first, second: the parts of h1 and of p across h2.
        along_first, along_second: their products with R2 v, as coefficients of 1, cos θ3, sin θ3.
        length: |v|², likewise.
        height: h2 · v, likewise.
        span: h2 · (first × second).
        flat: whether the span counts as 0.
    """

    h2: Vector
    v0: Vector
    v1: Vector
    v2: Vector
    first: Vector
    second: Vector
    along_first: Vector
    along_second: Vector
    length: Vector
    height: Vector
    span: float
    flat: bool


@compiled
def shoulder_of(h1: Vector, p: Vector, w: Vector, form: Form) -> Shoulder:
    """The equations of an arm; p is from o1 to o2, w from o1 to where c has to be."""
    h2, o2 = on_axis(form.numbers, 1)
    h3, o3 = on_axis(form.numbers, 2)
    a, b = plus(o3, -1.0, o2), plus(vector(form.numbers, CENTRE), -1.0, o3)
    v0, v1, v2 = plus(a, dot(h3, b), h3), plus(b, -dot(h3, b), h3), cross(h3, b)
    k0, k1, k2 = dot(v0, v0) + dot(v1, v1), 2.0 * dot(v0, v1), 2.0 * dot(v0, v2)
    m0, m1, m2 = dot(h2, v0), dot(h2, v1), dot(h2, v2)
    along, lift = dot(h1, h2), dot(h2, p)
    first, second = plus(h1, -along, h2), plus(p, -lift, h2)
    span = dot(h2, cross(first, second))
    return Shoulder(
        h2,
        v0,
        v1,
        v2,
        first,
        second,
        (dot(h1, w) - dot(h1, p) - along * m0, -along * m1, -along * m2),
        (
            0.5 * (dot(w, w) - dot(p, p) - k0) - lift * m0,
            -0.5 * k1 - lift * m1,
            -0.5 * k2 - lift * m2,
        ),
        (k0, k1, k2),
        (m0, m1, m2),
        span,
        abs(span) <= FLAT * math.sqrt(k0),
    )


@compiled
def plane_of(s: Shoulder) -> tuple[Vector, float, float]:
    """If flat, the unit vector along `first` and `second`; and their components along it."""
    use_first = dot(s.first, s.first) * s.length[0] >= dot(s.second, s.second)
    chosen = s.first if use_first else s.second
    size = math.sqrt(dot(chosen, chosen))
    if not size > 0.0:
        return (0.0, 0.0, 0.0), 0.0, 0.0
    e = (chosen[0] / size, chosen[1] / size, chosen[2] / size)
    return e, dot(s.first, e), dot(s.second, e)


@compiled
def third_angles(s: Shoulder, work: Floats) -> int:
    """Write the third angles to ROOTS; returns how many there are."""
    (x0, x1, x2), (y0, y1, y2) = s.along_first, s.along_second
    if s.flat:
        _, a, b = plane_of(s)
        count, one, other = linear_roots(x0 * b - y0 * a, x1 * b - y1 * a, x2 * b - y2 * a)
        work[ROOTS, 0], work[ROOTS, 1] = one, other
        return count
    aa, bb, ab = dot(s.first, s.first), dot(s.second, s.second), dot(s.first, s.second)
    (k0, k1, k2), (m0, m1, m2), kk = s.length, s.height, s.span * s.span
    f0 = x0 * x0 * bb + y0 * y0 * aa - 2.0 * x0 * y0 * ab - kk * (k0 - m0 * m0)
    f1 = x0 * x1 * bb + y0 * y1 * aa - (x0 * y1 + x1 * y0) * ab - kk * (0.5 * k1 - m0 * m1)
    f2 = x0 * x2 * bb + y0 * y2 * aa - (x0 * y2 + x2 * y0) * ab - kk * (0.5 * k2 - m0 * m2)
    f3 = x1 * x1 * bb + y1 * y1 * aa - 2.0 * x1 * y1 * ab + kk * m1 * m1
    f4 = x1 * x2 * bb + y1 * y2 * aa - (x1 * y2 + x2 * y1) * ab + kk * m1 * m2
    f5 = x2 * x2 * bb + y2 * y2 * aa - 2.0 * x2 * y2 * ab + kk * m2 * m2
    return trigonometric_roots((f0, 2.0 * f1, 2.0 * f2, f3, 2.0 * f4, f5), work)


@compiled
def second_angles(s: Shoulder, v: Vector, cosine: float, sine: float) -> tuple[int, float, float]:
    """The second angles for a third with this cosine, sine and v; returns as `linear_roots`."""
    (x0, x1, x2), (y0, y1, y2) = s.along_first, s.along_second
    x, y = x0 + cosine * x1 + sine * x2, y0 + cosine * y1 + sine * y2
    if s.flat:
        e, a, b = plane_of(s)
        use_first = a * a * s.length[0] >= b * b
        return angles_to_plane(s.h2, e, v, x / a if use_first else y / b)
    across = plus((0.0, 0.0, 0.0), x / s.span, cross(s.second, s.h2))
    angle = angle_between(s.h2, v, plus(across, y / s.span, cross(s.h2, s.first)))
    return 1, angle, angle


@compiled
def turn_wrist(
    chain: Chain, form: Form, h: Vector, tip: Vector, side: Vector, best: float, work: Floats
) -> float:
    """Find the last three angles; the first three are in ANGLES.

    Args:
        chain, form, best, work: as of `consider`.
        h: the last axis at zero.
        tip, side: where the last three joints have to turn that axis, and a vector across it.

    Returns:
        As `consider`.
    """
    h4, h5 = vector(form.numbers, AXES + 9), vector(form.numbers, AXES + 12)
    across = sideways(h)
    count, one, other = angles_to_plane(h5, h4, h, dot(h4, tip))
    for k in range(count):
        fifth = one if k == 0 else other
        c, s = math.cos(fifth), math.sin(fifth)
        bent = turned(h5, c, s, h)
        fourth = angle_between(h4, bent, tip)
        back = turned(h4, math.cos(fourth), -math.sin(fourth), side)
        back = turned(h5, c, -s, back)
        work[ANGLES, 3], work[ANGLES, 4] = fourth, fifth
        work[ANGLES, 5] = angle_between(h, across, back)
        best = consider(chain, form, best, work)
    return best


@compiled
def by_wrist(chain: Chain, form: Form, work: Floats) -> float:
    """All solutions of an arm whose last three axes meet; the nearest to the SEED is in BEST.

    Returns:
        The square of its distance; infinite without a solution.
    """
    best = math.inf
    h1, o1 = on_axis(form.numbers, 0)
    h2, o2 = on_axis(form.numbers, 1)
    h3, _ = on_axis(form.numbers, 2)
    h6, c = vector(form.numbers, AXES + 15), vector(form.numbers, CENTRE)
    w = plus(plus(applied(work, c), 1.0, motion_point(work)), -1.0, o1)
    p = plus(o2, -1.0, o1)
    shoulder = shoulder_of(h1, p, w, form)
    tip, side = applied(work, h6), applied(work, sideways(h6))
    for k in range(third_angles(shoulder, work)):
        third = work[ROOTS, k]
        c3, s3 = math.cos(third), math.sin(third)
        v = plus(plus(shoulder.v0, c3, shoulder.v1), s3, shoulder.v2)
        ways, one, other = second_angles(shoulder, v, c3, s3)
        for j in range(ways):
            second = one if j == 0 else other
            c2, s2 = math.cos(second), math.sin(second)
            turn = angle_between(h1, plus(p, 1.0, turned(h2, c2, s2, v)), w)
            c1, s1 = math.cos(turn), math.sin(turn)
            work[ANGLES, 0], work[ANGLES, 1], work[ANGLES, 2] = turn, second, third
            there = turned(h3, c3, -s3, turned(h2, c2, -s2, turned(h1, c1, -s1, tip)))
            beside = turned(h3, c3, -s3, turned(h2, c2, -s2, turned(h1, c1, -s1, side)))
            best = turn_wrist(chain, form, h6, there, beside, best, work)
    return best
