"""What a simulated world is like."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WorldSettings:
    """What a world is like.

    Args:
        engine: name of the physics engine, one of `engines.ENGINES`.
        physics_step: [s].
        gravity: [m/s^2], downwards.
        friction: between floor and robot.
        restitution: of the floor and of the robot; the engine multiplies the two.
        self_collision: whether parts of the robot collide that neither are neighbours nor come
            close to each other in one of its named poses.
        gui: show the world in a window.
    """

    engine: str = 'pybullet'
    physics_step: float = 0.001
    gravity: float = 9.81
    friction: float = 0.5
    restitution: float = 0.0
    self_collision: bool = False
    gui: bool = False
