"""Frames of every link of a robot, from a measurement: odom → base → links, and the footprint."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_common.frames import ODOM
from softshell_control.backend import BaseState, Measured
from softshell_control.quaternion_kernel import product
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.loops.tips import Tips
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import (
    inverse,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
)


class LinkFrames:
    """Places each moving link in its parent, the root link in odom, the footprint below the base.

    Args:
        robot: the robot.
        names: of all movable joints, in the order of what is measured.

    Attributes:
        edges: names of parent and child frame of each transform.
        values: (edges, 7) position [m] and quaternion x y z w of each; NaN where it is not known.
    """

    def __init__(self, robot: RobotModel, names: tuple[str, ...]) -> None:
        places = {name: place for place, name in enumerate(names)}
        moving = [joint for joint in robot.urdf.joints if joint.movable]
        origins = np.array([joint.origin for joint in moving]).reshape(-1, 4, 4)
        self._joints = (
            np.array([places[joint.name] for joint in moving], dtype=np.int64),
            origins[:, :3, 3].copy(),
            origins[:, :3, :3].copy(),
            quaternion_from_rotation(origins[:, :3, :3]),
            np.array([joint.axis for joint in moving]).reshape(-1, 3),
            np.array([joint.type == 'prismatic' for joint in moving], dtype=np.bool_),
        )
        # Poses of the robot are those of its base link; the tree hangs from the root link.
        root, base = robot.urdf.root, robot.base.link
        self._root = inverse(robot.urdf.bodies[base][1])
        self._root_turn = quaternion_from_rotation(self._root[:3, :3])
        # Until a base is measured it counts as level, for the footprint.
        self._level: BaseState | None = BaseState()
        self._feet = Footprint(robot, names) if robot.legs is not None else None
        self.edges = [*((joint.parent, joint.child) for joint in moving), (ODOM, root)]
        self.edges += [(base, robot.base.footprint)] if self._feet is not None else []
        self.values = np.full((len(self.edges), 7), np.nan)
        # Compiles or loads what the first measurement would otherwise have to wait for.
        count = len(names)
        _place_links(np.zeros(count), np.zeros(count, np.bool_), *self._joints, self.values)

    def update(self, measured: Measured) -> None:
        """Write `values` of a measurement."""
        values, base, count = self.values, measured.base, len(self._joints[0])
        _place_links(measured.position, measured.valid, *self._joints, values)
        values[count:] = np.nan
        if base is not None:
            turn = rotation_from_quaternion(base.orientation)
            values[count, :3] = base.position + turn @ self._root[:3, 3]
            values[count, 3:] = quaternion_product(base.orientation, self._root_turn)
            self._level = None
        level = self._level if base is None else base
        if self._feet is not None and level is not None:
            self._feet.place(measured, level, values[count + 1])


class Footprint:
    """Finds the footprint: level, below the base, at the height of the lowest foot.

    Args:
        robot: with legs.
        names: of all movable joints, in the order of what is measured.
    """

    def __init__(self, robot: RobotModel, names: tuple[str, ...]) -> None:
        assert robot.legs is not None
        base, feet = robot.base.link, robot.legs.feet
        self._tips = Tips([chain_from_urdf(robot.urdf, base, foot) for foot in feet], names)
        self._turns, self._points = np.zeros((len(feet), 3, 3)), np.zeros((len(feet), 3))
        self._known: NDArray[np.bool_] = np.zeros(len(feet), dtype=np.bool_)
        unknown = np.full(len(names), np.nan)
        self._tips.forward(unknown, self._turns, self._points, self._known)  # compiles or loads

    def place(self, measured: Measured, base: BaseState, values: Array) -> None:
        """Write (7,) position and quaternion of the footprint in the base.

        Args:
            measured: whose joints tell where the feet are.
            base: tells what is level.
            values: (7,) for the result [m]; unchanged if the position of a foot is not known.
        """
        positions = np.where(measured.valid, measured.position, np.nan)
        self._tips.forward(positions, self._turns, self._points, self._known)
        if not self._known.all():
            return
        rotation = rotation_from_quaternion(base.orientation)
        values[:3] = (self._points @ rotation[2]).min() * rotation[2]
        half = 0.5 * math.atan2(rotation[1, 0], rotation[0, 0])
        level = (0.0, 0.0, math.sin(half), math.cos(half))
        values[3:] = quaternion_product(base.orientation * (-1.0, -1.0, -1.0, 1.0), level)


@njit(cache=True)
def _place_links(
    measured: Array,
    valid: NDArray[np.bool_],
    places: NDArray[np.int64],
    positions: Array,
    rotations: Array,
    orientations: Array,
    axes: Array,
    sliding: NDArray[np.bool_],
    values: Array,
) -> None:
    """Write (joints, 7) position and quaternion of the child link of each joint in its parent.

    Args:
        measured, valid: (movable,) of all joints [rad] or [m].
        places: (joints,) index of each joint in these.
        positions, rotations, orientations: (joints, 3), (joints, 3, 3), (joints, 4) of the joints'
            frames in their parents.
        axes, sliding: (joints, 3) and (joints,) of the joints.
        values: for the result.
    """
    turn = np.zeros(4)
    for joint in range(places.shape[0]):
        moved = measured[places[joint]] if valid[places[joint]] else np.nan
        slide = moved if sliding[joint] else 0.0
        # 0 · NaN is NaN: if a sliding joint is not measured, its rotation is unknown too.
        half = 0.0 * moved if sliding[joint] else 0.5 * moved
        for row in range(3):
            along = 0.0
            for column in range(3):
                along += rotations[joint, row, column] * axes[joint, column]
            values[joint, row] = positions[joint, row] + slide * along
            turn[row] = math.sin(half) * axes[joint, row]
        turn[3] = math.cos(half)
        turned = product(orientations[joint], turn)
        for part in range(4):
            values[joint, 3 + part] = turned[part]
