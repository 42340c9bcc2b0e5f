"""The state that the robot was last commanded to: joints, feet, base, and how far gaits are.

The footprint is the frame of the robot on the ground: under the robot, in the plane of the feet,
level, z up; it moves as the robot walks. The posture is the pose of the base in the footprint.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves import footprint
from softshell_actions.feet_plane import feet_plane
from softshell_actions.performing.call import Call
from softshell_kinematics.arrays import Array

#: Largest ratio of a swing's speed at the start of a part to that at its end: beyond 4 the foot
#: would go backwards in between.
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
        leaving, landing: (3,) velocities of a foot that rolls over the ground at lift-off and at
            touch-down, times the duration of the whole swing [m].
        rate: progress of the swing at the end of its last part [1/s]; 0 before its first part.
    """

    lift_off: Array
    foothold: Array
    height: float
    slant: float
    leaving: Array
    landing: Array
    rate: float = 0.0

    def haste(self, part: tuple[float, float], duration: float) -> float:
        """Speed at the start of a part, relative to its mean speed; see `curve.progress`.

        With it the foot keeps its speed when the time of the gait's cycle changes.

        Args:
            part: of the swing, from 0 at lift-off to 1 at touch-down.
            duration: of the part [s].
        """
        return min(self.rate * duration / (part[1] - part[0]) or 1.0, FASTEST)

    def seen(self, pose: Array) -> 'Swing':
        """The same swing in another footprint.

        Args:
            pose: (3,) x, y [m], yaw [rad] of the other footprint in this one.
        """
        ends = footprint.to_footprint(pose, np.array([self.lift_off, self.foothold]))
        back = footprint.planar_rotation(pose[2]).inv()
        leaving, landing = back.apply([self.leaving, self.landing])
        return Swing(ends[0], ends[1], self.height, self.slant, leaving, landing, self.rate)


@dataclass(frozen=True)
class State:
    """The state that the robot was last commanded to.

    Args:
        joints: positions of the independent joints by name [rad] or [m].
        feet: (legs, 3) [m] in the footprint.
        base_position: (3,) [m] of the base in the footprint, without sway.
        base_rotation: of the base in the footprint.
        sway: (2,) x, y [m] by which a gait has moved the base on top of that.
        velocity: (3,) x, y [m/s] and yaw [rad/s] of the footprint, in the footprint.
        parts: index of the part of its cycle that comes next, by gait.
        swings: feet that are in the air, by leg.
        tilt: measured angle between the base's z axis and the vertical [rad]; 0 if unknown.
        holds: whether its soft manipulators were measured to hold an object; None if unknown.
        lead: how far each joint is commanded beyond its planned position, to make up for how far
            it gives way under load, by name [rad] or [m]; empty for a measured state.
        stood: (legs,) time since each foot landed [s]; for a foot in the air, the time it had
            stood when it lifted off. Empty: all landed long ago.
        stride: the last call that followed a gait.
        rolling: (legs, 3) velocity of feet that roll over the ground, in the footprint [m/s];
            empty: no foot rolls.
        near_stand: legs that reach their footholds in more than one way, and do so in that which
            is nearest to the pose in which the robot stands.
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
    near_stand: frozenset[str] = frozenset()

    @property
    def feet_rolling(self) -> Array:
        """(legs, 3) velocity of feet that roll over the ground, in the footprint [m/s]."""
        return self.rolling if len(self.rolling) else np.zeros_like(self.feet)

    @property
    def time_stood(self) -> Array:
        """(legs,) time since each foot landed [s]; infinite if that is long ago."""
        return self.stood if len(self.stood) else np.full(len(self.feet), np.inf)

    @property
    def base_origin(self) -> Array:
        """(3,) position of the base in the footprint, sway included [m]."""
        origin: Array = self.base_position + [*self.sway, 0.0]
        return origin

    @property
    def at_rest(self) -> bool:
        """Whether it neither travels nor sways nor has a foot in the air."""
        return not (np.any(self.velocity) or np.any(self.sway) or self.swings)

    def with_joints(
        self, joints: Mapping[str, float], lead: Mapping[str, float] | None = None
    ) -> 'State':
        """The same state with other positions, and other leads, of some joints."""
        return replace(self, joints={**self.joints, **joints}, lead={**self.lead, **(lead or {})})


def measured_state(
    joints: Mapping[str, float],
    stance: Stance | None,
    forward: ForwardKinematics,
    tilt: float = 0.0,
) -> State:
    """The state of a robot at rest on level ground, known from its joints alone.

    The feet tell how high the base is and how it is tilted; a base that would be lower than
    `Stance.lying_height` lies level on its belly.

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
