"""What a simulated world is like."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Gains:
    """PD gains of one group of joints: kp [N m/rad], kd [N m s/rad]."""

    kp: float
    kd: float


#: Stiff enough to sag less than 0.01 rad on three legs; see the tests.
DEFAULT_GAINS = {
    'fold': Gains(30.0, 0.6),
    'lower': Gains(40.0, 0.2),
    'upper': Gains(15.0, 0.15),
}


@dataclass(frozen=True)
class WorldSettings:
    """What a world is like.

    Args:
        physics_step: [s].
        gravity: [m/s^2], downwards.
        friction: of the floor and of the robot; Bullet multiplies the two.
        restitution: of the floor and of the robot; likewise.
        self_collision: whether parts of the robot collide that neither are neighbours nor overlap
            in one of its named poses.
        gui: show the world in a window.
        seed: of everything random. Nothing is yet: kept with the world so that it will be.
        gains: by group of joints.
    """

    physics_step: float = 0.001
    gravity: float = 9.81
    friction: float = 1.0
    restitution: float = 0.0
    self_collision: bool = False
    gui: bool = False
    seed: int = 0
    gains: dict[str, Gains] = field(default_factory=lambda: dict(DEFAULT_GAINS))
