"""A robot that walks over a thing, grasps it, carries it and sets it down, without ROS nodes."""

import numpy as np

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

#: How far ahead the thing lies, how far it is carried, on feet and as a ball [m], its mass [kg].
AHEAD, CARRIED, ROLLED, MASS = 0.5, 0.5, 1.5, 0.05
#: How much further than that it is told to roll: so much shorter a ball may come to rest [m].
SHORT = 0.5
#: In which direction from the front: between two legs [rad].
BETWEEN = np.pi / 6


class Grasper(CommandedRobot):
    """A robot with fingers, and a thing of random size and shape ahead of it.

    Args:
        engine: name of the engine.
        seed: of the thing, its place and its turn.
        self_collision: whether legs and fingers touch each other.
    """

    def __init__(self, engine, seed, self_collision=False):
        settings = WorldSettings(engine=engine, self_collision=self_collision)
        super().__init__(settings, 'shell_fingers')
        self.director.performer.holds_heading = True
        self.perform('stand')
        rng = np.random.default_rng(seed)
        self.size = rng.uniform(0.03, 0.06)
        self.is_ball = bool(rng.integers(2))
        shape = Sphere(self.size / 2) if self.is_ball else Box((self.size,) * 3)
        x, y, heading = self.pose()
        off, around, turned = rng.uniform(0.0, 0.01), *rng.uniform(0.0, 2.0 * np.pi, 2)
        heading += BETWEEN
        ahead = AHEAD * np.array([np.cos(heading), np.sin(heading)])
        at = [x, y] + ahead + off * np.array([np.cos(around), np.sin(around)])
        pose = shift(*at, self.size / 2 + 5e-4) @ transform(rotation_about((0, 0, 1), turned))
        self.world = self.core.backend.world
        self.world.apply([Spawn(ObjectSpec('thing', shape, MASS, pose, Surface(1.0)))])

    @property
    def thing(self):
        """(3,) where the thing is [m]."""
        return self.world.engine.link_pose(self.world.engine.body('thing'), 0)[:3, 3]

    @property
    def lifted(self):
        """How far the thing is above where it lay [m]."""
        return self.thing[2] - self.size / 2

    @property
    def held_at(self):
        """(3,) the thing in the base [m]."""
        base = self.core.measured.base
        turn = rotation_from_quaternion(base.orientation)
        return (self.thing - base.position) @ turn

    @property
    def off(self):
        """(2,) from below the base to the thing [m]."""
        return self.thing[:2] - self.core.measured.base.position[:2]

    def pick_up(self):
        """Walk over it and grasp it."""
        self.perform('ready')
        self.perform('walk', distance=AHEAD, direction=BETWEEN)
        self.perform('grasp', size=self.size)
        return self.lifted

    def carry(self):
        """Walk on with it."""
        self.perform('walk', distance=CARRIED)
        return self.lifted

    def ride(self):
        """Close into the ball round it, roll, open.

        Returns:
            How far it has moved in the base, and how far the ball has rolled [m].
        """
        begin = self.held_at
        self.perform('close')
        place = self.pose()[:2]
        self.perform('roll', distance=ROLLED + SHORT)
        rolled = np.linalg.norm(self.pose()[:2] - place)
        self.perform('open')
        return np.linalg.norm(self.held_at - begin), rolled

    def set_down(self):
        """Set it down and walk away from it."""
        self.perform('release', size=self.size)
        self.perform('ready')
        return self.lifted
