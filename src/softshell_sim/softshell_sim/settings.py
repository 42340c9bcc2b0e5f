"""What a simulated world is like."""

import math
from dataclasses import dataclass, field

from softshell_kinematics.errors import ProblemsError
from softshell_sim.engines import default_engine


@dataclass(frozen=True)
class WorldSettings:
    """What a world is like.

    Args:
        engine: name of the physics engine, one of `engines.ENGINES`.
        physics_step: time that one step of the engine lets pass [s].
        gravity: acceleration of free fall, downwards [m/s^2].
        friction: coefficient between floor and robot.
        restitution: part of the normal speed that floor and robot leave each other.
        padding: thickness of the layer round the robot at which contact begins [m]. By default
            there is none: the robot walks on the feet that its model has.
        self_collision: whether parts of the robot collide that neither are neighbours nor come
            close to each other in one of its named poses.
        gui: show the world in a window.

    Raises:
        ProblemsError: numbers that no world has; each problem names setting, value and range.
    """

    engine: str = field(default_factory=lambda: default_engine())
    physics_step: float = 0.001
    gravity: float = 9.81
    friction: float = 0.5
    restitution: float = 0.0
    padding: float = 0.0
    self_collision: bool = False
    gui: bool = False

    def __post_init__(self) -> None:
        step = self.physics_step
        problems = []
        if not 0.0 < step < math.inf:
            problems.append(f'physics_step is {step} s; expected more than 0, and finite')
        for name, highest, words in (
            ('gravity', math.inf, '0 or more, and finite'),
            ('friction', math.inf, '0 or more, and finite'),
            ('restitution', 1.0, '0 to 1'),
            ('padding', math.inf, '0 or more, and finite'),
        ):
            value = getattr(self, name)
            if not (0.0 <= value <= highest and math.isfinite(value)):
                unit = {'gravity': ' m/s^2', 'padding': ' m'}.get(name, '')
                problems.append(f'{name} is {value}{unit}; expected {words}')
        if problems:
            raise ProblemsError('settings of the world', problems)
