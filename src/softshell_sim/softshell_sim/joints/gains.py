"""Gains that are asked for, and those that explicit integration bears."""

from collections.abc import Mapping, Sequence

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_control.pd import Drives
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError


def joint_gains(
    robot: RobotModel, joint_map: JointMap, groups: Mapping[str, Gains]
) -> tuple[Array, Array, Array]:
    """(movable,) kp, kd and ki that are asked for.

    Args:
        robot: its joints have gains of their own.
        joint_map: a joint that follows another has the gains of that one.
        groups: gains by group. A group with other gains than the model's gives them to all its
            joints; the joints of any other group keep their own.

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
    """Give drives the gains that are asked for, as far as their integration bears them.

    Limits are kp ≤ I / (4 h²) and kd ≤ I / (2 h), of which viscous friction takes its part, up to
    a half. Of the implicit form only that friction is limited.

    Args:
        drives: that get them.
        asked: (joints,) kp, kd and ki.
        viscous: (joints,) of the viscous friction [N m s/rad] or [N s/m].
        inertia: (joints,) that each joint feels, I [kg m^2] or [kg].
        names: (joints,) of the joints.
        step: the longest in which time is to pass, h [s].

    Returns:
        Which were limited, in one line for each of 'kp', 'kd' and 'viscous friction'.
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


def describe_limits(names: Sequence[str], asked: Array, borne: Array) -> str:
    """What was limited, in one line; empty if nothing was.

    Args:
        names: (joints,) of the joints.
        asked, borne: (joints,) one kind of gain, before and after the limit.
    """
    parts = []
    for value in np.unique(asked):
        places = np.flatnonzero((asked == value) & (borne < asked))
        if len(places):
            low, high = borne[places].min(), borne[places].max()
            joints = ', '.join(names[k] for k in places.tolist())
            to = f'{low:.3g}' if high - low < 0.005 * high else f'{low:.3g} to {high:.3g}'
            parts.append(f'{value:g} limited to {to}: {joints}')
    return '; '.join(parts)
