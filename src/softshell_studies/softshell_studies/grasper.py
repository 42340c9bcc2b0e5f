"""A robot that walks over an object, grasps it with its fingers, carries it and sets it down."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.changing.changes import Spawn
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Sphere
from softshell_studies.commanded_robot import CommandedRobot

#: Distance to the object, and how far it is carried [m].
AHEAD, CARRIED = 0.5, 0.5
#: Direction of the object from the robot's front, to the left: it lies between two legs [rad].
BETWEEN = np.pi / 6
#: Smallest and largest size of a random object [m].
SIZES = (0.03, 0.06)
#: Gap between object and ground when the object is placed [m].
HOVER = 5e-4


@dataclass(frozen=True)
class Thing:
    """The object that is grasped.

    Attributes:
        size: diameter of a ball, edge of a cube [m].
        is_ball: whether it is a ball; otherwise a cube.
        mass: [kg].
        friction: coefficient of its surface.
        off: (2,) x, y in the world from the point where the fingers close to the object [m].
        turn: rotation about the vertical [rad].
    """

    size: float
    is_ball: bool
    mass: float = 0.05
    friction: float = 1.0
    off: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0


def any_thing(seed: int, aside: float = 0.01) -> Thing:
    """A random ball or cube of 30 to 60 mm.

    Args:
        seed: the same seed gives the same object.
        aside: largest distance from the point where the fingers close [m].
    """
    random = np.random.default_rng(seed)
    size, is_ball = float(random.uniform(*SIZES)), bool(random.integers(2))
    off, around, turn = random.uniform(0.0, aside), *random.uniform(0.0, 2.0 * np.pi, 2)
    way = float(off * np.cos(around)), float(off * np.sin(around))
    return Thing(size, is_ball, off=way, turn=float(turn))


class Grasper(CommandedRobot):
    """A robot with fingers that stands near an object.

    Args:
        engine: name of the physics engine.
        thing: the object, which is placed `AHEAD` of the robot.
        self_collision: whether legs and fingers touch each other.
        robot: a robot with fingers, or its name.

    Attributes:
        size: height of the object [m].

    Raises:
        SoftshellError: there is no such robot, its world does not start, or it cannot stand up.
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
        self.size = thing.size
        try:
            self.perform('stand')
            self._lay(thing)
        except BaseException:
            self.close()
            raise

    def _lay(self, thing: Thing) -> None:
        """Put the object in front of the robot."""
        size = thing.size
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
        """(3,) position of the object in the world [m]."""
        place: Array = self.world.engine.link_pose(self.world.engine.body('thing'), 0)[:3, 3]
        return place

    @property
    def lifted(self) -> float:
        """Height of the object above where it lay [m]."""
        return float(self.thing[2]) - self.size / 2

    def pick_up(self, given: Mapping[str, float] = MappingProxyType({})) -> float:
        """Walk over the object and grasp it.

        Args:
            given: parameters of the action `grasp`, without the size.

        Returns:
            How far the object is lifted [m].

        Raises:
            PerformError: the fingers hold nothing.
        """
        self.perform('ready')
        self.perform('walk', distance=AHEAD, direction=BETWEEN)
        self.perform('grasp', '', lambda: False, size=self.size, **given)
        return self.lifted

    def carry(self, distance: float = CARRIED) -> float:
        """Walk on with the object [m]; returns how far it is lifted at the end [m]."""
        self.perform('walk', distance=distance)
        return self.lifted

    def set_down(self) -> float:
        """Set the object down and let go of it; returns its height above where it lay [m]."""
        self.perform('release', size=self.size)
        self.perform('ready')
        return self.lifted


def with_stiffer_fingers(robot: str, factor: float) -> RobotModel:
    """A robot, by name, with the joints of its soft manipulators made stiffer.

    Args:
        robot: its name.
        factor: by which stiffness and damping are multiplied.
    """
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
