"""The state of a world."""

from dataclasses import dataclass

from softshell_kinematics.arrays import Array
from softshell_sim.scene import SavedScene


@dataclass(frozen=True, eq=False)
class WorldState:
    """Everything that decides how a world goes on, as `World.save` gives it.

    Args:
        scene: bodies, pushes and paths.
        control, sensors, cameras: their states; that of the control has the gains in force.
        targets: that the motors are to reach, as `Targets.save` gives them.
        soft: moments, tensions and lengths of the soft manipulators.
        gravity: (3,) in the world [m/s^2].
        clock: the time and the step, as `StepClock.save` gives them.
    """

    scene: SavedScene
    control: object
    sensors: object
    cameras: object
    targets: Array
    soft: tuple[tuple[Array, ...], ...]
    gravity: Array
    clock: tuple[float, int, float]
