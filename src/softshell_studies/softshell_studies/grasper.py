"""A robot that walks over a thing, grasps it with its fingers, carries it and sets it down."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import (
    rotation_about,
    rotation_from_quaternion,
    shift,
    transform,
)
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.changes import Spawn
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Sphere
from softshell_studies.commanded_robot import CommandedRobot

#: How far ahead the thing lies, how far it is carried, on feet and as a ball [m].
AHEAD, CARRIED, ROLLED = 0.5, 0.5, 1.5
#: How much further than that it is told to roll: so much shorter a ball may come to rest [m].
SHORT = 0.5
#: In which direction from the front: between two legs [rad].
BETWEEN = np.pi / 6
#: How high it lies above the ground at first [m].
HOVER = 5e-4


@dataclass(frozen=True)
class Thing:
    """What is grasped.

    Attributes:
        size: its height and width [m].
        is_ball: or a cube.
        mass: [kg].
        friction: of it on all others.
        off: (2,) how far it is from where the fingers close [m].
        turn: about the vertical [rad].
    """

    size: float
    is_ball: bool
    mass: float = 0.05
    friction: float = 1.0
    off: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0


def any_thing(seed: int, aside: float = 0.01) -> Thing:
    """A ball or a cube of 30 to 60 mm, no further off than that [m]."""
    random = np.random.default_rng(seed)
    size, is_ball = float(random.uniform(0.03, 0.06)), bool(random.integers(2))
    off, around, turn = random.uniform(0.0, aside), *random.uniform(0.0, 2.0 * np.pi, 2)
    way = float(off * np.cos(around)), float(off * np.sin(around))
    return Thing(size, is_ball, off=way, turn=float(turn))


class Grasper(CommandedRobot):
    """A robot with fingers, and a thing ahead of it.

    Args:
        engine: name of the engine.
        thing: ahead of it.
        self_collision: whether legs and fingers touch each other.
        robot: with fingers.
    """

    def __init__(
        self,
        engine: str,
        thing: Thing,
        self_collision: bool = False,
        robot: str | RobotModel = 'shell_fingers',
    ) -> None:
        super().__init__(WorldSettings(engine=engine, self_collision=self_collision), robot)
        self.director.performer.holds_heading = True
        self.perform('stand')
        size = self.size = thing.size
        x, y, heading = self.pose()
        heading += BETWEEN
        at = [x, y] + AHEAD * np.array([np.cos(heading), np.sin(heading)]) + np.array(thing.off)
        turn = transform(rotation_about((0.0, 0.0, 1.0), thing.turn))
        pose = shift(float(at[0]), float(at[1]), size / 2 + HOVER) @ turn
        shape = Sphere(size / 2) if thing.is_ball else Box((size,) * 3)
        spec = ObjectSpec('thing', shape, thing.mass, pose, Surface(thing.friction))
        self.world.apply([Spawn(spec)])

    @property
    def thing(self) -> Array:
        """(3,) where the thing is [m]."""
        place: Array = self.world.engine.link_pose(self.world.engine.body('thing'), 0)[:3, 3]
        return place

    @property
    def lifted(self) -> float:
        """How far the thing is above where it lay [m]."""
        return float(self.thing[2]) - self.size / 2

    @property
    def held_at(self) -> Array:
        """(3,) the thing in the base [m]."""
        base = self.core.measured.base
        assert base is not None
        turn = rotation_from_quaternion(base.orientation)
        held: Array = (self.thing - base.position) @ turn
        return held

    @property
    def off(self) -> Array:
        """(2,) from below the base to the thing [m]."""
        base = self.core.measured.base
        assert base is not None
        return self.thing[:2] - base.position[:2]

    def pick_up(self, given: Mapping[str, float] = MappingProxyType({})) -> float:
        """Walk over it and grasp it; how far it is lifted [m].

        Args:
            given: parameters of the action `grasp` beside the size.

        Raises:
            PerformError: the fingers hold nothing.
        """
        self.perform('ready')
        self.perform('walk', distance=AHEAD, direction=BETWEEN)
        self.perform('grasp', '', lambda: False, size=self.size, **given)
        return self.lifted

    def carry(self, distance: float = CARRIED) -> float:
        """Walk on with it; how far it is lifted then [m]."""
        self.perform('walk', distance=distance)
        return self.lifted

    def ride(self) -> tuple[float, float]:
        """Close into the ball round it, roll, open.

        Returns:
            How far it has moved in the base, and how far the ball has rolled [m].
        """
        begin = self.held_at
        self.perform('close')
        place = self.pose()[:2]
        self.perform('roll', distance=ROLLED + SHORT)
        rolled = float(np.linalg.norm(self.pose()[:2] - place))
        self.perform('open')
        return float(np.linalg.norm(self.held_at - begin)), rolled

    def set_down(self) -> float:
        """Set it down and walk away from it; how far it is above the ground then [m]."""
        self.perform('release', size=self.size)
        self.perform('ready')
        return self.lifted


def with_stiffer_fingers(robot: str, factor: float) -> RobotModel:
    """A robot whose soft manipulators are so many times as stiff and as damped."""
    model = load_robot(robot)
    soft = {}
    for name, spec in model.soft.items():
        parts = tuple(
            part
            if part.joint is None
            else replace(
                part,
                joint=part.joint.model_copy(
                    update={
                        'stiffness': factor * part.joint.stiffness,
                        'damping': factor * part.joint.damping,
                    }
                ),
            )
            for part in spec.parts
        )
        soft[name] = replace(spec, parts=parts)
    return replace(model, soft=soft)
