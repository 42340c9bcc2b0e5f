"""Goals that are poses, or positions and quaternions, as six coordinates."""

import math

from softshell_kinematics.kernels.bundles import Floats
from softshell_kinematics.kernels.compiled import compiled, entry
from softshell_kinematics.limits import RIGID
from softshell_kinematics.transforms import LOCK, NEAR_LOCK


@entry
def rows_of_poses(poses: Floats, rows: Floats) -> int:
    """Write (points, 6) coordinates of (points, 4, 4) poses.

    Returns:
        The first point whose pose is not rigid, or not finite; -1: there is none.
    """
    wrong = -1
    for point in range(len(poses)):
        t = poses[point]
        off = abs(t[3, 3] - 1.0)
        for i in range(3):
            off = max(off, abs(t[3, i]))
            for j in range(i + 1):
                product = t[i, 0] * t[j, 0] + t[i, 1] * t[j, 1] + t[i, 2] * t[j, 2]
                off = max(off, abs(product - (1.0 if i == j else 0.0)))
        # The third axis is the vector product of the others in a rotation, not in a reflection.
        upwards = t[2, 2] * (t[0, 0] * t[1, 1] - t[0, 1] * t[1, 0])
        upwards += t[2, 1] * (t[0, 2] * t[1, 0] - t[0, 0] * t[1, 2])
        upwards += t[2, 0] * (t[0, 1] * t[1, 2] - t[0, 2] * t[1, 1])
        total = t[0, 3] + t[1, 3] + t[2, 3] + off  # of what is not finite it is not, either
        if not (off <= RIGID and upwards > 0.0 and abs(total) < math.inf) and wrong < 0:
            wrong = point
        rows[point, :3] = t[:3, 3]
        rows[point, 3], rows[point, 4], rows[point, 5] = angles(
            t[0, 0], t[0, 1], t[0, 2], t[1, 0], t[1, 1], t[1, 2], t[2, 0], t[2, 1], t[2, 2]
        )
    return wrong


@entry
def rows_of_quaternions(positions: Floats, quaternions: Floats, rows: Floats) -> int:
    """Write (points, 6) coordinates of (points, 3) positions and (points, 4) quaternions x y z w.

    Returns:
        The first point whose quaternion is 0, or that is not finite; -1: there is none.
    """
    wrong = -1
    for point in range(len(positions)):
        p, q = positions[point], quaternions[point]
        # The squares of very small numbers would be 0.
        largest = max(max(abs(q[0]), abs(q[1])), max(abs(q[2]), abs(q[3])))
        total = p[0] + p[1] + p[2] + q[0] / largest + q[1] / largest + q[2] / largest
        total += q[3] / largest
        if not (0.0 < largest < math.inf and abs(total) < math.inf) and wrong < 0:
            wrong = point
        x, y, z, w = q[0] / largest, q[1] / largest, q[2] / largest, q[3] / largest
        size = math.sqrt(x * x + y * y + z * z + w * w)
        x, y, z, w = x / size, y / size, z / size, w / size
        rows[point, :3] = p
        rows[point, 3], rows[point, 4], rows[point, 5] = angles(
            1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
            2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
            2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
        )  # fmt: skip
    return wrong


@compiled
def angles(
    r00: float, r01: float, r02: float,
    r10: float, r11: float, r12: float,
    r20: float, r21: float, r22: float,
) -> tuple[float, float, float]:  # fmt: skip
    """(yaw, pitch, roll) of a rotation, as by `transforms.angles_from_rotation`."""
    cosine = math.hypot(r00, r10)
    pitch = math.atan2(-r20, cosine)
    if cosine < LOCK:
        return math.atan2(-r01, r11), pitch, 0.0
    yaw = math.atan2(r10, r00)
    if cosine < NEAR_LOCK:
        cy, sy = math.cos(yaw), math.sin(yaw)
        return yaw, pitch, math.atan2(sy * r02 - cy * r12, cy * r11 - sy * r01)
    return yaw, pitch, math.atan2(r21, r22)
