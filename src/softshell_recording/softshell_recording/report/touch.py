"""What a bag holds of the contacts of the feet; needs no ROS."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_common.frames import ODOM
from softshell_kinematics.arrays import Array
from softshell_recording.assemble import times_of
from softshell_recording.recording import Recording


@dataclass(frozen=True, eq=False)
class Touch:
    """Contacts of the feet, at the samples of the joints.

    Args:
        feet: their links.
        touching: (samples, feet) of bool, whether each touched something.
        force: (samples, feet, 3) [N] on each foot, in odom; as they were told without odometry.
    """

    feet: tuple[str, ...]
    touching: NDArray[np.bool_]
    force: Array


def read_touch(recording: Recording, messages: list[Any]) -> Touch | None:
    """The latest contact of each foot at sample times; None if no message has a foot.

    Forces in another frame than odom, that of the base, are turned with it.

    Args:
        recording: its samples are those of the result.
        messages: of type `softshell_interfaces/FootContacts`, by time.
    """
    feet = tuple(dict.fromkeys(foot.foot for one in messages for foot in one.feet))
    if not feet:
        return None
    latest, told = dict.fromkeys(feet, (0.0, 0.0, 0.0, 0.0, 0.0)), []
    for message in messages:
        for foot in message.feet:
            force, turns = foot.force, message.header.frame_id != ODOM
            latest[foot.foot] = foot.touching, force.x, force.y, force.z, turns
        told.append([*latest.values()])
    at = np.searchsorted(times_of(messages), recording.times, side='right') - 1
    values = np.array(told)[np.clip(at, 0, None)]
    forces = values[..., 1:4]
    if recording.base is not None:
        turned = np.einsum('sij,sfj->sfi', recording.base.rotations, forces)
        forces = np.where(values[..., 4:] > 0.0, turned, forces)
    return Touch(feet, values[..., 0] > 0.0, forces)
