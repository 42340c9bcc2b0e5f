"""What a simulated world is like."""

import math
from dataclasses import dataclass, field

from softshell_kinematics.errors import ProblemsError
from softshell_sim.engines import default_engine

#: Forms of the control of the joints.
PD_FORMS = ('explicit', 'implicit')


@dataclass(frozen=True)
class WorldSettings:
    """What a world is like.

    Args:
        engine: name of the physics engine, one of `engines.ENGINES`.
        physics_step: time that one step of the engine lets pass [s].
        gravity: acceleration of free fall, downwards [m/s^2].
        friction: coefficient between floor and robot.
        restitution: that of the floor, and that of the robot; the engine multiplies the two.
        self_collision: whether parts of the robot collide that neither are neighbours nor come
            close to each other in one of its named poses.
        gui: show the world in a window.
        pd: how the control of the joints is integrated: 'explicit' limits gains to what a step
            bears, 'implicit' bears all.

    Raises:
        ProblemsError: numbers that no world has; each problem names setting, value and range.
    """

    engine: str = field(default_factory=lambda: default_engine())
    physics_step: float = 0.001
    gravity: float = 9.81
    friction: float = 0.5
    restitution: float = 0.0
    self_collision: bool = False
    gui: bool = False
    pd: str = 'explicit'

    def __post_init__(self) -> None:
        step = self.physics_step
        problems = []
        if not 0.0 < step < math.inf:
            problems.append(f'physics_step is {step} s; expected more than 0, and finite')
        for name, highest, words in (
            ('gravity', math.inf, '0 or more, and finite'),
            ('friction', math.inf, '0 or more, and finite'),
            ('restitution', 1.0, '0 to 1'),
        ):
            value = getattr(self, name)
            if not (0.0 <= value <= highest and math.isfinite(value)):
                unit = ' m/s^2' if name == 'gravity' else ''
                problems.append(f'{name} is {value}{unit}; expected {words}')
        if self.pd not in PD_FORMS:
            problems.append(f'pd is {self.pd!r}; expected {" or ".join(PD_FORMS)}')
        if problems:
            raise ProblemsError('settings of the world', problems)
