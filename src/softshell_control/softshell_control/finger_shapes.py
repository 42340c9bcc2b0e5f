"""Where the soft manipulators of a robot are, by what was measured of their joints."""

from dataclasses import dataclass

import numpy as np

from softshell_continuum.kernels import Ints, places
from softshell_control.backend import Measured
from softshell_description.model import RobotModel
from softshell_description.soft import SoftSpec
from softshell_kinematics.arrays import Array
from softshell_kinematics.chain import SerialChain
from softshell_kinematics.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import inverse

#: Points of a backbone that are told.
POINTS = 17


@dataclass(frozen=True, eq=False)
class FingerShape:
    """A soft manipulator and how it bends, in the robot's base link.

    Args:
        spec: what it is.
        columns: (joints,) of its joints among what is measured.
        arc_lengths: (points,) of the points that are told [m].
        links, points: (points,) the link that each is on, and (points, 3) where [m].
        mounting: (4, 4) of its base, where nothing moves that; else
        carrier: the chain to its base, and the columns of that chain's joints.
    """

    spec: SoftSpec
    columns: Ints
    arc_lengths: Array
    links: Ints
    points: Array
    mounting: Array
    carrier: tuple[SerialChain, Ints] | None

    def backbone(self, measured: Measured) -> tuple[Array, Array]:
        """Points of its backbone, and its end.

        Args:
            measured: of the robot.

        Returns:
            (points, 3) [m] and (4, 4) pose of the end, whose z goes along; NaN where a joint was
            not measured.
        """
        known = np.where(measured.valid, measured.position, np.nan)
        base = self.mounting
        if self.carrier is not None:
            chain, columns = self.carrier
            base = chain.forward(known[columns])
        turned, origins, _ = self.spec.chain.frames(known[self.columns], base)
        points = places(turned, origins, self.links, self.points)
        end = np.eye(4)
        end[:3, :3], end[:3, 3] = turned[-1], points[-1]
        return points, end


def finger_shapes(robot: RobotModel, names: tuple[str, ...]) -> list[FingerShape]:
    """The shapes of all soft manipulators of a robot.

    Args:
        robot: the robot.
        names: of all movable joints, in the order of what is measured.
    """
    column = {name: place for place, name in enumerate(names)}
    base = robot.base.link
    root, base_in_root = robot.urdf.bodies[base]
    found = []
    for spec in robot.soft.values():
        first = spec.parts[0].name
        body, pose = robot.urdf.bodies[first]
        carrier = None
        if body != root:
            chain = chain_from_urdf(robot.urdf, base, first)
            carrier = chain, np.array([column[name] for name in chain.variables], np.int64)
        arcs = np.linspace(0.0, spec.chain.length, POINTS)
        stations = [spec.chain.station(float(arc)) for arc in arcs]
        found.append(
            FingerShape(
                spec,
                np.array([column[name] for name in spec.joints], np.int64),
                arcs,
                np.array([link for link, _ in stations], np.int64),
                np.array([point for _, point in stations]),
                inverse(base_in_root) @ pose,
                carrier,
            )
        )
    return found
