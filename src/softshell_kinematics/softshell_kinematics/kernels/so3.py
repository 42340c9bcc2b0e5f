"""Rotations for compiled code; the array functions are in `transforms.py`."""

import math

from softshell_kinematics.kernels.bundles import Floats
from softshell_kinematics.kernels.compiled import compiled


@compiled
def sine_and_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine together, in line: half the time of two calls into the C library.

    The angle is reduced to within π/4 by quarter turns; the polynomials are those of Sun's fdlibm.
    The error is below 1e-15 for angles of some turns and grows by 6e-17 with each further quarter.
    """
    quarters = math.floor(angle * (2.0 / math.pi) + 0.5)
    r = angle - quarters * (0.5 * math.pi)
    z = r * r
    s = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    s = 2.75573137070700676789e-06 + z * s
    s = -1.98412698298579493134e-04 + z * s
    s = 8.33333333332248946124e-03 + z * s
    s = r + r * z * (-1.66666666666666324348e-01 + z * s)
    c = 2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
    c = -2.75573143513906633035e-07 + z * c
    c = 2.48015872894767294178e-05 + z * c
    c = -1.38888888888741095749e-03 + z * c
    c = 4.16666666666666019037e-02 + z * c
    c = 1.0 - 0.5 * z + z * z * c
    quadrant = int(quarters) & 3
    if quadrant & 1:
        s, c = c, -s
    if quadrant & 2:
        s, c = -s, -c
    return s, c


@compiled
def rotation_from_angles(yaw: float, pitch: float, roll: float, work: Floats, row: int) -> None:
    """Write Rz(yaw) Ry(pitch) Rx(roll) by rows into the first nine of a row of `work`."""
    sy, cy = sine_and_cosine(yaw)
    sp, cp = sine_and_cosine(pitch)
    sr, cr = sine_and_cosine(roll)
    work[row, 0] = cy * cp
    work[row, 1] = cy * sp * sr - sy * cr
    work[row, 2] = cy * sp * cr + sy * sr
    work[row, 3] = sy * cp
    work[row, 4] = sy * sp * sr + cy * cr
    work[row, 5] = sy * sp * cr - cy * sr
    work[row, 6] = -sp
    work[row, 7] = cp * sr
    work[row, 8] = cp * cr


@compiled
def angles_from_rotation(work: Floats, row: int) -> tuple[float, float, float]:
    """(yaw, pitch, roll) of a rotation by rows; roll is 0 where pitch is ±π/2."""
    cosine = math.sqrt(work[row, 0] * work[row, 0] + work[row, 3] * work[row, 3])
    pitch = math.atan2(-work[row, 6], cosine)
    if cosine < 1e-12:
        return math.atan2(-work[row, 1], work[row, 4]), pitch, 0.0
    yaw = math.atan2(work[row, 3], work[row, 0])
    return yaw, pitch, math.atan2(work[row, 7], work[row, 8])


@compiled
def wrapped(angle: float) -> float:
    """The same angle in [-π, π]."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@compiled
def product_of_rows(work: Floats, one: int, i: int, other: int, j: int) -> float:
    """Scalar product of three numbers of one row of `work`, from i on, and of another, from j."""
    product: float = (
        work[one, i] * work[other, j]
        + work[one, i + 1] * work[other, j + 1]
        + work[one, i + 2] * work[other, j + 2]
    )
    return product


@compiled
def rotation_error(work: Floats, goal: int, pose: int) -> tuple[float, float, float]:
    """Rotation vector log(R_goal Rᵀ) in the base frame, of two rotations by rows in `work`.

    Near a half turn the axis comes from the symmetric part, elsewhere from the skew part.
    """
    a00 = product_of_rows(work, goal, 0, pose, 0)
    a01 = product_of_rows(work, goal, 0, pose, 3)
    a02 = product_of_rows(work, goal, 0, pose, 6)
    a10 = product_of_rows(work, goal, 3, pose, 0)
    a11 = product_of_rows(work, goal, 3, pose, 3)
    a12 = product_of_rows(work, goal, 3, pose, 6)
    a20 = product_of_rows(work, goal, 6, pose, 0)
    a21 = product_of_rows(work, goal, 6, pose, 3)
    a22 = product_of_rows(work, goal, 6, pose, 6)
    x, y, z = 0.5 * (a21 - a12), 0.5 * (a02 - a20), 0.5 * (a10 - a01)
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (a00 + a11 + a22 - 1.0)
    if cosine > -0.99:
        factor = 1.0
        if sine > 1e-7:
            factor = math.atan2(sine, cosine) / sine
        x, y, z = factor * x, factor * y, factor * z
    else:
        angle = math.atan2(sine, cosine)
        # (A + Aᵀ)/2 = cosθ I + (1 - cosθ) kkᵀ: its largest column is along the axis k.
        if a00 >= a11 and a00 >= a22:
            kx, ky, kz = a00 - cosine, 0.5 * (a01 + a10), 0.5 * (a02 + a20)
        elif a11 >= a22:
            kx, ky, kz = 0.5 * (a01 + a10), a11 - cosine, 0.5 * (a12 + a21)
        else:
            kx, ky, kz = 0.5 * (a02 + a20), 0.5 * (a12 + a21), a22 - cosine
        length = math.sqrt(kx * kx + ky * ky + kz * kz)
        if kx * x + ky * y + kz * z < 0.0:
            length = -length
        x, y, z = angle * kx / length, angle * ky / length, angle * kz / length
    return x, y, z
