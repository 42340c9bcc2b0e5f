"""The newest measurements and states of the stack, as plain numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array

NOWHERE = np.empty((0, 3))


@dataclass(frozen=True, eq=False)
class Base:
    """The pose of the base.

    Attributes:
        position: (3,) in odom [m].
        orientation: (4,) quaternion x, y, z, w in odom.
    """

    position: Array
    orientation: Array


@dataclass(frozen=True, eq=False)
class Feet:
    """The contacts of the feet.

    Attributes:
        names: frames of the feet.
        touching: whether each foot touches anything.
        force: (feet, 3) contact force on each foot, in odom [N].
    """

    names: tuple[str, ...]
    touching: tuple[bool, ...]
    force: Array


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The newest measurements; those that are not published are None or empty.

    Attributes:
        joints: measured position of each joint [rad] or [m].
        commands: commanded position of each joint [rad] or [m].
        efforts: of each joint's motor [N m] or [N], where it is measured.
        base: pose of the base.
        feet: contacts of the feet.
        contact_points, contact_forces: (contacts, 3) of a simulation, in odom [m], [N].
        plan: (points, joints) positions of the newest trajectory [rad] or [m].
        plan_joints: names of the joints of the plan.
        bodies: (7,) position [m] and quaternion x, y, z, w in odom of each body of a simulated
            world, by name.
    """

    joints: Mapping[str, float] = field(default_factory=dict)
    commands: Mapping[str, float] = field(default_factory=dict)
    efforts: Mapping[str, float] = field(default_factory=dict)
    base: Base | None = None
    feet: Feet | None = None
    contact_points: Array = field(default_factory=lambda: NOWHERE)
    contact_forces: Array = field(default_factory=lambda: NOWHERE)
    plan: Array | None = None
    plan_joints: tuple[str, ...] = ()
    bodies: Mapping[str, Array] = field(default_factory=dict)

    def tracking(self) -> float | None:
        """Largest difference between a joint and its command [rad] or [m]; None if unknown."""
        common = self.joints.keys() & self.commands.keys()
        if not common:
            return None
        return max(abs(self.joints[name] - self.commands[name]) for name in common)


@dataclass(frozen=True)
class Health:
    """The state of the stack; None or empty if it is unknown.

    Attributes:
        bridge: kind of the bridge: sim, mock or hardware.
        state: mode of the bridge in lower case; absent: there is no bridge.
        reasons: of faults, limits and warnings.
        mode: of a robot with a cage, e.g. ball.
        real_time_factor: simulated time divided by wall time.
        temperature: of the hottest motor [°C].
        posture: z [m], roll, pitch [rad] of the base over its feet.
    """

    bridge: str = ''
    state: str = 'absent'
    reasons: tuple[str, ...] = ()
    mode: str = ''
    real_time_factor: float | None = None
    temperature: float | None = None
    posture: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Fingers:
    """Channels that are no joints, such as tendons of fingers.

    Attributes:
        names: of the channels.
        units: of their values.
        values: measured, in their units.
        ranges: lowest and highest value of a channel, by name, where they are known.
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    values: tuple[float, ...] = field(default=())
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
