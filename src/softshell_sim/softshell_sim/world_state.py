"""The state of a world."""

from dataclasses import dataclass

from softshell_kinematics.arrays import Array
from softshell_sim.scene import SavedScene


@dataclass(frozen=True, eq=False)
class WorldState:
    """What decides how a world goes on, as `World.save` gives it.

    Args:
        scene: bodies and pushes.
        drives, sensors, cameras: what they remember.
        targets: where the motors are to bring the joints.
        gravity: (3,) [m/s^2].
        since, steps, step: the time was `since`, and so many steps have passed of this length [s].
    """

    scene: SavedScene
    drives: object
    sensors: object
    cameras: object
    targets: Array
    gravity: Array
    since: float
    steps: int
    step: float
