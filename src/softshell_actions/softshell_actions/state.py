"""Where the robot is, as far as it has been commanded: joints, feet, base, and who steps next.

The footprint is the frame of the robot on the ground: z up, level, in the plane of the feet, under
the robot, moving as it walks. Posture is the pose of the base in the footprint.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves import footprint
from softshell_actions.feet_plane import feet_plane
from softshell_actions.performing.call import Call
from softshell_kinematics.arrays import Array

#: A part of a swing begins so many times as fast as it ends, at most: else it would turn back.
FASTEST = 3.0
#: (4, 4) tip poses in the base by chain, from joint positions by name.
ForwardKinematics = Callable[[Mapping[str, float]], Mapping[str, Array]]


@dataclass(frozen=True)
class Stance:
    """How the robot stands at rest.

    Args:
        feet: (legs, 3) [m] in the footprint, in the order of `legs`.
        legs: names of the chains that are legs.
        stand_height: height of the base over the footprint when standing [m].
        lying_height: the same when the belly rests on the ground [m].
    """

    feet: Array
    legs: tuple[str, ...]
    stand_height: float
    lying_height: float

    def index(self, leg: str) -> int:
        """Place of a leg in the arrays of feet."""
        return self.legs.index(leg)


@dataclass(frozen=True)
class Swing:
    """A foot in the air between two parts of a gait's cycle.

    Args:
        lift_off, foothold: (3,) [m] in the footprint.
        height, slant: of its path, see `curve.swing_path`.
        leaving, landing: (3,) velocities at its ends, in the time of the whole swing, of a foot
            that rolls over the ground [m].
        rate: part of it that passes in a second, at last; 0: none has passed yet.
    """

    lift_off: Array
    foothold: Array
    height: float
    slant: float
    leaving: Array
    landing: Array
    rate: float = 0.0

    def haste(self, part: tuple[float, float], duration: float) -> float:
        """How many times as fast it was as a part of it is that takes so long [s]; see `progress`.

        A gait that is re-timed goes over to its new time without a jump.
        """
        return min(self.rate * duration / (part[1] - part[0]) or 1.0, FASTEST)

    def seen(self, pose: Array) -> 'Swing':
        """The same in a footprint whose pose (3,) in this one is x, y [m], yaw [rad]."""
        ends = footprint.to_footprint(pose, np.array([self.lift_off, self.foothold]))
        back = footprint.planar_rotation(pose[2]).inv()
        leaving, landing = back.apply([self.leaving, self.landing])
        return Swing(ends[0], ends[1], self.height, self.slant, leaving, landing, self.rate)


@dataclass(frozen=True)
class State:
    """What the robot was last commanded to be.

    Args:
        joints: positions of the independent joints by name [rad] or [m].
        feet: (legs, 3) [m] in the footprint.
        base_position: (3,) [m] of the base in the footprint, without sway.
        base_rotation: of the base in the footprint.
        sway: (2,) x, y [m] by which a gait has moved the base on top of that.
        velocity: (3,) x, y [m/s] and yaw [rad/s] of the footprint, in the footprint.
        parts: by gait, the part of its cycle that comes next.
        swings: feet that are in the air, by leg.
        tilt: measured angle between the base's z axis and the vertical [rad]; 0 if unknown.
        holds: whether its soft manipulators were last measured to hold a thing; None if unknown.
        lead: by joint, how far it is commanded ahead of where it is to be [rad] or [m]; of a
            measured state nothing is known.
        stood: (legs,) time since each foot has landed [s], of one in the air when it lifted; none:
            long ago.
        stride: the last one that a gait was followed by.
        rolling: (legs, 3) velocity of feet that roll over the ground, in the footprint [m/s];
            none: they do not.
    """

    joints: Mapping[str, float]
    feet: Array
    base_position: Array
    base_rotation: Rotation
    sway: Array = field(default_factory=lambda: np.zeros(2))
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    parts: Mapping[str, int] = field(default_factory=dict)
    swings: Mapping[str, Swing] = field(default_factory=dict)
    tilt: float = 0.0
    holds: bool | None = None
    lead: Mapping[str, float] = field(default_factory=dict)
    stood: Array = field(default_factory=lambda: np.zeros(0))
    stride: Call | None = None
    rolling: Array = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def feet_rolling(self) -> Array:
        """(legs, 3) velocity of feet that roll over the ground, in the footprint [m/s]."""
        return self.rolling if len(self.rolling) else np.zeros_like(self.feet)

    @property
    def time_stood(self) -> Array:
        """(legs,) time since each foot has landed [s]; infinite where that is long ago."""
        return self.stood if len(self.stood) else np.full(len(self.feet), np.inf)

    @property
    def base_origin(self) -> Array:
        """(3,) [m] of the base in the footprint, sway included."""
        origin: Array = self.base_position + [*self.sway, 0.0]
        return origin

    @property
    def at_rest(self) -> bool:
        """Whether it neither travels nor sways nor has a foot in the air."""
        return not (np.any(self.velocity) or np.any(self.sway) or self.swings)

    def with_joints(
        self, joints: Mapping[str, float], lead: Mapping[str, float] | None = None
    ) -> 'State':
        """The same state with some joints elsewhere, and led otherwise."""
        return replace(self, joints={**self.joints, **joints}, lead={**self.lead, **(lead or {})})


def measured_state(
    joints: Mapping[str, float],
    stance: Stance | None,
    forward: ForwardKinematics,
    tilt: float = 0.0,
) -> State:
    """The state of a robot at rest on level ground, known from its joints alone.

    Its feet carry the base, tilted as they have it, or it lies level on its belly.

    Args:
        joints: measured positions of the independent joints [rad] or [m].
        stance: the robot's stance; None for a robot without legs.
        forward: forward kinematics.
        tilt: measured, see `State`.
    """
    if stance is None:
        return State(dict(joints), np.zeros((0, 3)), np.zeros(3), Rotation.identity(), tilt=tilt)
    tips = forward(joints)
    feet = np.array([tips[leg][:3, 3] for leg in stance.legs])
    rotation, height = feet_plane(feet)
    if height < stance.lying_height:
        rotation, height = Rotation.identity(), stance.lying_height
    base = np.array([0.0, 0.0, height])
    return State(dict(joints), rotation.apply(feet) + base, base, rotation, tilt=tilt)
