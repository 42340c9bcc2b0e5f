"""Which chains have solutions in closed form, by the geometry of their axes."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.bundles import Form
from softshell_kinematics.kernels.closed_form import NO_FORM, PARALLEL, WRIST
from softshell_kinematics.kernels.form import (
    AXES,
    CENTRE,
    FORM_SIZE,
    HELD_AXIS,
    HELD_POINT,
    POINTS,
    SIGNS,
    ZERO,
)
from softshell_kinematics.model.joint import JointKind
from softshell_kinematics.transforms import inverse

#: Axes count as meeting if they pass within so many reaches of a point, and as parallel if the
#: sine of the angle between them is at most this. The search that follows removes the error.
INEXACT = 1e-6
NONE = Form(np.zeros(FORM_SIZE), NO_FORM, False, -1)


def find_form(numbers: Array, codes: NDArray[np.int64]) -> Form:
    """The closed form of a chain; of family NO_FORM if it has none.

    Six revolute joints, each with a variable of its own, have one if the last or the first three
    axes meet in a point (D. L. Pieper, "The Kinematics of Manipulators under Computer Control",
    1968); or if three neighbouring axes are parallel, with one joint at one end of them and two
    whose axes meet at the other. Seven joints have one if the last or the first can be held, so
    that the other six have one.

    Args:
        numbers, codes: the kernels' tables of the chain: (joints + 1, 14) and (joints + 1, 2).
    """
    joints = len(numbers) - 1
    turns = np.all(codes[:-1, 0] == int(JointKind.REVOLUTE))
    apart = len(set(codes[:-1, 1])) == joints
    if joints not in (6, 7) or not (turns and apart and np.all(np.abs(numbers[:-1, 12]) == 1.0)):
        return NONE
    axes, points, zero = _at_zero(numbers)
    reach = float(np.linalg.norm(numbers[:, 9:12], axis=1).sum())
    for held in (-1,) if joints == 6 else (6, 0):
        six = [i for i in range(joints) if i != held]
        for backwards in (False, True):
            order = six[::-1] if backwards else six
            found = _family(axes[order], points[order], INEXACT * reach)
            if found is None:
                continue
            family, centre, signs = found
            form = np.zeros(FORM_SIZE)
            form[AXES:POINTS] = (signs[:, None] * axes[order]).ravel()
            form[POINTS:CENTRE] = points[order].ravel()
            form[CENTRE:ZERO] = centre
            form[ZERO:HELD_AXIS] = [*inverse(zero)[:3, :3].ravel(), *inverse(zero)[:3, 3]]
            if held >= 0:
                form[HELD_AXIS:HELD_POINT], form[HELD_POINT:SIGNS] = axes[held], points[held]
            form[SIGNS:] = -signs if backwards else signs
            return Form(form, family, backwards, held)
    return NONE


def _at_zero(numbers: Array) -> tuple[Array, Array, Array]:
    """(joints, 3) axes and points on them, and the pose of the tip (4, 4), with all angles 0."""
    pose = np.eye(4)
    axes, points = [], []
    for row in numbers:
        constant = np.eye(4)
        constant[:3, :3], constant[:3, 3] = row[:9].reshape(3, 3), row[9:12]
        pose = pose @ constant
        axes.append(pose[:3, 2].copy())
        points.append(pose[:3, 3].copy())
    return np.array(axes[:-1]), np.array(points[:-1]), pose


def _family(axes: Array, points: Array, inexact: float) -> tuple[int, Array, Array] | None:
    """Which closed form six axes have; None if none.

    Args:
        axes, points: (6, 3) unit directions, and a point on each [m].
        inexact: distance at which axes still count as meeting [m].

    Returns:
        The family; (3,) where the last axes meet; (6,) signs that turn parallel axes the same way.
    """
    signs: Any = np.ones(6)
    centre = _meeting_point(axes[3:], points[3:], inexact)
    if centre is not None and not (_parallel(axes[0], axes[1]) and _parallel(axes[1], axes[2])):
        return WRIST, centre, signs
    centre = _meeting_point(axes[4:], points[4:], inexact)
    if centre is None or not (_parallel(axes[1], axes[2]) and _parallel(axes[2], axes[3])):
        return None
    if _parallel(axes[0], axes[1]) or _parallel(axes[3], axes[4]):
        return None
    signs[2:4] = np.sign(axes[2:4] @ axes[1])
    return PARALLEL, centre, signs


def _meeting_point(axes: Array, points: Array, inexact: float) -> Array | None:
    """(3,) where axes (k, 3) meet; None if one misses it, or two neighbours are parallel."""
    if any(_parallel(one, other) for one, other in pairwise(axes)):
        return None
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    point: Array = np.linalg.solve(across.sum(axis=0), (across @ points[:, :, None]).sum(axis=0))
    distances = np.linalg.norm(across @ (point[None] - points[:, :, None]), axis=1)
    return point[:, 0] if np.all(distances <= inexact) else None


def _parallel(one: Array, other: Array) -> bool:
    return bool(np.linalg.norm(np.cross(one, other)) <= INEXACT)
