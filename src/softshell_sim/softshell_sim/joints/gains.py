"""Gains of joints: the wanted ones, and their limits for explicit integration."""

from collections.abc import Mapping, Sequence

import numpy as np

from softshell_control.drives.pd import Drives
from softshell_control.joint_map import JointMap
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError


def joint_gains(
    robot: RobotModel, joint_map: JointMap, groups: Mapping[str, Gains]
) -> tuple[Array, Array, Array]:
    """(movable,) kp, kd and ki, before any limit.

    Args:
        robot: has gains for each joint.
        joint_map: a joint that mimics another has the gains of that one.
        groups: gains by name of group. If they differ from those of the model, all joints of the
            group get them; all other joints keep their own.

    Raises:
        UnknownNameError: there is no such group.
    """
    for name in groups:
        if name not in robot.groups:
            raise UnknownNameError('group', name, robot.groups)
    changed = {name: gains for name, gains in groups.items() if gains != robot.groups[name].gains}
    own = [changed.get(joint.group, joint.gains) for joint in robot.joints]
    gains = [own[source] for source in joint_map.source]
    kp, kd, ki = (np.array([getattr(g, name) for g in gains]) for name in ('kp', 'kd', 'ki'))
    return kp, kd, ki


def take_gains(
    drives: Drives,
    asked: tuple[Array, Array, Array],
    viscous: Array,
    inertia: Array,
    names: Sequence[str],
    step: float,
) -> dict[str, str]:
    """Set the gains of drives, limited to what their integration can do.

    With explicit integration kp ≤ I / (4 h²), and kd plus viscous friction ≤ I / (2 h). Viscous
    friction is at most I / (4 h), with implicit integration as well, which has no other limit.

    Args:
        drives: that get the gains.
        asked: (joints,) kp, kd and ki.
        viscous: (joints,) viscous friction [N m s/rad] or [N s/m].
        inertia: (joints,) inertia I at each joint [kg m^2] or [kg].
        names: (joints,) of the joints.
        step: the longest step h [s].

    Returns:
        One line on what was limited for each of 'kp', 'kd' and 'viscous friction', if anything.
    """
    kp, kd, ki = asked
    drives.viscous[:] = np.minimum(viscous, inertia / (4.0 * step))
    if drives.stable is None:
        kp = np.minimum(kp, inertia / (4.0 * step**2))
        kd = np.minimum(kd, inertia / (2.0 * step) - drives.viscous)
    drives.set_gains(kp, kd, ki)
    lines = {
        'kp': describe_limits(names, asked[0], kp),
        'kd': describe_limits(names, asked[1], kd),
        'viscous friction': describe_limits(names, viscous, drives.viscous),
    }
    return {name: line for name, line in lines.items() if line}


def describe_limits(names: Sequence[str], asked: Array, limited: Array) -> str:
    """One line that says what was limited; empty: nothing.

    Args:
        names: (joints,) of the joints.
        asked, limited: (joints,) one kind of gain, before and after the limit.
    """
    parts = []
    for value in np.unique(asked):
        places = np.flatnonzero((asked == value) & (limited < asked))
        if len(places):
            low, high = limited[places].min(), limited[places].max()
            joints = ', '.join(names[k] for k in places.tolist())
            to = f'{low:.3g}' if high - low < 0.005 * high else f'{low:.3g} to {high:.3g}'
            parts.append(f'{value:g} limited to {to}: {joints}')
    return '; '.join(parts)
