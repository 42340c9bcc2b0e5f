"""Where the soft manipulators of a robot are, from the measured positions of their joints."""

from dataclasses import dataclass

import numpy as np

from softshell_continuum.kernels import Ints, places
from softshell_control.backend import Measured
from softshell_description.model import RobotModel
from softshell_description.soft import SoftSpec
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import inverse

#: Points of a backbone that are published.
POINTS = 17


@dataclass(frozen=True, eq=False)
class FingerShape:
    """A soft manipulator and how it bends, in the robot's base link.

    Args:
        spec: what it is.
        columns: (joints,) indices of its joints among the movable ones.
        arc_lengths: (points,) of the points of the backbone [m].
        links, points: (points,) the link that each point is on, and (points, 3) where on it [m].
        mounting: (4, 4) pose of its base; used if no joint moves that.
        carrier: the chain to its base, and the indices of that chain's joints; None if no joint
            moves its base.
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
            measured: by the backend.

        Returns:
            (points, 3) [m] and (4, 4) pose of the end, whose z axis points along the backbone;
            NaN where a joint was not measured.
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
