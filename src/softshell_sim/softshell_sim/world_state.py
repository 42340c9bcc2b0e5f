"""The state of a world."""

from dataclasses import dataclass

from softshell_kinematics.arrays import Array
from softshell_sim.scene import SavedScene


@dataclass(frozen=True, eq=False)
class WorldState:
    """What decides how a world goes on, as `World.save` gives it.

    Args:
        scene: bodies and pushes.
        control, sensors, cameras: what they remember, and the gains that are in force.
        targets: where the motors are to bring the joints.
        soft: what drives the soft manipulators.
        gravity: (3,) [m/s^2].
        clock: the time.
    """

    scene: SavedScene
    control: object
    sensors: object
    cameras: object
    targets: Array
    soft: tuple[tuple[Array, ...], ...]
    gravity: Array
    clock: tuple[float, int, float]
