"""Rotations and rigid transforms as plain arrays.

A transform is a (4, 4) matrix `T_a_b`: pose of frame b in frame a; a rotation is (3, 3). Angles
are yaw, pitch, roll with R = Rz(yaw) Ry(pitch) Rx(roll). All broadcast over leading axes.
"""

from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import (
    LARGEST_ANGLE,
    checked_finite,
    checked_poses,
    checked_within,
)

#: Names of the coordinates of a pose, in the order of every array of them.
COORDINATES = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')
#: Cosine of the pitch below which yaw and roll are each inexact, or one angle only.
NEAR_LOCK, LOCK = 1e-4, 1e-12
#: How far from 1 the length of an axis may be that is used as it is.
UNIT = 1e-12
_IDENTITY = np.eye(3)


def _of_size(values: Array, size: int, subject: str) -> Array:
    """The values (..., size) themselves.

    Raises:
        SoftshellError: the last axis has another size.
    """
    if values.shape[-1:] != (size,):
        raise SoftshellError(f'{subject} has shape {values.shape}; expected (..., {size})')
    return values


def rotation_about(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by `angle` [rad] about an `axis` (3,), by Rodrigues' formula: (..., 3, 3).

    Raises:
        OutOfRangeError: an angle is beyond `limits.LARGEST_ANGLE`.
        NonFiniteError: an angle, or a number of the axis, is NaN or infinite.
        SoftshellError: the axis has another shape, or is 0.
    """
    unit = checked_finite(axis, 'axis')
    length = float(np.linalg.norm(unit)) if unit.shape == (3,) else 0.0
    if length == 0.0:
        raise SoftshellError(f'axis is {unit.tolist()}; expected 3 numbers, not all 0')
    if abs(length - 1.0) > UNIT:
        unit = unit / length
    k = skew(unit)
    angle = checked_within(angle, LARGEST_ANGLE, 'angle', 'rad')[..., None, None]
    rotation: Array = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
    return rotation


def skew(vector: ArrayLike) -> Array:
    """The matrix S of the cross product, S @ w = v × w, of a vector v: (..., 3) to (..., 3, 3)."""
    v = np.asarray(vector, dtype=float)
    result = np.zeros((*v.shape[:-1], 3, 3))
    result[..., 0, 1], result[..., 0, 2] = -v[..., 2], v[..., 1]
    result[..., 1, 0], result[..., 1, 2] = v[..., 2], -v[..., 0]
    result[..., 2, 0], result[..., 2, 1] = -v[..., 1], v[..., 0]
    return result


def log_so3(rotation: ArrayLike) -> Array:
    """Rotation vector (..., 3) [rad], of length at most π, of a rotation (..., 3, 3)."""
    q = quaternion_from_rotation(rotation)
    q = np.where(q[..., 3:] < 0.0, -q, q)
    length = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, q[..., 3:])
    small = length < 1e-12
    return q[..., :3] * np.where(small, 2.0, angle / np.where(small, 1.0, length))


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Unit quaternion (x, y, z, w) (..., 4) of a rotation (..., 3, 3).

    S. W. Shepperd, "Quaternion from rotation matrix", Journal of Guidance and Control 1, 1978.
    """
    r = np.asarray(rotation, dtype=float)
    if r.shape == (3, 3):
        return _quaternion_from_one(r)
    xx, yy, zz = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    candidates = np.stack(
        [
            np.stack(
                [
                    1 + xx - yy - zz,
                    r[..., 1, 0] + r[..., 0, 1],
                    r[..., 0, 2] + r[..., 2, 0],
                    r[..., 2, 1] - r[..., 1, 2],
                ],
                axis=-1,
            ),
            np.stack(
                [
                    r[..., 1, 0] + r[..., 0, 1],
                    1 - xx + yy - zz,
                    r[..., 2, 1] + r[..., 1, 2],
                    r[..., 0, 2] - r[..., 2, 0],
                ],
                axis=-1,
            ),
            np.stack(
                [
                    r[..., 0, 2] + r[..., 2, 0],
                    r[..., 2, 1] + r[..., 1, 2],
                    1 - xx - yy + zz,
                    r[..., 1, 0] - r[..., 0, 1],
                ],
                axis=-1,
            ),
            np.stack(
                [
                    r[..., 2, 1] - r[..., 1, 2],
                    r[..., 0, 2] - r[..., 2, 0],
                    r[..., 1, 0] - r[..., 0, 1],
                    1 + xx + yy + zz,
                ],
                axis=-1,
            ),
        ],
        axis=-2,
    )
    diagonal = np.stack([candidates[..., i, i] for i in range(4)], axis=-1)
    best = np.argmax(diagonal, axis=-1)[..., None, None]
    chosen = np.take_along_axis(candidates, best, axis=-2)[..., 0, :]
    unit: Array = chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)
    return unit


def _quaternion_from_one(rotation: Array) -> Array:
    """The same quaternion (4,), to the last digit, of one rotation (3, 3), ten times as fast."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation.tolist()
    diagonal = (1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz)
    best = diagonal.index(max(diagonal))
    candidate = (
        (diagonal[0], yx + xy, xz + zx, zy - yz),
        (yx + xy, diagonal[1], zy + yz, xz - zx),
        (xz + zx, zy + yz, diagonal[2], yx - xy),
        (zy - yz, xz - zx, yx - xy, diagonal[3]),
    )[best]
    x, y, z, w = candidate
    length = sqrt(x * x + y * y + z * z + w * w)
    return np.array((x / length, y / length, z / length, w / length))


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Rotation (..., 3, 3) of a quaternion (x, y, z, w) (..., 4) of any length but zero.

    Raises:
        SoftshellError: all four numbers are 0, one is NaN or infinite, they are not numbers, or
            not four.
    """
    q = _of_size(as_numbers(quaternion, 'quaternion'), 4, 'quaternion')
    if q.ndim == 1:
        return _rotation_from_one(q)
    # The squares of very small numbers would be 0.
    largest = np.abs(q).max(axis=-1, keepdims=True)
    if not np.all((largest > 0.0) & (largest < np.inf)):
        error = _no_rotation('zero or not finite in places')
        raise error
    q = q / largest
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    k = skew(q[..., :3])
    rotation: Array = np.eye(3) + 2.0 * q[..., 3, None, None] * k + 2.0 * (k @ k)
    return rotation


def _rotation_from_one(quaternion: Array) -> Array:
    """The same rotation (3, 3), to the last digit, of one quaternion (4,), three times as fast.

    Raises:
        SoftshellError: all four numbers are 0, or one is NaN or infinite.
    """
    given = quaternion.tolist()
    largest = max(map(abs, given))
    if not (largest > 0.0 and all(map(isfinite, given))):
        error = _no_rotation(given)
        raise error
    x, y, z, w = (value / largest for value in given)
    length = sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    k = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    rotation: Array = _IDENTITY + 2.0 * w * k + 2.0 * (k @ k)
    return rotation


def _no_rotation(found: object) -> SoftshellError:
    """Make the error for a quaternion that is no rotation, `found` to be this."""
    return SoftshellError(f'quaternion is {found}; expected finite numbers x y z w, not all 0')


def rotation_from_angles(angles: ArrayLike) -> Array:
    """Rotation (..., 3, 3) Rz(yaw) Ry(pitch) Rx(roll) of angles (yaw, pitch, roll) (..., 3) [rad].

    Raises:
        OutOfRangeError: an angle is beyond `limits.LARGEST_ANGLE`.
        NonFiniteError: an angle is NaN or infinite.
        SoftshellError: the shape is another.
    """
    a = _of_size(checked_within(angles, LARGEST_ANGLE, 'angle', 'rad'), 3, 'angles')
    if a.ndim == 1:  # Python's own numbers give the same digits several times as fast
        (cy, cp, cr), (sy, sp, sr) = np.cos(a).tolist(), np.sin(a).tolist()
    else:
        cy, cp, cr = np.cos(a[..., 0]), np.cos(a[..., 1]), np.cos(a[..., 2])
        sy, sp, sr = np.sin(a[..., 0]), np.sin(a[..., 1]), np.sin(a[..., 2])
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    if a.ndim == 1:
        return np.array(rows)
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def angles_from_rotation(rotation: ArrayLike) -> Array:
    """(yaw, pitch, roll) (..., 3) [rad] of a rotation, pitch in [-π/2, π/2].

    At pitch ±π/2 only a combination of yaw and roll is defined; roll is then 0.
    """
    r = np.asarray(rotation, dtype=float)
    cosine = np.hypot(r[..., 0, 0], r[..., 1, 0])
    pitch = np.arctan2(-r[..., 2, 0], cosine)
    locked = cosine < LOCK
    yaw = np.where(
        locked,
        np.arctan2(-r[..., 0, 1], r[..., 1, 1]),
        np.arctan2(r[..., 1, 0], r[..., 0, 0]),
    )
    # Near the lock yaw is inexact. The roll that is left once it is undone fits it all the same.
    cy, sy = np.cos(yaw), np.sin(yaw)
    left = np.arctan2(sy * r[..., 0, 2] - cy * r[..., 1, 2], cy * r[..., 1, 1] - sy * r[..., 0, 1])
    roll = np.where(cosine < NEAR_LOCK, left, np.arctan2(r[..., 2, 1], r[..., 2, 2]))
    roll = np.where(locked, 0.0, roll)
    return np.stack([yaw, pitch, roll], axis=-1)


def transform(rotation: ArrayLike | None = None, translation: ArrayLike = (0, 0, 0)) -> Array:
    """Rigid transform (..., 4, 4) of a rotation (..., 3, 3) and a translation (..., 3) [m]."""
    r = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    p = np.asarray(translation, dtype=float)
    shape = np.broadcast_shapes(r.shape[:-2], p.shape[:-1])
    result = np.zeros((*shape, 4, 4))
    result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = r, p, 1.0
    return result


def inverse(pose: ArrayLike) -> Array:
    """Inverse of a rigid transform `pose` (..., 4, 4)."""
    t = np.asarray(pose, dtype=float)
    rotation = np.swapaxes(t[..., :3, :3], -1, -2)
    return transform(rotation, -(rotation @ t[..., :3, 3:])[..., 0])


def pose_from_coordinates(coordinates: ArrayLike) -> Array:
    """Transform (..., 4, 4) of coordinates (x, y, z, yaw, pitch, roll) (..., 6) [m, rad].

    Raises:
        NonFiniteError: a coordinate is NaN or infinite; only goals and paths may have NaN.
        OutOfRangeError: an angle is beyond `limits.LARGEST_ANGLE`.
        SoftshellError: the shape is another.
    """
    c = _of_size(checked_finite(coordinates, 'coordinate'), 6, 'coordinates')
    return transform(rotation_from_angles(c[..., 3:]), c[..., :3])


def coordinates_from_pose(pose: ArrayLike) -> Array:
    """(x, y, z, yaw, pitch, roll) (..., 6) [m, rad] of a transform (..., 4, 4).

    Raises:
        NonFiniteError: a number is NaN, which would come out as a free coordinate, or infinite.
        SoftshellError: the shape is another, or a pose is not rigid.
    """
    t = checked_poses(pose, 'pose')
    return np.concatenate([t[..., :3, 3], angles_from_rotation(t[..., :3, :3])], axis=-1)


def shift(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Transform (4, 4): translation by x, y and z [m]."""
    return transform(translation=(x, y, z))


def quaternion_product(p: ArrayLike, q: ArrayLike) -> Array:
    """Product (..., 4) of quaternions (x, y, z, w) (..., 4): first turn by q, then by p."""
    components = (np.moveaxis(np.asarray(each, dtype=float), -1, 0) for each in (p, q))
    return np.stack(hamilton(*components), axis=-1)


def hamilton(p: Array, q: Array) -> tuple[Any, Any, Any, Any]:
    """The components x, y, z, w of the product of quaternions, by Hamilton's rule.

    Plain arithmetic, so that numba can compile it as well.

    Args:
        p, q: (4, ...) the components x, y, z, w of each.
    """
    px, py, pz, pw = p[0], p[1], p[2], p[3]
    qx, qy, qz, qw = q[0], q[1], q[2], q[3]
    return (
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
        pw * qw - px * qx - py * qy - pz * qz,
    )
