"""Heights of the feet, by forward kinematics; needs no ROS."""

import numpy as np

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_recording.recording import Recording


def feet_heights(model: RobotModel, recording: Recording) -> Array:
    """Heights of the frames of the feet.

    Args:
        model: the robot.
        recording: a run of it.

    Returns:
        (samples, legs) [m], legs in the order of the model; in odom, or in the base if the
        recording has no odometry. No columns for a robot without legs.
    """
    feet = _feet(model, recording.joints[:, recording.columns(model.joint_names)])
    base = recording.base
    if base is None:
        return feet[..., 2]
    return (base.rotations[:, None] @ feet[..., None])[..., 2, 0] + base.positions[:, 2, None]


def standing_heights(model: RobotModel, heights: Array) -> Array:
    """Heights of a level base that stands on its lowest foot, at least that of the rest pose.

    Args:
        model: the robot.
        heights: (samples, legs) of its feet in the base [m].

    Returns:
        (samples,) over flat ground [m]; 0 for a robot without legs.
    """
    if model.legs is None:
        return np.zeros(len(heights))
    stand, rest = model.legs.stand, model.legs.rest
    # The frame of a foot is above the ground by the foot's radius.
    lowest = _feet(model, model.pose(stand)[None])[0, :, 2].min()
    radius = model.rest_heights.get(stand, -lowest) + lowest
    lying = model.rest_heights.get(rest, 0.0)
    standing: Array = np.maximum(radius - heights.min(axis=1), lying)
    return standing


def _feet(model: RobotModel, joints: Array) -> Array:
    """(samples, legs, 3) feet in the base [m], from the independent joints (samples, joints)."""
    legs = () if model.legs is None else model.legs.chains
    feet = np.empty((len(joints), len(legs), 3))
    for place, name in enumerate(legs):
        chain = chain_from_urdf(model.urdf, model.base.link, model.chains[name].tip_link, name)
        columns = [model.index(variable) for variable in chain.variables]
        feet[:, place] = chain.forward(joints[:, columns])[:, :3, 3]
    return feet
