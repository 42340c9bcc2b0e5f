"""Settings of a simulated world."""

from dataclasses import dataclass, field

import numpy as np

from softshell_common.gravity import GRAVITY
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_sim.changing.changes import Change
from softshell_sim.number_checks import number_problems, whole_problems
from softshell_sim.physics.engines import default_engine
from softshell_sim.sensing.sensor_settings import SensorSettings

#: How the PD control of the joints is integrated.
PD_FORMS = ('explicit', 'implicit')


@dataclass(frozen=True)
class WorldSettings:
    """Settings of a world.

    Args:
        engine: name of the physics engine: `pybullet`, `mujoco`, or one of your own; by default
            `pybullet` if it is installed, else `mujoco`.
        physics_step: time that one step of the engine lets pass [s].
        gravity: acceleration of free fall, downwards [m/s^2].
        friction: coefficient between floor and robot.
        restitution: part of the normal speed that is left after an impact of floor and robot.
        padding: thickness of the layer round the robot at which contact begins [m]; with none
            the robot stands on the feet of its model.
        self_collision: whether parts of the robot collide with each other, except neighbours
            and parts that touch in one of its named poses.
        gui: show the world in a window.
        visuals: load the visual shapes of the robot; for cameras and windows they always are.
        scene: further bodies that the world begins with, and surfaces between them.
        follow: whether the window's camera goes along with the robot.
        seed: of the noise of all sensors; 0 or more.
        sensors: settings of the sensors; by default all are exact.
        pd: how the PD control of the joints is integrated: 'explicit' limits gains to those that
            are stable with the physics step, 'implicit' is stable with all.

    Raises:
        ProblemsError: names each setting that is out of range, its value and what was expected.
    """

    engine: str = field(default_factory=lambda: default_engine())
    physics_step: float = 0.001
    gravity: float = GRAVITY
    friction: float = 0.5
    restitution: float = 0.0
    padding: float = 0.0
    self_collision: bool = False
    gui: bool = False
    visuals: bool = False
    scene: tuple[Change, ...] = ()
    follow: bool = True
    seed: int = 0
    sensors: SensorSettings = field(default_factory=SensorSettings)
    pd: str = 'explicit'

    def __post_init__(self) -> None:
        problems = [
            *number_problems('physics_step', self.physics_step, 's', above=True),
            *number_problems('gravity', self.gravity, 'm/s^2'),
            *number_problems('friction', self.friction),
            *number_problems('restitution', self.restitution, largest=1.0),
            *number_problems('padding', self.padding, 'm'),
            *whole_problems('seed', self.seed),
        ]
        if self.pd not in PD_FORMS:
            problems.append(f'pd is {self.pd!r}; expected {" or ".join(PD_FORMS)}')
        if not isinstance(self.sensors, SensorSettings):
            problems.append(f'sensors is {self.sensors!r}; expected sensor_settings({{...}})')
        if problems:
            raise ProblemsError('settings of the world', problems)


def gravity_vector(gravity: Array | float) -> Array:
    """(3,) acceleration of free fall in the world [m/s^2].

    Args:
        gravity: downwards, or (3,) in the world [m/s^2].

    Raises:
        SoftshellError: it is neither one finite number nor three.
    """
    try:
        vector = np.array(gravity, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.full(1, np.nan)
    if vector.ndim == 0:
        vector = np.array([0.0, 0.0, -1.0]) * vector
    if vector.shape != (3,) or not np.isfinite(vector).all():
        told = gravity.tolist() if isinstance(gravity, np.ndarray) else gravity
        raise SoftshellError(
            f'gravity is {told!r} m/s^2; expected one finite number, downwards, or three'
        )
    return vector
