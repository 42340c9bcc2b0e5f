"""The state of a world."""

from collections.abc import Mapping
from dataclasses import dataclass

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.scene import SavedScene
from softshell_sim.settings import WorldSettings


@dataclass(frozen=True, eq=False)
class WorldState:
    """Everything that decides how a world goes on, as `World.save` gives it.

    Args:
        setup: of the world, as `setup_of` gives it.
        scene: bodies, pushes and paths.
        control, sensors, cameras: their states; that of the control has the gains in force.
        targets: that the motors are to reach, as `Targets.save` gives them.
        soft: moments, tensions and lengths of the soft manipulators.
        gravity: (3,) in the world [m/s^2].
        clock: the time and the step, as `StepClock.save` gives them.
        joints: (2, movable) positions and velocities of the joints, as last read.
    """

    setup: Mapping[str, object]
    scene: SavedScene
    control: object
    sensors: object
    cameras: object
    targets: Array
    soft: tuple[tuple[Array, ...], ...]
    gravity: Array
    clock: tuple[float, int, float]
    joints: Array

    def refuse_other_setup(self, setup: Mapping[str, object]) -> None:
        """Check that a world of this `setup_of` can take the state.

        Raises:
            SoftshellError: it cannot; the text names what differs.
        """
        others = [name for name, part in setup.items() if part != self.setup[name]]
        if others:
            raise SoftshellError(
                f'the state was saved by a world with other {", ".join(others)}; expected those '
                'of this world'
            )


def setup_of(robot: RobotModel, settings: WorldSettings) -> Mapping[str, object]:
    """What a world shares with all worlds whose states it can restore, by name.

    Engine and bodies are left out: `SavedState.refuse_others` compares them.
    """
    return {
        'joints': robot.joints,
        'motors': robot.motors,
        'channels': robot.channels,
        'legs': robot.legs,
        'sensors': settings.sensors,
        'pd': settings.pd,
        'physics_step': settings.physics_step,
    }
