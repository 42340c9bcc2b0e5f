"""Gains that explicit integration bears."""

from collections.abc import Mapping, Sequence

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError


def joint_gains(
    robot: RobotModel, joint_map: JointMap, groups: Mapping[str, Gains]
) -> tuple[Array, Array]:
    """(movable,) kp and kd that are asked for.

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
    return np.array([g.kp for g in gains]), np.array([g.kd for g in gains])


def bearable(kp: Array, kd: Array, inertia: Array, step: float) -> tuple[Array, Array]:
    """The nearest gains that do not make a joint shake: kd ≤ I / (2 h) and kp ≤ I / (4 h²).

    Args:
        kp, kd: (joints,) asked for.
        inertia: (joints,) that each joint feels, I [kg m^2] or [kg].
        step: of the integration, h [s].
    """
    return np.minimum(kp, inertia / (4.0 * step**2)), np.minimum(kd, inertia / (2.0 * step))


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
