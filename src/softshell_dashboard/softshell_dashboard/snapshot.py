"""What was measured last, in plain numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array

NOWHERE = np.empty((0, 3))


@dataclass(frozen=True, eq=False)
class Base:
    """Where the base is in odom.

    Attributes:
        position: (3,) [m].
        orientation: (4,) quaternion x, y, z, w.
    """

    position: Array
    orientation: Array


@dataclass(frozen=True, eq=False)
class Feet:
    """What feet feel.

    Attributes:
        names: of their frames.
        touching: whether each touches anything.
        force: (feet, 3) on each, in odom [N].
    """

    names: tuple[str, ...]
    touching: tuple[bool, ...]
    force: Array


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The newest of what the stack publishes; what nobody publishes is None or empty.

    Attributes:
        joints: measured position of each joint [rad] or [m].
        commands: what each joint is told [rad] or [m].
        efforts: that each joint's motor exerts [N m] or [N], where measured.
        base: where the base is.
        feet: what they feel.
        contact_points, contact_forces: (contacts, 3) in odom [m], [N]; of simulations.
        plan: (points, joints) of the newest trajectory [rad] or [m], and the names of its joints.
        bodies: pose (position and quaternion, 7) in odom by name, of a simulated world.
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
        """Largest difference of a joint from what it is told [rad] or [m]."""
        common = self.joints.keys() & self.commands.keys()
        if not common:
            return None
        return max(abs(self.joints[name] - self.commands[name]) for name in common)


@dataclass(frozen=True)
class Health:
    """What the stack says of itself; None where nothing does.

    Attributes:
        bridge: what moves: sim, mock or hardware.
        state: what the bridge does, in lower case.
        reasons: why it does not drive, what it limits and warns of.
        mode: of a robot with a cage.
        real_time_factor: simulated over wall time.
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
    """Channels that are no joints: names, units, values as measured, ranges where known."""

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    values: tuple[float, ...] = field(default=())
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
