"""Closed form of an arm with three parallel axes: E1 E2 E3 E4 E5 E6 = G, 2, 3 and 4 parallel."""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Form
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.form import (
    AXES,
    CENTRE,
    POINTS,
    applied,
    applied_back,
    consider,
    motion_point,
    on_axis,
    sideways,
)
from softshell_kinematics.kernels.vectors import (
    angle_between,
    angles_to_plane,
    cross,
    dot,
    plus,
    turned,
    vector,
)
from softshell_kinematics.kernels.work import ANGLES


@compiled
def by_parallels(chain: Chain, form: Form, work: Floats) -> float:
    """All solutions of an arm with three parallel axes; as `by_wrist`."""
    best = math.inf
    numbers = form.numbers
    h1, o1 = on_axis(numbers, 0)
    h, o2 = on_axis(numbers, 1)
    o3, o4 = vector(numbers, POINTS + 6), vector(numbers, POINTS + 9)
    h5, h6 = vector(numbers, AXES + 12), vector(numbers, AXES + 15)
    c = vector(numbers, CENTRE)
    w = plus(plus(applied(work, c), 1.0, motion_point(work)), -1.0, o1)
    across = sideways(h6)
    a, b, rest = plus(o3, -1.0, o2), plus(o4, -1.0, o3), plus(c, -1.0, o4)
    a, b = plus(a, -dot(h, a), h), plus(b, -dot(h, b), h)
    turns, one1, other1 = angles_to_plane(h1, w, h, dot(h, plus(c, -1.0, o1)))
    for i in range(turns):
        turn = one1 if i == 0 else other1
        c1, s1 = math.cos(turn), math.sin(turn)
        tip = turned(h1, c1, -s1, applied(work, h6))
        side = turned(h1, c1, -s1, applied(work, across))
        back = applied_back(work, turned(h1, c1, s1, h))
        there = plus(plus(o1, 1.0, turned(h1, c1, -s1, w)), -1.0, o2)
        bends, one5, other5 = angles_to_plane(h5, h, h6, dot(h, tip))
        for j in range(bends):
            fifth = one5 if j == 0 else other5
            c5, s5 = math.cos(fifth), math.sin(fifth)
            sixth = angle_between(h6, back, turned(h5, c5, -s5, h))
            bent = turned(h5, c5, s5, h6)
            beside = turned(h5, c5, s5, turned(h6, math.cos(sixth), math.sin(sixth), across))
            # The sum of the three parallel turns, from both vectors: one may be along h.
            total = math.atan2(
                dot(h, cross(bent, tip)) + dot(h, cross(beside, side)),
                dot(bent, tip)
                - dot(h, bent) * dot(h, tip)
                + dot(beside, side)
                - dot(h, beside) * dot(h, side),
            )
            left = plus(there, -1.0, turned(h, math.cos(total), math.sin(total), rest))
            left = plus(left, -dot(h, left), h)
            wanted = 0.5 * (dot(left, left) - dot(a, a) - dot(b, b))
            ways, one3, other3 = angles_to_plane(h, a, b, wanted)
            for k in range(ways):
                third = one3 if k == 0 else other3
                reached = plus(a, 1.0, turned(h, math.cos(third), math.sin(third), b))
                second = angle_between(h, reached, left)
                work[ANGLES, 0], work[ANGLES, 1], work[ANGLES, 2] = turn, second, third
                work[ANGLES, 3], work[ANGLES, 4] = total - second - third, fifth
                work[ANGLES, 5] = sixth
                best = consider(chain, form, best, work)
    return best
