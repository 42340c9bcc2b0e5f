"""Where the robot is, as far as it has been commanded: joints, feet, base, and who steps next.

The footprint is the frame of the robot on the ground: z up, level, in the plane of the feet, under
the robot, moving as it walks. Posture is the pose of base_link in the footprint.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

#: (4, 4) tip poses in base_link by chain, from joint positions by name.
ForwardKinematics = Callable[[Mapping[str, float]], Mapping[str, Array]]

#: A robot whose base is less than this above its lying height lies on its belly [m].
LYING_MARGIN = 0.01
#: Feet further than this from their rest positions are scattered [m].
SCATTERED_MARGIN = 0.01


@dataclass(frozen=True)
class Stance:
    """How the robot stands at rest.

    Args:
        feet: (legs, 3) [m] in the footprint, in the order of `legs`.
        legs: names of the lower chains.
        stand_height: height of base_link over the footprint when standing [m].
        lying_height: the same when the belly rests on the ground [m].
    """

    feet: Array
    legs: tuple[str, ...]
    stand_height: float
    lying_height: float


@dataclass(frozen=True)
class State:
    """What the robot was last commanded to be.

    Args:
        joints: positions of the independent joints by name [rad].
        feet: (legs, 3) [m] in the footprint.
        base_position: (3,) [m] of base_link in the footprint.
        base_rotation: of base_link in the footprint.
        velocity: (3,) x, y [m/s] and yaw [rad/s] of the footprint, in the footprint.
        turns: by gait, the leg set that steps next.
    """

    joints: Mapping[str, float]
    feet: Array
    base_position: Array
    base_rotation: Rotation
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    turns: Mapping[str, int] = field(default_factory=dict)

    def is_lying(self, stance: Stance) -> bool:
        """Whether the belly carries the robot."""
        return bool(self.base_position[2] < stance.lying_height + LYING_MARGIN)

    def is_scattered(self, stance: Stance) -> bool:
        """Whether any foot is off its rest position, or the robot travels."""
        distances = np.linalg.norm(self.feet - stance.feet, axis=1)
        return bool(distances.max() > SCATTERED_MARGIN or np.any(self.velocity))

    def with_joints(self, joints: Mapping[str, float]) -> 'State':
        """The same state with some joints elsewhere."""
        return replace(self, joints={**self.joints, **joints})


def measured_state(
    joints: Mapping[str, float], stance: Stance, forward: ForwardKinematics
) -> State:
    """The state of a robot at rest on level ground, known from its joints alone.

    The base is assumed level, and as high as its lowest foot or its belly carries it.

    Args:
        joints: measured positions of the independent joints [rad].
        stance: the robot's stance.
        forward: forward kinematics.
    """
    tips = forward(joints)
    feet = np.array([tips[leg][:3, 3] for leg in stance.legs])
    height = max(stance.lying_height, float(-feet[:, 2].min()))
    base = np.array([0.0, 0.0, height])
    return State(dict(joints), feet + base, base, Rotation.identity())
