"""Rotations for compiled code; the array functions are in `transforms.py`."""

import math

from softshell_kinematics.kernels.compiled import compiled


@compiled
def rotation_from_angles(yaw, pitch, roll, rotation):
    """Write Rz(yaw) Ry(pitch) Rx(roll) by rows into the first nine of `rotation`."""
    cy, sy = math.cos(yaw), math.sin(yaw)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cr, sr = math.cos(roll), math.sin(roll)
    rotation[0], rotation[1], rotation[2] = cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr
    rotation[3], rotation[4], rotation[5] = sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr
    rotation[6], rotation[7], rotation[8] = -sp, cp * sr, cp * cr


@compiled
def angles_from_rotation(r):
    """(yaw, pitch, roll) of a rotation by rows; roll is 0 where pitch is ±π/2."""
    cosine = math.hypot(r[0], r[3])
    pitch = math.atan2(-r[6], cosine)
    if cosine < 1e-12:
        return math.atan2(-r[1], r[4]), pitch, 0.0
    return math.atan2(r[3], r[0]), pitch, math.atan2(r[7], r[8])


@compiled
def wrapped(angle):
    """The same angle in [-π, π]."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@compiled
def rotation_error(goal, r, error, first, weight):
    """Write weight · log(goal rᵀ), a rotation vector in the base frame, to error[first:first+3].

    Near a half turn the axis comes from the symmetric part, elsewhere from the skew part.
    """
    a00 = goal[0] * r[0] + goal[1] * r[1] + goal[2] * r[2]
    a01 = goal[0] * r[3] + goal[1] * r[4] + goal[2] * r[5]
    a02 = goal[0] * r[6] + goal[1] * r[7] + goal[2] * r[8]
    a10 = goal[3] * r[0] + goal[4] * r[1] + goal[5] * r[2]
    a11 = goal[3] * r[3] + goal[4] * r[4] + goal[5] * r[5]
    a12 = goal[3] * r[6] + goal[4] * r[7] + goal[5] * r[8]
    a20 = goal[6] * r[0] + goal[7] * r[1] + goal[8] * r[2]
    a21 = goal[6] * r[3] + goal[7] * r[4] + goal[8] * r[5]
    a22 = goal[6] * r[6] + goal[7] * r[7] + goal[8] * r[8]
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
    error[first], error[first + 1], error[first + 2] = weight * x, weight * y, weight * z
